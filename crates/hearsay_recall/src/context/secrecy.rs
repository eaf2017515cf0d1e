//! Secrecy of a line: whether the speaker may tell the line.

use std::collections::BTreeSet;

use hearsay_belief::Known;
use hearsay_model::EntityId;
use serde::{Deserialize, Serialize};

use super::request::ContextRequest;
use crate::{CitedEntity, citation::join_names};

/// Words after "somebody", for a listener whose name the speaker does not know.
const UNNAMED_LISTENER: &str = " whom you do not know by name";

/// Secrecy of a line: whether the speaker may tell the line, and to whom.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineSecrecy {
    /// The speaker may tell the line to anyone.
    #[default]
    Open,
    /// The speaker conceals the line from everyone.
    Concealed,
    /// The speaker conceals the line, but may tell it to certain listeners: the condition of a reveal is met for them,
    /// or the speaker believes that they know it.
    MayTell {
        /// The listeners, sorted by id. Never empty.
        to: Vec<CitedEntity>,
    },
}

impl LineSecrecy {
    /// Returns whether the speaker may tell the line to a listener.
    pub fn allows(&self, listener: &EntityId) -> bool {
        match self {
            Self::Open => true,
            Self::Concealed => false,
            Self::MayTell { to } => to.iter().any(|entity| entity.id == *listener),
        }
    }

    /// Returns the secrecy of a fact. `present` returns the entities in the scene besides the speaker.
    pub(super) fn of_fact(known: &Known, request: &ContextRequest, present: impl FnOnce() -> Vec<EntityId>) -> Self {
        if !known.conceals() {
            return Self::Open;
        }
        let mut listeners: BTreeSet<EntityId> = match request.revealable.get(&known.id()) {
            // The campaign has no player characters, so the reveal allows every listener.
            Some(listeners) if listeners.is_empty() => return Self::Open,
            Some(listeners) => listeners.clone(),
            None => BTreeSet::new(),
        };
        let knows = |id: &EntityId| !request.view.attribution_reasons(id, known).is_empty();
        listeners.extend(present().into_iter().filter(knows));
        if listeners.is_empty() {
            Self::Concealed
        } else {
            Self::MayTell { to: listeners.iter().map(|id| CitedEntity::new(request.names, id)).collect() }
        }
    }

    /// Returns the secrecy of a line that states two facts. The speaker may tell a listener the line only if the
    /// speaker may tell this listener both facts.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Open, secrecy) | (secrecy, Self::Open) => secrecy,
            (Self::MayTell { mut to }, Self::MayTell { to: others }) => {
                to.retain(|listener| others.contains(listener));
                if to.is_empty() { Self::Concealed } else { Self::MayTell { to } }
            }
            (Self::Concealed, _) | (_, Self::Concealed) => Self::Concealed,
        }
    }

    /// Returns the secrecy as a note to the speaker; `None` if the line is open.
    pub(super) fn note(&self) -> Option<String> {
        match self {
            Self::Open => None,
            Self::Concealed => Some("you keep it to yourself".into()),
            Self::MayTell { to } => Some(format!("you may tell {}, but nobody else", join_names(to, UNNAMED_LISTENER))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_facts_may_be_told_to_those_who_may_hear_both() {
        let listener = |name: &str| CitedEntity { id: EntityId::new(name).unwrap(), name: None };
        let may_tell = |names: &[&str]| LineSecrecy::MayTell { to: names.iter().map(|name| listener(name)).collect() };
        for (one, other, both) in [
            (LineSecrecy::Open, LineSecrecy::Open, LineSecrecy::Open),
            (LineSecrecy::Open, LineSecrecy::Concealed, LineSecrecy::Concealed),
            (LineSecrecy::Open, may_tell(&["ann"]), may_tell(&["ann"])),
            (LineSecrecy::Concealed, may_tell(&["ann"]), LineSecrecy::Concealed),
            (may_tell(&["ann", "bob"]), may_tell(&["bob", "cid"]), may_tell(&["bob"])),
            (may_tell(&["ann"]), may_tell(&["bob"]), LineSecrecy::Concealed),
        ] {
            assert_eq!(one.clone().and(other.clone()), both);
            assert_eq!(other.and(one), both);
        }
    }
}

//! The history of each record in the journal: whether an earlier import of this campaign wrote the record, and how
//! other authors changed it later.

use std::{collections::HashMap, sync::Arc};

use hearsay_model::{
    Author, Change, Entity, EntityId, Fact, FactId, Key, KnowledgeEdge, KnowledgeId, Passage, PassageId, Session,
    SessionId, Setting, SettingKey, State,
};

/// The latest unreverted change of a record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LastChange<T> {
    /// The record that the change wrote. `None` if the change removed the record or is a `SetFlag`, which has no
    /// record.
    pub(crate) value: Option<T>,
    /// Whether this source made the change.
    pub(crate) ours: bool,
}

/// The history of a fact.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FactHistory<'a> {
    /// The fact as this source last asserted it; `None` if the source retracted it or another author asserted it later.
    pub(crate) ours: Option<&'a Arc<Fact>>,
    /// A phrase that describes the latest change by another author, such as "another source also states this fact".
    pub(crate) other_change: Option<&'static str>,
}

/// The latest unreverted change of each record in the journal.
#[derive(Debug, Default)]
pub(crate) struct History<'a> {
    pub(crate) entities: HashMap<EntityId, LastChange<&'a Entity>>,
    pub(crate) facts: HashMap<FactId, FactHistory<'a>>,
    pub(crate) edges: HashMap<KnowledgeId, LastChange<&'a Arc<KnowledgeEdge>>>,
    pub(crate) passages: HashMap<PassageId, LastChange<&'a Arc<Passage>>>,
    pub(crate) sessions: HashMap<SessionId, LastChange<&'a Session>>,
    pub(crate) settings: HashMap<SettingKey, LastChange<&'a Setting>>,
}

impl<'a> History<'a> {
    pub(crate) fn new(state: &'a State, author: &Author) -> Self {
        let mut history = Self::default();
        for (_, entry) in state.journal().filter(|(_, entry)| entry.live) {
            let ours = entry.operation.author == *author;
            for change in &entry.operation.changes {
                history.apply_change(change, ours);
            }
        }
        history
    }

    fn apply_change(&mut self, change: &'a Change, ours: bool) {
        match change.written_key() {
            // The kind of talk is not part of the text.
            Some(Key::Passage(_)) if matches!(change, Change::SetTalkKind { .. }) => {}
            Some(Key::Entity(id)) => _ = self.entities.insert(id, LastChange { value: change.entity(), ours }),
            Some(Key::Fact(id)) => self.apply_fact_change(id, change, ours),
            Some(Key::KnowledgeEdge(id)) => _ = self.edges.insert(id, LastChange { value: change.edge(), ours }),
            Some(Key::Passage(id)) => _ = self.passages.insert(id, LastChange { value: change.passage(), ours }),
            Some(Key::Session(id)) => _ = self.sessions.insert(id, LastChange { value: change.session(), ours }),
            Some(Key::Setting(key)) => _ = self.settings.insert(key, LastChange { value: change.setting(), ours }),
            None => {}
        }
    }

    fn apply_fact_change(&mut self, id: FactId, change: &'a Change, ours: bool) {
        match (change, ours) {
            (Change::AssertFact(fact), true) => {
                self.facts.insert(id, FactHistory { ours: Some(fact), other_change: None });
            }
            (Change::AssertFact(_), false) => {
                self.facts
                    .insert(id, FactHistory { ours: None, other_change: Some("another source also states this fact") });
            }
            (Change::RetractFact(_), true) => _ = self.facts.insert(id, FactHistory::default()),
            (_, true) => {}
            (change, false) => {
                if let (Some(effect), Some(history)) = (change.effect_on_fact(), self.facts.get_mut(&id)) {
                    history.other_change = Some(effect);
                }
            }
        }
    }
}

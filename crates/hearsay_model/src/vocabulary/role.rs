//! Roles: the purposes for which the engine and the importers need particular predicates.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{BUILT_IN, Predicate, VocabularyError};
use crate::{FactId, FactRelation};

/// Purpose for which the engine or an importer needs a predicate. The engine or importer writes facts with this
/// predicate, or interprets these facts.
///
/// The table `roles` of `data/vocabulary.toml` names the predicate of each role. A campaign may redefine this
/// predicate, for example with another phrase. A campaign cannot assign the role to another predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PredicateRole {
    /// Current location of an entity.
    Location,
    /// Residence in a place.
    Residence,
    /// Membership in a group.
    Membership,
    /// Containment: a place or group is part of a larger place or group.
    Part,
    /// Possession of an item.
    Possession,
    /// Trust in the statements of another entity. The trust is an attitude from −100 (no trust) to 100 (full trust).
    Trust,
    /// Awareness: an entity knows that another entity exists.
    Awareness,
    /// Relation that no other predicate describes.
    Related,
    /// Assignment of a quest by its giver.
    Assignment,
    /// Participation in an event or a quest.
    Participation,
    /// Creation of a thing or a text by its maker.
    Creation,
    /// Condition of an entity, such as `dead`.
    Condition,
    /// Keeping of a promise that the subject gave to the object.
    KeptPromise,
    /// Breaking of a promise that the subject gave to the object.
    BrokenPromise,
}

impl PredicateRole {
    /// All roles.
    pub const ALL: [Self; 14] = [
        Self::Location,
        Self::Residence,
        Self::Membership,
        Self::Part,
        Self::Possession,
        Self::Trust,
        Self::Awareness,
        Self::Related,
        Self::Assignment,
        Self::Participation,
        Self::Creation,
        Self::Condition,
        Self::KeptPromise,
        Self::BrokenPromise,
    ];

    /// Returns the role as text, as in `data/vocabulary.toml`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Location => "location",
            Self::Residence => "residence",
            Self::Membership => "membership",
            Self::Part => "part",
            Self::Possession => "possession",
            Self::Trust => "trust",
            Self::Awareness => "awareness",
            Self::Related => "related",
            Self::Assignment => "assignment",
            Self::Participation => "participation",
            Self::Creation => "creation",
            Self::Condition => "condition",
            Self::KeptPromise => "kept_promise",
            Self::BrokenPromise => "broken_promise",
        }
    }

    /// Returns the predicate with this role.
    #[inline]
    pub fn predicate(self) -> &'static Predicate {
        &BUILT_IN.roles.0[self as usize]
    }

    /// Returns the name of the predicate with this role.
    #[inline]
    pub fn name(self) -> &'static str {
        self.predicate().as_str()
    }

    /// Returns whether a predicate has this role.
    #[inline]
    pub fn is(self, predicate: &Predicate) -> bool {
        self.predicate() == predicate
    }

    /// Returns whether a fact states the end of a fact whose predicate has this role. `relation` is the relation of the
    /// first fact to another fact. `predicate_of` returns the predicate of a fact, or `None` if the fact is unknown.
    pub fn is_ended_by<'p>(
        self,
        relation: Option<FactRelation>,
        predicate_of: impl FnOnce(FactId) -> Option<&'p Predicate>,
    ) -> bool {
        match relation {
            Some(FactRelation::Ends(ended)) => predicate_of(ended).is_some_and(|predicate| self.is(predicate)),
            _ => false,
        }
    }

    /// Returns the value that the engine records as the condition of a dead entity: the first of the built-in [dead
    /// values](super::Behavior::dead_values).
    pub fn dead_value() -> &'static str {
        let behavior = BUILT_IN.vocabulary.behavior(Self::Condition.predicate());
        behavior.dead_values.first().map_or("dead", String::as_str)
    }

    /// Returns whether the predicate of the role must be a relation.
    fn is_relation(self) -> bool {
        self != Self::Condition
    }
}

/// The predicates of all roles, in the order of [`PredicateRole::ALL`].
#[derive(Debug, Clone)]
pub(super) struct Roles(Vec<Predicate>);

impl Roles {
    /// Checks that each role has a defined predicate. The predicate must be a relation if the role needs a relation,
    /// and an attribute otherwise.
    pub(super) fn new(
        predicates: &BTreeMap<PredicateRole, Predicate>,
        is_defined: impl Fn(&Predicate) -> bool,
    ) -> Result<Self, VocabularyError> {
        let check_role = |role: PredicateRole| match predicates.get(&role) {
            None => Err(VocabularyError::MissingRole(role)),
            Some(name) if !is_defined(name) || name.is_relation() != role.is_relation() => {
                Err(VocabularyError::InvalidRole { role, name: name.clone() })
            }
            Some(name) => Ok(name.clone()),
        };
        PredicateRole::ALL.into_iter().map(check_role).collect::<Result<_, _>>().map(Self)
    }
}

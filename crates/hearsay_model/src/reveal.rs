//! Reveals: conditions under which the holder of a secret may tell the secret.
//!
//! A reveal is part of the campaign data. Its condition is evaluated against the state.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Attitude, Credence, Date, EntityId, FactId, Feeling, IdError, Predicate, Reference, Rename, Value};

/// Entity in a condition: the listener, the holder of the secret, or a fixed entity.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConditionEntity {
    /// The entity to whom the holder would tell the secret.
    Listener,
    /// The holder of the secret.
    Holder,
    /// The entity with this id.
    Entity(EntityId),
}

impl ConditionEntity {
    fn rename(&mut self, renaming: &mut impl Rename) {
        if let Self::Entity(id) = self {
            renaming.entity(id);
        }
    }

    /// Returns the id of a fixed entity; `None` for the listener and the holder.
    pub fn entity(&self) -> Option<&EntityId> {
        match self {
            Self::Entity(id) => Some(id),
            Self::Listener | Self::Holder => None,
        }
    }
}

/// Condition of a reveal. Conditions about the world use only canon facts that are valid at the current game time.
/// Conditions on knowledge and feelings use the view of the entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// One entity trusts another at least to a given degree.
    Trusts {
        /// The entity that trusts.
        who: ConditionEntity,
        /// The entity that is trusted.
        of: ConditionEntity,
        /// The minimum trust, from 0.0 to 1.0.
        at_least: Credence,
    },
    /// An entity owns an item. Each player character of a party owns the items of the party.
    Owns {
        /// The owner.
        who: ConditionEntity,
        /// The item.
        item: EntityId,
    },
    /// An entity is a member of a group or of one of its subgroups.
    Member {
        /// The member.
        who: ConditionEntity,
        /// The group.
        group: EntityId,
        /// The rank that the member must have in this group. A rank in a subgroup does not count. `None` means any
        /// rank.
        rank: Option<String>,
    },
    /// An entity is at a place or in one of its parts.
    At {
        /// The entity.
        who: ConditionEntity,
        /// The place.
        place: EntityId,
    },
    /// An attribute of an entity has a given value. For example, a quest has reached a certain stage.
    Attribute {
        /// The entity.
        of: EntityId,
        /// The attribute.
        name: Predicate,
        /// The required value as text. Values are compared in [normal form](crate::text::normalize).
        is: String,
    },
    /// A flag of the game has a given value.
    Flag {
        /// The name of the flag.
        name: String,
        /// The required value of the flag.
        is: Value,
    },
    /// The game clock has reached a date.
    Date {
        /// The date.
        from: Date,
    },
    /// An entity knows a fact. The credence of the entity in the fact does not matter.
    Knows {
        /// The entity.
        who: ConditionEntity,
        /// The fact.
        fact: FactId,
    },
    /// This condition is true if all conditions in the list are true.
    All(Vec<Condition>),
    /// This condition is true if at least one condition in the list is true.
    Any(Vec<Condition>),
    /// This condition is true if the inner condition is false.
    Not(Box<Condition>),
    /// One entity has a feeling towards another at least to a given degree.
    Feels {
        /// The entity that has the feeling.
        who: ConditionEntity,
        /// The entity that the feeling is about.
        towards: ConditionEntity,
        /// The kind of feeling.
        feeling: Feeling,
        /// The minimum value of the feeling.
        at_least: Attitude,
    },
}

impl Condition {
    /// Maximum nesting depth of conditions.
    pub const MAX_DEPTH: usize = 32;

    /// Returns the condition itself and all conditions nested in it.
    pub fn conditions(&self) -> impl Iterator<Item = &Self> {
        let mut stack = vec![self];
        std::iter::from_fn(move || {
            let condition = stack.pop()?;
            stack.extend(condition.nested());
            Some(condition)
        })
    }

    fn nested(&self) -> &[Self] {
        match self {
            Self::All(parts) | Self::Any(parts) => parts,
            Self::Not(part) => std::slice::from_ref(part),
            _ => &[],
        }
    }

    /// Returns the entities that this condition is about. Entities in nested conditions are not included.
    fn own_entities(&self) -> [Option<&ConditionEntity>; 2] {
        match self {
            Self::Trusts { who, of: other, .. } | Self::Feels { who, towards: other, .. } => [Some(who), Some(other)],
            Self::Owns { who, .. } | Self::Member { who, .. } | Self::At { who, .. } | Self::Knows { who, .. } => {
                [Some(who), None]
            }
            _ => [None, None],
        }
    }

    /// Returns whether the condition, or a condition nested in it, refers to the listener.
    pub fn names_listener(&self) -> bool {
        self.conditions().any(|part| part.own_entities().contains(&Some(&ConditionEntity::Listener)))
    }

    /// Returns the entities that the condition and its nested conditions name by id.
    pub fn entities(&self) -> impl Iterator<Item = &EntityId> {
        self.conditions().flat_map(|part| {
            let named = match part {
                Self::Owns { item: id, .. }
                | Self::Member { group: id, .. }
                | Self::At { place: id, .. }
                | Self::Attribute { of: id, .. } => Some(id),
                _ => None,
            };
            part.own_entities().into_iter().flatten().filter_map(ConditionEntity::entity).chain(named)
        })
    }

    /// Returns the facts that the condition and its nested conditions name.
    pub fn facts(&self) -> impl Iterator<Item = FactId> {
        self.conditions().filter_map(|part| match part {
            Self::Knows { fact, .. } => Some(*fact),
            _ => None,
        })
    }

    /// Returns the flags that the condition and its nested conditions name, with the required values.
    pub fn flags(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.conditions().filter_map(|part| match part {
            Self::Flag { name, is } => Some((name.as_str(), is)),
            _ => None,
        })
    }

    fn rename(&mut self, renaming: &mut impl Rename) {
        match self {
            Self::Trusts { who, of: other, .. } | Self::Feels { who, towards: other, .. } => {
                [who, other].into_iter().for_each(|entity| entity.rename(renaming));
            }
            Self::Owns { who, item: id } | Self::Member { who, group: id, .. } | Self::At { who, place: id } => {
                who.rename(renaming);
                renaming.entity(id);
            }
            Self::Attribute { of, .. } => renaming.entity(of),
            Self::Knows { who, fact } => {
                who.rename(renaming);
                renaming.fact(fact);
            }
            Self::Flag { .. } | Self::Date { .. } => {}
            Self::All(parts) | Self::Any(parts) => parts.iter_mut().for_each(|part| part.rename(renaming)),
            Self::Not(part) => part.rename(renaming),
        }
    }

    fn check(&self, depth: usize) -> Result<(), RevealError> {
        if depth > Self::MAX_DEPTH {
            return Err(RevealError::TooDeep);
        }
        match self {
            Self::All(parts) | Self::Any(parts) if parts.is_empty() => return Err(RevealError::EmptyList),
            Self::Attribute { name, .. } if name.is_relation() => {
                return Err(RevealError::NotAnAttribute(name.clone()));
            }
            Self::Date { from } if from.time.is_none() => return Err(RevealError::UnknownDate(from.raw.clone())),
            _ => {}
        }
        self.nested().iter().try_for_each(|part| part.check(depth + 1))
    }
}

/// Condition under which the holder of a secret may tell the secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reveal {
    /// The readable, stable id: a slug.
    pub id: String,
    /// The secret fact.
    pub fact: FactId,
    /// The entity that may tell the secret. `None` means that every knower that conceals the secret may tell it.
    pub holder: Option<EntityId>,
    /// The condition that must be true.
    pub when: Condition,
    /// A note to the DM, for example how the holder tells the secret and what happens then; `None` if there is no note.
    pub note: Option<String>,
}

impl Reveal {
    /// Checks the id and the form of the condition. Does not check whether the entities and facts in the condition
    /// exist.
    ///
    /// # Errors
    /// Returns an error if the id is not a slug, or if a condition is invalid. For example, a condition is invalid if
    /// it is nested too deeply, or if it contains an empty list of conditions or a date that is not on the calendar.
    pub fn check(&self) -> Result<(), RevealError> {
        EntityId::new(&self.id)?;
        self.when.check(1)
    }

    /// Returns a copy of the reveal in which the fact `new` replaces the fact `old`. Use this method when a fact is
    /// corrected.
    #[must_use]
    pub fn with_fact(&self, old: FactId, new: FactId) -> Self {
        struct Replacement(FactId, FactId);
        impl Rename for Replacement {
            fn fact(&mut self, id: &mut FactId) {
                if *id == self.0 {
                    *id = self.1;
                }
            }
        }
        let mut reveal = self.clone();
        reveal.rename(&mut Replacement(old, new));
        reveal
    }

    /// Uses the methods of `renaming` to replace the ids of the records that the reveal refers to.
    pub fn rename(&mut self, renaming: &mut impl Rename) {
        renaming.fact(&mut self.fact);
        self.holder.iter_mut().for_each(|id| renaming.entity(id));
        self.when.rename(renaming);
    }

    /// Calls `visit` with each reference from the reveal to a record: entities and facts.
    pub fn visit_references<'a>(&'a self, visit: &mut dyn FnMut(Reference<'a>)) {
        self.entities().for_each(|id| visit(Reference::Entity(id)));
        self.facts().for_each(|id| visit(Reference::Fact(id)));
    }

    /// Returns the entities that the reveal names: the holder, and the entities in the condition.
    pub fn entities(&self) -> impl Iterator<Item = &EntityId> {
        self.holder.iter().chain(self.when.entities())
    }

    /// Returns the facts that the reveal names: first the secret, then the facts in the condition.
    pub fn facts(&self) -> impl Iterator<Item = FactId> {
        std::iter::once(self.fact).chain(self.when.facts())
    }
}

/// Error: a reveal is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RevealError {
    /// The id is not a slug.
    #[error("{0}")]
    Id(#[from] IdError),
    /// A list of conditions is empty.
    #[error("the list of conditions is empty; add at least one condition")]
    EmptyList,
    /// Conditions are nested too deeply.
    #[error("conditions are nested more than {max_depth} levels deep; use fewer levels", max_depth = Condition::MAX_DEPTH)]
    TooDeep,
    /// A condition on an attribute names a relation instead.
    #[error(
        "{predicate} is a relation, but a condition on a value needs an attribute; use an attribute (a predicate in \
         lowercase)",
        predicate = .0
    )]
    NotAnAttribute(Predicate),
    /// The campaign's calendar has no such date.
    #[error("`{text}` is not a date on the campaign's calendar; write the date in the format of the calendar", text = .0)]
    UnknownDate(String),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Author, Fact, Method, Provenance};

    #[test]
    fn conditions_that_can_never_be_true_are_refused() {
        let provenance = || Provenance::new(Method::Authored, Author::Dm);
        let ann = EntityId::new("ann").unwrap();
        let fact = Fact::attribute(&ann, "lore", "T.", provenance()).unwrap().build().unwrap().id();
        let check = |id: &str, when: Condition, expected: Option<&str>| {
            let reveal = Reveal { id: id.into(), fact, holder: None, when, note: None };
            let json = serde_json::to_string(&reveal).unwrap();
            assert_eq!(serde_json::from_str::<Reveal>(&json).unwrap(), reveal);
            let error = reveal.check().err().map(|error| error.to_string());
            assert_eq!(error.is_some(), expected.is_some(), "{error:?}");
            assert!(expected.is_none_or(|words| error.as_ref().unwrap().contains(words)), "{error:?}");
        };
        let flag = || Condition::Flag { name: "f".into(), is: Value::Flag(true) };
        let nots = |count| (1..count).fold(flag(), |inner, _| Condition::Not(inner.into()));
        check("r", flag(), None);
        check("r", nots(Condition::MAX_DEPTH), None);
        check("r", nots(Condition::MAX_DEPTH + 1), Some("more than 32 levels deep"));
        check("A b", flag(), Some("`a-b`"));
        check("r", Condition::All(vec![flag(), Condition::Any(vec![])]), Some("at least one"));
        let raw = Date { raw: "some day".into(), time: None };
        check("r", Condition::Date { from: raw }, Some("`some day` is not a date on the campaign's calendar"));
        let owes = Predicate::new("OWES").unwrap();
        check("r", Condition::Attribute { of: ann.clone(), name: owes, is: "x".into() }, Some("OWES is a relation"));
        let knows = Condition::Knows { who: ConditionEntity::Listener, fact };
        let owns = Condition::Owns { who: ConditionEntity::Entity(ann.clone()), item: EntityId::new("ring").unwrap() };
        let both = Condition::All(vec![knows, Condition::Not(owns.into())]);
        assert!(both.names_listener() && !flag().names_listener());
        assert_eq!(both.entities().map(EntityId::as_str).collect::<Vec<_>>(), ["ann", "ring"]);
        assert_eq!(both.facts().collect::<Vec<_>>(), [fact]);
        let other = Fact::attribute(&ann, "lore", "U.", provenance()).unwrap().build().unwrap().id();
        let reveal = Reveal { id: "r".into(), fact, holder: None, when: both, note: None };
        assert_eq!(reveal.with_fact(fact, other).facts().collect::<Vec<_>>(), [other, other]);
        assert_eq!(reveal.with_fact(other, fact), reveal);
    }
}

//! Reveals: under which conditions the holder of a secret may tell it. Data of the campaign, judged against the state.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Credence, Date, EntityId, FactId, IdError, Predicate, Value};

/// Somebody whom a condition speaks of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Who {
    /// Whoever asks or is being told.
    Listener,
    /// The holder of the secret.
    Holder,
    /// This one.
    Entity(EntityId),
}

impl Who {
    /// The entity, if it is a given one.
    pub fn entity(&self) -> Option<&EntityId> {
        match self {
            Self::Entity(id) => Some(id),
            Self::Listener | Self::Holder => None,
        }
    }
}

/// What must be so. Of facts, those count that are canon and hold now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// Somebody trusts somebody far enough.
    Trusts {
        /// Who trusts.
        who: Who,
        /// Whom.
        of: Who,
        /// How far at least.
        at_least: Credence,
    },
    /// Somebody owns something. A player character owns what its party owns.
    Owns {
        /// Who.
        who: Who,
        /// What.
        item: EntityId,
    },
    /// Somebody is a member of a group, or of a part of it.
    Member {
        /// Who.
        who: Who,
        /// Of which group.
        group: EntityId,
        /// With which rank in this very group; with any, when there is none.
        rank: Option<String>,
    },
    /// Somebody is at a place, or in a part of it.
    At {
        /// Who.
        who: Who,
        /// Where.
        place: EntityId,
    },
    /// An attribute of an entity has a value: a quest its stage.
    Attribute {
        /// Whose.
        of: EntityId,
        /// Which.
        name: Predicate,
        /// The value as text, compared in its [normal form](crate::text::normal).
        is: String,
    },
    /// A flag of the game has a value.
    Flag {
        /// Which.
        name: String,
        /// Its value.
        is: Value,
    },
    /// The game clock has come to a date.
    Date {
        /// The date.
        from: Date,
    },
    /// Somebody knows a fact, whatever it thinks of it.
    Knows {
        /// Who.
        who: Who,
        /// Which fact.
        fact: FactId,
    },
    /// All of these.
    All(Vec<Condition>),
    /// At least one of these.
    Any(Vec<Condition>),
    /// Not this.
    Not(Box<Condition>),
}

impl Condition {
    /// How deep conditions may lie within one another.
    pub const MOST_DEPTH: usize = 32;

    /// The condition and all within it.
    pub fn all(&self) -> impl Iterator<Item = &Self> {
        let mut open = vec![self];
        std::iter::from_fn(move || {
            let next = open.pop()?;
            open.extend(next.parts());
            Some(next)
        })
    }

    fn parts(&self) -> &[Self] {
        match self {
            Self::All(parts) | Self::Any(parts) => parts,
            Self::Not(part) => std::slice::from_ref(part),
            _ => &[],
        }
    }

    /// Those whom the condition itself speaks of, not those within it.
    fn speaks_of(&self) -> [Option<&Who>; 2] {
        match self {
            Self::Trusts { who, of, .. } => [Some(who), Some(of)],
            Self::Owns { who, .. } | Self::Member { who, .. } | Self::At { who, .. } | Self::Knows { who, .. } => {
                [Some(who), None]
            }
            _ => [None, None],
        }
    }

    /// Whether it speaks of whoever asks.
    pub fn names_listener(&self) -> bool {
        self.all().any(|part| part.speaks_of().contains(&Some(&Who::Listener)))
    }

    /// The entities that it names.
    pub fn entities(&self) -> impl Iterator<Item = &EntityId> {
        self.all().flat_map(|part| {
            let other = match part {
                Self::Owns { item: id, .. }
                | Self::Member { group: id, .. }
                | Self::At { place: id, .. }
                | Self::Attribute { of: id, .. } => Some(id),
                _ => None,
            };
            part.speaks_of().into_iter().flatten().filter_map(Who::entity).chain(other)
        })
    }

    /// The facts that it names.
    pub fn facts(&self) -> impl Iterator<Item = FactId> {
        self.all().filter_map(|part| match part {
            Self::Knows { fact, .. } => Some(*fact),
            _ => None,
        })
    }

    /// The flags that it names, with the values that they are to have.
    pub fn flags(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.all().filter_map(|part| match part {
            Self::Flag { name, is } => Some((name.as_str(), is)),
            _ => None,
        })
    }

    fn replace(&mut self, old: FactId, new: FactId) {
        match self {
            Self::Knows { fact, .. } if *fact == old => *fact = new,
            Self::All(parts) | Self::Any(parts) => parts.iter_mut().for_each(|part| part.replace(old, new)),
            Self::Not(part) => part.replace(old, new),
            _ => {}
        }
    }

    fn rename(&mut self, entity: &impl Fn(&EntityId) -> EntityId, to: &impl Fn(FactId) -> FactId) {
        let who = |who: &mut Who| {
            if let Who::Entity(id) = who {
                *id = entity(id);
            }
        };
        match self {
            Self::Trusts { who: one, of, .. } => [one, of].into_iter().for_each(who),
            Self::Owns { who: one, item: id }
            | Self::Member { who: one, group: id, .. }
            | Self::At { who: one, place: id } => {
                who(one);
                *id = entity(id);
            }
            Self::Attribute { of, .. } => *of = entity(of),
            Self::Knows { who: one, fact } => {
                who(one);
                *fact = to(*fact);
            }
            Self::Flag { .. } | Self::Date { .. } => {}
            Self::All(parts) | Self::Any(parts) => parts.iter_mut().for_each(|part| part.rename(entity, to)),
            Self::Not(part) => part.rename(entity, to),
        }
    }

    fn check(&self, depth: usize) -> Result<(), RevealError> {
        if depth > Self::MOST_DEPTH {
            return Err(RevealError::TooDeep);
        }
        match self {
            Self::All(parts) | Self::Any(parts) if parts.is_empty() => return Err(RevealError::Nothing),
            Self::Attribute { name, .. } if name.is_relation() => return Err(RevealError::Relation(name.clone())),
            Self::Date { from } if from.time.is_none() => return Err(RevealError::Date(from.raw.clone())),
            _ => {}
        }
        self.parts().iter().try_for_each(|part| part.check(depth + 1))
    }
}

/// When the holder of a secret may tell it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reveal {
    /// The readable stable id: a slug.
    pub id: String,
    /// The secret.
    pub fact: FactId,
    /// Who may tell it; any who conceals it, when none is named.
    pub holder: Option<EntityId>,
    /// What must be so.
    pub when: Condition,
    /// A word to the DM: how it is told, what follows.
    pub note: Option<String>,
}

impl Reveal {
    /// Checks what can be checked without a state.
    ///
    /// # Errors
    /// When the id is no slug, or a condition can never be judged.
    pub fn check(&self) -> Result<(), RevealError> {
        EntityId::new(&self.id)?;
        self.when.check(1)
    }

    /// The same reveal with one fact in the place of another: a correction.
    pub fn with_fact(&self, old: FactId, new: FactId) -> Self {
        let mut reveal = self.clone();
        if reveal.fact == old {
            reveal.fact = new;
        }
        reveal.when.replace(old, new);
        reveal
    }

    /// The same reveal with entities and facts that took the places of others.
    #[must_use]
    pub fn renamed(&self, entity: &impl Fn(&EntityId) -> EntityId, fact: &impl Fn(FactId) -> FactId) -> Self {
        let mut reveal = self.clone();
        reveal.fact = fact(reveal.fact);
        reveal.holder = reveal.holder.as_ref().map(entity);
        reveal.when.rename(entity, fact);
        reveal
    }

    /// The entities that it names.
    pub fn entities(&self) -> impl Iterator<Item = &EntityId> {
        self.holder.iter().chain(self.when.entities())
    }

    /// The facts that it names, its own first.
    pub fn facts(&self) -> impl Iterator<Item = FactId> {
        std::iter::once(self.fact).chain(self.when.facts())
    }
}

/// A reveal that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RevealError {
    /// The id is no slug.
    #[error("{0}")]
    Id(#[from] IdError),
    /// A list of conditions without any.
    #[error("a list of conditions is empty; name at least one condition")]
    Nothing,
    /// Conditions too deep within one another.
    #[error("conditions lie more than {} deep within one another; flatten them", Condition::MOST_DEPTH)]
    TooDeep,
    /// A relation where an attribute is expected.
    #[error("{0} is a relation; a condition on a value needs an attribute, in lowercase")]
    Relation(Predicate),
    /// A date that the calendar does not understand.
    #[error("`{0}` is not on the calendar, so it never comes; write a date that is")]
    Date(String),
}

impl Value {
    /// What kind of value it is, in words.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Number(_) => "a number",
            Self::Flag(_) => "yes or no",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Author, Fact, Method, Provenance};

    #[test]
    fn what_can_never_be_judged_is_refused() {
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
        check("r", nots(Condition::MOST_DEPTH), None);
        check("r", nots(Condition::MOST_DEPTH + 1), Some("more than 32 deep"));
        check("A b", flag(), Some("`a-b`"));
        check("r", Condition::All(vec![flag(), Condition::Any(vec![])]), Some("at least one"));
        let raw = Date { raw: "some day".into(), time: None };
        check("r", Condition::Date { from: raw }, Some("`some day` is not on the calendar"));
        let owes = Predicate::new("OWES").unwrap();
        check("r", Condition::Attribute { of: ann.clone(), name: owes, is: "x".into() }, Some("OWES is a relation"));
        let knows = Condition::Knows { who: Who::Listener, fact };
        let owns = Condition::Owns { who: Who::Entity(ann.clone()), item: EntityId::new("ring").unwrap() };
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

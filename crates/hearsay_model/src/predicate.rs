//! Predicates: the names of relations and attributes.

use std::{fmt, str::FromStr, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use crate::{shared_ids, text};

/// Error: the name of a predicate is invalid. Contains the name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{0}` is not a predicate: write a relation in capitals, such as MEMBER_OF, or an attribute in lowercase, such as \
     occupation; use only letters, digits and underscores, and at most 64 bytes"
)]
pub struct PredicateError(pub String);

impl From<std::convert::Infallible> for PredicateError {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
    }
}

/// Predicate of a fact. The name of a relation is in capitals (`MEMBER_OF`), and the name of an attribute is in
/// lowercase (`occupation`).
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Predicate(Arc<str>);

impl Serialize for Predicate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Predicate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text::deserialize_from_str(deserializer)
    }
}

impl Predicate {
    /// Creates a predicate from its name.
    ///
    /// # Errors
    /// Returns an error if the text is empty, is longer than 64 bytes, or does not start with a letter. Also returns an
    /// error if the text mixes uppercase and lowercase letters. Also returns an error if the text contains a character
    /// other than letters, digits and underscores.
    pub fn new(text: &str) -> Result<Self, PredicateError> {
        shared_ids::check_and_share(text, shared_ids::PREDICATES, Self::check).map(Self)
    }

    fn check(text: &str) -> Result<(), PredicateError> {
        let starts_with_letter = text.chars().next().is_some_and(char::is_alphabetic);
        let has_case = |upper: bool| {
            text.chars().all(|c| {
                c == '_'
                    || c.is_numeric()
                    || (c.is_alphabetic() && if upper { !c.is_lowercase() } else { !c.is_uppercase() })
            })
        };
        let is_valid = starts_with_letter && text.len() <= 64 && (has_case(true) || has_case(false));
        if is_valid { Ok(()) } else { Err(PredicateError(text.into())) }
    }

    /// Converts any text to the name of a relation: `works for` becomes `WORKS_FOR`.
    ///
    /// # Errors
    /// Returns an error if the result is not a valid predicate, for example if the text has no letters.
    pub fn relation(text: &str) -> Result<Self, PredicateError> {
        Self::new(&crate::slug(text).replace('-', "_").to_uppercase()).map_err(|_| PredicateError(text.into()))
    }

    /// Returns the name of the predicate.
    #[inline]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether the predicate is a relation. The object of a relation is an entity, and the object of an
    /// attribute is a value.
    #[inline]
    pub fn is_relation(&self) -> bool {
        self.0.starts_with(|c: char| !c.is_lowercase())
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<&str> for Predicate {
    type Error = PredicateError;
    fn try_from(text: &str) -> Result<Self, PredicateError> {
        Self::new(text)
    }
}

impl TryFrom<String> for Predicate {
    type Error = PredicateError;
    fn try_from(text: String) -> Result<Self, PredicateError> {
        Self::new(&text)
    }
}

impl FromStr for Predicate {
    type Err = PredicateError;
    fn from_str(text: &str) -> Result<Self, PredicateError> {
        Self::new(text)
    }
}

impl From<Predicate> for String {
    fn from(predicate: Predicate) -> String {
        predicate.0.as_ref().into()
    }
}

impl PartialEq<str> for Predicate {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

impl PartialEq<&str> for Predicate {
    fn eq(&self, other: &&str) -> bool {
        &*self.0 == *other
    }
}

/// Names of the built-in attributes that the code refers to.
pub mod attribute {
    /// Attribute for the main name of an entity.
    pub const NAME: &str = "name";
    /// Attribute for an additional name of an entity.
    pub const ALIAS: &str = "alias";
    /// Attribute for the kind of an entity.
    pub const KIND: &str = "kind";
    /// Attribute for a description of an entity, in a few sentences.
    pub const DESCRIPTION: &str = "description";
    /// Attribute for a sentence about an entity that fits no other predicate.
    pub const LORE: &str = "lore";
    /// Attribute for a label that a user attaches to an entity.
    pub const TAG: &str = "tag";
    /// Attribute for the ranks of a group in one line, such as `apprentice, journeyman, master`. The lowest rank comes
    /// first.
    pub const RANKS: &str = "ranks";
    /// Attribute for the share of its knowledge that a character passes on in gossip, from 0 (nothing) to 1
    /// (everything). The default is 0.5.
    pub const TALKATIVENESS: &str = "talkativeness";
    /// Attribute for how fast a character forgets: `off`, `mild` or `strong`. It overrides the rule of the campaign, see
    /// [`MindRules::forgetting`](crate::MindRules::forgetting).
    pub const FORGETTING: &str = "forgetting";
    /// Attribute for how exactly a character repeats what it heard, from 0 (often distorts it) to 1 (rarely distorts
    /// it). The default is 1. Only campaigns in which [rumours change](crate::MindRules::distortion) use this attribute.
    pub const HONESTY: &str = "honesty";
    /// Attribute for the name of the person who plays a character.
    pub const PLAYER: &str = "player";
    /// Attribute for the age of a character.
    pub const AGE: &str = "age";
    /// Attribute for the look of a character or thing.
    pub const APPEARANCE: &str = "appearance";
    /// Attribute for the atmosphere of a place.
    pub const ATMOSPHERE: &str = "atmosphere";
    /// Attribute for the state of a character or thing, such as `wounded` or `dead`.
    pub const CONDITION: &str = "condition";
    /// Attribute for the date of an event.
    pub const DATE: &str = "date";
    /// Attribute for the mood of a character.
    pub const EMOTIONAL_STATE: &str = "emotional_state";
    /// Attribute for the religion of a character.
    pub const FAITH: &str = "faith";
    /// Attribute for the gender of a character.
    pub const GENDER: &str = "gender";
    /// Attribute for a goal of a character or group.
    pub const GOALS: &str = "goals";
    /// Attribute for the person or body that governs a place.
    pub const GOVERNMENT: &str = "government";
    /// Attribute for the place where a group has its seat.
    pub const HEADQUARTERS: &str = "headquarters";
    /// Attribute for the motto of a group or place.
    pub const MOTTO: &str = "motto";
    /// Attribute for an objective of a quest.
    pub const OBJECTIVES: &str = "objectives";
    /// Attribute for the trade or post of a character.
    pub const OCCUPATION: &str = "occupation";
    /// Attribute for the way in which an event ended.
    pub const OUTCOME: &str = "outcome";
    /// Attribute for the character of a person.
    pub const PERSONALITY: &str = "personality";
    /// Attribute for the number of inhabitants of a place.
    pub const POPULATION: &str = "population";
    /// Attribute for the pronouns of a character.
    pub const PRONOUNS: &str = "pronouns";
    /// Attribute for the reward for a quest.
    pub const REWARD: &str = "reward";
    /// Attribute for how a character speaks.
    pub const SPEAKING_STYLE: &str = "speaking_style";
    /// Attribute for the species of a character.
    pub const SPECIES: &str = "species";
    /// Attribute for the symbol of a group or place.
    pub const SYMBOL: &str = "symbol";
    /// Attribute for the title of a character.
    pub const TITLE: &str = "title";
    /// Attribute for the price of a thing.
    pub const VALUE: &str = "value";
}

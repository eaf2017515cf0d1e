//! Errors of invalid facts.

use thiserror::Error;

use crate::{GameTime, Predicate, PredicateError};

/// Error: invalid fact.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FactError {
    /// The statement is empty.
    #[error("a fact needs a sentence that states it")]
    NoStatement,
    /// The value is empty text.
    #[error("`{0}` cannot be empty")]
    EmptyValue(Predicate),
    /// The object of a relation is a value, or the object of an attribute is an entity.
    #[error(
        "{predicate} takes {expected}: relations are in capitals and point at an entity, attributes are in lowercase and have a value"
    )]
    WrongObject {
        /// The predicate.
        predicate: Predicate,
        /// The kind of object that the predicate takes.
        expected: &'static str,
    },
    /// The validity interval ends before it begins.
    #[error("the fact ends at {until}, before it begins at {from}")]
    Backwards {
        /// The start of the interval.
        from: GameTime,
        /// The end of the interval.
        until: GameTime,
    },
    /// The number is not finite.
    #[error("a value must be a finite number")]
    NotFinite,
    /// The predicate is malformed.
    #[error(transparent)]
    Predicate(#[from] PredicateError),
}

//! Errors of invalid facts.

use thiserror::Error;

use crate::{GameTime, Predicate, PredicateError};

/// Error: invalid fact.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FactError {
    /// The statement of the fact is empty.
    #[error("the statement of a fact is empty; write one sentence that states the fact")]
    NoStatement,
    /// The value of an attribute is empty. Contains the attribute.
    #[error("the value of the attribute `{attribute}` is empty; give a value", attribute = .0)]
    EmptyValue(Predicate),
    /// The object of a relation is a value, or the object of an attribute is an entity.
    #[error(
        "the object of {predicate} must be {expected}: the object of a relation (in capitals) is an entity, and \
         the object of an attribute (in lowercase) is a value"
    )]
    WrongObject {
        /// The predicate of the fact.
        predicate: Predicate,
        /// The kind of object that the predicate takes.
        expected: &'static str,
    },
    /// The validity interval ends before it begins.
    #[error("the fact begins at {from}, so it cannot end at the earlier time {until}; choose a later end")]
    EndBeforeStart {
        /// The start of the interval.
        from: GameTime,
        /// The end of the interval.
        until: GameTime,
    },
    /// The number is infinite or NaN.
    #[error("the number is infinite or not a number (NaN); use a finite number")]
    NotFinite,
    /// The name of the predicate is malformed.
    #[error(transparent)]
    Predicate(#[from] PredicateError),
}

//! Errors of queries.

use hearsay_model::{ApplyError, CalendarError, EntityId, FactId, IdError, PredicateError, SessionId};
use thiserror::Error;

/// An error of a query, such as an unknown name or an invalid date.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// Error: no entity has this name.
    #[error("nothing is called `{name}`{}", did_you_mean(nearest))]
    Unknown {
        /// The name.
        name: String,
        /// Ids of the entities with the most similar names.
        nearest: Vec<String>,
    },
    /// Error: several entities have this name.
    #[error("`{name}` is ambiguous; it can mean {}: use the id", candidates.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", "))]
    Ambiguous {
        /// The name.
        name: String,
        /// Entities with this name.
        candidates: Vec<EntityId>,
    },
    /// Error: no fact matches, or several facts match the beginning of an id.
    #[error("{}", fact_reference(given, *count))]
    FactReference {
        /// The given reference.
        given: String,
        /// Number of matching facts.
        count: usize,
        /// First matching facts, with their statements.
        candidates: Vec<(FactId, String)>,
    },
    /// Error: a derivation is requested for a fact that the knower does not know.
    #[error("{knower} does not know that \u{201C}{statement}\u{201D}; `hearsay know why` lists the reasons")]
    NotKnown {
        /// The knower.
        knower: EntityId,
        /// Statement of the fact.
        statement: String,
    },
    /// Error: unknown session.
    #[error("there is no session `{given}`{}", sessions(known))]
    NoSession {
        /// The given reference.
        given: String,
        /// Existing sessions.
        known: Vec<SessionId>,
    },
    /// Error: the session's end in game time is unknown.
    #[error("the game time at which session `{0}` ended is not recorded; set its `end`, or use a date instead")]
    NoSessionEnd(SessionId),
    /// Error: the session's start in game time is unknown.
    #[error("the game time at which session `{0}` began is not recorded; set its `start`, or use a date instead")]
    NoSessionStart(SessionId),
    /// Error: a search as a knower filters by status or validity, which only the DM knows.
    #[error("status and validity are visible to the DM only: search without a knower, or omit these filters")]
    KnowerOfStatus,
    /// Error: there is nothing to undo.
    #[error("there is nothing to undo{}", of.as_ref().map_or(String::new(), |of| format!(" by {of}")))]
    NothingToUndo {
        /// The author, if one was named.
        of: Option<String>,
    },
    /// Error: the change cannot be applied.
    #[error(transparent)]
    Apply(Box<ApplyError>),
    /// Error: malformed id.
    #[error(transparent)]
    Id(#[from] IdError),
    /// Error: malformed predicate.
    #[error(transparent)]
    Predicate(#[from] PredicateError),
    /// Error: the date is not on the calendar.
    #[error(transparent)]
    Calendar(Box<CalendarError>),
}

fn fact_reference(given: &str, count: usize) -> String {
    match count {
        0 => format!("there is no fact `{given}`: give an id, at least four digits of one, or a handle"),
        _ => format!("`{given}` is the beginning of {count} fact ids: give more digits"),
    }
}

/// Returns `; did you mean a, b?` for an error message, or an empty text without names.
pub fn did_you_mean(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        names => format!("; did you mean {}?", names.join(", ")),
    }
}

fn sessions(known: &[SessionId]) -> String {
    match known {
        [] => "; no session is recorded".into(),
        ids => format!("; the sessions are {}", ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")),
    }
}

impl From<ApplyError> for QueryError {
    fn from(error: ApplyError) -> Self {
        Self::Apply(Box::new(error))
    }
}

impl From<CalendarError> for QueryError {
    fn from(error: CalendarError) -> Self {
        Self::Calendar(Box::new(error))
    }
}

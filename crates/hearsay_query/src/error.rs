//! Errors of queries.

use hearsay_model::{ApplyError, CalendarError, EntityId, FactId, IdError, PredicateError, SessionId};
use thiserror::Error;

/// An error in a query, such as an unknown name or an invalid date.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// Error: no entity has this name.
    #[error("no entity is called `{name}`{hint}", hint = existing_names(nearest))]
    Unknown {
        /// Name that was given.
        name: String,
        /// Ids of the entities with the most similar names.
        nearest: Vec<String>,
    },
    /// Error: the knower knows no entity with this name. The error does not reveal whether the entity exists.
    #[error("{knower} knows no entity called `{name}`{hint}", hint = known_names(nearest))]
    UnknownToKnower {
        /// Knower in whose view the name was looked up.
        knower: EntityId,
        /// Name that was given.
        name: String,
        /// Ids of the entities with the most similar names. Contains only entities that the knower knows.
        nearest: Vec<String>,
    },
    /// Error: the knower knows no fact that matches the reference. The error does not reveal whether the fact exists.
    #[error(
        "{knower} knows no fact that matches `{given}`; give the handle of the fact, the start of its id (at least four \
         digits), or two or more words of its statement"
    )]
    FactUnknownToKnower {
        /// Knower in whose view the fact was looked up.
        knower: EntityId,
        /// Reference that was given.
        given: String,
    },
    /// Error: no entity has this id.
    #[error("there is no entity `{id}`{suggestion}", suggestion = did_you_mean(nearest))]
    UnknownEntity {
        /// Id that was given.
        id: EntityId,
        /// Ids of the entities with the most similar names or ids.
        nearest: Vec<String>,
    },
    /// Error: the name can refer to several entities.
    #[error(
        "`{name}` can mean several entities; use the id of one of these entities: {ids}",
        ids = candidates.iter().map(|(id, _)| format!("`{id}`")).collect::<Vec<_>>().join(", ")
    )]
    Ambiguous {
        /// Name that was given.
        name: String,
        /// Entities that the name can refer to, with their names and kinds.
        candidates: Vec<(EntityId, String)>,
    },
    /// Error: no fact matches the given id, handle or words, or several facts match.
    #[error("{}", fact_reference(given, *count))]
    FactReference {
        /// Reference that was given.
        given: String,
        /// Number of facts that match.
        count: usize,
        /// The first few matching facts, with their statements.
        candidates: Vec<(FactId, String)>,
    },
    /// Error: no fact has this id.
    #[error("there is no fact with the id {id}; check the id", id = .0)]
    UnknownFact(FactId),
    /// Error: a knower does not know the fact whose derivation was requested.
    #[error("{knower} does not know that \u{201C}{statement}\u{201D}; `hearsay know why` explains the reasons")]
    NotKnown {
        /// Knower that does not know the fact.
        knower: EntityId,
        /// Sentence that states the fact.
        statement: String,
    },
    /// Error: no session has this id or number.
    #[error("there is no session `{given}`{hint}", hint = sessions(known))]
    NoSession {
        /// Reference that was given.
        given: String,
        /// Ids of all sessions of the campaign.
        known: Vec<SessionId>,
    },
    /// Error: the session's end in game time is unknown.
    #[error(
        "the campaign does not record the game time at which session `{session}` ended; set `end` of the session in a \
         campaign file, or give a date instead of the session",
        session = .0
    )]
    NoSessionEnd(SessionId),
    /// Error: the session's start in game time is unknown.
    #[error(
        "the campaign does not record the game time at which session `{session}` began; set `start` of the session in a \
         campaign file, or give a date instead of the session",
        session = .0
    )]
    NoSessionStart(SessionId),
    /// Error: a search in a knower's view filters by status or validity, which only the DM may see.
    #[error(
        "a search in the view of a character cannot filter by status or validity; omit these filters, or search as the DM"
    )]
    DmOnlyFilter,
    /// Error: there is no operation to undo.
    #[error(
        "there is no operation to undo{by_author}",
        by_author = author.as_ref().map_or(String::new(), |author| format!(" by {author}"))
    )]
    NothingToUndo {
        /// Author of the operations that could be undone; `None` for any author.
        author: Option<String>,
    },
    /// Error: the operation cannot be applied to the state.
    #[error(transparent)]
    Apply(Box<ApplyError>),
    /// Error: the text is not a valid id.
    #[error(transparent)]
    Id(#[from] IdError),
    /// Error: the text is not a valid predicate.
    #[error(transparent)]
    Predicate(#[from] PredicateError),
    /// Error: the date is not on the calendar.
    #[error(transparent)]
    Calendar(Box<CalendarError>),
}

fn fact_reference(given: &str, count: usize) -> String {
    match count {
        0 => format!(
            "no fact matches `{given}`; give the handle of the fact, the start of its id (at least four digits), or two or \
             more words of its statement"
        ),
        _ => {
            format!("`{given}` matches {count} facts; give the id of one of these facts, or give more digits or words")
        }
    }
}

/// Returns `; did you mean a, b?` for use in an error message. Returns an empty text if `nearest` is empty.
pub fn did_you_mean(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        names => format!("; did you mean {}?", names.join(", ")),
    }
}

/// Returns the names to try instead of a name that a knower does not know.
fn known_names(nearest: &[String]) -> String {
    match nearest {
        [] => "; give an id, a name or a part of a name that the character knows".to_owned(),
        names => did_you_mean(names),
    }
}

/// Returns the names to try instead of a name that no entity has.
fn existing_names(nearest: &[String]) -> String {
    match nearest {
        [] => "; check the spelling, or first add an entity with this name".to_owned(),
        names => did_you_mean(names),
    }
}

fn sessions(known: &[SessionId]) -> String {
    match known {
        [] => "; the campaign has no sessions".into(),
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

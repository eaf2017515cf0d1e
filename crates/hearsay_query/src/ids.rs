//! Checks that entities, facts and sessions exist.

use std::sync::Arc;

use hearsay_model::{EntityId, Fact, FactId, Session, SessionId, State};

use crate::{
    QueryError,
    resolve::{Wanted, nearest_entity_ids},
};

/// Checks that an entity exists.
///
/// # Errors
/// Returns an error if the entity does not exist. The error contains the most similar ids.
pub fn require_entity(state: &State, id: &EntityId) -> Result<(), QueryError> {
    match state.entity(id) {
        Some(_) => Ok(()),
        None => Err(QueryError::UnknownEntity {
            id: id.clone(),
            nearest: nearest_entity_ids(state, id.as_str(), Wanted::Any),
        }),
    }
}

/// Checks that all given entities exist.
///
/// # Errors
/// Returns the same error as [`require_entity`] for the first entity that does not exist.
pub fn require_entities<'a>(state: &State, ids: impl IntoIterator<Item = &'a EntityId>) -> Result<(), QueryError> {
    ids.into_iter().try_for_each(|id| require_entity(state, id))
}

/// Returns the fact with an id.
///
/// # Errors
/// Returns an error if the fact does not exist.
pub fn require_fact(state: &State, id: FactId) -> Result<&Arc<Fact>, QueryError> {
    state.fact(id).ok_or(QueryError::UnknownFact(id))
}

/// Returns the session with an id.
///
/// # Errors
/// Returns an error if the session does not exist. The error contains the ids of all sessions.
pub fn require_session<'a>(state: &'a State, id: &SessionId) -> Result<&'a Arc<Session>, QueryError> {
    let unknown = || QueryError::NoSession {
        given: id.to_string(),
        known: state.sessions().map(|session| session.id.clone()).collect(),
    };
    state.session(id).ok_or_else(unknown)
}

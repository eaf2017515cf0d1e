//! Resolves the names of entities, facts and sessions on the command line. If a name is ambiguous, asks the user which
//! entity or fact it means.

use std::sync::Arc;

use anyhow::Result;
use hearsay_engine::Memory;
use hearsay_model::{EntityId, FactId, GameTime, Object, SessionId, State};
use hearsay_query::{
    QueryError,
    as_of::AsOf,
    ids::require_fact,
    resolve::{
        Speaker, find_fact, find_session, resolve, resolve_merged, resolve_object, resolve_replacement, resolve_speaker,
    },
};

use crate::{args::PointInTime, choice::Ambiguity, output::Output};

/// Finds the ids of the names on the command line.
///
/// Drop this value before a write. While it shares the state, the memory must copy the state to change it.
pub(crate) struct Names {
    state: Arc<State>,
    /// Whether the program may ask the user.
    may_ask: bool,
}

/// An entity or a fact that the command line names.
pub(crate) enum EntityOrFact {
    Entity(EntityId),
    Fact(FactId),
}

impl Names {
    /// Reads the names of the current state.
    pub(crate) fn read(memory: &Memory, output: &Output) -> Result<Self> {
        let state = memory.read(|world| Ok(Arc::clone(&world.state)))?.wait()?;
        Ok(Self { state, may_ask: !output.is_json() })
    }

    /// Reads the names of the state at the journal position of `point_in_time`. Also returns the requested game time.
    pub(crate) fn read_at(
        memory: &Memory,
        point_in_time: &PointInTime,
        output: &Output,
    ) -> Result<(Self, Option<GameTime>)> {
        let as_of = AsOf::from(point_in_time);
        let read = memory.read_in_background(move |world| {
            let state = as_of.state(&world.state)?;
            let moment = as_of.moment(&state)?;
            Ok((state, moment))
        })?;
        let (state, moment) = read.wait()?;
        Ok((Self { state, may_ask: !output.is_json() }, moment))
    }

    /// Returns the state that contains the names.
    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// Asks the user which of the candidates of an ambiguous name is meant. Returns the index of the candidate; `None`
    /// for other errors, or if the user makes no choice.
    fn ask(&self, error: &QueryError) -> Option<usize> {
        Ambiguity::from_error(error).filter(|_| self.may_ask)?.ask()
    }

    pub(crate) fn entity(&self, name: &str) -> Result<EntityId> {
        let error = match resolve(&self.state, name) {
            Ok(id) => return Ok(id),
            Err(error) => error,
        };
        match (self.ask(&error), error) {
            (Some(chosen), QueryError::Ambiguous { mut candidates, .. }) => Ok(candidates.swap_remove(chosen).0),
            (_, error) => Err(error.into()),
        }
    }

    pub(crate) fn optional_entity(&self, name: Option<&String>) -> Result<Option<EntityId>> {
        name.map(|name| self.entity(name)).transpose()
    }

    pub(crate) fn entities(&self, names: &[String]) -> Result<Vec<EntityId>> {
        names.iter().map(|name| self.entity(name)).collect()
    }

    /// Returns the speaker. If the command line gives a secret name, the character speaks under this name.
    pub(crate) fn speaker(&self, name: &str) -> Result<Speaker> {
        match resolve_speaker(&self.state, name) {
            Ok(speaker) => Ok(speaker),
            Err(_) => Ok(self.entity(name)?.into()),
        }
    }

    pub(crate) fn optional_speaker(&self, name: Option<&String>) -> Result<Option<Speaker>> {
        name.map(|name| self.speaker(name)).transpose()
    }

    /// Returns the entity that a merge removed, or the entity that remains.
    pub(crate) fn merged_entity(&self, name: &str) -> Result<EntityId> {
        match resolve_merged(&self.state, name) {
            Ok(id) => Ok(id),
            Err(_) => self.entity(name),
        }
    }

    pub(crate) fn fact(&self, reference: &str) -> Result<FactId> {
        let error = match find_fact(&self.state, reference) {
            Ok(fact) => return Ok(fact.id()),
            Err(error) => error,
        };
        match (self.ask(&error), error) {
            (Some(chosen), QueryError::FactReference { mut candidates, .. }) => Ok(candidates.swap_remove(chosen).0),
            (_, error) => Err(error.into()),
        }
    }

    pub(crate) fn facts(&self, references: &[String]) -> Result<Vec<FactId>> {
        references.iter().map(|reference| self.fact(reference)).collect()
    }

    /// Returns the entity with this name, or else the fact. If neither is found, the error is about the entity.
    pub(crate) fn entity_or_fact(&self, reference: &str) -> Result<EntityOrFact> {
        if resolve(&self.state, reference).is_err()
            && let Ok(fact) = find_fact(&self.state, reference)
        {
            return Ok(EntityOrFact::Fact(fact.id()));
        }
        self.entity(reference).map(EntityOrFact::Entity)
    }

    /// Returns the object of a new fact with this predicate: an entity or a value.
    pub(crate) fn object(&self, predicate: &str, object: &str) -> Result<Object> {
        match resolve_object(&self.state, predicate, object) {
            Ok(object) => Ok(object),
            Err(_) => self.entity(object).map(Object::Entity),
        }
    }

    /// Returns the object that takes the place of the object of a fact: an entity or a value.
    pub(crate) fn replacement(&self, fact: FactId, object: &str) -> Result<Object> {
        match resolve_replacement(&self.state, require_fact(&self.state, fact)?, object) {
            Ok(object) => Ok(object),
            Err(_) => self.entity(object).map(Object::Entity),
        }
    }

    pub(crate) fn session(&self, reference: &str) -> Result<SessionId> {
        Ok(find_session(&self.state, reference)?.id.clone())
    }

    pub(crate) fn optional_session(&self, reference: Option<&String>) -> Result<Option<SessionId>> {
        reference.map(|reference| self.session(reference)).transpose()
    }
}

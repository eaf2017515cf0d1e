//! References to entities and facts by id, name or Bevy entity.

use bevy::prelude::*;
use hearsay_commands::game_event::Stated;
use hearsay_model::{EntityId, State};
use hearsay_query::{
    QueryError,
    resolve::{Speaker, find_fact, resolve, resolve_object, resolve_speaker},
};

use crate::{
    bridge::HearsayError,
    components::{MemoryId, PlaceId},
    schedule::{PluginName, is_installed},
};

/// A reference to an entity of the memory: a Bevy entity, an id or a name. If you give an id or a name, the entity does
/// not need to exist as a Bevy entity.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Target {
    /// A Bevy entity with a [`MemoryId`].
    Entity(Entity),
    /// The id or a name of an entity.
    Named(String),
}

impl From<Entity> for Target {
    fn from(entity: Entity) -> Self {
        Self::Entity(entity)
    }
}

impl From<&str> for Target {
    fn from(name: &str) -> Self {
        Self::Named(name.to_owned())
    }
}

impl From<String> for Target {
    fn from(name: String) -> Self {
        Self::Named(name)
    }
}

impl From<&EntityId> for Target {
    fn from(id: &EntityId) -> Self {
        Self::Named(id.to_string())
    }
}

impl From<EntityId> for Target {
    fn from(id: EntityId) -> Self {
        Self::from(&id)
    }
}

impl From<&PlaceId> for Target {
    fn from(place: &PlaceId) -> Self {
        Self::from(&place.0)
    }
}

impl From<&MemoryId> for Target {
    fn from(id: &MemoryId) -> Self {
        Self::Named(id.as_str().to_owned())
    }
}

/// A fact that a game event states: a recorded fact or a new fact.
#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// A recorded fact, given by id, by the beginning of its id, or by its handle in the campaign.
    Fact(String),
    /// A sentence about an entity. The sentence becomes a new fact, and the acting character is its only source. To
    /// pass on a recorded fact, use [`Fact`](Self::Fact).
    Lore {
        /// The entity that the sentence is about.
        about: Target,
        /// Text of the sentence.
        text: String,
    },
    /// A new fact that states a relation or an attribute.
    Parts {
        /// The subject of the fact.
        subject: Target,
        /// The predicate: a relation, such as `OWES` or `owes`, or an attribute, such as `occupation`.
        predicate: String,
        /// The related entity, or the value of the attribute.
        object: Target,
    },
}

impl Statement {
    /// Creates a reference to a recorded fact from its id, the beginning of its id, or its handle.
    pub fn fact(fact: impl ToString) -> Self {
        Self::Fact(fact.to_string())
    }

    /// Creates a statement from a sentence about an entity.
    pub fn lore(about: impl Into<Target>, text: impl Into<String>) -> Self {
        Self::Lore { about: about.into(), text: text.into() }
    }

    /// Creates a statement of a relation to another entity, or of an attribute.
    pub fn parts(subject: impl Into<Target>, predicate: impl Into<String>, object: impl Into<Target>) -> Self {
        Self::Parts { subject: subject.into(), predicate: predicate.into(), object: object.into() }
    }
}

/// Reason why a Bevy entity cannot be replaced with an id.
pub(crate) enum Unresolved {
    /// The entity has no id yet.
    NotYet,
    /// The entity will never get an id.
    Never(HearsayError),
}

/// Returns the id by which the memory knows a Bevy entity.
pub(crate) fn resolve_entity(world: &World, entity: Entity) -> Result<&EntityId, Unresolved> {
    let id = world.get::<MemoryId>(entity).ok_or(Unresolved::Never(HearsayError::UnknownEntity(entity)))?;
    id.get().ok_or_else(|| match is_installed(world, PluginName::Sync) {
        true => Unresolved::NotYet,
        // Without `SyncPlugin`, an entity without an id never gets an id.
        false => Unresolved::Never(HearsayError::PluginMissing(PluginName::Sync)),
    })
}

/// Returns the id or name by which the memory knows a target.
pub(super) fn resolve_name(world: &World, target: &Target) -> Result<String, Unresolved> {
    match target {
        Target::Named(name) => Ok(name.clone()),
        Target::Entity(entity) => resolve_entity(world, *entity).map(EntityId::to_string),
    }
}

/// Replaces a Bevy entity with the id by which the memory knows it.
pub(super) fn name_target(world: &World, target: &Target) -> Result<Target, Unresolved> {
    resolve_name(world, target).map(Target::Named)
}

/// Replaces the Bevy entities in a list of targets with their ids.
pub(super) fn name_targets(world: &World, targets: &[Target]) -> Result<Vec<Target>, Unresolved> {
    targets.iter().map(|target| name_target(world, target)).collect()
}

/// Replaces the Bevy entities in a statement with their ids.
pub(super) fn name_statement(world: &World, statement: &Statement) -> Result<Statement, Unresolved> {
    Ok(match statement {
        Statement::Fact(fact) => Statement::Fact(fact.clone()),
        Statement::Lore { about, text } => Statement::Lore { about: name_target(world, about)?, text: text.clone() },
        Statement::Parts { subject, predicate, object } => Statement::Parts {
            subject: name_target(world, subject)?,
            predicate: predicate.clone(),
            object: name_target(world, object)?,
        },
    })
}

/// Replaces the Bevy entities in several statements with their ids.
pub(super) fn name_statements(world: &World, statements: &[Statement]) -> Result<Vec<Statement>, Unresolved> {
    statements.iter().map(|statement| name_statement(world, statement)).collect()
}

/// Returns the id or name of a target. Returns an error if the target is still a Bevy entity.
fn name_of(target: &Target) -> Result<&str, QueryError> {
    match target {
        Target::Named(name) => Ok(name),
        Target::Entity(entity) => Err(QueryError::Unknown { name: entity.to_string(), nearest: Vec::new() }),
    }
}

/// Finds the entity that a target names in the memory.
pub(super) fn find_target(state: &State, target: &Target) -> Result<EntityId, QueryError> {
    resolve(state, name_of(target)?)
}

/// Finds the entities that several targets name in the memory.
pub(super) fn find_targets(state: &State, targets: &[Target]) -> Result<Vec<EntityId>, QueryError> {
    targets.iter().map(|target| find_target(state, target)).collect()
}

/// Finds the character that a target names in the memory, as a speaker.
pub(super) fn find_speaker(state: &State, target: &Target) -> Result<Speaker, QueryError> {
    resolve_speaker(state, name_of(target)?)
}

/// Converts a statement to the engine's type.
pub(super) fn convert_statement(state: &State, statement: &Statement) -> Result<Stated, QueryError> {
    Ok(match statement {
        Statement::Fact(fact) => Stated::Recorded(find_fact(state, fact)?.id()),
        Statement::Lore { about, text } => Stated::Lore { about: find_target(state, about)?, text: text.clone() },
        Statement::Parts { subject, predicate, object } => Stated::Parts {
            subject: find_target(state, subject)?,
            predicate: predicate.clone(),
            object: resolve_object(state, predicate, name_of(object)?)?,
            statement: None,
        },
    })
}

/// Converts several statements to the engine's type.
pub(super) fn convert_statements(state: &State, statements: &[Statement]) -> Result<Vec<Stated>, QueryError> {
    statements.iter().map(|statement| convert_statement(state, statement)).collect()
}

//! Errors of requests to the memory.

use std::sync::Arc;

use bevy::prelude::*;
use hearsay_engine::MemoryError;
use hearsay_model::EntityId;
use hearsay_speech::SpeechError;
use thiserror::Error;

use crate::schedule::PluginName;

/// Error of a request that the game sent to the memory. The text says what went wrong and what to do.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum HearsayError {
    /// Error: the app does not have a plugin that the request needs. The request has no effect.
    #[error(
        "the request has no effect, because the app does not have the plugin `{plugin}`; add this plugin to the app",
        plugin = .0
    )]
    PluginMissing(PluginName),
    /// Error: the memory is not open, because the plugin could not open the memory, or because the memory was closed.
    #[error(
        "the memory is not open; open a save, or, if opening failed, see the resource `MemoryFailure` for the reason"
    )]
    NotOpen,
    /// Error: the entity has no [`MemoryId`](crate::MemoryId), or was despawned.
    #[error(
        "the memory does not contain the entity {entity}, because the entity was despawned or has no `MemoryId` \
         component; add this component",
        entity = .0
    )]
    UnknownEntity(Entity),
    /// Error: another Bevy entity already has the same id, so the entity is not bound.
    #[error("{entity} is not bound to the memory, because {other} already has the id `{id}`; choose another id")]
    DuplicateId {
        /// The entity that is not bound.
        entity: Entity,
        /// The id of both entities.
        id: EntityId,
        /// The entity that is bound to this id.
        other: Entity,
    },
    /// Error: the text cannot be converted to an id.
    #[error("`{text}` is not a valid id or name; use at least one letter or digit", text = .0)]
    InvalidId(String),
    /// Error: the name of an attribute is not valid.
    #[error("`{name}` is not a valid attribute name; use lowercase words joined by `_`", name = .0)]
    InvalidAttribute(String),
    /// Error: the name of a relation is not valid.
    #[error("`{name}` is not a valid relation name; use uppercase words joined by `_`", name = .0)]
    InvalidRelation(String),
    /// Error: too many game events wait for the memory. The request is dropped.
    #[error(
        "the plugin dropped this request, because {capacity} game events already wait for the memory; to allow more \
         waiting game events, raise `GameEventSettings::queue_capacity`"
    )]
    QueueFull {
        /// Maximum number of waiting game events.
        capacity: usize,
    },
    /// Error: a character was interrupted before it had said a word.
    #[error("the character was interrupted before it said a word; ask again to get a reply")]
    Interrupted,
    /// Error: a slot was loaded before the question was answered or the game event was recorded.
    #[error(
        "the plugin dropped this request, because the game loaded a slot before the request was completed; repeat the request"
    )]
    SlotLoaded,
    /// Error: the memory was closed before it had committed all changes and game events of the game.
    #[error(
        "the memory closed before it committed {count} changes and game events; to allow more time for closing, raise \
         `MemorySettings::exit_timeout`",
        count = .0
    )]
    NotCommitted(usize),
    /// Error: the memory refused a change of an entity. The other changes of the same batch are recorded.
    #[error("the memory refused a change of {entity}: {reason}")]
    ChangeRefused {
        /// The changed entity.
        entity: EntityId,
        /// Reason why the change is not recorded, for display.
        reason: String,
    },
    /// Error: the memory was reloaded from the database, because its state might differ from the journal. The text is
    /// the reason.
    #[error("an error occurred, so the plugin reloaded the memory from the database: {reason}", reason = .0)]
    Reloaded(String),
    /// Error: a background task or the storage failed. The value is the reason for the failure. After a failure of the
    /// storage, nothing is saved until the memory is opened again.
    #[error("{0}")]
    Failed(String),
    /// Error: the reply of a character could not be made.
    #[error(transparent)]
    Speech(#[from] SpeechError),
    /// Error: the memory refused the request.
    #[error(transparent)]
    Memory(Arc<MemoryError>),
}

impl From<MemoryError> for HearsayError {
    fn from(error: MemoryError) -> Self {
        Self::Memory(Arc::new(error))
    }
}

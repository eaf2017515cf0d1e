//! Messages to the game.

use bevy::prelude::*;
use hearsay_model::{EntityId, FactId, Position};

/// Message: an error that the game can show or log. Acknowledged operations are never lost.
#[derive(Message, Debug, Clone, PartialEq, Eq)]
pub struct MemoryErrorMessage {
    /// The error, for display. The text says what went wrong and what to do.
    pub text: String,
    /// The entity that the error is about, if any.
    pub entity: Option<Entity>,
}

/// Message: an operation was committed. The operation comes from this game, the DM or an import, or it loads a slot.
#[derive(Message, Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryChanged {
    /// Position of the operation in the journal.
    pub position: Position,
}

/// Message: the condition of a secret's reveal is now met, so the holder may tell the secret.
#[derive(Message, Debug, Clone, PartialEq, Eq)]
pub struct SecretRevealable {
    /// Id of the reveal in the campaign.
    pub reveal: String,
    /// The secret.
    pub fact: FactId,
    /// The character that may tell the secret.
    pub holder: EntityId,
}

//! Messages to the game.

use bevy::prelude::*;
use hearsay_model::{EntityId, FactId, Position};

/// Message: an error that the game can show or log. An error never causes the loss of an operation that the memory has
/// acknowledged.
#[derive(Message, Debug, Clone, PartialEq, Eq)]
pub struct MemoryErrorMessage {
    /// The error, for display. The text says what went wrong and what to do.
    pub text: String,
    /// The entity that the error is about, if any.
    pub entity: Option<Entity>,
}

/// Message: a change of the memory was committed, for example by this game, by the DM, by an import, or because a slot
/// was loaded.
#[derive(Message, Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryChanged {
    /// Position of the newest operation in the journal.
    pub position: Position,
}

/// Message: the condition of a reveal is now met, so the holder may tell the secret.
#[derive(Message, Debug, Clone, PartialEq, Eq)]
pub struct SecretRevealable {
    /// Id of the reveal in the campaign.
    pub reveal: String,
    /// Id of the secret fact.
    pub fact: FactId,
    /// The character that may tell the secret.
    pub holder: EntityId,
}

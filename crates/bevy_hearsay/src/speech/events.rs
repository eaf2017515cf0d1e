//! Events of replies.

use std::sync::Arc;

use bevy::prelude::*;
use hearsay_speech::CharacterReply;

use crate::questions::AskedOf;

/// Triggered on the entity of a conversation turn when new words of the reply passed the check. The event propagates to
/// the character that speaks.
#[derive(EntityEvent, Debug, Clone)]
#[entity_event(propagate = &'static AskedOf, auto_propagate)]
pub struct ReplyChunk {
    /// The Bevy entity of the turn, or of the character after the propagation.
    #[event_target]
    pub entity: Entity,
    /// The new words. The words of all chunks together are the words of the reply.
    pub words: String,
}

/// Triggered on the entity of a conversation turn when the reply is complete. The event propagates to the character that
/// speaks. The plugin records what was said to the character and the reply.
#[derive(EntityEvent, Debug, Clone)]
#[entity_event(propagate = &'static AskedOf, auto_propagate)]
pub struct ReplySpoken {
    /// The Bevy entity of the turn, or of the character after the propagation.
    #[event_target]
    pub entity: Entity,
    /// The reply, with the facts that it states and the drafts that were not said.
    pub reply: Arc<CharacterReply>,
}

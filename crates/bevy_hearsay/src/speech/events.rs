//! Events of replies.

use std::sync::Arc;

use bevy::prelude::*;
use hearsay_speech::CharacterReply;

use crate::questions::AskedOf;

/// Triggered on the entity of a conversation turn when the character says the next words of the reply. These words
/// passed the check. The event propagates to the character that speaks.
#[derive(EntityEvent, Debug, Clone)]
#[entity_event(propagate = &'static AskedOf, auto_propagate)]
pub struct ReplyChunk {
    /// The Bevy entity of the turn, or of the character after the propagation.
    #[event_target]
    pub entity: Entity,
    /// The new words. The words of all chunks together are the words of the reply.
    pub words: String,
}

/// Triggered on the entity of a conversation turn when the reply is complete. The event propagates to the character
/// that speaks. The plugin also records the listener's words and the reply as game events.
#[derive(EntityEvent, Debug, Clone)]
#[entity_event(propagate = &'static AskedOf, auto_propagate)]
pub struct ReplySpoken {
    /// The Bevy entity of the turn, or of the character after the propagation.
    #[event_target]
    pub entity: Entity,
    /// The reply, the facts that the reply states, and the drafts that the character did not say.
    pub reply: Arc<CharacterReply>,
}

//! The earlier lines of a conversation.

use std::collections::VecDeque;

use bevy::{platform::collections::HashMap, prelude::*};
use hearsay_speech::ConversationLine;

/// Maximum number of lines that are kept for one conversation.
const MAX_LINES: usize = 8;

/// The last lines of a character's conversations since the program started, for each listener.
#[derive(Component, Default)]
pub(super) struct EarlierLines(HashMap<Entity, VecDeque<ConversationLine>>);

impl EarlierLines {
    /// Returns the lines of a conversation, oldest first.
    pub(super) fn with(world: &World, character: Entity, listener: Entity) -> Vec<ConversationLine> {
        let lines = world.get::<Self>(character).and_then(|earlier| earlier.0.get(&listener));
        lines.into_iter().flatten().cloned().collect()
    }

    /// Adds the words of the listener and the reply of the character.
    pub(super) fn add(world: &mut World, character: Entity, listener: Entity, words: &str, reply: &str) {
        let Ok(mut character) = world.get_entity_mut(character) else { return };
        let mut earlier = character.take::<Self>().unwrap_or_default();
        let lines = earlier.0.entry(listener).or_default();
        lines.push_back(ConversationLine { is_own: false, text: words.to_owned() });
        lines.push_back(ConversationLine { is_own: true, text: reply.to_owned() });
        while lines.len() > MAX_LINES {
            lines.pop_front();
        }
        character.insert(earlier);
    }
}

/// Forgets all conversations, because a slot was loaded: they belong to the state before loading.
pub(crate) fn forget_conversations(world: &mut World) {
    let mut characters = world.query_filtered::<Entity, With<EarlierLines>>();
    for character in characters.iter(world).collect::<Vec<_>>() {
        world.entity_mut(character).remove::<EarlierLines>();
    }
}

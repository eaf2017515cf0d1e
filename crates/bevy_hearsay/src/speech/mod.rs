//! Conversations: a character replies to the words of another character.

mod commands;
mod earlier_lines;
mod events;
mod npc_speech;
mod turn;

use bevy::prelude::*;

use crate::{
    bridge::{CloseAppExt, CloseSteps},
    schedule::{PluginName, record_plugin},
};

pub(crate) use earlier_lines::forget_conversations;

pub use commands::{Conversation, ConversationCommands, TurnCommands};
pub use events::{ReplyChunk, ReplySpoken};
pub use npc_speech::NpcSpeech;
pub use turn::ConversationTurn;

/// Plugin that lets characters answer in conversations. The settings in the section `[speech]` of `hearsay.toml` name
/// the language model. Without a language model, templates write the replies. To use your own language model, insert
/// the resource [`NpcSpeech`].
#[derive(Debug, Clone, Copy, Default)]
pub struct SpeechPlugin;

impl Plugin for SpeechPlugin {
    fn build(&self, app: &mut App) {
        record_plugin(app, PluginName::Speech);
        app.init_resource::<NpcSpeech>()
            .register_type::<ConversationTurn>()
            .add_close_steps(CloseSteps { reset: npc_speech::reset, ..CloseSteps::default() });
    }
}

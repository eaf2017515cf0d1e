//! The text box: the player says something in the player's own words, and the nearest character answers.
//!
//! Without a language model, templates answer with one fact. `--model FILE` uses a language model from a GGUF file.

use std::path::PathBuf;

use bevy::{
    input::{
        ButtonState,
        keyboard::{Key, KeyboardInput},
    },
    prelude::*,
};
use bevy_hearsay::{
    NpcSpeech,
    character_speech::{Speech as SpeechEngine, SpeechError},
    engine::SpeechSettings,
    prelude::*,
};
use hearsay_examples::option;

use crate::{
    room::{NearestCharacter, Player},
    talk::{Notice, Speech, show_speech},
};

/// Maximum length of the player's words, in characters.
const MAX_CHARS: usize = 120;

/// The words that the player is typing; `None` while the text box is closed.
#[derive(Resource, Default)]
pub(crate) struct TextBox(pub(crate) Option<String>);

/// Run condition: the player is not typing, so that letters are no commands.
pub(crate) fn not_typing(text_box: Res<TextBox>) -> bool {
    text_box.0.is_none()
}

/// Returns the language model of `--model FILE`; `None` without this option.
pub(crate) fn language_model() -> Result<Option<NpcSpeech>, SpeechError> {
    let Some(file) = option("--model").map(PathBuf::from) else { return Ok(None) };
    let settings = SpeechSettings { model: Some(file), ..SpeechSettings::default() };
    Ok(Some(NpcSpeech::new(SpeechEngine::from_settings(&settings, None)?)))
}

pub(crate) fn plugin(app: &mut App) {
    app.init_resource::<TextBox>()
        .add_systems(Update, handle_typing.run_if(memory_ready))
        .add_observer(show_chunk)
        .add_observer(show_reply)
        .add_observer(show_failure);
}

fn handle_typing(
    mut keys: MessageReader<KeyboardInput>,
    mut text_box: ResMut<TextBox>,
    nearest: Res<NearestCharacter>,
    player: Query<Entity, With<Player>>,
    mut commands: Commands,
) {
    let (Some(other), Ok(player)) = (nearest.0, player.single()) else {
        keys.clear();
        if text_box.0.is_some() {
            text_box.0 = None;
        }
        return;
    };
    for key in keys.read().filter(|key| key.state == ButtonState::Pressed) {
        match (&mut text_box.bypass_change_detection().0, &key.logical_key) {
            (None, Key::Enter) => text_box.0 = Some(String::new()),
            (None, _) => {}
            (Some(_), Key::Escape) => text_box.0 = None,
            (Some(text), Key::Enter) => {
                let words = text.trim().to_owned();
                text_box.0 = None;
                if !words.is_empty() {
                    show_speech(&mut commands, player, words.as_str());
                    commands.entity(other).insert(Speech::waiting());
                    commands.entity(other).converse_with(player).say(words);
                }
            }
            (Some(text), Key::Backspace) => {
                text.pop();
                text_box.set_changed();
            }
            (Some(text), Key::Character(typed)) if text.chars().count() < MAX_CHARS => {
                text.push_str(typed);
                text_box.set_changed();
            }
            (Some(text), Key::Space) if text.chars().count() < MAX_CHARS => {
                text.push(' ');
                text_box.set_changed();
            }
            (Some(_), _) => {}
        }
    }
}

/// Shows the words as they come.
fn show_chunk(chunk: On<ReplyChunk>, mut speakers: Query<&mut Speech>, turns: Query<(), With<ConversationTurn>>) {
    // The event comes to the turn first, and then to the character.
    if turns.get(chunk.entity).is_err()
        && let Ok(mut speech) = speakers.get_mut(chunk.entity)
    {
        speech.add(&chunk.words);
    }
}

/// Shows the whole reply, for as long as it takes to read it.
fn show_reply(spoken: On<ReplySpoken>, turns: Query<(), With<ConversationTurn>>, mut commands: Commands) {
    if turns.get(spoken.entity).is_err() {
        show_speech(&mut commands, spoken.entity, spoken.reply.text());
    }
}

fn show_failure(
    failed: On<Unanswered>,
    turns: Query<&AskedOf, With<ConversationTurn>>,
    mut notice: ResMut<Notice>,
    mut commands: Commands,
) {
    if let Ok(asked_of) = turns.get(failed.entity) {
        commands.entity(asked_of.0).remove::<Speech>();
        notice.0 = failed.error.to_string();
    }
}

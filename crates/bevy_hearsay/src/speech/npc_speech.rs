//! The language model that speaks for the characters of the game.

use std::sync::OnceLock;

use bevy::prelude::*;
use hearsay_engine::Memory;
use hearsay_speech::{Speech, SpeechStatus};

use crate::bridge::{CountFn, HearsayError};

/// The language model that speaks for all characters. When a character answers for the first time, the plugin starts
/// the language model that the settings name. To use another language model, or to load a language model earlier,
/// insert this resource.
#[derive(Resource, Debug, Default)]
pub struct NpcSpeech {
    speech: OnceLock<Result<Speech, HearsayError>>,
    /// Whether the game provided the language model, so that it stays when the memory closes.
    is_own: bool,
}

impl NpcSpeech {
    /// Creates the resource from a [`Speech`] value that the game started.
    pub fn new(speech: Speech) -> Self {
        Self { speech: OnceLock::from(Ok(speech)), is_own: true }
    }

    /// Returns the state of the language model, or `None` if no character has answered yet or if the settings are
    /// invalid.
    pub fn status(&self) -> Option<SpeechStatus> {
        self.speech.get()?.as_ref().ok().map(Speech::status)
    }

    /// Returns the speech. Starts the language model of the settings at the first call.
    pub(super) fn get(&self, memory: &Memory) -> Result<&Speech, HearsayError> {
        let start = || Speech::from_settings(&memory.settings().speech, None).map_err(HearsayError::from);
        self.speech.get_or_init(start).as_ref().map_err(Clone::clone)
    }
}

/// Removes the language model of the settings when the memory closes. The next save can have other settings.
pub(super) fn reset(world: &mut World) -> CountFn {
    let mut speech = world.resource_mut::<NpcSpeech>();
    if !speech.is_own {
        *speech = NpcSpeech::default();
    }
    Box::new(|| 0)
}

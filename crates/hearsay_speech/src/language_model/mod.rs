//! Language models, which write the next message of a chat.

#[cfg(feature = "local")]
mod local;
#[cfg(feature = "server")]
mod remote;
mod scripted;
mod stop;

use std::{ops::ControlFlow, time::Duration};

#[cfg(feature = "local")]
pub use local::{LocalModel, LocalModelOptions};
#[cfg(feature = "server")]
pub use remote::RemoteModel;
pub use scripted::ScriptedModel;
pub(crate) use stop::StopFilter;

use hearsay_engine::SpeechSettings;

use crate::SpeechError;

/// Sender of a message in a chat prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatRole {
    /// The person or character that talks to the speaking character.
    User,
    /// The language model, which plays the character.
    Assistant,
}

/// Message in a chat prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatMessage {
    /// Sender of the message.
    pub role: ChatRole,
    /// Text of the message.
    pub text: String,
}

/// A chat prompt, which a language model continues with the next message of the assistant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChatPrompt {
    /// Instructions for the language model, and the knowledge of the character.
    pub system: String,
    /// Number of bytes at the start of `system` that later prompts for the same character will probably repeat. A
    /// language model can cache its state after these bytes. The number must be at a character boundary of the text.
    pub stable_bytes: usize,
    /// Messages, oldest first. The last message is from the user.
    pub messages: Vec<ChatMessage>,
}

/// Limits of one text that a language model writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GenerationLimits {
    /// Maximum number of tokens of the text.
    pub max_tokens: usize,
    /// Maximum time for reading the prompt and for writing the text.
    pub max_time: Duration,
    /// Stop strings: the text ends before the first of these strings.
    pub stop: Vec<String>,
}

impl GenerationLimits {
    /// Creates limits from the settings of a campaign. With these limits, a text ends at an empty line.
    pub fn from_settings(settings: &SpeechSettings) -> Self {
        let max_time = Duration::from_millis(settings.timeout_ms);
        Self { max_tokens: settings.max_tokens, max_time, stop: vec!["\n\n".to_owned()] }
    }
}

/// Reason why a text ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The language model ended its message, or wrote a stop string.
    #[default]
    Finished,
    /// The text reached the maximum number of tokens.
    MaxTokens,
    /// The maximum time was reached.
    TimeOver,
    /// The caller stopped the language model.
    Stopped,
}

/// Number of tokens and duration of one text that a language model wrote.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct GenerationStats {
    /// Number of tokens of the prompt.
    pub prompt_tokens: usize,
    /// Number of tokens at the start of the prompt that the language model did not read again, because its cache
    /// contained the state after these tokens.
    pub cached_tokens: usize,
    /// Number of tokens of the text.
    pub generated_tokens: usize,
    /// Time from the start until the first token of the text.
    pub first_token: Duration,
    /// Time from the start until the end of the text.
    pub total: Duration,
    /// Reason why the text ended.
    pub end: EndReason,
}

/// A language model. Implement this trait to use your own language model.
pub trait LanguageModel: Send {
    /// Returns the name of the language model for display.
    fn name(&self) -> &str;

    /// Writes the next message of the assistant. Calls `emit` with each new part of the text, and ends when `emit`
    /// returns [`ControlFlow::Break`]. Some parts can be empty: a call with an empty part only asks whether the
    /// language model should continue.
    ///
    /// # Errors
    /// Returns an error if the prompt is too long for the language model, or if the language model fails.
    fn generate(
        &mut self,
        prompt: &ChatPrompt,
        limits: &GenerationLimits,
        emit: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<GenerationStats, SpeechError>;
}

//! Language models: they continue a chat prompt with a text.

#[cfg(feature = "local")]
mod local;
mod scripted;
mod stop;

use std::{ops::ControlFlow, time::Duration};

#[cfg(feature = "local")]
pub use local::{LocalModel, LocalModelOptions};
pub use scripted::ScriptedModel;
pub(crate) use stop::StopFilter;

use hearsay_engine::SpeechSettings;

use crate::SpeechError;

/// Sender of a message in a chat prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatRole {
    /// The person who talks to the character.
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
    /// Instructions and knowledge of the character.
    pub system: String,
    /// Number of bytes at the start of `system` that later prompts for the same character will probably repeat. A
    /// language model can keep its state after these bytes. Must be at a character boundary.
    pub stable_bytes: usize,
    /// Messages, oldest first. The last message is from the user.
    pub messages: Vec<ChatMessage>,
}

/// Limits of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GenerationLimits {
    /// Maximum number of tokens of the text.
    pub max_tokens: usize,
    /// Maximum time for reading the prompt and for writing the text.
    pub max_time: Duration,
    /// Strings at which the text ends. The text does not contain them.
    pub stop: Vec<String>,
}

impl GenerationLimits {
    /// Returns the limits in the settings of a campaign. A text ends at an empty line.
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
    /// The time was over.
    TimeOver,
    /// The receiver of the text stopped the language model.
    Stopped,
}

/// Counts and times of one text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct GenerationStats {
    /// Number of tokens of the prompt.
    pub prompt_tokens: usize,
    /// Number of tokens at the start of the prompt that the language model had read before.
    pub cached_tokens: usize,
    /// Number of tokens of the text.
    pub generated_tokens: usize,
    /// Time until the first token.
    pub first_token: Duration,
    /// Time until the end of the text.
    pub total: Duration,
    /// Reason why the text ended.
    pub end: EndReason,
}

/// A language model. Implement this trait to use a language model of your own, such as a server.
pub trait LanguageModel: Send {
    /// Returns the name of the language model for display.
    fn name(&self) -> &str;

    /// Writes the next message of the assistant. Calls `emit` with each new part of the text, and ends when `emit`
    /// returns [`ControlFlow::Break`]. The first call may come with an empty part: it says that the model works, and
    /// asks whether to go on.
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

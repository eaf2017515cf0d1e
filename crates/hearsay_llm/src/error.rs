//! Errors of calls to a language model.

use hearsay_model::text::shorten;
use thiserror::Error;

/// Error of a call to a language model. No message contains the key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LlmError {
    /// A setting, the key or an argument is invalid. The message names the problem.
    #[error("the settings of the language model are invalid: {problem}", problem = .0)]
    Settings(String),
    /// The server could not be reached or did not answer in time, even after all tries. A later call may succeed.
    #[error("the language model server {base_url} gave no answer after {tries} tries: {reason}")]
    Unreachable {
        /// Address of the server.
        base_url: String,
        /// Number of tries.
        tries: u32,
        /// Error of the last try.
        reason: String,
    },
    /// The server rejected the key, the name of the model or the request. The same call would fail again.
    #[error("the language model server {base_url} rejected the request: {reason}")]
    Refused {
        /// Address of the server.
        base_url: String,
        /// Error message of the server.
        reason: String,
    },
    /// The model's answer could not be used. In an extraction, the program described the problem to the model, and the
    /// second answer could not be used either.
    #[error(
        "the answer of the language model {model} cannot be used: {reason}; the answer begins with `{answer_start}`"
    )]
    Unusable {
        /// Name of the model.
        model: String,
        /// Problem with the answer.
        reason: String,
        /// Beginning of the answer, at most 160 characters.
        answer_start: String,
    },
    /// A token budget has too few tokens left for the next call.
    #[error(
        "the budget of {limit} tokens {scope} is too small for the next request ({used} tokens are used, and the request \
         needs up to {needed} tokens); raise the setting `{setting}`"
    )]
    Budget {
        /// Scope of the budget: one text or recap, or all texts and recaps.
        scope: &'static str,
        /// Setting that contains the limit of the budget.
        setting: &'static str,
        /// Limit of the budget, in tokens.
        limit: u64,
        /// Number of tokens that are used or reserved.
        used: u64,
        /// Maximum number of tokens that the next call may need.
        needed: u64,
    },
    /// The text is longer than the maximum for one call.
    #[error(
        "the text has {char_count} characters, but one request can contain at most {max_chars}; shorten the text, or \
         raise the setting `{setting}`"
    )]
    TooLong {
        /// Length of the text, in characters.
        char_count: usize,
        /// Maximum length, in characters.
        max_chars: usize,
        /// Setting that contains the maximum length.
        setting: &'static str,
    },
    /// The call was cancelled.
    #[error("the request to the language model was cancelled; repeat the request if you still need its result")]
    Cancelled,
    /// Reading the model's answer failed because of an error in this program.
    #[error(
        "Hearsay could not read the answer of the language model, because of a bug in Hearsay; please report this bug"
    )]
    ReadingPanicked,
    /// The HTTP client or the tokio runtime could not be created.
    #[error("Hearsay could not create the HTTP client for the language model: {reason}", reason = .0)]
    Client(String),
}

impl LlmError {
    /// Returns whether the same call may succeed later.
    pub fn is_temporary(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Cancelled)
    }
}

/// Returns the message of an error with the messages of its causes. The message `error sending request` alone does not
/// say, for example, that no server listens at the address.
pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let cause_message = error.to_string();
        if !text.contains(&cause_message) {
            text = format!("{text}: {cause_message}");
        }
        cause = error.source();
    }
    text
}

/// Returns the first 160 characters of a text without control characters, for use in an error message.
pub(crate) fn excerpt(text: &str) -> String {
    const MAX_CHARS: usize = 160;
    let printable: String = text.chars().filter(|c| !c.is_control()).take(MAX_CHARS + 1).collect();
    shorten(&printable, MAX_CHARS).into_owned()
}

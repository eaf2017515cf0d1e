//! What can go wrong.

use thiserror::Error;

/// Why a language model gave nothing. No text of an error has the key in it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LlmError {
    /// A setting cannot be.
    #[error("settings of the language model: {0}")]
    Settings(String),
    /// The server is not there, or does not answer in time, after all tries. It may be there later.
    #[error("no answer from {base_url} after {tries} tries: {why}")]
    Unreachable {
        /// Where it was looked for.
        base_url: String,
        /// How often.
        tries: u32,
        /// What the last try met.
        why: String,
    },
    /// The server refuses: the key, the model's name, or the request. Trying again does not help.
    #[error("{base_url} refuses: {why}")]
    Refused {
        /// Who refuses.
        base_url: String,
        /// In its words.
        why: String,
    },
    /// The model's answer cannot be used, not even after it was told why.
    #[error("the answer of {model} cannot be used: {why}; it begins `{began}`")]
    Unusable {
        /// Which model.
        model: String,
        /// What is wrong with it.
        why: String,
        /// What came.
        began: String,
    },
    /// A budget is used up.
    #[error(
        "the budget of {limit} tokens {what} is used up ({used} used, {needed} needed for the next call); {setting} raises it"
    )]
    Budget {
        /// Which one.
        what: &'static str,
        /// The setting.
        setting: &'static str,
        /// How many there are.
        limit: u64,
        /// How many are gone.
        used: u64,
        /// How many the next call may need.
        needed: u64,
    },
    /// There is more than one call takes.
    #[error("{given} characters are more than the {most} that one call takes ({setting}): shorten them first")]
    TooLong {
        /// How many there are.
        given: usize,
        /// How many there may be.
        most: usize,
        /// The setting.
        setting: &'static str,
    },
    /// Somebody stopped it.
    #[error("it was stopped")]
    Cancelled,
    /// The program's own surroundings failed: no runtime, no TLS.
    #[error("the client cannot run: {0}")]
    Client(String),
}

impl LlmError {
    /// Whether the same call may succeed later.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Cancelled)
    }
}

/// An error with what is behind it: `error sending request` alone tells nobody that nothing listens there.
pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}

/// The beginning of a text, for an error: without control characters.
pub(crate) fn beginning(text: &str) -> String {
    const MOST: usize = 160;
    let mut short: String = text.chars().filter(|c| !c.is_control()).take(MOST).collect();
    if text.chars().nth(MOST).is_some() {
        short.push('\u{2026}');
    }
    short
}

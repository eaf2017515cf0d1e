//! Messages of chats, and the reasoning that some models write before a message.

use std::time::Duration;

/// Message of a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatLine {
    /// Whether the model wrote the message. If `false`, the user wrote it.
    pub from_model: bool,
    /// Text of the message.
    pub text: String,
}

/// Request for the next message of a chat.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatRequest {
    /// Instructions for the model.
    pub system: String,
    /// Messages, oldest first. The last message is from the user.
    pub lines: Vec<ChatLine>,
    /// Maximum number of tokens of the new message.
    pub max_tokens: u32,
    /// Maximum time for the new message, including repeated requests.
    pub max_time: Duration,
    /// Sampling temperature, from 0 to 2. If the server rejects sampling options, requests omit them.
    pub temperature: f64,
    /// Limit for nucleus sampling, above 0 to 1.
    pub top_p: f64,
    /// Seed of the random numbers.
    pub seed: u64,
}

impl ChatRequest {
    pub(crate) fn bytes(&self) -> u64 {
        (self.system.len() + self.lines.iter().map(|line| line.text.len()).sum::<usize>()) as u64
    }
}

/// Reason why a message ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ChatEnd {
    /// The model ended the message.
    #[default]
    Finished,
    /// The message reached the maximum number of tokens.
    MaxTokens,
    /// The maximum time was reached.
    TimeOver,
    /// The caller stopped the model.
    Stopped,
}

/// Numbers of tokens and duration of a message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChatStats {
    /// Number of tokens of the request, as counted by the server; otherwise an estimate.
    pub prompt_tokens: u64,
    /// Number of tokens of the message, as counted by the server; otherwise an estimate.
    pub generated_tokens: u64,
    /// Time from the request until the first part of the text; 0 if there is no text.
    pub first_token: Duration,
    /// Reason why the message ended.
    pub end: ChatEnd,
}

/// Removes the reasoning at the start of a message, and control characters, because the text may be printed to a
/// terminal.
#[derive(Debug, Default)]
pub(crate) struct ReasoningFilter {
    /// Start of the message, which may be the start of reasoning.
    held_back: String,
    has_begun: bool,
}

impl ReasoningFilter {
    const START: &str = "<think>";
    const END: &str = "</think>";

    /// Adds a part of the message. Returns the text that can be passed on.
    pub(crate) fn push(&mut self, part: &str) -> String {
        let part = part.chars().filter(|c| !c.is_control() || *c == '\n');
        if self.has_begun {
            return part.collect();
        }
        self.held_back.extend(part);
        let start = self.held_back.trim_start();
        let text = match start.strip_prefix(Self::START) {
            Some(reasoning) => reasoning.split_once(Self::END).map(|(_, text)| text.trim_start()),
            None => (!Self::START.starts_with(start)).then_some(start),
        };
        let Some(text) = text.filter(|text| !text.is_empty()) else { return String::new() };
        self.has_begun = true;
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_is_no_part_of_the_message() {
        let filtered = |parts: &[&str]| {
            let mut filter = ReasoningFilter::default();
            parts.iter().map(|part| filter.push(part)).collect::<String>()
        };
        assert_eq!(filtered(&["I know ", "nothing."]), "I know nothing.");
        assert_eq!(filtered(&["<th", "ink>They ask.", "</thi", "nk>\n\n", "No. <think>"]), "No. <think>");
        assert_eq!(filtered(&["<", "3 to you\u{1b}[1m"]), "<3 to you[1m");
        assert_eq!(filtered(&["<think>for ever"]), "");
    }
}

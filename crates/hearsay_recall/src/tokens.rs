//! Token counting.

/// Counter for the tokens of a text. A game can implement this trait with the tokenizer of its own language model.
pub trait TokenCounter {
    /// Returns the number of tokens in a text. A text must never have fewer tokens than any part of it.
    fn count(&self, text: &str) -> usize;
}

/// Approximate token counter without a tokenizer. The counter makes two estimates, one token for every four characters
/// and four tokens for every three words, and returns the larger estimate. For English prose, the result is slightly
/// larger than the counts of common tokenizers.
#[derive(Debug, Clone, Copy, Default)]
pub struct ApproximateTokens;

impl TokenCounter for ApproximateTokens {
    fn count(&self, text: &str) -> usize {
        let characters = text.chars().count().div_ceil(4);
        let words = text.split_whitespace().count() * 4;
        characters.max(words.div_ceil(3))
    }
}

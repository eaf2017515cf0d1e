//! Token counting.

/// Counts tokens as the target model does. A game can supply its model's own tokenizer.
pub trait TokenCounter {
    /// Returns the number of tokens in a text. A text must never have fewer tokens than a part of it.
    fn count(&self, text: &str) -> usize;
}

/// An approximate count without a tokenizer: four characters or three quarters of a word per token, whichever gives
/// more tokens. On English prose, the count is slightly above those of common language models' tokenizers.
#[derive(Debug, Clone, Copy, Default)]
pub struct ApproximateTokens;

impl TokenCounter for ApproximateTokens {
    fn count(&self, text: &str) -> usize {
        let characters = text.chars().count().div_ceil(4);
        let words = text.split_whitespace().count() * 4;
        characters.max(words.div_ceil(3))
    }
}

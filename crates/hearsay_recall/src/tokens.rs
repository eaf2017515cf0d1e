//! Counting tokens.

/// Counts the tokens of a text as the model that will read it does. A game replaces it with its model's own tokenizer.
pub trait TokenCounter {
    /// How many tokens the text has. A text never has fewer than a part of it.
    fn count(&self, text: &str) -> usize;
}

/// A count that needs no tokenizer: four characters or three quarters of a word to a token, whichever gives more.
/// On English prose it lies a little above what the tokenizers of common language models give.
#[derive(Debug, Clone, Copy, Default)]
pub struct ApproximateTokens;

impl TokenCounter for ApproximateTokens {
    fn count(&self, text: &str) -> usize {
        let characters = text.chars().count().div_ceil(4);
        let words = text.split_whitespace().count() * 4;
        characters.max(words.div_ceil(3))
    }
}

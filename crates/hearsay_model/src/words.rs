//! Lists of English words that several crates use to compare texts. The lists are read once, from `data/words.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

/// Lists of English words, one list for each purpose.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// Words that have a capital letter only at the start of a sentence. If other words are put before a sentence, its
    /// first word becomes lowercase if it is in this list.
    pub openers: Vec<String>,
    /// Words that are ignored when two sentences are compared.
    pub fillers: Vec<String>,
    /// Words that negate a statement. Words that end in `n't` also negate a statement, but the list does not contain
    /// them.
    pub negations: Vec<String>,
    /// Names that stand for the DM, such as `gm` or `narrator`.
    pub narrators: Vec<String>,
    /// Beginnings of questions that ask who knows something.
    pub knower_questions: Vec<String>,
    /// Words between a beginning from `knower_questions` and the subject of the question: "who knows *about* the fire".
    pub subject_openers: Vec<String>,
}

#[expect(clippy::panic, reason = "the file is part of the program, and a test parses it")]
static WORDS: LazyLock<Words> = LazyLock::new(|| {
    toml::from_str(include_str!("../data/words.toml")).unwrap_or_else(|error| panic!("data/words.toml: {error}"))
});

/// Returns the lists of English words.
pub fn english() -> &'static Words {
    &WORDS
}

/// Returns whether a list contains a word.
pub fn contains_word(list: &[String], word: &str) -> bool {
    list.iter().any(|other| other == word)
}

#[cfg(test)]
mod tests {
    use super::{contains_word, english};

    #[test]
    fn the_file_is_whole() {
        assert!(contains_word(&english().fillers, "the") && !contains_word(&english().fillers, "ledger"));
    }
}

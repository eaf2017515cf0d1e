//! Claims of facts, to find facts that state the same claim in other words.

use std::collections::BTreeSet;

use hearsay_model::{EntityId, GameTime, SessionId, spelling, text, words};

use super::{
    names::Names,
    shared::{Origin, SharedFact},
};

/// Minimum number of words of a claim that may differ in one word from another claim that was told at the same time.
const MIN_WORDS: usize = 5;

/// The claim of a fact: its words, apart from function words.
pub(super) struct Claim<'a> {
    /// Stems of the words.
    words: BTreeSet<String>,
    /// Words that deny a statement.
    negations: BTreeSet<String>,
    /// Words with digits.
    numbers: BTreeSet<String>,
    mentions: BTreeSet<EntityId>,
    origin: &'a Origin,
    learned: (Option<GameTime>, Option<&'a SessionId>),
}

impl<'a> Claim<'a> {
    pub(super) fn new(fact: &'a SharedFact<'a>, names: &Names) -> Self {
        let statement = fact.known().statement();
        let all = text::words(statement);
        let is_negation =
            |word: &&String| words::contains_word(&words::english().negations, word) || word.ends_with("n't");
        let is_number = |word: &&String| word.contains(|c: char| c.is_ascii_digit());
        Self {
            negations: all.iter().filter(is_negation).cloned().collect(),
            numbers: all.iter().filter(is_number).cloned().collect(),
            words: all.iter().filter(|word| !spelling::is_stop_word(word)).map(|word| spelling::stem(word)).collect(),
            mentions: names.mentions(statement),
            origin: &fact.origin,
            learned: fact.learned(),
        }
    }

    pub(super) fn word_count(&self) -> usize {
        self.words.len()
    }

    /// Returns whether another claim about the same subject says the same or more: it contains all words of this claim, or
    /// all but one if the same tellers said both at the same time.
    pub(super) fn repeats(&self, other: &Self) -> bool {
        let is_comparable = self.negations == other.negations
            && self.numbers.is_subset(&other.numbers)
            && self.mentions.is_subset(&other.mentions);
        let is_same_telling = matches!(self.origin, Origin::Told(_))
            && self.origin == other.origin
            && self.learned == other.learned
            && self.words.len() >= MIN_WORDS;
        let missing = self.words.difference(&other.words).count();
        !self.words.is_empty() && is_comparable && (missing == 0 || missing == 1 && is_same_telling)
    }
}

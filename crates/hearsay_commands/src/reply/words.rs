//! Content words of drafts and facts.

use std::collections::BTreeSet;

use hearsay_model::{
    spelling::is_common_word,
    text,
    words::{contains_word, english},
};
use hearsay_recall::stems;

/// Weight of an everyday word, relative to other words.
const COMMON_WEIGHT: f32 = 0.5;

/// Content words of a text, without names.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ContentWords {
    /// Stems of the content words.
    stems: BTreeSet<String>,
    /// Stems of words that are not everyday words.
    rare: BTreeSet<String>,
}

impl ContentWords {
    /// Splits a text into content words. `name_stems` contains the stems of names, which are left out.
    pub(super) fn new(text: &str, name_stems: &BTreeSet<String>) -> Self {
        let mut words = Self::default();
        for word in text::words(text) {
            for stem in stems(&word).into_iter().filter(|stem| !name_stems.contains(stem)) {
                if !is_common_word(&word) {
                    words.rare.insert(stem.clone());
                }
                words.stems.insert(stem);
            }
        }
        words
    }

    /// Splits a text into content words, without the words for a time and the words directly before them: "worked at the mill"
    /// for "worked at the mill last night".
    pub(super) fn without_times(text: &str, name_stems: &BTreeSet<String>) -> Self {
        let words = text::words(text);
        let is_time = |word: Option<&String>| word.is_some_and(|word| contains_word(&english().time_words, word));
        let is_kept = |at: &usize| !is_time(words.get(*at)) && !is_time(words.get(*at + 1));
        let kept: Vec<&str> = (0..words.len()).filter(is_kept).map(|at| words[at].as_str()).collect();
        Self::new(&kept.join(" "), name_stems)
    }

    /// Returns the share of these words that also occur in another text, 0.0–1.0. Everyday words count half.
    pub(super) fn share_in(&self, other: &Self) -> f32 {
        let weight = |stem: &String| if self.rare.contains(stem) { 1.0 } else { COMMON_WEIGHT };
        let total: f32 = self.stems.iter().map(weight).sum();
        let shared: f32 = self.stems.intersection(&other.stems).map(weight).sum();
        if total == 0.0 { 0.0 } else { shared / total }
    }

    /// Returns whether there are words, and all of them also occur in another text.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        !self.stems.is_empty() && self.stems.is_subset(&other.stems)
    }

    /// Returns the number of different words.
    pub(super) fn count(&self) -> usize {
        self.stems.len()
    }

    /// Returns the number of words that both texts contain and that are not everyday words.
    pub(super) fn rare_shared(&self, other: &Self) -> usize {
        self.rare.intersection(&other.rare).count()
    }
}

//! Index of the titles of passages by their words.

use hearsay_model::{spelling::is_common_word, text};
use rustc_hash::FxHashMap;

/// Titles of the passages of an index.
#[derive(Debug, Clone, Default)]
pub(crate) struct Titles {
    /// Text numbers of the passages, by the words of their titles.
    numbers_by_title: FxHashMap<Vec<String>, Vec<u32>>,
    /// Number of words in the longest title.
    max_words: usize,
}

impl Titles {
    /// Adds a passage with its text number. Ignores titles of at most three letters, and titles that are a single
    /// everyday word.
    pub(crate) fn add(&mut self, text_number: u32, title: &str) {
        // People refer to "Arthur (legend)" as Arthur.
        let mut words = text::words(title.split(" (").next().unwrap_or(title));
        if words.len() > 1 && words[0] == "the" {
            words.remove(0);
        }
        let letters: usize = words.iter().map(|word| word.chars().count()).sum();
        if letters > 3 && (words.len() > 1 || !is_common_word(&words[0])) {
            self.max_words = self.max_words.max(words.len());
            self.numbers_by_title.entry(words).or_default().push(text_number);
        }
    }

    /// Applies `remap` to each list of text numbers, and removes the titles whose list is empty afterwards.
    pub(crate) fn remap(&mut self, remap: impl FnMut(&mut Vec<u32>)) {
        self.numbers_by_title.values_mut().for_each(remap);
        self.numbers_by_title.retain(|_, text_numbers| !text_numbers.is_empty());
    }

    /// Returns whether there are no titles.
    pub(crate) fn is_empty(&self) -> bool {
        self.numbers_by_title.is_empty()
    }

    /// Returns the text numbers of the passages whose titles a text contains. Sorted, each number once.
    pub(crate) fn contained_in(&self, searched: &str) -> Vec<u32> {
        let words = text::words(searched);
        let mut text_numbers = Vec::new();
        for start in 0..words.len() {
            for end in start + 1..=words.len().min(start + self.max_words) {
                text_numbers.extend(self.numbers_by_title.get(&words[start..end]).into_iter().flatten());
            }
        }
        text_numbers.sort_unstable();
        text_numbers.dedup();
        text_numbers
    }
}

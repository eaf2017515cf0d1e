//! Replaces names that occur in the training data by invented names.
//!
//! The test must not reward a model for knowing the names of the training data: a model must recognize an entity
//! because the campaign contains it, and not because the training data contains its name. The texts of the test contain
//! names of the training data. All episodes of the real texts are from one campaign, and the writers of the labelled
//! sentences used some names again and again. Before a measurement, the program therefore replaces each word of such a
//! name by an invented word, in the texts, in the labels and in the names of the entities.
//!
//! Common English words in names are not replaced. They show the kind of the named thing ("the Union", "the Flood"),
//! and also occur in the training data as ordinary words.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_model::spelling::is_common_word;
use serde_json::Value;

/// Parts of the invented words.
const ONSETS: [&str; 15] = ["B", "D", "F", "G", "H", "J", "K", "L", "M", "N", "P", "R", "T", "V", "Z"];
const VOWELS: [&str; 5] = ["a", "e", "i", "o", "u"];
const MIDDLES: [&str; 11] = ["b", "dd", "g", "l", "lm", "m", "n", "r", "rv", "v", "zh"];
const ENDINGS: [&str; 7] = ["ath", "esk", "ixar", "olun", "orvi", "unak", "yss"];

/// Invented words for the words of names.
#[derive(Debug, Clone, Default)]
pub struct Mask {
    words: BTreeMap<String, String>,
}

/// A text with invented names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaskedText {
    /// The text.
    pub text: String,
    /// For each replaced word: the byte after it in the original text, and in the new text.
    ends: Vec<(usize, usize)>,
}

impl MaskedText {
    /// Converts a byte position in the original text to the position in the new text. The position must not be inside a
    /// replaced word.
    pub fn position(&self, original: usize) -> usize {
        let before = self.ends.partition_point(|(end, _)| *end <= original);
        match before.checked_sub(1) {
            Some(last) => self.ends[last].1 + (original - self.ends[last].0),
            None => original,
        }
    }
}

impl Mask {
    /// Creates a mask for the words of `names`, except common English words. No invented word occurs in `other_names`.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>, other_names: impl IntoIterator<Item = &'a str>) -> Self {
        let masked: BTreeSet<&str> = names.into_iter().flat_map(name_words).collect();
        let taken: BTreeSet<&str> =
            masked.iter().copied().chain(other_names.into_iter().flat_map(name_words)).collect();
        let mut invented = (0_usize..).map(invented_word);
        let words = masked.into_iter().filter_map(|word| {
            let new = invented.find(|new| !taken.contains(new.as_str()) && !is_common_word(&new.to_lowercase()))?;
            Some((word.to_owned(), new))
        });
        Self { words: words.collect() }
    }

    /// Returns a text with invented names.
    pub fn apply(&self, text: &str) -> MaskedText {
        let mut masked = MaskedText { text: String::with_capacity(text.len()), ends: Vec::new() };
        let mut copied = 0;
        for (start, word) in words(text) {
            if let Some(new) = self.words.get(word) {
                masked.text.push_str(&text[copied..start]);
                masked.text.push_str(new);
                copied = start + word.len();
                masked.ends.push((copied, masked.text.len()));
            }
        }
        masked.text.push_str(&text[copied..]);
        masked
    }

    /// Replaces the names in all strings of a JSON value.
    pub fn apply_to_json(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.apply(text).text,
            Value::Array(items) => items.iter_mut().for_each(|item| self.apply_to_json(item)),
            Value::Object(entries) => entries.values_mut().for_each(|value| self.apply_to_json(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Returns the words of a name that begin with a capital letter and are not common English words.
pub fn name_words(name: &str) -> impl Iterator<Item = &str> {
    let words = words(name).map(|(_, word)| word);
    words.filter(|word| word.starts_with(char::is_uppercase) && !is_common_word(&word.to_lowercase()))
}

/// Returns the words of a text with their positions in bytes.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(char::is_alphanumeric)?;
        at = text[start..].find(|c: char| !c.is_alphanumeric()).map_or(text.len(), |length| start + length);
        Some((start, &text[start..at]))
    })
}

/// Returns the invented word with an index. Words with different indices below 5,775 differ.
fn invented_word(index: usize) -> String {
    // Consecutive words differ in all of their parts.
    let onset = ONSETS[index % ONSETS.len()];
    let ending = ENDINGS[index % ENDINGS.len()];
    let rest = index / ONSETS.len();
    let middle = MIDDLES[rest % MIDDLES.len()];
    let vowel = VOWELS[rest / MIDDLES.len() % VOWELS.len()];
    format!("{onset}{vowel}{middle}{ending}")
}

/// Returns the mask for labelled sentences. It replaces the words of `names` that also occur in `training_names`.
pub fn shared_name_mask(names: &BTreeSet<String>, training_names: &BTreeSet<String>) -> Mask {
    let training_words: BTreeSet<&str> = training_names.iter().flat_map(|name| name_words(name)).collect();
    let words = names.iter().flat_map(|name| name_words(name));
    let shared: BTreeSet<&str> = words.filter(|word| training_words.contains(word)).collect();
    Mask::new(shared, names.iter().chain(training_names).map(String::as_str))
}

/// Returns the mask for the texts of episodes. It replaces the names of all entities and all names in the labels,
/// because the episodes for training are from the same campaign.
pub fn episode_mask<'a>(names: impl IntoIterator<Item = &'a String>, label_names: &'a BTreeSet<String>) -> Mask {
    Mask::new(names.into_iter().chain(label_names).map(String::as_str), [])
}

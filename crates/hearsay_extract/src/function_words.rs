//! Function words of English: pronouns, forms of "be", and words that open a spoken sentence.

use crate::word_lists::lists;

/// Returns whether a word is an English pronoun, such as "she" or "themselves". The word must be in lowercase.
pub fn is_pronoun(word: &str) -> bool {
    lists().pronouns.all.contains(word)
}

/// Grammatical role of a pronoun of the first person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FirstPerson {
    /// "I", "me", "myself".
    Personal,
    /// "my", "mine".
    Possessive,
}

/// Returns the role of a singular pronoun of the first person; `None` for other words. The word must be in lowercase.
pub(crate) fn first_person(word: &str) -> Option<FirstPerson> {
    match word {
        "my" | "mine" => Some(FirstPerson::Possessive),
        _ => lists().pronouns.speaker.contains(word).then_some(FirstPerson::Personal),
    }
}

/// Returns whether a word can refer to an entity outside the sentence, such as "he", "you" or "there". The function
/// returns `false` for the singular pronouns of the first person, such as "I". The word must be in lowercase.
pub fn is_anaphor(word: &str) -> bool {
    is_pronoun(word)
        && first_person(word).is_none()
        && !lists().pronouns.no_anaphors.contains(word)
        && !lists().pronouns.indefinite_prefixes.iter().any(|start| word.starts_with(start))
}

/// Returns whether a word can end an expression of time, as in "last winter" and "two days ago". The word must be in
/// lowercase.
pub(crate) fn is_time_noun(word: &str) -> bool {
    lists().times.nouns.contains(word)
}

/// Returns whether a word negates a sentence or a part of it. The word must be in lowercase.
pub(crate) fn is_negation(word: &str) -> bool {
    lists().speech.negations.contains(word)
}

/// Returns whether a word is a form of "be". The word must be in lowercase.
pub(crate) fn is_be_form(word: &str) -> bool {
    lists().auxiliaries.be_forms.contains(word)
}

/// Returns whether a word often opens a spoken sentence, such as "so" or "well".
pub(crate) fn is_discourse_marker(word: &str) -> bool {
    lists().speech.discourse_markers.contains(word)
}

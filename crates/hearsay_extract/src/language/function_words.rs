//! Function words of English: pronouns, forms of "be", and words that open a spoken sentence.

use hearsay_model::words::{contains_word, english};

use crate::language::word_lists::lists;

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
    let role = || if is_possessive(word) { FirstPerson::Possessive } else { FirstPerson::Personal };
    contains_word(&english().first_person_pronouns, word).then(role)
}

/// Returns whether a word is a pronoun for several persons, one of whom speaks, such as "we". The word must be in
/// lowercase.
pub(crate) fn is_group_pronoun(word: &str) -> bool {
    contains_word(&english().group_pronouns, word)
}

/// Returns whether a word is a pronoun for the person who is addressed, such as "you". The word must be in lowercase.
pub(crate) fn is_second_person(word: &str) -> bool {
    contains_word(&english().addressee_pronouns, word)
}

/// Returns whether a word is a possessive pronoun, such as "our" or "ours". The word must be in lowercase.
fn is_possessive(word: &str) -> bool {
    let pronouns = &lists().pronouns;
    pronouns.possessive_determiners.contains(word) || pronouns.independent_possessives.contains(word)
}

/// Returns a text in which a name replaces the plural pronouns of the first person, such as "we" and "our". Returns
/// `None` if the text contains no such pronoun.
pub fn replace_group_pronouns(text: &str, name: &str) -> Option<String> {
    let (mut replaced, mut is_changed) = (String::new(), false);
    for part in text.split_inclusive(|c: char| !c.is_alphabetic()) {
        let word = part.trim_end_matches(|c: char| !c.is_alphabetic());
        let lowercase = word.to_lowercase();
        if !is_group_pronoun(&lowercase) {
            replaced.push_str(part);
            continue;
        }
        is_changed = true;
        replaced.push_str(name);
        if is_possessive(&lowercase) {
            replaced.push_str("'s");
        }
        replaced.push_str(&part[word.len()..]);
    }
    is_changed.then_some(replaced)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_replaces_the_plural_pronouns_of_the_first_person() {
        let replaced = |text: &str| replace_group_pronouns(text, "Nessa Thorn");
        assert_eq!(replaced("We sank the barge.").as_deref(), Some("Nessa Thorn sank the barge."));
        assert_eq!(
            replaced("The loss is ours, not our friends'.").as_deref(),
            Some("The loss is Nessa Thorn's, not Nessa Thorn's friends'.")
        );
        assert_eq!(
            replaced("They paid us, and we'll pay.").as_deref(),
            Some("They paid Nessa Thorn, and Nessa Thorn'll pay.")
        );
        assert_eq!(replaced("The west wharf used oil."), None);
    }
}

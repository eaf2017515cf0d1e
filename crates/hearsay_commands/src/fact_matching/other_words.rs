//! Secrets that a character tells in other words: "It was me, I wrote that testament" for "Odo forged the will of Pell".

use std::{collections::BTreeSet, sync::LazyLock};

use hearsay_belief::Known;
use hearsay_model::{
    spelling::{is_stop_word, stem},
    text,
    words::{contains_word, english},
};
use hearsay_recall::stems;

use super::agreement::EntityAgreement;

/// Minimum number of words and names of a secret in a sentence that admits the secret.
const MIN_ADMITTED: usize = 2;

/// Minimum share of the words of a secret in a sentence that admits the secret.
const MIN_ADMITTED_SHARE: f32 = 0.4;

/// Minimum number of words and names of a secret in a sentence that tells the whole secret in other words.
const MIN_REPHRASED: usize = 3;

/// Minimum share of the words of a secret in such a sentence.
const MIN_REPHRASED_SHARE: f32 = 0.8;

/// Stems of words with the same meaning, one set for each meaning.
static SYNONYMS: LazyLock<Vec<BTreeSet<String>>> =
    LazyLock::new(|| english().synonyms.iter().map(|words| words.split(' ').map(stem).collect()).collect());

/// Returns whether stems contain a stem, or the stem of a word with the same meaning.
pub(super) fn is_said(stem: &str, said: &BTreeSet<String>) -> bool {
    said.contains(stem) || SYNONYMS.iter().any(|words| words.contains(stem) && !words.is_disjoint(said))
}

/// Returns whether words contain any of the phrases.
pub(super) fn contains_phrase(words: &[String], phrases: &[String]) -> bool {
    phrases.iter().any(|phrase| text::contains_name(words, &text::words(phrase)))
}

/// Words of a secret that a sentence contains, also as words with the same meaning. Names do not count.
struct RephrasedWords {
    count: usize,
    /// Share of the words of the secret.
    share: f32,
    /// Whether the sentence contains the first word of the secret, which is usually the verb.
    has_deed: bool,
    /// Whether the sentence contains a word that the secret writes with a capital letter, as in "the Doge".
    has_proper_noun: bool,
}

impl RephrasedWords {
    fn new(sentence: &str, statement: &str, names: &BTreeSet<String>) -> Self {
        let (said, stated) = (content(sentence, names), content(statement, names));
        let count = stated.iter().filter(|stem| is_said(stem, &said)).count();
        let deed = stems(statement).into_iter().find(|stem| !names.contains(stem));
        let capitalized = statement.split_whitespace().skip(1).filter(|word| word.starts_with(char::is_uppercase));
        let proper_nouns: BTreeSet<String> = capitalized.flat_map(stems).filter(|stem| !names.contains(stem)).collect();
        Self {
            count,
            share: if stated.is_empty() { 0.0 } else { count as f32 / stated.len() as f32 },
            has_deed: deed.is_some_and(|deed| is_said(&deed, &said)),
            has_proper_noun: !proper_nouns.is_disjoint(&said),
        }
    }

    /// Returns whether the words are enough for a sentence in which the speaker says that somebody did it. `named` is the
    /// number of entities of the secret that the sentence names.
    fn are_admitted(&self, named: usize) -> bool {
        let has_anchor = self.has_deed || self.has_proper_noun || named > 0;
        has_anchor && self.count > 0 && self.count + named >= MIN_ADMITTED && self.share >= MIN_ADMITTED_SHARE
    }

    /// Returns whether the words are enough for a sentence that tells the whole secret.
    fn are_whole(&self, named: usize) -> bool {
        self.has_deed && self.count > 1 && self.count + named >= MIN_REPHRASED && self.share >= MIN_REPHRASED_SHARE
    }
}

impl EntityAgreement<'_> {
    /// Returns whether the speaker admits what a secret states, or says that a hearer did it: "It was you! You forged
    /// it". `names` are the [name stems](Self::name_stems) of the secret.
    pub(super) fn admits(&self, known: &Known, names: &BTreeSet<String>) -> bool {
        // In the words of the sentence, the name of the speaker replaces "me".
        let span = self.sentence.span;
        let said = self.line_text.get(span.start..span.end).unwrap_or_default();
        let is_admission =
            |part: &str| !part.ends_with('?') && contains_phrase(&text::words(part), &english().admission_phrases);
        said.split_inclusive(['.', '!', '?']).any(is_admission)
            && self.rephrased_words(known, names).are_admitted(self.named_in_fact(known))
    }

    /// Returns whether the sentence tells a whole secret in other words: "I paid Odo for a false testament".
    pub(super) fn rephrases(&self, known: &Known, names: &BTreeSet<String>) -> bool {
        self.rephrased_words(known, names).are_whole(self.named_in_fact(known))
    }

    fn rephrased_words(&self, known: &Known, names: &BTreeSet<String>) -> RephrasedWords {
        RephrasedWords::new(&self.sentence.text, known.statement(), names)
    }
}

/// Returns the stems of the words of a text without names. A stop word that is used as a noun counts if it has synonyms:
/// "the will of the abbess".
fn content(sentence: &str, names: &BTreeSet<String>) -> BTreeSet<String> {
    let mut content: BTreeSet<String> = stems(sentence).into_iter().collect();
    let words: Vec<&str> = sentence.split_whitespace().collect();
    for (before, word) in words.iter().zip(words.iter().skip(1)) {
        let is_possessive = text::without_possessive(before) != *before;
        let is_noun = is_possessive || contains_word(&english().determiners, &before.to_lowercase());
        let noun = text::words(word).pop().filter(|word| is_noun && is_stop_word(word)).map(|word| stem(&word));
        content.extend(noun.filter(|noun| SYNONYMS.iter().any(|words| words.contains(noun))));
    }
    content.retain(|stem| !names.contains(stem));
    content
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(sentence: &str, statement: &str, names: &str) -> RephrasedWords {
        RephrasedWords::new(sentence, statement, &stems(names).into_iter().collect())
    }

    #[test]
    fn an_admission_needs_words_of_the_secret() {
        let secret = "Jorun Vesk falsified the Regent's will for Lady Amsel.";
        let is_admitted =
            |sentence: &str, named: usize| words(sentence, secret, "Jorun Vesk Lady Amsel").are_admitted(named);
        for sentence in ["It was me, the Regent's testament is my work.", "It was me, I faked the Regent's last will."]
        {
            assert!(is_admitted(sentence, 0), "{sentence}");
        }
        // One word is enough only with a name, and the verb "will" is not the noun.
        let testament = "It was me, I wrote that testament for Lady Amsel.";
        assert!(!is_admitted(testament, 1), "it says a third of the words");
        for sentence in ["It was me who greeted the Regent.", "It was me, and I will greet the Regent.", "It was me."] {
            assert!(!is_admitted(sentence, 0), "{sentence}");
        }
        let stable = "Greta saw the smith leave the mill in the night.";
        let accused = |sentence: &str| words(sentence, stable, "Greta").are_admitted(0);
        assert!(accused("It was you! She saw you at the mill that night!"));
        // Without the verb of the secret, a name or a proper noun, the words can be about anything.
        assert!(!accused("It was you! You snore like a mill all night!"));
    }

    #[test]
    fn a_whole_secret_is_told_with_synonyms() {
        let secret = "Jorun Vesk falsified the Regent's will for Lady Amsel.";
        let is_whole = |sentence: &str, named: usize| words(sentence, secret, "Jorun Vesk Lady Amsel").are_whole(named);
        assert!(is_whole("Lady Amsel paid for a forged testament of the Regent.", 1));
        for (sentence, named) in [
            ("Lady Amsel read the testament of the Regent.", 1),
            ("The Regent will see through a forged letter.", 0),
            ("Lady Amsel has forged papers.", 1),
        ] {
            assert!(!is_whole(sentence, named), "{sentence}");
        }
    }
}

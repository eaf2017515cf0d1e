//! Things that are hidden according to a secret, and lines that name such a thing and its place.

use std::collections::BTreeSet;

use hearsay_belief::Known;
use hearsay_model::{
    EntityId, Kind, text,
    words::{contains_word, english},
};
use hearsay_recall::stems;

use super::{
    agreement::EntityAgreement,
    other_words::{contains_phrase, is_said},
};

/// Minimum number of words for the thing and its place that narration must contain.
const MIN_WORDS: usize = 2;

/// Minimum share of the words for the thing that narration must contain.
const MIN_THING_SHARE: f32 = 0.5;

/// Minimum share of the words for the thing and its place that narration must contain, unless it contains all of at least two
/// words for the thing.
const MIN_SHARE: f32 = 0.6;

/// Maximum number of words from a word such as "behind" to a word for the place: "behind the old organ".
const MAX_PLACE_WORDS: usize = 4;

/// A thing that is hidden according to a secret, and its place: "the salt" and "the crypt" in "Odo hides the salt in the
/// crypt". Contains the stems of the words, without the names of persons and places.
#[derive(Debug, PartialEq)]
pub(super) struct HiddenThing {
    thing: BTreeSet<String>,
    place: BTreeSet<String>,
}

impl HiddenThing {
    /// Returns the hidden thing of a statement; `None` if the statement does not say where a thing is. `names` contains the
    /// stems of names, which do not count.
    fn from_statement(statement: &str, names: &BTreeSet<String>) -> Option<Self> {
        statement.split(['.', ':', ';']).find_map(|part| Self::from_clause(&text::words(part), names))
    }

    fn from_clause(words: &[String], names: &BTreeSet<String>) -> Option<Self> {
        let opens_place = |word: &String| contains_word(&english().hiding_place_openers, word);
        let verb = words.iter().position(|word| contains_word(&english().hiding_verbs, word))?;
        let (before, after) = (&words[..verb], &words[verb + 1..]);
        let (thing, place) = match after.iter().position(opens_place) {
            Some(at) => (&after[..at], &after[at + 1..]),
            // "Under the floor lies a chest."
            None if before.first().is_some_and(opens_place) => (after, &before[1..]),
            None => return None,
        };
        let named = content_stems(thing, names);
        let is_passive = before.last().is_some_and(|word| contains_word(&english().finite_be_forms, word))
            && !before.first().is_some_and(opens_place);
        let thing = match thing {
            // "A wounded earl is hidden alive under the floor."
            _ if is_passive => content_stems(before, names).into_iter().chain(named).collect(),
            _ if !named.is_empty() => named,
            // "A chest lies under the floor."
            [] => content_stems(before, names),
            // A pronoun stands for the thing: "Odo stole a chest and hid it under the floor".
            [..] => content_stems(after_subject_and_verb(before, names), names),
        };
        let continues_place = |word: &&String| {
            !contains_word(&english().clause_openers, word)
                && !contains_word(&english().circumstance_conjunctions, word)
        };
        let length = place.iter().take_while(continues_place).count();
        (!thing.is_empty()).then(|| Self { thing, place: content_stems(&place[..length], names) })
    }

    /// Returns whether the words of a sentence name the thing and its place. A part of the words for the thing is enough if
    /// somebody finds the thing, or if the thing is at the place. `is_about_place` is whether the sentence is about the place
    /// that the statement names, in case the statement has no other words for the place.
    fn is_named_in(&self, words: &[String], names: &BTreeSet<String>, is_about_place: bool) -> bool {
        let said = content_stems(words, names);
        let shared = |words: &BTreeSet<String>| words.iter().filter(|word| is_said(word, &said)).count();
        let (things, places) = (shared(&self.thing), shared(&self.place));
        let has_place = if self.place.is_empty() { is_about_place } else { places > 0 };
        if !has_place || things + places < MIN_WORDS {
            return false;
        }
        let is_whole_thing = things == self.thing.len() && things > 1;
        let share = |count: usize, all: usize| count as f32 / all as f32;
        let has_most_words = share(things, self.thing.len()) >= MIN_THING_SHARE
            && share(things + places, self.thing.len() + self.place.len()) >= MIN_SHARE;
        let is_found = || contains_phrase(words, &english().finding_verbs) || self.is_place_in(words, names);
        is_whole_thing || (has_most_words && is_found())
    }

    /// Returns whether a word such as "behind" precedes a word for the place.
    fn is_place_in(&self, words: &[String], names: &BTreeSet<String>) -> bool {
        let openers = words.iter().enumerate().filter(|(_, word)| contains_word(&english().hiding_place_openers, word));
        let mut phrases =
            openers.map(|(at, _)| words[at + 1..].iter().take(MAX_PLACE_WORDS).cloned().collect::<Vec<_>>());
        phrases.any(|phrase| {
            let said = content_stems(&phrase, names);
            self.place.iter().any(|word| is_said(word, &said))
        })
    }
}

impl EntityAgreement<'_> {
    /// Returns whether the sentence names a thing and its place, where the thing is hidden according to a fact. The
    /// sentence need not name the person who hid the thing: "Wren finds the ledger behind the organ" for "Odo hides the
    /// ledger behind the organ".
    pub(super) fn uncovers(&self, known: &Known) -> bool {
        if self.only_seeks() {
            return false;
        }
        let is_no_thing = |id: &EntityId| !matches!(self.state.kind(id), Some(Kind::Item | Kind::Document));
        let names = self.name_stems_of(known, is_no_thing);
        let words = text::words(&self.sentence.text);
        let hidden = HiddenThing::from_statement(known.statement(), &names);
        hidden.is_some_and(|hidden| hidden.is_named_in(&words, &names, self.is_about_place_of(known)))
    }

    /// Returns whether the line is said at a place that a fact names, or names such a place.
    fn is_about_place_of(&self, known: &Known) -> bool {
        let mentioned = self.cached_view.names.mentioned_entities(known.statement());
        let is_named_place =
            |id: &EntityId| matches!(self.state.kind(id), Some(Kind::Location)) && self.named_in_line.contains(id);
        self.is_said_at_place_of(known) || mentioned.iter().any(|mentioned| is_named_place(&mentioned.id))
    }

    /// Returns whether somebody looks for a thing in the sentence, and finds nothing.
    fn only_seeks(&self) -> bool {
        let words = text::words(&self.sentence.text);
        contains_phrase(&words, &english().seeking_phrases) && !contains_phrase(&words, &english().finding_verbs)
    }
}

/// Returns the words after the name at the start of a clause and after the verb that follows the name.
fn after_subject_and_verb<'w>(words: &'w [String], names: &BTreeSet<String>) -> &'w [String] {
    let is_of_subject = |word: &&String| content_stems(std::slice::from_ref(*word), names).is_empty();
    let subject = words.iter().take_while(is_of_subject).count();
    words.get(subject + 1..).unwrap_or_default()
}

/// Returns the stems of words, without the stems of names.
fn content_stems(words: &[String], names: &BTreeSet<String>) -> BTreeSet<String> {
    words.iter().flat_map(|word| stems(word)).filter(|stem| !names.contains(stem)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> BTreeSet<String> {
        stems(text).into_iter().collect()
    }

    #[test]
    fn a_statement_says_where_a_thing_is_hidden() {
        let names = words("Perrin Lowen Tide");
        for (statement, thing, place) in [
            ("Perrin hides the forged seals behind the beehive at the Lowen Tide.", "forged seals", "beehive"),
            ("A chest of pearls lies under the pulpit.", "chest pearls", "pulpit"),
            ("Under the pulpit lies a chest of pearls.", "chest pearls", "pulpit"),
            (
                "Perrin took the seals and buried them in the marl pit, because he feared the queen.",
                "seals",
                "marl pit",
            ),
            ("The watch is bribed: Perrin keeps the brandy below the chapel and sells it.", "brandy", "chapel"),
            ("The forged seals are hidden in the Lowen Tide.", "forged seals", ""),
            ("A wounded earl is kept alive under the boathouse.", "wounded earl alive", "boathouse"),
        ] {
            let expected = HiddenThing { thing: words(thing), place: words(place) };
            assert_eq!(HiddenThing::from_statement(statement, &names), Some(expected), "{statement}");
        }
        for statement in ["Perrin robbed the mint in Lowen.", "Perrin hides behind the beehive.", "Perrin keeps bees."]
        {
            assert_eq!(HiddenThing::from_statement(statement, &names), None, "{statement}");
        }
    }

    #[test]
    fn narration_names_a_hidden_thing_and_its_place() {
        let hidden = |statement: &str| HiddenThing::from_statement(statement, &words("Perrin Lowen")).unwrap();
        let names = words("Perrin Lowen");
        let is_named = |statement: &str, line: &str| hidden(statement).is_named_in(&text::words(line), &names, false);
        let seals = "Perrin hides the forged seals behind the beehive in the garden.";
        for line in [
            "Behind the beehive Oda finds forged seals.",
            "Oda lifts the beehive: the seals of the queen, all of them forged!",
            "There are forged seals in the garden.",
            "The seals lie behind the beehive in the garden.",
            "There are faked seals behind the beehive.",
        ] {
            assert!(is_named(seals, line), "{line}");
        }
        for line in [
            "Oda finds a nest behind the beehive in the garden.",
            "Oda looks at the forged seals.",
            "Oda seals the letter in the garden.",
            "Oda tends the beehive.",
            "Oda carries the seals past the beehive and the garden wall.",
        ] {
            assert!(!is_named(seals, line), "{line}");
        }
        // One word for the thing and one for the place are enough if the secret has no other words.
        let (salt, mill) = ("Perrin stores salt in the crypt.", "Forged seals lie in Lowen.");
        assert!(is_named(salt, "Oda finds salt in the crypt.") && !is_named(salt, "Oda salts the soup."));
        // The place has only a name.
        let found = text::words("Oda finds forged seals.");
        let is_found = |is_about_place: bool| hidden(mill).is_named_in(&found, &names, is_about_place);
        assert!(is_found(true) && !is_found(false));
    }
}

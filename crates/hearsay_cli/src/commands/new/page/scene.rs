//! Finds the characters in the scene with which the play begins.

use hearsay_model::{
    Kind,
    text::words,
    words::{contains_word, english},
};

use super::super::{draft::Draft, english::ENGLISH};

/// Maximum number of words between the characters and the name of their place: "are in the".
const MAX_PLACE_WORDS: usize = 2;

/// Returns the characters who are at a place according to a sentence, and the place: "Odo and Juno are in the Gull." The
/// words "there" and "here" refer to the place `scene`.
pub(super) fn presence(draft: &Draft, sentence: &str, scene: usize) -> Option<(Vec<usize>, usize)> {
    let (names, rest) = [" are ", " is "].iter().find_map(|verb| sentence.split_once(verb))?;
    let present = listed_characters(draft, names)?;
    if let [word] = &words(rest)[..] {
        return contains_word(&ENGLISH.place_adverbs, word).then_some((present, scene));
    }
    let (at, place) = *draft.named_at(rest).first()?;
    let is_place = draft.entities[place].kind == Kind::Location && (1..=MAX_PLACE_WORDS).contains(&at);
    is_place.then_some((present, place))
}

/// Returns the characters in a text that consists only of their names: "Odo and Juno".
pub(super) fn listed_characters(draft: &Draft, names: &str) -> Option<Vec<usize>> {
    let is_character = |index: &usize| draft.entities[*index].kind.is_character();
    let listed = draft.named_in(names);
    let parts = listed.iter().map(|index| &draft.entities[*index]);
    let known: Vec<String> =
        parts.flat_map(|entity| entity.aliases.iter().chain([&entity.name])).flat_map(|name| words(name)).collect();
    let is_list =
        words(names).iter().all(|word| known.contains(word) || contains_word(&english().name_conjunctions, word));
    (!listed.is_empty() && listed.iter().all(is_character) && is_list).then_some(listed)
}

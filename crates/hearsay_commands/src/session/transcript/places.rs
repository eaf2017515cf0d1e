//! Recorded places that narration names, as in `Back at the Eel, the air is thick with smoke.`

use std::collections::BTreeSet;

use hearsay_model::{EntityId, Kind, PredicateRole, State, spelling, text, words};
use hearsay_query::resolve::{resolve_complete_words, resolve_named, resolve_place};

use super::{
    speakers::MAX_REFERENCE_WORDS,
    subjects::{opening_phrase_count, opens_clause},
};

/// Characters that end a phrase about a place.
const PLACE_ENDS: [char; 3] = [',', ':', '.'];

/// Returns the place to which words refer: its name, a part of its name, or the noun of its description. All words must
/// be complete. A place whose name has no article can be named with an article.
pub(super) fn recorded_place(state: &State, reference: &str) -> Option<EntityId> {
    place_named(state, reference).or_else(|| {
        let (article, name) = reference.split_once(' ')?;
        let name_words = text::words(name);
        let has_name = |id: &EntityId| state.open_names(id).into_iter().any(|other| text::words(other) == name_words);
        let is_article = words::contains_word(&words::english().fillers, &article.to_lowercase());
        place_named(state, name).filter(|id| is_article && has_name(id))
    })
}

/// Returns the place to which words refer, with an article only if its name has one.
fn place_named(state: &State, reference: &str) -> Option<EntityId> {
    if text::words(reference).last().is_none_or(|last| spelling::is_stop_word(last)) {
        return None;
    }
    let found = match resolve_complete_words(state, reference) {
        Ok(id) => Some(id),
        // The beginning of a name is no reference.
        Err(_) if resolve_named(state, reference).is_ok() => None,
        Err(_) => resolve_place(state, reference).ok(),
    };
    found.filter(|id| state.kind(id) == Some(Kind::Location))
}

/// Another place than the scene, with which narration begins.
pub(in crate::session) struct Opening {
    pub(in crate::session) place: EntityId,
    /// Whether a word such as "meanwhile" says that the scene is not there.
    pub(in crate::session) is_elsewhere: bool,
    /// Number of words up to the end of the name of the place.
    pub(in crate::session) word_count: usize,
}

/// Returns the recorded place that narration names at its start, before a comma or the name of a character: The Blind Eel for
/// "Back at the Eel, the air is thick with smoke" and "Back at the Eel Odo yawns". Returns `None` if the place of the scene is
/// the same place or a part of it.
pub fn opening_place(state: &State, narration: &str, scene_place: Option<&EntityId>) -> Option<EntityId> {
    opening(state, narration, scene_place).map(|opening| opening.place)
}

/// Returns the [opening place](opening_place) of narration, and whether the scene is certainly not there.
pub(in crate::session) fn opening(state: &State, narration: &str, scene_place: Option<&EntityId>) -> Option<Opening> {
    let narration: Vec<&str> = narration.split_whitespace().collect();
    let PlacePhrase { start, is_elsewhere } = place_phrase(&narration)?;
    let (place, count) = longest_place(state, &narration[start..])?;
    let following = &narration[start + count..];
    let is_separate = narration[start + count - 1].ends_with(PLACE_ENDS) || begins_with_character(state, following);
    let is_scene = scene_place.is_some_and(|scene| is_within(state, scene, &place));
    (is_separate && !is_scene).then_some(Opening { place, is_elsewhere, word_count: start + count })
}

/// Returns whether narration begins with a phrase such as "on the way", so that it happens between two places: "On the way to the
/// mill, a wheel breaks", but not "On the way to the window, Odo stumbles".
pub fn begins_on_way(state: &State, narration: &str) -> bool {
    let (narration, english): (Vec<&str>, _) = (narration.split_whitespace().collect(), words::english());
    let Some(count) = opening_phrase_count(&narration, &english.way_phrases) else { return false };
    let rest = &narration[count..];
    let place = || {
        let particles = [&english.departure_particles, &english.motion_adverbs];
        let is_particle = |word: &&&str| particles.into_iter().any(|list| words::contains_word(list, word));
        let (opener, place) = rest[rest.iter().take_while(is_particle).count()..].split_first()?;
        words::contains_word(&english.destination_openers, opener).then(|| longest_place(state, place))?
    };
    narration[count - 1].ends_with(',') || begins_with_character(state, rest) || place().is_some()
}

/// Phrase about a place with which words begin.
struct PlacePhrase {
    /// Number of words before the name of the place.
    start: usize,
    /// Whether a word such as "meanwhile" precedes the phrase.
    is_elsewhere: bool,
}

/// Returns the phrase about a place with which words begin: "in the stable" for "Meanwhile, in the stable Odo yawns".
fn place_phrase(narration: &[&str]) -> Option<PlacePhrase> {
    let english = words::english();
    let is_opener = |word: &str| words::contains_word(&english.scene_openers, &word.to_lowercase());
    let is_before_opener =
        |word: &str| opens_clause(word) || words::contains_word(&english.motion_adverbs, &word.to_lowercase());
    let (mut start, mut is_elsewhere) = (0, false);
    loop {
        let rest = &narration[start..];
        let first = rest.first()?;
        if let Some(count) = opening_phrase_count(rest, &english.meanwhile_phrases) {
            start += count;
            is_elsewhere = true;
        } else if is_opener(first) {
            return Some(PlacePhrase { start: start + 1, is_elsewhere });
        } else if is_before_opener(first) {
            start += 1;
        } else {
            return None;
        }
    }
}

/// Returns the recorded place with whose name words begin, and the number of its words. Only the last word can have a comma.
fn longest_place(state: &State, narration: &[&str]) -> Option<(EntityId, usize)> {
    let is_end = |word: &&str| word.ends_with(PLACE_ENDS);
    let end = narration.iter().position(is_end).map_or(narration.len(), |at| at + 1);
    let place = |count: usize| {
        let reference = narration[..count].join(" ");
        Some((recorded_place(state, reference.trim_end_matches(PLACE_ENDS))?, count))
    };
    (1..=end.min(MAX_REFERENCE_WORDS)).rev().find_map(place)
}

/// Returns whether words begin with the name of a character.
fn begins_with_character(state: &State, following: &[&str]) -> bool {
    let is_capitalized = following.first().is_some_and(|word| word.starts_with(char::is_uppercase));
    let is_character = |count: usize| {
        resolve_complete_words(state, &following[..count].join(" ")).is_ok_and(|id| state.is_character(&id))
    };
    is_capitalized && (1..=following.len().min(MAX_REFERENCE_WORDS)).any(is_character)
}

/// Returns whether a place is another place or a part of it.
fn is_within(state: &State, place: &EntityId, larger: &EntityId) -> bool {
    let (mut pending, mut reached) = (vec![place.clone()], BTreeSet::new());
    while let Some(place) = pending.pop() {
        if place == *larger {
            return true;
        }
        if reached.insert(place.clone()) {
            let parts = state.values(&place, PredicateRole::Part.predicate());
            pending.extend(parts.iter().filter_map(|fact| fact.object().entity()).cloned());
        }
    }
    false
}

/// Returns the number of words of the phrase about a place with which a sentence begins: three for "In the stable Odo finds
/// a barrel". The place is recorded, or it has one word after its article.
pub(super) fn opening_count(state: &State, sentence: &[&str]) -> Option<usize> {
    let PlacePhrase { start, .. } = place_phrase(sentence)?;
    let rest = &sentence[start..];
    let place = longest_place(state, rest).map(|(_, count)| count);
    let has_article = || rest.first().is_some_and(|word| words::contains_word(&words::english().determiners, word));
    Some(start + place.or_else(|| has_article().then_some(2))?)
}

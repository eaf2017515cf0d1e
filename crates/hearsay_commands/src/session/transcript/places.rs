//! Recorded places that narration names, as in `Back at the Eel, the air is thick with smoke.`

use std::collections::BTreeSet;

use hearsay_model::{EntityId, Kind, PredicateRole, State, spelling, text, words};
use hearsay_query::resolve::{resolve_complete_words, resolve_named, resolve_place};

use super::{speakers::MAX_REFERENCE_WORDS, subjects::opens_clause};

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

/// Returns the recorded place that narration names at its start, before a comma: The Blind Eel for "Back at the Eel, the
/// air is thick with smoke." Returns `None` if the place of the scene is the same place or a part of it.
pub fn opening_place(state: &State, narration: &str, scene_place: Option<&EntityId>) -> Option<EntityId> {
    let english = words::english();
    let is_opener = |word: &str| words::contains_word(&english.scene_openers, &word.to_lowercase());
    let is_before_opener =
        |word: &str| opens_clause(word) || words::contains_word(&english.motion_adverbs, &word.to_lowercase());
    let mut phrases = narration.split(',').map(str::trim);
    // "Meanwhile, at the Eel, the air is thick."
    let phrase = phrases.find(|phrase| phrase.contains(' ') || !opens_clause(phrase))?;
    let mut phrase_words = phrase.split_whitespace().skip_while(|word| !is_opener(word) && is_before_opener(word));
    let is_opened = phrase_words.next().is_some_and(is_opener);
    let reference: Vec<&str> = phrase_words.collect();
    if !is_opened || reference.len() > MAX_REFERENCE_WORDS {
        return None;
    }
    let place = recorded_place(state, &reference.join(" "))?;
    let is_scene = scene_place.is_some_and(|scene| is_within(state, scene, &place));
    (!is_scene).then_some(place)
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
    let english = words::english();
    let is_opener = |word: &str| words::contains_word(&english.scene_openers, &word.to_lowercase());
    let is_before_opener =
        |word: &&&str| !is_opener(word) && (opens_clause(word) || words::contains_word(&english.motion_adverbs, word));
    let before = sentence.iter().take_while(is_before_opener).count();
    let (_, rest) = sentence[before..].split_first().filter(|(opener, _)| is_opener(opener))?;
    let is_recorded = |count: &usize| recorded_place(state, &rest[..*count].join(" ")).is_some();
    let place = (1..=rest.len().min(MAX_REFERENCE_WORDS)).rev().find(is_recorded);
    let has_article = || rest.first().is_some_and(|word| words::contains_word(&english.determiners, word));
    Some(before + 1 + place.or_else(|| has_article().then_some(2))?)
}

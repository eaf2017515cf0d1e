//! Persons who do not notice a narrated event, as in `Wren takes the key. Odo doesn't notice.`

use hearsay_model::{EntityId, text, words};

use super::{
    name_phrases::name_ranges,
    speakers::{MAX_REFERENCE_WORDS, SpeakerIdentity, SpeakerNames},
};

/// Characters that separate the parts of a text in which a phrase and its names can stand.
const PART_ENDS: [char; 10] = ['.', '!', '?', ',', ';', ':', '(', ')', '\u{2014}', '\u{2026}'];

/// Returns the characters that do not notice what a text tells.
pub(super) fn unaware_characters(names: &SpeakerNames<'_>, narration: &str) -> Vec<EntityId> {
    let mut unaware = Vec::new();
    for part in narration.split(PART_ENDS) {
        let part = text::words(part);
        for phrase in words::english().unnoticed_phrases.iter().flat_map(|phrase| with_verbs(phrase)) {
            let is_before_phrase = phrase.starts_with('*');
            let words_after_names = phrase.split_once('*').map_or(0, |(_, after)| after.split_whitespace().count());
            let ranges = name_ranges(&part, &phrase).into_iter();
            let ranges = ranges.filter(|range| !is_idiom(&phrase, &part[range.end + words_after_names..]));
            unaware.extend(ranges.flat_map(|range| named_characters(names, &part[range], is_before_phrase)));
        }
    }
    unaware
}

/// Returns the phrases in which a form of a verb of perception replaces the `@`.
fn with_verbs(phrase: &str) -> Vec<String> {
    if !phrase.contains('@') {
        return vec![phrase.to_owned()];
    }
    let verbs = words::english().perception_verbs.iter().flat_map(|forms| forms.split_whitespace());
    verbs.map(|verb| phrase.replace('@', verb)).collect()
}

/// Returns whether the words after a phrase make it an opinion, as in "Odo doesn't see why".
fn is_idiom(phrase: &str, following: &[String]) -> bool {
    let begins = |idiom: &String| idiom.split_whitespace().zip(following).all(|(word, other)| word == other);
    let is_complete = |idiom: &String| idiom.split_whitespace().count() <= following.len();
    let is_perception = |forms: &String| forms.split_whitespace().any(|verb| phrase.ends_with(verb));
    words::english().perception_verbs.iter().any(is_perception)
        && words::english().perception_idioms.iter().any(|idiom| is_complete(idiom) && begins(idiom))
}

/// Returns the characters whose names end a part of a text if `is_end` is `true`, and otherwise begin it. The names of
/// several characters are joined with a conjunction, as in `Odo and Pell`.
fn named_characters(names: &SpeakerNames<'_>, part: &[String], is_end: bool) -> Vec<EntityId> {
    let (mut found, mut rest) = (Vec::new(), part);
    loop {
        let max_words = rest.len().min(MAX_REFERENCE_WORDS);
        let named = (1..=max_words).find_map(|count| {
            let (start, end) = rest.split_at(if is_end { rest.len() - count } else { count });
            let (name, others) = if is_end { (end, start) } else { (start, end) };
            Some((character(names, name)?, others))
        });
        let Some((id, others)) = named else { return found };
        found.push(id);
        let next = if is_end { others.split_last() } else { others.split_first() };
        match next {
            Some((word, others)) if words::contains_word(&words::english().name_conjunctions, word) => rest = others,
            _ => return found,
        }
    }
}

/// Returns the character to whom a few words refer.
fn character(names: &SpeakerNames<'_>, reference: &[String]) -> Option<EntityId> {
    match names.identify_typed(&reference.join(" ")) {
        SpeakerIdentity::Character(id) if names.can_speak(&id) => Some(id),
        _ => None,
    }
}

//! Persons who act in narration, as in `Pike kicks the door open.` or `Wren nods and walks away.`

use hearsay_model::{EntityId, State, text, words};

use super::speakers::{MAX_REFERENCE_WORDS, SpeakerIdentity, SpeakerNames};

/// Characters that end a sentence of narration.
const SENTENCE_ENDS: [char; 5] = ['.', '!', '?', ';', '\u{2026}'];

/// Characters that begin a quotation. The words after them are not narration.
const QUOTATION_MARKS: [char; 3] = ['"', '\u{201C}', '\u{201E}'];

/// A person who is the subject of a sentence of narration.
pub(in crate::session) struct Actor {
    pub(in crate::session) id: EntityId,
    /// Whether the person does something that it perceives, so that it is there. `false` for "Odo sleeps".
    pub(in crate::session) acts: bool,
    /// Whether the person leaves the scene.
    pub(in crate::session) leaves: bool,
}

/// Returns the characters with whose names the sentences of a text begin. `place` is the place of the scene.
pub(in crate::session) fn actors(
    names: &SpeakerNames<'_>,
    state: &State,
    narration: &str,
    place: Option<&EntityId>,
) -> Vec<Actor> {
    let narration = narration.split(QUOTATION_MARKS).next().unwrap_or_default();
    let place = place.map(|place| text::words(state.name_or_id(place))).unwrap_or_default();
    let mut found: Vec<Actor> = Vec::new();
    for sentence in narration.split(SENTENCE_ENDS) {
        let sentence: Vec<&str> = sentence.split_whitespace().collect();
        let (subjects, predicate) = subjects(names, state, &sentence);
        let verbs = verbs(predicate);
        let first = verbs.first().and_then(|words| words.first()).map_or("", String::as_str);
        let acts = !is_inactive(first);
        let leaves = acts && verbs.iter().any(|words| is_departure(words, &place));
        for id in subjects {
            match found.iter_mut().find(|actor| actor.id == id) {
                Some(actor) => (actor.acts, actor.leaves) = (actor.acts || acts, leaves),
                None => found.push(Actor { id, acts, leaves }),
            }
        }
    }
    found
}

/// Returns the characters whose names begin a sentence, and the words after these names. Adverbs and words such as "then"
/// can precede the names.
fn subjects<'a, 's>(
    names: &SpeakerNames<'_>,
    state: &State,
    sentence: &'s [&'a str],
) -> (Vec<EntityId>, &'s [&'a str]) {
    let (mut found, mut rest) = (Vec::new(), sentence);
    loop {
        let mut counts = (1..=rest.len().saturating_sub(1).min(MAX_REFERENCE_WORDS)).rev();
        let named = counts.find_map(|count| Some((character(names, state, &rest[..count])?, &rest[count..])));
        match (named, rest.split_first()) {
            (Some((id, others)), _) => {
                found.push(id);
                match others.split_first() {
                    Some((word, others)) if words::contains_word(&words::english().name_conjunctions, word) => {
                        rest = others;
                    }
                    _ => return (found, others),
                }
            }
            (None, Some((word, others))) if found.is_empty() && opens_clause(word) => rest = others,
            _ => return (found, rest),
        }
    }
}

/// Returns whether a subject can follow a word at the start of a sentence, as in "Suddenly, Pike laughs".
fn opens_clause(word: &str) -> bool {
    let word = word.trim_end_matches(',').to_lowercase();
    let english = words::english();
    words::contains_word(&english.clause_openers, &word) || is_adverb(&word)
}

fn is_adverb(word: &str) -> bool {
    words::english().adverb_endings.iter().any(|ending| word.ends_with(ending.as_str()))
}

/// Returns the character to whom a few words at the start of a sentence refer. The words must not be possessive, as in
/// "Pike's gun", and only the last word can have a comma.
fn character(names: &SpeakerNames<'_>, state: &State, reference: &[&str]) -> Option<EntityId> {
    let (last, others) = reference.split_last()?;
    let is_part = |word: &&str| word.ends_with([',', ':']);
    let is_possessive = |word: &&str| word.ends_with("'s") || word.ends_with("\u{2019}s");
    if is_possessive(last) || others.iter().any(|word| is_part(word) || is_possessive(word)) || last.ends_with(':') {
        return None;
    }
    match names.identify_typed(reference.join(" ").trim_end_matches(',')) {
        SpeakerIdentity::Character(id) => state.kind(&id).is_some_and(|kind| kind.is_character()).then_some(id),
        _ => None,
    }
}

/// Returns the words of each verb of a subject with the words that follow it: "nods" and "walks away" for "nods and walks
/// away". Adverbs before the verbs are omitted.
fn verbs(predicate: &[&str]) -> Vec<Vec<String>> {
    let predicate = predicate.join(" ");
    let mut verbs = Vec::new();
    for part in predicate.split(',') {
        let part = text::words(part);
        let english = words::english();
        let is_joint = |word: &String| {
            words::contains_word(&english.name_conjunctions, word)
                || words::contains_word(&english.clause_openers, word)
        };
        let parts = part.split(is_joint).map(|words| words.iter().skip_while(|word| is_adverb(word)).cloned());
        verbs.extend(parts.map(Iterator::collect::<Vec<String>>).filter(|words| !words.is_empty()));
    }
    verbs
}

/// Returns whether a verb states no deed that its subject perceives: "is", "sleeps", "doesn't".
fn is_inactive(verb: &str) -> bool {
    let english = words::english();
    verb.ends_with("n't")
        || words::contains_word(&english.negations, verb)
        || words::contains_word(&english.inactive_verbs, verb)
}

/// Returns whether a verb and the words that follow it state that the subject leaves a place: "walks quietly away",
/// "leaves", "leaves the Gull".
fn is_departure(verb: &[String], place: &[String]) -> bool {
    let english = words::english();
    let Some((verb, rest)) = verb.split_first() else { return false };
    if words::contains_word(&english.motion_verbs, verb) {
        let is_skipped = |word: &&String| is_adverb(word) || words::contains_word(&english.motion_adverbs, word);
        let particle = rest.iter().find(|word| !is_skipped(word));
        return particle.is_some_and(|word| words::contains_word(&english.departure_particles, word));
    }
    if !words::contains_word(&english.leaving_verbs, verb) {
        return false;
    }
    let is_followed = |word: &String| words::contains_word(&english.leaving_followers, word) || is_adverb(word);
    let without_article = |words: &[String]| -> Vec<String> {
        words.iter().skip_while(|word| words::contains_word(&english.fillers, word)).cloned().collect()
    };
    let (place, left) = (without_article(place), without_article(rest));
    rest.first().is_none_or(is_followed) || (!place.is_empty() && left.starts_with(&place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_of_motion_and_a_particle_state_a_departure() {
        let gull = text::words("The Gilded Gull");
        let leaves = |predicate: &str| {
            let words: Vec<&str> = predicate.split(' ').collect();
            verbs(&words).iter().any(|verb| is_departure(verb, &gull))
        };
        for predicate in [
            "gets up, pulls his hat down and shuffles out into the rain",
            "goes upstairs",
            "walks quietly away",
            "goes back upstairs",
            "nods and leaves",
            "leaves the Gilded Gull",
            "leaves with the others",
            "runs out to the wharf",
        ] {
            assert!(leaves(predicate), "{predicate}");
        }
        for predicate in [
            "comes in from the rain",
            "rakes the leaves",
            "leaves a coin on the table",
            "looks away",
            "walks to the bar",
        ] {
            assert!(!leaves(predicate), "{predicate}");
        }
    }
}

//! Verbs of narration that say where a person goes, as in `walks quietly away` or `heads up the hill to the mill`.

use hearsay_model::{text, words};

/// Maximum number of words between a verb of pursuit and the direction: "follow *the old man* out".
const MAX_PURSUED_WORDS: usize = 3;

/// Maximum number of words of the way between a verb of motion and the place: "heads up *the steep hill* to the mill".
const MAX_WAY_WORDS: usize = 4;

/// Returns the words after a verb of motion. After a verb of pursuit, they begin with the direction: "out" for "follows
/// him out".
pub(super) fn words_after_motion(verb: &[String]) -> Option<&[String]> {
    let english = words::english();
    let (first, rest) = verb.split_first()?;
    if words::contains_word(&english.pursuit_verbs, first) {
        let is_direction = |word: &String| {
            words::contains_word(&english.departure_particles, word)
                || words::contains_word(&english.destination_openers, word)
        };
        let at = rest.iter().take(MAX_PURSUED_WORDS + 1).position(is_direction)?;
        return Some(&rest[at..]);
    }
    words_after_any(verb, &english.motion_verbs)
}

/// Returns the words after a verb that alone states that a person leaves.
pub(super) fn words_after_leaving(verb: &[String]) -> Option<&[String]> {
    words_after_any(verb, &words::english().leaving_verbs)
}

/// Returns the words after a verb that directly precedes the place to which a person goes: "the mill" for "makes for the
/// mill".
pub(super) fn words_after_goal_phrase(verb: &[String]) -> Option<&[String]> {
    words_after_any(verb, &words::english().goal_phrases)
}

/// Returns the words for the person with whom the subject goes along: "her" for "goes with her", and no words for "tags
/// along". Returns `None` if the subject goes along with nobody.
pub(super) fn leader_words(verb: &[String]) -> Option<&[String]> {
    words::english().companion_phrases.iter().find_map(|phrase| {
        let (phrase, names_leader) = phrase.strip_suffix(" *").map_or((phrase.as_str(), false), |verb| (verb, true));
        words_after_phrase(verb, phrase).filter(|rest| rest.is_empty() != names_leader)
    })
}

pub(super) fn is_adverb(word: &str) -> bool {
    words::english().adverb_endings.iter().any(|ending| word.ends_with(ending.as_str()))
}

/// Returns the words of each verb of a subject with the words that follow it: "nods" and "walks away" for "nods and walks
/// away". Adverbs before the verbs are omitted.
pub(super) fn verbs(predicate: &[&str]) -> Vec<Vec<String>> {
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
pub(super) fn is_inactive(verb: &str) -> bool {
    let english = words::english();
    verb.ends_with("n't")
        || words::contains_word(&english.negations, verb)
        || words::contains_word(&english.inactive_verbs, verb)
}

/// Returns whether a verb states that the subject comes to a place: "comes", "returns".
pub(super) fn is_arrival(verb: &str) -> bool {
    words::contains_word(&words::english().arrival_verbs, verb)
}

/// Returns whether a verb and the words that follow it state that the subject leaves a place: "walks quietly away",
/// "goes up to her room", "is led away", "leaves", "leaves the Gull".
pub(super) fn is_departure(verb: &[String], place: &[String]) -> bool {
    let english = words::english();
    let is_skipped = |word: &String| is_adverb(word) || words::contains_word(&english.motion_adverbs, word);
    if let Some(rest) = words_after_removal(verb) {
        let particle = rest.iter().find(|word| !is_skipped(word));
        return particle.is_some_and(|word| words::contains_word(&english.removal_particles, word));
    }
    if let Some(rest) = words_after_motion(verb) {
        let direction = &rest[rest.iter().take_while(|word| is_skipped(word)).count()..];
        return begins_departure(direction) || is_private_place(words_after_way(rest));
    }
    let Some(rest) = words_after_leaving(verb) else { return false };
    let is_followed = |word: &String| words::contains_word(&english.leaving_followers, word) || is_adverb(word);
    let without_article = |words: &[String]| -> Vec<String> {
        words.iter().skip_while(|word| words::contains_word(&english.fillers, word)).cloned().collect()
    };
    let (place, left) = (without_article(place), without_article(rest));
    rest.first().is_none_or(is_followed) || (!place.is_empty() && left.starts_with(&place))
}

/// Returns whether words after a verb of motion begin with a particle such as "away". In "steps inside the circle", "inside"
/// begins the name of a place, and not all places are outside the scene.
fn begins_departure(direction: &[String]) -> bool {
    let english = words::english();
    let Some((particle, rest)) = direction.split_first() else { return false };
    let begins_place = words::contains_word(&english.destination_openers, particle)
        && rest.first().is_some_and(|word| words::contains_word(&english.determiners, word));
    words::contains_word(&english.departure_particles, particle) && !begins_place
}

/// Returns whether words such as "to her room" name a place that is no part of a scene with others.
fn is_private_place(goal: &[String]) -> bool {
    let english = words::english();
    let Some((opener, rest)) = goal.split_first() else { return false };
    let is_possessive = |word: &&String| english.personal_pronouns.iter().any(|one| one.possessive == **word);
    let place = rest.iter().find(|word| !is_possessive(word));
    words::contains_word(&english.destination_openers, opener)
        && place.is_some_and(|word| words::contains_word(&english.private_places, word))
}

/// Returns the words after the way along which a person goes: "to the mill" for "up the steep hill to the mill". The
/// words follow a verb of motion.
pub(super) fn words_after_way(words: &[String]) -> &[String] {
    let english = words::english();
    let is_skipped = |word: &&String| {
        let is_particle = words::contains_word(&english.departure_particles, word)
            && !words::contains_word(&english.destination_openers, word);
        is_adverb(word) || words::contains_word(&english.motion_adverbs, word) || is_particle
    };
    let rest = &words[words.iter().take_while(is_skipped).count()..];
    let begins_way = |word: &String| {
        words::contains_word(&english.way_openers, word) || words::contains_word(&english.fillers, word)
    };
    if !rest.first().is_some_and(begins_way) {
        return rest;
    }
    let is_opener = |word: &String| words::contains_word(&english.destination_openers, word);
    let opener = rest.iter().take(MAX_WAY_WORDS + 1).position(is_opener);
    opener.map_or(rest, |at| &rest[at..])
}

/// Returns the words after a verb of motion and a phrase that says that a person comes out of a place: "the dark" for
/// "steps out of the dark".
pub(super) fn words_after_emergence(verb: &[String]) -> Option<&[String]> {
    let rest = words_after_motion(verb)?;
    let rest = &rest[rest.iter().take_while(|word| is_adverb(word)).count()..];
    words::english().emergence_phrases.iter().find_map(|phrase| words_after_phrase(rest, phrase))
}

/// Returns the words after a verb in the passive voice that sends its subject away: "away by the guards" for "is led away by
/// the guards".
pub(super) fn words_after_removal(verb: &[String]) -> Option<&[String]> {
    let english = words::english();
    let (auxiliary, rest) = verb.split_first()?;
    let rest = &rest[rest.iter().take_while(|word| is_adverb(word)).count()..];
    let (participle, rest) = rest.split_first()?;
    let is_removal = words::contains_word(&english.passive_auxiliaries, auxiliary)
        && words::contains_word(&english.removal_verbs, participle);
    is_removal.then_some(rest)
}

/// Returns the words between a verb that sends somebody away and the direction, and the words from the direction on: "odo"
/// and "out of the inn" for "throws Odo out of the inn".
pub(super) fn removed_words(verb: &[String]) -> Option<(&[String], &[String])> {
    let english = words::english();
    let (_, rest) = verb.split_first().filter(|(verb, _)| words::contains_word(&english.removal_verbs, verb))?;
    let is_direction = |word: &String| words::contains_word(&english.removal_particles, word);
    let at = rest.iter().take(MAX_PURSUED_WORDS + 1).position(is_direction)?;
    Some(rest.split_at(at))
}

/// Returns whether the words after a subject say only what will or may happen: "is going to hang".
pub(super) fn is_prospect(predicate: &[&str]) -> bool {
    let predicate = text::words(&predicate.join(" "));
    let predicate = &predicate[predicate.iter().take_while(|word| is_adverb(word)).count()..];
    words::english().prospect_phrases.iter().any(|phrase| words_after_phrase(predicate, phrase).is_some())
}

/// Returns the words after the first of several phrases with which words begin.
fn words_after_any<'w>(words: &'w [String], phrases: &[String]) -> Option<&'w [String]> {
    phrases.iter().find_map(|phrase| words_after_phrase(words, phrase))
}

/// Returns the words after a phrase with which words begin.
fn words_after_phrase<'w>(words: &'w [String], phrase: &str) -> Option<&'w [String]> {
    let count = phrase.split_whitespace().count();
    let begins = || words.iter().zip(phrase.split_whitespace()).all(|(word, other)| word == other);
    (words.len() >= count && begins()).then(|| &words[count..])
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
            "go after him while Sarge stays with Marta",
            "follows the old man out",
            "chase after them",
            "climb down",
            "shrugs and stomps off",
            "climbs up to her room",
            "heads up the back stairs to his chambers",
            "heads for bed",
            "hurries back inside",
            "walks inside with the lamp",
            "is quickly marched off by the guards",
            "was dragged outside",
            "makes her way out",
            "sets off through the woods",
            "sets out",
        ] {
            assert!(leaves(predicate), "{predicate}");
        }
        for predicate in [
            "comes in from the rain",
            "rakes the leaves",
            "leaves a coin on the table",
            "looks away",
            "walks to the bar",
            "walks up to the bar",
            "walks to the next room",
            "follows the talk",
            "steps inside the circle",
            "is not led away",
            "is led to a chair",
            "is away",
            "will be led away",
            "sets out the plates",
            "makes her way to the bar",
            "makes a way out",
        ] {
            assert!(!leaves(predicate), "{predicate}");
        }
    }

    #[test]
    fn the_way_to_a_place_is_skipped() {
        let after_way = |line: &str| words_after_way(&text::words(line)).join(" ");
        for line in
            ["to the mill", "back up to the mill", "up the steep hill to the mill", "out of the cave to the mill"]
        {
            assert_eq!(after_way(line), "to the mill", "{line}");
        }
        assert_eq!(after_way("up the hill"), "the hill");
    }
}

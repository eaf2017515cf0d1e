//! Verbs of narration that say where a person goes, as in `walks quietly away` or `heads up the hill to the mill`.

use hearsay_model::{
    text,
    words::{self, is_adverb},
};

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

/// Returns whether a verb states no deed that its subject perceives: "is", "owes", "sleeps", "doesn't".
pub(super) fn is_inactive(verb: &str) -> bool {
    let english = words::english();
    verb.ends_with("n't")
        || words::contains_word(&english.negations, verb)
        || words::is_finite_be_form(verb)
        || [&english.inactive_verbs, &english.stative_verbs].into_iter().any(|list| words::contains_word(list, verb))
}

/// Returns whether a verb states in the present tense what only the living do: "orders". `false` for "lies", which can tell of
/// a body, and for "ordered", which can tell of the past.
pub(super) fn is_deed_of_living(verb: &str) -> bool {
    let english = words::english();
    let is_present = english.third_person_endings.iter().any(|ending| verb.ends_with(ending.as_str()));
    is_present && !is_inactive(verb) && !words::contains_word(&english.lifeless_verbs, verb)
}

/// Returns whether a verb and the words that follow it state what the subject is, has or feels, and no deed: "is the richest
/// man in town", "owes Wren a crown". "Is wiping a mug", "is back" and "has come" are no states.
pub(super) fn is_state(verb: &[String]) -> bool {
    let english = words::english();
    let Some((first, rest)) = verb.split_first() else { return false };
    let rest = &rest[rest.iter().take_while(|word| is_adverb(word)).count()..];
    if words::is_finite_be_form(first) {
        let is_deed = |word: &String| {
            let lists = [&english.removal_verbs, &english.escort_verbs];
            words::is_progressive_form(word) || lists.into_iter().any(|list| words::contains_word(list, word))
        };
        let is_there = |word: &String| words::contains_word(&english.presence_adverbs, word);
        return !rest.first().is_some_and(is_deed) && !rest.last().is_some_and(is_there);
    }
    let has_object = || {
        let is_quantity =
            |word: &String| words::is_determiner(word) || words::contains_word(&english.number_words, word);
        rest.first().is_some_and(is_quantity)
    };
    words::contains_word(&english.stative_verbs, first)
        && (!words::contains_word(&english.perfect_auxiliaries, first) || has_object())
}

/// Returns whether words after a subject tell what this person thinks, and nothing that others notice: "wonders where the key
/// is". The words after a comma or a conjunction can tell something else, unless they continue the thought: "and why".
pub(super) fn is_thought(predicate: &[&str]) -> bool {
    let english = words::english();
    let all_words = text::words(&predicate.join(" "));
    let is_visible = |phrase: &String| text::contains_name(&all_words, &text::words(phrase));
    let thinks = |verb: &Vec<String>| words_after_any(verb, &english.thought_phrases).is_some();
    let continues = |verb: &Vec<String>| {
        verb.first().is_some_and(|word| words::contains_word(&english.reported_openers, word)) || thinks(verb)
    };
    let verbs = verbs(predicate);
    verbs.first().is_some_and(thinks)
        && verbs.iter().skip(1).all(continues)
        && !english.visible_thought_phrases.iter().any(is_visible)
}

/// Returns whether a word has the ending of a verb after a subject for one person: "pounds", "pounded".
pub(super) fn may_be_verb(word: &str) -> bool {
    let english = words::english();
    let mut endings = english.third_person_endings.iter().chain(&english.past_endings);
    endings.any(|ending| word.ends_with(ending.as_str()))
}

/// Returns whether a verb states that the subject comes to a place: "comes", "returns".
pub(super) fn is_arrival(verb: &str) -> bool {
    words::contains_word(&words::english().arrival_verbs, verb)
}

/// Returns whether a verb and the words that follow it state that the subject leaves a place without a name: "walks quietly
/// away", "goes up to her room", "is led away", "leaves".
pub(super) fn is_departure(verb: &[String]) -> bool {
    let english = words::english();
    let is_skipped = |word: &String| is_adverb(word) || words::contains_word(&english.motion_adverbs, word);
    if let Some(rest) = words_after_removal(verb) {
        let particle = rest.iter().find(|word| !is_skipped(word));
        return particle.is_some_and(|word| words::contains_word(&english.removal_particles, word));
    }
    if let Some(rest) = words_after_motion(verb) {
        let direction = &rest[rest.iter().take_while(|word| is_skipped(word)).count()..];
        if begins_departure(direction) || is_private_place(words_after_way(rest)) {
            return true;
        }
    }
    // "Flees" is also a verb of motion.
    words_after_leaving(verb).is_some_and(can_follow_leaving)
}

/// Returns the words after a phrase that states that a person leaves for an unknown place, and not only for a short time:
/// "into the night" for "flees into the night". Returns `None` if these words say that the person stays near or comes back.
pub(super) fn words_after_flight(verb: &[String]) -> Option<&[String]> {
    let english = words::english();
    let is_near = |word: &String| words::contains_word(&english.nearby_words, word);
    words_after_any(verb, &english.flight_phrases).filter(|rest| !rest.iter().any(is_near))
}

/// Returns whether words can follow a phrase such as "flees": "into the night", "out of the door".
pub(super) fn can_follow_flight(rest: &[String]) -> bool {
    can_follow_leaving(rest)
        || rest.first().is_some_and(|word| words::contains_word(&words::english().departure_particles, word))
}

/// Returns whether words can follow a verb such as "leaves", or the place that a person leaves: "with the others".
pub(super) fn can_follow_leaving(rest: &[String]) -> bool {
    let is_follower =
        |word: &String| words::contains_word(&words::english().leaving_followers, word) || is_adverb(word);
    rest.first().is_none_or(is_follower)
}

/// Returns whether words after a verb of motion begin with a particle such as "away". In "steps inside the circle", "inside"
/// begins the name of a place, and not all places are outside the scene.
fn begins_departure(direction: &[String]) -> bool {
    let english = words::english();
    let Some((particle, rest)) = direction.split_first() else { return false };
    let begins_place = words::contains_word(&english.destination_openers, particle)
        && rest.first().is_some_and(|word| words::is_determiner(word));
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
    let is_removal = words::is_finite_be_form(auxiliary) && words::contains_word(&english.removal_verbs, participle);
    is_removal.then_some(rest)
}

/// Returns the words between a verb that sends somebody away and the direction, and the words from the direction on: "odo"
/// and "out of the inn" for "throws Odo out of the inn".
pub(super) fn removed_words(verb: &[String]) -> Option<(&[String], &[String])> {
    split_at_direction(verb, &words::english().removal_verbs, &words::english().removal_particles)
}

/// Returns the words between a verb that takes somebody along and the words that can name a place: "odo" and "to the mill" for
/// "brings Odo along to the mill".
pub(super) fn escorted_words(verb: &[String]) -> Option<(&[String], &[String])> {
    let english = words::english();
    let (person, direction) = split_at_direction(verb, &english.escort_verbs, &english.destination_openers)?;
    let particles = [&english.motion_adverbs, &english.departure_particles, &english.way_openers];
    let is_particle = |word: &&String| particles.iter().any(|list| words::contains_word(list, word));
    let particle_count = person.iter().rev().take_while(is_particle).count();
    Some((&person[..person.len() - particle_count], direction))
}

/// Returns the words after a direction with which words begin that follow a subject without a verb: "the mill" for "back to
/// the mill".
pub(super) fn words_after_verbless_way(words: &[String]) -> Option<&[String]> {
    let english = words::english();
    let is_skipped = |word: &&String| {
        let lists = [&english.motion_adverbs, &english.departure_particles];
        let is_direction = lists.into_iter().any(|list| words::contains_word(list, word));
        is_direction && !words::contains_word(&english.destination_openers, word)
    };
    let (opener, rest) = words[words.iter().take_while(is_skipped).count()..].split_first()?;
    words::contains_word(&english.destination_openers, opener).then_some(rest)
}

/// Returns the words for the person whom somebody brings into the scene: "odo" for "brings Odo in".
pub(super) fn brought_words(verb: &[String]) -> Option<&[String]> {
    let english = words::english();
    let (person, direction) = split_at_direction(verb, &english.escort_verbs, &english.entry_particles)?;
    let after_particle = &direction[1..];
    // "Brings in Odo".
    if person.is_empty() {
        return Some(after_particle);
    }
    can_follow_leaving(after_particle).then_some(person)
}

/// Returns the words after a verb with which a person comes into the scene, and after its particle: "with Odo" for "bursts in
/// with Odo".
pub(super) fn words_after_entry(verb: &[String]) -> Option<&[String]> {
    let english = words::english();
    let is_particle = |word: &String| words::contains_word(&english.entry_particles, word);
    let is_skipped = |word: &&String| is_adverb(word) || words::contains_word(&english.motion_adverbs, word);
    let after_arrival = verb.split_first().filter(|(first, _)| is_arrival(first)).map(|(_, rest)| rest);
    let after_entry = || words_after_motion(verb).or_else(|| words_after_any(verb, &english.entry_verbs));
    let rest = after_arrival.or_else(after_entry)?;
    let rest = &rest[rest.iter().take_while(is_skipped).count()..];
    match rest.split_first() {
        Some((first, rest)) if is_particle(first) => Some(rest),
        _ => after_arrival.is_some().then_some(rest),
    }
}

/// Returns whether words can follow the name of a person who comes along: "at her heels", "in his arms".
pub(super) fn can_follow_companion(rest: &[String]) -> bool {
    let is_follower = |word: &String| words::contains_word(&words::english().company_followers, word);
    can_follow_leaving(rest) || rest.first().is_some_and(is_follower)
}

/// Splits the words after one of several verbs at the first of several directions, which must come soon.
fn split_at_direction<'w>(
    verb: &'w [String],
    verbs: &[String],
    directions: &[String],
) -> Option<(&'w [String], &'w [String])> {
    let (_, rest) = verb.split_first().filter(|(verb, _)| words::contains_word(verbs, verb))?;
    let is_direction = |word: &String| words::contains_word(directions, word);
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
        let leaves = |predicate: &str| {
            let words: Vec<&str> = predicate.split(' ').collect();
            verbs(&words).iter().any(|verb| is_departure(verb))
        };
        for predicate in [
            "gets up, pulls his hat down and shuffles out into the rain",
            "goes upstairs",
            "walks quietly away",
            "goes back upstairs",
            "nods and leaves",
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
    fn a_flight_is_more_than_a_departure_for_the_evening() {
        let flees = |line: &str| words_after_flight(&text::words(line)).is_some_and(can_follow_flight);
        for line in [
            "flees over the rooftops",
            "runs away across the fields",
            "rides off to the border",
            "flees out of the door",
            "makes off with the purse",
            "leaves town at dawn",
            "escapes through a hatch",
            "has fled",
            "is gone",
            "is taken away by the bailiffs",
        ] {
            assert!(flees(line), "{line}");
        }
        for line in [
            "goes out",
            "walks out into the night",
            "leaves",
            "flees upstairs",
            "flees into the pantry",
            "escapes the ropes",
            "runs away from the geese",
            "is gone for a moment",
            "is gone for an hour",
            "is not gone",
            "makes off-colour jokes",
            "leaves the town clerk a coin",
            "vanishes behind the counter",
        ] {
            assert!(!flees(line), "{line}");
        }
    }

    #[test]
    fn a_state_is_no_deed() {
        let is_state_of = |line: &str| is_state(&text::words(line));
        for line in [
            "is the proudest smith in the valley",
            "was really tired",
            "owes the guild nine marks",
            "fears the river",
            "has two sons",
        ] {
            assert!(is_state_of(line), "{line}");
        }
        for line in ["is sharpening a knife", "is finally back", "is dragged through the mud", "has come home", "waves"]
        {
            assert!(!is_state_of(line), "{line}");
        }
    }

    #[test]
    fn only_what_nobody_notices_is_a_thought() {
        let is_thought_of = |line: &str| is_thought(&line.split(' ').collect::<Vec<_>>());
        for line in ["wonders where the lamp is, and why", "recalls the mill", "plans to sell the boat"] {
            assert!(is_thought_of(line), "{line}");
        }
        for line in [
            "wonders out loud",
            "recalls the mill and pockets the lamp",
            "recalls the mill, and the dog barks",
            "recalls the mill, whistling",
            "hops",
        ] {
            assert!(!is_thought_of(line), "{line}");
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

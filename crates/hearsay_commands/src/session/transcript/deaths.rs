//! Deaths that narration perhaps tells, as in `Pike lunges, and Odo falls dead across the table.`

use hearsay_model::{EntityId, text, words};

use super::{
    introduction::{named_characters, normal_word},
    narration::narrated_sentences,
    speakers::SpeakerNames,
};

/// Maximum number of words between the name of a character and a word such as `dead`.
const MAX_DISTANCE: usize = 3;

/// Returns the named characters of whom narration perhaps tells that they die. Questions, reported words, and sentences about
/// what does not happen or only may happen name nobody.
pub(in crate::session) fn possible_deaths(names: &SpeakerNames<'_>, narration: &str) -> Vec<EntityId> {
    let sentences = narrated_sentences(narration).filter(|_| !narration.contains('?'));
    sentences.filter_map(|sentence| dying_character(names, &sentence)).collect()
}

fn dying_character(names: &SpeakerNames<'_>, sentence: &[&str]) -> Option<EntityId> {
    let english = words::english();
    let normal: Vec<String> = sentence.iter().map(|word| normal_word(word)).collect();
    let doubts = [&english.death_doubts, &english.negations, &english.speech_verbs, &english.reported_openers];
    let is_doubtful = normal.iter().any(|word| doubts.iter().any(|list| words::contains_word(list, word)));
    let is_idiom = english.death_idioms.iter().any(|idiom| text::contains_name(&normal, &text::words(idiom)));
    if is_doubtful || is_idiom {
        return None;
    }
    let at = |list: &[String]| normal.iter().position(|word| words::contains_word(list, word));
    let killed = || {
        let object = &sentence[at(&english.killing_verbs)? + 1..];
        let name = object.iter().position(|word| !words::is_determiner(word))?;
        named_first(names, &object[name..])
    };
    let dead = || {
        let before = &sentence[..at(&english.death_states)?];
        // "finds her brother dead" does not tell that she dies.
        let name = (0..before.len()).rev().find(|at| before[*at].starts_with(char::is_uppercase))?;
        let between = &before[name + 1..];
        let is_near = between.len() <= MAX_DISTANCE && !between.iter().any(|word| words::is_determiner(word));
        named_characters(names, before).pop().filter(|_| is_near)
    };
    killed().or_else(dead)
}

/// Returns the character with whose name words begin.
fn named_first(names: &SpeakerNames<'_>, part: &[&str]) -> Option<EntityId> {
    let is_name = part.first().is_some_and(|word| word.starts_with(char::is_uppercase));
    named_characters(names, part).into_iter().next().filter(|_| is_name)
}

//! Whispers that narration reports, as in `Lotti whispers to Ysolde that Odo is late.`

use hearsay_model::{EntityId, State, text::SENTENCE_ENDS};

use super::{
    acting::{NarratedScene, actors},
    clauses::named_clauses,
    introduction::Introduction,
    narration::before_quotation,
    speakers::SpeakerNames,
};

/// Returns the speaker and the hearers of a whisper that narration reports. Returns `None` if there is no whisper, if it names
/// no living hearers, or if somebody else acts in another sentence.
pub(super) fn reported_whisper(names: &SpeakerNames<'_>, state: &State, narration: &str) -> Option<Vec<EntityId>> {
    let narrated = before_quotation(narration);
    let has_quotation = narrated.len() < narration.len();
    let sentences: Vec<&str> = narrated.split(SENTENCE_ENDS).filter(|sentence| !sentence.trim().is_empty()).collect();
    let (at, participants) = sentences.iter().enumerate().find_map(|(at, sentence)| {
        let is_quoted = has_quotation && at + 1 == sentences.len();
        Some((at, whisper_in(names, state, sentence, is_quoted)?))
    })?;
    let others = sentences.iter().enumerate().filter(|(other, _)| *other != at);
    let mut others = others.flat_map(|(_, sentence)| actors(names, state, sentence, &NarratedScene::default()));
    others.all(|actor| participants.contains(&actor.id)).then_some(participants)
}

/// Returns the speaker and the hearers of a whisper that a sentence reports.
fn whisper_in(names: &SpeakerNames<'_>, state: &State, sentence: &str, is_quoted: bool) -> Option<Vec<EntityId>> {
    let sentence: Vec<&str> = sentence.split_whitespace().collect();
    named_clauses(names, state, &sentence).into_iter().find_map(|(speaker, predicate)| {
        let introduction = Introduction::in_clause(predicate, is_quoted)?;
        // A ghost can whisper, but hears nothing.
        let speaker_hears = names.can_hear(&speaker);
        if introduction.is_to_self() {
            return speaker_hears.then(|| vec![speaker]);
        }
        let mut participants = match introduction.approached(names, &speaker) {
            Some(hearer) => vec![hearer],
            None => introduction.confidants(state).ok()?,
        };
        if participants.is_empty() || !participants.iter().all(|id| names.can_hear(id)) {
            return None;
        }
        participants.extend(speaker_hears.then_some(speaker));
        Some(participants)
    })
}

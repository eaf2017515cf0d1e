//! Thoughts that narration tells, as in `Lotti wonders where the key is.` Only the person who thinks notices them.

use hearsay_extract::subject_pronoun;
use hearsay_model::{EntityId, State};

use super::{
    clauses::{Clause, ClauseReader},
    motion::is_thought,
    narration::{before_quotation, sentences},
    speakers::SpeakerNames,
    subjects::Subject,
};

/// Returns the character whose thoughts are all that narration tells. Returns `None` if it also tells something that others
/// notice, or if the character hears nothing.
pub(super) fn thinker(names: &SpeakerNames<'_>, state: &State, narration: &str) -> Option<EntityId> {
    if before_quotation(narration).len() < narration.len() {
        return None;
    }
    let reader = ClauseReader::new(names, state);
    let mut thinker: Option<EntityId> = None;
    for sentence in sentences(narration).filter(|sentence| !sentence.is_empty()) {
        let clauses = reader.clauses(&sentence);
        if clauses.first().is_none_or(|clause| !clause.begins_sentence) {
            return None;
        }
        for Clause { subject, predicate, .. } in clauses {
            let subject = match subject {
                Subject::Named(ids) if ids.len() == 1 => ids.into_iter().next(),
                Subject::Person(pronoun) => {
                    let fits = |id: &EntityId| subject_pronoun(state, id).is_none_or(|other| other == pronoun);
                    thinker.clone().filter(fits)
                }
                _ => None,
            };
            let is_other = thinker.is_some() && thinker != subject;
            if subject.is_none() || is_other || !is_thought(predicate) {
                return None;
            }
            thinker = subject;
        }
    }
    thinker.filter(|id| names.can_hear(id))
}

//! Reads subject, predicate and object from a sentence that the DM edits.

use std::time::{Duration, Instant};

use hearsay_commands::reading::{Draft, DraftExtraction};
use hearsay_engine::{ExtractedFact, ExtractedObject, Memory, MemoryError, Mention, TextType, Ticket};
use hearsay_model::{EntityId, FactId, Factuality, attribute};

use super::view::{ReviewDraft, ReviewView, SentenceParts};
use crate::{names::NameIndex, panel_context::poll_ticket};

/// Time without an edit after which a sentence is read.
const TYPING_PAUSE: Duration = Duration::from_millis(300);

/// Reads the sentences of drafts, one at a time.
#[derive(Debug, Default)]
pub(super) struct SentenceReader {
    /// The edited sentence, and the time of the last edit.
    typed: Option<(FactId, String, Instant)>,
    pending: Option<(FactId, String, Ticket<DraftExtraction>)>,
}

impl SentenceReader {
    /// Receives the facts of the sentence that is being read, and reads the next edited sentence.
    pub(super) fn update(&mut self, memory: &Memory, names: &NameIndex, view: &mut ReviewView) {
        if let Some((fact, sentence, ticket)) = self.pending.take() {
            let mut ticket = Some(ticket);
            let Some(answer) = poll_ticket(&mut ticket) else {
                self.pending = ticket.map(|ticket| (fact, sentence, ticket));
                return;
            };
            let facts = answer.map(|answer| answer.extraction.facts).unwrap_or_default();
            if let Some(draft) = view.drafts.get_mut(&fact).filter(|draft| draft.statement.trim() == sentence) {
                draft.set_parts(parts_of(&sentence, &facts, draft, names));
            }
        }
        let Some(draft) = view.drafts.values_mut().find(|draft| draft.needs_reading()) else {
            self.typed = None;
            return;
        };
        let sentence = draft.statement.trim().to_owned();
        let typed_at = match &self.typed {
            Some((fact, text, typed_at)) if *fact == draft.fact && *text == sentence => *typed_at,
            _ => Instant::now(),
        };
        self.typed = Some((draft.fact, sentence.clone(), typed_at));
        if !draft.accepts_when_read && typed_at.elapsed() < TYPING_PAUSE {
            return;
        }
        match memory.draft(Draft { text: sentence.clone(), form: TextType::Narration, ..Draft::default() }) {
            Ok(ticket) => self.pending = Some((draft.fact, sentence, ticket)),
            // The memory is busy: try again in the next frame.
            Err(MemoryError::Full { .. }) => {}
            Err(_) => draft.set_parts(parts_of(&sentence, &[], draft, names)),
        }
    }
}

/// Returns the parts that a sentence states. If no fact between known entities was extracted from the sentence, the
/// sentence itself is recorded as lore about the first entity that it names.
fn parts_of(sentence: &str, facts: &[ExtractedFact], draft: &ReviewDraft, names: &NameIndex) -> SentenceParts {
    let parts = facts.iter().filter_map(|fact| Some((fact, parts_of_fact(fact, names)?)));
    // A sentence can state several facts. The fact that was edited comes first.
    let is_edited_fact = |parts: &SentenceParts| (parts.predicate == draft.predicate, parts.subject == draft.subject);
    let best = parts.max_by(|(a_fact, a), (b_fact, b)| {
        let confidence = a_fact.confidence.get().total_cmp(&b_fact.confidence.get());
        is_edited_fact(a).cmp(&is_edited_fact(b)).then(confidence)
    });
    best.map(|(_, parts)| parts).unwrap_or_else(|| SentenceParts {
        subject: names
            .find_mention(sentence)
            .map_or_else(|| draft.subject.clone(), |named| identifier(&named.id, names)),
        predicate: attribute::LORE.to_owned(),
        object: sentence.to_owned(),
        object_is_entity: false,
    })
}

/// Returns the parts of an extracted fact; `None` if the sentence does not assert the fact, or if an entity is new.
fn parts_of_fact(fact: &ExtractedFact, names: &NameIndex) -> Option<SentenceParts> {
    if fact.denied || fact.ended || fact.stated_by.is_some() || fact.factuality != Factuality::Asserted {
        return None;
    }
    let known = |mention: &Mention| match mention {
        Mention::Known(id) => Some(identifier(id, names)),
        Mention::New(_) => None,
    };
    let (object, object_is_entity) = match &fact.object {
        ExtractedObject::Entity(mention) => (known(mention)?, true),
        ExtractedObject::Value(value) => (value.to_string(), false),
    };
    let predicate = fact.predicate.as_str().to_owned();
    Some(SentenceParts { subject: known(&fact.subject)?, predicate, object, object_is_entity })
}

/// Returns the name of an entity, or its id if the name does not identify it.
fn identifier(id: &EntityId, names: &NameIndex) -> String {
    let name = names.name(id);
    if names.resolve(name).is_ok_and(|found| found == *id) { name.to_owned() } else { id.to_string() }
}

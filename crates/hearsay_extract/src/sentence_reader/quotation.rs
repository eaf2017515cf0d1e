//! Finds the speakers and hearers of quotations.

use super::SentenceReader;
use crate::{
    entities::mentions::EntityRef,
    language::{kind_set::KindSet, word_lists::lists},
    syntax::{
        chunker::{Chunk, VerbForm},
        clauses::{Clause, SubjectSource},
    },
    text::tokenizer::TokenKind,
};

impl SentenceReader<'_> {
    /// Returns the speaker of a quotation, the hearers, and whether the speaker is uncertain.
    ///
    /// The speaker is the subject of the nearest verb of speech. Without such a verb, the speaker is the last speaker
    /// or the last subject. In the narration of a scene, only a person in the scene speaks, and words that somebody reads
    /// or writes have no speaker.
    pub(crate) fn quotation_speaker(&mut self, quote: usize) -> (Option<EntityRef>, Vec<EntityRef>, bool) {
        let is_quote =
            |item: &Chunk| matches!(item, Chunk::Token(at) if self.tokens[*at].kind == TokenKind::Quote(quote));
        let Some(quote_item) = self.chunks.items.iter().position(is_quote) else { return (None, Vec::new(), false) };
        let mut nearest_first: Vec<usize> = (0..self.clauses.len()).collect();
        nearest_first.sort_by_key(|at| self.clauses[*at].verb_item.abs_diff(quote_item));
        for at in nearest_first {
            let clause = self.clauses[at].clone();
            let vg = &self.chunks.verb_groups[clause.verb_group];
            let is_after_comma = clause.verb_item + 2 == quote_item && self.syntax.word(clause.verb_item + 1) == ",";
            if self.is_narrated_scene() && lists().verbs.writing.contains(vg.lemma.as_str()) {
                self.history.speaker = None;
                return (None, Vec::new(), true);
            }
            let introduces_quote = vg.lemma == "go" && (clause.verb_item + 1 == quote_item || is_after_comma);
            if !(introduces_quote || self.grammar.verb_properties(&vg.lemma).is_speech) || vg.form != VerbForm::Finite {
                continue;
            }
            let subjects = clause.subjects.clone();
            let speakers = self.resolve_all(&subjects, &[]);
            let named_hearers = self.named_hearers(at);
            let found = speakers.first().map(|resolved_entity| resolved_entity.entity);
            let speaker = found.filter(|entity| self.may_be_in_scene(*entity));
            if found.is_some() {
                self.history.speaker = speaker;
            }
            return (speaker, named_hearers, false);
        }
        if self.tokens.len() == 1 && self.history.speaker.is_some() {
            return (self.history.speaker, Vec::new(), false);
        }
        let last_subject = self.history.last_subject().filter(|entity| self.may_be_in_scene(*entity));
        (last_subject, Vec::new(), true)
    }

    /// Returns whether the sentence is narration of a scene whose persons are known.
    fn is_narrated_scene(&self) -> bool {
        !self.speech.is_table_talk && !self.present.is_empty()
    }

    /// Returns whether an entity is in the narrated scene. A new name can be the name of a person in the scene.
    fn may_be_in_scene(&self, entity: EntityRef) -> bool {
        match entity {
            EntityRef::Known(entity) => !self.is_narrated_scene() || self.present.contains(&entity),
            EntityRef::New(_) => true,
        }
    }

    /// Returns the hearers that a clause with a verb of speech names.
    pub(crate) fn named_hearers(&mut self, clause: usize) -> Vec<EntityRef> {
        let Clause { rest_items: mut rest, subjects, .. } = self.clauses[clause].clone();
        let speakers: Vec<EntityRef> =
            self.resolve_all(&subjects, &[]).iter().map(|resolved_entity| resolved_entity.entity).collect();
        let lemma = self.verb_group(clause).lemma.clone();
        let mut first_hearer_item = rest.start;
        if self.syntax.word(first_hearer_item) == "to" || self.syntax.word(first_hearer_item) == "with" {
            first_hearer_item += 1;
        } else if !lists().verbs.with_hearers.contains(lemma.as_str()) {
            let to_item =
                rest.find(|item| self.syntax.word(*item) == "to" && self.syntax.noun_group_at(item + 1).is_some());
            let Some(to_item) = to_item else { return Vec::new() };
            first_hearer_item = to_item + 1;
        }
        let (hearer_groups, _) = self.syntax.noun_list(first_hearer_item, self.chunks.items.len());
        // In "told Lyra Odo left", "Odo" is a subject, not a hearer.
        let hearer_groups: Vec<usize> = hearer_groups
            .into_iter()
            .filter(|np| {
                !self
                    .clauses
                    .iter()
                    .any(|clause| clause.subject_source == SubjectSource::Direct && clause.subjects.contains(np))
            })
            .collect();
        let hearers = self.resolve_all(&hearer_groups, &speakers);
        let mut hearers: Vec<EntityRef> = hearers
            .iter()
            .map(|resolved_entity| resolved_entity.entity)
            .filter(|entity| self.kinds(*entity).intersects(KindSet::PERSON.and(KindSet::ANY)))
            .collect();
        // Example: "what she told us, me and Ibo"
        hearers.dedup();
        hearers
    }
}

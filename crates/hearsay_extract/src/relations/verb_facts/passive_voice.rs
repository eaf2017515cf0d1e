//! Reads the relations that a verb in the passive voice states, such as "was hired by the guild" or "was found at the
//! mill".

use super::active_voice::is_gift;
use crate::{
    entities::mentions::EntityRef,
    language::{
        grammar::{Pattern, PatternPart},
        weights::Weight,
    },
    relations::copula::ClauseContext,
    sentence_reader::SentenceReader,
};

impl SentenceReader<'_> {
    pub(super) fn read_passive(
        &mut self,
        context: ClauseContext<'_>,
        pattern: &Pattern,
        parts: &[PatternPart],
    ) -> bool {
        let ClauseContext { at, subjects, basis } = context;
        if is_gift(&self.grammar.targets[pattern.target], parts) {
            return false;
        }
        let clause = self.clause(at);
        let object_position = parts.iter().position(|part| *part == PatternPart::Object);
        let mut weight_names = pattern.with_strength(basis.weight_names);
        weight_names.push(Weight::BY_PASSIVE);
        let entities: Vec<EntityRef> = subjects.iter().map(|subject| subject.entity).collect();
        if object_position == Some(0) && parts.iter().filter(|part| **part == PatternPart::Object).count() == 2 {
            // Example: "was found at the mill"
            let Some(pattern_match) =
                self.match_parts(&parts[1..], clause.rest_items.start, clause.rest_items.end, true)
            else {
                return false;
            };
            let objects = self.resolve_objects(&pattern_match, clause.rest_items.end, &entities, pattern);
            let span = self.clause_span(at, pattern_match.object.map_or(0, |item| self.chunk_end(item)));
            let mut has_facts = false;
            for subject in subjects {
                for object in &objects {
                    self.record_relation(
                        pattern.target,
                        (subject, object),
                        &pattern.words,
                        basis.with_weights(&weight_names),
                        span,
                    );
                    has_facts = true;
                }
            }
            return has_facts;
        }
        if object_position != Some(0) {
            // In "was hired to work for", the object follows other words of the pattern, so it is not the subject of
            // the passive.
            return false;
        }
        let rest_end = self
            .match_parts(&parts[1..], clause.rest_items.start, clause.rest_items.end, false)
            .map(|pattern_match| pattern_match.end);
        let Some(from) = rest_end else { return false };
        let Some(by_item) = (from..clause.rest_items.end).find(|item| self.syntax.word(*item) == "by") else {
            return false;
        };
        let (list, _) = self.syntax.noun_list(by_item + 1, clause.rest_items.end);
        let agents = self.resolve_all(&list, &entities);
        if !subjects.iter().any(|subject| self.kinds(subject.entity).intersects(pattern.object_kinds)) {
            return false;
        }
        let span = self.clause_span(at, self.chunk_end(by_item + 1));
        let target = self.grammar.targets[pattern.target].clone();
        let mut has_facts = false;
        for agent in &agents {
            for subject in subjects {
                let (a, b) = if pattern.is_reversed { (subject, agent) } else { (agent, subject) };
                if self.kinds(a.entity).intersects(target.subject) && self.kinds(b.entity).intersects(target.object) {
                    self.record_relation(
                        pattern.target,
                        (a, b),
                        &pattern.words,
                        basis.with_weights(&weight_names),
                        span,
                    );
                    has_facts = true;
                }
            }
        }
        has_facts
    }
}

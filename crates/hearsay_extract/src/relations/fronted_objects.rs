//! Extracts facts from clauses whose object precedes the verb: "the club, which Vera owns", "what Odo wants is the
//! ledger".

use crate::{
    entities::mentions::EntityRef,
    language::{
        grammar::{Pattern, PatternPart},
        weights::Weight,
        word_lists::lists,
    },
    relations::copula::ClauseContext,
    sentence_reader::SentenceReader,
};

impl SentenceReader<'_> {
    /// Records the relation of a verb whose object precedes it: "the club, which Vera owns", "the man whom Odo trusts".
    /// Returns whether a fact was added.
    pub(crate) fn read_fronted_object(&mut self, context: ClauseContext<'_>, patterns: &[Pattern]) -> bool {
        let ClauseContext { at, subjects, basis } = context;
        let clause = self.clause(at);
        let Some(relative) = clause.start.checked_sub(1) else { return false };
        let has_no_object =
            clause.rest_items.is_empty() || self.syntax.noun_group_at(clause.rest_items.start).is_none();
        if self.verb_group(at).is_passive || !has_no_object {
            return false;
        }
        let objects = if lists().pronouns.relative.contains(self.syntax.word(relative)) {
            match self.syntax.antecedent(relative) {
                Some((objects, _)) => objects,
                None => return false,
            }
        } else if matches!(self.syntax.word(relative), "what" | "all") {
            // Example: "what Odo wants, above all, is the ledger"
            let copula_clause =
                self.clauses.get(at + 1).filter(|next| self.chunks.verb_groups[next.verb_group].is_copula).cloned();
            let Some(copula_clause) = copula_clause else { return false };
            self.syntax.noun_list(copula_clause.rest_items.start, copula_clause.rest_items.end).0
        } else {
            return false;
        };
        let entities: Vec<EntityRef> = subjects.iter().map(|subject| subject.entity).collect();
        let objects = self.resolve_all(&objects, &entities);
        let end = self.verb_group(at).end;
        let fact_count = self.facts.len();
        for pattern in patterns.iter().filter(|pattern| pattern.value.is_none()) {
            if !self.grammar.targets[pattern.target].predicate.is_relation()
                || !self.fits_gap(pattern, clause.rest_items.start)
            {
                continue;
            }
            let weight_names = [&pattern.with_strength(basis.weight_names)[..], &[Weight::BY_VERB]].concat();
            let span = self.clause_span(at, end);
            self.record_pattern(pattern, (subjects, &objects), basis.with_weights(&weight_names), span);
            if self.facts.len() > fact_count {
                return true;
            }
        }
        false
    }

    /// Returns whether the words of a pattern follow the verb without the object, as in "which he longs for".
    fn fits_gap(&self, pattern: &Pattern, from: usize) -> bool {
        match &pattern.parts[..] {
            [PatternPart::Object] => true,
            [PatternPart::Word(word), PatternPart::Object] => {
                self.syntax.word(from) == word && self.syntax.noun_group_at(from + 1).is_none()
            }
            _ => false,
        }
    }
}

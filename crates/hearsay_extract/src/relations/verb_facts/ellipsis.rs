//! Completes a clause whose verb replaces the verb of the previous clause, such as "Rusk does".

use crate::{
    entities::mentions::EntityRef,
    language::{weights::Weight, word_lists::lists},
    relations::copula::ClauseContext,
    sentence_reader::{RawFact, SentenceReader, WeightNames},
    syntax::clauses::{ClauseType, SubjectSource},
};

impl SentenceReader<'_> {
    /// Copies the facts of the previous clause to another subject, as in "Mirela does not own the Eel, Rusk does."
    pub(crate) fn read_ellipsis(&mut self, context: ClauseContext<'_>) -> bool {
        let ClauseContext { at, subjects, basis } = context;
        let vg = self.verb_group(at);
        let clause = self.clause(at);
        let has_no_complement = lists().auxiliaries.elliptic.contains(vg.lemma.as_str())
            && (clause.rest_items.is_empty()
                || matches!(self.syntax.word(clause.rest_items.start), "," | "." | "!" | "")
                || lists().speech.after_ellipsis.contains(self.syntax.word(clause.rest_items.start)))
            && self.syntax.noun_group_at(clause.rest_items.start).is_none();
        let is_main = clause.clause_type == ClauseType::Main && clause.subject_source == SubjectSource::Direct;
        let Some(previous_clause) = at.checked_sub(1).filter(|_| has_no_complement && is_main && !subjects.is_empty())
        else {
            return false;
        };
        let previous_subjects = self.clauses[previous_clause].subjects.clone();
        let previous_subjects: Vec<EntityRef> =
            self.resolve_all(&previous_subjects, &[]).iter().map(|subject| subject.entity).collect();
        let previous_facts: Vec<RawFact> = self
            .facts
            .iter()
            .filter(|fact| previous_subjects.contains(&fact.subject) && !fact.weight_names.is_candidate())
            .cloned()
            .collect();
        let mut has_facts = false;
        for fact in previous_facts {
            for subject in subjects.iter().filter(|subject| !previous_subjects.contains(&subject.entity)) {
                let span = self.clause_span(at, vg.end);
                let mut weight_names = fact.weight_names.names.clone();
                weight_names.push(Weight::LIKEWISE);
                weight_names.extend(subject.weight_name);
                let denied = vg.is_negated;
                self.facts.push(RawFact {
                    subject: subject.entity,
                    weight_names: WeightNames { names: weight_names },
                    span,
                    denied,
                    stated_by: basis.status.stated_by,
                    stage: self.stage,
                    ..fact.clone()
                });
                has_facts = true;
            }
        }
        has_facts
    }
}

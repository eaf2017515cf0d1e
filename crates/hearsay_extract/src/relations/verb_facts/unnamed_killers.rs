//! Reads deaths of which the cause has no name: "A spear kills Odo."

use std::ops::Range;

use crate::{
    language::{grammar::Pattern, predicate_properties::PredicateProperties, weights::Weight},
    relations::patterns::PatternMatch,
    sentence_reader::{FactBasis, SentenceReader, assertion_status::AssertionStatus},
    syntax::{chunker::VerbForm, clauses::SubjectSource},
};

impl SentenceReader<'_> {
    /// Records the death of each person whom an unnamed person or thing kills: "A spear kills Odo."
    pub(crate) fn read_killings_by_unnamed(&mut self, statuses: &[AssertionStatus]) {
        let grammar = self.grammar;
        for (at, status) in statuses.iter().enumerate().filter(|(_, status)| status.is_plain_assertion()) {
            let (clause, vg) = (self.clauses[at].clone(), self.verb_group(at).clone());
            let is_act = vg.form == VerbForm::Finite && !vg.is_passive && !vg.is_negated && vg.modal.is_none();
            let is_own = matches!(clause.subject_source, SubjectSource::Direct | SubjectSource::Shared);
            let has_noun = clause.subjects.iter().any(|np| !self.noun_group(*np).is_pronoun);
            if !(is_act && is_own && has_noun && self.resolve_subjects(&clause.subjects).is_empty()) {
                continue;
            }
            let Range { start: from, end: to } = clause.rest_items;
            let is_fatal = |pattern: &&Pattern| {
                let target = &grammar.targets[pattern.target];
                target.has(PredicateProperties::IS_FATAL)
                    && !(target.is_inverse || target.denied || pattern.is_reversed || pattern.is_weak)
            };
            let mut patterns = grammar.verb_patterns.get(&vg.lemma).into_iter().flatten().filter(is_fatal);
            let found =
                patterns.find_map(|pattern| Some((pattern, self.match_parts(&pattern.parts, from, to, false)?)));
            // "The noise drowns Odo out" states no death.
            let is_complete = |found: &(&Pattern, PatternMatch)| self.syntax.word(found.1.end) != "out";
            let Some((pattern, pattern_match)) = found.filter(is_complete) else { continue };
            let span = self.clause_span(at, self.chunk_end(pattern_match.end.saturating_sub(1)));
            let basis = FactBasis::new(status, &[Weight::STRONG, Weight::BY_VERB]);
            for victim in self.resolve_objects(&pattern_match, to, &[], pattern) {
                self.record_death(&victim, basis, span);
            }
        }
    }
}

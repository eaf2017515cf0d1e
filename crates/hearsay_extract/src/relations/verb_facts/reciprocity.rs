//! Reads mutual relations between two subjects of a verb, such as "Odo and Lyra hate each other".

use crate::{
    language::grammar::{Pattern, PatternPart, is_ignored},
    relations::copula::ClauseContext,
    sentence_reader::SentenceReader,
};

impl SentenceReader<'_> {
    /// Records a mutual relation between two subjects: "hate each other", "trusted one another".
    pub(super) fn read_reciprocal_verb(&mut self, context: ClauseContext<'_>, patterns: &[Pattern]) -> bool {
        let ClauseContext { at, subjects, basis } = context;
        let [a, b, ..] = subjects else { return false };
        let vg = self.verb_group(at);
        let clause = self.clause(at);
        let (from, to) = (vg.end, (self.chunk_end(clause.last_item()).max(vg.end)).min(self.tokens.len()));
        let reciprocal_at = (from..to.saturating_sub(1)).find(|at| {
            matches!((self.norm(*at), self.norm(at + 1)), ("each", "other" | "others") | ("one", "another"))
        });
        let grammar = self.grammar;
        if let Some(reciprocal_at) = reciprocal_at {
            let words_between: Vec<String> =
                (from..reciprocal_at).map(|at| self.norm(at).to_owned()).filter(|word| !is_ignored(word)).collect();
            for pattern in patterns {
                let words: Vec<&str> = pattern
                    .parts
                    .iter()
                    .filter_map(|part| if let PatternPart::Word(word) = part { Some(word.as_str()) } else { None })
                    .filter(|word| *word != "not")
                    .collect();
                // Example: "can't stand each other"
                let needs_negation = pattern.parts.first() == Some(&PatternPart::Word("not".into()));
                let kinds_fit = self.kinds(b.entity).intersects(pattern.object_kinds)
                    && self.kinds(b.entity).intersects(grammar.targets[pattern.target].object);
                if !kinds_fit
                    || (needs_negation && !vg.is_negated)
                    || (basis.status.has_can && !pattern.words.starts_with("can not"))
                {
                    continue;
                }
                let mut status = basis.status.clone();
                status.denied &= !needs_negation;
                let basis = basis.with_status(&status);
                if words.iter().all(|word| words_between.iter().any(|other| other == word))
                    && words.len() >= words_between.len().min(1)
                {
                    let is_symmetric = grammar.targets[pattern.target].is_symmetric;
                    let span = self.clause_span(at, reciprocal_at + 2);
                    let (a, b) = (*a, *b);
                    self.record_relation(pattern.target, (&a, &b), &pattern.words, basis, span);
                    if !is_symmetric {
                        self.record_relation(pattern.target, (&b, &a), &pattern.words, basis, span);
                    }
                    return true;
                }
            }
        }
        for pattern in grammar.reciprocal_verbs.get(&vg.lemma).into_iter().flatten() {
            // Example: "have never got along"
            let needs_negation = pattern.parts.first() == Some(&PatternPart::Word("not".into()));
            if needs_negation && !vg.is_negated {
                continue;
            }
            let mut status = basis.status.clone();
            status.denied &= !needs_negation;
            let basis = basis.with_status(&status);
            let parts = &pattern.parts[usize::from(needs_negation)..];
            if let Some(pattern_match) = self.match_parts(parts, clause.rest_items.start, clause.rest_items.end, false)
            {
                // Without an object, as in "Odo and Lyra married", the relation is between the two subjects.
                let has_object = (pattern_match.end..clause.rest_items.end)
                    .find_map(|item| self.syntax.noun_group_at(item))
                    .is_some_and(|np| self.chunks.noun_groups[np].name.is_some());
                let has_continuation = pattern_match.end < clause.rest_items.end
                    && self.syntax.word(pattern_match.end) != ","
                    && !self.is_skippable(pattern_match.end);
                let has_other_object = has_object || (parts.is_empty() && has_continuation);
                if !has_other_object {
                    let span = self.clause_span(at, self.chunk_start(pattern_match.end).max(vg.end));
                    let (a, b) = (*a, *b);
                    self.record_relation(pattern.target, (&a, &b), &pattern.words, basis, span);
                    return true;
                }
            }
        }
        false
    }
}

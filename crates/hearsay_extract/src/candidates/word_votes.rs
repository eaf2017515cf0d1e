//! Guesses the relation between two entities from the [votes](crate::language::grammar) of the words around them.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::sentence_reader::{MentionSpan, SentenceReader};

/// Number of tokens before and after a pair of mentions that can vote for a relation.
pub(crate) const CONTEXT_TOKENS: usize = 5;

/// Minimum score at which a relation is suggested.
const MIN_SCORE: f64 = 0.35;

impl SentenceReader<'_> {
    /// Returns at most two relations, best first, for which the words around two mentions vote. Each result consists of
    /// the index of a target, whether subject and object are swapped, and the score.
    pub(crate) fn voted_relations(&self, first: &MentionSpan, second: &MentionSpan) -> Vec<(usize, bool, f64)> {
        let (from, to) =
            (first.start.saturating_sub(CONTEXT_TOKENS), (second.end + CONTEXT_TOKENS).min(self.tokens.len()));
        let mut scores: FxHashMap<(usize, bool), f64> = FxHashMap::default();
        let mut seen_words: FxHashSet<String> = FxHashSet::default();
        for token in from..to {
            if !self.tokens[token].is_word() || self.is_named(token) {
                continue;
            }
            let word = self.norm(token);
            let forms = self.grammar.verb_forms.get(word).into_iter().flatten().map(|(lemma, _)| lemma.clone());
            for word in forms.chain([self.singular(word)]).collect::<BTreeSet<_>>() {
                if !seen_words.insert(word.clone()) {
                    continue;
                }
                for (target, is_reversed, vote_weight) in self.grammar.word_votes.get(&word).into_iter().flatten() {
                    *scores.entry((*target, *is_reversed)).or_default() += vote_weight;
                }
            }
        }
        let (a, b) = (self.kinds(first.resolved.entity), self.kinds(second.resolved.entity));
        let fits_kinds = |target: usize, is_reversed: bool| {
            let target = &self.grammar.targets[target];
            let (subject, object) = if is_reversed { (b, a) } else { (a, b) };
            subject.intersects(target.subject) && object.intersects(target.object)
        };
        let mut best: Vec<(usize, bool, f64)> = Vec::new();
        let mut entries: Vec<_> = scores.into_iter().filter(|(_, score)| *score >= MIN_SCORE).collect();
        entries.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        for ((target, is_reversed), score) in entries {
            let is_reversed = if fits_kinds(target, is_reversed) {
                is_reversed
            } else if fits_kinds(target, !is_reversed) {
                !is_reversed
            } else {
                continue;
            };
            let name = &self.grammar.targets[target].predicate;
            if best.len() < 2 && !best.iter().any(|(other, ..)| self.grammar.targets[*other].predicate == *name) {
                best.push((target, is_reversed, score));
            }
        }
        best
    }
}

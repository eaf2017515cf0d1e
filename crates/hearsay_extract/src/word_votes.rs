//! Guesses the relation between two entities from the words around them. Each word of the language tables votes for the
//! relations whose patterns contain this word.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    grammar::{Grammar, Pattern, PatternPart, WordClass},
    mentions::{is_be_form, is_pronoun},
    relation_candidates::MentionSpan,
    sentence_reader::SentenceReader,
};

/// Number of tokens before and after a pair of mentions that may vote.
pub(crate) const CONTEXT_TOKENS: usize = 5;

/// Minimum score at which a relation is suggested.
const MIN_SCORE: f64 = 0.35;

/// Maps a word to its votes. A vote consists of the index of a target, whether subject and object are swapped, and the
/// share of the word's uses that state this target, from 0 to 1.
pub(crate) type WordVotes = FxHashMap<String, Vec<(usize, bool, f64)>>;

/// Computes the votes of all words in the language tables.
pub(crate) fn count_votes(grammar: &Grammar) -> WordVotes {
    let mut counts: FxHashMap<String, FxHashMap<(usize, bool), f64>> = FxHashMap::default();
    let mut count = |word: &str, pattern: &Pattern| {
        let target = &grammar.targets[pattern.target];
        let is_counted =
            target.predicate.is_relation() && !target.ended && !target.denied && is_content_word(grammar, word);
        if is_counted {
            let vote_weight = if pattern.is_weak { 0.5 } else { 1.0 };
            *counts.entry(word.to_owned()).or_default().entry((pattern.target, pattern.is_reversed)).or_default() +=
                vote_weight;
        }
    };
    let mut count_pattern = |first: &str, pattern: &Pattern| {
        count(first, pattern);
        for part in &pattern.parts {
            if let PatternPart::Word(word) = part {
                count(word, pattern);
            }
        }
    };
    for table in [&grammar.verb_patterns, &grammar.phrase_patterns, &grammar.reciprocal_verbs] {
        table.iter().for_each(|(first, patterns)| patterns.iter().for_each(|pattern| count_pattern(first, pattern)));
    }
    for (noun, patterns) in &grammar.noun_patterns {
        patterns.iter().for_each(|(_, pattern)| count_pattern(noun, pattern));
    }
    for (noun, patterns) in &grammar.relational_nouns {
        patterns.iter().for_each(|pattern| count_pattern(noun, pattern));
    }
    let vote_shares = |(word, votes): (String, FxHashMap<(usize, bool), f64>)| {
        // The added constant lowers the votes of rare words: a single use is weaker evidence than many uses.
        let sum = votes.values().sum::<f64>() + 0.5;
        let mut votes: Vec<_> =
            votes.into_iter().map(|((target, is_reversed), n)| (target, is_reversed, n / sum)).collect();
        votes.sort_by_key(|(target, is_reversed, _)| (*target, *is_reversed));
        (word, votes)
    };
    counts.into_iter().map(vote_shares).collect()
}

/// Returns whether a word carries meaning. Short words, function words, pronouns and forms of "be" do not.
fn is_content_word(grammar: &Grammar, word: &str) -> bool {
    let class = grammar.word_class(word);
    let function_classes = WordClass::CLOSED
        .or(WordClass::ADVERB)
        .or(WordClass::LIGHT_VERB)
        .or(WordClass::LIGHT_NOUN)
        .or(WordClass::ADJECTIVE);
    word.chars().count() > 2 && !class.has(function_classes) && !is_pronoun(word) && !is_be_form(word)
}

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

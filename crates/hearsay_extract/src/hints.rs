//! Guesses the relation between two entities from the words around them. Each word of the language tables votes for the
//! relations whose patterns contain this word.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    grammar::{Class, Grammar, Part, Pattern},
    loose::Spot,
    mentions::{be_form, is_pronoun},
    read::Reader,
};

/// Number of tokens before and after a pair of mentions that may vote.
pub(crate) const AROUND: usize = 5;

/// Minimum score at which a relation is suggested.
const LEAST: f64 = 0.35;

/// Maps a word to its votes. A vote consists of the index of a target, whether subject and object are swapped, and the
/// share of the word's uses that state this target, from 0 to 1.
pub(crate) type Votes = FxHashMap<String, Vec<(usize, bool, f64)>>;

/// Computes the votes of all words in the language tables.
pub(crate) fn votes(grammar: &Grammar) -> Votes {
    let mut counts: FxHashMap<String, FxHashMap<(usize, bool), f64>> = FxHashMap::default();
    let mut count = |word: &str, pattern: &Pattern| {
        let target = &grammar.targets[pattern.target];
        let says = target.predicate.is_relation() && !target.over && !target.denied && is_telling(grammar, word);
        if says {
            let share = if pattern.weak { 0.5 } else { 1.0 };
            *counts.entry(word.to_owned()).or_default().entry((pattern.target, pattern.back)).or_default() += share;
        }
    };
    let mut all = |first: &str, pattern: &Pattern| {
        count(first, pattern);
        for part in &pattern.parts {
            if let Part::Word(word) = part {
                count(word, pattern);
            }
        }
    };
    for table in [&grammar.verbs, &grammar.phrases, &grammar.together_verbs] {
        table.iter().for_each(|(first, patterns)| patterns.iter().for_each(|pattern| all(first, pattern)));
    }
    for (noun, patterns) in &grammar.nouns {
        patterns.iter().for_each(|(_, pattern)| all(noun, pattern));
    }
    for (noun, patterns) in &grammar.ties {
        patterns.iter().for_each(|pattern| all(noun, pattern));
    }
    let shares = |(word, votes): (String, FxHashMap<(usize, bool), f64>)| {
        // The added constant lowers the votes of rare words: a single use is weaker evidence than many uses.
        let sum = votes.values().sum::<f64>() + 0.5;
        let mut votes: Vec<_> = votes.into_iter().map(|((target, back), n)| (target, back, n / sum)).collect();
        votes.sort_by_key(|(target, back, _)| (*target, *back));
        (word, votes)
    };
    counts.into_iter().map(shares).collect()
}

/// Returns whether a word carries meaning. Short words, function words, pronouns and forms of "be" do not.
fn is_telling(grammar: &Grammar, word: &str) -> bool {
    let class = grammar.class(word);
    let empty = Class::CLOSED.or(Class::ADVERB).or(Class::LIGHT_VERB).or(Class::LIGHT_NOUN).or(Class::ADJECTIVE);
    word.chars().count() > 2 && !class.has(empty) && !is_pronoun(word) && !be_form(word)
}

impl Reader<'_> {
    /// Returns at most two relations, best first, for which the words around two mentions vote. Each result consists of
    /// the index of a target, whether subject and object are swapped, and the score.
    pub(crate) fn hints(&self, first: &Spot, second: &Spot) -> Vec<(usize, bool, f64)> {
        let (from, to) = (first.start.saturating_sub(AROUND), (second.end + AROUND).min(self.tokens.len()));
        let mut scores: FxHashMap<(usize, bool), f64> = FxHashMap::default();
        let mut seen: FxHashSet<String> = FxHashSet::default();
        for token in from..to {
            if !self.tokens[token].is_word() || self.is_named(token) {
                continue;
            }
            let word = self.norm(token);
            let forms = self.grammar.forms.get(word).into_iter().flatten().map(|(lemma, _)| lemma.clone());
            for word in forms.chain([self.singular(word)]).collect::<BTreeSet<_>>() {
                if !seen.insert(word.clone()) {
                    continue;
                }
                for (target, back, share) in self.grammar.votes.get(&word).into_iter().flatten() {
                    *scores.entry((*target, *back)).or_default() += share;
                }
            }
        }
        let (a, b) = (self.kinds(first.found.who), self.kinds(second.found.who));
        let fits = |target: usize, back: bool| {
            let target = &self.grammar.targets[target];
            let (subject, object) = if back { (b, a) } else { (a, b) };
            subject.meets(target.subject) && object.meets(target.object)
        };
        let mut best: Vec<(usize, bool, f64)> = Vec::new();
        let mut entries: Vec<_> = scores.into_iter().filter(|(_, score)| *score >= LEAST).collect();
        entries.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        for ((target, back), score) in entries {
            let back = if fits(target, back) {
                back
            } else if fits(target, !back) {
                !back
            } else {
                continue;
            };
            let name = &self.grammar.targets[target].predicate;
            if best.len() < 2 && !best.iter().any(|(other, ..)| self.grammar.targets[*other].predicate == *name) {
                best.push((target, back, score));
            }
        }
        best
    }
}

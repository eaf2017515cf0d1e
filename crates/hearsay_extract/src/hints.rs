//! Which relation the words around two hint at, where no pattern reads them: every word of the tables votes for the relations
//! that it is used for.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    grammar::{Class, Grammar, Part, Pattern},
    loose::Spot,
    mentions::{Who, be_form, is_pronoun},
    mode::Mode,
    read::{Read, Reader, TO_DO_WITH},
};

/// The most pairs of a sentence that are looked at.
const MOST_PAIRS: usize = 8;

/// The most that is proposed for a sentence.
const MOST: usize = 3;

/// How many words before and behind two belong to them.
const AROUND: usize = 5;

/// How much the words have to say.
const LEAST: f64 = 0.35;
const MUCH: f64 = 0.9;

/// A word's votes: for which target, whether it is said the other way round, and for how much of its uses.
pub(crate) type Votes = FxHashMap<String, Vec<(usize, bool, f64)>>;

/// Counts for what relations each word of the tables is used.
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
        // A word that is used once says less than one that is always used so.
        let sum = votes.values().sum::<f64>() + 0.5;
        let mut votes: Vec<_> = votes.into_iter().map(|((target, back), n)| (target, back, n / sum)).collect();
        votes.sort_by_key(|(target, back, _)| (*target, *back));
        (word, votes)
    };
    counts.into_iter().map(shares).collect()
}

/// Whether a word says anything of its own.
fn is_telling(grammar: &Grammar, word: &str) -> bool {
    let class = grammar.class(word);
    let empty = Class::CLOSED.or(Class::ADVERB).or(Class::LIGHT_VERB).or(Class::LIGHT_NOUN).or(Class::ADJECTIVE);
    word.chars().count() > 2 && !class.has(empty) && !is_pronoun(word) && !be_form(word)
}

impl Reader<'_> {
    /// Proposes for two who stand in one sentence what the words around them hint at.
    pub(crate) fn hinted(&mut self, modes: &[Mode]) {
        let spots = self.all_spots();
        let mut left = MOST;
        let mut pairs: Vec<(usize, usize)> =
            (0..spots.len()).flat_map(|a| (a + 1..spots.len()).map(move |b| (a, b))).collect();
        pairs.sort_by_key(|(a, b)| (spots[*b].start.saturating_sub(spots[*a].end), *a));
        pairs.truncate(MOST_PAIRS);
        for (a, b) in pairs {
            let (first, second) = (&spots[a], &spots[b]);
            let Some(mode) = self.mode_around(modes, second.start) else { continue };
            let said_by = mode.by == Some(first.found.who) || mode.by == Some(second.found.who);
            if left == 0 || first.found.who == second.found.who || said_by && !self.voice.talk {
                continue;
            }
            if self.is_read(first.found.who, second.found.who) {
                continue;
            }
            let span = self.span(first.start, second.end.saturating_sub(1));
            let before = self.facts.len();
            for (order, (target, back, score)) in self.hints(first, second).into_iter().enumerate() {
                let (x, y) = if back { (second, first) } else { (first, second) };
                let words = if Some(target) == self.related { TO_DO_WITH } else { "" };
                let near = second.start.saturating_sub(first.end) < 2 * AROUND;
                let mut marks = vec!["loose", if score >= MUCH { "loose_hint" } else { "loose_faint" }];
                marks.push(if near { "loose_close" } else { "loose_far" });
                if order > 0 {
                    marks.push("loose_second");
                }
                self.state(target, &x.found, Ok(&y.found), words, &marks, &mode, span);
            }
            left -= usize::from(self.facts.len() > before);
        }
    }

    /// How the clause is meant in which a token stands; nothing where it says nothing of the world.
    fn mode_around(&mut self, modes: &[Mode], token: usize) -> Option<Mode> {
        let at = (0..self.clauses.len()).rev().find(|at| self.start_of(self.clauses[*at].start) <= token);
        let mode = match at {
            Some(at) => modes[at].clone(),
            None => self.whole(false),
        };
        mode.is_plain().then_some(mode)
    }

    /// Whether more than a guess was read of two, or the same guess.
    fn is_read(&self, a: Who, b: Who) -> bool {
        let is_guess = |fact: &Read| fact.marks.is_loose() || fact.marks.names.contains(&"fallback");
        self.facts.iter().any(|fact| fact.joins(a, b) && !is_guess(fact))
    }

    /// The two relations for which most words around two vote.
    fn hints(&self, first: &Spot, second: &Spot) -> Vec<(usize, bool, f64)> {
        let (from, to) = (first.start.saturating_sub(AROUND), (second.end + AROUND).min(self.tokens.len()));
        let mut scores: FxHashMap<(usize, bool), f64> = FxHashMap::default();
        let mut seen: FxHashSet<String> = FxHashSet::default();
        for token in from..to {
            if !self.tokens[token].is_word() || self.is_named(token) {
                continue;
            }
            let word = self.norm(token);
            let forms = self.grammar.forms.get(word).into_iter().flatten().map(|(lemma, _)| lemma.clone());
            for word in forms.chain([self.singular(word)]).collect::<FxHashSet<_>>() {
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

//! Proposes relations between two entities of one clause from the words around them, if no pattern matched exactly.
//!
//! These proposals have a low confidence and usually wait for the DM's review. Only the trained classifiers can raise
//! it.

use crate::{
    clauses::{Clause, From},
    grammar::{Class, Part, Pattern},
    kinds::Kinds,
    mentions::Who,
    mode::Mode,
    read::{Marks, Read, Reader, Ref, Said},
};

/// Maximum number of relations that are proposed for one clause.
const MOST: usize = 2;

/// Maximum number of subjects of a clause that are considered.
const MOST_SUBJECTS: usize = 3;

/// Entity that a clause mentions, with the range of tokens of the mention.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot {
    pub(crate) found: Ref,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Relation that the words of a clause possibly state.
struct Guess {
    target: usize,
    swap: bool,
    mark: &'static str,
    words: String,
    score: usize,
}

impl Reader<'_> {
    /// Proposes relations between the entities of each clause. Pairs for which a fact was already read are skipped.
    pub(crate) fn loosely(&mut self, modes: &[Mode]) {
        self.deaths();
        if self.clauses.is_empty() {
            let mode = self.whole(false);
            if !mode.dead {
                let spots = self.spots(0, self.groups.items.len(), &[]);
                if let [a, b, ..] = spots[..] {
                    self.guess_between(None, &[a], &[b], &mode);
                }
            }
            return;
        }
        for (at, mode) in modes.iter().enumerate() {
            let sort = self.grammar.sort(&self.vg(at).lemma);
            let tells = sort.speech || sort.thought || sort.seeming;
            if !mode.is_plain() || tells {
                continue;
            }
            let clause = self.clauses[at].clone();
            let (subjects, others) = self.sides(&clause);
            self.guess_between(Some(at), &subjects, &others, mode);
        }
    }

    /// Proposes the condition "dead" for each person who was killed according to another fact.
    fn deaths(&mut self) {
        let Some(condition) = self.target("condition") else { return };
        let killed: Vec<Read> =
            self.facts.iter().filter(|fact| !fact.denied && is_death(&fact.relation)).cloned().collect();
        for fact in killed {
            let Said::Who(who) = fact.object else { continue };
            let known = |other: &Read| other.subject == who && other.target == condition;
            if self.kinds(who) == Kinds::PERSON && !self.facts.iter().any(known) {
                let marks = Marks { names: vec!["loose", "loose_death"] };
                let object = Said::Value("dead".to_owned());
                self.facts.push(Read { subject: who, target: condition, object, marks, over: false, ..fact });
            }
        }
    }

    /// Returns the entities that are subjects of a clause, and the other entities that the clause mentions.
    fn sides(&mut self, clause: &Clause) -> (Vec<Spot>, Vec<Spot>) {
        let mut subjects = Vec::new();
        for np in clause.subjects.iter().take(MOST_SUBJECTS) {
            subjects.extend(self.spots_of(*np, &[]));
        }
        let whos: Vec<Who> = subjects.iter().map(|spot| spot.found.who).collect();
        let mut others = self.spots(clause.verb + 1, clause.rest.1, &whos);
        if clause.start < clause.verb && clause.from != From::Antecedent {
            let before: Vec<usize> = (clause.start..clause.verb)
                .filter_map(|item| self.syntax.np(item))
                .filter(|np| !clause.subjects.contains(np))
                .collect();
            for np in before {
                others.extend(self.spots_of(np, &whos));
            }
        }
        others.retain(|spot| !whos.contains(&spot.found.who));
        if subjects.is_empty() && !others.is_empty() {
            subjects.push(others.remove(0));
        }
        (subjects, others)
    }

    /// Returns all entities that the sentence mentions, each once.
    pub(crate) fn all_spots(&mut self) -> Vec<Spot> {
        let mut spots = self.spots(0, self.groups.items.len(), &[]);
        let mut seen = Vec::new();
        spots.retain(|spot| {
            let new = !seen.contains(&spot.found.who);
            seen.push(spot.found.who);
            new
        });
        spots
    }

    /// Returns the entities that the noun groups in a range of items refer to. If a noun group refers to no entity, its
    /// owner is returned instead.
    fn spots(&mut self, from: usize, to: usize, not: &[Who]) -> Vec<Spot> {
        let nps: Vec<usize> = (from..to.min(self.groups.items.len())).filter_map(|item| self.syntax.np(item)).collect();
        nps.into_iter().flat_map(|np| self.spots_of(np, not)).collect()
    }

    fn spots_of(&mut self, np: usize, not: &[Who]) -> Vec<Spot> {
        let group = self.groups.nps[np].clone();
        let mut found: Vec<Spot> =
            self.resolve(np, not).into_iter().map(|found| Spot { found, start: group.start, end: group.end }).collect();
        if found.is_empty()
            && let Some(owner) = group.owner
        {
            let refs = self.resolve(owner, &[]);
            found.extend(refs.into_iter().map(|found| Spot { found, start: group.start, end: group.end }));
        }
        found.truncate(MOST_SUBJECTS);
        found
    }

    fn guess_between(&mut self, clause: Option<usize>, subjects: &[Spot], others: &[Spot], mode: &Mode) {
        let mut left = MOST;
        for other in others {
            for subject in subjects {
                let (a, b) = (subject.found.who, other.found.who);
                if left == 0 || a == b || self.is_linked(a, b) {
                    continue;
                }
                let Some(guess) = self.guess(clause, subject, other) else { continue };
                let before = self.facts.len();
                let (first, second) = if guess.swap { (other, subject) } else { (subject, other) };
                let span = self.span(subject.start.min(other.start), subject.end.max(other.end).saturating_sub(1));
                let marks = ["loose", guess.mark];
                self.state(guess.target, &first.found, Ok(&second.found), &guess.words, &marks, mode, span);
                left -= usize::from(self.facts.len() > before);
            }
        }
    }

    /// Returns whether a fact that relates the two entities was already read.
    fn is_linked(&self, a: Who, b: Who) -> bool {
        self.facts.iter().any(|fact| fact.joins(a, b))
    }

    /// Returns the relation that the words of a clause most likely state between two mentions.
    fn guess(&self, clause: Option<usize>, subject: &Spot, other: &Spot) -> Option<Guess> {
        let (from, to) = match clause {
            Some(at) => {
                let clause = &self.clauses[at];
                let first = subject.start.min(other.start).min(self.start_of(clause.start));
                let last = self.end_of(clause.rest.1.saturating_sub(1)).max(subject.end).max(other.end);
                (first, last.min(self.tokens.len()))
            }
            None => (subject.start.min(other.start), subject.end.max(other.end)),
        };
        let mut best: Option<Guess> = None;
        let mut offer = |guess: Guess| {
            if best.as_ref().is_none_or(|best| guess.score > best.score) {
                best = Some(guess);
            }
        };
        if let Some(at) = clause {
            self.by_verb(at, (from, to), subject, other, &mut offer);
        }
        for token in from..to {
            if self.is_named(token) {
                continue;
            }
            self.by_phrase(token, to, subject, other, &mut offer);
            self.by_noun(token, subject, other, &mut offer);
        }
        best.or_else(|| self.by_default(clause, subject, other))
    }

    /// Returns whether a pattern swaps subject and object. Returns `None` if the two entities do not have the classes
    /// that the pattern requires.
    fn fits(&self, pattern: &Pattern, a: Who, b: Who) -> Option<bool> {
        let target = &self.grammar.targets[pattern.target];
        if !target.predicate.is_relation() || target.denied || pattern.value.is_some() {
            return None;
        }
        let (first, second) = if pattern.back { (b, a) } else { (a, b) };
        let kinds_fit = self.kinds(first).meets(target.subject)
            && self.kinds(second).meets(target.object)
            && self.kinds(b).meets(pattern.kinds);
        kinds_fit.then_some(pattern.back)
    }

    fn by_verb(
        &self,
        at: usize,
        (from, to): (usize, usize),
        subject: &Spot,
        other: &Spot,
        offer: &mut impl FnMut(Guess),
    ) {
        let vg = self.vg(at);
        let (a, b) =
            if vg.passive { (other.found.who, subject.found.who) } else { (subject.found.who, other.found.who) };
        for pattern in self.grammar.verbs.get(&vg.lemma).into_iter().flatten() {
            let Some(swap) = self.fits(pattern, a, b) else { continue };
            let words: Vec<&str> = words_of(pattern);
            let found = words.iter().filter(|word| (from..to).any(|token| self.norm(token) == **word)).count();
            if found < words.len() || (words.contains(&"not") && !vg.negated) {
                continue;
            }
            let score = 2 + 2 * found + usize::from(!pattern.weak);
            let (target, words) = (pattern.target, pattern.words.clone());
            offer(Guess { target, swap: swap != vg.passive, mark: "loose_verb", words, score });
        }
    }

    fn by_phrase(&self, token: usize, to: usize, subject: &Spot, other: &Spot, offer: &mut impl FnMut(Guess)) {
        for pattern in self.grammar.phrases.get(self.norm(token)).into_iter().flatten() {
            let Some(swap) = self.fits(pattern, subject.found.who, other.found.who) else { continue };
            let mut next = token + 1;
            let words = words_of(pattern);
            let all = words.iter().all(|word| {
                let at = (next..to.min(next + 4)).find(|at| self.norm(*at) == *word);
                next = at.map_or(next, |at| at + 1);
                at.is_some()
            });
            // The object of the phrase must follow it.
            let before = other.start >= token && other.start <= next + 2;
            if !all || !before {
                continue;
            }
            let score = 1 + 2 * words.len() + usize::from(!pattern.weak);
            let (target, words) = (pattern.target, pattern.words.clone());
            offer(Guess { target, swap, mark: "loose_phrase", words, score });
        }
    }

    fn by_noun(&self, token: usize, subject: &Spot, other: &Spot, offer: &mut impl FnMut(Guess)) {
        let noun = self.singular(self.norm(token));
        for (words, pattern) in self.grammar.nouns.get(&noun).into_iter().flatten() {
            let start = (token + 1).saturating_sub(words.len());
            let all = words[..words.len() - 1].iter().zip(start..token).all(|(word, at)| self.norm(at) == word);
            // In "his brother Odo", the noun describes Odo, and "his" is its owner.
            let (low, high) = (subject.start.min(other.start), subject.end.max(other.end));
            if token + 2 < low || token > high + 1 {
                continue;
            }
            let within = |spot: &Spot| spot.start <= token && token < spot.end;
            let turned = within(subject) && !within(other) && subject.found.mark.is_some();
            let (a, b) = if turned { (other, subject) } else { (subject, other) };
            let Some(swap) = self.fits(pattern, a.found.who, b.found.who).filter(|_| all) else { continue };
            let score = 1 + 2 * words.len() + usize::from(!pattern.weak);
            let words = format!("{noun} of");
            offer(Guess { target: pattern.target, swap: swap != turned, mark: "loose_noun", words, score });
        }
    }

    /// Proposes the general relation `RELATED_TO`, worded with the verb and the preposition of the clause.
    fn by_default(&self, clause: Option<usize>, subject: &Spot, other: &Spot) -> Option<Guess> {
        let at = clause?;
        let vg = self.vg(at);
        if vg.silent || self.kinds(subject.found.who) == Kinds::PLACE {
            return None;
        }
        let preposition = other.start.checked_sub(1).filter(|at| {
            self.grammar.class(self.norm(*at)).has(Class::PREPOSITION) && *at >= vg.end && !self.is_named(*at)
        });
        // In "found the ledger under Salt Quay", other words stand between verb and preposition.
        let gap = preposition.is_some_and(|at| at > vg.end);
        let between = if gap { " \u{2026}" } else { "" };
        let behind = preposition.map(|at| format!("{between} {}", self.norm(at))).unwrap_or_default();
        let turned = vg.passive && preposition.is_some_and(|at| self.norm(at) == "by");
        let words =
            if turned { vg.lemma.clone() } else { format!("{}{behind}", self.said(vg.head, vg.end).to_lowercase()) };
        Some(Guess { target: self.related?, swap: turned, mark: "loose_related", words, score: 0 })
    }
}

/// Returns whether the words of a relation say that the subject killed the object.
fn is_death(relation: &str) -> bool {
    let deeds = "kill kills killed murder slay assassinate execute behead hang strangle";
    let first = relation.split(' ').next().unwrap_or_default();
    relation.ends_with("to death") || relation.ends_with("dead") || deeds.split(' ').any(|deed| deed == first)
}

/// Returns the fixed words of a pattern, without the first word.
fn words_of(pattern: &Pattern) -> Vec<&str> {
    pattern
        .parts
        .iter()
        .filter_map(|part| if let Part::Word(word) = part { Some(word.as_str()) } else { None })
        .collect()
}

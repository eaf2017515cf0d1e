//! The graph walk: from the facts that fit the question, and whom it names, along what the asker knows.
//!
//! Personalised PageRank by forward push in rounds. An entity passes its mass on by its facts: to the other end and to the
//! passages that bear the fact out; a passage passes it on to the ends of the facts that it bears out. Mass that is too
//! thin to matter stays where it is, so that a hub leads nowhere and a walk touches only what is near.
//!
//! Mass is counted in whole numbers: their sums do not depend on the order in which they are made.

use std::collections::BTreeMap;

use hearsay_model::{EntityId, FactId};
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::{DocId, Index, candidates::Candidates};

/// All mass there is.
const ALL: f64 = (1_u64 << 52) as f64;

/// How much of its mass a node passes on each round, in percent.
const ON: u64 = 60;

/// Rounds: what is left behind them is a hundredth.
const ROUNDS: usize = 9;

/// By a fact less than this share of all mass is not passed on.
const THIN: u64 = (1 << 52) / 100_000;

/// How much of what an entity passes on goes to the other end of a fact, and to each passage that bears it out.
const TO_END: u64 = 5;
const TO_PASSAGE: u64 = 3;

/// A step of a walk: on which entity it stood, and by which fact it went on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WalkStep {
    /// The entity.
    pub entity: EntityId,
    /// The fact.
    pub fact: FactId,
}

/// Where a walk begins: shares of all mass, which together are 1 at most.
#[derive(Debug, Default)]
pub(crate) struct Start {
    /// Entities, by their number in the index.
    pub(crate) entities: Vec<(u32, f64)>,
    /// Candidates that are passages.
    pub(crate) passages: Vec<(usize, f64)>,
}

/// What a walk left on each candidate that it reached: shares of all mass.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    reached: FxHashMap<usize, u64>,
    /// The step by which a candidate got most at once.
    by: FxHashMap<usize, Step>,
    /// The same of entities.
    before: FxHashMap<u32, Step>,
}

struct Walker<'a> {
    candidates: &'a Candidates<'a>,
    index: &'a Index,
    walked: Walked,
    /// For each entity, once it is looked at, the candidates that are its facts.
    facts: FxHashMap<u32, Vec<usize>>,
}

/// Walks from a start.
pub(crate) fn walk(candidates: &Candidates, index: &Index, start: &Start) -> Walked {
    let mut walker = Walker { candidates, index, walked: Walked::default(), facts: FxHashMap::default() };
    let share = |share: f64| (share * ALL) as u64;
    let mut entities: BTreeMap<u32, u64> = BTreeMap::new();
    start.entities.iter().for_each(|&(entity, mass)| *entities.entry(entity).or_default() += share(mass));
    let mut passages: BTreeMap<usize, u64> = start.passages.iter().map(|&(at, mass)| (at, share(mass))).collect();
    for _ in 0..ROUNDS {
        let (mut next_entities, mut next_passages) = (BTreeMap::new(), BTreeMap::new());
        for (entity, mass) in entities {
            walker.leave_entity(entity, mass / 100 * ON, &mut next_entities, &mut next_passages);
        }
        for (passage, mass) in passages {
            walker.leave_passage(passage, mass / 100 * ON, &mut next_entities);
        }
        (entities, passages) = (next_entities, next_passages);
        if entities.is_empty() && passages.is_empty() {
            break;
        }
    }
    walker.walked
}

impl Walker<'_> {
    fn leave_entity(
        &mut self,
        entity: u32,
        mass: u64,
        entities: &mut BTreeMap<u32, u64>,
        passages: &mut BTreeMap<usize, u64>,
    ) {
        let Self { candidates, index, walked, facts } = self;
        let facts = facts.entry(entity).or_insert_with(|| {
            let mut facts: Vec<usize> = index.facts_of(entity).iter().filter_map(|&fact| candidates.at(fact)).collect();
            facts.sort_unstable();
            facts
        });
        // What nobody can pass on in any round need not be counted out.
        if facts.is_empty() || mass / (facts.len() as u64) < THIN {
            return;
        }
        let known = |id| index.place_of(DocId::Passage(id)).and_then(|place| candidates.at(place));
        let told = |fact: usize| candidates.doc(fact).evidence.iter().filter_map(move |id| known(*id));
        let parts: u64 = facts.iter().map(|&fact| TO_END + TO_PASSAGE * told(fact).count() as u64).sum();
        let part = mass / parts;
        for &fact in facts.iter() {
            let ends = candidates.doc(fact).ends;
            let end = usize::from(ends[0] != Some(entity));
            let step = Step { mass: part * TO_END, fact, end };
            walked.reach(fact, step);
            for other in ends.into_iter().flatten().filter(|end| *end != entity) {
                *entities.entry(other).or_default() += step.mass;
                walked.before.entry(other).or_default().keep(step);
            }
            let step = Step { mass: part * TO_PASSAGE, ..step };
            for passage in told(fact) {
                *passages.entry(passage).or_default() += step.mass;
                walked.reach(passage, step);
            }
        }
    }

    fn leave_passage(&mut self, passage: usize, mass: u64, entities: &mut BTreeMap<u32, u64>) {
        let DocId::Passage(id) = self.candidates.id(passage) else { return };
        let facts: Vec<usize> = self.index.borne_out(id).iter().filter_map(|&fact| self.candidates.at(fact)).collect();
        let ends = |fact: &usize| self.candidates.doc(*fact).ends.into_iter().flatten();
        let parts = facts.iter().flat_map(ends).count() as u64;
        if parts == 0 || mass / parts < THIN {
            return;
        }
        for end in facts.iter().flat_map(ends) {
            *entities.entry(end).or_default() += mass / parts;
        }
    }
}

/// How mass came somewhere: how much, by which fact, from which of its ends.
#[derive(Debug, Clone, Copy, Default)]
struct Step {
    mass: u64,
    fact: usize,
    end: usize,
}

impl Step {
    /// Keeps the larger; of equals, that by the smaller fact and the earlier end.
    fn keep(&mut self, new: Self) {
        let key = |step: &Self| (std::cmp::Reverse(step.mass), step.fact, step.end);
        if key(&new) < key(self) {
            *self = new;
        }
    }
}

impl Walked {
    fn reach(&mut self, candidate: usize, step: Step) {
        *self.reached.entry(candidate).or_default() += step.mass;
        self.by.entry(candidate).or_default().keep(step);
    }

    /// What reached a candidate, as a share of all mass.
    pub(crate) fn mass(&self, candidate: usize) -> f64 {
        self.reached.get(&candidate).map_or(0.0, |mass| *mass as f64 / ALL)
    }

    /// By which facts, from which of their ends, most of it came: the first step first.
    pub(crate) fn path(&self, candidate: usize, candidates: &Candidates) -> Vec<(usize, usize)> {
        let (mut steps, mut seen) = (Vec::new(), Vec::new());
        let mut step = self.by.get(&candidate);
        while let Some(Step { fact, end, .. }) = step.copied() {
            let Some(entity) = candidates.doc(fact).ends[end].filter(|entity| !seen.contains(entity)) else {
                break;
            };
            seen.push(entity);
            steps.push((fact, end));
            step = self.before.get(&entity);
        }
        steps.reverse();
        steps
    }
}

//! Spreading activation: personalised PageRank over the asker's knowledge. It starts at the passages and at the
//! entities of the facts that fit the question best.
//!
//! The algorithm is forward push in rounds. The nodes are entities and passages; the ends of a fact are its subject and
//! object. An entity passes its mass on through each of its facts: to the other end of the fact, and to the passages
//! that are evidence for the fact. A passage passes its mass on to the ends of the facts for which it is evidence. Mass
//! below a threshold is not passed on. Entities with very many facts therefore pass nothing on, and activation reaches
//! only nearby nodes.
//!
//! Mass is an integer, so a sum does not depend on the order of its terms.

use std::collections::BTreeMap;

use hearsay_model::{EntityId, FactId};
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::{DocId, Index, candidates::Candidates};

/// Total mass, which all starting points share.
const ALL: f64 = (1_u64 << 52) as f64;

/// Share of its mass that a node passes on in each round, in percent.
const ON: u64 = 60;

/// Number of rounds. After the last round, a hundredth of the mass is still moving.
const ROUNDS: usize = 9;

/// Minimum mass of a part. A node divides the mass that it passes on into parts. If a part would be smaller than this
/// minimum, the node passes nothing on.
const THIN: u64 = (1 << 52) / 100_000;

/// Relative shares of an entity's mass: for the other end of a fact (`TO_END`), and for each passage that is evidence
/// for the fact (`TO_PASSAGE`).
const TO_END: u64 = 5;
const TO_PASSAGE: u64 = 3;

/// A step of spreading activation: an entity, and the fact through which it passed activation on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ActivationStep {
    /// Entity that passed activation on.
    pub entity: EntityId,
    /// Fact through which the activation spread.
    pub fact: FactId,
}

/// Starting points of spreading activation, each with its share of the total mass. The shares sum to at most 1.
#[derive(Debug, Default)]
pub(crate) struct Start {
    /// Entity numbers in the index, each with its share.
    pub(crate) entities: Vec<(u32, f64)>,
    /// Candidate numbers of passages, each with its share.
    pub(crate) passages: Vec<(usize, f64)>,
}

/// Activation of each candidate that was reached, as a share of the total mass.
#[derive(Debug, Default)]
pub(crate) struct Activation {
    reached: FxHashMap<usize, u64>,
    /// For each candidate, the single step that brought it the most mass.
    by: FxHashMap<usize, Step>,
    /// For each entity, the single step that brought it the most mass.
    before: FxHashMap<u32, Step>,
}

struct Walker<'a> {
    candidates: &'a Candidates<'a>,
    index: &'a Index,
    walked: Activation,
    /// For each entity visited so far, the candidate numbers of its facts.
    facts: FxHashMap<u32, Vec<usize>>,
}

/// Spreads activation from the starting points.
pub(crate) fn pagerank(candidates: &Candidates, index: &Index, start: &Start) -> Activation {
    let mut walker = Walker { candidates, index, walked: Activation::default(), facts: FxHashMap::default() };
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
        // This cheap check needs no count of the parts, because there are at least as many parts as facts.
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

/// Mass that a node passed on: its amount, the fact through which it came, and the end of the fact from which it came
/// (0 for the subject, 1 for the object).
#[derive(Debug, Clone, Copy, Default)]
struct Step {
    mass: u64,
    fact: usize,
    end: usize,
}

impl Step {
    /// Replaces this step by `new` if `new` has more mass. If both have the same mass, the smaller fact number wins,
    /// then the smaller end.
    fn keep(&mut self, new: Self) {
        let key = |step: &Self| (std::cmp::Reverse(step.mass), step.fact, step.end);
        if key(&new) < key(self) {
            *self = new;
        }
    }
}

impl Activation {
    fn reach(&mut self, candidate: usize, step: Step) {
        *self.reached.entry(candidate).or_default() += step.mass;
        self.by.entry(candidate).or_default().keep(step);
    }

    /// Returns the mass that reached a candidate, as a share of the total mass.
    pub(crate) fn mass(&self, candidate: usize) -> f64 {
        self.reached.get(&candidate).map_or(0.0, |mass| *mass as f64 / ALL)
    }

    /// Returns the path along which most of a candidate's mass came, from its starting point. Each step is a fact and
    /// the end of the fact from which the mass came.
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

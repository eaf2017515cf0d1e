//! Spreading activation: personalised PageRank over the knower's knowledge. Activation starts at the passages that best
//! match the question, and at the entities of the facts that best match the question.
//!
//! The algorithm is forward push in rounds. The nodes are entities and passages. An entity passes its activation
//! (*mass*) through each of its facts to the other entity of the fact, and to the passages that are evidence for the
//! fact. A passage passes its mass to the entities of the facts for which it is evidence. Mass below a threshold is not
//! passed on. Therefore, activation reaches only nearby nodes, and an entity with very many facts passes no mass on.
//!
//! Mass is an integer, so a sum does not depend on the order of its terms.

use std::collections::BTreeMap;

use hearsay_model::{EntityId, FactId};
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::{DocId, Index, candidates::Candidates};

/// Total mass, which all starting points share.
const TOTAL_MASS: f64 = (1_u64 << 52) as f64;

/// Share of its mass that a node passes on in each round, in percent.
const PASSED_ON_PERCENT: u64 = 60;

/// Number of rounds. After the last round, a hundredth of the mass is still moving.
const ROUNDS: usize = 9;

/// Minimum mass of a part. A node divides the mass that it passes on into parts. If a part would be smaller than this
/// minimum, the node passes nothing on.
const MIN_PART_MASS: u64 = (1 << 52) / 100_000;

/// Relative shares of an entity's mass: for the other end of a fact (`END_SHARE`), and for each passage that is
/// evidence for the fact (`PASSAGE_SHARE`).
const END_SHARE: u64 = 5;
const PASSAGE_SHARE: u64 = 3;

/// A step of spreading activation: an entity, and the fact through which the entity passed activation on.
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
    mass_by_candidate: FxHashMap<usize, u64>,
    /// For each candidate, the single step that brought it the most mass.
    best_step_by_candidate: FxHashMap<usize, Step>,
    /// For each entity, the single step that brought it the most mass.
    best_step_by_entity: FxHashMap<u32, Step>,
}

struct Propagation<'a> {
    candidates: &'a Candidates<'a>,
    index: &'a Index,
    activation: Activation,
    /// For each entity visited so far, the candidate numbers of its facts.
    facts: FxHashMap<u32, Vec<usize>>,
}

/// Spreads activation from the starting points.
pub(crate) fn pagerank(candidates: &Candidates, index: &Index, start: &Start) -> Activation {
    let mut propagation =
        Propagation { candidates, index, activation: Activation::default(), facts: FxHashMap::default() };
    let mass_of = |share: f64| (share * TOTAL_MASS) as u64;
    let mut entities: BTreeMap<u32, u64> = BTreeMap::new();
    start.entities.iter().for_each(|&(entity, share)| *entities.entry(entity).or_default() += mass_of(share));
    let mut passages: BTreeMap<usize, u64> = start.passages.iter().map(|&(at, share)| (at, mass_of(share))).collect();
    for _ in 0..ROUNDS {
        let (mut next_entities, mut next_passages) = (BTreeMap::new(), BTreeMap::new());
        for (entity, mass) in entities {
            propagation.spread_from_entity(
                entity,
                mass / 100 * PASSED_ON_PERCENT,
                &mut next_entities,
                &mut next_passages,
            );
        }
        for (passage, mass) in passages {
            propagation.spread_from_passage(passage, mass / 100 * PASSED_ON_PERCENT, &mut next_entities);
        }
        (entities, passages) = (next_entities, next_passages);
        if entities.is_empty() && passages.is_empty() {
            break;
        }
    }
    propagation.activation
}

impl Propagation<'_> {
    fn spread_from_entity(
        &mut self,
        entity: u32,
        mass: u64,
        entities: &mut BTreeMap<u32, u64>,
        passages: &mut BTreeMap<usize, u64>,
    ) {
        let Self { candidates, index, activation, facts } = self;
        let facts = facts.entry(entity).or_insert_with(|| {
            let mut facts: Vec<usize> = index.facts_of(entity).iter().filter_map(|&fact| candidates.at(fact)).collect();
            facts.sort_unstable();
            facts
        });
        // This cheap check needs no count of the parts, because there are at least as many parts as facts.
        if facts.is_empty() || mass / (facts.len() as u64) < MIN_PART_MASS {
            return;
        }
        let candidate_of =
            |id| index.text_number(DocId::Passage(id)).and_then(|text_number| candidates.at(text_number));
        let evidence_passages =
            |fact: usize| candidates.doc(fact).evidence.iter().filter_map(move |id| candidate_of(*id));
        let parts: u64 =
            facts.iter().map(|&fact| END_SHARE + PASSAGE_SHARE * evidence_passages(fact).count() as u64).sum();
        let part = mass / parts;
        for &fact in facts.iter() {
            let ends = candidates.doc(fact).ends;
            let end = usize::from(ends[0] != Some(entity));
            let step = Step { mass: part * END_SHARE, fact, end };
            activation.add_mass(fact, step);
            for other in ends.into_iter().flatten().filter(|end| *end != entity) {
                *entities.entry(other).or_default() += step.mass;
                activation.best_step_by_entity.entry(other).or_default().keep_strongest(step);
            }
            let step = Step { mass: part * PASSAGE_SHARE, ..step };
            for passage in evidence_passages(fact) {
                *passages.entry(passage).or_default() += step.mass;
                activation.add_mass(passage, step);
            }
        }
    }

    fn spread_from_passage(&mut self, passage: usize, mass: u64, entities: &mut BTreeMap<u32, u64>) {
        let DocId::Passage(id) = self.candidates.id(passage) else { return };
        let facts: Vec<usize> =
            self.index.facts_with_evidence(id).iter().filter_map(|&fact| self.candidates.at(fact)).collect();
        let ends = |fact: &usize| self.candidates.doc(*fact).ends.into_iter().flatten();
        let parts = facts.iter().flat_map(ends).count() as u64;
        if parts == 0 || mass / parts < MIN_PART_MASS {
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
    /// Replaces this step by `new` if `new` has more mass. If both steps have the same mass, the step with the smaller
    /// fact number wins, then the step with the smaller end.
    fn keep_strongest(&mut self, new: Self) {
        let key = |step: &Self| (std::cmp::Reverse(step.mass), step.fact, step.end);
        if key(&new) < key(self) {
            *self = new;
        }
    }
}

impl Activation {
    fn add_mass(&mut self, candidate: usize, step: Step) {
        *self.mass_by_candidate.entry(candidate).or_default() += step.mass;
        self.best_step_by_candidate.entry(candidate).or_default().keep_strongest(step);
    }

    /// Returns the mass that reached a candidate, as a share of the total mass.
    pub(crate) fn mass(&self, candidate: usize) -> f64 {
        self.mass_by_candidate.get(&candidate).map_or(0.0, |mass| *mass as f64 / TOTAL_MASS)
    }

    /// Returns the path along which most of a candidate's mass came, from its starting point. Each step is a fact and
    /// the end of the fact from which the mass came.
    pub(crate) fn path(&self, candidate: usize, candidates: &Candidates) -> Vec<(usize, usize)> {
        let (mut steps, mut seen) = (Vec::new(), Vec::new());
        let mut step = self.best_step_by_candidate.get(&candidate);
        while let Some(Step { fact, end, .. }) = step.copied() {
            let Some(entity) = candidates.doc(fact).ends[end].filter(|entity| !seen.contains(entity)) else {
                break;
            };
            seen.push(entity);
            steps.push((fact, end));
            step = self.best_step_by_entity.get(&entity);
        }
        steps.reverse();
        steps
    }
}

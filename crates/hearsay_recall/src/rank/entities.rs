//! Search for the candidates that are about an entity in the question. Rare entities have a higher weight.

use std::collections::BTreeMap;

use hearsay_belief::View;

use crate::{
    Index, LinkedEntity,
    candidates::Candidates,
    mentions::{mark_mentions, mark_spoken_passages},
};

/// Weight of a fact one hop away from a named entity, relative to a fact about the entity itself.
const ONE_HOP_WEIGHT: f32 = 0.2;

/// Candidates that name one entity from the question, and passages that the entity said.
pub(super) struct EntityMatches {
    /// For each candidate, whether it contains a name that the knower has for the entity.
    names: Vec<bool>,
    /// For each candidate, whether the entity said it.
    said: Vec<bool>,
}

impl EntityMatches {
    pub(super) fn new(view: &View, index: &Index, candidates: &Candidates, named: &LinkedEntity) -> Self {
        let none = || vec![false; candidates.len()];
        let mut about = Self { names: none(), said: none() };
        mark_mentions(view, index, candidates, named, &mut about.names);
        mark_spoken_passages(view, index, candidates, named, &mut about.said);
        about
    }

    /// Subtracts the part of the passages' cosines that comes from the entity's name alone. Speakers address the
    /// participants of a talk by name, and such a name says little about the topic. Without the correction, a question
    /// that names a person would match every "Good morning" to that person. Does nothing if the entity said no passage.
    pub(super) fn disregard_address(&self, candidates: &Candidates, passage_cosines: &mut [Option<f32>]) {
        if !self.said.contains(&true) {
            return;
        }
        // Sums in id order. A float sum depends on its order, and the order of `Candidates::talk` depends on the index.
        let talk = || candidates.facts..candidates.len();
        let mean = |names_it: bool| {
            let cosines = talk()
                .filter(|said| self.names[*said] == names_it)
                .filter_map(|said| passage_cosines[said - candidates.facts]);
            let (sum, count) = cosines.fold((0.0, 0), |(sum, count), of| (sum + of, count + 1));
            (count > 0).then(|| sum / count as f32)
        };
        let (Some(with), Some(without)) = (mean(true), mean(false)) else { return };
        let difference = (with - without).max(0.0);
        for said in talk().filter(|said| self.names[*said]) {
            let cosine = &mut passage_cosines[said - candidates.facts];
            *cosine = cosine.map(|cosine| cosine - difference);
        }
    }
}

/// For each candidate, the share of the named entities that the candidate is about. Each entity is weighted by its
/// rarity in the view.
#[derive(Debug, Default)]
pub(super) struct EntityShares {
    shares: Vec<f32>,
}

impl EntityShares {
    pub(super) fn new(
        index: &Index,
        candidates: &Candidates,
        named: &[LinkedEntity],
        spoken: &[EntityMatches],
    ) -> Self {
        if named.is_empty() {
            return Self::default();
        }
        let entity = |named: &LinkedEntity| index.entity(&named.id);
        let rarity =
            |named: &LinkedEntity| rarity_of(entity(named).map_or(0, |entity| degree(candidates, index, entity)));
        let total: f32 = named.iter().map(rarity).sum();
        let mut shares = vec![0.0; candidates.len()];
        for (named, spoken) in named.iter().zip(spoken) {
            let mut about: Vec<bool> =
                spoken.names.iter().zip(&spoken.said).map(|(names, said)| *names || *said).collect();
            for &fact in entity(named).map_or(&[][..], |entity| index.facts_of(entity)) {
                candidates.at(fact).into_iter().for_each(|fact| about[fact] = true);
            }
            let share = rarity(named) / total;
            shares.iter_mut().zip(about).filter(|(_, about)| *about).for_each(|(sum, _)| *sum += share);
        }
        let named: Vec<Option<u32>> = named.iter().map(entity).collect();
        let mut near: BTreeMap<u32, f32> = BTreeMap::new();
        let about = |fact: &usize| shares[*fact] > 0.0;
        for fact in (0..candidates.facts).filter(about) {
            let share = shares[fact];
            for end in candidates.doc(fact).ends.into_iter().flatten().filter(|end| !named.contains(&Some(*end))) {
                let near = near.entry(end).or_default();
                *near = near.max(share);
            }
        }
        let mut hop = vec![0.0_f32; candidates.facts];
        for (entity, share) in near {
            let share = ONE_HOP_WEIGHT * share * rarity_of(degree(candidates, index, entity));
            for fact in index.facts_of(entity).iter().filter_map(|fact| candidates.at(*fact)) {
                hop[fact] = hop[fact].max(share);
            }
        }
        for (share, hop) in shares.iter_mut().zip(hop).filter(|(share, _)| **share == 0.0) {
            *share = hop;
        }
        Self { shares }
    }

    #[inline]
    pub(super) fn share(&self, candidate: usize) -> f32 {
        self.shares.get(candidate).copied().unwrap_or_default()
    }
}

/// Returns how many facts about an entity the asker knows.
pub(super) fn degree(candidates: &Candidates, index: &Index, entity: u32) -> usize {
    index.facts_of(entity).iter().filter(|fact| candidates.at(**fact).is_some()).count()
}

/// Returns the rarity weight of an entity with `degree` known facts.
fn rarity_of(degree: usize) -> f32 {
    1.0 / (1.0 + degree as f32).ln().max(1.0)
}

//! Opinions of characters during gossip: trust, credence after refutations, retention, and what a character thinks that
//! others know.

use std::sync::Arc;

use hearsay_model::{Credence, EntityId, Fact, FactId, FactRelation, GameTime, Knower};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::CharacterKnowledge;
use crate::{
    AccessPath, BELIEF_THRESHOLD, Known, KnownEdge, Retention, Trust,
    attitudes::strongest_attitude,
    credence::{credence, refuted_belief},
    feelings::{FeelingContext, affinity_change},
    trust::{experiences, first_impression},
    view::{MemoryRules, are_rivals, feelings_half_life},
};

impl CharacterKnowledge<'_> {
    /// Returns the trust of one character in another at a moment.
    pub(in crate::gossip) fn trust(&mut self, character: u32, other: u32, now: GameTime) -> Trust {
        let (Some(access), Some(edges)) =
            (self.access[character as usize].as_deref(), self.edges[character as usize].as_deref())
        else {
            return Trust { first_impression: Credence::NONE, experiences: Vec::new() };
        };
        let (Some(id), Some(other_id)) = (self.ids[character as usize], self.ids[other as usize]) else {
            return Trust { first_impression: Credence::NONE, experiences: Vec::new() };
        };
        let between = access.facts_by_related_entity.get(&other).cloned().unwrap_or_default();
        let (mut told, mut witnessed) = (Vec::new(), Vec::new());
        if let Some(facts) = edges.told_by.get(&other).filter(|_| !edges.witnessed.is_empty()) {
            told.clone_from(facts);
            witnessed.clone_from(&edges.witnessed);
        }
        let mut known = |mut facts: Vec<FactId>| -> Vec<Known> {
            facts.sort_unstable();
            facts.dedup();
            facts.into_iter().filter_map(|fact| self.known(character, fact, now)).collect()
        };
        let (between, told, witnessed) = (known(between), known(told), known(witnessed));
        let affinity_change = self.affinity_change((character, id), (other, other_id), now);
        let first_impression =
            credence(first_impression(self.state.vocabulary(), id, other_id, &between, affinity_change));
        let (told, witnessed): (Vec<_>, Vec<_>) = (told.iter().collect(), witnessed.iter().collect());
        Trust { first_impression, experiences: experiences(&told, &witnessed, other_id, self.state.vocabulary()) }
    }

    /// Returns the sum of the changes of a character's affinity to another character, at a moment.
    fn affinity_change(
        &mut self,
        (character, id): (u32, &EntityId),
        (other, other_id): (u32, &EntityId),
        now: GameTime,
    ) -> f64 {
        let state = self.state;
        let deeds = self.deeds.entry(other).or_insert_with(|| {
            let is_deed = |fact: &Fact| state.vocabulary().is_deed(fact.predicate());
            let links = state.links_at(other).filter(|link| link.is_forward() && is_deed(link.fact()));
            let mut deeds: Vec<(FactId, u32)> = links.map(|link| (link.fact().id(), link.other_index())).collect();
            deeds.sort_unstable();
            deeds.dedup();
            Arc::new(deeds)
        });
        if deeds.is_empty() || character == other {
            return 0.0;
        }
        let (vocabulary, half_life) = (state.vocabulary(), feelings_half_life(state));
        let context = FeelingContext { vocabulary, knower: id, other: other_id, now: Some(now), half_life };
        let (mut known_deeds, mut attitudes) = (Vec::new(), FxHashMap::default());
        for (fact, object) in Arc::clone(deeds).iter() {
            let Some(known) = self.known(character, *fact, now).filter(|known| context.is_deed(known)) else {
                continue;
            };
            let credence = self.effective_credence(character, &known, now);
            if let Some(object_id) = self.ids[*object as usize].filter(|object| *object != id) {
                let access = self.access[character as usize].as_deref();
                let between = access.and_then(|access| access.facts_by_related_entity.get(object)).cloned();
                let between: Vec<Known> = between
                    .unwrap_or_default()
                    .into_iter()
                    .filter_map(|fact| self.known(character, fact, now))
                    .collect();
                attitudes.insert(object_id, strongest_attitude(vocabulary, id, object_id, &between));
            }
            known_deeds.push((known, credence));
        }
        let deeds = known_deeds.iter().map(|(known, credence)| (known, *credence));
        affinity_change(&context.causes(deeds, |object| attitudes.get(object).copied().unwrap_or_default()))
    }

    /// Returns how much a character believes a fact, after refutations. Returns zero if the character knows that the
    /// fact has ended.
    pub(in crate::gossip) fn effective_credence(&mut self, character: u32, known: &Known, now: GameTime) -> f64 {
        // Refutations of the facts that this fact distorts also count, unless the character observed this fact.
        let mut refutable: SmallVec<[FactId; 2]> = smallvec![known.id()];
        let mut truths: SmallVec<[FactId; 2]> = known.contradicts().iter().copied().collect();
        let mut distorted = known.distorted_fact().filter(|_| !known.is_observed());
        while let Some(version) = distorted {
            refutable.push(version);
            let version = self.known(character, version, now);
            truths.extend(version.iter().flat_map(Known::contradicts).copied());
            distorted = version.and_then(|known| known.distorted_fact());
        }
        truths.sort_unstable();
        truths.dedup();
        let (mut refutations, mut outweighed) = (Vec::new(), false);
        let related = refutable.iter().filter_map(|id| self.fact_relations.get(id)).flatten().copied();
        for id in related.collect::<SmallVec<[FactId; 2]>>() {
            let Some(other) = self.known(character, id, now) else { continue };
            let is_believed = other.credence().get() >= BELIEF_THRESHOLD;
            let has_started = other.since().and_then(|date| date.time).is_none_or(|since| since <= now);
            match other.fact_relation() {
                Some(FactRelation::Ends(ended)) if ended == known.id() && is_believed && has_started => return 0.0,
                Some(FactRelation::Refutes(_)) => {
                    refutations.push((other.credence().get(), other.learned()));
                    outweighed |= is_believed;
                }
                _ => {}
            }
        }
        // A fact that this fact contradicts refutes it, unless the character already knows that this fact is untrue.
        for id in truths.into_iter().filter(|_| known.credence() != Credence::NONE) {
            let Some(truth) = self.known(character, id, now) else { continue };
            refutations.push((truth.credence().get(), truth.learned()));
            outweighed |= truth.credence().get() >= BELIEF_THRESHOLD;
        }
        let belief = refuted_belief((known.credence().get(), known.learned()), refutations);
        // A fact is not told, not even as a rumour, if the character believes a refutation of the fact more than the
        // fact.
        if outweighed && belief < BELIEF_THRESHOLD { 0.0 } else { belief }
    }

    /// Returns the facts from which a character knows that a fact, or a fact that it distorts, is refuted.
    pub(in crate::gossip) fn known_refutations(&mut self, character: u32, known: &Known, now: GameTime) -> Vec<FactId> {
        let mut refutable: SmallVec<[FactId; 2]> = smallvec![known.id()];
        let mut distorted = known.distorted_fact();
        while let Some(version) = distorted {
            refutable.push(version);
            distorted = self.known(character, version, now).and_then(|version| version.distorted_fact());
        }
        let is_refutation = |id: FactId| {
            let relation = self.fact(id).and_then(|fact| fact.fact_relation());
            matches!(relation, Some(FactRelation::Refutes(_))) && self.knows(character, id, now)
        };
        let related = refutable.iter().filter_map(|id| self.fact_relations.get(id)).flatten().copied();
        related.filter(|id| is_refutation(*id)).collect()
    }

    /// Returns whether a character believes a fact that contradicts `known` more than `known`. `credence` is the
    /// character's [effective credence](Self::effective_credence) in `known`.
    ///
    /// A later value of a predicate does not contradict an earlier value. Therefore, a character can tell that a value
    /// has changed.
    pub(in crate::gossip) fn knows_better(
        &mut self,
        character: u32,
        known: &Known,
        credence: f64,
        now: GameTime,
    ) -> bool {
        let start = |known: &Known| known.since().and_then(|date| date.time);
        let since = start(known);
        let denied = known.fact_relation().and_then(|relation| match relation {
            FactRelation::Refutes(id) => Some(id),
            _ => None,
        });
        let rivals = self.rival_facts(known).into_iter().map(|id| (id, false));
        denied.into_iter().map(|id| (id, true)).chain(rivals).any(|(id, is_denied)| {
            let Some(other) = self.known(character, id, now) else { return false };
            let (other_credence, other_since) = (self.effective_credence(character, &other, now), start(&other));
            other_credence >= BELIEF_THRESHOLD
                && match is_denied {
                    true => other_credence > credence,
                    false => since <= other_since && (other_credence, other_since) > (credence, since),
                }
        })
    }

    /// Returns the facts with the same subject that state another value of a functional predicate, or the opposite
    /// relation to the same entity.
    fn rival_facts(&self, known: &Known) -> Vec<FactId> {
        let vocabulary = self.vocabulary();
        let (subject, predicate, object) = (known.subject(), known.predicate(), known.object());
        if !vocabulary.is_functional(predicate) && vocabulary.opposites(predicate).next().is_none() {
            return Vec::new();
        }
        let is_rival = |fact: &&Arc<Fact>| {
            fact.subject() == subject && are_rivals(vocabulary, (predicate, object), (fact.predicate(), fact.object()))
        };
        let mut rivals: Vec<FactId> = self
            .state
            .facts_of(subject)
            .chain(self.new_facts.values())
            .filter(is_rival)
            .map(|fact| fact.id())
            .collect();
        rivals.sort_unstable();
        rivals
    }

    /// Returns how well a character remembers a fact at a moment.
    pub(in crate::gossip) fn retention(&mut self, character: u32, known: &Known, now: GameTime) -> Retention {
        let state = self.state;
        let Some(id) = self.ids[character as usize] else { return Retention::FULL };
        let knower = Knower::Entity(id.clone());
        let rules = self.memory_rules.entry(character).or_insert_with(|| MemoryRules::new(state, &knower));
        rules.retention(state.vocabulary(), &knower, known, Some(now))
    }

    /// Returns whether a character has reason to think that another character knows a fact.
    pub(in crate::gossip) fn thinks_knows(&self, character: u32, other: u32, known: &Known, now: GameTime) -> bool {
        let Some(id) = self.ids[other as usize] else { return false };
        let belongs = |group: &EntityId| {
            let mut links = self.state.links_at(other).filter(|link| link.is_forward() && link.other() == group);
            links.any(|link| {
                let behavior = self.state.vocabulary().behavior(link.fact().predicate());
                behavior.is_direct_belonging() && self.knows(character, link.fact().id(), now)
            })
        };
        let reaches_other = |known_edge: &KnownEdge| match &known_edge.access_path {
            AccessPath::Own => {
                known_edge.edge.co_present.contains(id)
                    || known_edge.edge.acquisition.teller_and_source().any(|person| person == id)
            }
            AccessPath::Member(group) | AccessPath::Resident(group) => belongs(group),
            AccessPath::Common => true,
        };
        known.known_edges().iter().any(reaches_other)
            || known.shared().iter().any(|known_edge| known_edge.edge.co_present.contains(id))
    }
}

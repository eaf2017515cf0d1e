//! Review items: proposed facts, contradictions and duplicates that wait for the DM's decision.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_model::{Author, EntityId, Fact, FactId, FactStatus, State, attribute};
use serde::Serialize;

use super::stake::stake;
use crate::{
    contradictions::{Clash, Contradictions},
    duplicates::{Claim, Duplicate},
    trust::lift,
};

/// An item that waits for the DM's decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "why")]
pub enum ReviewItem {
    /// A proposed fact that needs the DM's decision according to the policy.
    Doubtful {
        /// Id of the proposed fact. If several sources state the same fact, this is the fact with the highest
        /// confidence. For a new entity, this is the fact that states its name.
        fact: FactId,
        /// Other facts that the DM decides on together with `fact`: equivalent facts from other sources, or the fact
        /// that states a new entity's kind. Sorted.
        also: Vec<FactId>,
    },
    /// Facts of one subject that cannot all be true.
    Contradiction {
        /// Subject of the facts.
        subject: EntityId,
        /// Reason for the contradiction.
        clash: Clash,
        /// Ids of the facts that contradict each other. Sorted.
        facts: Vec<FactId>,
    },
    /// Two entities that may be the same.
    Duplicate(Duplicate),
}

/// Returns the proposed facts and contradictions that wait for the DM's decision. The most important items, which have
/// the highest [`stake`](super::stake()), come first. Does not include duplicate entities, because
/// [`duplicates`](crate::duplicates::duplicates) takes longer to find them.
pub fn review_items(state: &State) -> Vec<ReviewItem> {
    let mut claims: BTreeMap<Together, Vec<&Arc<Fact>>> = BTreeMap::new();
    for fact in state.facts().filter(|fact| fact.status() == FactStatus::Proposed) {
        claims.entry(Together::of(state, fact)).or_default().push(fact);
    }
    let mut items: Vec<(f64, ReviewItem)> = Vec::new();
    for facts in claims.values() {
        let is_name = |fact: &Fact| fact.predicate().as_str() == attribute::NAME;
        let surest = facts.iter().max_by_key(|fact| (is_name(fact), fact.provenance().confidence, fact.id()));
        let Some(surest) = surest else { continue };
        let mut also: Vec<FactId> = facts.iter().map(|fact| fact.id()).filter(|id| *id != surest.id()).collect();
        also.sort_unstable();
        let lift = lift(state, surest).map_or(0.0, |lift| lift.by);
        let stake = stake(state, surest, false).0 * (1.0 + lift);
        items.push((stake, ReviewItem::Doubtful { fact: surest.id(), also }));
    }
    for (subject, clash, facts) in Contradictions::of(state).iter() {
        let stakes = facts.iter().filter_map(|id| state.fact(*id)).map(|fact| stake(state, fact, true).0);
        let item = ReviewItem::Contradiction { subject: subject.clone(), clash: clash.clone(), facts: facts.clone() };
        items.push((stakes.fold(0.0, f64::max), item));
    }
    // The stable sort keeps the order of items with equal stakes: doubtful facts by claim, then contradictions by
    // subject.
    items.sort_by(|a, b| b.0.total_cmp(&a.0));
    items.into_iter().map(|(_, item)| item).collect()
}

/// Identity of a group of facts that the DM decides on together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Together {
    /// Facts with the same claim.
    Claim(Claim),
    /// Name and kind of a new entity.
    Naming(EntityId),
}

impl Together {
    pub(super) fn of(state: &State, fact: &Fact) -> Self {
        match is_naming(fact) {
            true => Self::Naming(fact.subject().clone()),
            false => Self::Claim(Claim::of(state.vocabulary(), fact)),
        }
    }

    pub(super) fn subject(&self) -> &EntityId {
        match self {
            Self::Claim(claim) => claim.subject(),
            Self::Naming(id) => id,
        }
    }
}

/// Returns whether a fact states the name or kind of an entity and was extracted from a text.
pub fn is_naming(fact: &Fact) -> bool {
    let names = [attribute::NAME, attribute::KIND].contains(&fact.predicate().as_str());
    names && fact.provenance().author == Author::Extractor
}

/// Returns the other facts that the DM decides on together with this fact.
pub fn waiting_with(state: &State, fact: &Fact) -> Vec<FactId> {
    if fact.status() != FactStatus::Proposed {
        return Vec::new();
    }
    let claim = Together::of(state, fact);
    let waiting = waiting_about(state, claim.subject()).filter(|other| other.id() != fact.id());
    let mut same: Vec<FactId> =
        waiting.filter(|other| Together::of(state, other) == claim).map(|other| other.id()).collect();
    same.sort_unstable();
    same.dedup();
    same
}

/// Returns the proposed facts about an entity, which await the DM's decision.
pub fn waiting_about<'a>(state: &'a State, id: &EntityId) -> impl Iterator<Item = &'a Arc<Fact>> + use<'a> {
    state.facts_of(id).filter(|fact| fact.status() == FactStatus::Proposed)
}

/// Returns whether an entity is new: all its names were extracted from texts, and the DM has confirmed none of them.
pub fn is_newcomer(state: &State, id: &EntityId) -> bool {
    state.open_name(id).is_none() && proposed_names(state, id).next().is_some()
}

/// Returns the facts that state extracted names of an entity, regardless of their status.
pub fn proposed_names<'a>(state: &'a State, id: &EntityId) -> impl Iterator<Item = &'a Fact> {
    let facts = state.facts_of(id).map(AsRef::as_ref);
    let whose = id.clone();
    facts.filter(move |fact: &&Fact| {
        let by_text = fact.provenance().author == Author::Extractor;
        by_text && *fact.subject() == whose && fact.predicate().as_str() == attribute::NAME
    })
}

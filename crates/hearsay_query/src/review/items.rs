//! Review items: proposed facts, contradictions and duplicates that wait for the DM's decision.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_model::{Author, EntityId, Fact, FactId, FactStatus, SessionId, State, attribute, text};
use serde::Serialize;

use super::stake::stake;
use crate::{
    contradictions::{Clash, Contradictions},
    duplicates::{Claim, Duplicate},
    trust::confidence_boost,
};

/// An item that waits for the DM's decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum ReviewItem {
    /// A proposed fact for which the policy requires the DM's decision.
    Doubtful {
        /// Id of the proposed fact. If several sources state the same fact, this is the fact with the highest
        /// confidence. For a new entity, this is the fact that states the name of the entity.
        fact: FactId,
        /// Other facts on which the DM decides together with `fact`, sorted by id: the same fact from other sources,
        /// or the fact that states the kind of a new entity.
        also: Vec<FactId>,
    },
    /// Facts about one subject that cannot all be true.
    Contradiction {
        /// Subject of the facts.
        subject: EntityId,
        /// Reason for the contradiction.
        clash: Clash,
        /// Ids of the facts that contradict each other. Sorted.
        facts: Vec<FactId>,
    },
    /// Two entities that may be duplicates of each other.
    Duplicate(Duplicate),
}

/// Source of the texts from which facts were extracted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReviewSource {
    /// The lines of a session, logged during play or imported from a transcript.
    Session(SessionId),
    /// The texts of an imported campaign, including its sessions.
    Import(String),
    /// The texts that an author recorded outside of sessions.
    Author(Author),
}

impl ReviewSource {
    /// Returns the source of the text from which a fact was extracted. Returns `None` if the fact was not extracted
    /// from a text, for example if a game proposed it.
    pub fn from_fact(state: &State, fact: &Fact) -> Option<Self> {
        let provenance = fact.provenance();
        if provenance.author != Author::Extractor {
            return None;
        }
        let (id, passage) = provenance.evidence.iter().find_map(|evidence| {
            let id = evidence.passage()?;
            Some((id, state.passage(id)?))
        })?;
        match (state.passage_author(id), &passage.session) {
            (Some(Author::Importer(name)), _) if state.imported(name).is_some() => Some(Self::Import(name.clone())),
            (_, Some(session)) => Some(Self::Session(session.clone())),
            (author, None) => author.cloned().map(Self::Author),
        }
    }
}

/// A review item with the values by which it is ordered and selected.
pub(super) struct RankedItem {
    pub(super) item: ReviewItem,
    /// Importance of the DM's decision.
    stake: f64,
    /// Source of the text from which the fact was extracted; `None` for an item that does not come from a text.
    pub(super) source: Option<ReviewSource>,
    /// Confidence by which triage selects the item.
    pub(super) confidence: f64,
}

/// Returns the proposed facts and contradictions that wait for the DM's decision. The items with the highest
/// [`stake`](super::stake()) come first. The result does not include duplicate entities: see
/// [`duplicates`](crate::duplicates::duplicates).
pub fn review_items(state: &State) -> Vec<ReviewItem> {
    ranked_items(state).into_iter().map(|ranked| ranked.item).collect()
}

/// Returns the items of [`review_items`] in the same order, with the values for triage.
pub(super) fn ranked_items(state: &State) -> Vec<RankedItem> {
    let mut groups: BTreeMap<DecisionGroup, Vec<&Arc<Fact>>> = BTreeMap::new();
    for fact in state.facts().filter(|fact| fact.status() == FactStatus::Proposed) {
        groups.entry(DecisionGroup::from_fact(state, fact)).or_default().push(fact);
    }
    let mut items: Vec<RankedItem> = Vec::new();
    for facts in groups.values() {
        let is_name = |fact: &Fact| fact.predicate().as_str() == attribute::NAME;
        let primary = facts.iter().max_by_key(|fact| (is_name(fact), fact.provenance().confidence, fact.id()));
        let Some(primary) = primary else { continue };
        let mut also: Vec<FactId> = facts.iter().map(|fact| fact.id()).filter(|id| *id != primary.id()).collect();
        also.sort_unstable();
        let boost = confidence_boost(state, primary).map_or(0.0, |boost| boost.by);
        items.push(RankedItem {
            item: ReviewItem::Doubtful { fact: primary.id(), also },
            stake: stake(state, primary, false).0 * (1.0 + boost),
            source: facts.iter().map(|fact| ReviewSource::from_fact(state, fact)).min().flatten(),
            confidence: triage_confidence(state, primary),
        });
    }
    for (subject, clash, facts) in Contradictions::from_state(state).iter() {
        let stakes = facts.iter().filter_map(|id| state.fact(*id)).map(|fact| stake(state, fact, true).0);
        items.push(RankedItem {
            item: ReviewItem::Contradiction { subject: subject.clone(), clash: clash.clone(), facts: facts.clone() },
            stake: stakes.fold(0.0, f64::max),
            source: None,
            confidence: 1.0,
        });
    }
    // The stable sort keeps the order of items with equal stakes: doubtful facts by claim, then contradictions by
    // subject.
    items.sort_by(|a, b| b.stake.total_cmp(&a.stake));
    items
}

/// Returns the confidence by which triage selects a proposed fact. The name of a new entity is worth a decision only
/// together with a fact about the entity. The returned confidence of a name is therefore at most the highest confidence
/// of a fact about the entity.
fn triage_confidence(state: &State, fact: &Fact) -> f64 {
    let confidence = fact.provenance().confidence.get();
    if !is_extracted_name_or_kind(fact) {
        return confidence;
    }
    let is_about_entity = |other: &&Arc<Fact>| other.subject() != fact.subject() || !is_extracted_name_or_kind(other);
    let facts_about_entity = pending_facts_about(state, fact.subject()).filter(is_about_entity);
    facts_about_entity.map(|other| other.provenance().confidence.get()).fold(0.0, f64::max).min(confidence)
}

/// Identity of a group of facts that the DM decides on together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DecisionGroup {
    /// Facts with the same claim in the same words. A relation such as "Ann owes Bo" leaves out what Ann owes, so facts
    /// with the same claim but other words need decisions of their own.
    Claim(Claim, String),
    /// Name and kind of a new entity.
    Naming(EntityId),
}

impl DecisionGroup {
    pub(super) fn from_fact(state: &State, fact: &Fact) -> Self {
        if is_extracted_name_or_kind(fact) {
            Self::Naming(fact.subject().clone())
        } else {
            Self::Claim(Claim::from_fact(state.vocabulary(), fact), text::normalize(fact.statement()))
        }
    }

    pub(super) fn subject(&self) -> &EntityId {
        match self {
            Self::Claim(claim, _) => claim.subject(),
            Self::Naming(id) => id,
        }
    }
}

/// Returns whether a fact states the name or kind of an entity and was extracted from a text.
pub fn is_extracted_name_or_kind(fact: &Fact) -> bool {
    let is_name_or_kind = [attribute::NAME, attribute::KIND].contains(&fact.predicate().as_str());
    is_name_or_kind && fact.provenance().author == Author::Extractor
}

/// Returns the other facts of the same review item. The DM decides on all facts of an item together.
pub fn facts_decided_together(state: &State, fact: &Fact) -> Vec<FactId> {
    if fact.status() != FactStatus::Proposed {
        return Vec::new();
    }
    let group = DecisionGroup::from_fact(state, fact);
    let pending = pending_facts_about(state, group.subject()).filter(|other| other.id() != fact.id());
    let mut ids: Vec<FactId> =
        pending.filter(|other| DecisionGroup::from_fact(state, other) == group).map(|other| other.id()).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Returns the proposed facts about an entity, which wait for the DM's decision.
pub fn pending_facts_about<'a>(state: &'a State, id: &EntityId) -> impl Iterator<Item = &'a Arc<Fact>> + use<'a> {
    state.facts_of(id).filter(|fact| fact.status() == FactStatus::Proposed)
}

/// Returns whether an entity is new: all its names were extracted from texts, and the DM has confirmed none of them.
pub fn is_unconfirmed_entity(state: &State, id: &EntityId) -> bool {
    state.open_name(id).is_none() && extracted_names(state, id).next().is_some()
}

/// Returns the facts that state extracted names of an entity, regardless of their status.
pub fn extracted_names<'a>(state: &'a State, id: &EntityId) -> impl Iterator<Item = &'a Fact> {
    let facts = state.facts_of(id).map(AsRef::as_ref);
    let subject = id.clone();
    facts.filter(move |fact: &&Fact| {
        let is_extracted = fact.provenance().author == Author::Extractor;
        is_extracted && *fact.subject() == subject && fact.predicate().as_str() == attribute::NAME
    })
}

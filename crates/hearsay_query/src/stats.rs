//! Counts of the records of a campaign.

use std::collections::BTreeMap;

use hearsay_model::{Kind, State};
use serde::Serialize;

/// Numbers of records in a campaign.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Number of entities by kind.
    pub entities: BTreeMap<String, usize>,
    /// Number of facts by predicate.
    pub predicates: BTreeMap<String, usize>,
    /// Number of facts by status.
    pub statuses: BTreeMap<String, usize>,
    /// Number of facts by author.
    pub sources: BTreeMap<String, usize>,
    /// Number of facts by secrecy.
    pub secrecy: BTreeMap<String, usize>,
    /// Number of knowledge edges.
    pub knowledge: usize,
    /// Number of passages.
    pub passages: usize,
    /// Number of sessions.
    pub sessions: usize,
    /// Number of facts that nobody knows. Proposed and rejected facts are not counted.
    pub known_to_nobody: usize,
}

/// Counts the records of a campaign.
pub fn stats(state: &State) -> Stats {
    let mut stats = Stats::default();
    let count = |counts: &mut BTreeMap<String, usize>, key: &str| *counts.entry(key.to_owned()).or_default() += 1;
    for entity in state.entities() {
        count(&mut stats.entities, state.kind(&entity.id).as_ref().map_or("unknown", Kind::as_str));
    }
    for fact in state.facts() {
        count(&mut stats.predicates, fact.predicate().as_str());
        count(&mut stats.statuses, fact.status().as_str());
        count(&mut stats.sources, &fact.provenance().author.to_string());
        count(&mut stats.secrecy, fact.secrecy().as_str());
        stats.known_to_nobody += usize::from(fact.status().is_knowable() && state.known_by(fact.id()).next().is_none());
    }
    stats.knowledge = state.all_knowledge().count();
    stats.passages = state.passages().count();
    stats.sessions = state.sessions().count();
    stats
}

//! Facts on which an operation decided, with the knowers of each fact.

use std::{collections::BTreeSet, sync::Arc};

use hearsay_model::{Change, Fact, FactId, FactStatus, Knower, State};
use serde::Serialize;

/// A fact on which the DM decided.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecidedFact {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Status of the fact after the decision.
    pub status: FactStatus,
    /// Knowers of the fact after the decision, sorted. A group or place represents its members or residents. Empty for a
    /// rejected fact, which nobody knows.
    pub known_to: Vec<Knower>,
}

/// Returns the facts on which an operation decided, in the order of its changes, each once. `after` is the state after
/// the operation.
pub fn decided_facts(after: &State, changes: &[Change]) -> Vec<DecidedFact> {
    let decided = changes.iter().filter_map(|change| match change {
        Change::SetStatus { fact, .. } => Some(*fact),
        Change::AssertFact(fact) | Change::Support(fact) => Some(fact.id()),
        _ => None,
    });
    let mut seen = BTreeSet::new();
    let facts = decided.filter(|id| seen.insert(*id)).filter_map(|id| after.fact(id));
    let row = |fact: &Arc<Fact>| {
        let edges = after.known_by(fact.id()).filter(|edge| edge.acquisition.gives_knowledge());
        let knowers: BTreeSet<Knower> = edges.map(|edge| edge.knower.clone()).collect();
        DecidedFact {
            fact: fact.id(),
            statement: fact.statement().to_owned(),
            status: fact.status(),
            known_to: if fact.status().is_knowable() { knowers.into_iter().collect() } else { Vec::new() },
        }
    };
    facts.map(row).collect()
}

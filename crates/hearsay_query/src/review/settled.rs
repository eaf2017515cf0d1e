//! Facts on which nothing is left to decide.

use std::{collections::BTreeSet, sync::Arc};

use hearsay_model::{Change, Fact, FactId, FactStatus, State, text};
use serde::Serialize;

/// A fact on which nothing is left to decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SettledFact {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Reason why nothing is left to decide.
    pub reason: SettledReason,
}

/// Reason why nothing is left to decide on a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SettledReason {
    /// The DM rejected the fact.
    Rejected,
    /// The fact was retracted.
    Retracted,
    /// The DM accepted another fact with the same meaning, and the fact became evidence for it.
    EvidenceFor(FactId),
}

impl SettledFact {
    /// Returns the fact if the DM rejected it, and `None` otherwise.
    pub fn rejected(fact: &Fact) -> Option<Self> {
        let is_rejected = fact.status() == FactStatus::Rejected;
        is_rejected.then(|| Self::new(fact, SettledReason::Rejected))
    }

    fn new(fact: &Fact, reason: SettledReason) -> Self {
        Self { fact: fact.id(), statement: fact.statement().to_owned(), reason }
    }
}

/// Minimum number of digits of an abbreviated fact id.
const MIN_ID_DIGITS: usize = 4;

/// Finds a removed fact. `given` is the id of the fact, the first digits of its id (at least four), or its whole
/// statement. Returns `None` if no removed fact matches, or if several match.
pub fn find_removed(state: &State, given: &str) -> Option<SettledFact> {
    let given = given.trim();
    let statement = text::normalize(given);
    let is_meant = |id: FactId| {
        let has_id = given.len() >= MIN_ID_DIGITS && id.to_string().starts_with(given);
        has_id || state.asserted(id).is_some_and(|fact| text::normalize(fact.statement()) == statement)
    };
    let mut removals = state.journal().filter(|(_, entry)| entry.live).flat_map(|(_, entry)| {
        let changes = &entry.operation.changes;
        changes.iter().filter_map(move |change| match change {
            Change::RetractFact(id) => Some((*id, changes)),
            _ => None,
        })
    });
    let (id, mut changes) = removals.find(|(id, _)| state.fact(*id).is_none() && is_meant(*id))?;
    // If a fact was removed several times, the last removal counts.
    for (other, later_changes) in removals.filter(|(other, _)| state.fact(*other).is_none() && is_meant(*other)) {
        if other != id {
            return None;
        }
        changes = later_changes;
    }
    let fact = state.asserted(id)?;
    let reason = supported_fact(fact, changes).map_or(SettledReason::Retracted, SettledReason::EvidenceFor);
    Some(SettledFact::new(fact, reason))
}

/// Returns the fact that gained the evidence of a removed fact. `changes` are the changes of the operation that removed
/// the fact.
fn supported_fact(removed: &Fact, changes: &[Change]) -> Option<FactId> {
    let supports = || {
        changes.iter().filter_map(move |change| match change {
            Change::Support(fact) if fact.id() != removed.id() => Some(fact),
            _ => None,
        })
    };
    let evidence = &removed.provenance().evidence;
    let has_its_evidence = |fact: &&Arc<Fact>| fact.provenance().evidence.iter().any(|part| evidence.contains(part));
    let targets: BTreeSet<FactId> = supports().map(|fact| fact.id()).collect();
    match supports().find(has_its_evidence) {
        Some(fact) => Some(fact.id()),
        None => targets.first().copied().filter(|_| targets.len() == 1),
    }
}

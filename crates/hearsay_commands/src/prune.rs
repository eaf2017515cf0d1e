//! Pruning: retraction of many old or doubtful facts at once.

use hearsay_model::{Author, Change, Confidence, FactId, FactStatus, Operation, State, Timestamp};
use serde::Serialize;

use crate::CommandError;

/// Milliseconds in a day.
const MS_PER_DAY: i64 = 24 * 60 * 60 * 1000;

/// Criteria for pruning facts. Facts that the DM stated or confirmed are never pruned.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prune {
    /// Prunes only facts with a confidence lower than this value. `None` means any confidence.
    pub below: Option<Confidence>,
    /// Prunes only facts that were recorded more than this number of real days ago. `None` means any age.
    pub older_than_days: Option<u32>,
    /// Prunes only facts with one of these statuses. If the list is empty, prunes facts that wait for review.
    pub statuses: Vec<FactStatus>,
}

/// A fact to prune.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PruneRow {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Status of the fact.
    pub status: FactStatus,
    /// Confidence that the source really states the fact.
    pub confidence: Confidence,
    /// Number of real days since the fact was recorded; `None` if the time of recording is unknown.
    pub days: Option<u64>,
}

/// Facts that pruning would retract, and the operation that retracts them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PrunePlan {
    /// Facts to prune, least confident first.
    pub facts: Vec<PruneRow>,
    /// Number of facts that meet the criteria but are not pruned, because the DM stated or confirmed them.
    pub spared: usize,
    /// Operation that prunes the facts; `None` if there are no facts to prune.
    #[serde(skip)]
    pub operation: Option<Operation>,
}

impl Prune {
    /// Returns the facts to prune, and the operation that retracts them. Undoing the operation restores the facts.
    ///
    /// # Errors
    /// Returns an error if neither a confidence, nor an age, nor a status is given.
    pub fn plan(&self, state: &State, now: Timestamp) -> Result<PrunePlan, CommandError> {
        if self.below.is_none() && self.older_than_days.is_none() && self.statuses.is_empty() {
            return Err(CommandError::NoPruneCriteria);
        }
        let statuses = if self.statuses.is_empty() { &[FactStatus::Proposed][..] } else { &self.statuses };
        let (mut facts, mut spared) = (Vec::new(), 0);
        for fact in state.facts().filter(|fact| statuses.contains(&fact.status())) {
            let provenance = fact.provenance();
            let has_record_time = provenance.recorded.0 > 0;
            let days = has_record_time
                .then(|| u64::try_from((now.0 - provenance.recorded.0) / MS_PER_DAY).unwrap_or_default());
            let is_too_confident = self.below.is_some_and(|below| provenance.confidence >= below);
            let is_too_recent =
                self.older_than_days.is_some_and(|min_days| days.is_none_or(|days| days <= u64::from(min_days)));
            if is_too_confident || is_too_recent {
                continue;
            }
            if provenance.confirmed {
                spared += 1;
                continue;
            }
            facts.push(PruneRow {
                fact: fact.id(),
                statement: fact.statement().to_owned(),
                status: fact.status(),
                confidence: provenance.confidence,
                days,
            });
        }
        facts.sort_by_key(|row| (row.confidence, row.fact));
        let changes: Vec<Change> = facts.iter().map(|row| Change::RetractFact(row.fact)).collect();
        let operation = (!changes.is_empty()).then(|| {
            let summary = format!("prune {} facts", changes.len());
            Operation { recorded: now, ..Operation::new(Author::Dm, summary, changes) }
        });
        Ok(PrunePlan { facts, spared, operation })
    }
}

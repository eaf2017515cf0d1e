//! Policy: decides, by confidence, whether a proposed fact is recorded, waits for review or is dropped.

use hearsay_model::{Confidence, Credence, FactStatus};
use serde::{Deserialize, Serialize};

/// Type of source that states a proposed fact: the world itself, or a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatementSource {
    /// The source describes the world itself: the game, the DM, narration or notes.
    World,
    /// A character speaks.
    Character,
}

/// Treatment of doubtful facts. A fact is doubtful if its confidence lies between the policy's floor and threshold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewMode {
    /// The DM reviews doubtful facts.
    #[default]
    Dm,
    /// Doubtful facts become claims without review. The credence of a knower that learns such a fact is at most the
    /// confidence of the fact.
    Autonomous,
}

/// Rule that accepts, defers or drops proposals by their confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// Minimum confidence at which a proposal is accepted without review. Default 0.7.
    pub threshold: Confidence,
    /// Minimum confidence at which a fact from an imported text or transcript is accepted without review. It applies
    /// only if it is higher than `threshold`. Default 0.95.
    pub import_threshold: Confidence,
    /// Minimum confidence of a proposal. A proposal with a lower confidence is counted but not recorded. Default 0.3.
    pub floor: Confidence,
    /// Treatment of proposals with a confidence between `floor` and `threshold`.
    pub mode: ReviewMode,
}

impl Default for Policy {
    fn default() -> Self {
        let fraction = |value| Confidence::new(value).unwrap_or(Confidence::FULL);
        Self { threshold: fraction(0.7), import_threshold: fraction(0.95), floor: fraction(0.3), mode: ReviewMode::Dm }
    }
}

/// Decision on a proposal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PolicyDecision {
    /// Records the fact with this status. A knower that learns the fact gets at most this credence.
    Record(FactStatus, Credence),
    /// Drops the proposal.
    Drop,
}

impl Policy {
    /// Returns the policy for facts from imported texts.
    pub fn for_imports(&self) -> Self {
        Self { threshold: self.threshold.max(self.import_threshold), ..*self }
    }

    /// Decides on a proposal by its confidence and its type of source.
    ///
    /// | confidence | [`StatementSource::World`] | [`StatementSource::Character`] |
    /// |---|---|---|
    /// | threshold and above | canon | claimed |
    /// | between floor and threshold | result of [`decide_doubtful`] | result of [`decide_doubtful`] |
    /// | below the floor | dropped | dropped |
    ///
    /// [`decide_doubtful`]: Self::decide_doubtful
    pub fn decide(&self, confidence: Confidence, source: StatementSource) -> PolicyDecision {
        if confidence < self.floor {
            return PolicyDecision::Drop;
        }
        if confidence >= self.threshold {
            let status = if source == StatementSource::World { FactStatus::Canon } else { FactStatus::Claimed };
            return PolicyDecision::Record(status, Credence::FULL);
        }
        let (status, credence) = self.decide_doubtful(confidence);
        PolicyDecision::Record(status, credence)
    }

    /// Returns the status of a doubtful fact, and the maximum credence of knowers that learn the fact. Both depend on
    /// the mode.
    pub fn decide_doubtful(&self, confidence: Confidence) -> (FactStatus, Credence) {
        match self.mode {
            ReviewMode::Dm => (FactStatus::Proposed, Credence::FULL),
            ReviewMode::Autonomous => (FactStatus::Claimed, Credence::new(confidence.get()).unwrap_or(Credence::NONE)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_holds() {
        let check = |confidence: f64, source, mode, expected| {
            let policy = Policy { mode, ..Policy::default() };
            assert_eq!(
                policy.decide(Confidence::new(confidence).unwrap(), source),
                expected,
                "{confidence} {source:?}"
            );
        };
        let take = |status| PolicyDecision::Record(status, Credence::FULL);
        check(0.7, StatementSource::World, ReviewMode::Dm, take(FactStatus::Canon));
        check(0.7, StatementSource::Character, ReviewMode::Dm, take(FactStatus::Claimed));
        check(0.69, StatementSource::World, ReviewMode::Dm, take(FactStatus::Proposed));
        check(0.3, StatementSource::Character, ReviewMode::Dm, take(FactStatus::Proposed));
        check(0.29, StatementSource::World, ReviewMode::Dm, PolicyDecision::Drop);
        check(0.29, StatementSource::World, ReviewMode::Autonomous, PolicyDecision::Drop);
        let half = Credence::new(0.5).unwrap();
        check(0.5, StatementSource::World, ReviewMode::Autonomous, PolicyDecision::Record(FactStatus::Claimed, half));
    }
}

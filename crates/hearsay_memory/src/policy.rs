//! Policy: what becomes of a proposed fact (decision 6 of the design).

use hearsay_model::{Confidence, Credence, Standing};
use serde::{Deserialize, Serialize};

/// Who speaks in the source of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Voice {
    /// The source speaks for the world: the game, the DM, narration, notes.
    World,
    /// A character says it.
    Character,
}

/// Whether somebody is there to review doubtful facts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// A DM reviews what is doubtful.
    #[default]
    Dm,
    /// Nobody does: doubtful facts become claims, believed as far as their confidence goes, and no queue fills.
    Autonomous,
}

/// What becomes of proposals, by their confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// From here on a proposal is taken without review. Default 0.7.
    pub threshold: Confidence,
    /// Below this a proposal is dropped, and counted. Default 0.3.
    pub floor: Confidence,
    /// Whether somebody reviews what lies between.
    pub mode: Mode,
}

impl Default for Policy {
    fn default() -> Self {
        let fraction = |value| Confidence::new(value).unwrap_or(Confidence::FULL);
        Self { threshold: fraction(0.7), floor: fraction(0.3), mode: Mode::Dm }
    }
}

/// What becomes of a proposal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// It is recorded, with this standing; those who learn it believe it at most so far.
    Take(Standing, Credence),
    /// It is dropped.
    Drop,
}

impl Policy {
    /// Decides on a proposal.
    ///
    /// | confidence | the world speaks | a character speaks |
    /// |---|---|---|
    /// | threshold and above | canon | claimed |
    /// | between | proposed (autonomous: claimed, believed as far as the confidence goes) | the same |
    /// | below the floor | dropped | dropped |
    pub fn decide(&self, confidence: Confidence, voice: Voice) -> Verdict {
        if confidence < self.floor {
            return Verdict::Drop;
        }
        if confidence >= self.threshold {
            let standing = if voice == Voice::World { Standing::Canon } else { Standing::Claimed };
            return Verdict::Take(standing, Credence::FULL);
        }
        let (standing, credence) = self.doubt(confidence);
        Verdict::Take(standing, credence)
    }

    /// What becomes of something doubtful, and how far those who learn it believe it.
    pub(crate) fn doubt(&self, confidence: Confidence) -> (Standing, Credence) {
        match self.mode {
            Mode::Dm => (Standing::Proposed, Credence::FULL),
            Mode::Autonomous => (Standing::Claimed, Credence::new(confidence.get()).unwrap_or(Credence::NONE)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_holds() {
        let check = |confidence: f64, voice, mode, expected| {
            let policy = Policy { mode, ..Policy::default() };
            assert_eq!(policy.decide(Confidence::new(confidence).unwrap(), voice), expected, "{confidence} {voice:?}");
        };
        let take = |standing| Verdict::Take(standing, Credence::FULL);
        check(0.7, Voice::World, Mode::Dm, take(Standing::Canon));
        check(0.7, Voice::Character, Mode::Dm, take(Standing::Claimed));
        check(0.69, Voice::World, Mode::Dm, take(Standing::Proposed));
        check(0.3, Voice::Character, Mode::Dm, take(Standing::Proposed));
        check(0.29, Voice::World, Mode::Dm, Verdict::Drop);
        check(0.29, Voice::World, Mode::Autonomous, Verdict::Drop);
        let half = Credence::new(0.5).unwrap();
        check(0.5, Voice::World, Mode::Autonomous, Verdict::Take(Standing::Claimed, half));
    }
}

//! Commands that turn trust calibration on or off, or reset it.

use hearsay_model::{Author, Change, Operation, ReviewSetting, Setting, State, Timestamp};
use hearsay_query::trust::Verdict;
use serde::{Deserialize, Serialize};

/// A request to turn trust calibration on or off, or to reset it. Trust calibration learns from the DM's decisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Teach {
    /// Turns trust calibration on: the DM's decisions adjust the confidence of later proposals.
    On,
    /// Turns trust calibration off: the DM's decisions are counted but do not adjust any confidence.
    Off,
    /// Resets trust calibration: earlier decisions no longer affect the confidence of proposals.
    Reset,
}

impl Teach {
    /// Returns the operation that records the change.
    pub fn operation(self, state: &State, now: Timestamp) -> Operation {
        let mut learning = state.calibration_settings().into_owned();
        let summary = match self {
            Self::On => "learn from decisions",
            Self::Off => "do not learn from decisions",
            Self::Reset => "forget what was learned from decisions",
        };
        match self {
            Self::On | Self::Off => learning.enabled = self == Self::On,
            Self::Reset => {
                let decided_facts = state.facts().filter(|fact| Verdict::from_fact(fact).is_some());
                learning.forgotten = decided_facts.map(|fact| fact.id()).collect();
            }
        }
        let change = Change::Set(Setting::Review(ReviewSetting::Learning(learning)));
        Operation { recorded: now, ..Operation::new(Author::Dm, summary, vec![change]) }
    }
}

//! Options of a gossip step.

use hearsay_model::{Credence, GameTime};
use thiserror::Error;

/// Maximum number of days in one step.
const MAX_DAYS: i64 = 1_000;

/// Number of rounds of meetings in a day.
pub(super) const ROUNDS: u32 = 8;

/// Options of a gossip step: its time span, and the frequency of meetings and tellings.
#[derive(Debug, Clone, PartialEq)]
pub struct GossipOptions {
    /// The start of the step. The step does not include this moment.
    pub from: GameTime,
    /// The end of the step. The step includes this moment.
    pub until: GameTime,
    /// The seed of the random choices. A different seed gives different meetings. Use the same seed for all steps of
    /// one game.
    pub seed: u64,
    /// Average number of meetings of a character per day, from 0 to 8; 4 by default. If too few characters are at the
    /// same place, there are fewer meetings.
    pub meetings_per_day: f64,
    /// Probability per day that a character sets out to a neighbouring place, from 0 to 1; 0.1 by default.
    pub visits_per_day: f64,
    /// Maximum number of facts that each character of a pair tells the other in a meeting; 2 by default.
    pub facts_per_meeting: usize,
    /// Number of days for which a fact is news after the teller learned it; 14 by default.
    pub news_days: u32,
    /// Minimum [credence](Credence) that a teller must have in a fact to pass it on; 0.1 by default.
    ///
    /// The default is far below [`BELIEF_THRESHOLD`](crate::BELIEF_THRESHOLD), so characters also pass on rumours that
    /// they do not believe. A character who hears a rumour from several tellers may believe the rumour.
    pub min_credence: Credence,
    /// Whether the result contains the facts that no character tells, with the reasons. The default is `false`, because
    /// the computation of the reasons takes extra time.
    pub explain: bool,
}

impl GossipOptions {
    /// Creates the default options for a time span.
    pub fn between(from: GameTime, until: GameTime) -> Self {
        Self {
            from,
            until,
            seed: 0,
            meetings_per_day: 4.0,
            visits_per_day: 0.1,
            facts_per_meeting: 2,
            news_days: 14,
            min_credence: Credence::new(0.1).unwrap_or(Credence::NONE),
            explain: false,
        }
    }

    /// Checks the time span and the ranges of the options.
    pub(super) fn validate(&self, minutes_per_day: i64) -> Result<(), GossipError> {
        let (from, until) = (self.from, self.until);
        if until < from {
            return Err(GossipError::EndBeforeStart { from, until });
        }
        if i128::from(until.0) - i128::from(from.0) > i128::from(MAX_DAYS) * i128::from(minutes_per_day) {
            return Err(GossipError::TooLong { max_days: MAX_DAYS });
        }
        for (option, value, max) in [
            ("the number of meetings per day", self.meetings_per_day, f64::from(ROUNDS)),
            ("the chance of a visit per day", self.visits_per_day, 1.0),
        ] {
            if !(0.0..=max).contains(&value) {
                return Err(GossipError::OutOfRange { option, value, max });
            }
        }
        Ok(())
    }
}

/// Error: the gossip options are invalid.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum GossipError {
    /// The step ends before it begins.
    #[error("the gossip simulation starts at {from}, so it cannot end at the earlier time {until}; choose a later end")]
    EndBeforeStart {
        /// The start of the step.
        from: GameTime,
        /// The end of the step.
        until: GameTime,
    },
    /// The step is too long to be simulated day by day.
    #[error("one gossip simulation can cover at most {max_days} days; for a longer time, run several simulations")]
    TooLong {
        /// Maximum number of days.
        max_days: i64,
    },
    /// An option is outside its allowed range.
    #[error("{option} must be from 0 to {max}, not {value}")]
    OutOfRange {
        /// The name of the option.
        option: &'static str,
        /// The given value.
        value: f64,
        /// The largest allowed value.
        max: f64,
    },
}

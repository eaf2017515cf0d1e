//! Options of a step of gossip.

use hearsay_model::{Credence, GameTime};
use thiserror::Error;

/// Maximum number of days in one step.
const MOST_DAYS: i64 = 1_000;

/// Rounds of meetings in a day.
pub(super) const ROUNDS: u32 = 8;

/// Time span and intensity of gossip.
#[derive(Debug, Clone, PartialEq)]
pub struct GossipOptions {
    /// The start of the step, excluded.
    pub from: GameTime,
    /// The end of the step, included.
    pub until: GameTime,
    /// The seed of the random draws. Another seed gives other meetings. Use the same seed for all steps of one game.
    pub seed: u64,
    /// Average number of meetings of a character in a day, 0–8, if enough others are available; 4 by default.
    pub meetings_per_day: f64,
    /// Probability that a character sets out to a neighbouring place on a day, 0–1; 0.1 by default.
    pub visits_per_day: f64,
    /// Maximum number of facts that one character tells the other in a meeting; 2 by default.
    pub facts_per_meeting: usize,
    /// Number of days for which a learned fact counts as news; 14 by default.
    pub news_days: u32,
    /// Minimum [credence](Credence) at which a character passes a fact on; 0.1 by default.
    ///
    /// The default is far below [`BELIEVED`](crate::BELIEVED): characters also pass on rumours that they do not
    /// believe. A hearer who hears a rumour from several tellers may believe it.
    pub least_credence: Credence,
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
            least_credence: Credence::new(0.1).unwrap_or(Credence::NONE),
        }
    }

    pub(super) fn check(&self, minutes_per_day: i64) -> Result<(), GossipError> {
        let (from, until) = (self.from, self.until);
        if until < from {
            return Err(GossipError::Backwards { from, until });
        }
        if i128::from(until.0) - i128::from(from.0) > i128::from(MOST_DAYS) * i128::from(minutes_per_day) {
            return Err(GossipError::TooLong { most: MOST_DAYS });
        }
        for (what, value, high) in [
            ("the number of meetings per day", self.meetings_per_day, f64::from(ROUNDS)),
            ("the chance of a visit per day", self.visits_per_day, 1.0),
        ] {
            if !(0.0..=high).contains(&value) {
                return Err(GossipError::Range { what, value, high });
            }
        }
        Ok(())
    }
}

/// Error: invalid gossip options.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum GossipError {
    /// The step ends before it begins.
    #[error("gossip cannot go back in time, from {from} to {until}")]
    Backwards {
        /// The start of the step.
        from: GameTime,
        /// The end of the step.
        until: GameTime,
    },
    /// The step is too long to be simulated day by day.
    #[error("gossip can be simulated for at most {most} days at a time; use several steps")]
    TooLong {
        /// Maximum number of days.
        most: i64,
    },
    /// A number is outside its range.
    #[error("{what} must be from 0 to {high}, not {value}")]
    Range {
        /// The name of the option.
        what: &'static str,
        /// The given value.
        value: f64,
        /// The maximum.
        high: f64,
    },
}

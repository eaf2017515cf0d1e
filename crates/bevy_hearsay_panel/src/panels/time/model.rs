//! The models of the time panel.

use hearsay_memory::Gossip;
use hearsay_model::{FactId, GameTime};
use serde::{Deserialize, Serialize};

use crate::{names::Named, text::Linked};

/// A request to let time pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TimeRequest {
    /// Number of days of the campaign's calendar.
    pub days: u32,
    /// End date to use instead of `days`, as typed.
    pub until: String,
    /// Whether characters gossip.
    pub talk: bool,
    /// Seed of the random meetings.
    pub seed: u64,
}

impl Default for TimeRequest {
    fn default() -> Self {
        Self { days: 1, until: String::new(), talk: true, seed: 0 }
    }
}

impl TimeRequest {
    /// Returns the engine's request, up to a time if a date was typed.
    pub fn gossip(&self, until: Option<GameTime>) -> Gossip {
        Gossip { until, days: self.days, seed: self.seed, ..Gossip::default() }
    }
}

/// Preview of the gossip.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TimeModel {
    /// Start time.
    pub from: String,
    /// End time.
    pub until: String,
    /// End time in minutes.
    pub end: GameTime,
    /// Number of meetings.
    pub meetings: usize,
    /// Spread of each fact, the widest first.
    pub spread: Vec<SpreadModel>,
    /// The tellings, in order of time.
    pub news: Vec<NewsModel>,
    /// Number of items that are not listed.
    pub more: usize,
}

/// Spread of a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpreadModel {
    /// The fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub what: Linked,
    /// Number of knowers before.
    pub before: usize,
    /// Number of knowers after.
    pub after: usize,
    /// Places where the fact is told.
    pub places: Vec<Named>,
    /// Whether the item is hidden from players.
    pub secret: bool,
}

/// A telling of a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NewsModel {
    /// Time.
    pub when: String,
    /// Place.
    pub place: Named,
    /// The teller.
    pub teller: Named,
    /// The hearer.
    pub hearer: Named,
    /// The fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub what: Linked,
    /// Resulting credence of the hearer.
    pub credence: f64,
    /// Whether the item is hidden from players.
    pub secret: bool,
}

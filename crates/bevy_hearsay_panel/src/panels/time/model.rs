//! What the panel shows.

use hearsay_memory::Gossip;
use hearsay_model::{FactId, GameTime};
use serde::{Deserialize, Serialize};

use crate::{names::Named, text::Linked};

/// How time is to pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TimeRequest {
    /// So many days of the campaign's calendar.
    pub days: u32,
    /// Up to this date instead, as it was typed.
    pub until: String,
    /// Whether people talk meanwhile.
    pub talk: bool,
    /// Another number makes other meetings.
    pub seed: u64,
}

impl Default for TimeRequest {
    fn default() -> Self {
        Self { days: 1, until: String::new(), talk: true, seed: 0 }
    }
}

impl TimeRequest {
    /// The same as the engine asks for it, up to a moment if one was typed.
    pub fn gossip(&self, until: Option<GameTime>) -> Gossip {
        Gossip { until, days: self.days, seed: self.seed, ..Gossip::default() }
    }
}

/// Who would learn what from whom.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TimeModel {
    /// When it begins.
    pub from: String,
    /// When it ends.
    pub until: String,
    /// The end in minutes.
    pub end: GameTime,
    /// How often two met.
    pub meetings: usize,
    /// How far each fact spreads, those that most learn first.
    pub spread: Vec<SpreadModel>,
    /// Who learns what, in the order of time.
    pub news: Vec<NewsModel>,
    /// How many more there are than are listed.
    pub more: usize,
}

/// How far a fact spreads.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpreadModel {
    /// The fact.
    pub fact: FactId,
    /// Its sentence.
    pub what: Linked,
    /// How many knew it.
    pub before: usize,
    /// How many know it then.
    pub after: usize,
    /// Where it is told.
    pub places: Vec<Named>,
    /// Whether players must not see it.
    pub secret: bool,
}

/// Something that is passed on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NewsModel {
    /// When.
    pub when: String,
    /// Where.
    pub place: Named,
    /// Who tells it.
    pub teller: Named,
    /// Who learns it.
    pub hearer: Named,
    /// The fact.
    pub fact: FactId,
    /// Its sentence.
    pub what: Linked,
    /// How far it makes the hearer believe it.
    pub credence: f64,
    /// Whether players must not see it.
    pub secret: bool,
}

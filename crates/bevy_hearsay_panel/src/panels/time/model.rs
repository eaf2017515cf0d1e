//! The data that the panel "Let time pass" displays.

use hearsay_commands::gossip::Gossip;
use hearsay_model::{FactId, GameTime};
use serde::{Deserialize, Serialize};

use crate::{names::NamedEntity, text::LinkedText};

/// A request to let time pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TimeRequest {
    /// Number of days that pass, counted on the campaign's calendar.
    pub days: u32,
    /// Typed end date. If this text is not empty, the end date replaces `days`.
    pub until: String,
    /// Whether characters pass on news while time passes.
    pub with_gossip: bool,
    /// Random seed that determines which characters meet.
    pub seed: u64,
}

impl Default for TimeRequest {
    fn default() -> Self {
        Self { days: 1, until: String::new(), with_gossip: true, seed: 0 }
    }
}

impl TimeRequest {
    /// Converts the request to the engine's type. `until` is the parsed end date; `None` if no date was typed.
    pub fn gossip(&self, until: Option<GameTime>) -> Gossip {
        Gossip { until, days: self.days, seed: self.seed, explain: true, ..Gossip::default() }
    }
}

/// Preview of the gossip, and of the time that passes.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TimeModel {
    /// Start of the time span, as text.
    pub from: String,
    /// End of the time span, as text.
    pub until: String,
    /// End of the time span, in minutes of game time.
    pub end: GameTime,
    /// Number of meetings between two characters.
    pub meetings: usize,
    /// The spread of each fact. The fact that most characters learn comes first.
    pub spread: Vec<SpreadModel>,
    /// Occasions on which one character tells another a fact, in chronological order.
    pub tellings: Vec<TellingModel>,
    /// Number of further entries that `tellings` omits.
    pub omitted_tellings: usize,
    /// Facts that a character knows but that nobody tells. The facts that were nearly told come first.
    pub untold: Vec<UntoldModel>,
    /// Number of further facts that `untold` omits.
    pub omitted_untold: usize,
}

/// The spread of a fact: the number of its knowers before and after the time span.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpreadModel {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: LinkedText,
    /// Number of knowers of the fact before the time span.
    pub before: usize,
    /// Number of knowers of the fact after the time span.
    pub after: usize,
    /// Places where characters told the fact to others.
    pub places: Vec<NamedEntity>,
    /// Whether the fact is secret.
    pub secret: bool,
}

/// A fact that nobody tells.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UntoldModel {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: LinkedText,
    /// Why nobody tells the fact, as text.
    pub reason: String,
    /// Living characters that know the fact.
    pub knowers: Vec<NamedEntity>,
    /// Whether the fact is a secret.
    pub secret: bool,
}

/// A fact that one character tells another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TellingModel {
    /// Game time at which the fact is told, as text.
    pub when: String,
    /// Place where the fact is told.
    pub place: NamedEntity,
    /// Character that tells the fact.
    pub teller: NamedEntity,
    /// Character that hears the fact.
    pub hearer: NamedEntity,
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: LinkedText,
    /// The hearer's credence in the fact after hearing it, from 0 to 1.
    pub credence: f64,
    /// Whether the fact is secret.
    pub secret: bool,
}

//! Gossip over a period of game time, as one operation.

use hearsay_belief::gossip::{GossipOptions, GossipStep, gossip};
use hearsay_model::{Author, Change, Credence, EntityId, FactId, GameTime, Operation, Setting, State, Timestamp};
use serde::{Deserialize, Serialize};

use crate::MemoryError;

/// Parameters of a gossip simulation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Gossip {
    /// Start of the period. Default: the game clock.
    pub from: Option<GameTime>,
    /// End of the period. Default: `days` after the start.
    pub until: Option<GameTime>,
    /// Length in days of the campaign's calendar. Default 1.
    pub days: u32,
    /// Random seed, which determines the meetings. Use the same seed for all steps of one game. Default 0.
    pub seed: u64,
    /// Whether to set the game clock to the end of the period. Default true.
    pub set_clock: bool,
}

impl Default for Gossip {
    fn default() -> Self {
        Self { from: None, until: None, days: 1, seed: 0, set_clock: true }
    }
}

/// Result of a gossip simulation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GossipReport {
    /// Short summary.
    pub summary: String,
    /// Start, on the campaign's calendar.
    pub from: String,
    /// End, on the campaign's calendar.
    pub until: String,
    /// Number of meetings of two characters.
    pub meetings: usize,
    /// Spread of each fact. Facts that reached the most new knowers come first.
    pub spread: Vec<SpreadRow>,
    /// Tellings in chronological order.
    pub news: Vec<NewsRow>,
}

/// Spread of one fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpreadRow {
    /// The fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Number of knowers with their own edges before.
    pub before: usize,
    /// Number of such knowers afterwards.
    pub after: usize,
    /// Places where it was told, in chronological order.
    pub places: Vec<EntityId>,
}

/// A fact that one character told another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NewsRow {
    /// Time, on the campaign's calendar.
    pub when: String,
    /// Place.
    pub place: EntityId,
    /// Character that told it.
    pub teller: EntityId,
    /// Character that learned it.
    pub hearer: EntityId,
    /// The fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Credence that the hearer gains from it.
    pub credence: Credence,
}

/// A simulated period of gossip, ready to commit or drop.
#[derive(Debug, Clone)]
pub struct GossipPlan {
    /// The report.
    pub report: GossipReport,
    pub(crate) operation: Operation,
}

impl Gossip {
    /// Simulates the period without changing the state. The same state, seed and times produce identical bytes.
    ///
    /// # Errors
    /// When neither a time nor the game clock is set, or the times do not make a step.
    pub fn plan(&self, state: &State, now: Timestamp) -> Result<GossipPlan, MemoryError> {
        let from = self.from.or(state.clock()).ok_or(MemoryError::NoClock)?;
        let days = i64::from(self.days).saturating_mul(state.calendar().minutes_per_day());
        let until = self.until.unwrap_or(GameTime(from.0.saturating_add(days)));
        let step = gossip(state, &GossipOptions { seed: self.seed, ..GossipOptions::between(from, until) })?;
        let report = report(state, &step, from, until);
        let mut changes = step.changes;
        if self.set_clock && state.clock().is_none_or(|clock| clock < until) {
            changes.push(Change::Set(Setting::Clock(until)));
        }
        let operation = Operation { author: Author::Game, recorded: now, summary: report.summary.clone(), changes };
        Ok(GossipPlan { report, operation })
    }
}

fn report(state: &State, step: &GossipStep, from: GameTime, until: GameTime) -> GossipReport {
    let statement = |id| state.fact(id).map_or_else(String::new, |fact| fact.statement().to_owned());
    let print = |time| state.calendar().print(time);
    let spread = step.spread(state).into_iter().map(|spread| SpreadRow {
        fact: spread.fact,
        statement: statement(spread.fact),
        before: spread.before,
        after: spread.after,
        places: spread.places.into_iter().map(|(place, _)| place).collect(),
    });
    let news = step.news.iter().map(|news| NewsRow {
        when: print(news.when),
        place: news.place.clone(),
        teller: news.teller.clone(),
        hearer: news.hearer.clone(),
        fact: news.fact,
        statement: statement(news.fact),
        credence: news.belief,
    });
    GossipReport {
        summary: format!("gossip from {} until {}: {} tellings", print(from), print(until), step.news.len()),
        from: print(from),
        until: print(until),
        meetings: step.meetings,
        spread: spread.collect(),
        news: news.collect(),
    }
}

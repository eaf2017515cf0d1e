//! Talk of the town: gossip over a stretch of game time, as one operation.

use hearsay_belief::gossip::{GossipOptions, GossipStep, gossip};
use hearsay_model::{Author, Change, Credence, EntityId, FactId, GameTime, Operation, Setting, State, Timestamp};
use serde::{Deserialize, Serialize};

use crate::MemoryError;

/// How people gossip, and for how long.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Gossip {
    /// After this moment; the game clock, when nothing is said.
    pub from: Option<GameTime>,
    /// Up to this moment; so many `days` on, when nothing is said.
    pub until: Option<GameTime>,
    /// Days of the campaign's calendar. Default 1.
    pub days: u32,
    /// Another seed makes other meetings. Keep it for all steps of one game. Default 0.
    pub seed: u64,
    /// Whether the game clock is set to the end. Default true.
    pub set_clock: bool,
}

impl Default for Gossip {
    fn default() -> Self {
        Self { from: None, until: None, days: 1, seed: 0, set_clock: true }
    }
}

/// What a stretch of gossip does.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GossipReport {
    /// What it does, in a few words.
    pub summary: String,
    /// Its beginning, on the campaign's calendar.
    pub from: String,
    /// Its end, on the campaign's calendar.
    pub until: String,
    /// How often two met.
    pub meetings: usize,
    /// How far each fact spread, those that most learned first.
    pub spread: Vec<SpreadRow>,
    /// What was passed on, in the order of time.
    pub news: Vec<NewsRow>,
}

/// How far a fact spread.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpreadRow {
    /// The fact.
    pub fact: FactId,
    /// The sentence that states it.
    pub statement: String,
    /// How many knew it before, by edges of their own.
    pub before: usize,
    /// How many know it afterwards.
    pub after: usize,
    /// Where it was told, in the order of time.
    pub places: Vec<EntityId>,
}

/// Something that was passed on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NewsRow {
    /// When, on the campaign's calendar.
    pub when: String,
    /// Where.
    pub place: EntityId,
    /// Who told it.
    pub teller: EntityId,
    /// Who learned it.
    pub hearer: EntityId,
    /// What.
    pub fact: FactId,
    /// The sentence that states it.
    pub statement: String,
    /// How far it makes the hearer believe it.
    pub credence: Credence,
}

/// A stretch of gossip that was worked out, to be committed or thrown away.
#[derive(Debug, Clone)]
pub struct GossipPlan {
    /// What it does.
    pub report: GossipReport,
    pub(crate) operation: Operation,
}

impl Gossip {
    /// Works out a step, and changes nothing. The same state, seed and times give the same bytes.
    ///
    /// # Errors
    /// When no time is given and no game clock is set, or the times make no step.
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

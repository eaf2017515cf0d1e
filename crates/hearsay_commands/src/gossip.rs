//! Simulation of gossip over a period of game time, recorded as one operation.

use std::{collections::BTreeMap, sync::Arc};

pub use hearsay_belief::gossip::{DistortionKind, UntoldReason};
use hearsay_belief::gossip::{GossipOptions, GossipStep, Untold, gossip};
use hearsay_model::{
    Author, Change, Credence, EntityId, Fact, FactId, GameSetting, GameTime, Operation, Setting, State, Timestamp,
    words,
};
use serde::{Deserialize, Serialize};

use crate::CommandError;

/// Parameters of a gossip simulation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Gossip {
    /// Start of the simulated period. `None` means the game clock.
    pub from: Option<GameTime>,
    /// End of the simulated period. If `None`, the period ends `days` days after the start.
    pub until: Option<GameTime>,
    /// Length of the simulated period, in days of the campaign's calendar. Used only if `until` is `None`. The default
    /// is 1.
    pub days: u32,
    /// Seed of the random choices. Use the same seed for all simulations in one game. The default is 0.
    pub seed: u64,
    /// Whether to set the game clock to the end of the period. The default is `true`.
    pub set_clock: bool,
    /// Whether the report contains the facts that no character tells, with the reasons. The default is `false`, because
    /// the computation of the reasons takes extra time.
    pub explain: bool,
}

impl Default for Gossip {
    fn default() -> Self {
        Self { from: None, until: None, days: 1, seed: 0, set_clock: true, explain: false }
    }
}

/// Result of a gossip simulation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GossipReport {
    /// Short summary of the simulation.
    pub summary: String,
    /// Start of the period, as printed by the calendar.
    pub from: String,
    /// End of the period, as printed by the calendar.
    pub until: String,
    /// Number of meetings between two characters in the period.
    pub meetings: usize,
    /// Spread of each fact that was told. The facts with the most new knowers come first.
    pub spread: Vec<SpreadRow>,
    /// Facts that characters told each other, in chronological order.
    pub news: Vec<NewsRow>,
    /// Distorted versions of facts that characters told for the first time, in chronological order. Empty if the
    /// campaign setting `distortion` is off.
    pub variants: Vec<VariantRow>,
    /// Facts that some character knows but no character tells. Facts that came close to being told are first. Empty if
    /// [`Gossip::explain`] is `false`.
    pub untold: Vec<UntoldRow>,
}

/// Spread of one fact during the period.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpreadRow {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Number of knowers with a knowledge edge to the fact before the period. A group or place is one knower.
    pub before: usize,
    /// Number of knowers with a knowledge edge to the fact after the period. A group or place is one knower.
    pub after: usize,
    /// Places where the fact was told, in chronological order.
    pub places: Vec<EntityId>,
}

/// A fact that one character told another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NewsRow {
    /// Game time at which the fact was told, as printed by the calendar.
    pub when: String,
    /// Place at which the fact was told.
    pub place: EntityId,
    /// Character that told the fact.
    pub teller: EntityId,
    /// Character that learned the fact.
    pub hearer: EntityId,
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// The credence that the hearer would have in the fact after this telling alone.
    pub credence: Credence,
}

/// A distorted version of a fact that a character told for the first time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VariantRow {
    /// Id of the version.
    pub fact: FactId,
    /// Sentence that states the version.
    pub statement: String,
    /// Id of the fact as the teller heard it.
    pub original: FactId,
    /// Sentence that states the fact as the teller heard it.
    pub original_statement: String,
    /// Character that distorted the fact.
    pub teller: EntityId,
    /// Game time at which the teller told the version for the first time, as printed by the calendar.
    pub when: String,
    /// How the version differs from the original.
    pub kind: DistortionKind,
}

/// A fact that no character told during the period.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UntoldRow {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Why no character told the fact.
    pub reason: UntoldReason,
    /// The reason as an English clause, in which "it" means the fact.
    pub explanation: &'static str,
    /// Text about the conversations in which only chance decided whether a knower told the fact. It states their number
    /// and the probability of telling. `None` if there were no such conversations.
    pub details: Option<String>,
    /// Living NPCs that know the fact themselves, or through a group or place.
    pub knowers: Vec<EntityId>,
}

impl UntoldRow {
    fn new(untold: &Untold, statement: String) -> Self {
        let details = (untold.chances > 0).then(|| {
            let conversations = words::count(untold.chances as usize, "conversation", "conversations");
            let percent = 100.0 * untold.max_probability;
            format!("probability at most {percent:.0} % in {conversations}")
        });
        Self {
            fact: untold.fact,
            statement,
            reason: untold.reason,
            explanation: untold.reason.explanation(),
            details,
            knowers: untold.knowers.clone(),
        }
    }
}

/// A simulated period of gossip that is not committed yet.
#[derive(Debug, Clone)]
pub struct GossipPlan {
    /// Report of the simulated period.
    pub report: GossipReport,
    /// Operation that records the gossip.
    pub operation: Operation,
}

impl Gossip {
    /// Simulates gossip over the period without changing the state. The same state, seed and period always produce the
    /// same plan.
    ///
    /// # Errors
    /// Returns an error if neither a start nor the game clock is set, or if the period is invalid.
    pub fn plan(&self, state: &State, now: Timestamp) -> Result<GossipPlan, CommandError> {
        let from = self.from.or(state.clock()).ok_or(CommandError::NoClock)?;
        let days = i64::from(self.days).saturating_mul(state.calendar().minutes_per_day());
        let until = self.until.unwrap_or(GameTime(from.0.saturating_add(days)));
        let step = gossip(
            state,
            &GossipOptions { seed: self.seed, explain: self.explain, ..GossipOptions::between(from, until) },
        )?;
        let report = report(state, &step, from, until);
        let mut changes = step.changes;
        for change in &mut changes {
            if let Change::AssertFact(version) = change {
                Arc::make_mut(version).set_recorded(now);
            }
        }
        if self.set_clock && state.clock().is_none_or(|clock| clock < until) {
            changes.push(Change::Set(Setting::Game(GameSetting::Clock(until))));
        }
        let operation = Operation { author: Author::Game, recorded: now, summary: report.summary.clone(), changes };
        Ok(GossipPlan { report, operation })
    }
}

fn report(state: &State, step: &GossipStep, from: GameTime, until: GameTime) -> GossipReport {
    let new: BTreeMap<FactId, &Fact> =
        step.distorted.iter().map(|distorted| (distorted.fact.id(), distorted.fact.as_ref())).collect();
    let statement = |id: FactId| {
        let fact = state.fact(id).map(AsRef::as_ref).or_else(|| new.get(&id).copied());
        fact.map_or_else(String::new, |fact| fact.statement().to_owned())
    };
    let print = |time| state.calendar().format(time);
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
    let variants = step.distorted.iter().map(|distorted| VariantRow {
        fact: distorted.fact.id(),
        statement: distorted.fact.statement().to_owned(),
        original: distorted.original,
        original_statement: statement(distorted.original),
        teller: distorted.teller.clone(),
        when: print(distorted.when),
        kind: distorted.kind,
    });
    GossipReport {
        summary: format!("gossip from {} until {}: {} tellings", print(from), print(until), step.news.len()),
        from: print(from),
        until: print(until),
        meetings: step.meetings,
        spread: spread.collect(),
        news: news.collect(),
        variants: variants.collect(),
        untold: step.untold.iter().map(|untold| UntoldRow::new(untold, statement(untold.fact))).collect(),
    }
}

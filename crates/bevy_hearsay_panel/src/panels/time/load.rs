//! Computes the preview of gossip between characters.

use std::{collections::BTreeMap, time::SystemTime};

use hearsay_commands::{CommandError, gossip::GossipPlan};
use hearsay_engine::{MemoryError, ReadSnapshot};
use hearsay_model::{FactId, GameTime, State, Timestamp};
use hearsay_query::facts::is_secret;

use super::model::{SpreadModel, TellingModel, TimeModel, TimeRequest, UntoldModel};
use crate::{names::NamedEntity, text::LinkedText};

/// Maximum number of listed tellings, and of facts that nobody tells.
const MAX_LISTED: usize = 2_000;

impl TimeModel {
    /// Computes a preview of the events while time passes, and the plan that applies the preview. Call this function on
    /// a background thread, because it takes a long time. Without gossip there is no plan, and only the clock advances.
    ///
    /// # Errors
    /// Returns an error if the date cannot be parsed, or if the game clock is not set.
    pub fn load(world: &ReadSnapshot, request: &TimeRequest) -> Result<(Self, Option<GossipPlan>), MemoryError> {
        let state = &*world.state;
        let until = match request.until.trim() {
            "" => None,
            typed => Some(state.calendar().parse_relative(typed, state.clock())?.first),
        };
        let from = state.clock().ok_or(MemoryError::Command(CommandError::NoClock))?;
        let days = i64::from(request.days).saturating_mul(state.calendar().minutes_per_day());
        let end = until.unwrap_or(GameTime(from.0.saturating_add(days)));
        if !request.with_gossip && end > from {
            let print = |time| state.calendar().format(time);
            return Ok((Self { from: print(from), until: print(end), end, ..Self::default() }, None));
        }
        let plan = request.gossip(until).plan(state, now())?;
        Ok((Self::from_plan(state, &plan, end), Some(plan)))
    }

    /// Converts a plan for display.
    pub fn from_plan(state: &State, plan: &GossipPlan, end: GameTime) -> Self {
        let report = &plan.report;
        let mut sentences: BTreeMap<FactId, (LinkedText, bool)> = BTreeMap::new();
        let mut sentence = |id: FactId, statement: &str| {
            let read_fact = || match state.fact(id) {
                Some(fact) => (LinkedText::from_fact(state, fact), is_secret(state, fact)),
                None => (LinkedText::plain(statement), true),
            };
            sentences.entry(id).or_insert_with(read_fact).clone()
        };
        let spread = report.spread.iter().take(MAX_LISTED).map(|row| {
            let (statement, secret) = sentence(row.fact, &row.statement);
            let places = row.places.iter().map(|id| NamedEntity::new(state, id)).collect();
            SpreadModel { fact: row.fact, statement, before: row.before, after: row.after, places, secret }
        });
        let spread = spread.collect();
        let tellings = report.news.iter().take(MAX_LISTED).map(|row| {
            let (statement, secret) = sentence(row.fact, &row.statement);
            TellingModel {
                when: row.when.clone(),
                place: NamedEntity::new(state, &row.place),
                teller: NamedEntity::new(state, &row.teller),
                hearer: NamedEntity::new(state, &row.hearer),
                fact: row.fact,
                statement,
                credence: row.credence.get(),
                secret,
            }
        });
        let tellings = tellings.collect();
        let untold = report.untold.iter().take(MAX_LISTED).map(|row| {
            let (statement, secret) = sentence(row.fact, &row.statement);
            let reason = match &row.details {
                Some(details) => format!("{} ({details})", row.explanation),
                None => row.explanation.to_owned(),
            };
            let knowers = row.knowers.iter().map(|id| NamedEntity::new(state, id)).collect();
            UntoldModel { fact: row.fact, statement, reason, knowers, secret }
        });
        Self {
            from: report.from.clone(),
            until: report.until.clone(),
            end,
            meetings: report.meetings,
            spread,
            tellings,
            omitted_tellings: report.news.len().saturating_sub(MAX_LISTED),
            untold: untold.collect(),
            omitted_untold: report.untold.len().saturating_sub(MAX_LISTED),
        }
    }
}

/// Returns the current real time.
fn now() -> Timestamp {
    let elapsed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX))
}

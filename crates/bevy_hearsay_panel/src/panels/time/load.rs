//! Computes the preview of gossip between characters.

use std::{collections::BTreeMap, time::SystemTime};

use hearsay_commands::{CommandError, gossip::GossipPlan};
use hearsay_engine::{MemoryError, ReadSnapshot};
use hearsay_model::{FactId, GameTime, State, Timestamp};
use hearsay_query::facts::is_secret;

use super::model::{NewsModel, SpreadModel, TimeModel, TimeRequest};
use crate::{names::Named, text::Linked};

/// Maximum number of listed tellings.
const MOST: usize = 2_000;

impl TimeModel {
    /// Computes a preview of what happens while time passes, and the plan that applies the preview. Call this function
    /// on a background thread, because it takes long. Without gossip there is no plan, and only the clock advances.
    ///
    /// # Errors
    /// Returns an error if the date cannot be parsed, or if the game clock is not set.
    pub fn load(world: &ReadSnapshot, request: &TimeRequest) -> Result<(Self, Option<GossipPlan>), MemoryError> {
        let state = &*world.state;
        let until = match request.until.trim() {
            "" => None,
            typed => Some(state.calendar().parse_near(typed, state.clock())?.first),
        };
        let from = state.clock().ok_or(MemoryError::Command(CommandError::NoClock))?;
        let days = i64::from(request.days).saturating_mul(state.calendar().minutes_per_day());
        let end = until.unwrap_or(GameTime(from.0.saturating_add(days)));
        if !request.talk && end > from {
            let print = |time| state.calendar().print(time);
            return Ok((Self { from: print(from), until: print(end), end, ..Self::default() }, None));
        }
        let plan = request.gossip(until).plan(state, now())?;
        Ok((Self::of(state, &plan, end), Some(plan)))
    }

    /// Converts a plan for display.
    pub fn of(state: &State, plan: &GossipPlan, end: GameTime) -> Self {
        let report = &plan.report;
        let mut sentences: BTreeMap<FactId, (Linked, bool)> = BTreeMap::new();
        let mut sentence = |id: FactId, statement: &str| {
            let of = || match state.fact(id) {
                Some(fact) => (Linked::fact(state, fact), is_secret(state, fact)),
                None => (Linked::plain(statement), true),
            };
            sentences.entry(id).or_insert_with(of).clone()
        };
        let spread = report.spread.iter().take(MOST).map(|row| {
            let (what, secret) = sentence(row.fact, &row.statement);
            let places = row.places.iter().map(|id| Named::of(state, id)).collect();
            SpreadModel { fact: row.fact, what, before: row.before, after: row.after, places, secret }
        });
        let spread = spread.collect();
        let news = report.news.iter().take(MOST).map(|row| {
            let (what, secret) = sentence(row.fact, &row.statement);
            NewsModel {
                when: row.when.clone(),
                place: Named::of(state, &row.place),
                teller: Named::of(state, &row.teller),
                hearer: Named::of(state, &row.hearer),
                fact: row.fact,
                what,
                credence: row.credence.get(),
                secret,
            }
        });
        Self {
            from: report.from.clone(),
            until: report.until.clone(),
            end,
            meetings: report.meetings,
            spread,
            news: news.collect(),
            more: report.news.len().saturating_sub(MOST),
        }
    }
}

/// Returns the current real time.
fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

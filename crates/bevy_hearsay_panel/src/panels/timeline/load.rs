//! Reads the timeline.

use hearsay_engine::{MemoryError, ReadSnapshot};
use hearsay_model::{Precision, State};
use hearsay_query::timeline::{MomentKind, MomentRow, TimelineFilter, timeline};

use super::model::{Crumb, MomentModel, SpanModel, TimelineModel, TimelineRequest};
use crate::{names::Named, text::Linked};

/// Maximum number of listed moments.
const MOST: usize = 500;

impl TimelineModel {
    /// Reads the timeline. Call this function on a background thread, because it visits every fact and passage.
    ///
    /// # Errors
    /// Returns an error if the requested entity no longer exists.
    pub fn load(world: &ReadSnapshot, request: &TimelineRequest) -> Result<Self, MemoryError> {
        let state = &*world.state;
        let found = timeline(
            state,
            &TimelineFilter {
                kinds: request.kinds.clone(),
                about: request.about.as_ref().map(ToString::to_string),
                within: request.within,
                by: request.by,
                limit: MOST,
            },
        )?;
        let calendar = state.calendar();
        let levels = [Precision::Year, Precision::Month, Precision::Day].into_iter();
        let path = request.within.map(|(time, of)| {
            let crumb = |precision| Crumb { label: calendar.print_to(time, precision), time, precision };
            levels.take_while(|level| *level <= of).map(crumb).collect()
        });
        let now = state.clock();
        // The newest moment comes first. The sort is stable, so an event stays before its consequences at the same
        // time.
        let mut moments = found.moments;
        moments.sort_by_key(|row| std::cmp::Reverse(row.time));
        let spans = found.spans.into_iter().map(|span| SpanModel {
            now: now.is_some_and(|now| calendar.around(now, request.by).first == span.first),
            label: span.label,
            first: span.first,
            precision: request.by,
            count: span.count,
            open: span.open,
        });
        Ok(Self {
            path: path.unwrap_or_default(),
            // The newest span comes first, because recent spans are used most.
            spans: spans.rev().collect(),
            more: found.all - moments.len(),
            moments: moments.into_iter().map(|row| moment(state, row)).collect(),
            more_undated: found.all_undated - found.undated.len(),
            undated: found.undated.into_iter().map(|row| moment(state, row)).collect(),
            about: request.about.as_ref().map(|id| Named::of(state, id)),
            now: now.map(|time| (time, calendar.print(time))),
        })
    }
}

fn moment(state: &State, row: MomentRow) -> MomentModel {
    let what = match (row.kind, row.fact.and_then(|id| state.fact(id))) {
        (MomentKind::Began | MomentKind::Ended, Some(fact)) => Linked::fact(state, fact),
        _ => Linked::of(state, &row.what, row.event.iter().chain(&row.place)),
    };
    let title = |id: &hearsay_model::SessionId| {
        state.session(id).map_or_else(|| id.to_string(), |session| session.title.clone())
    };
    MomentModel {
        kind: row.kind,
        what,
        fact: row.fact,
        session: row.session.map(|id| {
            let title = title(&id);
            (id, title)
        }),
        place: row.place.as_ref().map(|id| Named::of(state, id)),
        there: row.there.iter().map(|id| Named::of(state, id)).collect(),
        status: row.status,
        secret: row.secret,
        safe: row.safe,
        ahead: matches!((row.time, state.clock()), (Some(time), Some(now)) if time > now),
        event: row.event,
        when: row.when,
    }
}

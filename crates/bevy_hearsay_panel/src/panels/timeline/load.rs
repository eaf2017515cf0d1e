//! Reads the timeline.

use hearsay_engine::{MemoryError, ReadSnapshot};
use hearsay_model::{Precision, State};
use hearsay_query::timeline::{MomentKind, MomentRow, TimelineFilter, timeline};

use super::model::{MomentModel, PathSegment, SpanModel, TimelineModel, TimelineRequest};
use crate::{names::NamedEntity, text::LinkedText};

/// Maximum number of listed moments.
const MAX_LISTED: usize = 500;

impl TimelineModel {
    /// Reads the timeline. Call this function on a background thread, because it visits every fact and passage.
    ///
    /// # Errors
    /// Returns an error if the requested entity no longer exists.
    pub fn load(world: &ReadSnapshot, request: &TimelineRequest) -> Result<Self, MemoryError> {
        let state = &*world.state;
        let result = timeline(
            state,
            &TimelineFilter {
                kinds: request.kinds.clone(),
                about: request.about.clone(),
                within: request.within,
                by: request.unit,
                limit: MAX_LISTED,
            },
        )?;
        let calendar = state.calendar();
        let levels = [Precision::Year, Precision::Month, Precision::Day].into_iter();
        let path = request.within.map(|(time, deepest)| {
            let crumb =
                |precision| PathSegment { label: calendar.format_with_precision(time, precision), time, precision };
            levels.take_while(|level| *level <= deepest).map(crumb).collect()
        });
        let current_time = state.clock();
        // The newest moment comes first. The sort is stable, so an event stays before its consequences at the same
        // time.
        let mut moments = result.moments;
        moments.sort_by_key(|row| std::cmp::Reverse(row.time));
        let spans = result.spans.into_iter().map(|span| SpanModel {
            is_current: current_time
                .is_some_and(|current_time| calendar.span_around(current_time, request.unit).first == span.first),
            label: span.label,
            first: span.first,
            precision: request.unit,
            count: span.count,
        });
        Ok(Self {
            path: path.unwrap_or_default(),
            // The newest span comes first, because recent spans are used most.
            spans: spans.rev().collect(),
            more: result.all - moments.len(),
            moments: moments.into_iter().map(|row| moment(state, row)).collect(),
            more_undated: result.all_undated - result.undated.len(),
            undated: result.undated.into_iter().map(|row| moment(state, row)).collect(),
            about: request.about.as_ref().map(|id| NamedEntity::new(state, id)),
            current_time: current_time.map(|time| (time, calendar.format(time))),
        })
    }
}

fn moment(state: &State, row: MomentRow) -> MomentModel {
    let description = match (row.kind, row.fact.and_then(|id| state.fact(id))) {
        (MomentKind::Began | MomentKind::Ended, Some(fact)) => LinkedText::from_fact(state, fact),
        _ => LinkedText::with_links(state, &row.description, row.event.iter().chain(&row.place)),
    };
    let title = |id: &hearsay_model::SessionId| {
        state.session(id).map_or_else(|| id.to_string(), |session| session.title.clone())
    };
    MomentModel {
        kind: row.kind,
        description,
        fact: row.fact,
        session: row.session.map(|id| {
            let title = title(&id);
            (id, title)
        }),
        place: row.place.as_ref().map(|id| NamedEntity::new(state, id)),
        present: row.there.iter().map(|id| NamedEntity::new(state, id)).collect(),
        status: row.status,
        secret: row.secret,
        is_future: matches!((row.time, state.clock()), (Some(time), Some(now)) if time > now),
        event: row.event,
        when: row.when,
    }
}

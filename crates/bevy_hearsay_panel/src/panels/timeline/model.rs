//! The models of the timeline.

use hearsay_model::{EntityId, FactId, FactStatus, GameTime, Precision, SessionId};
use hearsay_query::timeline::MomentKind;
use serde::{Deserialize, Serialize};

use crate::{names::Named, text::Linked};

/// A request for a part of the timeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TimelineRequest {
    /// The year, month or day to show. `None`: all of time.
    pub within: Option<(GameTime, Precision)>,
    /// Unit of the list: years, months or days.
    pub by: Precision,
    /// Kinds of moments to show. If the list is empty, all kinds are shown.
    pub kinds: Vec<MomentKind>,
    /// Entity that a moment must involve. `None`: all moments.
    pub about: Option<EntityId>,
}

impl Default for TimelineRequest {
    fn default() -> Self {
        Self { within: None, by: Precision::Year, kinds: Vec::new(), about: None }
    }
}

impl TimelineRequest {
    /// Shows the year, month or day that contains a time, listed by the next smaller unit.
    pub fn enter(&mut self, time: GameTime, span: Precision) {
        self.within = Some((time, span));
        self.by = match span {
            Precision::Year => Precision::Month,
            _ => Precision::Day,
        };
    }

    /// Shows all of time, listed by years.
    pub fn leave(&mut self) {
        (self.within, self.by) = (None, Precision::Year);
    }

    /// Shows the enclosing month, the enclosing year, or all of time.
    pub fn zoom_out(&mut self) {
        match self.within {
            Some((time, Precision::Month)) => self.enter(time, Precision::Year),
            Some((_, Precision::Year)) | None => self.leave(),
            Some((time, _)) => self.enter(time, Precision::Month),
        }
    }
}

/// A part of the timeline.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TimelineModel {
    /// Path from the year to the displayed month or day.
    pub path: Vec<Crumb>,
    /// Years, months or days with moments, newest first.
    pub spans: Vec<SpanModel>,
    /// Moments in the displayed span, newest first.
    pub moments: Vec<MomentModel>,
    /// Number of further moments that are not listed.
    pub more: usize,
    /// Moments without a date, or with a date that the calendar cannot parse.
    pub undated: Vec<MomentModel>,
    /// Number of further undated moments that are not listed.
    pub more_undated: usize,
    /// The entity of the request; `None` if the request is not limited to an entity.
    pub about: Option<Named>,
    /// Current time of the game clock, and its text for display; `None` if the clock is not set.
    pub now: Option<(GameTime, String)>,
}

/// A year, month or day on the path to the displayed span.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Crumb {
    /// Name of the span.
    pub label: String,
    /// A time within the span.
    pub time: GameTime,
    /// Size of the span: a year, a month or a day.
    pub precision: Precision,
}

/// A year, month or day.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpanModel {
    /// Name of the span.
    pub label: String,
    /// First minute of the span.
    pub first: GameTime,
    /// Size of the span: a year, a month or a day.
    pub precision: Precision,
    /// Number of moments in the span.
    pub count: usize,
    /// Number of moments that players may see.
    pub open: usize,
    /// Whether the span contains the current time.
    pub now: bool,
}

/// A moment in the timeline, such as an event, a session, or the start or end of a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MomentModel {
    /// Kind of the moment.
    pub kind: MomentKind,
    /// Time of the moment.
    pub when: String,
    /// Description of the moment, with links.
    pub what: Linked,
    /// Id of the fact, if the moment belongs to a fact.
    pub fact: Option<FactId>,
    /// Id of the event, if the moment belongs to an event.
    pub event: Option<EntityId>,
    /// Id and title of the session, if the moment belongs to a session.
    pub session: Option<(SessionId, String)>,
    /// The place of the moment, if it is known.
    pub place: Option<Named>,
    /// The entities present at the moment.
    pub there: Vec<Named>,
    /// Status of the fact.
    pub status: FactStatus,
    /// Whether the moment is secret, or any character present in the session did not hear all of it.
    pub secret: bool,
    /// Whether players may see the moment.
    pub safe: bool,
    /// Whether the moment is after the current time of the game clock.
    pub ahead: bool,
}

//! The models of the timeline.

use hearsay_memory::query::MomentKind;
use hearsay_model::{EntityId, FactId, FactStatus, GameTime, Precision, SessionId};
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
    /// Only these kinds. If empty, all.
    pub kinds: Vec<MomentKind>,
    /// Only moments related to this entity.
    pub about: Option<EntityId>,
}

impl Default for TimelineRequest {
    fn default() -> Self {
        Self { within: None, by: Precision::Year, kinds: Vec::new(), about: None }
    }
}

impl TimelineRequest {
    /// Shows the year, month or day that contains a time, in the next smaller unit.
    pub fn enter(&mut self, time: GameTime, span: Precision) {
        self.within = Some((time, span));
        self.by = match span {
            Precision::Year => Precision::Month,
            _ => Precision::Day,
        };
    }

    /// Shows all of time, by years.
    pub fn leave(&mut self) {
        (self.within, self.by) = (None, Precision::Year);
    }

    /// Shows the next larger unit.
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
    /// Path from the year to the displayed span.
    pub path: Vec<Crumb>,
    /// Years, months or days with moments, newest first.
    pub spans: Vec<SpanModel>,
    /// Moments in the displayed span, newest first.
    pub moments: Vec<MomentModel>,
    /// Number of omitted items.
    pub more: usize,
    /// Moments without a date that the calendar can parse.
    pub undated: Vec<MomentModel>,
    /// Number of omitted items.
    pub more_undated: usize,
    /// The entity of the request, if there is one.
    pub about: Option<Named>,
    /// Current time of the game clock.
    pub now: Option<(GameTime, String)>,
}

/// A step of the path in the timeline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Crumb {
    /// Name of the span.
    pub label: String,
    /// A time in the span.
    pub time: GameTime,
    /// Size of the span.
    pub precision: Precision,
}

/// A year, month or day.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpanModel {
    /// Name of the span.
    pub label: String,
    /// First minute of the span.
    pub first: GameTime,
    /// Size of the span.
    pub precision: Precision,
    /// Number of moments in the span.
    pub count: usize,
    /// Number of moments that players may see.
    pub open: usize,
    /// Whether the span contains the current time.
    pub now: bool,
}

/// A moment in the timeline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MomentModel {
    /// Kind of the moment.
    pub kind: MomentKind,
    /// Time of the moment.
    pub when: String,
    /// Description.
    pub what: Linked,
    /// The fact, if there is one.
    pub fact: Option<FactId>,
    /// The event, if there is one.
    pub event: Option<EntityId>,
    /// The session, if the moment is from one.
    pub session: Option<(SessionId, String)>,
    /// The place.
    pub place: Option<Named>,
    /// The entities present.
    pub there: Vec<Named>,
    /// Status of the fact.
    pub status: FactStatus,
    /// Whether the moment is secret, or some characters were excluded from it.
    pub secret: bool,
    /// Whether players may see the moment.
    pub safe: bool,
    /// Whether the moment is after the current time of the game clock.
    pub ahead: bool,
}

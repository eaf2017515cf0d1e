//! The data that the timeline panel displays.

use hearsay_model::{EntityId, FactId, FactStatus, GameTime, Precision, SessionId};
use hearsay_query::timeline::MomentKind;
use serde::{Deserialize, Serialize};

use crate::{names::NamedEntity, text::LinkedText};

/// A request for a part of the timeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TimelineRequest {
    /// The year, month or day to show; `None` for the whole timeline.
    pub within: Option<(GameTime, Precision)>,
    /// Length of the spans in the list: years, months or days.
    pub unit: Precision,
    /// Kinds of moments to show. If the list is empty, all kinds are shown.
    pub kinds: Vec<MomentKind>,
    /// Entity that a moment must involve; `None` for the moments of all entities.
    pub about: Option<EntityId>,
}

impl Default for TimelineRequest {
    fn default() -> Self {
        Self { within: None, unit: Precision::Year, kinds: Vec::new(), about: None }
    }
}

impl TimelineRequest {
    /// Shows the year, month or day that contains a time, divided into the next smaller unit.
    pub fn zoom_in(&mut self, time: GameTime, span: Precision) {
        self.within = Some((time, span));
        self.unit = match span {
            Precision::Year => Precision::Month,
            _ => Precision::Day,
        };
    }

    /// Shows the whole timeline, divided into years.
    pub fn show_all(&mut self) {
        (self.within, self.unit) = (None, Precision::Year);
    }

    /// Shows the enclosing month, the enclosing year, or the whole timeline.
    pub fn zoom_out(&mut self) {
        match self.within {
            Some((time, Precision::Month)) => self.zoom_in(time, Precision::Year),
            Some((_, Precision::Year)) | None => self.show_all(),
            Some((time, _)) => self.zoom_in(time, Precision::Month),
        }
    }
}

/// A part of the timeline.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TimelineModel {
    /// The displayed year, month or day, preceded by the year and month that contain it. Empty if the whole timeline is
    /// displayed.
    pub path: Vec<PathSegment>,
    /// Years, months or days that contain moments, newest first.
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
    pub about: Option<NamedEntity>,
    /// Current time of the game clock, and its text for display; `None` if the clock is not set.
    pub current_time: Option<(GameTime, String)>,
}

/// A year, month or day in [`TimelineModel::path`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PathSegment {
    /// Name of the span.
    pub label: String,
    /// A game time within the span.
    pub time: GameTime,
    /// Size of the span: a year, a month or a day.
    pub precision: Precision,
}

/// A year, month or day in the list of the timeline panel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpanModel {
    /// Name of the span.
    pub label: String,
    /// First minute of the span, in game time.
    pub first: GameTime,
    /// Size of the span: a year, a month or a day.
    pub precision: Precision,
    /// Number of moments in the span.
    pub count: usize,
    /// Whether the span contains the current time.
    pub is_current: bool,
}

/// A moment in the timeline, such as an event, a session, or the start or end of a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MomentModel {
    /// Kind of the moment.
    pub kind: MomentKind,
    /// Game time of the moment, as text.
    pub when: String,
    /// Description of the moment, with links.
    pub description: LinkedText,
    /// Id of the fact, if the moment is the start or end of a fact.
    pub fact: Option<FactId>,
    /// Id of the event, if the moment is an event.
    pub event: Option<EntityId>,
    /// Id and title of the session, if the moment belongs to a session.
    pub session: Option<(SessionId, String)>,
    /// The place of the moment, if it is known.
    pub place: Option<NamedEntity>,
    /// Participants in the event, witnesses of the fact, or hearers of the lines in the scene.
    pub present: Vec<NamedEntity>,
    /// Status of the fact to which the moment belongs.
    pub status: FactStatus,
    /// Whether the moment is secret. A scene is secret if a character who was present in the session did not hear all
    /// lines of the scene.
    pub secret: bool,
    /// Whether the moment is after the current time of the game clock.
    pub is_future: bool,
}

//! What the panel shows.

use hearsay_memory::query::MomentKind;
use hearsay_model::{EntityId, FactId, GameTime, Precision, SessionId, Standing};
use serde::{Deserialize, Serialize};

use crate::{names::Named, text::Linked};

/// What the panel asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TimelineRequest {
    /// The year, month or day that is looked into; all of time, when none is.
    pub within: Option<(GameTime, Precision)>,
    /// Years, months or days: what the list is counted by.
    pub by: Precision,
    /// Only of these kinds; of all, when none is named.
    pub kinds: Vec<MomentKind>,
    /// Only what has to do with this.
    pub about: Option<EntityId>,
}

impl Default for TimelineRequest {
    fn default() -> Self {
        Self { within: None, by: Precision::Year, kinds: Vec::new(), about: None }
    }
}

impl TimelineRequest {
    /// Looks into the year, month or day in which this moment lies, and counts by the next smaller.
    pub fn enter(&mut self, time: GameTime, span: Precision) {
        self.within = Some((time, span));
        self.by = match span {
            Precision::Year => Precision::Month,
            _ => Precision::Day,
        };
    }

    /// Looks at all of time, by years.
    pub fn leave(&mut self) {
        (self.within, self.by) = (None, Precision::Year);
    }

    /// Looks into what is next larger.
    pub fn zoom_out(&mut self) {
        match self.within {
            Some((time, Precision::Month)) => self.enter(time, Precision::Year),
            Some((_, Precision::Year)) | None => self.leave(),
            Some((time, _)) => self.enter(time, Precision::Month),
        }
    }
}

/// What happened when.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TimelineModel {
    /// What is looked into, from the year down: what it is called, its first moment, and how large it is.
    pub path: Vec<Crumb>,
    /// Years, months or days in which something happened, the latest first.
    pub spans: Vec<SpanModel>,
    /// What happened in what is looked into, the latest first.
    pub moments: Vec<MomentModel>,
    /// How many more there are.
    pub more: usize,
    /// What has no date that the calendar understands.
    pub undated: Vec<MomentModel>,
    /// How many more there are.
    pub more_undated: usize,
    /// What it is all about, if one was asked for.
    pub about: Option<Named>,
    /// Now, by the game clock.
    pub now: Option<(GameTime, String)>,
}

/// A step on the way into the timeline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Crumb {
    /// What it is called.
    pub label: String,
    /// A moment in it.
    pub time: GameTime,
    /// How large it is.
    pub precision: Precision,
}

/// A year, month or day.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpanModel {
    /// What it is called.
    pub label: String,
    /// Its first minute.
    pub first: GameTime,
    /// Which of the three it is.
    pub precision: Precision,
    /// How many moments lie in it.
    pub count: usize,
    /// How many of these players may see.
    pub open: usize,
    /// Whether now lies in it.
    pub now: bool,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MomentModel {
    /// What kind of thing.
    pub kind: MomentKind,
    /// When.
    pub when: String,
    /// What.
    pub what: Linked,
    /// The fact, where it is one.
    pub fact: Option<FactId>,
    /// The event, where it is one.
    pub event: Option<EntityId>,
    /// The session, where it is from one.
    pub session: Option<(SessionId, String)>,
    /// Where.
    pub place: Option<Named>,
    /// Who was there.
    pub there: Vec<Named>,
    /// What the world says of it.
    pub standing: Standing,
    /// Whether it is a secret, or somebody was left out.
    pub secret: bool,
    /// Whether players may see it.
    pub safe: bool,
    /// Whether it lies ahead of the game clock.
    pub ahead: bool,
}

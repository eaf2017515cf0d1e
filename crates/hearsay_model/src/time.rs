//! Game time, real time, dates as written, and the validity intervals of facts.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A moment of game time, in minutes. Zero is the first minute of the year 1 on the campaign's calendar. Earlier
/// moments are negative.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GameTime(pub i64);

impl fmt::Display for GameTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "minute {}", self.0)
    }
}

/// A moment of real time, in milliseconds since 1970-01-01 00:00 UTC. Only people see real times. Answers to questions
/// do not depend on real times.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

/// A date: the text that the author wrote, and the game time that the calendar computed from this text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Date {
    /// The date as the author wrote it.
    pub raw: String,
    /// The game time; `None` if the text is not a date on the campaign's calendar.
    pub time: Option<GameTime>,
}

impl Date {
    /// Creates a date from a game time. The text of the date is empty.
    pub fn at(time: GameTime) -> Self {
        Self { raw: String::new(), time: Some(time) }
    }
}

/// Precision of a written date. The variants are ordered from the lowest precision to the highest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// A year: `412`.
    Year,
    /// A month: `Rainmoon 412`.
    Month,
    /// A day: `3 Rainmoon 412`.
    Day,
    /// A minute: `3 Rainmoon 412, 18:30`.
    Minute,
}

/// Interval of game time that a written date covers. For example, `Rainmoon 412` covers a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DateSpan {
    /// The first minute of the interval.
    pub first: GameTime,
    /// The last minute of the interval, or the maximum game time if the interval ends after that maximum.
    pub last: GameTime,
    /// The precision of the written date.
    pub precision: Precision,
}

/// Interval of game time in which a fact is true. The interval includes the start and excludes the end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Validity {
    /// The start of the interval; `None` means that the fact has always been true.
    pub from: Option<Date>,
    /// The end of the interval; `None` means that the fact is still true.
    pub until: Option<Date>,
}

impl Validity {
    /// Returns the start as game time; `None` if there is no start, or if its text is not a date on the campaign's
    /// calendar.
    pub fn start(&self) -> Option<GameTime> {
        self.from.as_ref().and_then(|date| date.time)
    }

    /// Returns the end as game time; `None` if there is no end, or if its text is not a date on the campaign's
    /// calendar.
    pub fn end(&self) -> Option<GameTime> {
        self.until.as_ref().and_then(|date| date.time)
    }

    /// Returns whether the interval has an end, even if the text of the end is not a date on the campaign's calendar.
    pub fn is_closed(&self) -> bool {
        self.until.is_some()
    }

    /// Returns whether the fact is true at a moment of game time. If the moment is `None`, returns whether the interval
    /// has no end.
    pub fn holds_at(&self, moment: Option<GameTime>) -> bool {
        match moment {
            None => !self.is_closed(),
            Some(now) => {
                let has_begun = self.start().is_none_or(|start| start <= now);
                let has_ended = match (&self.until, self.end()) {
                    (None, _) => false,
                    (Some(_), Some(end)) => end <= now,
                    // An end that is not a date on the calendar counts as past, because its author wrote that the fact
                    // is over.
                    (Some(_), None) => true,
                };
                has_begun && !has_ended
            }
        }
    }

    /// Returns whether two intervals have a moment in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        let ends_before = |a: &Self, b: &Self| matches!((a.end(), b.start()), (Some(end), Some(start)) if end <= start);
        !ends_before(self, other) && !ends_before(other, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_to(from: Option<i64>, until: Option<i64>) -> Validity {
        let date = |minute: i64| Date::at(GameTime(minute));
        Validity { from: from.map(date), until: until.map(date) }
    }

    #[test]
    fn an_interval_holds_its_start_and_not_its_end() {
        let check = |validity: &Validity, at: Option<i64>, expected| {
            assert_eq!(validity.holds_at(at.map(GameTime)), expected, "{validity:?} at {at:?}");
        };
        let year = from_to(Some(10), Some(20));
        check(&year, Some(9), false);
        check(&year, Some(10), true);
        check(&year, Some(20), false);
        check(&year, None, false);
        check(&from_to(Some(10), None), None, true);
        let vague = Validity { from: None, until: Some(Date { raw: "long ago".into(), time: None }) };
        check(&vague, Some(5), false);
    }

    #[test]
    fn neighbours_do_not_overlap() {
        assert!(!from_to(None, Some(10)).overlaps(&from_to(Some(10), None)));
        assert!(from_to(None, Some(11)).overlaps(&from_to(Some(10), None)));
        assert!(from_to(None, None).overlaps(&from_to(Some(10), Some(12))));
    }
}

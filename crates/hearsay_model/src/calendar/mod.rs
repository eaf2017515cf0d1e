//! Calendar of a campaign, with months of any length, leap years and eras. The calendar prints and parses dates.

mod check;
mod count;
mod error;
mod parse;
#[cfg(test)]
mod tests;
mod years;

use serde::{Deserialize, Serialize};

use crate::{DateSpan, GameTime, Precision};
pub use error::CalendarError;

/// A month of a [`Calendar`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Month {
    /// The name of the month: `Rainmoon`.
    pub name: String,
    /// The number of days in the month. The number may be 0 only if a [`LeapRule`] adds days to the month in certain
    /// years. An example is a feast month that exists only every fourth year.
    pub days: u32,
}

/// A rule for leap years. If several rules apply to a year, each of them adds its days.
///
/// If the calendar has no year 0, a leap rule adds one to the number of each year before the year 1: the year −1 is
/// treated as year 0. In this way, the count has no gap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeapRule {
    /// The interval between leap years, in years; at least 1.
    pub every: u32,
    /// The interval of the exceptions to `every`, in years. A year at this interval is not a leap year. In the
    /// Gregorian calendar, the interval is `100`: the year 1900 is not a leap year. `None` means that there are no
    /// exceptions.
    #[serde(default)]
    pub except_every: Option<u32>,
    /// The interval of the exceptions to `except_every`, in years. A year at this interval is a leap year. In the
    /// Gregorian calendar, the interval is `400`: the year 2000 is a leap year. `None` means that there are no
    /// exceptions.
    #[serde(default)]
    pub unless_every: Option<u32>,
    /// The year from which the intervals are counted. With `offset: 1` and `every: 4`, the years 1, 5 and 9 are leap
    /// years.
    #[serde(default)]
    pub offset: i64,
    /// The month that gets the additional days.
    pub month: String,
    /// The number of additional days; at least 1.
    #[serde(default = "default_leap_days")]
    pub days: u32,
}

/// A named range of years with its own year numbers. The order of eras in the list does not matter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Era {
    /// The name of the era: `Age of Salt`.
    pub name: String,
    /// The abbreviation that is printed after a year: `AS`. If it is empty, the name is printed.
    #[serde(default)]
    pub short: String,
    /// The first year of the era, as a year number without an era. Only an era that counts backwards may have no first
    /// year; `None` means that the era has no beginning.
    #[serde(default)]
    pub start: Option<i64>,
    /// The last year of the era, as a year number without an era. `None` means that the era lasts until the next era
    /// starts.
    #[serde(default)]
    pub end: Option<i64>,
    /// The lowest year number in the era: the number of its first year, or of its last year if the era counts
    /// backwards.
    #[serde(default = "default_first_year")]
    pub first: i64,
    /// Whether year numbers decrease towards the end of the era, like the years BC.
    #[serde(default)]
    pub backwards: bool,
}

/// Calendar of a campaign.
///
/// Every year has a number in the *plain count*, which numbers all years and ignores eras. [`GameTime`] 0 is the first
/// minute of the year 1 of the plain count. A year that belongs to an era also has a number in this era.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calendar {
    /// The name of the calendar.
    #[serde(default)]
    pub name: String,
    /// The months of a year, in order.
    pub months: Vec<Month>,
    /// The days of a week, in order; empty for a calendar without weeks. The first day of the year 1 has the first
    /// weekday in this list.
    #[serde(default)]
    pub weekdays: Vec<String>,
    /// The number of hours in a day.
    #[serde(default = "default_hours_per_day")]
    pub hours_per_day: u32,
    /// The number of minutes in an hour.
    #[serde(default = "default_minutes_per_hour")]
    pub minutes_per_hour: u32,
    /// The text that is printed after a year that belongs to no [`Era`]. If it is empty, only the number is printed.
    #[serde(default)]
    pub era: String,
    /// The leap rules.
    #[serde(default)]
    pub leap: Vec<LeapRule>,
    /// Whether the calendar has a year 0. If `false`, the year 1 follows the year −1.
    #[serde(default = "default_year_zero")]
    pub year_zero: bool,
    /// The eras: named ranges of years with their own year numbers. A year that belongs to no era is printed with its
    /// number in the plain count, followed by the text in `era`.
    #[serde(default)]
    pub eras: Vec<Era>,
}

fn default_leap_days() -> u32 {
    1
}

fn default_first_year() -> i64 {
    1
}

fn default_hours_per_day() -> u32 {
    24
}

fn default_minutes_per_hour() -> u32 {
    60
}

fn default_year_zero() -> bool {
    true
}

/// Beginning of the names of the months that have no names of their own.
const NUMBERED_MONTH: &str = "Month";

impl Default for Calendar {
    /// Returns a calendar with twelve months of thirty days each. The names of the months are numbers. A day of the year
    /// 1 is printed as its number, `day 3`, because most campaigns without a calendar only count days.
    fn default() -> Self {
        Self {
            name: "Plain count".into(),
            months: (1..=12).map(|n| Month { name: format!("{NUMBERED_MONTH}{n}"), days: 30 }).collect(),
            weekdays: Vec::new(),
            hours_per_day: default_hours_per_day(),
            minutes_per_hour: default_minutes_per_hour(),
            era: String::new(),
            leap: Vec::new(),
            year_zero: default_year_zero(),
            eras: Vec::new(),
        }
    }
}

impl Calendar {
    /// Formats a game time as a date: `3 Rainmoon 412 HR, 18:30`. At midnight, the time of day is omitted. The year is
    /// printed with its number in its era.
    pub fn format(&self, time: GameTime) -> String {
        let (day, minute) = self.day_of(time);
        let mut text = self.day_name(day);
        if minute != 0 {
            let minutes_per_hour = i128::from(self.minutes_per_hour.max(1));
            text = format!("{text}, {:02}:{:02}", minute / minutes_per_hour, minute % minutes_per_hour);
        }
        text
    }

    /// Returns the printed form of a day: `3 Rainmoon 412 HR`, or `day 3` in the year 1 of a calendar that
    /// [counts days](Self::counts_days).
    fn day_name(&self, day: i128) -> String {
        let (year, month, day_of_month) = self.date_of(day);
        if year == 1 && self.counts_days() {
            return format!("day {}", day + 1);
        }
        let month = self.months.get(month).map_or("", |month| month.name.as_str());
        format!("{day_of_month} {month} {}", self.year_name(year))
    }

    /// Returns whether the months and years have only numbers, so a day can be named by its number.
    fn counts_days(&self) -> bool {
        let is_numbered = |month: &Month| month.name.strip_prefix(NUMBERED_MONTH) == Some("1");
        self.months.first().is_some_and(is_numbered) && self.era.is_empty() && self.eras.is_empty()
    }

    /// Formats a game time with the given precision: `412 HR` for a year, or `Rainmoon 412 HR` for a month.
    pub fn format_with_precision(&self, time: GameTime, precision: Precision) -> String {
        let (day, _) = self.day_of(time);
        let (year, month, _) = self.date_of(day);
        let month = self.months.get(month).map_or("", |month| month.name.as_str());
        match precision {
            Precision::Year => self.year_name(year),
            Precision::Month => format!("{month} {}", self.year_name(year)),
            Precision::Day => self.day_name(day),
            Precision::Minute => self.format(time),
        }
    }

    /// Returns the interval of the year, month, day or minute that contains a game time. The precision selects the
    /// unit.
    pub fn span_around(&self, time: GameTime, precision: Precision) -> DateSpan {
        let (today, _) = self.day_of(time);
        let (year, month, day) = self.date_of(today);
        let (first, after) = match precision {
            Precision::Minute => return DateSpan { first: time, last: time, precision },
            Precision::Day => (today, today + 1),
            Precision::Month => {
                let first = today + 1 - day;
                (first, first + self.month_lengths(year).get(month).map_or(1, |length| i128::from(*length).max(1)))
            }
            Precision::Year => (self.first_day(year), self.first_day(year + 1)),
        };
        let game_time =
            |minutes: i128| GameTime(i64::try_from(minutes).unwrap_or(if minutes < 0 { i64::MIN } else { i64::MAX }));
        let day_length = self.day_length_minutes();
        DateSpan { first: game_time(first * day_length), last: game_time(after * day_length - 1), precision }
    }

    /// Returns the weekday of a game time; `None` if the calendar has no weeks.
    pub fn weekday(&self, time: GameTime) -> Option<&str> {
        let count = i128::try_from(self.weekdays.len()).ok().filter(|&count| count > 0)?;
        let (day, _) = self.day_of(time);
        self.weekdays.get(usize::try_from(day.rem_euclid(count)).ok()?).map(String::as_str)
    }
}

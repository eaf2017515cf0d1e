//! The campaign's own calendar: months of any length, leap years and eras, printed and parsed.

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
    /// What it is called.
    pub name: String,
    /// How many days it has. At least one; none, when a [`LeapRule`] gives it days in some years, as for a feast that
    /// stands between two months every fourth year.
    pub days: u32,
}

/// Which years are longer, and by how much. The rules of a calendar add up.
///
/// Years are counted without a gap: where no year 0 exists, the year −1 counts as 0, the year −2 as −1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeapRule {
    /// Every how many years; at least 1.
    pub every: u32,
    /// Of these, every how many years not: `100` in the Gregorian calendar.
    #[serde(default)]
    pub except_every: Option<u32>,
    /// Of those left out, every how many years after all: `400` in the Gregorian calendar.
    #[serde(default)]
    pub unless_every: Option<u32>,
    /// A year that all of this is counted from. With 1 and `every: 4`, the years 1, 5 and 9 are longer.
    #[serde(default)]
    pub offset: i64,
    /// The month that is longer.
    pub month: String,
    /// By how many days; at least 1.
    #[serde(default = "one")]
    pub days: u32,
}

/// A name for a run of years, with numbers of its own. The order in which eras are listed does not matter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Era {
    /// What it is called: `Age of Salt`.
    pub name: String,
    /// What is printed after a year of it: `AS`. The name, when it is empty.
    #[serde(default)]
    pub short: String,
    /// Its earliest year in the plain count. Only an era that counts backwards may have none: it reaches back for ever.
    #[serde(default)]
    pub start: Option<i64>,
    /// Its latest year in the plain count. Without one it goes on until the next era starts.
    #[serde(default)]
    pub end: Option<i64>,
    /// The number of its earliest year; of its latest, when it counts backwards.
    #[serde(default = "first")]
    pub first: i64,
    /// Whether its numbers fall towards its end, like the years before Christ.
    #[serde(default)]
    pub backwards: bool,
}

/// How a campaign counts its days.
///
/// Years have numbers in a *plain count*, which goes on for ever in both directions; [`GameTime`] 0 is the first minute
/// of its year 1. Eras give the same years other names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calendar {
    /// What the calendar is called.
    #[serde(default)]
    pub name: String,
    /// The months of a year, in order.
    pub months: Vec<Month>,
    /// The days of a week, in order; empty when nobody counts weeks. The first day of the year 1 is the first.
    #[serde(default)]
    pub weekdays: Vec<String>,
    /// Hours in a day.
    #[serde(default = "twenty_four")]
    pub hours_per_day: u32,
    /// Minutes in an hour.
    #[serde(default = "sixty")]
    pub minutes_per_hour: u32,
    /// What is printed after a year of the plain count.
    #[serde(default)]
    pub era: String,
    /// Which years are longer.
    #[serde(default)]
    pub leap: Vec<LeapRule>,
    /// Whether the plain count has a year 0. Without it the year −1 is followed by 1.
    #[serde(default = "yes")]
    pub year_zero: bool,
    /// Names for runs of years. A year in none of them is printed in the plain count.
    #[serde(default)]
    pub eras: Vec<Era>,
}

fn one() -> u32 {
    1
}

fn first() -> i64 {
    1
}

fn twenty_four() -> u32 {
    24
}

fn sixty() -> u32 {
    60
}

fn yes() -> bool {
    true
}

impl Default for Calendar {
    /// Twelve months of thirty days, named by their numbers.
    fn default() -> Self {
        Self {
            name: "Plain count".into(),
            months: (1..=12).map(|n| Month { name: format!("Month{n}"), days: 30 }).collect(),
            weekdays: Vec::new(),
            hours_per_day: twenty_four(),
            minutes_per_hour: sixty(),
            era: String::new(),
            leap: Vec::new(),
            year_zero: true,
            eras: Vec::new(),
        }
    }
}

impl Calendar {
    /// Prints a game time: `3 Rainmoon 412 HR, 18:30`; midnight is left out. The year is that of the era it lies in.
    pub fn print(&self, time: GameTime) -> String {
        let (day, minute) = self.day_of(time);
        let (year, month, day) = self.date_of(day);
        let month = self.months.get(month).map_or("", |month| month.name.as_str());
        let mut text = format!("{day} {month} {}", self.year_name(year));
        if minute != 0 {
            let per_hour = i128::from(self.minutes_per_hour.max(1));
            text = format!("{text}, {:02}:{:02}", minute / per_hour, minute % per_hour);
        }
        text
    }

    /// Prints the year, the month, the day or the minute that a time lies in: `412 HR`, `Rainmoon 412 HR`.
    pub fn print_to(&self, time: GameTime, precision: Precision) -> String {
        let (year, month, day) = self.date_of(self.day_of(time).0);
        let month = self.months.get(month).map_or("", |month| month.name.as_str());
        match precision {
            Precision::Year => self.year_name(year),
            Precision::Month => format!("{month} {}", self.year_name(year)),
            Precision::Day => format!("{day} {month} {}", self.year_name(year)),
            Precision::Minute => self.print(time),
        }
    }

    /// All of the year, the month, the day or the minute that a time lies in.
    pub fn around(&self, time: GameTime, precision: Precision) -> DateSpan {
        let (today, _) = self.day_of(time);
        let (year, month, day) = self.date_of(today);
        let (first, after) = match precision {
            Precision::Minute => return DateSpan { first: time, last: time, precision },
            Precision::Day => (today, today + 1),
            Precision::Month => {
                let first = today + 1 - day;
                (first, first + self.lengths(year).get(month).map_or(1, |length| i128::from(*length).max(1)))
            }
            Precision::Year => (self.first_day(year), self.first_day(year + 1)),
        };
        let minute =
            |minutes: i128| GameTime(i64::try_from(minutes).unwrap_or(if minutes < 0 { i64::MIN } else { i64::MAX }));
        let length = self.day_length();
        DateSpan { first: minute(first * length), last: minute(after * length - 1), precision }
    }

    /// The day of the week, where the calendar has weeks.
    pub fn weekday(&self, time: GameTime) -> Option<&str> {
        let count = i128::try_from(self.weekdays.len()).ok().filter(|&count| count > 0)?;
        let (day, _) = self.day_of(time);
        self.weekdays.get(usize::try_from(day.rem_euclid(count)).ok()?).map(String::as_str)
    }
}

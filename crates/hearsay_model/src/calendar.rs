//! The campaign's own calendar: months of any length, printed and parsed.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Date, GameTime, text};

/// A month of a [`Calendar`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Month {
    /// What it is called.
    pub name: String,
    /// How many days it has; at least one.
    pub days: u32,
}

/// A calendar that cannot count, or a date that is not on it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CalendarError {
    /// A calendar needs months, days, hours and minutes.
    #[error("a calendar needs {0}")]
    Empty(&'static str),
    /// Two months have one name.
    #[error("two months are called `{0}`: each needs a name of its own")]
    SameName(String),
    /// A number is too large to count with.
    #[error("{0} is larger than a calendar can count with")]
    TooLarge(&'static str),
    /// The text has no form that a date has.
    #[error("`{0}` is not a date: expected a form such as `{1}`, `{2}` or `412-04-03`")]
    Form(String, String, String),
    /// The month is not on the calendar.
    #[error("`{raw}` names no month of the calendar: expected one of {months}")]
    Month {
        /// The date as written.
        raw: String,
        /// The months there are.
        months: String,
    },
    /// The day is not in the month, or the hour not in the day.
    #[error("`{raw}`: {what} must lie from {low} to {high}")]
    Range {
        /// The date as written.
        raw: String,
        /// Which part of it.
        what: String,
        /// The least.
        low: i64,
        /// The most.
        high: i64,
    },
}

/// How a campaign counts its days.
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
    /// What is printed after the year.
    #[serde(default)]
    pub era: String,
}

fn twenty_four() -> u32 {
    24
}

fn sixty() -> u32 {
    60
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
        }
    }
}

impl Calendar {
    /// Checks that the calendar can count.
    ///
    /// # Errors
    /// When a month, a day, an hour or a minute has no length, or two months have one name.
    pub fn check(&self) -> Result<(), CalendarError> {
        let empty = |is: bool, what| if is { Err(CalendarError::Empty(what)) } else { Ok(()) };
        empty(self.months.is_empty(), "at least one month")?;
        empty(self.months.iter().any(|m| m.days == 0), "at least one day in each month")?;
        empty(self.months.iter().any(|m| text::normal(&m.name).is_empty()), "a name for each month")?;
        empty(self.hours_per_day == 0, "at least one hour in a day")?;
        empty(self.minutes_per_hour == 0, "at least one minute in an hour")?;
        let large = self.hours_per_day > 10_000 || self.minutes_per_hour > 10_000;
        let large = large || self.months.iter().any(|m| m.days > 1_000_000) || self.months.len() > 10_000;
        if large {
            return Err(CalendarError::TooLarge("a month, a day or an hour"));
        }
        let mut names = BTreeSet::new();
        if let Some(twin) = self.months.iter().find(|month| !names.insert(text::normal(&month.name))) {
            return Err(CalendarError::SameName(twin.name.clone()));
        }
        Ok(())
    }

    /// Minutes in a day; at least one, where the calendar can count.
    pub fn minutes_per_day(&self) -> i64 {
        i64::from(self.hours_per_day) * i64::from(self.minutes_per_hour)
    }

    fn days_per_year(&self) -> i64 {
        self.months.iter().map(|m| i64::from(m.days)).sum()
    }

    /// Reads a date: `3 Rainmoon 412`, `Rainmoon 412`, `412`, `412-04-03` (year, month, day), each with or without a
    /// time of day (`, 18:30`) and the era. What is left out is the first: the first day, the first minute.
    ///
    /// # Errors
    /// When the text is no date of this calendar; the error names the part and what was expected.
    pub fn parse(&self, raw: &str) -> Result<Date, CalendarError> {
        let form = || {
            let month = self.months.first().map_or("Month", |m| m.name.as_str());
            CalendarError::Form(raw.into(), format!("3 {month} 412"), format!("3 {month} 412, 18:30"))
        };
        let clean = text::normal(raw);
        let clean = match clean.strip_suffix(&text::normal(&self.era)) {
            Some(rest) if !self.era.is_empty() => rest.trim_end(),
            _ => clean.as_str(),
        };
        let (day_part, time_part) = match clean.rsplit_once([',', ' ']) {
            Some((day, time)) if time.contains(':') => (day.trim().trim_end_matches(','), Some(time.trim())),
            _ => (clean, None),
        };
        let (year, month, day) = self.parse_day(raw, day_part, &form)?;
        let minute = match time_part {
            None => 0,
            Some(time) => self.parse_time(raw, time, &form)?,
        };
        let days_before: i64 = self.months[..month].iter().map(|m| i64::from(m.days)).sum();
        let days = year
            .checked_sub(1)
            .and_then(|years| years.checked_mul(self.days_per_year()))
            .and_then(|days| days.checked_add(days_before + day - 1));
        let minutes = days.and_then(|d| d.checked_mul(self.minutes_per_day())).and_then(|m| m.checked_add(minute));
        let time = minutes.map(GameTime).ok_or(CalendarError::TooLarge("the year"))?;
        Ok(Date { raw: raw.into(), time: Some(time) })
    }

    /// Year, index of the month, day from 1.
    fn parse_day(
        &self,
        raw: &str,
        part: &str,
        form: &dyn Fn() -> CalendarError,
    ) -> Result<(i64, usize, i64), CalendarError> {
        let era = text::normal(&self.era);
        let part = part.strip_suffix(&era).filter(|_| !era.is_empty()).unwrap_or(part).trim();
        let negative = part.starts_with('-');
        let numbers: Option<Vec<i64>> =
            part.trim_start_matches('-').split('-').map(|n| n.trim().parse().ok()).collect();
        let month_count = self.months.len() as i64;
        let range = |what: &str, value: i64, high: i64| {
            if (1..=high).contains(&value) {
                return Ok(value);
            }
            Err(CalendarError::Range { raw: raw.into(), what: what.into(), low: 1, high })
        };
        let day_in = |month: usize, day: i64| {
            let month = &self.months[month];
            range(&format!("the day of {}", month.name), day, month.days.into())
        };
        if let Some(numbers) = numbers {
            let year = |year: i64| if negative { -year } else { year };
            return match numbers[..] {
                [y] => Ok((year(y), 0, 1)),
                [y, m] => Ok((year(y), range("the month", m, month_count)? as usize - 1, 1)),
                [y, m, d] => {
                    let month = range("the month", m, month_count)? as usize - 1;
                    Ok((year(y), month, day_in(month, d)?))
                }
                _ => Err(form()),
            };
        }
        let (rest, year) = part.rsplit_once([' ', ',']).ok_or_else(form)?;
        let year: i64 = year.trim().parse().map_err(|_| form())?;
        let rest = rest.trim().trim_end_matches(',');
        let (day, name) = match rest.split_once(' ') {
            Some((day, name)) if day.starts_with(|c: char| c.is_ascii_digit()) => {
                let digits = day.trim_end_matches(|c: char| !c.is_ascii_digit());
                (Some(digits.parse::<i64>().map_err(|_| form())?), name.trim())
            }
            _ => (None, rest),
        };
        let name = name.strip_prefix("of ").unwrap_or(name);
        let month = self.months.iter().position(|m| text::normal(&m.name) == name).ok_or_else(|| {
            let months: Vec<_> = self.months.iter().map(|m| m.name.as_str()).collect();
            CalendarError::Month { raw: raw.into(), months: months.join(", ") }
        })?;
        Ok((year, month, day_in(month, day.unwrap_or(1))?))
    }

    fn parse_time(&self, raw: &str, time: &str, form: &dyn Fn() -> CalendarError) -> Result<i64, CalendarError> {
        let (hour, minute) = time.split_once(':').ok_or_else(form)?;
        let part = |text: &str, what: &str, count: u32| {
            let value: i64 = text.parse().map_err(|_| form())?;
            let high = i64::from(count) - 1;
            if (0..=high).contains(&value) {
                return Ok(value);
            }
            Err(CalendarError::Range { raw: raw.into(), what: what.into(), low: 0, high })
        };
        let hour = part(hour, "the hour", self.hours_per_day)?;
        Ok(hour * i64::from(self.minutes_per_hour) + part(minute, "the minute", self.minutes_per_hour)?)
    }

    /// Prints a game time: `3 Rainmoon 412 HR, 18:30`; midnight is left out.
    pub fn print(&self, time: GameTime) -> String {
        let (day_number, minute) =
            (time.0.div_euclid(self.minutes_per_day()), time.0.rem_euclid(self.minutes_per_day()));
        let year = i128::from(day_number.div_euclid(self.days_per_year())) + 1;
        let mut day = day_number.rem_euclid(self.days_per_year());
        let mut name = "";
        for month in &self.months {
            name = &month.name;
            if day < i64::from(month.days) {
                break;
            }
            day -= i64::from(month.days);
        }
        let mut text = format!("{} {name} {year}", day + 1);
        if !self.era.is_empty() {
            text = format!("{text} {}", self.era);
        }
        if minute != 0 {
            let per_hour = i64::from(self.minutes_per_hour);
            text = format!("{text}, {:02}:{:02}", minute / per_hour, minute % per_hour);
        }
        text
    }

    /// The day of the week, where the calendar has weeks.
    pub fn weekday(&self, time: GameTime) -> Option<&str> {
        let count = i64::try_from(self.weekdays.len()).ok().filter(|&count| count > 0)?;
        let day = time.0.div_euclid(self.minutes_per_day()).rem_euclid(count);
        self.weekdays.get(usize::try_from(day).ok()?).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn harbour() -> Calendar {
        let month = |(name, days): (&str, u32)| Month { name: name.into(), days };
        Calendar {
            months: [("Frostmoon", 31), ("High Tide", 9), ("Rainmoon", 28)].map(month).into(),
            weekdays: vec!["Tideday".into(), "Saltday".into()],
            era: "HR".into(),
            ..Calendar::default()
        }
    }

    #[test]
    fn dates_are_read_in_every_form() {
        let calendar = harbour();
        let year = 68 * 24 * 60;
        let check = |raw: &str, minutes: i64| {
            let date = calendar.parse(raw).unwrap();
            assert_eq!((date.raw.as_str(), date.time), (raw, Some(GameTime(minutes))), "{raw}");
        };
        check("1", 0);
        check("3 Rainmoon 2", year + (40 + 2) * 1440);
        check("3rd of Rainmoon, 2 HR", year + (40 + 2) * 1440);
        check("9 high tide 1, 18:30", (31 + 8) * 1440 + 18 * 60 + 30);
        check("2-03-03 06:00", year + (40 + 2) * 1440 + 360);
        check("Rainmoon 2 HR", year + 40 * 1440);
        check("-1-01-01", -2 * year);
    }

    #[test]
    fn dates_off_the_calendar_say_what_was_expected() {
        let check = |raw: &str, expected: &str| {
            let error = harbour().parse(raw).unwrap_err().to_string();
            assert!(error.contains(expected), "{raw}: {error}");
        };
        check("10 High Tide 1", "the day of High Tide must lie from 1 to 9");
        check("3 Sunmoon 1", "expected one of Frostmoon, High Tide, Rainmoon");
        check("1-4-1", "the month must lie from 1 to 3");
        check("1-1-1 25:00", "the hour must lie from 0 to 23");
        check("yesterday", "expected a form such as `3 Frostmoon 412`");
        check("9223372036854775807", "larger than");
        check("Rainmoon -9223372036854775808", "larger than");
        check("", "is not a date");
    }

    #[test]
    fn what_is_printed_is_read_again() {
        let calendar = harbour();
        for minutes in (-300_000..300_000).step_by(777) {
            let printed = calendar.print(GameTime(minutes));
            assert_eq!(calendar.parse(&printed).unwrap().time, Some(GameTime(minutes)), "{printed}");
        }
        assert_eq!(calendar.weekday(GameTime(1440)), Some("Saltday"));
    }

    #[test]
    fn a_calendar_that_cannot_count_is_refused() {
        let mut calendar = harbour();
        calendar.months[1].name = "frostmoon".into();
        assert_eq!(calendar.check(), Err(CalendarError::SameName("frostmoon".into())));
        let tick = Month { name: "Tick".into(), days: 1 };
        let tiny = Calendar { months: vec![tick], hours_per_day: 1, minutes_per_hour: 1, ..Calendar::default() };
        assert!(tiny.print(GameTime(i64::MAX)).ends_with("9223372036854775808"));
        calendar.months.clear();
        assert!(calendar.check().is_err());
        assert!(Calendar::default().check().is_ok());
    }
}

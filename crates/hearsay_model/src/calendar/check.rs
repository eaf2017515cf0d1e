//! Validation of calendars.

use std::collections::BTreeSet;

use super::{Calendar, CalendarError, Era, LeapRule};
use crate::text;

const MAX_DAYS: u32 = 1_000_000;
/// Maximum number of months, of hours in a day, and of minutes in an hour.
const MAX_PARTS: u32 = 10_000;
const MAX_RULES: usize = 100;
const MAX_ERAS: usize = 100;
/// Maximum absolute value of a year in a leap rule or an era.
const MAX_ABSOLUTE_YEAR: u64 = 1_000_000_000_000_000;

impl Calendar {
    /// Checks that the calendar is complete, and that every printed date has only one meaning.
    ///
    /// # Errors
    /// Returns an error if a required part is missing (months, days, hours or minutes), or if two months have the same
    /// name. Also returns an error if a leap rule or an era is invalid, or if a number is too large. For example, a
    /// leap rule is invalid if it adds no days. An era is invalid if it overlaps another era.
    pub fn check(&self) -> Result<(), CalendarError> {
        let require = |is_missing: bool, part| if is_missing { Err(CalendarError::MissingPart(part)) } else { Ok(()) };
        require(self.months.is_empty(), "at least one month")?;
        require(self.months.iter().any(|m| text::normalize(&m.name).is_empty()), "a name for each month")?;
        require(self.hours_per_day == 0, "at least one hour in a day")?;
        require(self.minutes_per_hour == 0, "at least one minute in an hour")?;
        let limit =
            |is_too_large: bool, number| if is_too_large { Err(CalendarError::TooLarge(number)) } else { Ok(()) };
        let has_long_day = self.hours_per_day > MAX_PARTS || self.minutes_per_hour > MAX_PARTS;
        let has_long_month = self.months.iter().any(|m| m.days > MAX_DAYS);
        let has_long_part = has_long_day || has_long_month || self.months.len() > MAX_PARTS as usize;
        limit(has_long_part, "a month, a day or an hour")?;
        limit(self.leap.len() > MAX_RULES, "the number of leap rules")?;
        limit(self.eras.len() > MAX_ERAS, "the number of eras")?;
        let mut names = BTreeSet::new();
        if let Some(duplicate) = self.months.iter().find(|month| !names.insert(text::normalize(&month.name))) {
            return Err(CalendarError::SameName(duplicate.name.clone()));
        }
        for (index, rule) in self.leap.iter().enumerate() {
            self.check_rule(rule).map_err(|problem| CalendarError::Leap { number: index + 1, problem })?;
        }
        let leap_months: BTreeSet<_> = self.leap.iter().filter_map(|rule| self.leap_month(rule)).collect();
        let mut months = self.months.iter().enumerate();
        if let Some((_, month)) = months.find(|(index, month)| month.days == 0 && !leap_months.contains(index)) {
            return Err(CalendarError::NoDays(month.name.clone()));
        }
        require(self.months.iter().all(|m| m.days == 0), "at least one day in a year that is not a leap year")?;
        for (index, era) in self.eras.iter().enumerate() {
            self.check_era(index, era).map_err(|problem| CalendarError::Era { number: index + 1, problem })?;
        }
        Ok(())
    }

    fn check_rule(&self, rule: &LeapRule) -> Result<(), String> {
        let intervals =
            [("every", Some(rule.every)), ("except_every", rule.except_every), ("unless_every", rule.unless_every)];
        if let Some((key, _)) = intervals.into_iter().find(|&(_, interval)| interval == Some(0)) {
            return Err(format!("`{key}` is a number of years and must be at least 1"));
        }
        let (every, except, unless) = rule.intervals();
        match (rule.except_every, rule.unless_every) {
            (None, Some(_)) => {
                return Err("`unless_every` makes exceptions from `except_every`: add `except_every`".into());
            }
            (Some(excluded), _) if except == Some(every) => {
                return Err(format!(
                    "`except_every: {excluded}` excludes every year that `every: {every}` includes: use a larger number"
                ));
            }
            (Some(excluded), Some(included)) if unless == except => {
                return Err(format!(
                    "`unless_every: {included}` includes every year that `except_every: {excluded}` excludes: use a larger number"
                ));
            }
            _ => {}
        }
        if self.leap_month(rule).is_none() {
            let months: Vec<_> = self.months.iter().map(|month| month.name.as_str()).collect();
            return Err(format!("unknown month `{}`: expected one of {}", rule.month, months.join(", ")));
        }
        if !(1..=MAX_DAYS).contains(&rule.days) {
            return Err(format!("`days` must be from 1 to {MAX_DAYS}"));
        }
        check_year("offset", Some(rule.offset))
    }

    fn check_era(&self, index: usize, era: &Era) -> Result<(), String> {
        let others = || self.eras.iter().enumerate().filter(|&(other, _)| other != index).map(|(_, other)| other);
        self.check_era_name(&era.name, others())?;
        if !era.short.is_empty() {
            self.check_era_name(&era.short, others())?;
        }
        let name = &era.name;
        for (key, year) in [("start", era.start), ("end", era.end)] {
            check_year(key, year)?;
            if year.is_some_and(|year| self.plain_year(year.into()).is_none()) {
                return Err(format!("{name} has `{key}: 0`, but the calendar has no year 0: use -1 or 1"));
            }
        }
        check_year("first", Some(era.first))?;
        if era.first < 0 {
            return Err(format!("{name} has `first: {}`: expected 0 or more", era.first));
        }
        if !era.backwards && era.start.is_none() {
            return Err(format!("{name} needs `start`, its first year; only an era with `backwards` may omit it"));
        }
        let bounds = self.bounds(era);
        let (Some(end), start) = (bounds.end, bounds.start) else {
            let same_start = others().find(|other| self.bounds(other).start == bounds.start);
            return match same_start {
                Some(other) => Err(format!("{name} and {} start in the same year: change one `start`", other.name)),
                None if era.backwards => Err(format!("{name} counts backwards from its last year: add `end`")),
                None => Ok(()),
            };
        };
        if start.is_some_and(|start| end < start) {
            return Err(format!("{name} ends before it starts: correct `start` or `end`"));
        }
        for other in others() {
            let other_start = self.bounds(other).start;
            if other_start == start {
                return Err(format!("{name} and {} start in the same year: change one `start`", other.name));
            }
            if other_start > start && other_start.is_some_and(|other_start| other_start <= end) {
                let first_year = other.start.unwrap_or_default();
                return Err(format!(
                    "{name} overlaps {}, which starts in {first_year}: set `end` to an earlier year",
                    other.name
                ));
            }
        }
        Ok(())
    }

    /// Checks the name of an era. The name must contain a letter, must differ from the names of other eras, and must
    /// not look like a month with a year. The name of the era follows the year in a date, so any other name would make
    /// the date ambiguous.
    fn check_era_name<'a>(&self, name: &str, mut others: impl Iterator<Item = &'a Era>) -> Result<(), String> {
        let normal = text::normalize(name);
        if !normal.contains(char::is_alphabetic) {
            return Err(format!("`{name}` is not a valid name of an era: use at least one letter"));
        }
        let is_same = |other: &str| text::normalize(other) == normal;
        if is_same(&self.era) || others.any(|other| is_same(&other.name) || is_same(&other.short)) {
            return Err(format!("two eras have the name `{name}`: give each era a different name"));
        }
        let month = normal.rsplit_once(' ').filter(|(_, number)| number.chars().all(|c| c.is_ascii_digit()));
        if month.is_some_and(|(month, _)| self.month(month).is_some()) {
            return Err(format!("`{name}` can be read as a month with a year: choose another name for the era"));
        }
        Ok(())
    }
}

fn check_year(key: &str, year: Option<i64>) -> Result<(), String> {
    match year {
        Some(year) if year.unsigned_abs() > MAX_ABSOLUTE_YEAR => {
            Err(format!("`{key}: {year}` is too large for the calendar"))
        }
        _ => Ok(()),
    }
}

//! Conversion between years and days, without iteration over years.
//!
//! Day 0 is the first day of the year 1. This module numbers years without gaps (*consecutive years*): the year before
//! 1 is 0, even if the calendar prints it as −1. All computations use 128 bits, so intermediate results do not
//! overflow.

use std::fmt;

use super::{Calendar, LeapRule};
use crate::{GameTime, text};

impl LeapRule {
    /// Returns three intervals, in years: between leap years, between exceptions to this interval, and between the
    /// exceptions that are leap years after all.
    pub(super) fn steps(&self) -> (i128, Option<i128>, Option<i128>) {
        let every = i128::from(self.every.max(1));
        let except = self.except_every.map(|step| least_common_multiple(every, step));
        let unless = except.zip(self.unless_every).map(|(except, step)| least_common_multiple(except, step));
        (every, except, unless)
    }

    /// Returns the number of leap years up to and including a year, counted from the rule's offset. Only the difference
    /// between two results is meaningful.
    fn count(&self, year: i128) -> i128 {
        let years = year - i128::from(self.offset);
        let (every, except, unless) = self.steps();
        let times = |step: Option<i128>| step.map_or(0, |step| years.div_euclid(step));
        times(Some(every)) - times(except) + times(unless)
    }

    /// Returns whether this rule makes a year a leap year.
    pub(super) fn holds(&self, year: i128) -> bool {
        self.count(year) > self.count(year - 1)
    }
}

impl fmt::Display for LeapRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "every {} years", self.every)?;
        if self.offset != 0 {
            write!(f, " counted from {}", self.offset)?;
        }
        if let Some(except) = self.except_every {
            write!(f, ", except every {except}")?;
        }
        if let Some(unless) = self.unless_every {
            write!(f, ", unless every {unless}")?;
        }
        Ok(())
    }
}

fn least_common_multiple(a: i128, b: u32) -> i128 {
    let b = i128::from(b.max(1));
    let (mut divisor, mut rest) = (a, b);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    a / divisor * b
}

impl Calendar {
    /// Returns the number of minutes in a day; at least one for a valid calendar.
    pub fn minutes_per_day(&self) -> i64 {
        i64::from(self.hours_per_day) * i64::from(self.minutes_per_hour)
    }

    pub(super) fn day_length(&self) -> i128 {
        i128::from(self.hours_per_day.max(1)) * i128::from(self.minutes_per_hour.max(1))
    }

    /// Returns the number of the day that contains a game time, and the minute within that day.
    pub(super) fn day_of(&self, time: GameTime) -> (i128, i128) {
        let time = i128::from(time.0);
        (time.div_euclid(self.day_length()), time.rem_euclid(self.day_length()))
    }

    fn days_of_a_plain_year(&self) -> i128 {
        self.months.iter().map(|month| i128::from(month.days)).sum::<i128>().max(1)
    }

    /// Returns the number of the first day of a year.
    pub(super) fn first_day(&self, year: i128) -> i128 {
        let leap = self.leap.iter().map(|rule| i128::from(rule.days) * (rule.count(year - 1) - rule.count(0)));
        (year - 1) * self.days_of_a_plain_year() + leap.sum::<i128>()
    }

    /// Returns the year that contains a day.
    pub(super) fn year_of(&self, day: i128) -> i128 {
        let shortest = self.days_of_a_plain_year();
        let longest = shortest + self.leap.iter().map(|rule| i128::from(rule.days)).sum::<i128>();
        // The year lies between two bounds. The first bound assumes that all years have the minimum length, and the
        // second bound that all years have the maximum length. The bounds are usually a few years apart. In a calendar
        // without leap years, they are equal.
        let (one, other) = (day.div_euclid(shortest) + 1, day.div_euclid(longest) + 1);
        let (mut low, mut high) = (one.min(other), one.max(other));
        while low < high {
            let middle = high - (high - low) / 2;
            if self.first_day(middle) <= day {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        low
    }

    /// Returns the index of the month with this name. The name must be in [normal form](text::normal).
    pub(super) fn month(&self, name: &str) -> Option<usize> {
        self.months.iter().position(|month| text::normal(&month.name) == name)
    }

    /// Returns the index of the month that a leap rule lengthens.
    pub(super) fn lengthened(&self, rule: &LeapRule) -> Option<usize> {
        let same = self.months.iter().position(|month| month.name == rule.month);
        same.or_else(|| self.month(&text::normal(&rule.month)))
    }

    /// Returns the number of days in each month of a year.
    pub(super) fn lengths(&self, year: i128) -> Vec<i64> {
        let mut lengths: Vec<i64> = self.months.iter().map(|month| month.days.into()).collect();
        for rule in self.leap.iter().filter(|rule| rule.holds(year)) {
            if let Some(length) = self.lengthened(rule).and_then(|month| lengths.get_mut(month)) {
                *length += i64::from(rule.days);
            }
        }
        lengths
    }

    /// Returns the year, the month index and the day of the month (from 1) for a day number.
    pub(super) fn date_of(&self, day: i128) -> (i128, usize, i128) {
        let year = self.year_of(day);
        let mut rest = day - self.first_day(year);
        let mut last = 0;
        for (month, length) in self.lengths(year).into_iter().enumerate() {
            last = month;
            if rest < i128::from(length) {
                break;
            }
            rest -= i128::from(length);
        }
        (year, last, rest + 1)
    }
}

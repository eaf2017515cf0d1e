//! Conversion between years and days, without a loop over all years.
//!
//! Day 0 is the first day of the year 1. This module numbers years without gaps (*consecutive years*): the year before
//! year 1 has the number 0, even if the calendar prints −1. All computations use 128 bits, so intermediate results do
//! not overflow.

use std::fmt;

use super::{Calendar, LeapRule};
use crate::{GameTime, text};

impl LeapRule {
    /// Returns the values of `every`, `except_every` and `unless_every`, in years.
    pub(super) fn intervals(&self) -> (i128, Option<i128>, Option<i128>) {
        let every = i128::from(self.every.max(1));
        let except = self.except_every.map(|interval| least_common_multiple(every, interval));
        let unless = except.zip(self.unless_every).map(|(except, interval)| least_common_multiple(except, interval));
        (every, except, unless)
    }

    /// Returns the number of leap years up to and including a year, counted from the rule's offset. Use only the
    /// difference between two results: the number itself has no meaning.
    fn leap_years_until(&self, year: i128) -> i128 {
        let years = year - i128::from(self.offset);
        let (every, except, unless) = self.intervals();
        let multiples = |interval: Option<i128>| interval.map_or(0, |interval| years.div_euclid(interval));
        multiples(Some(every)) - multiples(except) + multiples(unless)
    }

    /// Returns whether this rule makes a year a leap year.
    pub(super) fn is_leap_year(&self, year: i128) -> bool {
        self.leap_years_until(year) > self.leap_years_until(year - 1)
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
    /// Returns the number of minutes in a day. The result is at least 1 for a valid calendar.
    pub fn minutes_per_day(&self) -> i64 {
        i64::from(self.hours_per_day) * i64::from(self.minutes_per_hour)
    }

    pub(super) fn day_length_minutes(&self) -> i128 {
        i128::from(self.hours_per_day.max(1)) * i128::from(self.minutes_per_hour.max(1))
    }

    /// Returns the number of the day that contains a game time, and the minute within that day.
    pub(super) fn day_of(&self, time: GameTime) -> (i128, i128) {
        let time = i128::from(time.0);
        (time.div_euclid(self.day_length_minutes()), time.rem_euclid(self.day_length_minutes()))
    }

    fn days_in_common_year(&self) -> i128 {
        self.months.iter().map(|month| i128::from(month.days)).sum::<i128>().max(1)
    }

    /// Returns the number of the first day of a year.
    pub(super) fn first_day(&self, year: i128) -> i128 {
        let leap = self
            .leap
            .iter()
            .map(|rule| i128::from(rule.days) * (rule.leap_years_until(year - 1) - rule.leap_years_until(0)));
        (year - 1) * self.days_in_common_year() + leap.sum::<i128>()
    }

    /// Returns the year that contains a day.
    pub(super) fn year_of(&self, day: i128) -> i128 {
        let shortest = self.days_in_common_year();
        let longest = shortest + self.leap.iter().map(|rule| i128::from(rule.days)).sum::<i128>();
        // The year lies between two bounds. The first bound assumes that all years have the minimum length, and the
        // second bound that all years have the maximum length. The bounds are usually a few years apart. In a calendar
        // without leap years, they are equal.
        let (by_shortest, by_longest) = (day.div_euclid(shortest) + 1, day.div_euclid(longest) + 1);
        let (mut low, mut high) = (by_shortest.min(by_longest), by_shortest.max(by_longest));
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

    /// Returns the index of the month with this name. The name must be in [normal form](text::normalize).
    pub(super) fn month(&self, name: &str) -> Option<usize> {
        self.months.iter().position(|month| text::normalize(&month.name) == name)
    }

    /// Returns the index of the month that a leap rule lengthens.
    pub(super) fn leap_month(&self, rule: &LeapRule) -> Option<usize> {
        let exact = self.months.iter().position(|month| month.name == rule.month);
        exact.or_else(|| self.month(&text::normalize(&rule.month)))
    }

    /// Returns the number of days in each month of a year.
    pub(super) fn month_lengths(&self, year: i128) -> Vec<i64> {
        let mut lengths: Vec<i64> = self.months.iter().map(|month| month.days.into()).collect();
        for rule in self.leap.iter().filter(|rule| rule.is_leap_year(year)) {
            if let Some(length) = self.leap_month(rule).and_then(|month| lengths.get_mut(month)) {
                *length += i64::from(rule.days);
            }
        }
        lengths
    }

    /// Returns the year, the month index and the day of the month (from 1) for a day number.
    pub(super) fn date_of(&self, day: i128) -> (i128, usize, i128) {
        let year = self.year_of(day);
        let mut day_of_month = day - self.first_day(year);
        let mut month_index = 0;
        for (month, length) in self.month_lengths(year).into_iter().enumerate() {
            month_index = month;
            if day_of_month < i128::from(length) {
                break;
            }
            day_of_month -= i128::from(length);
        }
        (year, month_index, day_of_month + 1)
    }
}

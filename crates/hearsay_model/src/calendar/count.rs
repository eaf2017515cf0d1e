//! Counting days: from a year to its first day and back, without a walk over the years.
//!
//! Days count from 0, the first of the year 1. Years here have no gap: the year before 1 is 0, whatever it is called.
//! All of it is in 128 bits, so that no sum overflows on the way to a result that fits.

use std::fmt;

use super::{Calendar, LeapRule};
use crate::{GameTime, text};

impl LeapRule {
    /// Steps in years of: the rule, what is taken out of it, what is brought back.
    pub(super) fn steps(&self) -> (i128, Option<i128>, Option<i128>) {
        let every = i128::from(self.every.max(1));
        let except = self.except_every.map(|step| least_common_multiple(every, step));
        let unless = except.zip(self.unless_every).map(|(except, step)| least_common_multiple(except, step));
        (every, except, unless)
    }

    /// How many years up to and including this one are longer. Counted from the offset, so that only differences
    /// between two years mean anything.
    fn count(&self, year: i128) -> i128 {
        let years = year - i128::from(self.offset);
        let (every, except, unless) = self.steps();
        let times = |step: Option<i128>| step.map_or(0, |step| years.div_euclid(step));
        times(Some(every)) - times(except) + times(unless)
    }

    /// Whether a year is longer by this rule.
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
    /// Minutes in a day; at least one, where the calendar can count.
    pub fn minutes_per_day(&self) -> i64 {
        i64::from(self.hours_per_day) * i64::from(self.minutes_per_hour)
    }

    pub(super) fn day_length(&self) -> i128 {
        i128::from(self.hours_per_day.max(1)) * i128::from(self.minutes_per_hour.max(1))
    }

    /// The day of a time, and the minute of that day.
    pub(super) fn day_of(&self, time: GameTime) -> (i128, i128) {
        let time = i128::from(time.0);
        (time.div_euclid(self.day_length()), time.rem_euclid(self.day_length()))
    }

    fn days_of_a_plain_year(&self) -> i128 {
        self.months.iter().map(|month| i128::from(month.days)).sum::<i128>().max(1)
    }

    /// The first day of a year.
    pub(super) fn first_day(&self, year: i128) -> i128 {
        let leap = self.leap.iter().map(|rule| i128::from(rule.days) * (rule.count(year - 1) - rule.count(0)));
        (year - 1) * self.days_of_a_plain_year() + leap.sum::<i128>()
    }

    /// The year that a day lies in.
    pub(super) fn year_of(&self, day: i128) -> i128 {
        let shortest = self.days_of_a_plain_year();
        let longest = shortest + self.leap.iter().map(|rule| i128::from(rule.days)).sum::<i128>();
        // The year lies between the two that would hold the day if all years were shortest, or all were longest: a few
        // years apart, as a rule, and the same one without leap years.
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

    /// The month that a name, in normal form, means.
    pub(super) fn month(&self, name: &str) -> Option<usize> {
        self.months.iter().position(|month| text::normal(&month.name) == name)
    }

    /// The month that a leap rule lengthens.
    pub(super) fn lengthened(&self, rule: &LeapRule) -> Option<usize> {
        let same = self.months.iter().position(|month| month.name == rule.month);
        same.or_else(|| self.month(&text::normal(&rule.month)))
    }

    /// The days of each month in a year.
    pub(super) fn lengths(&self, year: i128) -> Vec<i64> {
        let mut lengths: Vec<i64> = self.months.iter().map(|month| month.days.into()).collect();
        for rule in self.leap.iter().filter(|rule| rule.holds(year)) {
            if let Some(length) = self.lengthened(rule).and_then(|month| lengths.get_mut(month)) {
                *length += i64::from(rule.days);
            }
        }
        lengths
    }

    /// Year, index of the month and day from 1 of a day.
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

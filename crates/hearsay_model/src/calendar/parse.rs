//! Parsing of dates as people write them.

use super::{Calendar, CalendarError, Era, Month};
use crate::{Date, DateSpan, GameTime, Precision, text};

/// Maximum value of a parsed number. The maximum is larger than every year that a game time can represent.
const MOST: i128 = 1 << 64;

impl Calendar {
    /// Parses a date: `3 Rainmoon 412`, `Rainmoon 412`, `412`, or `412-04-03` (year, month, day).
    ///
    /// A time of day (`, 18:30`) and the full or short name of an era may follow. Without an era, the year belongs to
    /// the plain count. If the month, day or time is omitted, the result is the first minute of the written period.
    ///
    /// # Errors
    /// Returns an error if the text is not a date of this calendar. The error names the invalid part and the expected
    /// values.
    pub fn parse(&self, raw: &str) -> Result<Date, CalendarError> {
        Ok(Date { raw: raw.into(), time: Some(self.parse_span(raw)?.first) })
    }

    /// Parses a date like [`parse`](Self::parse) and returns the whole interval that it covers: a month for
    /// `Rainmoon 412`.
    ///
    /// # Errors
    /// Returns an error as [`parse`](Self::parse) does.
    pub fn parse_span(&self, raw: &str) -> Result<DateSpan, CalendarError> {
        self.parse_near(raw, None)
    }

    /// Returns the last minute that a written date covers. A fact that is dated "as of Rainmoon 412" was true at that
    /// minute.
    ///
    /// # Errors
    /// Returns an error as [`parse`](Self::parse) does.
    pub fn end_of(&self, raw: &str) -> Result<GameTime, CalendarError> {
        Ok(self.parse_span(raw)?.last)
    }

    /// Parses a date that may be relative to the present.
    ///
    /// This method accepts dates relative to `now`, in addition to the forms of [`parse`](Self::parse). A date without
    /// a year (`4 Rainmoon`, `the 4th of Rainmoon`, `Rainmoon`) is in the year of `now`. `today`, `yesterday`,
    /// `tomorrow` and `3 days ago` count from the day of `now`. A time of day alone is on the day of `now`.
    ///
    /// The meaning of a relative date changes from day to day. To store a relative date, store the output of
    /// [`print`](Self::print) for its first minute.
    ///
    /// # Errors
    /// Returns an error as [`parse`](Self::parse) does. Also returns an error if the text is relative to the present
    /// and `now` is `None`.
    pub fn parse_near(&self, raw: &str, now: Option<GameTime>) -> Result<DateSpan, CalendarError> {
        Reading { calendar: self, raw, now }.span()
    }
}

/// The text after the year of a date. The text names the count to which the year belongs.
#[derive(Clone, Copy)]
enum Suffix<'a> {
    /// The text in [`Calendar::era`]: the year belongs to the plain count.
    Plain,
    Era(&'a Era),
}

struct Reading<'a> {
    calendar: &'a Calendar,
    /// The text as written, for errors.
    raw: &'a str,
    now: Option<GameTime>,
}

impl<'a> Reading<'a> {
    fn span(&self) -> Result<DateSpan, CalendarError> {
        let clean = text::normal(self.raw);
        let (clean, suffix) = self.suffix(&clean);
        let (front, last) = clean.rsplit_once([',', ' ']).unwrap_or(("", clean));
        let (days, minute) = match last.contains(':') {
            true => (trimmed(front.trim_end().trim_end_matches(" at")), Some(self.minute(last)?)),
            false => (clean, None),
        };
        // The era may come before or after the time of day.
        let (days, suffix) = if suffix.is_some() { (days, suffix) } else { self.suffix(days) };
        let today = days.is_empty() && minute.is_some();
        let (first, after, precision) = if today { self.relative(0)? } else { self.days(days, suffix)? };
        let too_large = || CalendarError::TooLarge("the date");
        let start = |day: i128| day.checked_mul(self.calendar.day_length()).ok_or_else(too_large);
        let (first, after, precision) = match minute {
            Some(minute) => (start(first)? + minute, start(first)? + minute + 1, Precision::Minute),
            None => (start(first)?, start(after)?, precision),
        };
        let first = i64::try_from(first).map_err(|_| too_large())?;
        let last = i64::try_from(after - 1).unwrap_or(i64::MAX);
        Ok(DateSpan { first: GameTime(first), last: GameTime(last), precision })
    }

    /// Splits a text into the date and the era at its end, if there is an era.
    fn suffix<'t>(&self, text: &'t str) -> (&'t str, Option<Suffix<'a>>) {
        let calendar = self.calendar;
        let eras = calendar.eras.iter().flat_map(|era| [(&era.name, Suffix::Era(era)), (&era.short, Suffix::Era(era))]);
        let ends = eras.chain([(&calendar.era, Suffix::Plain)]).filter_map(|(name, suffix)| {
            let name = text::normal(name);
            let rest = text.strip_suffix(&name).filter(|_| !name.is_empty())?;
            // The era must be a separate word, except after a number: `412AS`.
            let joined = rest.ends_with(char::is_alphanumeric) && name.starts_with(char::is_alphanumeric);
            let follows_number = rest.ends_with(|c: char| c.is_ascii_digit()) && name.starts_with(char::is_alphabetic);
            (!joined || follows_number).then_some((rest, suffix))
        });
        let Some((rest, suffix)) = ends.min_by_key(|(rest, _)| rest.len()) else { return (text, None) };
        let rest = trimmed(rest);
        let rest = rest.strip_suffix(" of the").or_else(|| rest.strip_suffix(" of")).unwrap_or(rest);
        (trimmed(rest), Some(suffix))
    }

    /// Parses a date without a time of day. Returns the first day, the day after the last day, and the precision.
    fn days(&self, text: &str, suffix: Option<Suffix>) -> Result<(i128, i128, Precision), CalendarError> {
        if let Some(numbers) = numbers(text) {
            return match numbers[..] {
                [year] => self.within(self.year(year, suffix)?, None, None),
                [year, month] => self.within(self.year(year, suffix)?, Some(self.month_of(month)?), None),
                [year, month, day] => self.within(self.year(year, suffix)?, Some(self.month_of(month)?), Some(day)),
                _ => Err(self.form()),
            };
        }
        let dated = text.rsplit_once([' ', ',']).and_then(|(front, year)| Some((trimmed(front), signed(year)?)));
        if let Some((front, year)) = dated
            && let Some((day, month)) = self.day_and_month(front)
        {
            return self.within(self.year(year, suffix)?, Some(month), day);
        }
        if suffix.is_none() {
            if let Some((day, month)) = self.day_and_month(text) {
                return self.within(self.calendar.year_of(self.today()?), Some(month), day);
            }
            if let Some(days) = days_from_now(text) {
                return self.relative(days);
            }
        }
        if dated.is_none() {
            return Err(self.form());
        }
        let months: Vec<_> = self.calendar.months.iter().map(|month| month.name.as_str()).collect();
        Err(CalendarError::Month { raw: self.raw.into(), months: months.join(", ") })
    }

    /// Returns the day number of the present game time.
    fn today(&self) -> Result<i128, CalendarError> {
        let unknown = || CalendarError::Present(self.raw.into(), self.example());
        Ok(self.calendar.day_of(self.now.ok_or_else(unknown)?).0)
    }

    /// Returns the day that is `days` days after today. A negative number selects a day before today. The result has
    /// the form of [`Self::days`].
    fn relative(&self, days: i128) -> Result<(i128, i128, Precision), CalendarError> {
        let day = self.today()? + days;
        Ok((day, day + 1, Precision::Day))
    }

    /// Returns the days of a year, of a month, or a single day. The result has the form of [`Self::days`].
    fn within(
        &self,
        year: i128,
        month: Option<usize>,
        day: Option<i128>,
    ) -> Result<(i128, i128, Precision), CalendarError> {
        let first = self.calendar.first_day(year);
        let Some(month) = month else { return Ok((first, self.calendar.first_day(year + 1), Precision::Year)) };
        let lengths = self.calendar.lengths(year);
        let first = first + lengths[..month].iter().map(|&length| i128::from(length)).sum::<i128>();
        let length = lengths[month];
        if length == 0 {
            return Err(self.no_such_month(year, month));
        }
        let Some(day) = day else { return Ok((first, first + i128::from(length), Precision::Month)) };
        let mut what = format!("the day of {}", self.calendar.months[month].name);
        if self.rules(month).next().is_some() {
            what = format!("{what} in the year {}", self.calendar.year_name(year));
        }
        self.range(what, day, 1, length)?;
        Ok((first + day - 1, first + day, Precision::Day))
    }

    /// Returns the leap rules of a month.
    fn rules(&self, month: usize) -> impl Iterator<Item = &super::LeapRule> {
        self.calendar.leap.iter().filter(move |rule| self.calendar.lengthened(rule) == Some(month))
    }

    fn no_such_month(&self, year: i128, month: usize) -> CalendarError {
        let when: Vec<String> = self.rules(month).map(ToString::to_string).collect();
        CalendarError::LeapMonth {
            raw: self.raw.into(),
            year: self.calendar.year_name(year),
            month: self.calendar.months[month].name.clone(),
            when: when.join(", and "),
        }
    }

    /// Converts a year number as written to a consecutive year, in which the year before 1 is 0.
    fn year(&self, number: i128, suffix: Option<Suffix>) -> Result<i128, CalendarError> {
        let Some(Suffix::Era(era)) = suffix else {
            return self.calendar.plain_year(number).ok_or_else(|| CalendarError::YearZero(self.raw.into()));
        };
        self.calendar.era_year(era, number).map_err(|(first, last)| {
            let (raw, first) = (self.raw.into(), saturated(first));
            match last {
                Some(last) => {
                    let what = format!("the year of {}", era.name);
                    CalendarError::Range { raw, what, low: first, high: saturated(last) }
                }
                None => CalendarError::EraYear { raw, era: era.name.clone(), first },
            }
        })
    }

    /// Returns the index of a month that is written as a number.
    fn month_of(&self, number: i128) -> Result<usize, CalendarError> {
        let count = self.calendar.months.len();
        self.range("the month".into(), number, 1, i64::try_from(count).unwrap_or(i64::MAX))?;
        usize::try_from(number - 1).map_err(|_| self.form())
    }

    /// Parses `rainmoon`, `3 rainmoon`, `the 3rd of rainmoon`.
    fn day_and_month(&self, text: &str) -> Option<(Option<i128>, usize)> {
        let dated = text.strip_prefix("the ").unwrap_or(text).split_once(' ').and_then(|(day, name)| {
            let (day, name) = (ordinal(day)?, name.trim_start());
            let month = || self.calendar.month(name.strip_prefix("of ")?);
            Some((Some(day), self.calendar.month(name).or_else(month)?))
        });
        dated.or_else(|| Some((None, self.calendar.month(text)?)))
    }

    /// Parses a time of day such as `18:30`, and returns the minute of the day.
    fn minute(&self, time: &str) -> Result<i128, CalendarError> {
        let (hour, minute) = time.split_once(':').ok_or_else(|| self.form())?;
        let (hour, minute) = digits(hour).zip(digits(minute)).ok_or_else(|| self.form())?;
        let (hours, minutes) = (i64::from(self.calendar.hours_per_day), i64::from(self.calendar.minutes_per_hour));
        self.range("the hour".into(), hour, 0, hours - 1)?;
        self.range("the minute".into(), minute, 0, minutes - 1)?;
        Ok(hour * i128::from(minutes) + minute)
    }

    fn range(&self, what: String, value: i128, low: i64, high: i64) -> Result<(), CalendarError> {
        if (i128::from(low)..=i128::from(high)).contains(&value) {
            return Ok(());
        }
        Err(CalendarError::Range { raw: self.raw.into(), what, low, high })
    }

    fn example(&self) -> String {
        let month = self.calendar.months.iter().find(|month| month.days > 2);
        format!("3 {} 412", month.map_or("Month", |Month { name, .. }| name.as_str()))
    }

    fn form(&self) -> CalendarError {
        let example = self.example();
        let timed = format!("{example}, 18:30");
        CalendarError::Form(self.raw.into(), example, timed)
    }
}

fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', ','])
}

fn saturated(number: i128) -> i64 {
    i64::try_from(number).unwrap_or(if number < 0 { i64::MIN } else { i64::MAX })
}

/// Parses digits. A number with too many digits saturates, because it is out of range anyway.
fn digits(text: &str) -> Option<i128> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().map_or(MOST, |number: i128| number.min(MOST)))
}

/// Parses a year, which may be negative.
fn signed(text: &str) -> Option<i128> {
    match text.strip_prefix('-') {
        Some(text) => digits(text).map(|number| -number),
        None => digits(text),
    }
}

/// Parses `412`, `412-04` or `412-04-03`. The first number may be negative.
fn numbers(text: &str) -> Option<Vec<i128>> {
    let (sign, rest) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let mut numbers: Vec<i128> = rest.split('-').map(|number| digits(number.trim())).collect::<Option<_>>()?;
    *numbers.first_mut()? *= sign;
    Some(numbers)
}

/// Parses `3`, `3rd` or `3.`.
fn ordinal(text: &str) -> Option<i128> {
    let number = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    matches!(&text[number.len()..], "" | "st" | "nd" | "rd" | "th" | ".").then(|| digits(number))?
}

fn days_from_now(text: &str) -> Option<i128> {
    Some(match text {
        "yesterday" => -1,
        "today" => 0,
        "tomorrow" => 1,
        _ => -digits(text.strip_suffix(" days ago").or_else(|| text.strip_suffix(" day ago"))?)?,
    })
}

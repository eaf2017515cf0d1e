//! Parsing of dates as people write them.

use super::{Calendar, CalendarError, Era, Month};
use crate::{Date, DateSpan, GameTime, Precision, text};

/// Maximum value of a parsed number. The maximum is larger than every year that a game time can represent.
const MAX_NUMBER: i128 = 1 << 64;

impl Calendar {
    /// Parses a date: `3 Rainmoon 412`, `Rainmoon 412`, `412`, or `412-04-03` (year, month, day). A calendar whose months
    /// and years have only numbers also accepts `day 3`.
    ///
    /// A time of day (`, 18:30`) and the full or short name of an era may follow. Without an era, the year is a number
    /// in the [plain count](Calendar) of the calendar. If the month, day or time is omitted, the result is the first
    /// minute of the year, month or day.
    ///
    /// # Errors
    /// Returns an error if the text is not a date of this calendar. The error names the invalid part and the expected
    /// values.
    pub fn parse(&self, raw: &str) -> Result<Date, CalendarError> {
        Ok(Date { raw: raw.into(), time: Some(self.parse_span(raw)?.first) })
    }

    /// Parses a date like [`parse`](Self::parse), and returns the whole interval that the date covers. For example,
    /// `Rainmoon 412` covers a month.
    ///
    /// # Errors
    /// Returns the same errors as [`parse`](Self::parse).
    pub fn parse_span(&self, raw: &str) -> Result<DateSpan, CalendarError> {
        self.parse_relative(raw, None)
    }

    /// Returns the last minute that a written date covers. For `Rainmoon 412`, the result is the last minute of the
    /// month.
    ///
    /// # Errors
    /// Returns the same errors as [`parse`](Self::parse).
    pub fn end_of(&self, raw: &str) -> Result<GameTime, CalendarError> {
        Ok(self.parse_span(raw)?.last)
    }

    /// Parses a date that may be relative to the present game time, `now`.
    ///
    /// This method accepts dates relative to `now`, in addition to the forms of [`parse`](Self::parse). A date without
    /// a year (`4 Rainmoon`, `the 4th of Rainmoon`, `Rainmoon`) is in the year of `now`. `today`, `yesterday`,
    /// `tomorrow` and `3 days ago` are relative to the day of `now`. A time of day without a date is on the day of
    /// `now`.
    ///
    /// The meaning of a relative date changes from day to day. Therefore, do not store the text of a relative date.
    /// Store the text that [`format`](Self::format) returns for the first minute of the result.
    ///
    /// # Errors
    /// Returns the same errors as [`parse`](Self::parse). Also returns an error if the text is relative to the present
    /// and `now` is `None`.
    pub fn parse_relative(&self, raw: &str, now: Option<GameTime>) -> Result<DateSpan, CalendarError> {
        DateParser { calendar: self, raw, now }.parse()
    }
}

/// The text after the year of a date. The text says whether the year belongs to the plain count or to an era.
#[derive(Clone, Copy)]
enum Suffix<'a> {
    /// The text is [`Calendar::era`], so the year belongs to the plain count.
    Plain,
    Era(&'a Era),
}

struct DateParser<'a> {
    calendar: &'a Calendar,
    /// The text as written, for errors.
    raw: &'a str,
    now: Option<GameTime>,
}

impl<'a> DateParser<'a> {
    fn parse(&self) -> Result<DateSpan, CalendarError> {
        let normal = text::normalize(self.raw);
        let (date_and_time, suffix) = self.split_suffix(&normal);
        let (front, last) = date_and_time.rsplit_once([',', ' ']).unwrap_or(("", date_and_time));
        let (date, minute) = if last.contains(':') {
            (trim_separators(front.trim_end().trim_end_matches(" at")), Some(self.parse_minute(last)?))
        } else {
            (date_and_time, None)
        };
        // The era may come before or after the time of day.
        let (date, suffix) = if suffix.is_some() { (date, suffix) } else { self.split_suffix(date) };
        let is_today = date.is_empty() && minute.is_some();
        let (first, after, precision) = if is_today { self.day_from_today(0)? } else { self.parse_days(date, suffix)? };
        let too_large = || CalendarError::TooLarge("the date");
        let start_minute = |day: i128| day.checked_mul(self.calendar.day_length_minutes()).ok_or_else(too_large);
        let (first, after, precision) = match minute {
            Some(minute) => (start_minute(first)? + minute, start_minute(first)? + minute + 1, Precision::Minute),
            None => (start_minute(first)?, start_minute(after)?, precision),
        };
        let first = i64::try_from(first).map_err(|_| too_large())?;
        let last = i64::try_from(after - 1).unwrap_or(i64::MAX);
        Ok(DateSpan { first: GameTime(first), last: GameTime(last), precision })
    }

    /// Splits a text into the date and the era at its end, if there is an era.
    fn split_suffix<'t>(&self, text: &'t str) -> (&'t str, Option<Suffix<'a>>) {
        let calendar = self.calendar;
        let eras = calendar.eras.iter().flat_map(|era| [(&era.name, Suffix::Era(era)), (&era.short, Suffix::Era(era))]);
        let matches = eras.chain([(&calendar.era, Suffix::Plain)]).filter_map(|(name, suffix)| {
            let name = text::normalize(name);
            let rest = text.strip_suffix(&name).filter(|_| !name.is_empty())?;
            // The era must be a separate word, except after a number: `412AS`.
            let is_joined = rest.ends_with(char::is_alphanumeric) && name.starts_with(char::is_alphanumeric);
            let follows_number = rest.ends_with(|c: char| c.is_ascii_digit()) && name.starts_with(char::is_alphabetic);
            (!is_joined || follows_number).then_some((rest, suffix))
        });
        let Some((rest, suffix)) = matches.min_by_key(|(rest, _)| rest.len()) else { return (text, None) };
        let rest = trim_separators(rest);
        let rest = rest.strip_suffix(" of the").or_else(|| rest.strip_suffix(" of")).unwrap_or(rest);
        (trim_separators(rest), Some(suffix))
    }

    /// Parses a date without a time of day. Returns the first day, the day after the last day, and the precision.
    fn parse_days(&self, text: &str, suffix: Option<Suffix>) -> Result<(i128, i128, Precision), CalendarError> {
        if let Some(day) = text.strip_prefix("day ").and_then(parse_digits).filter(|_| self.calendar.counts_days()) {
            self.check_range("the day".into(), day, 1, i64::MAX)?;
            return Ok((day - 1, day, Precision::Day));
        }
        if let Some(numbers) = parse_numeric_date(text) {
            return match numbers[..] {
                [year] => self.day_range(self.year(year, suffix)?, None, None),
                [year, month] => self.day_range(self.year(year, suffix)?, Some(self.month_index(month)?), None),
                [year, month, day] => {
                    self.day_range(self.year(year, suffix)?, Some(self.month_index(month)?), Some(day))
                }
                _ => Err(self.form_error()),
            };
        }
        let with_year =
            text.rsplit_once([' ', ',']).and_then(|(front, year)| Some((trim_separators(front), parse_year(year)?)));
        if let Some((front, year)) = with_year
            && let Some((day, month)) = self.parse_day_and_month(front)
        {
            return self.day_range(self.year(year, suffix)?, Some(month), day);
        }
        if suffix.is_none() {
            if let Some((day, month)) = self.parse_day_and_month(text) {
                return self.day_range(self.calendar.year_of(self.today()?), Some(month), day);
            }
            if let Some(days) = parse_day_offset(text) {
                return self.day_from_today(days);
            }
        }
        if with_year.is_none() {
            return Err(self.form_error());
        }
        let months: Vec<_> = self.calendar.months.iter().map(|month| month.name.as_str()).collect();
        Err(CalendarError::UnknownMonth { raw: self.raw.into(), months: months.join(", ") })
    }

    /// Returns the day number of the present game time.
    fn today(&self) -> Result<i128, CalendarError> {
        let no_clock = || CalendarError::NoGameClock(self.raw.into(), self.example());
        Ok(self.calendar.day_of(self.now.ok_or_else(no_clock)?).0)
    }

    /// Returns the day that is `days` days after today. A negative number selects a day before today. The result has
    /// the form of [`Self::parse_days`].
    fn day_from_today(&self, days: i128) -> Result<(i128, i128, Precision), CalendarError> {
        let day = self.today()? + days;
        Ok((day, day + 1, Precision::Day))
    }

    /// Returns the days of a year, of a month, or a single day. The result has the form of [`Self::parse_days`].
    fn day_range(
        &self,
        year: i128,
        month: Option<usize>,
        day: Option<i128>,
    ) -> Result<(i128, i128, Precision), CalendarError> {
        let first = self.calendar.first_day(year);
        let Some(month) = month else { return Ok((first, self.calendar.first_day(year + 1), Precision::Year)) };
        let lengths = self.calendar.month_lengths(year);
        let first = first + lengths[..month].iter().map(|&length| i128::from(length)).sum::<i128>();
        let length = lengths[month];
        if length == 0 {
            return Err(self.leap_month_error(year, month));
        }
        let Some(day) = day else { return Ok((first, first + i128::from(length), Precision::Month)) };
        let mut part = format!("the day of {}", self.calendar.months[month].name);
        if self.leap_rules(month).next().is_some() {
            part = format!("{part} in the year {}", self.calendar.year_name(year));
        }
        self.check_range(part, day, 1, length)?;
        Ok((first + day - 1, first + day, Precision::Day))
    }

    /// Returns the leap rules of a month.
    fn leap_rules(&self, month: usize) -> impl Iterator<Item = &super::LeapRule> {
        self.calendar.leap.iter().filter(move |rule| self.calendar.leap_month(rule) == Some(month))
    }

    fn leap_month_error(&self, year: i128, month: usize) -> CalendarError {
        let years: Vec<String> = self.leap_rules(month).map(ToString::to_string).collect();
        CalendarError::LeapMonth {
            raw: self.raw.into(),
            year: self.calendar.year_name(year),
            month: self.calendar.months[month].name.clone(),
            years: years.join(", and "),
        }
    }

    /// Converts a year number as written to a consecutive year, in which the year before 1 is 0.
    fn year(&self, number: i128, suffix: Option<Suffix>) -> Result<i128, CalendarError> {
        let Some(Suffix::Era(era)) = suffix else {
            return self.calendar.plain_year(number).ok_or_else(|| CalendarError::YearZero(self.raw.into()));
        };
        self.calendar.era_year(era, number).map_err(|(first, last)| {
            let (raw, first) = (self.raw.into(), saturate_to_i64(first));
            match last {
                Some(last) => {
                    let part = format!("the year of {}", era.name);
                    CalendarError::OutOfRange { raw, part, low: first, high: saturate_to_i64(last) }
                }
                None => CalendarError::EraYear { raw, era: era.name.clone(), first },
            }
        })
    }

    /// Returns the index of a month that is written as a number.
    fn month_index(&self, number: i128) -> Result<usize, CalendarError> {
        let count = self.calendar.months.len();
        self.check_range("the month".into(), number, 1, i64::try_from(count).unwrap_or(i64::MAX))?;
        usize::try_from(number - 1).map_err(|_| self.form_error())
    }

    /// Parses `rainmoon`, `3 rainmoon`, `the 3rd of rainmoon`.
    fn parse_day_and_month(&self, text: &str) -> Option<(Option<i128>, usize)> {
        let with_day = text.strip_prefix("the ").unwrap_or(text).split_once(' ').and_then(|(day, name)| {
            let (day, name) = (parse_ordinal(day)?, name.trim_start());
            let month = || self.calendar.month(name.strip_prefix("of ")?);
            Some((Some(day), self.calendar.month(name).or_else(month)?))
        });
        with_day.or_else(|| Some((None, self.calendar.month(text)?)))
    }

    /// Parses a time of day such as `18:30`, and returns the minute of the day.
    fn parse_minute(&self, time: &str) -> Result<i128, CalendarError> {
        let (hour, minute) = time.split_once(':').ok_or_else(|| self.form_error())?;
        let (hour, minute) = parse_digits(hour).zip(parse_digits(minute)).ok_or_else(|| self.form_error())?;
        let (hours, minutes) = (i64::from(self.calendar.hours_per_day), i64::from(self.calendar.minutes_per_hour));
        self.check_range("the hour".into(), hour, 0, hours - 1)?;
        self.check_range("the minute".into(), minute, 0, minutes - 1)?;
        Ok(hour * i128::from(minutes) + minute)
    }

    fn check_range(&self, part: String, value: i128, low: i64, high: i64) -> Result<(), CalendarError> {
        if (i128::from(low)..=i128::from(high)).contains(&value) {
            return Ok(());
        }
        Err(CalendarError::OutOfRange { raw: self.raw.into(), part, low, high })
    }

    fn example(&self) -> String {
        let month = self.calendar.months.iter().find(|month| month.days > 2);
        format!("3 {} 412", month.map_or("Month", |Month { name, .. }| name.as_str()))
    }

    fn form_error(&self) -> CalendarError {
        let example = self.example();
        let example_with_time = format!("{example}, 18:30");
        CalendarError::InvalidForm(self.raw.into(), example, example_with_time)
    }
}

fn trim_separators(text: &str) -> &str {
    text.trim_matches([' ', ','])
}

fn saturate_to_i64(number: i128) -> i64 {
    i64::try_from(number).unwrap_or(if number < 0 { i64::MIN } else { i64::MAX })
}

/// Parses digits. A number with too many digits saturates, because it is out of range anyway.
fn parse_digits(text: &str) -> Option<i128> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().map_or(MAX_NUMBER, |number: i128| number.min(MAX_NUMBER)))
}

/// Parses a year, which may be negative.
fn parse_year(text: &str) -> Option<i128> {
    match text.strip_prefix('-') {
        Some(text) => parse_digits(text).map(|number| -number),
        None => parse_digits(text),
    }
}

/// Parses `412`, `412-04` or `412-04-03`. The first number may be negative.
fn parse_numeric_date(text: &str) -> Option<Vec<i128>> {
    let (sign, rest) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let mut numbers: Vec<i128> = rest.split('-').map(|number| parse_digits(number.trim())).collect::<Option<_>>()?;
    *numbers.first_mut()? *= sign;
    Some(numbers)
}

/// Parses `3`, `3rd` or `3.`.
fn parse_ordinal(text: &str) -> Option<i128> {
    let number = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    matches!(&text[number.len()..], "" | "st" | "nd" | "rd" | "th" | ".").then(|| parse_digits(number))?
}

fn parse_day_offset(text: &str) -> Option<i128> {
    Some(match text {
        "yesterday" => -1,
        "today" => 0,
        "tomorrow" => 1,
        _ => -parse_digits(text.strip_suffix(" days ago").or_else(|| text.strip_suffix(" day ago"))?)?,
    })
}

//! Errors of calendars and dates.

use thiserror::Error;

/// Error: the calendar is invalid, or a text is not a date on the calendar.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CalendarError {
    /// A required part of the calendar is missing: months, days, hours or minutes. Contains the missing part.
    #[error("the calendar is incomplete: it needs {part}", part = .0)]
    MissingPart(&'static str),
    /// A month has no days in any year.
    #[error("the month {month} has no days; set `days` to at least 1, or add a leap rule that adds days to it", month = .0)]
    NoDays(String),
    /// Two months have the same name.
    #[error("two months have the name `{name}`; give each month a different name", name = .0)]
    SameName(String),
    /// A number in the calendar or in a date is too large. Contains a description of the number.
    #[error("{number} is too large for the calendar; use a smaller number", number = .0)]
    TooLarge(&'static str),
    /// A leap rule is invalid.
    #[error("leap rule {number}: {problem}")]
    Leap {
        /// The number of the leap rule in the list of rules. The first rule has the number 1.
        number: usize,
        /// The problem and how to solve it, as text for the user.
        problem: String,
    },
    /// An era is invalid by itself or conflicts with another era.
    #[error("era {number}: {problem}")]
    Era {
        /// The number of the era in the list of eras. The first era has the number 1.
        number: usize,
        /// The problem and how to solve it, as text for the user.
        problem: String,
    },
    /// The text does not have the form of a date. Contains the text and two example dates.
    #[error(
        "`{text}` is not a date; expected a form such as `{example}`, `{other_example}` or `412-04-03`",
        text = .0,
        example = .1,
        other_example = .2
    )]
    InvalidForm(String, String, String),
    /// The text is relative to the present game time, such as `yesterday` or `3 Rainmoon`, but the game clock is not
    /// set. Contains the text and an example date.
    #[error(
        "`{text}` has no year, and the game clock is not set; give a date with a year, such as `{example}`, or set the game clock",
        text = .0,
        example = .1
    )]
    NoGameClock(String, String),
    /// The date names a month that the calendar does not have.
    #[error("`{raw}` does not name a month of the calendar; expected one of {months}")]
    UnknownMonth {
        /// The date as written.
        raw: String,
        /// The names of all months of the calendar.
        months: String,
    },
    /// The month exists only in certain years. The year of the date is not one of these years.
    #[error("`{raw}` is not a date: the month {month} does not exist in the year {year}; it exists {years}")]
    LeapMonth {
        /// The date as written.
        raw: String,
        /// The year of the date.
        year: String,
        /// The name of the month.
        month: String,
        /// The years in which the month has days, such as `every 4 years`.
        years: String,
    },
    /// The day, hour, minute or year is out of range.
    #[error("`{raw}` is not a date: {part} must be from {low} to {high}")]
    OutOfRange {
        /// The date as written.
        raw: String,
        /// The part of the date that is out of range.
        part: String,
        /// The smallest allowed value.
        low: i64,
        /// The largest allowed value.
        high: i64,
    },
    /// The year number is smaller than the era's smallest year number. This error occurs only for eras without a
    /// largest year number; for other eras, the error is [`OutOfRange`](Self::OutOfRange).
    #[error("`{raw}` is not a date: the year is too small; the first year of the era {era} is {first}")]
    EraYear {
        /// The date as written.
        raw: String,
        /// The name of the era.
        era: String,
        /// The smallest year number of the era.
        first: i64,
    },
    /// The date is in the year 0, but the calendar has no year 0. Contains the date as written.
    #[error("`{text}` is not a date: the calendar has no year 0; the year after -1 is year 1", text = .0)]
    YearZero(String),
}

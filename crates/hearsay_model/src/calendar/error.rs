//! What can be wrong with a calendar, or with a date on it.

use thiserror::Error;

/// A calendar that cannot count, or a date that is not on it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CalendarError {
    /// A calendar needs months, days, hours and minutes.
    #[error("a calendar needs {0}")]
    Empty(&'static str),
    /// A month never has a day.
    #[error("the month {0} needs at least one day, or a leap rule that gives it some")]
    NoDays(String),
    /// Two months have one name.
    #[error("two months are called `{0}`: each needs a name of its own")]
    SameName(String),
    /// A number is too large to count with.
    #[error("{0} is larger than a calendar can count with")]
    TooLarge(&'static str),
    /// A leap rule makes no sense.
    #[error("leap rule {number}: {problem}")]
    Leap {
        /// Which of the rules, from 1.
        number: usize,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// An era makes no sense, alone or beside the others.
    #[error("era {number}: {problem}")]
    Era {
        /// Which of the eras, from 1.
        number: usize,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// The text has no form that a date has.
    #[error("`{0}` is not a date: expected a form such as `{1}`, `{2}` or `412-04-03`")]
    Form(String, String, String),
    /// The text counts from the present (`yesterday`, `3 Rainmoon`), and the present is not known.
    #[error("`{0}` is not a date without a game clock to count from: expected a form such as `{1}`")]
    Present(String, String),
    /// The month is not on the calendar.
    #[error("`{raw}` names no month of the calendar: expected one of {months}")]
    Month {
        /// The date as written.
        raw: String,
        /// The months there are.
        months: String,
    },
    /// The month has days in some years only, and this is none of them.
    #[error("`{raw}`: the year {year} has no {month}, which comes {when}")]
    LeapMonth {
        /// The date as written.
        raw: String,
        /// The year.
        year: String,
        /// The month.
        month: String,
        /// The years that have it.
        when: String,
    },
    /// The day is not in the month, the hour not in the day, or the year not in the era.
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
    /// The year lies before the first of an era that has no end.
    #[error("`{raw}`: the years of {era} begin with {first}")]
    EraYear {
        /// The date as written.
        raw: String,
        /// The era.
        era: String,
        /// The least number of its years.
        first: i64,
    },
    /// The calendar has no year 0.
    #[error("`{0}`: the calendar has no year 0, the year 1 follows the year -1")]
    YearZero(String),
}

//! Parsing and printing of dates.

use hearsay_model::{CalendarError, Date, State};

/// Parses a date that may be relative to the game clock. A relative date such as `yesterday` is converted to an
/// absolute date, because the meaning of `yesterday` changes with the game clock.
pub fn parse_date(state: &State, raw: &str) -> Result<Date, CalendarError> {
    let calendar = state.calendar();
    if let Ok(date) = calendar.parse(raw) {
        return Ok(date);
    }
    let first = calendar.parse_relative(raw, state.clock())?.first;
    Ok(Date { raw: calendar.format(first), time: Some(first) })
}

/// Returns the time of the game clock as a date. If the clock is not set, the date has neither a text nor a time.
pub fn clock_date(state: &State) -> Date {
    let raw = |time| state.calendar().format(time);
    Date { raw: state.clock().map_or_else(String::new, raw), time: state.clock() }
}

/// Returns the text that the calendar prints for a date. If the date has no time, returns the text that the author wrote.
/// Returns `None` if there is no date.
pub(crate) fn calendar_text(state: &State, date: Option<&Date>) -> Option<String> {
    date.map(|date| date.time.map_or_else(|| date.raw.clone(), |time| state.calendar().format(time)))
}

/// Returns the text of a date as the author wrote it. If the date has no text, returns the text that the calendar
/// prints. Returns `None` if there is no date, or if the date has neither a text nor a time.
pub fn date_text(state: &State, date: Option<&Date>) -> Option<String> {
    let date = date?;
    Some(if date.raw.is_empty() { date.time.map(|time| state.calendar().format(time))? } else { date.raw.clone() })
}

//! Calendars and dates of the plug-in Calendarium and of its predecessor.

use hearsay_model::{Calendar, Month};
use serde_json::Value;

use crate::{Folder, import::Notes};

const CALENDAR_FILES: [&str; 2] =
    [".obsidian/plugins/calendarium/data.json", ".obsidian/plugins/fantasy-calendar/data.json"];

/// Reads the calendar of the vault, if it has one.
pub(super) fn read_calendar(folder: &Folder, notes: &mut Notes) {
    for path in CALENDAR_FILES {
        let Some(entry) = folder.hidden_file(path) else { continue };
        let Some(text) = folder.text(&entry, notes) else { continue };
        match serde_json::from_str::<Value>(&text.content) {
            Ok(data) => {
                let chosen = data.get("defaultCalendar").and_then(Value::as_str);
                let calendars = data.get("calendars").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                let is_chosen = |calendar: &&Value| {
                    let text_field = |key: &str| calendar.get(key).and_then(Value::as_str);
                    chosen.is_some_and(|chosen| text_field("id") == Some(chosen) || text_field("name") == Some(chosen))
                };
                let calendar = calendars.iter().find(is_chosen).or(calendars.first());
                notes.calendar = calendar.and_then(parse_calendar);
                if calendar.is_some() && notes.calendar.is_none() {
                    notes.warn(path, 1, "the calendar cannot be read; dates are kept as text");
                }
                return;
            }
            Err(error) => notes.skip(path, format!("invalid JSON: {error}")),
        }
    }
}

fn parse_calendar(data: &Value) -> Option<Calendar> {
    let static_data = data.get("static")?;
    let list = |key: &str| static_data.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let name = |value: &Value| value.get("name").and_then(Value::as_str).map(str::to_owned);
    let months = list("months").iter().map(|month| {
        let days = month.get("length").and_then(Value::as_u64).and_then(|days| u32::try_from(days).ok())?;
        Some(Month { name: name(month)?, days })
    });
    let calendar = Calendar {
        name: name(data).unwrap_or_default(),
        months: months.collect::<Option<_>>()?,
        weekdays: list("weekdays").iter().filter_map(name).collect(),
        ..Calendar::default()
    };
    calendar.check().ok().map(|()| calendar)
}

/// Converts a date of Calendarium to a readable form: `1492-Hammer-03` becomes `3 Hammer 1492`. A date such as
/// `-12-4-3` stays as it is. If a part is missing or is a wildcard, only the parts before it are used.
pub(super) fn readable_date(raw: &str) -> Option<String> {
    let raw = raw.trim();
    let (sign, rest) = raw.strip_prefix('-').map_or(("", raw), |rest| ("-", rest));
    let parts: Vec<&str> = rest.split('-').map(str::trim).take_while(|part| !matches!(*part, "" | "*")).collect();
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let year = parts.first().filter(|year| is_number(year))?;
    Some(match parts[1..] {
        [] => format!("{sign}{year}"),
        [month] if is_number(month) => format!("{sign}{year}-{month}"),
        [month] => format!("{month} {sign}{year}"),
        // More parts may follow the day, such as an hour. They are dropped.
        [month, day, ..] if is_number(month) && is_number(day) => format!("{sign}{year}-{month}-{day}"),
        [month, day, ..] if is_number(day) => format!("{} {month} {sign}{year}", day.trim_start_matches('0')),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::readable_date;

    #[test]
    fn dates_get_a_form_that_calendars_read() {
        let check = |raw: &str, expected: Option<&str>| assert_eq!(readable_date(raw).as_deref(), expected, "{raw}");
        check("412-Thaw-03", Some("3 Thaw 412"));
        check("412-4-3", Some("412-4-3"));
        check("-12-4-3", Some("-12-4-3"));
        check("412", Some("412"));
        check("412-*-3", Some("412"));
        check(" 412 - Thaw ", Some("Thaw 412"));
        check("the third of Thaw", None);
    }
}

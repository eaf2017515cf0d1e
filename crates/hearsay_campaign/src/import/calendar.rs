//! Converts the calendars of other tools.

use hearsay_model::{Calendar, LeapRule, Month};
use serde_json::Value;

use super::tree::{Data, Tree};

/// Converts a tree to JSON. If a tool wrote a list or map as text, the text is parsed.
pub(super) fn tree_to_json(tree: &Tree) -> Value {
    match &tree.data {
        Data::Null => Value::Null,
        Data::Flag(flag) => Value::Bool(*flag),
        Data::Number(number) => serde_json::from_str(number).unwrap_or(Value::Null),
        Data::Text(text) if text.trim_start().starts_with(['[', '{']) => {
            serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_string()))
        }
        Data::Text(text) => Value::String(text.to_string()),
        Data::List(items) => Value::Array(items.iter().map(tree_to_json).collect()),
        Data::Map(entries) => {
            Value::Object(entries.iter().map(|(name, entry)| (name.to_string(), tree_to_json(entry))).collect())
        }
    }
}

fn list_field<'v>(data: &'v Value, key: &str) -> &'v [Value] {
    data.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns a name: the `name` of an object, or the text itself.
fn name_of(value: &Value) -> Option<String> {
    let name = value.as_str().or_else(|| value.get("name").and_then(Value::as_str))?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// Returns a number, which may be written as text.
fn integer_field(data: &Value, key: &str) -> Option<i64> {
    let value = data.get(key)?;
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn u32_field(data: &Value, key: &str) -> Option<u32> {
    integer_field(data, key).and_then(|number| u32::try_from(number).ok())
}

fn text_field(data: &Value, key: &str) -> String {
    data.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned()
}

fn validated(calendar: Calendar) -> Option<Calendar> {
    calendar.check().ok().map(|()| calendar)
}

/// Reads a Kanka calendar: `{name, suffix, months: [{name, length}], weekdays: […], has_leap_year, leap_year_…}`.
pub(super) fn from_kanka(data: &Value) -> Option<Calendar> {
    let months: Option<Vec<Month>> = list_field(data, "months")
        .iter()
        .map(|month| Some(Month { name: name_of(month)?, days: u32_field(month, "length")? }))
        .collect();
    let months = months?;
    let has_leap_years = match data.get("has_leap_year") {
        Some(Value::Bool(flag)) => *flag,
        _ => integer_field(data, "has_leap_year").is_some_and(|flag| flag != 0),
    };
    let leap = has_leap_years.then(|| {
        let month = usize::try_from(integer_field(data, "leap_year_month")?).ok()?.checked_sub(1)?;
        Some(LeapRule {
            every: u32_field(data, "leap_year_offset").filter(|every| *every > 0)?,
            except_every: None,
            unless_every: None,
            offset: integer_field(data, "leap_year_start").unwrap_or(0),
            month: months.get(month)?.name.clone(),
            days: u32_field(data, "leap_year_amount").filter(|days| *days > 0)?,
        })
    });
    validated(Calendar {
        name: text_field(data, "name"),
        weekdays: list_field(data, "weekdays").iter().filter_map(name_of).collect(),
        era: text_field(data, "suffix"),
        leap: leap.flatten().into_iter().collect(),
        months,
        ..Calendar::default()
    })
}

/// Reads a calendar of the Foundry module Simple Calendar.
pub(super) fn from_simple_calendar(data: &Value) -> Option<Calendar> {
    let days = |month: &Value| u32_field(month, "numberOfDays").or_else(|| u32_field(month, "days"));
    let months: Option<Vec<Month>> = list_field(data, "months")
        .iter()
        .map(|month| Some(Month { name: name_of(month)?, days: days(month)? }))
        .collect();
    let months = months?;
    let rule = data.get("leapYear").unwrap_or(&Value::Null);
    let (every, except_every, unless_every) = match text_field(rule, "rule").as_str() {
        "gregorian" => (Some(4), Some(100), Some(400)),
        "custom" => (u32_field(rule, "customMod").filter(|every| *every > 0), None, None),
        _ => (None, None, None),
    };
    let leap_rules = list_field(data, "months").iter().filter_map(|month| {
        let extra_days =
            u32_field(month, "numberOfLeapYearDays")?.checked_sub(days(month)?).filter(|extra_days| *extra_days > 0)?;
        Some(LeapRule {
            every: every?,
            except_every,
            unless_every,
            offset: 0,
            month: name_of(month)?,
            days: extra_days,
        })
    });
    let time = data.get("time").unwrap_or(&Value::Null);
    let defaults = Calendar::default();
    validated(Calendar {
        name: text_field(data, "name"),
        weekdays: list_field(data, "weekdays").iter().filter_map(name_of).collect(),
        hours_per_day: u32_field(time, "hoursInDay").unwrap_or(defaults.hours_per_day),
        minutes_per_hour: u32_field(time, "minutesInHour").unwrap_or(defaults.minutes_per_hour),
        era: data.get("year").map(|year| text_field(year, "postfix")).unwrap_or_default(),
        leap: leap_rules.collect(),
        months,
        ..defaults
    })
}

#[cfg(test)]
mod tests {
    use super::{from_kanka, from_simple_calendar};

    #[test]
    fn calendars_are_taken_over_with_their_leap_years() {
        let kanka = serde_json::json!({
            "name": "Tides", "suffix": "AT", "weekdays": ["Ebb", "Flow"], "has_leap_year": 1, "leap_year_amount": 1,
            "leap_year_month": 2, "leap_year_offset": 4, "leap_year_start": 0,
            "months": [{"name": "Frost", "length": 30, "type": "standard"}, {"name": "Rain", "length": "28"}],
        });
        let calendar = from_kanka(&kanka).unwrap();
        assert_eq!((calendar.months.len(), calendar.era.as_str(), calendar.weekdays.len()), (2, "AT", 2));
        assert_eq!((calendar.leap[0].every, calendar.leap[0].month.as_str()), (4, "Rain"));
        let simple = serde_json::json!({
            "name": "Tides", "year": {"postfix": " AT"}, "time": {"hoursInDay": 20, "minutesInHour": 50},
            "weekdays": [{"name": "Ebb"}], "leapYear": {"rule": "custom", "customMod": 8},
            "months": [{"name": "Frost", "numberOfDays": 30, "numberOfLeapYearDays": 31}, {"name": "Rain", "numberOfDays": 28, "numberOfLeapYearDays": 28}],
        });
        let calendar = from_simple_calendar(&simple).unwrap();
        assert_eq!((calendar.hours_per_day, calendar.era.as_str(), calendar.leap.len()), (20, "AT", 1));
        assert!(
            from_kanka(&serde_json::json!({"name": "C"})).is_none()
                && from_simple_calendar(&serde_json::json!([])).is_none()
        );
    }
}

//! Conversion of the calendars of other tools.

use hearsay_model::{Calendar, LeapRule, Month};
use serde_json::Value;

use super::tree::{Data, Tree};

/// Converts a tree to JSON. If a tool wrote a list or map as text, the text is parsed.
pub(super) fn value(tree: &Tree) -> Value {
    match &tree.data {
        Data::Null => Value::Null,
        Data::Flag(flag) => Value::Bool(*flag),
        Data::Number(number) => serde_json::from_str(number).unwrap_or(Value::Null),
        Data::Text(text) if text.trim_start().starts_with(['[', '{']) => {
            serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_string()))
        }
        Data::Text(text) => Value::String(text.to_string()),
        Data::List(items) => Value::Array(items.iter().map(value).collect()),
        Data::Map(entries) => {
            Value::Object(entries.iter().map(|(name, entry)| (name.to_string(), value(entry))).collect())
        }
    }
}

fn list<'v>(data: &'v Value, key: &str) -> &'v [Value] {
    data.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns a name: the `name` of an object, or the text itself.
fn name(value: &Value) -> Option<String> {
    let named = value.as_str().or_else(|| value.get("name").and_then(Value::as_str))?.trim();
    (!named.is_empty()).then(|| named.to_owned())
}

/// Returns a number, which may be written as text.
fn number(data: &Value, key: &str) -> Option<i64> {
    let value = data.get(key)?;
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn small(data: &Value, key: &str) -> Option<u32> {
    number(data, key).and_then(|number| u32::try_from(number).ok())
}

fn word(data: &Value, key: &str) -> String {
    data.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned()
}

fn sound(calendar: Calendar) -> Option<Calendar> {
    calendar.check().ok().map(|()| calendar)
}

/// Reads a Kanka calendar: `{name, suffix, months: [{name, length}], weekdays: […], has_leap_year, leap_year_…}`.
pub(super) fn of_kanka(data: &Value) -> Option<Calendar> {
    let months: Option<Vec<Month>> = list(data, "months")
        .iter()
        .map(|month| Some(Month { name: name(month)?, days: small(month, "length")? }))
        .collect();
    let months = months?;
    let leaps = match data.get("has_leap_year") {
        Some(Value::Bool(flag)) => *flag,
        _ => number(data, "has_leap_year").is_some_and(|flag| flag != 0),
    };
    let leap = leaps.then(|| {
        let month = usize::try_from(number(data, "leap_year_month")?).ok()?.checked_sub(1)?;
        Some(LeapRule {
            every: small(data, "leap_year_offset").filter(|every| *every > 0)?,
            except_every: None,
            unless_every: None,
            offset: number(data, "leap_year_start").unwrap_or(0),
            month: months.get(month)?.name.clone(),
            days: small(data, "leap_year_amount").filter(|days| *days > 0)?,
        })
    });
    sound(Calendar {
        name: word(data, "name"),
        weekdays: list(data, "weekdays").iter().filter_map(name).collect(),
        era: word(data, "suffix"),
        leap: leap.flatten().into_iter().collect(),
        months,
        ..Calendar::default()
    })
}

/// Reads a calendar of the Foundry module Simple Calendar.
pub(super) fn of_simple_calendar(data: &Value) -> Option<Calendar> {
    let days = |month: &Value| small(month, "numberOfDays").or_else(|| small(month, "days"));
    let months: Option<Vec<Month>> =
        list(data, "months").iter().map(|month| Some(Month { name: name(month)?, days: days(month)? })).collect();
    let months = months?;
    let rule = data.get("leapYear").unwrap_or(&Value::Null);
    let (every, except_every, unless_every) = match word(rule, "rule").as_str() {
        "gregorian" => (Some(4), Some(100), Some(400)),
        "custom" => (small(rule, "customMod").filter(|every| *every > 0), None, None),
        _ => (None, None, None),
    };
    let longer = list(data, "months").iter().filter_map(|month| {
        let more = small(month, "numberOfLeapYearDays")?.checked_sub(days(month)?).filter(|more| *more > 0)?;
        Some(LeapRule { every: every?, except_every, unless_every, offset: 0, month: name(month)?, days: more })
    });
    let time = data.get("time").unwrap_or(&Value::Null);
    let plain = Calendar::default();
    sound(Calendar {
        name: word(data, "name"),
        weekdays: list(data, "weekdays").iter().filter_map(name).collect(),
        hours_per_day: small(time, "hoursInDay").unwrap_or(plain.hours_per_day),
        minutes_per_hour: small(time, "minutesInHour").unwrap_or(plain.minutes_per_hour),
        era: data.get("year").map(|year| word(year, "postfix")).unwrap_or_default(),
        leap: longer.collect(),
        months,
        ..plain
    })
}

#[cfg(test)]
mod tests {
    use super::{of_kanka, of_simple_calendar};

    #[test]
    fn calendars_are_taken_over_with_their_leap_years() {
        let kanka = serde_json::json!({
            "name": "Tides", "suffix": "AT", "weekdays": ["Ebb", "Flow"], "has_leap_year": 1, "leap_year_amount": 1,
            "leap_year_month": 2, "leap_year_offset": 4, "leap_year_start": 0,
            "months": [{"name": "Frost", "length": 30, "type": "standard"}, {"name": "Rain", "length": "28"}],
        });
        let calendar = of_kanka(&kanka).unwrap();
        assert_eq!((calendar.months.len(), calendar.era.as_str(), calendar.weekdays.len()), (2, "AT", 2));
        assert_eq!((calendar.leap[0].every, calendar.leap[0].month.as_str()), (4, "Rain"));
        let simple = serde_json::json!({
            "name": "Tides", "year": {"postfix": " AT"}, "time": {"hoursInDay": 20, "minutesInHour": 50},
            "weekdays": [{"name": "Ebb"}], "leapYear": {"rule": "custom", "customMod": 8},
            "months": [{"name": "Frost", "numberOfDays": 30, "numberOfLeapYearDays": 31}, {"name": "Rain", "numberOfDays": 28, "numberOfLeapYearDays": 28}],
        });
        let calendar = of_simple_calendar(&simple).unwrap();
        assert_eq!((calendar.hours_per_day, calendar.era.as_str(), calendar.leap.len()), (20, "AT", 1));
        assert!(
            of_kanka(&serde_json::json!({"name": "C"})).is_none()
                && of_simple_calendar(&serde_json::json!([])).is_none()
        );
    }
}

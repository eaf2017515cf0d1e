use std::iter::once;

use proptest::prelude::*;

use super::*;
use crate::{DateSpan, Precision};

const DAY: i64 = 24 * 60;

fn month((name, days): (&str, u32)) -> Month {
    Month { name: name.into(), days }
}

fn rule(every: u32, month: &str) -> LeapRule {
    LeapRule { every, except_every: None, unless_every: None, offset: 0, month: month.into(), days: 1 }
}

fn era(name: &str, short: &str, start: Option<i64>) -> Era {
    Era { name: name.into(), short: short.into(), start, end: None, first: 1, backwards: false }
}

fn harbour() -> Calendar {
    Calendar {
        months: [("Frostmoon", 31), ("High Tide", 9), ("Rainmoon", 28)].map(month).into(),
        weekdays: vec!["Tideday".into(), "Saltday".into()],
        era: "HR".into(),
        ..Calendar::default()
    }
}

/// The Gregorian months, with a year 0.
fn gregorian() -> Calendar {
    let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    Calendar {
        months: names.into_iter().zip(days).map(month).collect(),
        weekdays: ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"].map(String::from).into(),
        leap: vec![LeapRule { except_every: Some(100), unless_every: Some(400), ..rule(4, "feb") }],
        ..Calendar::default()
    }
}

/// Three eras, a feast that only some years have, and no year 0.
fn salt() -> Calendar {
    let before = Era { backwards: true, ..era("Before Reckoning", "BR", None) };
    let brine = Era { first: 0, end: Some(499), ..era("Brine", "", Some(413)) };
    Calendar {
        months: [("Frostmoon", 30), ("Shieldmeet", 0), ("Rainmoon", 28)].map(month).into(),
        leap: vec![rule(4, "Shieldmeet"), LeapRule { days: 2, ..rule(8, "Rainmoon") }],
        era: "of the count".into(),
        year_zero: false,
        eras: vec![era("Age of Salt", "AS", Some(1)), brine, before],
        ..Calendar::default()
    }
}

#[test]
fn dates_are_read_in_every_form() {
    let calendar = harbour();
    let year = 68 * DAY;
    let check = |raw: &str, minutes: i64| {
        let date = calendar.parse(raw).unwrap();
        assert_eq!((date.raw.as_str(), date.time), (raw, Some(GameTime(minutes))), "{raw}");
    };
    check("1", 0);
    check("3 Rainmoon 2", year + (40 + 2) * DAY);
    check("3rd of Rainmoon, 2 HR", year + (40 + 2) * DAY);
    check("the 3rd of Rainmoon 2HR, 18:30", year + (40 + 2) * DAY + 18 * 60 + 30);
    check("9 high tide 1, 18:30", (31 + 8) * DAY + 18 * 60 + 30);
    check("2-03-03 06:00", year + (40 + 2) * DAY + 360);
    check("2-03-03 at 06:00 HR", year + (40 + 2) * DAY + 360);
    check("Rainmoon 2 HR", year + 40 * DAY);
    check("-1-01-01", -2 * year);
    check("1 Frostmoon −1", -2 * year);
}

#[test]
fn dates_off_the_calendar_say_what_was_expected() {
    let check = |calendar: &Calendar, raw: &str, expected: &str| {
        let error = calendar.parse(raw).unwrap_err().to_string();
        assert!(error.contains(expected), "{raw}: {error}");
    };
    let plain = harbour();
    check(&plain, "10 High Tide 1", "the day of High Tide must be from 1 to 9");
    check(&plain, "3 Sunmoon 1", "expected one of Frostmoon, High Tide, Rainmoon");
    check(&plain, "1-4-1", "the month must be from 1 to 3");
    check(&plain, "1-1-1 25:00", "the hour must be from 0 to 23");
    check(&plain, "once upon a time", "expected a form such as `3 Frostmoon 412`");
    check(&plain, "yesterday", "the game clock is not set");
    check(&plain, "4 Rainmoon", "give a date with a year, such as `3 Frostmoon 412`");
    check(&plain, "4x Rainmoon 412", "does not name a month");
    check(&plain, "4 Rainmoon HR", "is not a date");
    check(&plain, "412 CHR", "is not a date");
    check(&plain, "9223372036854775807", "too large");
    check(&plain, "Rainmoon -9223372036854775808", "too large");
    check(&plain, &"9".repeat(60), "too large");
    check(&plain, "--4", "is not a date");
    check(&plain, "", "is not a date");
    check(&gregorian(), "29 Feb 2023", "the day of Feb in the year 2023 must be from 1 to 28");
    check(&gregorian(), "30 Feb 2024", "the day of Feb in the year 2024 must be from 1 to 29");
    check(&gregorian(), "31 Apr 2024", "the day of Apr must be from 1 to 30");
    check(&salt(), "1 Shieldmeet 6", "Shieldmeet does not exist in the year 6 AS; it exists every 4 years");
    check(&salt(), "3 Rainmoon 0", "the calendar has no year 0");
    check(&salt(), "413 AS", "the year of Age of Salt must be from 1 to 412");
    check(&salt(), "87 brine", "the year of Brine must be from 0 to 86");
    check(&salt(), "0 BR", "the first year of the era Before Reckoning is 1");
    check(&salt(), "-1 AS", "must be from 1 to 412");
}

#[test]
fn eras_and_the_plain_count_name_the_same_years() {
    let calendar = salt();
    let check = |raw: &str, printed: &str| {
        assert_eq!(calendar.format(calendar.parse(raw).unwrap().time.unwrap()), printed, "{raw}");
    };
    check("412", "1 Frostmoon 412 AS");
    check("3 Rainmoon 412 Age of Salt, 18:30", "3 Rainmoon 412 AS, 18:30");
    check("3 Rainmoon, 412 of the Age of Salt", "3 Rainmoon 412 AS");
    check("413", "1 Frostmoon 0 Brine");
    check("412-02-01 as", "1 Shieldmeet 412 AS");
    check("-1", "1 Frostmoon 1 BR");
    check("2 BR", "1 Frostmoon 2 BR");
    check("2 before reckoning", "1 Frostmoon 2 BR");
    check("500", "1 Frostmoon 500 of the count");
    check("412 of the count", "1 Frostmoon 412 AS");
    // Leap years are counted without a gap: the year before 1 is 0.
    check("Shieldmeet 1 BR", "1 Shieldmeet 1 BR");
    check("30 Rainmoon 1 BR", "30 Rainmoon 1 BR");
    let first = calendar.parse("1").unwrap().time.unwrap();
    assert_eq!((first, calendar.format(GameTime(-1))), (GameTime(0), "30 Rainmoon 1 BR, 23:59".into()));
}

#[test]
fn a_date_covers_what_it_leaves_open() {
    let calendar = gregorian();
    let check = |raw: &str, first: &str, last: &str, precision| {
        let time = |raw| calendar.parse(raw).unwrap().time.unwrap();
        let expected = DateSpan { first: time(first), last: time(last), precision };
        assert_eq!(calendar.parse_span(raw), Ok(expected), "{raw}");
        assert_eq!(calendar.end_of(raw), Ok(expected.last), "{raw}");
    };
    check("2024", "1 Jan 2024", "31 Dec 2024, 23:59", Precision::Year);
    check("Feb 2024", "1 Feb 2024", "29 Feb 2024, 23:59", Precision::Month);
    check("2023-02", "1 Feb 2023", "28 Feb 2023, 23:59", Precision::Month);
    check("3 Feb 2024", "3 Feb 2024", "3 Feb 2024, 23:59", Precision::Day);
    check("3 Feb 2024, 12:00", "3 Feb 2024, 12:00", "3 Feb 2024, 12:00", Precision::Minute);
    let last = calendar.format(GameTime(i64::MAX));
    let (day, _) = last.split_once(',').unwrap();
    assert_eq!(calendar.end_of(day), Ok(GameTime(i64::MAX)), "{day} goes on beyond game time");
}

#[test]
fn the_present_fills_in_what_is_left_out() {
    let calendar = gregorian();
    let now = calendar.parse("1 Mar 2024, 20:00").unwrap().time;
    let check = |raw: &str, printed: &str, precision| {
        let span = calendar.parse_relative(raw, now).unwrap();
        assert_eq!((calendar.format(span.first).as_str(), span.precision), (printed, precision), "{raw}");
        assert!(matches!(calendar.parse_relative(raw, None), Err(CalendarError::NoGameClock(..))), "{raw}");
    };
    check("4 Feb", "4 Feb 2024", Precision::Day);
    check("the 4th of Feb", "4 Feb 2024", Precision::Day);
    check("29 Feb, 06:30", "29 Feb 2024, 06:30", Precision::Minute);
    check("Feb", "1 Feb 2024", Precision::Month);
    check("Today", "1 Mar 2024", Precision::Day);
    check("yesterday at 18:30", "29 Feb 2024, 18:30", Precision::Minute);
    check("tomorrow", "2 Mar 2024", Precision::Day);
    check("61 days ago", "31 Dec 2023", Precision::Day);
    check("18:30", "1 Mar 2024, 18:30", Precision::Minute);
    assert_eq!(calendar.parse_relative("4 Feb 2020", now), calendar.parse_span("4 Feb 2020"));
    assert!(calendar.parse_relative(&format!("{} days ago", i128::MAX), now).is_err());
}

#[test]
fn weekdays_go_on_through_leap_years() {
    let calendar = gregorian();
    let check = |raw: &str, expected: &str| {
        let time = calendar.parse(raw).unwrap().time.unwrap();
        assert_eq!(calendar.weekday(time), Some(expected), "{raw}");
    };
    check("1 Jan 1", "Mo");
    check("31 Dec 0", "Su");
    check("14 Jul 1789", "Tu");
    check("29 Feb 2000", "Tu");
    check("1 Mar 1900", "Th");
    check("2024-02-29 23:59", "Th");
    assert_eq!(harbour().weekday(GameTime(DAY)), Some("Saltday"));
}

#[test]
fn a_calendar_that_cannot_count_is_refused() {
    let check = |change: &dyn Fn(&mut Calendar), expected: &str| {
        let mut calendar = salt();
        assert_eq!(calendar.check(), Ok(()));
        change(&mut calendar);
        let error = calendar.check().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        // An unchecked calendar gives wrong dates, but does not panic.
        for minutes in [i64::MIN, -1, 0, i64::MAX] {
            let _ = calendar.parse_relative(&calendar.format(GameTime(minutes)), Some(GameTime(minutes)));
        }
    };
    check(&|c| c.months.clear(), "at least one month");
    check(&|c| c.months[1].name = "frostmoon".into(), "two months have the name `frostmoon`");
    check(&|c| c.months[0].days = 0, "the month Frostmoon has no days");
    check(&|c| c.months[0].days = u32::MAX, "too large for the calendar");
    check(&|c| c.hours_per_day = 0, "at least one hour");
    check(&|c| (c.leap[0].month, c.months[0].days) = ("Frostmoon".into(), 0), "the month Shieldmeet has no days");
    check(&|c| c.leap[1].every = 0, "leap rule 2: `every` is a number of years and must be at least 1");
    check(&|c| c.leap[0].except_every = Some(0), "`except_every` is a number of years");
    check(&|c| c.leap[0].unless_every = Some(400), "add `except_every`");
    check(&|c| c.leap[0].except_every = Some(2), "excludes every year that `every: 4` includes");
    check(&|c| (c.leap[0].except_every, c.leap[0].unless_every) = (Some(100), Some(50)), "includes every year");
    check(&|c| c.leap[0].month = "Meet".into(), "unknown month `Meet`: expected one of Frostmoon");
    check(&|c| c.leap[0].days = 0, "`days` must be from 1");
    check(&|c| c.leap[0].days = u32::MAX, "`days` must be from 1");
    check(&|c| c.leap[0].offset = i64::MIN, "`offset: -9223372036854775808` is too large");
    check(&|c| c.leap = vec![c.leap[0].clone(); 101], "the number of leap rules is too large");
    check(&|c| c.eras[0].name = " ".into(), "era 1: ` ` is not a valid name");
    check(&|c| c.eras[1].short = "as".into(), "era 1: two eras have the name `AS`");
    check(&|c| c.eras[0].short = "Of the count".into(), "two eras have the name `Of the count`");
    check(&|c| c.eras[0].name = "Rainmoon 3".into(), "can be read as a month with a year");
    check(&|c| c.eras[0].start = None, "Age of Salt needs `start`");
    check(&|c| c.eras[0].start = Some(0), "the calendar has no year 0");
    check(&|c| c.eras[1].start = Some(1), "start in the same year");
    check(&|c| c.eras[0].end = Some(413), "Age of Salt overlaps Brine, which starts in 413");
    check(&|c| c.eras[1].end = Some(412), "Brine ends before it starts");
    check(&|c| c.eras[1].first = -1, "expected 0 or more");
    check(&|c| c.eras[1].start = Some(i64::MAX), "is too large");
    check(&|c| drop(c.eras.drain(..2)), "add `end`");
    check(
        &|c| c.eras.push(Era { backwards: true, end: Some(-9), ..era("Dawn", "", None) }),
        "Dawn start in the same year",
    );
    assert_eq!(Calendar::default().check(), Ok(()));
}

#[test]
fn a_campaign_without_a_calendar_counts_days() {
    let calendar = Calendar::default();
    for (time, printed) in [
        (GameTime(0), "day 1"),
        (GameTime(2 * DAY + 600), "day 3, 10:00"),
        (GameTime(359 * DAY), "day 360"),
        (GameTime(360 * DAY), "1 Month1 2"),
        (GameTime(-DAY), "30 Month12 0"),
    ] {
        assert_eq!(calendar.format(time), printed);
        assert_eq!(calendar.parse(printed).unwrap().time, Some(time), "{printed}");
    }
    assert_eq!(calendar.format_with_precision(GameTime(DAY + 5), Precision::Day), "day 2");
    assert_eq!(calendar.parse("2 Month1 1").unwrap().time, Some(GameTime(DAY)));
    assert!(calendar.parse("day 0").is_err() && harbour().parse("day 2").is_err());
}

#[test]
fn an_old_calendar_is_read_from_its_journal() {
    let old = r#"{"name":"C","months":[{"name":"Frost","days":30}],"weekdays":[],"hours_per_day":24,
        "minutes_per_hour":60,"era":"HR"}"#;
    let calendar: Calendar = serde_json::from_str(old).unwrap();
    let months = vec![month(("Frost", 30))];
    assert_eq!(calendar, Calendar { name: "C".into(), months, era: "HR".into(), ..Calendar::default() });
    assert_eq!(calendar.format(GameTime(-1)), "30 Frost 0 HR, 23:59");
}

/// Returns the year, month index and day of each day in the years around the year 1, without the code under test.
fn days_by_hand(calendar: &Calendar, years: i128) -> impl Iterator<Item = (i128, usize, i128)> {
    (1 - years..=years).flat_map(move |year| {
        let days = calendar.months.iter().enumerate().flat_map(move |(index, month)| {
            let rules = calendar.leap.iter().filter(move |rule| rule.month == month.name);
            let leap_days = rules.map(|rule| {
                let selects = |interval: u32| (year - i128::from(rule.offset)) % i128::from(interval) == 0;
                let is_exception = rule.except_every.is_some_and(selects) && !rule.unless_every.is_some_and(selects);
                if selects(rule.every) && !is_exception { rule.days } else { 0 }
            });
            (1..=once(month.days).chain(leap_days).sum::<u32>()).map(move |day| (year, index, i128::from(day)))
        });
        days.collect::<Vec<_>>()
    })
}

const NAMES: [&str; 6] = ["Frost", "High Tide", "Moon", "3 Moon", "The Long Dark", "Month 1"];

prop_compose! {
    fn any_rule()(every in 1u32..12, except in prop::option::of(1u32..60), unless in prop::option::of(1u32..200),
        offset in -20i64..20, month in 0usize..6, days in 1u32..5) -> LeapRule {
        LeapRule { every, except_every: except, unless_every: unless, offset, month: NAMES[month].into(), days }
    }
}

prop_compose! {
    fn any_era()(name in 0usize..5, start in prop::option::of(-300i64..300), length in prop::option::of(0i64..200),
        first in 0i64..3, backwards: bool, short in prop::option::of("[a-z]{1,2}[0-9]?")) -> Era {
        let name = ["Age of Salt", "Salt", "Before Salt", "Brine 2", "Low, and High Water"][name].into();
        let end = length.map(|length| start.unwrap_or(-200) + length);
        Era { name, short: short.unwrap_or_default(), start, end, first, backwards }
    }
}

prop_compose! {
    fn any_calendar()(days in prop::collection::vec(0u32..40, 1..6), leap in prop::collection::vec(any_rule(), 0..4),
        eras in prop::collection::vec(any_era(), 0..4), year_zero: bool, hours_per_day in 1u32..30,
        minutes_per_hour in 1u32..70, era in "|HR|of 3|years") -> Calendar {
        let mut calendar = Calendar { months: NAMES.into_iter().zip(days).map(month).collect(), year_zero,
            hours_per_day, minutes_per_hour, era, ..Calendar::default() };
        // Skip rules and eras that are invalid.
        for rule in leap {
            calendar.leap.push(rule);
            if matches!(calendar.check(), Err(CalendarError::Leap { .. })) {
                calendar.leap.pop();
            }
        }
        for month in 0..calendar.months.len() {
            if calendar.check() == Err(CalendarError::NoDays(calendar.months[month].name.clone())) {
                calendar.months[month].days = 7;
            }
        }
        if calendar.months.iter().all(|month| month.days == 0) {
            calendar.months[0].days = 1;
        }
        for era in eras {
            calendar.eras.push(era);
            if calendar.check().is_err() {
                calendar.eras.pop();
            }
        }
        calendar
    }
}

fn minutes() -> impl Strategy<Value = i64> {
    prop_oneof![any::<i64>(), -1_000_000_000i64..1_000_000_000, Just(i64::MIN), Just(i64::MAX)]
}

proptest! {
    #[test]
    fn what_is_printed_is_read_again(calendar in any_calendar(), minutes in minutes()) {
        prop_assert_eq!(calendar.check(), Ok(()));
        let time = GameTime(minutes);
        let printed = calendar.format(time);
        let span = calendar.parse_span(&printed).unwrap();
        prop_assert_eq!(span.first, time, "{}", printed);
        prop_assert_eq!(span.precision == Precision::Day, calendar.day_of(time).1 == 0);
        let after = span.last.0.checked_add(1).map(|after| calendar.day_of(GameTime(after)));
        prop_assert!(after.is_none_or(|(day, minute)| span.precision == Precision::Minute || (day, minute) == (calendar.day_of(time).0 + 1, 0)));
    }

    #[test]
    fn a_day_lies_in_its_month_and_its_year(calendar in any_calendar(), minutes in minutes()) {
        let time = GameTime(minutes);
        let mut inner = calendar.span_around(time, Precision::Minute);
        for precision in [Precision::Day, Precision::Month, Precision::Year] {
            let span = calendar.span_around(time, precision);
            prop_assert!(span.first <= inner.first && inner.last <= span.last, "{span:?} around {inner:?}");
            // All times inside the range have the same name. The times just outside have another name.
            let name = calendar.format_with_precision(time, precision);
            prop_assert_eq!(&calendar.format_with_precision(span.first, precision), &name);
            prop_assert_eq!(&calendar.format_with_precision(span.last, precision), &name);
            prop_assert_eq!(calendar.span_around(span.last, precision), span);
            if let Some(after) = span.last.0.checked_add(1) {
                prop_assert_eq!(calendar.span_around(GameTime(after), precision).first, GameTime(after));
            }
            inner = span;
        }
    }

    #[test]
    fn later_is_later_on_the_calendar(calendar in any_calendar(), a in minutes(), b in minutes()) {
        let place = |minutes| {
            let (day, minute) = calendar.day_of(GameTime(minutes));
            (calendar.date_of(day), minute)
        };
        prop_assert_eq!(a.cmp(&b), place(a).cmp(&place(b)));
    }

    #[test]
    fn counting_equals_counting_by_hand(calendar in any_calendar()) {
        let first = calendar.first_day(1 - 120);
        for (passed, expected) in days_by_hand(&calendar, 120).enumerate() {
            prop_assert_eq!(calendar.date_of(first + passed as i128), expected);
        }
        prop_assert_eq!(calendar.first_day(121) - first, days_by_hand(&calendar, 120).count() as i128);
    }

    #[test]
    fn no_text_makes_it_panic(calendar in any_calendar(), text in "(the )?[0-9:, -]{0,8}( of)? ?(Frost|Moon|Salt|days ago|\\PC{0,4})[0-9:, -]{0,25}(at 1:1|Salt|BR)?", now in prop::option::of(minutes())) {
        let _ = calendar.parse_relative(&text, now.map(GameTime));
    }
}

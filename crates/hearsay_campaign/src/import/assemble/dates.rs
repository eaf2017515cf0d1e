//! Parses dates with the campaign's calendar. The original text of each date is kept.

use hearsay_model::Date;

use super::assembly::Assembly;

impl Assembly<'_> {
    /// Parses a date with the campaign's calendar, and keeps the original text `raw`. If the tool also wrote the date
    /// as `readable` text, the function tries to parse that text first.
    pub(super) fn parse_date(&self, raw: &str, readable: Option<&str>) -> Date {
        let calendar = self.calendar.as_ref();
        let parsed =
            [readable, Some(raw)].into_iter().flatten().find_map(|text| calendar?.parse(text.trim()).ok()?.time);
        Date { raw: raw.trim().to_owned(), time: parsed }
    }
}

//! Dates on the campaign's calendar, with what was written kept beside them.

use hearsay_model::Date;

use super::Assembly;

impl Assembly<'_> {
    /// A date as written, with what the calendar makes of it, or of the readable form that the tool has.
    pub(super) fn date(&self, raw: &str, readable: Option<&str>) -> Date {
        let calendar = self.calendar.as_ref();
        let parsed =
            [readable, Some(raw)].into_iter().flatten().find_map(|text| calendar?.parse(text.trim()).ok()?.time);
        Date { raw: raw.trim().to_owned(), time: parsed }
    }
}

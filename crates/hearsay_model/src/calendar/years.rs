//! Names of years: in the plain count, and in eras.

use super::{Calendar, Era};

impl Era {
    /// Returns the text that is printed after a year of the era: the abbreviation, or the name if there is none.
    fn label(&self) -> &str {
        if self.short.is_empty() { &self.name } else { &self.short }
    }
}

/// The first and last year of an era. `None` means that the era is unbounded in this direction.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) start: Option<i128>,
    pub(super) end: Option<i128>,
}

impl Calendar {
    /// Converts a year number of the plain count to a consecutive year, in which the year before 1 is 0. Returns `None`
    /// for a year 0 that does not exist.
    pub(super) fn plain_year(&self, number: i128) -> Option<i128> {
        match number {
            number if self.year_zero || number > 0 => Some(number),
            0 => None,
            number => Some(number + 1),
        }
    }

    pub(super) fn plain_number(&self, year: i128) -> i128 {
        if self.year_zero || year > 0 { year } else { year - 1 }
    }

    fn start(&self, era: &Era) -> Option<i128> {
        era.start.and_then(|start| self.plain_year(start.into()))
    }

    /// Returns the bounds of an era. If no end is set, the era lasts until the next era starts.
    pub(super) fn bounds(&self, era: &Era) -> Bounds {
        let start = self.start(era);
        let own_end = era.end.and_then(|end| self.plain_year(end.into()));
        // An era without a start comes before all eras with a start, as `None` sorts before `Some`.
        let next_start =
            || self.eras.iter().filter_map(|other| self.start(other)).filter(|&next| Some(next) > start).min();
        Bounds { start, end: own_end.or_else(|| next_start().map(|next| next - 1)) }
    }

    /// Returns the era of a year, and the year's number in that era.
    fn era_number(&self, year: i128) -> Option<(&Era, i128)> {
        let started = self.eras.iter().filter(|era| self.start(era).is_none_or(|start| start <= year));
        let era = started.max_by_key(|era| self.start(era))?;
        let bounds = self.bounds(era);
        if bounds.end.is_some_and(|end| end < year) {
            return None;
        }
        let passed = if era.backwards { bounds.end? - year } else { year - bounds.start? };
        Some((era, i128::from(era.first) + passed))
    }

    /// Converts a year number of an era to a consecutive year, in which the year before 1 is 0.
    ///
    /// If the number is outside the era, the error contains the smallest year number of the era, and the largest year
    /// number if there is one.
    pub(super) fn era_year(&self, era: &Era, number: i128) -> Result<i128, (i128, Option<i128>)> {
        let Bounds { start, end } = self.bounds(era);
        let first = i128::from(era.first);
        let last = start.zip(end).map(|(start, end)| first + end - start);
        let year = match (era.backwards, start, end) {
            (true, _, Some(end)) => Some(end - (number - first)),
            (false, Some(start), _) => Some(start + (number - first)),
            // This case occurs only if the calendar was not checked.
            _ => None,
        };
        year.filter(|_| number >= first && last.is_none_or(|last| number <= last)).ok_or((first, last))
    }

    /// Returns the printed form of a year: `412 AS`.
    pub(super) fn year_name(&self, year: i128) -> String {
        match self.era_number(year) {
            Some((era, number)) => format!("{number} {}", era.label()),
            None if self.era.is_empty() => self.plain_number(year).to_string(),
            None => format!("{} {}", self.plain_number(year), self.era),
        }
    }
}

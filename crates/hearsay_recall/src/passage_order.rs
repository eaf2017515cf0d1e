//! The passages of an index in the orders in which a ranking goes through them, so that none sorts them again.

use hearsay_model::PassageId;
use rustc_hash::FxHashSet;

/// Belongs to no session or document.
const NO_WHOLE: u32 = u32::MAX;

/// So few passages are inserted one by one; more are sorted in.
const FEW: usize = 8;

/// A passage as it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Line {
    whole: u32,
    line: u32,
    id: PassageId,
    place: u32,
}

/// A passage at a place, with its session or document and its line there.
pub(crate) type Placed = (PassageId, u32, Option<(u32, u32)>);

/// Passages by id and by line.
#[derive(Debug, Clone, Default)]
pub(crate) struct PassageOrder {
    by_id: Vec<(PassageId, u32)>,
    by_line: Vec<Line>,
}

impl PassageOrder {
    /// Takes up passages at places, each with its session or document and its line there.
    pub(crate) fn add(&mut self, passages: &[Placed]) {
        for &(id, place, line) in passages {
            let (whole, line) = line.unwrap_or((NO_WHOLE, 0));
            let line = Line { whole, line, id, place };
            if passages.len() <= FEW {
                self.by_id.insert(self.by_id.partition_point(|other| *other < (id, place)), (id, place));
                self.by_line.insert(self.by_line.partition_point(|other| *other < line), line);
            } else {
                self.by_id.push((id, place));
                self.by_line.push(line);
            }
        }
        if passages.len() > FEW {
            // What was there is in order: it is merged with what is new.
            self.by_id.sort();
            self.by_line.sort();
        }
    }

    /// Removes the passages at some places.
    pub(crate) fn remove(&mut self, places: &FxHashSet<u32>) {
        if !places.is_empty() {
            self.by_id.retain(|(_, place)| !places.contains(place));
            self.by_line.retain(|line| !places.contains(&line.place));
        }
    }

    /// Renumbers the places. None of those that are here may go.
    pub(crate) fn remap(&mut self, to: impl Fn(u32) -> u32) {
        self.by_id.iter_mut().for_each(|(_, place)| *place = to(*place));
        self.by_line.iter_mut().for_each(|line| line.place = to(line.place));
    }

    /// All passages by id, each with its place.
    pub(crate) fn by_id(&self) -> &[(PassageId, u32)] {
        &self.by_id
    }

    /// The places of all passages as they were said: sessions and documents each in one run, in the order of their lines,
    /// then what belongs to neither. With each its session or document.
    pub(crate) fn by_line(&self) -> impl Iterator<Item = (u32, Option<u32>)> {
        self.by_line.iter().map(|line| (line.place, Some(line.whole).filter(|whole| *whole != NO_WHOLE)))
    }
}

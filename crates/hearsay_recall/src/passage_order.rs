//! The passages of an index in the orders that rankings use, so that no ranking needs to sort them.

use hearsay_model::PassageId;
use rustc_hash::FxHashSet;

/// Marks a passage that belongs to no session or document.
const NO_WHOLE: u32 = u32::MAX;

/// Maximum number of passages that are inserted one by one; more are added by sorting.
const FEW: usize = 8;

/// A passage in the order of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Line {
    whole: u32,
    line: u32,
    id: PassageId,
    place: u32,
}

/// A passage, its place, and its session or document with the line there.
pub(crate) type Placed = (PassageId, u32, Option<(u32, u32)>);

/// Passages by id and by line.
#[derive(Debug, Clone, Default)]
pub(crate) struct PassageOrder {
    by_id: Vec<(PassageId, u32)>,
    by_line: Vec<Line>,
}

impl PassageOrder {
    /// Adds passages.
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
            // The existing entries are sorted, so the stable sort merges the new ones.
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

    /// Renumbers the places. Every place in the order must stay in use.
    pub(crate) fn remap(&mut self, to: impl Fn(u32) -> u32) {
        self.by_id.iter_mut().for_each(|(_, place)| *place = to(*place));
        self.by_line.iter_mut().for_each(|line| line.place = to(line.place));
    }

    /// Returns all passages by id, each with its place.
    pub(crate) fn by_id(&self) -> &[(PassageId, u32)] {
        &self.by_id
    }

    /// Returns the places of all passages in the order in which they were said, each with its session or document. Each
    /// session or document is one run, in the order of its lines. Passages that belong to neither come last.
    pub(crate) fn by_line(&self) -> impl Iterator<Item = (u32, Option<u32>)> {
        self.by_line.iter().map(|line| (line.place, Some(line.whole).filter(|whole| *whole != NO_WHOLE)))
    }
}

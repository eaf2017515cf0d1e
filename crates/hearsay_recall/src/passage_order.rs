//! The passages of an index, sorted by id and by line. A ranking uses both orders and does not have to sort the
//! passages itself.

use hearsay_model::PassageId;
use rustc_hash::FxHashSet;

/// Value of `Line::container` for a passage that belongs to no session or document.
const NO_CONTAINER: u32 = u32::MAX;

/// Maximum number of passages that are inserted one by one. More passages are appended and sorted.
const MAX_SINGLE_INSERTIONS: usize = 8;

/// A passage, sorted by its session or document (`container`), then by its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Line {
    container: u32,
    line: u32,
    id: PassageId,
    text_number: u32,
}

/// A passage, its text number in the index, and the number of its session or document with its line number there.
pub(crate) type OrderEntry = (PassageId, u32, Option<(u32, u32)>);

/// Passages by id and by line.
#[derive(Debug, Clone, Default)]
pub(crate) struct PassageOrder {
    by_id: Vec<(PassageId, u32)>,
    by_line: Vec<Line>,
}

impl PassageOrder {
    /// Adds passages.
    pub(crate) fn add(&mut self, passages: &[OrderEntry]) {
        self.by_id.reserve(passages.len());
        self.by_line.reserve(passages.len());
        for &(id, text_number, line) in passages {
            let (container, line) = line.unwrap_or((NO_CONTAINER, 0));
            let line = Line { container, line, id, text_number };
            if passages.len() <= MAX_SINGLE_INSERTIONS {
                self.by_id.insert(self.by_id.partition_point(|other| *other < (id, text_number)), (id, text_number));
                self.by_line.insert(self.by_line.partition_point(|other| *other < line), line);
            } else {
                self.by_id.push((id, text_number));
                self.by_line.push(line);
            }
        }
        if passages.len() > MAX_SINGLE_INSERTIONS {
            // The existing entries are sorted, so the stable sort merges the new ones.
            self.by_id.sort();
            self.by_line.sort();
        }
    }

    /// Removes the passages with the given text numbers.
    pub(crate) fn remove(&mut self, text_numbers: &FxHashSet<u32>) {
        if !text_numbers.is_empty() {
            self.by_id.retain(|(_, text_number)| !text_numbers.contains(text_number));
            self.by_line.retain(|line| !text_numbers.contains(&line.text_number));
        }
    }

    /// Renumbers the texts. `renumber` maps an old text number to the new one; every passage in the order must still be
    /// in the index.
    pub(crate) fn remap(&mut self, renumber: impl Fn(u32) -> u32) {
        self.by_id.iter_mut().for_each(|(_, text_number)| *text_number = renumber(*text_number));
        self.by_line.iter_mut().for_each(|line| line.text_number = renumber(line.text_number));
    }

    /// Returns all passages, sorted by id, each with its text number.
    pub(crate) fn by_id(&self) -> &[(PassageId, u32)] {
        &self.by_id
    }

    /// Returns the text numbers of all passages, each with the number of its session or document. The passages of one
    /// session or document are contiguous and in line order. Passages that belong to none come last.
    pub(crate) fn by_line(&self) -> impl Iterator<Item = (u32, Option<u32>)> {
        self.by_line
            .iter()
            .map(|line| (line.text_number, Some(line.container).filter(|container| *container != NO_CONTAINER)))
    }
}

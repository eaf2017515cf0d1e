//! Regions of a source.

use std::ops::Range;

/// A DM-only region of the source, with its marks (`outer`) and without (`inner`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) outer: Range<usize>,
    pub(crate) inner: Range<usize>,
}

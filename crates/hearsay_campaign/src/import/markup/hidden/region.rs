//! DM-only regions of a text.

use std::ops::Range;

/// A DM-only region of the source. `outer` is the range with the marks, and `inner` is the range between the marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) outer: Range<usize>,
    pub(crate) inner: Range<usize>,
}

//! The outcome of a committed write.

use crate::Written;

/// Outcome of a committed write.
pub(super) struct Outcome {
    /// Operation of the write, if there is one.
    pub(super) written: Option<Written>,
    /// Number of the write, counted since the memory was opened.
    pub(super) revision: u64,
}

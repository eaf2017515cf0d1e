//! Changes of a write whose turn has come, and the outcome of their commit.

use std::sync::Arc;

use hearsay_model::{Operation, TransientUpdate};

use crate::Written;

/// Changes that a write makes.
#[derive(Default)]
pub(super) struct PreparedWrite {
    pub(super) operation: Option<Arc<Operation>>,
    pub(super) transients: TransientUpdate,
}

/// Outcome of a committed write.
pub(super) struct Outcome {
    /// Operation of the write, if there is one.
    pub(super) written: Option<Written>,
    /// Number of the write, counted since the memory was opened.
    pub(super) revision: u64,
}

impl PreparedWrite {
    pub(super) fn is_empty(&self) -> bool {
        self.operation.is_none() && self.transients.is_empty()
    }
}

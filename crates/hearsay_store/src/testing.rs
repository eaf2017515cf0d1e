//! Failures on demand, for the tests of those who use the store.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use hearsay_model::Position;

use crate::StoreError;

/// Makes commits fail. Clones share one setting, so a test keeps one and gives one to
/// [`StoreOptions::faults`](crate::StoreOptions::faults).
#[derive(Debug, Clone)]
pub struct Faults(Arc<AtomicU64>);

impl Default for Faults {
    fn default() -> Self {
        Self(Arc::new(AtomicU64::new(u64::MAX)))
    }
}

impl Faults {
    /// Lets a number of commits succeed; those after fail with [`StoreError::Injected`] and write nothing.
    pub fn fail_after(&self, commits: u64) {
        self.0.store(commits, Ordering::SeqCst);
    }

    /// Lets commits succeed again.
    pub fn heal(&self) {
        self.fail_after(u64::MAX);
    }

    pub(crate) fn check(&self, first: Position) -> Result<(), StoreError> {
        let left = |left: u64| if left == u64::MAX { Some(left) } else { left.checked_sub(1) };
        let left = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, left);
        left.map(drop).map_err(|_| StoreError::Injected(first))
    }
}

//! Commits and storage that fail on demand.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use hearsay_model::Position;

use crate::StoreError;

/// Makes commits fail. Clones share one setting, so a test keeps one and gives one to
/// [`StoreOptions::faults`](crate::StoreOptions::faults).
#[derive(Debug, Clone)]
pub struct Faults(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    commits: AtomicU64,
    storage: Mutex<Option<(StorageFault, u64)>>,
}

/// A way in which the storage beneath the database fails a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageFault {
    /// The write is refused and nothing of it is in the file, as on a full disk.
    Refused,
    /// The write fails halfway: the newest segment of the log ends this many bytes too early.
    Short {
        /// Bytes that are missing from the end of the segment.
        missing_bytes: u64,
    },
    /// The write is in the file, and the system reports that it could not sync it.
    NotSynced,
}

impl Default for Faults {
    fn default() -> Self {
        Self(Arc::new(Shared { commits: AtomicU64::new(u64::MAX), storage: Mutex::default() }))
    }
}

impl Faults {
    /// Lets a number of commits succeed; those after fail with [`StoreError::Injected`] and write nothing.
    pub fn fail_after(&self, commits: u64) {
        self.0.commits.store(commits, Ordering::SeqCst);
    }

    /// Lets a number of transactions of the storage succeed; the one after fails once. Every commit of the store,
    /// every chunk of a large operation and every batch of graph rows or vectors is such a transaction.
    pub fn fail_storage_after(&self, transactions: u64, fault: StorageFault) {
        *self.storage() = Some((fault, transactions));
    }

    /// Lets commits succeed again.
    pub fn heal(&self) {
        self.fail_after(u64::MAX);
        *self.storage() = None;
    }

    fn storage(&self) -> std::sync::MutexGuard<'_, Option<(StorageFault, u64)>> {
        self.0.storage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn check(&self, first: Position) -> Result<(), StoreError> {
        let left = |left: u64| if left == u64::MAX { Some(left) } else { left.checked_sub(1) };
        let left = self.0.commits.fetch_update(Ordering::SeqCst, Ordering::SeqCst, left);
        left.map(drop).map_err(|_| StoreError::Injected(first))
    }

    /// The fault of the transaction that commits now.
    pub(crate) fn next_storage_fault(&self) -> Option<StorageFault> {
        let mut storage = self.storage();
        match &mut *storage {
            Some((fault, 0)) => {
                let fault = *fault;
                *storage = None;
                Some(fault)
            }
            Some((_, left)) => {
                *left -= 1;
                None
            }
            None => None,
        }
    }
}

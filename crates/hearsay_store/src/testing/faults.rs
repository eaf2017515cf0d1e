//! Commits and storage that fail on demand.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use hearsay_model::Position;
use tokio::sync::Notify;

use crate::StoreError;

/// Makes commits fail. Clones share one setting: keep one clone in the test, and pass another to
/// [`StoreOptions::faults`](crate::StoreOptions::faults).
#[derive(Debug, Clone, Default)]
pub struct Faults(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Number of commits that succeed before they fail; `u64::MAX` means all.
    commits: AtomicU64,
    storage: Mutex<Option<(StorageFault, u64)>>,
    /// Whether the next commit is written before it ends as uncertain; `None` for a normal commit.
    doubt: Mutex<Option<bool>>,
    /// Reason why a background task of the storage failed.
    background: Mutex<Option<String>>,
    /// Whether reading the journal again fails.
    unreadable: AtomicBool,
    held: AtomicBool,
    waiting: AtomicBool,
    released: Notify,
}

/// A fault of the storage beneath the database during a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageFault {
    /// The write is refused and the file is unchanged, as on a full disk.
    Refused,
    /// The write fails halfway, so bytes are missing at the end of the newest segment of the log.
    Short {
        /// Number of bytes missing from the end of the segment.
        missing_bytes: u64,
    },
    /// The write is in the file, and the system reports that it could not sync it.
    NotSynced,
}

impl Default for Shared {
    fn default() -> Self {
        Self {
            commits: AtomicU64::new(u64::MAX),
            storage: Mutex::default(),
            doubt: Mutex::default(),
            background: Mutex::default(),
            unreadable: AtomicBool::default(),
            held: AtomicBool::default(),
            waiting: AtomicBool::default(),
            released: Notify::default(),
        }
    }
}

impl Faults {
    /// Lets a number of commits succeed. All later commits fail with [`StoreError::Injected`] and write no data.
    pub fn fail_after(&self, commits: u64) {
        self.0.commits.store(commits, Ordering::SeqCst);
    }

    /// Lets a number of storage transactions succeed. The next one fails once. Every commit of the store, every chunk
    /// of a large operation, and every batch of graph rows is such a transaction.
    pub fn fail_storage_after(&self, transactions: u64, fault: StorageFault) {
        *self.storage() = Some((fault, transactions));
    }

    /// Makes the next commit end with [`StoreError::Uncertain`]. `written` says whether its data is written.
    pub fn doubt_next(&self, written: bool) {
        *self.doubt() = Some(written);
    }

    /// Fails a background task of the storage, for example compaction. The storage then refuses every transaction with
    /// this reason.
    pub fn fail_background(&self, reason: &str) {
        *self.background() = Some(reason.to_owned());
    }

    /// Makes [`Store::reload`](crate::Store::reload) fail.
    pub fn refuse_reload(&self) {
        self.0.unreadable.store(true, Ordering::SeqCst);
    }

    /// Makes the next commit wait until [`heal`](Self::heal) is called.
    pub fn hold(&self) {
        self.0.held.store(true, Ordering::SeqCst);
    }

    /// Returns whether a commit waits because of [`hold`](Self::hold).
    pub fn is_holding(&self) -> bool {
        self.0.waiting.load(Ordering::SeqCst)
    }

    /// Removes all faults, so that commits succeed again.
    pub fn heal(&self) {
        self.fail_after(u64::MAX);
        *self.storage() = None;
        *self.doubt() = None;
        *self.background() = None;
        self.0.unreadable.store(false, Ordering::SeqCst);
        self.0.held.store(false, Ordering::SeqCst);
        self.0.released.notify_waiters();
    }

    fn storage(&self) -> std::sync::MutexGuard<'_, Option<(StorageFault, u64)>> {
        self.0.storage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn doubt(&self) -> std::sync::MutexGuard<'_, Option<bool>> {
        self.0.doubt.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn background(&self) -> std::sync::MutexGuard<'_, Option<String>> {
        self.0.background.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn background_failure(&self) -> Option<String> {
        self.background().clone()
    }

    pub(crate) fn check(&self, first: Position) -> Result<(), StoreError> {
        let left = |left: u64| if left == u64::MAX { Some(left) } else { left.checked_sub(1) };
        let left = self.0.commits.fetch_update(Ordering::SeqCst, Ordering::SeqCst, left);
        left.map(drop).map_err(|_| StoreError::Injected(first))
    }

    pub(crate) fn take_doubt(&self) -> Option<bool> {
        self.doubt().take()
    }

    pub(crate) fn refuses_reload(&self) -> bool {
        self.0.unreadable.load(Ordering::SeqCst)
    }

    pub(crate) async fn wait_while_held(&self) {
        loop {
            let released = self.0.released.notified();
            tokio::pin!(released);
            // Registered before the check, so that no call of `heal` is missed.
            released.as_mut().enable();
            if !self.0.held.load(Ordering::SeqCst) {
                break;
            }
            self.0.waiting.store(true, Ordering::SeqCst);
            released.await;
        }
        self.0.waiting.store(false, Ordering::SeqCst);
    }

    /// Returns the fault for the transaction that commits now.
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

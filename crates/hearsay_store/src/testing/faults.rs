//! Commits and storage that fail on demand.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use hearsay_model::Position;
use tokio::sync::Notify;

use crate::StoreError;

/// Makes commits fail. Clones share one setting, so a test keeps one and gives one to
/// [`StoreOptions::faults`](crate::StoreOptions::faults).
#[derive(Debug, Clone, Default)]
pub struct Faults(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Commits that succeed before they fail; `u64::MAX` means all.
    commits: AtomicU64,
    storage: Mutex<Option<(StorageFault, u64)>>,
    /// Whether the next commit is written, where it is to end in doubt.
    doubt: Mutex<Option<bool>>,
    /// Why a task of the storage failed that ran beside the transactions.
    background: Mutex<Option<String>>,
    /// Whether the journal cannot be read anew.
    unreadable: AtomicBool,
    held: AtomicBool,
    waiting: AtomicBool,
    released: Notify,
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
    /// Lets a number of commits succeed; those after fail with [`StoreError::Injected`] and write nothing.
    pub fn fail_after(&self, commits: u64) {
        self.0.commits.store(commits, Ordering::SeqCst);
    }

    /// Lets a number of transactions of the storage succeed; the one after fails once. Every commit of the store,
    /// every chunk of a large operation and every batch of graph rows is such a transaction.
    pub fn fail_storage_after(&self, transactions: u64, fault: StorageFault) {
        *self.storage() = Some((fault, transactions));
    }

    /// Lets the next commit end with [`StoreError::Uncertain`], whether it is written or not.
    pub fn doubt_next(&self, written: bool) {
        *self.doubt() = Some(written);
    }

    /// Fails a task that the storage runs beside the transactions, such as compaction: it refuses every transaction from
    /// then on, and says why.
    pub fn fail_background(&self, reason: &str) {
        *self.background() = Some(reason.to_owned());
    }

    /// Makes [`Store::reload`](crate::Store::reload) fail.
    pub fn refuse_reload(&self) {
        self.0.unreadable.store(true, Ordering::SeqCst);
    }

    /// Lets the next commit wait until [`heal`](Self::heal) is called.
    pub fn hold(&self) {
        self.0.held.store(true, Ordering::SeqCst);
    }

    /// Whether a commit waits because of [`hold`](Self::hold).
    pub fn is_holding(&self) -> bool {
        self.0.waiting.load(Ordering::SeqCst)
    }

    /// Lets commits succeed again.
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
            // Registered before the look, so that no call of `heal` is missed.
            released.as_mut().enable();
            if !self.0.held.load(Ordering::SeqCst) {
                break;
            }
            self.0.waiting.store(true, Ordering::SeqCst);
            released.await;
        }
        self.0.waiting.store(false, Ordering::SeqCst);
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

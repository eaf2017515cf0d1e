//! Lets tests inject failures of commits and of the storage.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use hearsay_model::Position;
use tokio::sync::Notify;

use crate::StoreError;

/// Injects failures into a store. All clones share their settings. Keep one clone in the test, and pass another clone
/// to [`StoreOptions::faults`](crate::StoreOptions::faults).
#[derive(Debug, Clone, Default)]
pub struct Faults(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Number of commits that succeed before all later commits fail; `u64::MAX` means that no commit fails.
    remaining_commits: AtomicU64,
    /// The fault to inject, and the number of storage transactions that succeed before it.
    storage_fault: Mutex<Option<(StorageFault, u64)>>,
    /// `Some` if the next commit ends with [`StoreError::Uncertain`]. The value says whether the data of that commit is
    /// written first.
    uncertain_commit: Mutex<Option<bool>>,
    /// Error text of a failed background task of the storage.
    background_failure: Mutex<Option<String>>,
    /// Whether [`Store::reload`](crate::Store::reload) fails.
    reload_fails: AtomicBool,
    /// Whether commits must wait.
    is_held: AtomicBool,
    /// Whether a commit is waiting.
    is_waiting: AtomicBool,
    released: Notify,
}

/// A storage fault that can be injected into a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageFault {
    /// The write fails, and the file is unchanged. A full disk causes this fault.
    Refused,
    /// The write is incomplete: bytes are missing at the end of the newest log segment.
    Short {
        /// Number of bytes that are missing at the end of the segment.
        missing_bytes: u64,
    },
    /// The write succeeds, but the operating system reports that the sync to the disk failed.
    NotSynced,
}

impl Default for Shared {
    fn default() -> Self {
        Self {
            remaining_commits: AtomicU64::new(u64::MAX),
            storage_fault: Mutex::default(),
            uncertain_commit: Mutex::default(),
            background_failure: Mutex::default(),
            reload_fails: AtomicBool::default(),
            is_held: AtomicBool::default(),
            is_waiting: AtomicBool::default(),
            released: Notify::default(),
        }
    }
}

impl Faults {
    /// Lets the next `commits` commits succeed. All later commits fail with [`StoreError::Injected`] and write no data.
    pub fn fail_after(&self, commits: u64) {
        self.0.remaining_commits.store(commits, Ordering::SeqCst);
    }

    /// Makes one storage transaction fail with `fault`, after the next `transactions` storage transactions have
    /// succeeded. Later transactions are not affected. Each commit of the store, each chunk of a large operation, and
    /// each batch of graph rows is one storage transaction.
    pub fn fail_storage_after(&self, transactions: u64, fault: StorageFault) {
        *self.storage_fault() = Some((fault, transactions));
    }

    /// Makes the next commit return [`StoreError::Uncertain`]. `written` states whether the store nevertheless writes
    /// the data of this commit.
    pub fn make_next_uncertain(&self, written: bool) {
        *self.uncertain_commit() = Some(written);
    }

    /// Simulates a failed background task of the storage, for example compaction. The storage then rejects every
    /// transaction with `reason` as the error text.
    pub fn fail_background(&self, reason: &str) {
        *self.lock_background_failure() = Some(reason.to_owned());
    }

    /// Makes every call of [`Store::reload`](crate::Store::reload) fail until [`heal`](Self::heal) is called.
    pub fn refuse_reload(&self) {
        self.0.reload_fails.store(true, Ordering::SeqCst);
    }

    /// Makes every commit wait until [`heal`](Self::heal) is called.
    pub fn hold(&self) {
        self.0.is_held.store(true, Ordering::SeqCst);
    }

    /// Returns whether a commit is waiting because of [`hold`](Self::hold).
    pub fn is_holding(&self) -> bool {
        self.0.is_waiting.load(Ordering::SeqCst)
    }

    /// Removes all faults, so that commits succeed again.
    pub fn heal(&self) {
        self.fail_after(u64::MAX);
        *self.storage_fault() = None;
        *self.uncertain_commit() = None;
        *self.lock_background_failure() = None;
        self.0.reload_fails.store(false, Ordering::SeqCst);
        self.0.is_held.store(false, Ordering::SeqCst);
        self.0.released.notify_waiters();
    }

    fn storage_fault(&self) -> std::sync::MutexGuard<'_, Option<(StorageFault, u64)>> {
        self.0.storage_fault.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn uncertain_commit(&self) -> std::sync::MutexGuard<'_, Option<bool>> {
        self.0.uncertain_commit.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_background_failure(&self) -> std::sync::MutexGuard<'_, Option<String>> {
        self.0.background_failure.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn background_failure(&self) -> Option<String> {
        self.lock_background_failure().clone()
    }

    pub(crate) fn check_commit(&self, first: Position) -> Result<(), StoreError> {
        let decrement = |remaining: u64| if remaining == u64::MAX { Some(remaining) } else { remaining.checked_sub(1) };
        let result = self.0.remaining_commits.fetch_update(Ordering::SeqCst, Ordering::SeqCst, decrement);
        result.map(drop).map_err(|_| StoreError::Injected(first))
    }

    pub(crate) fn take_uncertain_commit(&self) -> Option<bool> {
        self.uncertain_commit().take()
    }

    pub(crate) fn reload_fails(&self) -> bool {
        self.0.reload_fails.load(Ordering::SeqCst)
    }

    pub(crate) async fn wait_while_held(&self) {
        loop {
            let released = self.0.released.notified();
            tokio::pin!(released);
            // Registers for the notification before the check, so that no call of `heal` is missed.
            released.as_mut().enable();
            if !self.0.is_held.load(Ordering::SeqCst) {
                break;
            }
            self.0.is_waiting.store(true, Ordering::SeqCst);
            released.await;
        }
        self.0.is_waiting.store(false, Ordering::SeqCst);
    }

    /// Counts a transaction, and returns the fault to inject into it, if any.
    pub(crate) fn next_storage_fault(&self) -> Option<StorageFault> {
        let mut storage_fault = self.storage_fault();
        match &mut *storage_fault {
            Some((fault, 0)) => {
                let fault = *fault;
                *storage_fault = None;
                Some(fault)
            }
            Some((_, remaining)) => {
                *remaining -= 1;
                None
            }
            None => None,
        }
    }
}

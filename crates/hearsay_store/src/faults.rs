//! Lets tests inject failures of commits and of the storage.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use hearsay_model::Position;
use tokio::sync::Notify;

use crate::StoreError;

/// Injects failures into a store. All clones share their settings: keep one clone in the test, and pass another to
/// [`StoreOptions::faults`](crate::StoreOptions::faults).
#[derive(Debug, Clone, Default)]
pub struct Faults(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Number of commits that succeed before all later commits fail; `u64::MAX` means that no commit fails.
    commits: AtomicU64,
    storage: Mutex<Option<(StorageFault, u64)>>,
    /// `Some` if the next commit ends with [`StoreError::Uncertain`]. The value says whether the data of that commit is
    /// written first.
    doubt: Mutex<Option<bool>>,
    /// Error text of a failed background task of the storage.
    background: Mutex<Option<String>>,
    /// Whether [`Store::reload`](crate::Store::reload) fails.
    unreadable: AtomicBool,
    held: AtomicBool,
    waiting: AtomicBool,
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
    /// Lets the next `commits` commits succeed. All later commits fail with [`StoreError::Injected`] and write no data.
    pub fn fail_after(&self, commits: u64) {
        self.0.commits.store(commits, Ordering::SeqCst);
    }

    /// Makes one storage transaction fail with `fault`, after the next `transactions` storage transactions have
    /// succeeded. Later transactions are not affected. Each commit of the store, each chunk of a large operation, and
    /// each batch of graph rows is one storage transaction.
    pub fn fail_storage_after(&self, transactions: u64, fault: StorageFault) {
        *self.storage() = Some((fault, transactions));
    }

    /// Makes the next commit end with [`StoreError::Uncertain`]. If `written` is `true`, the data of that commit is
    /// written anyway.
    pub fn doubt_next(&self, written: bool) {
        *self.doubt() = Some(written);
    }

    /// Simulates a failed background task of the storage, for example compaction. The storage then rejects every
    /// transaction with `reason` as the error text.
    pub fn fail_background(&self, reason: &str) {
        *self.background() = Some(reason.to_owned());
    }

    /// Makes every call of [`Store::reload`](crate::Store::reload) fail until [`heal`](Self::heal) is called.
    pub fn refuse_reload(&self) {
        self.0.unreadable.store(true, Ordering::SeqCst);
    }

    /// Makes every commit wait until [`heal`](Self::heal) is called.
    pub fn hold(&self) {
        self.0.held.store(true, Ordering::SeqCst);
    }

    /// Returns whether a commit is waiting because of [`hold`](Self::hold).
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
            // Registers for the notification before the check, so that no call of `heal` is missed.
            released.as_mut().enable();
            if !self.0.held.load(Ordering::SeqCst) {
                break;
            }
            self.0.waiting.store(true, Ordering::SeqCst);
            released.await;
        }
        self.0.waiting.store(false, Ordering::SeqCst);
    }

    /// Counts a transaction, and returns the fault to inject into it, if any.
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

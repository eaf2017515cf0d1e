//! Failures on demand, for the tests of those who use the store.

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
pub struct Faults(Arc<Setting>);

#[derive(Debug)]
struct Setting {
    /// Commits that succeed before they fail; `u64::MAX` means all.
    left: AtomicU64,
    /// Whether the next commit is written, where it is to end in doubt.
    doubt: Mutex<Option<bool>>,
    /// Whether the journal cannot be read anew.
    unreadable: AtomicBool,
    held: AtomicBool,
    waiting: AtomicBool,
    released: Notify,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            left: AtomicU64::new(u64::MAX),
            doubt: Mutex::default(),
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
        self.0.left.store(commits, Ordering::SeqCst);
    }

    /// Lets the next commit end with [`StoreError::Uncertain`], whether it is written or not.
    pub fn doubt_next(&self, written: bool) {
        *self.0.doubt.lock().unwrap_or_else(PoisonError::into_inner) = Some(written);
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
        *self.0.doubt.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.0.unreadable.store(false, Ordering::SeqCst);
        self.0.held.store(false, Ordering::SeqCst);
        self.0.released.notify_waiters();
    }

    pub(crate) fn check(&self, first: Position) -> Result<(), StoreError> {
        let left = |left: u64| if left == u64::MAX { Some(left) } else { left.checked_sub(1) };
        let left = self.0.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, left);
        left.map(drop).map_err(|_| StoreError::Injected(first))
    }

    pub(crate) fn take_doubt(&self) -> Option<bool> {
        self.0.doubt.lock().unwrap_or_else(PoisonError::into_inner).take()
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
}

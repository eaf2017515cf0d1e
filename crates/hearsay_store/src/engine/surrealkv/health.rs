//! Health of the storage: its first failure, and the number of rewritten batches.

use std::sync::{
    OnceLock,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use surrealdb_kvs::err::Error;
use tokio::sync::Notify;

/// Health of the storage of an open database.
#[derive(Debug, Default)]
pub(crate) struct Health {
    failure: OnceLock<String>,
    /// Wakes the tasks that wait for a failure.
    failed: Notify,
    recovered: AtomicBool,
    rewrites: AtomicU64,
}

impl Health {
    /// Stores a failure. After a failure, no data may be written. Only the first failure is stored.
    pub(crate) fn fail(&self, reason: impl Into<String>) {
        let reason = explain(reason.into());
        if self.failure.set(reason.clone()).is_ok() {
            tracing::error!(reason, "the storage failed; no more writes until the campaign is opened again");
            self.failed.notify_waiters();
        }
    }

    /// Returns the first failure, or `None` if the storage works.
    pub(crate) fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }

    /// Waits until the storage fails, and returns the first failure.
    pub(crate) async fn wait_for_failure(&self) -> &str {
        loop {
            // Registers for the notification before the check, so that no failure is missed.
            let failed = self.failed.notified();
            if let Some(reason) = self.failure() {
                return reason;
            }
            failed.await;
        }
    }

    /// Returns an error if [`Health::fail`] was called.
    pub(super) fn check(&self) -> Result<(), Error> {
        self.failure().map_or(Ok(()), |reason| Err(Error::Datastore(reason.to_owned())))
    }

    /// Returns whether the log of the database was replayed at the opening, because the previous program had not closed
    /// the database.
    pub(crate) fn recovered(&self) -> bool {
        self.recovered.load(Ordering::Relaxed)
    }

    pub(super) fn set_recovered(&self) {
        self.recovered.store(true, Ordering::Relaxed);
    }

    /// Returns how often batches were rewritten after a rotation of the log.
    pub(crate) fn rewrites(&self) -> u64 {
        self.rewrites.load(Ordering::Relaxed)
    }

    pub(super) fn count_rewrite(&self) {
        self.rewrites.fetch_add(1, Ordering::Relaxed);
    }
}

/// Replaces an error text about a full disk with the text `the disk is full`. Returns any other error text unchanged.
pub(crate) fn explain(reason: String) -> String {
    let disk_full_markers = ["No space left on device", "os error 28", "not enough space on the disk", "os error 112"];
    if disk_full_markers.iter().any(|marker| reason.contains(marker)) { DISK_FULL.to_owned() } else { reason }
}

/// Returns whether an error text says that the disk is full.
pub(crate) fn is_disk_full(reason: &str) -> bool {
    explain(reason.to_owned()).contains(DISK_FULL)
}

const DISK_FULL: &str = "the disk is full";

/// Returns the reason why a directory is not writable, or `None` if the directory is writable.
pub(crate) fn write_error(directory: &std::path::Path) -> Option<String> {
    let path = directory.join("write-test");
    let written = std::fs::write(&path, vec![0; 256 << 10]);
    let _ = std::fs::remove_file(&path);
    written.err().map(|error| explain(error.to_string()))
}

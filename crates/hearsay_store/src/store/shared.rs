//! Data that the store shares with its tasks.

use std::{
    path::PathBuf,
    sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
};

use crate::{engine::Db, files::acknowledged::AcknowledgedFile, journal::JournalPosition};

/// Data that the store shares with its tasks.
pub(crate) struct Shared {
    pub(crate) db: Db,
    pub(crate) place: String,
    pub(crate) directory: Option<PathBuf>,
    pub(crate) acknowledged_file: Option<AcknowledgedFile>,
    pub(crate) committed: AtomicU64,
    pub(crate) projected: AtomicU64,
    /// Number of rows that are waiting to be written to the graph tables.
    pub(crate) backlog: AtomicUsize,
    /// Number of records of the graph tables that were repaired.
    pub(crate) repaired: AtomicUsize,
    /// Whether the store is closing. The rewriting of outdated records then stops, and the next opening continues it.
    pub(crate) closing: AtomicBool,
    #[cfg(feature = "testing")]
    pub(crate) faults: crate::faults::Faults,
}

impl Shared {
    /// Marks the end of the journal as acknowledged. The operations up to this end must already be on the disk.
    pub(crate) fn acknowledge(&self, last: JournalPosition) {
        if let Some(file) = &self.acknowledged_file {
            file.write(last);
        }
        self.committed.store(last.position.0, Ordering::Release);
    }
}

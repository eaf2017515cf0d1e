//! Location of a campaign, options of a store, and progress of opening a campaign.

use std::{
    fmt,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use crate::engine::Settings;

/// Location of a campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A directory. If the directory does not exist, it is created. Do not put other files into this directory.
    Directory(PathBuf),
    /// Memory only: the campaign is lost when the store is dropped. Use this location for tests, and for games that do
    /// not save the campaign.
    Memory,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directory(path) => path.display().fmt(f),
            Self::Memory => f.write_str("memory"),
        }
    }
}

impl<P: Into<PathBuf>> From<P> for Location {
    fn from(path: P) -> Self {
        Self::Directory(path.into())
    }
}

/// Progress of opening a campaign. All clones share their counts, so another thread can poll a clone while the campaign
/// opens.
#[derive(Debug, Clone, Default)]
pub struct OpenProgress(Arc<ProgressCounts>);

#[derive(Debug, Default)]
struct ProgressCounts {
    applied: AtomicU64,
    read: AtomicU64,
}

impl OpenProgress {
    /// Returns the number of changes that were read from the disk so far.
    pub fn read(&self) -> u64 {
        self.0.read.load(Ordering::Relaxed)
    }

    /// Returns the number of changes that were applied to the state so far.
    pub fn applied(&self) -> u64 {
        self.0.applied.load(Ordering::Relaxed)
    }

    /// Adds to the number of changes that were read.
    pub(crate) fn note_read(&self, changes: usize) {
        self.0.read.fetch_add(changes as u64, Ordering::Relaxed);
    }

    /// Adds to the number of changes that were applied.
    pub(crate) fn note_applied(&self, changes: usize) {
        self.0.applied.fetch_add(changes as u64, Ordering::Relaxed);
    }
}

/// Options of a store. The default values are suitable for a game.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// Number of threads on which the store runs. Default: 2. SurrealDB also starts its own thread pool, with 16 mostly
    /// idle threads on a small machine. The environment variable `SURREAL_KVS_THREADPOOL_SIZE` (4 or more) sets the
    /// size of that pool.
    pub threads: usize,
    /// Timeout of one database statement. Default: 60 seconds.
    pub query_timeout: Duration,
    /// Timeout of opening the campaign. Default: 10 minutes.
    pub open_timeout: Duration,
    /// Maximum duration for which [`Store::close`](crate::Store::close) waits for queued work and for the database.
    /// Default: 60 seconds. When a store is dropped without being closed, the maximum is 5 seconds.
    pub close_timeout: Duration,
    /// Handle through which the caller can read the progress of opening.
    pub progress: OpenProgress,
    /// Size in bytes of a memtable, which is a buffer of the database in memory. When a memtable is full, the database
    /// writes its contents to a table file. Default: 16 MiB. Minimum: 256 KiB. A closed campaign contains up to four table
    /// files with values that later writes replaced, so a larger size makes the directory larger. After a crash, the
    /// database reads the contents of the newest memtables from its log again, so a larger size makes the next opening
    /// slower. The store splits a write that is larger than a memtable.
    pub memtable_bytes: usize,
    /// Whether this process shares the campaign with other processes on the machine. The store only records this value
    /// in [`LockHolder::shares`](crate::LockHolder::shares); `hearsay_engine` shares the campaign. Default: `false`.
    pub share: bool,
    /// Failures that tests inject into commits and storage.
    #[cfg(feature = "testing")]
    pub faults: crate::faults::Faults,
}

impl StoreOptions {
    /// Returns the settings of the database.
    pub(crate) fn database_settings(&self) -> Settings {
        Settings {
            query_timeout: self.query_timeout,
            version_timeout: self.open_timeout / 20,
            memtable_bytes: self.memtable_bytes,
            #[cfg(feature = "testing")]
            faults: self.faults.clone(),
        }
    }
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            threads: 2,
            query_timeout: Duration::from_secs(60),
            open_timeout: Duration::from_secs(600),
            close_timeout: Duration::from_secs(60),
            progress: OpenProgress::default(),
            memtable_bytes: 16 << 20,
            share: false,
            #[cfg(feature = "testing")]
            faults: crate::faults::Faults::default(),
        }
    }
}

//! Location and settings of a database.

use std::{path::PathBuf, time::Duration};

/// Location of a database.
#[derive(Debug, Clone)]
pub(crate) enum DatabaseLocation {
    Memory,
    /// The directory `<campaign>/db`.
    Directory(PathBuf),
}

/// Settings of a database.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) query_timeout: Duration,
    /// Timeout for reading the version of the database. The engine itself would retry for two minutes, in case a
    /// cluster is not ready yet. Without a cluster, this read fails only if the records are damaged.
    pub(crate) version_timeout: Duration,
    pub(crate) memtable_bytes: usize,
    #[cfg(feature = "testing")]
    pub(crate) faults: crate::faults::Faults,
}

impl Settings {
    /// Returns settings with a small memtable.
    #[cfg(test)]
    pub(crate) fn for_tests() -> Self {
        Self {
            query_timeout: Duration::from_secs(60),
            version_timeout: Duration::from_secs(30),
            memtable_bytes: 1 << 20,
            #[cfg(feature = "testing")]
            faults: crate::faults::Faults::default(),
        }
    }
}

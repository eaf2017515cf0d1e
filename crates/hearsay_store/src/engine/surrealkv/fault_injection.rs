//! Injects faults into the commits of the engine.

use std::{fs::OpenOptions, path::PathBuf};

use surrealdb_kvs::{
    Transactable,
    err::{Error, Result},
};

use super::segments::WriteAheadLog;
use crate::faults::{Faults, StorageFault};

/// Fault injection for the engine of one directory.
pub(crate) struct FaultInjection {
    pub(crate) directory: PathBuf,
    pub(crate) faults: Faults,
}

impl FaultInjection {
    /// Returns an error if a test has requested the failure of an engine task.
    pub(super) fn check_background(&self) -> Result<()> {
        self.faults.background_failure().map_or(Ok(()), |reason| Err(Error::Transaction(reason)))
    }

    /// Commits a transaction of the engine, or injects the next requested fault.
    pub(super) async fn commit(&self, inner: &dyn Transactable) -> Result<()> {
        if let Err(error) = self.check_background() {
            inner.cancel().await?;
            return Err(error);
        }
        match self.faults.next_storage_fault() {
            None => inner.commit().await,
            Some(StorageFault::Refused) => {
                inner.cancel().await?;
                Err(Error::Transaction("No space left on device (a test injected this)".into()))
            }
            Some(StorageFault::Short { missing_bytes }) => {
                inner.commit().await?;
                self.shorten(missing_bytes).map_err(|error| Error::Transaction(error.to_string()))?;
                Err(Error::Transaction("failed to write the whole buffer (a test injected this)".into()))
            }
            Some(StorageFault::NotSynced) => {
                inner.commit().await?;
                Err(Error::Transaction("Input/output error while syncing (a test injected this)".into()))
            }
        }
    }

    /// Cuts `missing_bytes` bytes off the end of the newest log segment.
    fn shorten(&self, missing_bytes: u64) -> std::io::Result<()> {
        let newest = WriteAheadLog::new(&self.directory).newest()?;
        let path = self.directory.join("wal").join(format!("{newest:020}.wal"));
        let file = OpenOptions::new().write(true).open(path)?;
        file.set_len(file.metadata()?.len().saturating_sub(missing_bytes))
    }
}

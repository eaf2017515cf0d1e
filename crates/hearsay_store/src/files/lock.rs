//! The lock that ensures that only one process at a time uses a campaign directory.
//!
//! This module uses two files. `owner.lock` is locked while the store is open; the system releases the lock when the
//! process ends, for any reason. `owner` describes the lock holder. SurrealKV's own lock file cannot describe the lock
//! holder, because SurrealKV empties that file before it tries to lock it.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::ErrorKind,
    path::{Path, PathBuf},
};

use crate::{StoreError, lock_holder::LockHolder};

/// The lock of a directory. Dropping it releases the lock.
#[derive(Debug)]
pub(crate) struct Lock {
    _lock: File,
    holder_file: PathBuf,
}

impl Lock {
    /// Locks the directory. If it is already locked, returns an error that names the lock holder. Overwrites the file
    /// `owner` of a process that ended without closing the campaign.
    pub(crate) fn acquire(directory: &Path) -> Result<Self, StoreError> {
        let (lock_path, holder_file) = (directory.join("owner.lock"), directory.join("owner"));
        let file_error = |action, path: &Path, source: std::io::Error| match source.kind() {
            ErrorKind::StorageFull => StoreError::DiskFull { place: directory.display().to_string(), action: "opened" },
            _ => StoreError::File {
                action,
                path: path.into(),
                advice: "choose a directory that this user may write to, on a local disk",
                source,
            },
        };
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&lock_path);
        let lock = lock.map_err(|source| file_error("write", &lock_path, source))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::InUse { directory: directory.into(), holder: LockHolder::read(&holder_file) });
            }
            Err(TryLockError::Error(source)) => return Err(file_error("lock", &lock_path, source)),
        }
        if holder_file.exists() {
            tracing::info!(directory = %directory.display(), holder = %LockHolder::read(&holder_file), "took over the lock of a process that ended without closing the campaign");
        }
        let text = serde_json::to_vec(&LockHolder::this_process()).unwrap_or_default();
        std::fs::write(&holder_file, text).map_err(|source| file_error("write", &holder_file, source))?;
        Ok(Self { _lock: lock, holder_file })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removes the file before the lock is released. After the release, the file may belong to another process.
        let _ = std::fs::remove_file(&self.holder_file);
    }
}

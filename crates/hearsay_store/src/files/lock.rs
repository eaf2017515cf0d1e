//! The lock that ensures that only one process at a time uses a campaign directory.
//!
//! This module uses two files. `owner.lock` is locked while the store is open; the system releases the lock when the
//! process ends, for any reason. `owner` describes the lock holder. SurrealKV's own lock file cannot describe the lock
//! holder, because SurrealKV empties that file before it tries to lock it.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::ErrorKind,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use crate::{StoreError, lock_holder::LockHolder};

/// Maximum time to wait for a lock that is being released.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(1);

/// Interval between two attempts to get a lock that is being released.
const RETRY_INTERVAL: Duration = Duration::from_millis(5);

/// The lock of a directory. Dropping this value releases the lock.
#[derive(Debug)]
pub(crate) struct Lock {
    _lock: File,
    holder_file: PathBuf,
}

impl Lock {
    /// Locks the directory, and writes `shares` to the description of the lock holder. If the directory is already
    /// locked, returns an error that names the lock holder. Overwrites the file `owner` of a process that ended without
    /// closing the campaign.
    pub(crate) fn acquire(directory: &Path, shares: bool) -> Result<Self, StoreError> {
        let (lock_path, holder_file) = (directory.join("owner.lock"), directory.join("owner"));
        let file_error = |action, path: &Path, source: std::io::Error| match source.kind() {
            ErrorKind::StorageFull => StoreError::DiskFull { place: directory.display().to_string(), action: "opened" },
            _ => StoreError::File {
                action,
                path: path.into(),
                advice: "choose a directory on a local disk to which this user can write",
                source,
            },
        };
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&lock_path);
        let lock = lock.map_err(|source| file_error("write", &lock_path, source))?;
        let started = Instant::now();
        loop {
            match lock.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => {
                    let holder = LockHolder::read(&holder_file);
                    // The lock is being acquired or released, because its holder is not described. On Unix, a process
                    // that this process is starting keeps the lock for a moment after its release.
                    if holder.is_unknown() && started.elapsed() < RELEASE_TIMEOUT {
                        std::thread::sleep(RETRY_INTERVAL);
                        continue;
                    }
                    return Err(StoreError::InUse { directory: directory.into(), holder });
                }
                Err(TryLockError::Error(source)) => return Err(file_error("lock", &lock_path, source)),
            }
        }
        if holder_file.exists() {
            tracing::info!(directory = %directory.display(), holder = %LockHolder::read(&holder_file), "took over the lock of a process that ended without closing the campaign");
        }
        let text = serde_json::to_vec(&LockHolder::this_process(shares)).unwrap_or_default();
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

#[cfg(test)]
mod tests {
    use std::{fs, thread};

    use super::*;

    #[test]
    fn a_lock_that_is_being_released_is_waited_for_and_a_held_lock_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let held = Lock::acquire(directory.path(), false).unwrap();
        let started = Instant::now();
        assert!(matches!(Lock::acquire(directory.path(), false), Err(StoreError::InUse { .. })));
        assert!(started.elapsed() < RELEASE_TIMEOUT);
        // Without a description of its holder, the lock is being released.
        fs::remove_file(directory.path().join("owner")).unwrap();
        let releasing = thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            drop(held);
        });
        let again = Lock::acquire(directory.path(), false).unwrap();
        releasing.join().unwrap();
        drop(again);
    }
}

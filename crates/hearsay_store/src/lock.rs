//! The lock that allows one process per campaign directory.
//!
//! SurrealKV empties its own lock file before it tries to lock it, so that file cannot name the holder. This module
//! uses two other files. `owner.lock` is locked while the store is open, and the system releases that lock when the
//! process ends for any reason. `owner` describes the holder.

use std::{
    fmt,
    fs::{File, OpenOptions, TryLockError},
    io::ErrorKind,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

use crate::StoreError;

/// The process that has a campaign open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockHolder {
    /// Process id, or 0 if it is unknown.
    pub pid: u32,
    /// File name of the program.
    pub program: String,
    /// Host name of the machine.
    pub host: String,
    /// Time when the lock was taken, formatted as `2026-11-20 14:31:54 UTC`.
    pub since: String,
}

impl LockHolder {
    fn this_process() -> Self {
        let program = std::env::current_exe().ok();
        let program = program.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Self {
            pid: std::process::id(),
            program: program.unwrap_or_else(|| "unknown".into()),
            host: host(),
            since: utc(seconds),
        }
    }

    fn read(path: &Path) -> Self {
        let read = std::fs::read(path).ok().and_then(|text| serde_json::from_slice(&text).ok());
        let unknown = || "unknown".to_owned();
        read.unwrap_or_else(|| Self { pid: 0, program: unknown(), host: unknown(), since: unknown() })
    }
}

impl fmt::Display for LockHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pid == 0 {
            return f.write_str("another program");
        }
        write!(f, "`{}` (process {} on {}, since {})", self.program, self.pid, self.host, self.since)
    }
}

fn host() -> String {
    let named = std::fs::read_to_string("/proc/sys/kernel/hostname").ok().map(|name| name.trim().to_owned());
    let named = named.filter(|name| !name.is_empty());
    let variable = |name| std::env::var(name).ok();
    named.or_else(|| variable("COMPUTERNAME")).or_else(|| variable("HOSTNAME")).unwrap_or_else(|| "this machine".into())
}

/// Formats seconds since 1970 as date and time, with Howard Hinnant's `civil_from_days`.
fn utc(seconds: u64) -> String {
    let (days, rest) = ((seconds / 86_400) as i64, seconds % 86_400);
    let z = days + 719_468;
    let (era, day_of_era) = (z.div_euclid(146_097), z.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02} UTC", rest / 3_600, rest / 60 % 60, rest % 60)
}

/// The lock of a directory. Dropping it releases the lock.
#[derive(Debug)]
pub(crate) struct Lock {
    _lock: File,
    file: PathBuf,
}

impl Lock {
    /// Locks the directory, or returns an error that names the lock holder. Takes over the files of a process that
    /// ended without closing.
    pub(crate) fn take(directory: &Path) -> Result<Self, StoreError> {
        let (lock_path, file) = (directory.join("owner.lock"), directory.join("owner"));
        let refused = |action, path: &Path, source: std::io::Error| match source.kind() {
            ErrorKind::StorageFull => StoreError::Full { place: directory.display().to_string(), action: "opened" },
            _ => StoreError::File {
                action,
                path: path.into(),
                advice: "choose a directory that this user may write to, on a local disk",
                source,
            },
        };
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&lock_path);
        let lock = lock.map_err(|source| refused("write", &lock_path, source))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Held { directory: directory.into(), holder: LockHolder::read(&file) });
            }
            Err(TryLockError::Error(source)) => return Err(refused("lock", &lock_path, source)),
        }
        if file.exists() {
            tracing::info!(directory = %directory.display(), holder = %LockHolder::read(&file), "taken over from a program that ended without closing");
        }
        let text = serde_json::to_vec(&LockHolder::this_process()).unwrap_or_default();
        std::fs::write(&file, text).map_err(|source| refused("write", &file, source))?;
        Ok(Self { _lock: lock, file })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The file is removed before the lock is released. Afterwards it may belong to another process.
        let _ = std::fs::remove_file(&self.file);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_become_dates() {
        assert_eq!(utc(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(utc(951_782_400), "2000-02-29 00:00:00 UTC");
        assert_eq!(utc(1_795_185_114), "2026-11-20 14:31:54 UTC");
    }
}

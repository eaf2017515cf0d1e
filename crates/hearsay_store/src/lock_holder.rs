//! Description of the process that has a campaign open.

use std::{fmt, path::Path, time::SystemTime};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// The process that has a campaign open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockHolder {
    /// Process id, or 0 if it is unknown.
    pub pid: u32,
    /// File name of the program that the process runs, or `unknown`.
    pub program: String,
    /// Host name of the machine on which the process runs.
    pub host: String,
    /// Time when the process locked the campaign, formatted as `2026-11-20 14:31:54 UTC`.
    pub since: String,
    /// Whether the process shares the campaign with other processes on the machine: see [`StoreOptions::share`].
    ///
    /// [`StoreOptions::share`]: crate::StoreOptions::share
    #[serde(default)]
    pub shares: bool,
}

impl LockHolder {
    /// Returns whether the process is not described.
    pub(crate) fn is_unknown(&self) -> bool {
        self.pid == 0
    }

    /// Returns whether the process runs on this machine.
    pub fn is_on_this_machine(&self) -> bool {
        self.host == host_name()
    }

    /// Describes this process.
    pub(crate) fn this_process(shares: bool) -> Self {
        let program = std::env::current_exe().ok();
        let program = program.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        Self {
            pid: std::process::id(),
            program: program.unwrap_or_else(|| "unknown".into()),
            host: host_name(),
            since: format_utc(SystemTime::now()),
            shares,
        }
    }

    /// Reads the description of a process from a file. If the file is not readable, all fields are `unknown` or 0.
    pub(crate) fn read(path: &Path) -> Self {
        let holder = std::fs::read(path).ok().and_then(|text| serde_json::from_slice(&text).ok());
        let unknown = || "unknown".to_owned();
        holder.unwrap_or_else(|| Self { pid: 0, program: unknown(), host: unknown(), since: unknown(), shares: false })
    }
}

impl fmt::Display for LockHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_unknown() {
            return f.write_str("another program");
        }
        write!(f, "`{}` (process {} on {}, since {})", self.program, self.pid, self.host, self.since)
    }
}

fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok().map(|name| name.trim().to_owned());
    let name = name.filter(|name| !name.is_empty());
    let variable = |name| std::env::var(name).ok();
    name.or_else(|| variable("COMPUTERNAME")).or_else(|| variable("HOSTNAME")).unwrap_or_else(|| "this machine".into())
}

/// Formats a time as date and time in UTC.
fn format_utc(time: SystemTime) -> String {
    DateTime::<Utc>::from(time).format("%Y-%m-%d %H:%M:%S UTC").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_in_utc() {
        let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_795_185_114);
        assert_eq!(format_utc(time), "2026-11-20 14:31:54 UTC");
    }
}

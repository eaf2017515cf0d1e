//! Description of the process that has a campaign open.

use std::{
    fmt,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

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
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Self {
            pid: std::process::id(),
            program: program.unwrap_or_else(|| "unknown".into()),
            host: host_name(),
            since: format_utc(seconds),
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

/// Formats seconds since 1970 as date and time in UTC. Uses Howard Hinnant's algorithm `civil_from_days`.
fn format_utc(seconds: u64) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_become_dates() {
        assert_eq!(format_utc(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(format_utc(951_782_400), "2000-02-29 00:00:00 UTC");
        assert_eq!(format_utc(1_795_185_114), "2026-11-20 14:31:54 UTC");
    }
}

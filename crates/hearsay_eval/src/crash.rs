//! Measures durability. Programs write to a campaign until they are killed at a random moment, their storage fails, or
//! their disk is full. The stored operations are then compared with the acknowledged operations. Copies of the
//! directory are also damaged and repaired.

use std::{io, process::Command};

use hearsay_store::testing::crash;
pub use hearsay_store::testing::crash::Findings;
use serde::Serialize;

/// The hidden command of `hearsay_eval` that writes to a campaign until it is killed.
pub const CHILD_COMMAND: &str = "crash-child";

/// Counts over all runs. In a *run*, one program writes to a campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Figures {
    /// Number of programs that were killed, or that ended because of a fault.
    pub runs: u64,
    /// Number of programs whose storage failed.
    pub storage_faults: u64,
    /// Number of programs whose disk was full. 0 if no disk can be mounted.
    pub full_disks: u64,
    /// Number of files that were damaged on purpose, in copies of the campaign directories.
    pub damaged_files: u64,
    /// Number of damaged files that were handled wrongly: the damage changed data and was not reported, or the repair
    /// lost readable data.
    pub mishandled_damage: u64,
    /// Number of acknowledged operations that are missing, plus the number of missing entries in files of derived data.
    pub lost: u64,
    /// Number of campaigns with operations that were stored only in part, or that no run wrote.
    pub half: u64,
    /// Number of records in the graph tables that differ from the state.
    pub graph_differences: u64,
    /// Number of failed openings: a directory could not be opened, or a program did not open it within two minutes.
    pub unopened: u64,
    /// Number of runs in which the database's write-ahead log rotated (continued in a new file).
    pub rotations_forced: u64,
    /// Number of rotations of the write-ahead log in all runs.
    pub rotations: u64,
    /// Number of acknowledged operations.
    pub operations: u64,
}

impl Figures {
    /// Returns whether no data was lost, incomplete or different, and every directory could be opened again.
    pub fn is_clean(&self) -> bool {
        self.lost + self.half + self.graph_differences + self.unopened + self.mishandled_damage == 0
    }
}

impl From<Findings> for Figures {
    fn from(findings: Findings) -> Self {
        let Findings {
            runs,
            storage_faults,
            full_disks,
            damaged_files,
            mishandled_damage,
            lost,
            half,
            graph_differences,
            unopened,
            rotations_forced,
            rotations,
            operations,
        } = findings;
        Self {
            runs,
            storage_faults,
            full_disks,
            damaged_files,
            mishandled_damage,
            lost,
            half,
            graph_differences,
            unopened,
            rotations_forced,
            rotations,
            operations,
        }
    }
}

/// Starts this program `runs` times as a writer, and kills it each time. Calls `progress` with the number of finished
/// runs. `seed` determines the written data and the moments of the kills.
///
/// # Errors
/// Returns an error if the program cannot be started or killed, or a directory cannot be created.
pub fn run(runs: u64, seed: u64, mut progress: impl FnMut(u64)) -> io::Result<Figures> {
    let program = std::env::current_exe()?;
    let start = || {
        let mut command = Command::new(&program);
        command.arg(CHILD_COMMAND);
        command
    };
    crash::run(runs, seed, &start, |findings| progress(findings.runs)).map(Figures::from)
}

/// Writes to a campaign until the process is killed. The hidden command [`CHILD_COMMAND`] calls this function.
pub fn child() {
    crash::child();
}

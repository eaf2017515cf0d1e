//! Durability: kills programs that write to a campaign at random points, or makes their storage fail or their disk
//! full. Compares the result with the acknowledged operations. Also damages and repairs copies of the directory.

use std::{io, process::Command};

use hearsay_store::testing::crash;
pub use hearsay_store::testing::crash::Findings;
use serde::Serialize;

/// The hidden command of `hearsay_eval` that is started and killed.
pub const CHILD_COMMAND: &str = "crash-child";

/// Totals of all runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Figures {
    /// Programs that were killed or ended because of a fault.
    pub runs: u64,
    /// Programs whose storage failed.
    pub storage_faults: u64,
    /// Programs whose disk was full. 0 if no disk can be mounted.
    pub full_disks: u64,
    /// Damaged files in copies of the directories.
    pub damaged_files: u64,
    /// Damaged files with an unreported damage that changed data, or after which readable data was lost.
    pub mishandled_damage: u64,
    /// Missing acknowledged operations and frames of derived data.
    pub lost: u64,
    /// Groups of operations that were stored in part.
    pub half: u64,
    /// Records of the graph tables that differ from the state.
    pub graph_differences: u64,
    /// Directories that did not open again.
    pub unopened: u64,
    /// Runs in which the log of the database rotated.
    pub rotations_forced: u64,
    /// Log rotations in all runs.
    pub rotations: u64,
    /// Acknowledged operations.
    pub operations: u64,
}

impl Figures {
    /// Whether nothing was lost, incomplete or different.
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

/// Starts and kills this program repeatedly while it writes. Calls `progress` with the number of finished runs.
///
/// # Errors
/// If the program cannot be started or killed, or a directory cannot be created.
pub fn run(runs: u64, seed: u64, mut progress: impl FnMut(u64)) -> io::Result<Figures> {
    let program = std::env::current_exe()?;
    let start = || {
        let mut command = Command::new(&program);
        command.arg(CHILD_COMMAND);
        command
    };
    crash::run(runs, seed, &start, |findings| progress(findings.runs)).map(Figures::from)
}

/// Runs the started program: writes until it is killed.
pub fn child() {
    crash::child();
}

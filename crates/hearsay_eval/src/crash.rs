//! Durability: programs that write to a campaign are killed at random points or meet a failing storage or a full disk, what
//! they leave is compared with what was acknowledged, and copies of it are damaged and repaired.

use std::{io, process::Command};

use hearsay_store::testing::crash;
pub use hearsay_store::testing::crash::Findings;
use serde::Serialize;

/// The hidden command of `hearsay_eval` that is started and killed.
pub const CHILD_COMMAND: &str = "crash-child";

/// The figures of all runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Figures {
    /// Programs that were killed, or ended because of a fault.
    pub runs: u64,
    /// Those whose storage failed.
    pub storage_faults: u64,
    /// Those whose disk was full. None, where no disk can be mounted.
    pub full_disks: u64,
    /// Files of copies of the directories that were damaged.
    pub damaged_files: u64,
    /// Those whose damage was not reported and changed something, or after which something was lost that could be read.
    pub mishandled_damage: u64,
    /// Acknowledged operations and frames of derived data that were missing.
    pub lost: u64,
    /// Groups of operations that were there in part.
    pub half: u64,
    /// Records of the graph tables that differed from the state.
    pub graph_differences: u64,
    /// Directories that did not open again.
    pub unopened: u64,
    /// Runs in which the log of the database rotated.
    pub rotations_forced: u64,
    /// Rotations of the log in all runs.
    pub rotations: u64,
    /// Operations that were acknowledged.
    pub operations: u64,
}

impl Figures {
    /// Whether nothing was lost, half there or different.
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

/// Kills this program again and again while it writes. `progress` hears how many runs are done.
///
/// # Errors
/// When the program cannot be started or killed, or a directory cannot be made.
pub fn run(runs: u64, seed: u64, mut progress: impl FnMut(u64)) -> io::Result<Figures> {
    let program = std::env::current_exe()?;
    let start = || {
        let mut command = Command::new(&program);
        command.arg(CHILD_COMMAND);
        command
    };
    crash::run(runs, seed, &start, |findings| progress(findings.runs)).map(Figures::from)
}

/// What the started program does: it writes until it is killed.
pub fn child() {
    crash::child();
}

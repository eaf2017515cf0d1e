//! Durability. Programs write to a campaign. They are killed at random moments, or their storage fails, or their disk
//! is full. The stored operations are then compared with the acknowledged operations. Copies of the directory are also
//! damaged and repaired.

use std::{io, process::Command};

use hearsay_store::testing::crash;
pub use hearsay_store::testing::crash::Findings;

/// The hidden command of `hearsay_eval` that writes to a campaign until it is killed.
pub const CHILD_COMMAND: &str = "crash-child";

/// Repeatedly starts this program as a writer, and kills it. Calls `progress` with the number of finished runs.
///
/// # Errors
/// If the program cannot be started or killed, or a directory cannot be created.
pub fn run(runs: u64, seed: u64, mut progress: impl FnMut(u64)) -> io::Result<Findings> {
    let program = std::env::current_exe()?;
    let start = || {
        let mut command = Command::new(&program);
        command.arg(CHILD_COMMAND);
        command
    };
    crash::run(runs, seed, &start, |findings| progress(findings.runs))
}

/// Writes to a campaign until the process is killed. This is the hidden command.
pub fn child() {
    crash::child();
}

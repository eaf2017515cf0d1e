//! Measures durability. Programs write to a campaign until they are killed at a random moment, their storage fails, or
//! their disk is full. The measurement then compares the stored operations with the operations whose commit the memory
//! confirmed. It also damages copies of the directory, and repairs them.

use std::{io, process::Command};

use hearsay_store::testing::crash;
pub use hearsay_store::testing::crash::{CrashFindings, CrashOptions};

/// The hidden command of `hearsay_eval` that writes to a campaign until it is killed.
pub const CHILD_COMMAND: &str = "crash-child";

/// Starts this program as a child that writes to a campaign, and kills the child. Repeats this for each run. Calls
/// `progress` with the number of finished runs.
///
/// # Errors
/// Returns an error if the program cannot be started or killed, or a directory cannot be created.
pub fn run(options: &CrashOptions, mut progress: impl FnMut(u64)) -> io::Result<CrashFindings> {
    let program = std::env::current_exe()?;
    let start = || {
        let mut command = Command::new(&program);
        command.arg(CHILD_COMMAND);
        command
    };
    crash::run(options, &start, |findings| progress(findings.runs))
}

/// Writes to a campaign until the process is killed. The hidden command [`CHILD_COMMAND`] calls this function.
pub fn child() {
    crash::child();
}

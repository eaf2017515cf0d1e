//! Handling of Ctrl-C. The first press stops the command cleanly and closes the memory. The second press ends the
//! program immediately.

use std::{
    io::{self, Write},
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use anyhow::Result;
use hearsay_engine::{MemoryError, Ticket};

use crate::output::{CliError, Output};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Whether the first press of Ctrl-C ends the program immediately.
static ENDS_IMMEDIATELY: AtomicBool = AtomicBool::new(false);

/// Exit code of a program that Ctrl-C stopped.
pub(crate) const EXIT_CODE: u8 = 130;

/// Installs the handler for Ctrl-C. Even an immediate end of the program is safe, because every acknowledged operation
/// is on the disk.
pub(crate) fn install() {
    let installed = ctrlc::set_handler(|| {
        let is_second = REQUESTED.swap(true, Ordering::Relaxed);
        if ENDS_IMMEDIATELY.load(Ordering::Relaxed) {
            let _ = writeln!(io::stderr(), "\nstopped by Ctrl-C; nothing was written");
        }
        if is_second || ENDS_IMMEDIATELY.load(Ordering::Relaxed) {
            std::process::exit(EXIT_CODE.into());
        }
    });
    if let Err(error) = installed {
        tracing::warn!("cannot install the Ctrl-C handler; Ctrl-C ends the program immediately: {error}");
    }
}

/// Runs a function that waits for the user and writes nothing. Meanwhile, the first press of Ctrl-C ends the program
/// immediately, because a read from the terminal cannot be stopped.
pub(crate) fn end_immediately_during<T>(run: impl FnOnce() -> T) -> T {
    ENDS_IMMEDIATELY.store(true, Ordering::Relaxed);
    let result = run();
    ENDS_IMMEDIATELY.store(false, Ordering::Relaxed);
    result
}

/// Returns whether the user pressed Ctrl-C.
pub(crate) fn is_requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// Returns an error if the user pressed Ctrl-C.
pub(crate) fn check() -> Result<()> {
    if is_requested() {
        Err(CliError::new(
            EXIT_CODE,
            "stopped by Ctrl-C; Hearsay saved each finished operation completely; `hearsay db history` lists the \
             saved operations",
        )
        .into())
    } else {
        Ok(())
    }
}

/// Waits for a result that may take a long time. Returns an error if the user presses Ctrl-C; work that is not
/// committed by then is lost.
pub(crate) fn wait<T>(ticket: &Ticket<T>) -> Result<T> {
    loop {
        match ticket.try_take() {
            Some(Err(MemoryError::Cancelled)) => check()?,
            Some(result) => return Ok(result?),
            None => {}
        }
        check()?;
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Waits as [`wait`] does, with a spinner on the terminal.
pub(crate) fn wait_with_spinner<T>(ticket: &Ticket<T>, label: &'static str, output: &Output) -> Result<T> {
    let spinner = output.spinner(label);
    let result = wait(ticket);
    spinner.finish_and_clear();
    result
}

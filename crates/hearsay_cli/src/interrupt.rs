//! Work that Ctrl-C stops cleanly: the command waits for results, and ends with an error if the user presses Ctrl-C.

use std::time::Duration;

use anyhow::Result;
use hearsay_engine::{MemoryError, Ticket};

pub(crate) use crate::ctrl_c::{EXIT_CODE, is_requested};
use crate::{
    ctrl_c::STOPPED,
    output::{CliError, Output},
};

/// Returns an error if the user pressed Ctrl-C.
pub(crate) fn check() -> Result<()> {
    if is_requested() { Err(CliError::new(EXIT_CODE, STOPPED).into()) } else { Ok(()) }
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

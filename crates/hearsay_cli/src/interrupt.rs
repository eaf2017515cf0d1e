//! Ctrl-C: the first stops cleanly and closes the memory, the second stops at once.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use anyhow::Result;
use hearsay_memory::{MemoryError, Ticket};

use crate::output::Fault;

static ASKED: AtomicBool = AtomicBool::new(false);

/// The exit code of a program that Ctrl-C stopped.
pub(crate) const CODE: u8 = 130;

/// Takes Ctrl-C over from the system. Stopping at once is safe too: what was acknowledged is on the disk.
pub(crate) fn install() {
    let installed = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(CODE.into());
        }
    });
    if let Err(error) = installed {
        tracing::warn!("Ctrl-C stops at once: {error}");
    }
}

/// Whether somebody wants to stop.
pub(crate) fn is_asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// Goes on, or stops.
pub(crate) fn check() -> Result<()> {
    if is_asked() {
        Err(Fault::new(CODE, "stopped; nothing half done is left, and `hearsay history` shows what was written").into())
    } else {
        Ok(())
    }
}

/// Waits for something that may take long. What is not committed when somebody wants to stop is not written.
pub(crate) fn wait<T>(ticket: &Ticket<T>) -> Result<T> {
    loop {
        match ticket.try_take() {
            Some(Err(MemoryError::Cancelled)) => check()?,
            Some(answer) => return Ok(answer?),
            None => {}
        }
        check()?;
        std::thread::sleep(Duration::from_millis(1));
    }
}

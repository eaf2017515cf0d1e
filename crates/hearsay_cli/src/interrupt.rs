//! Handling of Ctrl-C: the first press stops cleanly and closes the memory, the second stops at once.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use anyhow::Result;
use hearsay_memory::{MemoryError, Ticket};

use crate::output::Fault;

static ASKED: AtomicBool = AtomicBool::new(false);

/// Exit code of a program that Ctrl-C stopped.
pub(crate) const CODE: u8 = 130;

/// Installs the handler for Ctrl-C. Stopping at once is safe too: every acknowledged operation is on disk.
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

/// Whether the user asked to stop.
pub(crate) fn is_asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// Fails if the user asked to stop.
pub(crate) fn check() -> Result<()> {
    if is_asked() {
        Err(Fault::new(CODE, "stopped; nothing half done is left, and `hearsay db history` shows what was written")
            .into())
    } else {
        Ok(())
    }
}

/// Waits for a result that may take long. After an interruption, uncommitted work is not written.
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

//! The lock file of SurrealKV.

use std::{fs::OpenOptions, path::Path};

/// Returns whether SurrealKV's lock on a directory is free.
pub(crate) fn is_released(directory: &Path) -> bool {
    match OpenOptions::new().write(true).open(directory.join("LOCK")) {
        Ok(file) => file.try_lock().is_ok(),
        Err(_) => true,
    }
}

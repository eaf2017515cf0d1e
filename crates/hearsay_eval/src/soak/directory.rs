//! Functions to open the directory of a village.

use std::{path::Path, time::Instant};

use anyhow::Result;
use hearsay_engine::{Location, Memory, MemoryOptions, Settings};

/// Returns options to open a directory, without sentence encoder and extraction.
pub(super) fn options(directory: &Path) -> MemoryOptions {
    let mut settings = Settings::default();
    settings.model.enabled = false;
    // The extractor is not measured.
    settings.extraction.enabled = false;
    let location = Location::Directory(directory.to_owned());
    MemoryOptions { location, settings, ..MemoryOptions::in_memory() }
}

/// Opens a directory. Returns the memory and the time that opening took, in milliseconds.
pub(super) fn timed_open(directory: &Path) -> Result<(Memory, f64)> {
    let since = Instant::now();
    let memory = Memory::open(options(directory))?;
    memory.status()?.wait()?;
    Ok((memory, since.elapsed().as_secs_f64() * 1e3))
}

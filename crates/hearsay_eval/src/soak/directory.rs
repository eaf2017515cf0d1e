//! Functions to open the directory of a village.

use std::{path::Path, time::Instant};

use anyhow::Result;
use hearsay_engine::{Location, Memory, MemoryOptions, Settings};

/// Returns the options to open a directory without the sentence encoder and without extraction.
pub(super) fn options(directory: &Path) -> MemoryOptions {
    let mut settings = Settings::default();
    settings.model.enabled = false;
    // Extraction is off, because it is not part of the measurement.
    settings.extraction.enabled = false;
    let location = Location::Directory(directory.to_owned());
    MemoryOptions { location, settings, ..MemoryOptions::in_memory() }
}

/// Opens a directory. Returns the memory and the time that opening took, in milliseconds.
pub(super) fn timed_open(directory: &Path) -> Result<(Memory, f64)> {
    let start = Instant::now();
    let memory = Memory::open(options(directory))?;
    memory.status()?.wait()?;
    Ok((memory, start.elapsed().as_secs_f64() * 1e3))
}

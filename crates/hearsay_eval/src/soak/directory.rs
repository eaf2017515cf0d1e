//! Functions to open the directory of a village.

use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

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

/// Number of times that [`opening_times`] opens each directory.
const OPENINGS: usize = 5;

/// Returns the median time to open each directory, in milliseconds. Each time, a new copy of the directory is opened,
/// because opening a directory changes its files.
pub(super) fn opening_times(directories: [&Path; 2]) -> Result<[f64; 2]> {
    let mut times = [const { Vec::new() }; 2];
    for _ in 0..OPENINGS {
        for (directory, times) in directories.iter().zip(&mut times) {
            let copies = tempfile::tempdir_in(directory.parent().unwrap_or(directory))?;
            let copy = copies.path().join("copy");
            hearsay_store::testing::damage::copy(directory, &copy)?;
            let (memory, time) = timed_open(&copy)?;
            memory.close()?;
            times.push(time);
        }
    }
    Ok(times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[OPENINGS / 2]
    }))
}

/// Waits until the graph tables contain all operations, and until the journal is not being compacted.
pub(super) fn finish_background_work(memory: &Memory) -> Result<()> {
    loop {
        let status = memory.status()?.wait()?;
        if status.projected >= status.position && !status.compacting {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(20));
    }
}

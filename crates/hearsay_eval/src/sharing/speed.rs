//! The time of writes of the owner and of attached programs, and the time until other programs see a write.

use std::{
    path::Path,
    thread::{self, ScopedJoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use hearsay_engine::{Event, Memory};
use serde::Serialize;

use super::{add_subjects, open, programs::STALL_LIMIT, write};
use crate::readers::TimeQuantiles;

/// Result of a measurement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SharingSpeed {
    /// Times of writes of the owner, while no other program has the campaign open.
    pub owner: TimeQuantiles,
    /// Times of writes of one attached program.
    pub attached: TimeQuantiles,
    /// The median of `attached` divided by the median of `owner`.
    pub ratio: f64,
    /// Number of attached programs that write at the same time.
    pub writers: usize,
    /// Writes per second of all these programs together.
    pub writes_per_second: f64,
    /// Times from the acknowledgement of a write of one attached program until another attached program has it.
    pub visible: TimeQuantiles,
}

/// Measures `writes` writes of the owner, of one attached program, and of each of `writers` attached programs at the
/// same time, in an empty directory. All programs are memories of this process; they communicate in the same way as
/// separate processes.
///
/// # Errors
/// Returns an error if a memory cannot be opened or written.
pub fn measure(directory: &Path, writers: usize, writes: usize) -> Result<SharingSpeed> {
    let owner = open(directory)?;
    add_subjects(&owner, writers + 2)?;
    let owner_times = time_writes(&owner, 0, writes)?;
    let attached = (0..writers.max(2)).map(|_| open(directory)).collect::<Result<Vec<_>>>()?;
    let [first, second, ..] = &attached[..] else { unreachable!("at least two programs are attached") };
    let (attached_times, visible_times) = time_seen_writes(first, second, 1, writes)?;
    let writes_per_second = write_together(&attached[..writers], 2, writes)?;
    for memory in attached {
        memory.close()?;
    }
    owner.close()?;
    let (owner, attached) = (TimeQuantiles::from_times(owner_times), TimeQuantiles::from_times(attached_times));
    let visible = TimeQuantiles::from_times(visible_times);
    Ok(SharingSpeed { owner, attached, ratio: attached.p50_ms / owner.p50_ms, writers, writes_per_second, visible })
}

/// Writes notes about the entity of a program, and returns the time of each write.
///
/// # Errors
/// Returns an error if a write fails.
pub(crate) fn time_writes(memory: &Memory, program: usize, writes: usize) -> Result<Vec<Duration>> {
    let time = |number| -> Result<Duration> {
        let started = Instant::now();
        write(memory, program, number)?;
        Ok(started.elapsed())
    };
    (0..writes).map(time).collect()
}

/// Writes notes about the entity of a program with one memory. Returns the time of each write, and the time from its
/// acknowledgement until the other memory has it.
///
/// # Errors
/// Returns an error if a write fails, or if the other memory does not see a write within [`STALL_LIMIT`].
pub(crate) fn time_seen_writes(
    writer: &Memory,
    reader: &Memory,
    program: usize,
    writes: usize,
) -> Result<(Vec<Duration>, Vec<Duration>)> {
    let (mut write_times, mut visible_times) = (Vec::new(), Vec::new());
    for number in 0..writes {
        let started = Instant::now();
        let written = write(writer, program, number)?;
        let acknowledged = Instant::now();
        write_times.push(acknowledged - started);
        loop {
            let event = reader.events().recv_timeout(STALL_LIMIT).context("the other program does not see a write")?;
            if matches!(event, Event::Applied { position, .. } if position >= written) {
                break;
            }
        }
        visible_times.push(acknowledged.elapsed());
    }
    Ok((write_times, visible_times))
}

/// Writes notes with all memories at the same time. The first memory writes about the entity of `first_program`. Returns
/// the number of writes per second.
///
/// # Errors
/// Returns an error if a write fails.
pub(crate) fn write_together(memories: &[Memory], first_program: usize, writes: usize) -> Result<f64> {
    let started = Instant::now();
    thread::scope(|scope| {
        let threads: Vec<_> = (first_program..)
            .zip(memories)
            .map(|(program, memory)| scope.spawn(move || time_writes(memory, program, writes).map(drop)))
            .collect();
        let join = |thread: ScopedJoinHandle<'_, Result<()>>| {
            thread.join().unwrap_or_else(|_| bail!("a writing thread panicked"))
        };
        threads.into_iter().try_for_each(join)
    })?;
    Ok((memories.len() * writes) as f64 / started.elapsed().as_secs_f64())
}

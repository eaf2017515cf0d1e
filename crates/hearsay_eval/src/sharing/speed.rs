//! The time of writes of the owner and of attached programs, and the time until other programs see a write.

use std::{
    path::Path,
    thread::{self, ScopedJoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use hearsay_engine::{Event, Memory};
use serde::Serialize;

use super::{add_subjects, open, write};
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
    let timed = |memory: &Memory, program: usize, number: usize| -> Result<Duration> {
        let started = Instant::now();
        write(memory, program, number)?;
        Ok(started.elapsed())
    };
    let owner_times = (0..writes).map(|number| timed(&owner, 0, number)).collect::<Result<Vec<_>>>()?;
    let attached = (0..writers.max(2)).map(|_| open(directory)).collect::<Result<Vec<_>>>()?;
    let [first, second, ..] = &attached[..] else { unreachable!("at least two programs are attached") };
    let (mut attached_times, mut visible_times) = (Vec::new(), Vec::new());
    for number in 0..writes {
        second.events().try_iter().for_each(drop);
        attached_times.push(timed(first, 1, number)?);
        let acknowledged = Instant::now();
        let seen = second.events().iter().find(|event| matches!(event, Event::Applied { .. }));
        seen.context("the other program has closed")?;
        visible_times.push(acknowledged.elapsed());
    }
    let started = Instant::now();
    thread::scope(|scope| {
        let start =
            |(number, memory)| scope.spawn(move || (0..writes).try_for_each(|note| write(memory, number + 2, note)));
        let threads: Vec<_> = attached.iter().take(writers).enumerate().map(start).collect();
        let join = |thread: ScopedJoinHandle<'_, Result<()>>| {
            thread.join().unwrap_or_else(|_| bail!("a writing thread panicked"))
        };
        threads.into_iter().try_for_each(join)
    })?;
    let writes_per_second = (writers * writes) as f64 / started.elapsed().as_secs_f64();
    for memory in attached {
        memory.close()?;
    }
    owner.close()?;
    let (owner, attached) = (TimeQuantiles::from_times(owner_times), TimeQuantiles::from_times(attached_times));
    let visible = TimeQuantiles::from_times(visible_times);
    Ok(SharingSpeed { owner, attached, ratio: attached.p50_ms / owner.p50_ms, writers, writes_per_second, visible })
}

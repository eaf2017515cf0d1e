//! Measures how much slower durable writes are while panels and an export read the same campaign.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use hearsay_engine::{Memory, MemoryOptions, ReadSnapshot, Settings};
use hearsay_model::{Author, Change, Fact, Method, Operation, Provenance};
use hearsay_query as query;
use hearsay_store::Location;
use serde::Serialize;

use crate::speed;

/// Time between two reads of a panel. The panels of the DM's console read at the same interval after changes.
const PANEL_INTERVAL: Duration = Duration::from_millis(250);

/// Median and 99th percentile of several times.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TimeQuantiles {
    /// The median of the times, in milliseconds.
    pub p50_ms: f64,
    /// The 99th percentile of the times, in milliseconds.
    pub p99_ms: f64,
}

/// Times of writes with and without readers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Readers {
    /// Number of facts in the campaign.
    pub facts: usize,
    /// Number of measured writes without readers, and also the number of measured writes with readers.
    pub writes: usize,
    /// Times of writes without readers.
    pub alone: TimeQuantiles,
    /// Times of writes while four panels and an export read the campaign.
    pub read: TimeQuantiles,
    /// The 99th percentile of `read`, divided by the 99th percentile of `alone`.
    pub ratio: f64,
    /// Number of reads by the panels and the export during the writes.
    pub readings: u64,
}

/// A function that reads data from a snapshot, and returns the number of values that it read.
type Reading = fn(&ReadSnapshot) -> usize;

/// The reads of four panels and an export.
const READERS: [(Reading, Duration); 5] = [
    (|world| query::review::review(&world.state, &world.learned, 50).0.len(), PANEL_INTERVAL),
    (
        |world| {
            query::timeline::timeline(&world.state, &query::timeline::TimelineFilter::default())
                .map_or(0, |found| found.all)
        },
        PANEL_INTERVAL,
    ),
    (
        |world| {
            query::journal::operations(&world.state, &query::journal::HistoryFilter { limit: 50, ..Default::default() })
                .rows
                .len()
        },
        PANEL_INTERVAL,
    ),
    (|world| query::stats::stats(&world.state).predicates.len(), PANEL_INTERVAL),
    (export_size, Duration::ZERO),
];

fn export_size(world: &ReadSnapshot) -> usize {
    let mut lines = Vec::new();
    hearsay_campaign::export_jsonl(&world.state, &mut lines).map_or(0, |()| lines.len())
}

/// Writes a generated campaign with `entities` entities and about `facts` facts to a directory. Then measures `writes`
/// writes to this campaign without readers, and `writes` writes with readers.
///
/// # Errors
/// Returns an error if the memory cannot be opened or written.
pub fn measure(directory: &Path, entities: usize, facts: usize, writes: usize) -> Result<Readers> {
    let mut settings = Settings::default();
    (settings.model.enabled, settings.extraction.enabled) = (false, false);
    let location = Location::Directory(directory.to_owned());
    let memory = Memory::open(MemoryOptions { settings, location, ..MemoryOptions::in_memory() })?;
    let (people, changes) = speed::GeneratedWorld::generate(entities, facts)?.into_parts();
    memory.write(move |_| Ok(Operation::new(Author::Dm, "found the world", changes.clone())))?.wait()?;
    // Waits until the index and the graph tables contain the new world.
    loop {
        let status = memory.status()?.wait()?;
        if status.unindexed == 0 && status.projected == status.position {
            break;
        }
        thread::sleep(Duration::from_millis(50));
    }
    let subject = people.first().context("the generated world has no people")?.clone();
    let write = |n: usize| -> Result<Duration> {
        let lore = format!("Note {n}: the ferry left late.");
        let provenance = Provenance::new(Method::Authored, Author::Dm);
        let fact = Arc::new(Fact::attribute(&subject, "lore", lore, provenance)?.build()?);
        let start = Instant::now();
        memory
            .write(move |_| Ok(Operation::new(Author::Dm, "note", vec![Change::AssertFact(Arc::clone(&fact))])))?
            .wait()?;
        Ok(start.elapsed())
    };
    let alone = (0..writes).map(write).collect::<Result<Vec<_>>>()?;
    let (stop, readings) = (AtomicBool::new(false), AtomicU64::new(0));
    let read = thread::scope(|scope| {
        for (reading, pause) in READERS {
            let (memory, stop, readings) = (&memory, &stop, &readings);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let result =
                        memory.read_in_background(move |world| Ok(reading(world))).and_then(|ticket| ticket.wait());
                    readings.fetch_add(u64::from(result.is_ok()), Ordering::Relaxed);
                    thread::sleep(pause);
                }
            });
        }
        let read = (writes..2 * writes).map(write).collect::<Result<Vec<_>>>();
        stop.store(true, Ordering::Relaxed);
        read
    })?;
    memory.close()?;
    let (alone, read) = (TimeQuantiles::from_times(alone), TimeQuantiles::from_times(read));
    let readings = readings.into_inner();
    Ok(Readers { facts, writes, alone, read, ratio: read.p99_ms / alone.p99_ms, readings })
}

impl TimeQuantiles {
    /// Computes the quantiles of the given times.
    pub fn from_times(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let quantile = |percent: usize| {
            times.get(times.len() * percent / 100).or(times.last()).map_or(0.0, |time| time.as_secs_f64() * 1e3)
        };
        Self { p50_ms: quantile(50), p99_ms: quantile(99) }
    }
}

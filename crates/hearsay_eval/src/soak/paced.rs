//! Simulates the village at the speed of a game. Like the Bevy plugin, the simulation collects changes for a quarter of
//! a second before it sends them to the memory.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use hearsay_commands::patches::{Patch, Patches};
use hearsay_engine::{Memory, MemoryError, Patched, Ticket};
use hearsay_model::{Author, EntityId, GameTime};
use serde::Serialize;

use super::{
    directory::{options, timed_open},
    village::Village,
};
use crate::{frames::quantile, speed::resident};

/// Parameters of a run of [`measure_paced`].
#[derive(Debug, Clone, Copy)]
pub struct PacedPlan {
    /// Number of people in the village.
    pub people: usize,
    /// Number of moves per second of real time.
    pub moves_per_second: usize,
    /// Duration of the run, in seconds.
    pub seconds: u64,
}

/// The result of [`measure_paced`].
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PacedResult {
    /// Number of people in the village.
    pub people: usize,
    /// Number of moves.
    pub moves: usize,
    /// Number of game events in which people say, tell or see something.
    pub talk: usize,
    /// Duration of the run, in seconds.
    pub seconds: f64,
    /// Median commit lag in the first tenth of the run, in milliseconds. The commit lag is the time from the first
    /// change of a batch to the commit of the batch.
    pub lag_ms_p50_begin: f64,
    /// 99th percentile of the commit lag in the first tenth of the run, in milliseconds.
    pub lag_ms_p99_begin: f64,
    /// Median commit lag in the last tenth of the run, in milliseconds.
    pub lag_ms_p50_end: f64,
    /// 99th percentile of the commit lag in the last tenth of the run, in milliseconds.
    pub lag_ms_p99_end: f64,
    /// Processor time that the memory's worker thread takes per move, in microseconds, at several moments of the run.
    /// Each pair contains the number of moves before that moment, and the processor time per move. The list is empty on
    /// systems other than Linux.
    pub worker_us_per_move: Vec<(usize, f64)>,
    /// Resident memory of this program at the beginning and at the end of the run, in bytes. `None` on systems other
    /// than Linux.
    pub resident_bytes: Option<(u64, u64)>,
    /// Size of the directory after closing, in bytes.
    pub directory_bytes: u64,
    /// Time to open the directory, in milliseconds.
    pub open_ms: f64,
}

/// `COLLECTION_TIME` is the time for which changes are collected into a batch. `MAX_IN_FLIGHT` is the maximum number of
/// batches that are sent but not acknowledged yet. Both values are the same as in the Bevy plugin.
const COLLECTION_TIME: Duration = Duration::from_millis(250);
const MAX_IN_FLIGHT: usize = 2;

/// `MEASUREMENT_STARTS` contains the numbers of moves after which a measurement of the worker starts. `WINDOW` is the
/// number of moves in each measurement.
const MEASUREMENT_STARTS: [usize; 4] = [100, 1_000, 10_000, 100_000];
const WINDOW: usize = 1_000;

/// Number of game events per second in which people say, tell or see something.
const EVENTS_PER_SECOND: usize = 2;

struct Batch {
    start: Instant,
    ticket: Ticket<Patched>,
}

/// Simulates the village at the speed of a game, and writes to `directory`. Calls `report` repeatedly with the number
/// of moves so far.
///
/// # Errors
/// Returns an error if the village has fewer than 8 people, if the memory returns an error, or if it refuses a move.
pub fn measure_paced(plan: PacedPlan, directory: &Path, report: &mut dyn FnMut(usize)) -> Result<PacedResult> {
    ensure!(plan.people >= 8, "{} people are too few for a village; pass at least 8 people", plan.people);
    let mut village = Village::new(plan.people)?;
    let memory = Memory::open(options(directory))?;
    village.settle(&memory)?;
    let (start, duration) = (Instant::now(), Duration::from_secs(plan.seconds));
    let resident_begin = resident();
    let mut pending_patches: BTreeMap<EntityId, Patch> = BTreeMap::new();
    let (mut batch_start, mut sent_batches, mut talk_tickets) = (None::<Instant>, Vec::<Batch>::new(), Vec::new());
    let (mut moves, mut committed_moves, mut batch_sizes) = (0, 0, Vec::<usize>::new());
    let (mut lags, mut costs, mut clock) = (Vec::new(), WorkerCosts::default(), 0);
    while start.elapsed() < duration
        || !sent_batches.is_empty()
        || !pending_patches.is_empty()
        || !talk_tickets.is_empty()
    {
        let elapsed = start.elapsed().min(duration);
        let due = (elapsed.as_secs_f64() * plan.moves_per_second as f64) as usize;
        while moves < due {
            let person = village.random_person();
            let (id, patch) = village.move_person(person);
            pending_patches.entry(id).or_default().merge_later(patch);
            batch_start.get_or_insert_with(Instant::now);
            moves += 1;
        }
        if sent_batches.len() < MAX_IN_FLIGHT
            && batch_start.is_some_and(|batch_start| batch_start.elapsed() >= COLLECTION_TIME)
        {
            clock += 1;
            let time = GameTime(clock / 4);
            let entities = pending_patches.clone().into_iter().collect();
            let patches = Patches { entities, clock: Some(time), ..Patches::default() };
            match memory.patch(Author::Game, Arc::new(patches)) {
                Ok(ticket) => {
                    batch_sizes.push(pending_patches.len());
                    pending_patches.clear();
                    sent_batches.extend(batch_start.take().map(|batch_start| Batch { start: batch_start, ticket }));
                }
                Err(MemoryError::Full { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        while village.event_count < elapsed.as_secs() as usize * EVENTS_PER_SECOND && talk_tickets.len() < 64 {
            let game_event = village.next_event();
            match memory.learn(Author::Game, game_event) {
                Ok(ticket) => talk_tickets.push(ticket),
                Err(MemoryError::Full { .. }) => village.event_count -= 1,
                Err(error) => return Err(error.into()),
            }
        }
        while let Some(answer) = sent_batches.first().and_then(|batch| batch.ticket.try_take()) {
            let refused = answer?.refused;
            ensure!(refused.is_empty(), "a move was refused: {refused:?}");
            let Batch { start: batch_start, .. } = sent_batches.remove(0);
            committed_moves += batch_sizes.remove(0);
            lags.push((start.elapsed(), batch_start.elapsed().as_secs_f64() * 1e3));
            costs.record(committed_moves);
            report(moves);
        }
        take_finished(&mut talk_tickets)?;
        thread::sleep(Duration::from_millis(4));
    }
    costs.end(committed_moves);
    let seconds = start.elapsed().as_secs_f64();
    let resident_bytes = resident_begin.zip(resident());
    memory.close()?;
    let directory_bytes = crate::speed::bytes_below(directory)?;
    let (memory, open_ms) = timed_open(directory)?;
    memory.close()?;
    // Commits after the end of the run are included in the last tenth of the run.
    let ((p50_begin, p99_begin), (p50_end, p99_end)) = (
        lag_quantiles(&lags, duration, (0.0, 0.3_f64.min(0.1 + 1.0 / seconds))),
        lag_quantiles(&lags, duration, (0.9, f64::MAX)),
    );
    Ok(PacedResult {
        people: plan.people,
        moves,
        talk: village.event_count,
        seconds,
        lag_ms_p50_begin: p50_begin,
        lag_ms_p99_begin: p99_begin,
        lag_ms_p50_end: p50_end,
        lag_ms_p99_end: p99_end,
        worker_us_per_move: costs.per_move,
        resident_bytes,
        directory_bytes,
        open_ms,
    })
}

/// Removes the tickets of game events that are committed or failed.
///
/// # Errors
/// Returns the error of a game event that failed.
fn take_finished<T>(tickets: &mut Vec<Ticket<T>>) -> Result<()> {
    let mut failed = None;
    tickets.retain(|ticket| match ticket.try_take() {
        Some(Err(error)) => {
            failed = Some(error);
            false
        }
        Some(Ok(_)) => false,
        None => true,
    });
    failed.map_or(Ok(()), |error| Err(error.into()))
}

/// Returns the median and the 99th percentile of the commit lags in a part of the run. `lags` contains the time since
/// the start and the lag of each batch. The bounds of the part are fractions of the duration.
fn lag_quantiles(lags: &[(Duration, f64)], duration: Duration, (from, to): (f64, f64)) -> (f64, f64) {
    let is_within = |at: &Duration| (from..=to).contains(&(at.as_secs_f64() / duration.as_secs_f64().max(0.001)));
    let mut lags: Vec<f64> = lags.iter().filter(|(at, _)| is_within(at)).map(|(_, lag)| *lag).collect();
    lags.sort_by(f64::total_cmp);
    (quantile(&lags, 0.5), quantile(&lags, 0.99))
}

/// The worker's processor time per move. A measurement starts at each of the [`MEASUREMENT_STARTS`].
#[derive(Default)]
struct WorkerCosts {
    per_move: Vec<(usize, f64)>,
    /// The running measurement: its entry in [`MEASUREMENT_STARTS`], and the number of moves and the worker's processor
    /// time at its start.
    window: Option<(usize, usize, Duration)>,
    started: usize,
    last: Vec<(usize, Duration)>,
}

impl WorkerCosts {
    fn record(&mut self, moves: usize) {
        let Some(processor_time) = worker_time() else { return };
        self.last.push((moves, processor_time));
        if let Some((mark, from, time_before)) = self.window
            && moves >= from + WINDOW
        {
            self.add(mark, (from, time_before), (moves, processor_time));
            self.window = None;
        }
        if self.window.is_none()
            && let Some(mark) = MEASUREMENT_STARTS.get(self.started).filter(|mark| moves >= **mark)
        {
            self.window = Some((*mark, moves, processor_time));
            self.started += 1;
        }
    }

    /// Adds a measurement of about the last ten [`WINDOW`]s of moves.
    fn end(&mut self, moves: usize) {
        let from = self.last.iter().rev().find(|(at, _)| at + 10 * WINDOW <= moves).copied();
        if let (Some(from), Some(to)) = (from, self.last.last().copied()) {
            self.add(from.0, from, to);
        }
    }

    fn add(&mut self, mark: usize, from: (usize, Duration), to: (usize, Duration)) {
        let processor_time = to.1.saturating_sub(from.1).as_secs_f64() * 1e6;
        self.per_move.push((mark, processor_time / (to.0 - from.0).max(1) as f64));
    }
}

/// Returns the processor time that the memory's worker thread has used so far. Returns `None` except on Linux.
fn worker_time() -> Option<Duration> {
    let tasks = std::fs::read_dir("/proc/self/task").ok()?;
    tasks.flatten().map(|task| task.path()).find_map(|task| {
        let name = std::fs::read_to_string(task.join("comm")).ok()?;
        if name.trim() != "hearsay-worker" {
            return None;
        }
        let used = std::fs::read_to_string(task.join("schedstat")).ok()?;
        Some(Duration::from_nanos(used.split_ascii_whitespace().next()?.parse().ok()?))
    })
}

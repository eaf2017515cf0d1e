//! Simulates programs that append to one journal through a network that delays, reorders and loses messages.
//!
//! Time is virtual and every choice comes from a seed, so a schedule that fails can be run again. Requests that a
//! program no longer waits for still reach the server later. The code under test is [`Follower`].

use std::{
    collections::{BTreeMap, BTreeSet},
    future::poll_fn,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard},
    task::{Poll, Waker},
    time::Duration,
};

use futures_executor::LocalPool;
use futures_util::{future::select, task::LocalSpawnExt};
use hearsay_model::{Author, Change, Entity, EntityId, GameTime, Operation, TransientUpdate};
use uuid::Uuid;

use super::{
    follower::{Follower, Observer, Outcome},
    journal::{Append, AppendFailure, Changes, End, Found, ReadFailure, SharedJournal},
};
use crate::journal::JournalPosition;

/// Number of schedules. With the environment variable `HEARSAY_SCHEDULES`, another number runs.
const SCHEDULES: u64 = 10_000;

const WRITERS: usize = 3;
const READERS: usize = 2;
const APPENDS_PER_WRITER: usize = 6;

/// Maximum number of rows in an answer. Small, so that programs read the journal in several parts.
const PAGE_ROWS: usize = 3;

/// The beginning of every journal.
const EMPTY: End = End { last: JournalPosition::EMPTY, next_row: 0, batch: 0 };

type Event = Box<dyn FnOnce() + Send>;

/// Everything that the programs share: the clock, the network and the server.
#[derive(Default)]
struct World {
    now: u64,
    /// Events by their time and number.
    events: BTreeMap<(u64, u64), Event>,
    next_event: u64,
    random: u64,
    /// Rows of the server's journal.
    rows: Vec<Found>,
    /// For each program, the time until which all its messages are lost.
    cut_until: BTreeMap<usize, u64>,
    /// Share of lost messages, in percent.
    loss: u64,
    longest_delay: u64,
    /// Whether connections are cut and transactions conflict without a reason.
    has_faults: bool,
    /// Time that the transaction of an append takes.
    commit_time: u64,
    /// Time after which a program no longer waits for an answer.
    answer_timeout: u64,
    /// Number of attempts to append that reached the server.
    attempts: u64,
    /// Number of units of virtual time in a millisecond.
    units: u64,
    /// What happened, to compare two runs of the same seed.
    trace: blake3::Hasher,
}

impl World {
    fn random(&mut self, below: u64) -> u64 {
        // SplitMix64.
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % below
    }

    fn schedule(&mut self, after: u64, event: Event) {
        self.next_event += 1;
        self.events.insert((self.now + after, self.next_event), event);
    }

    /// Returns the delay of a message, or `None` if the message is lost.
    fn delay(&mut self, program: usize) -> Option<u64> {
        if self.has_faults && self.random(100) < 2 {
            let until = self.now + self.random(3_000);
            self.cut_until.insert(program, until);
        }
        let is_cut = self.cut_until.get(&program).is_some_and(|until| self.now < *until);
        let (is_lost, longest) = (self.random(100) < self.loss, self.longest_delay);
        // A few messages are so late that the program has already sent another request.
        let delay =
            if self.has_faults && self.random(20) == 0 { self.random(longest * 10) } else { self.random(longest) };
        (!is_cut && !is_lost).then_some(delay)
    }

    fn end(&self) -> End {
        self.rows.last().map_or(EMPTY, |row| row.end)
    }

    /// Appends as the transaction of the real journal does.
    fn append(&mut self, after: End, append: &Append) -> Result<End, AppendFailure> {
        self.attempts += 1;
        if self.has_faults && self.random(50) == 0 {
            return Err(AppendFailure::Conflict);
        }
        let mut end = self.end();
        if end != after {
            return Err(AppendFailure::Conflict);
        }
        let Changes { operation, transients } = append.changes.clone();
        if let Some(operation) = operation {
            end.last = end.last.next(&operation.summary);
            let changes = Changes { operation: Some(operation), transients: TransientUpdate::default() };
            self.rows.push(Found { id: Some(append.id), changes, end });
        }
        if !transients.is_empty() {
            end.next_row += 1;
            self.rows.push(Found { id: Some(append.id), changes: Changes { operation: None, transients }, end });
        }
        Ok(end)
    }

    fn rows_after(&self, end: End) -> Vec<Found> {
        let first = self.rows.iter().position(|row| row.end == end).map_or(0, |index| index + 1);
        let page: Vec<Found> = self.rows[first..].iter().take(PAGE_ROWS).cloned().collect();
        page
    }
}

/// A shared world.
#[derive(Clone)]
struct Simulation(Arc<Mutex<World>>);

impl Simulation {
    fn lock(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap()
    }

    async fn sleep(&self, milliseconds: u64) {
        let slot = Slot::<()>::default();
        let filled = slot.clone();
        self.lock().schedule(milliseconds, Box::new(move || filled.fill(())));
        slot.wait().await;
    }

    /// Sends a request to the server, which takes the given time, and waits for its answer. Returns `None` if no answer arrives in time. The server
    /// may nevertheless handle the request, now or later.
    async fn request<T: Send + 'static>(
        &self,
        program: usize,
        duration: u64,
        handle: impl FnOnce(&mut World) -> T + Send + 'static,
    ) -> Option<T> {
        let slot = Slot::<Option<T>>::default();
        self.send(program, duration, handle, &slot);
        slot.wait().await
    }

    /// Schedules the arrival of a request, of its answer, and of the time limit.
    fn send<T: Send + 'static>(
        &self,
        program: usize,
        duration: u64,
        handle: impl FnOnce(&mut World) -> T + Send + 'static,
        slot: &Slot<Option<T>>,
    ) {
        let mut world = self.lock();
        if let Some(delay) = world.delay(program) {
            let (server, answer) = (self.clone(), slot.clone());
            world.schedule(
                delay + duration,
                Box::new(move || {
                    let mut world = server.lock();
                    let result = handle(&mut world);
                    if let Some(delay) = world.delay(program) {
                        world.schedule(delay, Box::new(move || answer.fill(Some(result))));
                    }
                }),
            );
        }
        let expired = slot.clone();
        let timeout = world.answer_timeout;
        world.schedule(timeout, Box::new(move || expired.fill(None)));
    }

    /// Runs the tasks of the pool and the events of the world until nothing is left to do.
    fn run(&self, pool: &mut LocalPool) {
        loop {
            pool.run_until_stalled();
            let mut world = self.lock();
            let Some(((time, number), event)) = world.events.pop_first() else { return };
            world.now = time;
            world.trace.update(&time.to_le_bytes()).update(&number.to_le_bytes());
            drop(world);
            event();
        }
    }
}

/// A place for a value that arrives once. Later values are ignored.
struct Slot<T>(Arc<Mutex<SlotState<T>>>);

struct SlotState<T> {
    value: Option<T>,
    waker: Option<Waker>,
    is_filled: bool,
}

impl<T> Clone for Slot<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(SlotState { value: None, waker: None, is_filled: false })))
    }
}

impl<T> Slot<T> {
    fn fill(&self, value: T) {
        let mut slot = self.0.lock().unwrap();
        if !std::mem::replace(&mut slot.is_filled, true) {
            slot.value = Some(value);
            if let Some(waker) = slot.waker.take() {
                waker.wake();
            }
        }
    }

    async fn wait(self) -> T {
        poll_fn(|context| {
            let mut slot = self.0.lock().unwrap();
            match slot.value.take() {
                Some(value) => Poll::Ready(value),
                None => {
                    slot.waker = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await
    }
}

/// The journal as one program reaches it.
struct DistantJournal {
    simulation: Simulation,
    program: usize,
}

impl SharedJournal for DistantJournal {
    async fn append(&self, after: End, append: &Append) -> Result<End, AppendFailure> {
        let append = append.clone();
        let commit_time = self.simulation.lock().commit_time;
        let answer =
            self.simulation.request(self.program, commit_time, move |world| world.append(after, &append)).await;
        answer.unwrap_or_else(|| Err(AppendFailure::Unknown("no answer".into())))
    }

    async fn rows_after(&self, end: End) -> Result<Vec<Found>, ReadFailure> {
        let answer = self.simulation.request(self.program, 0, move |world| world.rows_after(end)).await;
        answer.ok_or_else(|| ReadFailure::Disconnected("no answer".into()))
    }

    async fn wait(&self, duration: Duration) {
        let units = self.simulation.lock().units;
        self.simulation.sleep(duration.as_millis() as u64 * units).await;
    }
}

/// Changes in the order in which a program applied them, and the appends that were acknowledged to it.
#[derive(Default)]
struct Log {
    /// The changes of the running append.
    appending: Vec<String>,
    applied: Vec<String>,
    acknowledged: BTreeSet<String>,
}

impl Observer for Log {
    fn committed(&mut self, changes: Changes, _batch: u64) {
        self.applied.extend(names(&changes));
    }

    fn stored(&mut self) {
        self.acknowledged.extend(self.appending.iter().cloned());
        self.applied.append(&mut self.appending);
    }

    fn connection(&mut self, _lost: Option<&str>) {}
}

/// Returns the names of the changes: the summary of the operation, and the time that the transient values contain.
fn names(changes: &Changes) -> Vec<String> {
    let operation = changes.operation.iter().map(|operation| operation.summary.clone());
    operation.chain(changes.transients.clock.map(|time| format!("time {}", time.0))).collect()
}

/// Returns the changes of an append of a writer.
fn changes(writer: usize, number: usize, kind: u64) -> Changes {
    let entity = Entity::new(EntityId::new(format!("e-{writer}-{number}")).unwrap());
    let operation = Operation::new(Author::Game, format!("append {writer} {number}"), vec![Change::AddEntity(entity)]);
    let time = GameTime((writer * 1_000 + number) as i64);
    Changes {
        operation: (kind != 0).then(|| Arc::new(operation)),
        transients: TransientUpdate { values: Vec::new(), clock: (kind != 1).then_some(time) },
    }
}

/// Appends changes one after the other. Starts again from the beginning of the journal when it is killed, and then
/// continues with the changes after those whose outcome it does not know.
async fn write(simulation: Simulation, program: usize, log: Arc<Mutex<Log>>) {
    let mut follower = Follower::new(DistantJournal { simulation: simulation.clone(), program }, EMPTY);
    let mut observed = Log::default();
    for number in 0..APPENDS_PER_WRITER {
        let (pause, kind, id) = {
            let mut world = simulation.lock();
            let id = u128::from(world.random(u64::MAX)) << 64 | u128::from(world.random(u64::MAX));
            (world.random(200), world.random(3), Uuid::from_u128(id))
        };
        simulation.sleep(pause).await;
        let changes = changes(program, number, kind);
        let append = Append { id, changes: changes.clone() };
        loop {
            observed.appending = names(&changes);
            let outcome = follower.append(append.clone(), &mut observed).await.expect("the journal is not damaged");
            match outcome {
                Outcome::Stored => break,
                Outcome::Conflict => {}
                Outcome::Rejected(reason) => panic!("{reason}"),
            }
        }
        let (is_killed, time) = {
            let mut world = simulation.lock();
            (world.random(10) == 0, world.random(600))
        };
        if is_killed {
            // The program is killed while it appends, and started again.
            let id = Uuid::from_u128((program * 1_000 + number) as u128);
            let append = Append { id, changes: self::changes(program, 100 + number, kind) };
            observed.appending = names(&append.changes);
            select(pin!(follower.append(append, &mut observed)), pin!(simulation.sleep(time))).await;
            let journal = DistantJournal { simulation: simulation.clone(), program };
            follower = Follower::new(journal, EMPTY);
            observed.applied.clear();
        }
    }
    finish(follower, observed, log).await;
}

/// Reads the journal from time to time.
async fn read(simulation: Simulation, program: usize, log: Arc<Mutex<Log>>) {
    let mut follower = Follower::new(DistantJournal { simulation: simulation.clone(), program }, EMPTY);
    let mut observed = Log::default();
    for _ in 0..10 {
        let pause = simulation.lock().random(500);
        simulation.sleep(pause).await;
        let _ = follower.catch_up(&mut observed).await;
    }
    finish(follower, observed, log).await;
}

/// Reads the rest of the journal after all writers have ended.
async fn finish(mut follower: Follower<DistantJournal>, mut observed: Log, log: Arc<Mutex<Log>>) {
    follower.journal.simulation.sleep(10_000_000).await;
    while follower.catch_up(&mut observed).await.is_err() {}
    *log.lock().unwrap() = observed;
}

/// Runs one schedule. Returns what happened.
fn run_schedule(seed: u64) -> blake3::Hash {
    let simulation = Simulation(Arc::new(Mutex::new(World {
        random: seed,
        has_faults: true,
        units: 1,
        answer_timeout: 400,
        ..World::default()
    })));
    {
        let mut world = simulation.lock();
        (world.loss, world.longest_delay) = (world.random(15), 1 + world.random(150));
    }
    let mut pool = LocalPool::new();
    let logs: Vec<Arc<Mutex<Log>>> = (0..WRITERS + READERS).map(|_| Arc::default()).collect();
    for (program, log) in logs.iter().enumerate() {
        let (simulation, log) = (simulation.clone(), Arc::clone(log));
        let spawned = if program < WRITERS {
            pool.spawner().spawn_local(write(simulation, program, log))
        } else {
            pool.spawner().spawn_local(read(simulation, program, log))
        };
        spawned.unwrap();
    }
    simulation.run(&mut pool);
    let world = simulation.lock();
    let stored: Vec<String> = world.rows.iter().flat_map(|row| names(&row.changes)).collect();
    let distinct: BTreeSet<&String> = stored.iter().collect();
    assert_eq!(distinct.len(), stored.len(), "seed {seed}: something is stored twice: {stored:?}");
    for (program, log) in logs.iter().enumerate() {
        let log = log.lock().unwrap();
        assert_eq!(log.applied, stored, "seed {seed}: program {program} applied other changes");
        let lost: Vec<_> = log.acknowledged.iter().filter(|name| !distinct.contains(name)).collect();
        assert!(lost.is_empty(), "seed {seed}: program {program} lost {lost:?}");
    }
    for (writer, log) in logs.iter().take(WRITERS).enumerate() {
        let acknowledged = log.lock().unwrap().acknowledged.len();
        assert!(acknowledged >= APPENDS_PER_WRITER, "seed {seed}: writer {writer} got {acknowledged} answers");
    }
    world.trace.finalize()
}

#[test]
fn nothing_is_lost_or_doubled_in_any_schedule() {
    let schedules = std::env::var("HEARSAY_SCHEDULES").ok().and_then(|number| number.parse().ok());
    for seed in 0..schedules.unwrap_or(SCHEDULES) {
        run_schedule(seed);
    }
}

#[test]
fn a_schedule_can_be_run_again() {
    for seed in [1, 77, 4_242] {
        assert_eq!(run_schedule(seed), run_schedule(seed), "seed {seed}");
    }
}

/// Number of appends of each writer when the throughput is measured.
const MEASURED_APPENDS: usize = 200;

/// Appends one operation after the other, and again after each conflict.
async fn write_at_full_speed(simulation: Simulation, program: usize) {
    let mut follower = Follower::new(DistantJournal { simulation: simulation.clone(), program }, EMPTY);
    for number in 0..MEASURED_APPENDS {
        let id = Uuid::from_u128((program * 1_000 + number) as u128);
        let append = Append { id, changes: changes(program, number, 1) };
        while follower.append(append.clone(), &mut Log::default()).await == Ok(Outcome::Conflict) {}
    }
}

/// Simulates programs that append at full speed to a cluster without faults. Returns the number of appends per second
/// of all programs together, and the number of attempts per append.
fn throughput(writers: usize, one_way_tenths_ms: u64, commit_tenths_ms: u64) -> (f64, f64) {
    let world = World {
        random: 1,
        units: 10,
        answer_timeout: 100_000,
        longest_delay: one_way_tenths_ms * 2 + 1,
        commit_time: commit_tenths_ms,
        ..World::default()
    };
    let simulation = Simulation(Arc::new(Mutex::new(world)));
    let mut pool = LocalPool::new();
    for program in 0..writers {
        pool.spawner().spawn_local(write_at_full_speed(simulation.clone(), program)).unwrap();
    }
    simulation.run(&mut pool);
    let world = simulation.lock();
    let appends = world.rows.len() as f64;
    assert_eq!(world.rows.len(), writers * MEASURED_APPENDS);
    // The last time limit of a request ends after the last append.
    let seconds = (world.now - world.answer_timeout) as f64 / 10_000.0;
    (appends / seconds, world.attempts as f64 / appends)
}

/// Prints the figures of the table in `docs/src/servers.md`.
#[test]
fn more_writers_are_together_not_much_slower_than_one() {
    for (name, one_way, commit) in [("one data centre", 5, 40), ("two cities", 100, 150)] {
        let (alone, _) = throughput(1, one_way, commit);
        for writers in [1, 2, 5, 10] {
            let (together, attempts) = throughput(writers, one_way, commit);
            println!("{name}: {writers} writers: {together:.0} appends per second, {attempts:.1} attempts per append");
            assert!(together > alone * 0.6, "{name}: {writers} writers make {together:.0} instead of {alone:.0}");
        }
    }
}

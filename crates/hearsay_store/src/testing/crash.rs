//! A mixed workload that is killed at random points, followed by a comparison of the stored data.
//!
//! One *run* is a program that opens a directory, compares it with the data acknowledged earlier, and writes until it
//! is killed, its storage fails, or its disk is full. After the runs of a directory, copies of it are damaged and
//! repaired. All written data is derived from a seed, so a later run knows the expected data. The memtable is small, so
//! the database log rotates in most runs.

use std::{
    fmt,
    io::{self, Write},
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::Duration,
};

use hearsay_model::{
    Author, Change, Entity, EntityId, Fact, Knower, KnowledgeEdge, Method, Operation, Passage, Position, Provenance,
    State, Timestamp, UndoRetention,
};

use super::{
    Faults, SmallDisk,
    child::{Child, Outcome},
    fault_kinds::{End, damage_copies},
};
use crate::{FrameFile, Opened, Store, StoreError, StoreOptions, projection};

/// Environment variable that makes a program the child of a run. See [`child`].
pub const CHILD: &str = "HEARSAY_CRASH_CHILD";

/// Size of the memtable in bytes. It is small, so that it overflows several times in a run.
const MEMTABLE: usize = 256 << 10;

/// Size in bytes of a disk that is filled.
const DISK: u64 = 96 << 20;

/// Number of newest operations that may be undone.
const NEAR: u64 = 40;

/// Number of runs that share a directory.
const RUNS_PER_DIRECTORY: u64 = 8;

/// Name and key of the file of derived data next to the database.
const DERIVED: &str = "vectors";

/// Creates the command for a program that only calls [`child`]. The program inherits the environment, and [`CHILD`] is
/// added to it.
pub type Start<'a> = &'a (dyn Fn() -> Command + Sync);

/// Results of the runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Findings {
    /// Number of programs that were killed or ended because of a fault.
    pub runs: u64,
    /// Number of runs whose storage failed: a write was refused, short or not synced, or a background task failed.
    pub storage_faults: u64,
    /// Number of runs whose disk was full; 0 if no disk can be mounted.
    pub full_disks: u64,
    /// Number of damaged files in copies of the directories.
    pub damaged_files: u64,
    /// Number of damaged files whose damage was not reported although it changed data, or whose repair lost readable
    /// data.
    pub mishandled_damage: u64,
    /// Number of missing acknowledged operations and missing frames of derived data.
    pub lost: u64,
    /// Number of groups of operations that were stored in part, or of stored operations that no run wrote.
    pub half: u64,
    /// Number of graph records that differed from the state.
    pub graph_differences: u64,
    /// Number of runs in which the database log rotated.
    pub rotations_forced: u64,
    /// Number of rotations of the log.
    pub rotations: u64,
    /// Number of acknowledged operations.
    pub operations: u64,
    /// Number of directories that did not open again, or that a program did not open within two minutes.
    pub unopened: u64,
}

impl Findings {
    /// Returns whether no data was lost, incomplete or different.
    pub fn is_clean(&self) -> bool {
        self.lost + self.half + self.graph_differences + self.unopened + self.mishandled_damage == 0
    }

    fn add(&mut self, other: &Self) {
        self.runs += other.runs;
        self.storage_faults += other.storage_faults;
        self.full_disks += other.full_disks;
        self.damaged_files += other.damaged_files;
        self.mishandled_damage += other.mishandled_damage;
        self.lost += other.lost;
        self.half += other.half;
        self.graph_differences += other.graph_differences;
        self.rotations_forced += other.rotations_forced;
        self.rotations += other.rotations;
        self.operations += other.operations;
        self.unopened += other.unopened;
    }
}

/// Data that the runs of one directory have acknowledged so far.
#[derive(Debug, Clone, Default)]
struct Acknowledged {
    position: u64,
    /// Numbers of the groups after which a frame of derived data was written.
    frames: Vec<u64>,
}

/// Kills programs at random points and compares the data that they leave. `progress` receives the findings so far.
///
/// # Errors
/// Returns an error if a program cannot be started or killed, or a directory cannot be created.
pub fn run(runs: u64, seed: u64, start: Start<'_>, mut progress: impl FnMut(&Findings)) -> io::Result<Findings> {
    let mut findings = Findings::default();
    let mut directory = 0;
    while findings.runs < runs {
        let place = tempfile::tempdir()?;
        // Every third directory is on a separate disk if one can be mounted.
        let disk = (directory % 3 == 1).then(|| SmallDisk::new(DISK).ok()).flatten();
        let path = disk.as_ref().map_or(place.path(), SmallDisk::path).join("campaign");
        let count = RUNS_PER_DIRECTORY.min(runs - findings.runs);
        findings.add(&one_directory(&path, disk.as_ref(), seed.wrapping_add(directory), count, start)?);
        directory += 1;
        progress(&findings);
    }
    Ok(findings)
}

fn one_directory(
    path: &Path,
    disk: Option<&SmallDisk>,
    seed: u64,
    runs: u64,
    start: Start<'_>,
) -> io::Result<Findings> {
    let mut random = Random(seed ^ 0x5DEE_CE66);
    let (mut findings, mut acknowledged) = (Findings::default(), Acknowledged::default());
    for _ in 0..runs {
        let end = End::choose(&mut random, disk.is_some());
        if let (End::FullDisk, Some(disk)) = (end, disk) {
            disk.fill((64 << 10) + random.below(2 << 20))?;
            findings.full_disks += 1;
        } else if end.is_fault() {
            findings.storage_faults += 1;
        }
        let request = Request { directory: path.into(), seed, end, acknowledged: acknowledged.clone() };
        let child = Child::start(start().env(CHILD, request.to_string()))?;
        // Some programs are killed while opening, and most while writing: after some commits and a short delay.
        // Programs with a fault end by themselves.
        let (word, count) = match end {
            End::Killed if random.below(5) > 0 => ("saved", 1 + random.below(60)),
            _ => ("", 1),
        };
        let delay = match end {
            End::Killed => Duration::from_millis(random.below(if word.is_empty() { 400 } else { 60 })),
            _ => Duration::from_secs(60),
        };
        let outcome = child.kill_after(word, count, delay, Duration::from_secs(120))?;
        if let Some(disk) = disk {
            disk.free()?;
        }
        findings.runs += 1;
        findings.unopened += u64::from(!outcome.was_ready);
        read(&outcome, end, &mut acknowledged, &mut findings);
    }
    match open(path) {
        Ok((opened, _)) => {
            findings.add(&compare(&opened, seed, &acknowledged));
            let state = opened.state;
            match opened.store.close() {
                Ok(()) => findings.add(&damage_copies(path, &state, &mut random)?),
                Err(error) => {
                    tracing::error!(%error, "a directory does not close");
                    findings.unopened += 1;
                }
            }
        }
        Err(error) => {
            tracing::error!(%error, "a directory does not open after a kill");
            findings.unopened += 1;
        }
    }
    findings.operations += acknowledged.position;
    Ok(findings)
}

/// Records the output of a program.
fn read(outcome: &Outcome, end: End, acknowledged: &mut Acknowledged, findings: &mut Findings) {
    let mut rotations = 0;
    for line in &outcome.lines {
        // The test harness also writes to the output.
        let Some((word, rest)) = line.split_once(' ') else { continue };
        match (word, rest.parse::<u64>()) {
            ("saved", Ok(position)) => acknowledged.position = acknowledged.position.max(position),
            ("frame", Ok(number)) => acknowledged.frames.push(number),
            ("rotations", Ok(count)) => rotations = rotations.max(count),
            ("lost", Ok(count)) => findings.lost += count,
            ("half", Ok(count)) => findings.half += count,
            ("different", Ok(count)) => findings.graph_differences += count,
            ("difference", _) => tracing::error!(record = rest, "the graph tables differ"),
            // On a full disk, the tables cannot follow the journal. The next program compares them again.
            ("stopped", _) if end == End::FullDisk => {}
            ("stopped", _) => {
                tracing::error!(reason = rest, "the storage failed without a fault");
                findings.graph_differences += 1;
            }
            // A later run opens a directory that cannot be opened on a full disk.
            ("unopened", _) if end == End::FullDisk && rest.contains("the disk is full") => {}
            ("unopened", _) => {
                tracing::error!(error = rest, "a directory does not open after a kill");
                findings.unopened += 1;
            }
            _ => {}
        }
    }
    findings.rotations += rotations;
    findings.rotations_forced += u64::from(rotations > 0);
}

/// The parameters of a child program.
struct Request {
    directory: PathBuf,
    seed: u64,
    end: End,
    acknowledged: Acknowledged,
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let frames: Vec<String> = self.acknowledged.frames.iter().map(u64::to_string).collect();
        let Self { seed, end, .. } = self;
        let position = self.acknowledged.position;
        write!(f, "{seed} {end} {position} {} {}", frames.join(","), self.directory.display())
    }
}

fn request(text: &str) -> Option<Request> {
    let mut parts = text.splitn(5, ' ');
    let seed = parts.next()?.parse().ok()?;
    let end = parts.next()?.parse().ok()?;
    let position = parts.next()?.parse().ok()?;
    let frames = parts.next()?.split(',').filter_map(|number| number.parse().ok()).collect();
    Some(Request { directory: parts.next()?.into(), seed, end, acknowledged: Acknowledged { position, frames } })
}

/// Runs the program of a run: compares and writes until it is killed. Returns immediately if [`CHILD`] is not set, and
/// otherwise only after an error.
pub fn child() {
    let Some(request) = std::env::var(CHILD).ok().as_deref().and_then(request) else { return };
    // The test harness has already begun a line, so this call ends it.
    say("started", &"");
    match open(&request.directory) {
        Ok((opened, faults)) => work(opened, &faults, &request),
        Err(error) => say("unopened", &error),
    }
}

fn open(path: &Path) -> Result<(Opened, Faults), StoreError> {
    let faults = Faults::default();
    let options = StoreOptions { memtable_bytes: MEMTABLE, faults: faults.clone(), ..StoreOptions::default() };
    Ok((Store::open(path, options)?, faults))
}

/// Writes a line. Ends the program if the parent is gone and cannot read the line.
pub(super) fn say(word: &str, what: &dyn fmt::Display) {
    if writeln!(io::stdout().lock(), "{word} {what}").is_err() {
        std::process::exit(1);
    }
}

fn work(opened: Opened, faults: &Faults, request: &Request) {
    let mut found = compare(&opened, request.seed, &request.acknowledged);
    if let Some(reason) = opened.store.health().failure {
        say("stopped", &reason);
        found.graph_differences = 0;
    }
    for (word, count) in [("lost", found.lost), ("half", found.half), ("different", found.graph_differences)] {
        if count > 0 {
            say(word, &count);
        }
    }
    request.end.set(faults);
    let Opened { store, mut state, .. } = opened;
    let (mut number, mut rotations) = (replay(request.seed, &state).0, 0);
    say("ready", &state.position());
    let mut left = if let End::Background { after } = request.end { after } else { u64::MAX };
    loop {
        left -= 1;
        if left == 0 {
            faults.fail_background("a test asked for it");
        }
        let operations = group(request.seed, number, &state);
        if let Err(error) = store.commit_blocking(state.position().next(), operations.clone()) {
            return say("failed", &error);
        }
        say("saved", &(state.position().0 + operations.len() as u64));
        for operation in operations {
            let Ok(applied) = state.apply(operation) else { return say("failed", &"an operation does not apply") };
            store.project(projection::rows(&state, &applied.touched), applied.position, |_| {});
        }
        if number.is_multiple_of(3)
            && let Ok((mut file, _)) = frames(&request.directory)
            && file.append(&frame(number)).is_ok()
        {
            say("frame", &number);
        }
        if number % 11 == 4 {
            store.write_snapshot(&state, |_| {});
        }
        if number % 13 == 7 {
            compact(&store, &mut state);
        }
        while store.backlog() > 500 && store.health().failure.is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        if store.health().log_rewrites > rotations {
            rotations = store.health().log_rewrites;
            say("rotations", &rotations);
        }
        number += 1;
    }
}

/// Compacts the journal. Does not wait for the database.
fn compact(store: &Store, state: &mut State) {
    let retention = UndoRetention { operations: 2 * NEAR, sessions: 0 };
    state.advance_compaction(state.undo_horizon(&retention, store.projected()));
    let rewritten = state.compact(&mut state.plan_compaction(), usize::MAX);
    store.compact(state, rewritten.operations, |result| {
        if let Err(error) = result {
            say("failed", &error);
        }
    });
}

/// Compares an open directory with the acknowledged data.
fn compare(opened: &Opened, seed: u64, acknowledged: &Acknowledged) -> Findings {
    let Opened { store, state, .. } = opened;
    let mut findings =
        Findings { lost: acknowledged.position.saturating_sub(state.position().0), ..Findings::default() };
    let (_, replayed) = replay(seed, state);
    findings.half = u64::from(replayed.as_ref() != Some(state));
    let differences = store.settle_blocking().and_then(|()| store.graph_differences_blocking(state));
    findings.graph_differences = differences.map_or(1, |differences| {
        for difference in differences.iter().take(5) {
            say("difference", &format_args!("{difference:?}"));
        }
        differences.len() as u64
    });
    findings.graph_differences += u64::from(store.projected() != state.position());
    let found =
        store.directory().and_then(|directory| frames(directory).ok()).map_or_else(Vec::new, |(_, found)| found);
    findings.lost += acknowledged.frames.iter().filter(|number| !found.contains(&frame(**number))).count() as u64;
    findings
}

/// Applies the groups of a seed up to the position of a state. Returns the number of groups and the resulting state, or
/// `None` if the given state ends in the middle of a group.
fn replay(seed: u64, state: &State) -> (u64, Option<State>) {
    let (mut replayed, mut number) = (State::default(), 0);
    while replayed.position() < state.position() {
        for operation in group(seed, number, &replayed) {
            if replayed.apply(operation).is_err() {
                return (number, None);
            }
        }
        number += 1;
    }
    let whole = replayed.position() == state.position();
    (number, whole.then_some(replayed))
}

/// Returns the operations of one commit. They depend on the seed, the number of the group, and the previous state.
fn group(seed: u64, number: u64, state: &State) -> Vec<Arc<Operation>> {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9).wrapping_add(number << 20));
    match random.below(20) {
        0..=9 => vec![small(number * 100)],
        10..=12 => (0..=random.below(20)).map(|k| small(number * 100 + k)).collect(),
        13..=15 => vec![passage(number, 1_000 + random.below(20_000) as usize)],
        16 => vec![passage(number, 35_000 + random.below(35_000) as usize)],
        17 => vec![small(number * 100), passage(number, 40_000), small(number * 100 + 1)],
        _ => {
            // The position is near the end, so that compaction does not reach it.
            let position = Position(state.position().0.saturating_sub(random.below(NEAR)).max(1));
            let choices = [Change::Revert(position), Change::Restore(position)];
            let operations = choices.map(|change| operation("undo", vec![change]));
            let fits = operations.into_iter().find(|operation| state.check(operation).is_ok());
            vec![fits.unwrap_or_else(|| small(number * 100))]
        }
    }
}

fn operation(summary: &str, changes: Vec<Change>) -> Arc<Operation> {
    let mut operation = Operation::new(Author::Game, summary, changes);
    operation.recorded = Timestamp(1_700_000_000_000);
    Arc::new(operation)
}

/// Creates an operation that adds an entity with a name and an alias. Everybody knows the name.
fn small(number: u64) -> Arc<Operation> {
    let changes = EntityId::new(format!("e{number}")).ok().and_then(|id| {
        let provenance = || Provenance::new(Method::Authored, Author::Dm);
        let name = Fact::attribute(&id, "name", format!("Number {number}"), provenance()).ok()?.build().ok()?;
        let alias = Fact::attribute(&id, "alias", format!("The {number}th"), provenance()).ok()?.build().ok()?;
        let knows = KnowledgeEdge::authored(Knower::World, name.id());
        Some(vec![
            Change::AddEntity(Entity::new(id)),
            Change::AssertFact(name.into()),
            Change::AssertFact(alias.into()),
            Change::Learn(knows.into()),
        ])
    });
    operation(&format!("add {number}"), changes.unwrap_or_default())
}

fn passage(number: u64, bytes: usize) -> Arc<Operation> {
    let mut passage = Passage::new("ß—x".repeat(bytes / 6));
    passage.line = number as u32;
    operation(&format!("passage {number}"), vec![Change::AddPassage(passage.into())])
}

/// Opens the file of derived data and reads its frames.
fn frames(directory: &Path) -> io::Result<(FrameFile, Vec<Vec<u8>>)> {
    let (path, mut found) = (directory.join(DERIVED), Vec::new());
    let file = FrameFile::open(&path, DERIVED, |content, _| {
        found.push(content.to_vec());
        true
    })?;
    let file = file.map_or_else(|| FrameFile::create(&path, DERIVED, [b""]), Ok)?;
    Ok((file, found))
}

fn frame(number: u64) -> Vec<u8> {
    number.to_le_bytes().repeat(1 + number as usize % 40)
}

/// A pseudorandom number generator (SplitMix64).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % end.max(1)
    }
}

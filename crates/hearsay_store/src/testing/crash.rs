//! A mixed workload that is killed at random points, and the comparison afterwards.
//!
//! One *run* is a program that opens a directory, compares it with what was acknowledged before, and writes until it
//! is killed. Everything that it writes follows from a seed, so that a later run knows what must be there. The
//! memtable is small, so that most runs see the log of the database rotate.

use std::{
    fmt,
    io::{self, Write},
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::Duration,
};

use hearsay_model::{
    Author, Change, Entity, EntityId, Fact, Knower, Knowledge, Method, Operation, Passage, Position, Provenance, State,
    Timestamp,
};

use super::child::{Child, Outcome};
use crate::{Opened, Store, StoreError, StoreOptions, Vector, projection};

/// The environment variable that tells a program to be the child of a run: see [`child`].
pub const CHILD: &str = "HEARSAY_CRASH_CHILD";

/// Size in bytes of the memtable: small, so that it overflows several times in a run.
const MEMTABLE: usize = 256 << 10;

/// Runs that share a directory.
const RUNS_PER_DIRECTORY: u64 = 8;

/// The model under which vectors are kept.
const MODEL: &str = "crash";

/// How a program is started that calls [`child`] and nothing else. It inherits the environment, to which [`CHILD`] is
/// added.
pub type Start<'a> = &'a (dyn Fn() -> Command + Sync);

/// What is found after the runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Findings {
    /// Programs that were killed.
    pub runs: u64,
    /// Acknowledged operations and vectors that were missing.
    pub lost: u64,
    /// Groups of operations that were there in part, or operations that nobody wrote.
    pub half: u64,
    /// Records of the graph tables that differed from the state.
    pub graph_differences: u64,
    /// Runs in which the log of the database rotated.
    pub rotations_forced: u64,
    /// Rotations of the log.
    pub rotations: u64,
    /// Operations that were acknowledged.
    pub operations: u64,
    /// Directories that did not open again, or programs that did not open one within two minutes.
    pub unopened: u64,
}

impl Findings {
    /// Whether nothing was lost, half there or different.
    pub fn is_clean(&self) -> bool {
        self.lost + self.half + self.graph_differences + self.unopened == 0
    }

    fn add(&mut self, other: &Self) {
        self.runs += other.runs;
        self.lost += other.lost;
        self.half += other.half;
        self.graph_differences += other.graph_differences;
        self.rotations_forced += other.rotations_forced;
        self.rotations += other.rotations;
        self.operations += other.operations;
        self.unopened += other.unopened;
    }
}

/// What the runs of one directory have acknowledged so far.
#[derive(Debug, Clone, Default)]
struct Acknowledged {
    position: u64,
    /// The numbers of the groups after which a vector was kept.
    vectors: Vec<u64>,
}

/// Kills programs at random points and compares what they leave. `progress` hears how many runs are done.
///
/// # Errors
/// When a program cannot be started or killed, or a directory cannot be made.
pub fn run(runs: u64, seed: u64, start: Start<'_>, mut progress: impl FnMut(&Findings)) -> io::Result<Findings> {
    let mut findings = Findings::default();
    let mut directory = 0;
    while findings.runs < runs {
        let place = tempfile::tempdir()?;
        let count = RUNS_PER_DIRECTORY.min(runs - findings.runs);
        findings.add(&one_directory(place.path(), seed.wrapping_add(directory), count, start)?);
        directory += 1;
        progress(&findings);
    }
    Ok(findings)
}

fn one_directory(path: &Path, seed: u64, runs: u64, start: Start<'_>) -> io::Result<Findings> {
    let mut random = Random(seed ^ 0x5DEE_CE66);
    let (mut findings, mut acknowledged) = (Findings::default(), Acknowledged::default());
    for _ in 0..runs {
        let request = Request { directory: path.into(), seed, acknowledged: acknowledged.clone() };
        let child = Child::start(start().env(CHILD, request.to_string()))?;
        // Some die while opening, most while writing: after some commits, and a moment.
        let (word, count) = if random.below(5) == 0 { ("", 1) } else { ("saved", 1 + random.below(60)) };
        let delay = Duration::from_millis(random.below(if word.is_empty() { 400 } else { 60 }));
        let outcome = child.kill_after(word, count, delay, Duration::from_secs(120))?;
        findings.runs += 1;
        findings.unopened += u64::from(!outcome.was_ready);
        read(&outcome, &mut acknowledged, &mut findings);
    }
    match open(path) {
        Ok(opened) => findings.add(&compare(&opened, seed, &acknowledged)),
        Err(error) => {
            tracing::error!(%error, "a directory does not open after a kill");
            findings.unopened += 1;
        }
    }
    findings.operations += acknowledged.position;
    Ok(findings)
}

/// Takes over what a program wrote to its output.
fn read(outcome: &Outcome, acknowledged: &mut Acknowledged, findings: &mut Findings) {
    let mut rotations = 0;
    for line in &outcome.lines {
        // Programs of the test harness write other things too.
        let Some((word, rest)) = line.split_once(' ') else { continue };
        match (word, rest.parse::<u64>()) {
            ("saved", Ok(position)) => acknowledged.position = acknowledged.position.max(position),
            ("vector", Ok(number)) => acknowledged.vectors.push(number),
            ("rotations", Ok(count)) => rotations = rotations.max(count),
            ("lost", Ok(count)) => findings.lost += count,
            ("half", Ok(count)) => findings.half += count,
            ("different", Ok(count)) => findings.graph_differences += count,
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

/// What a child is told.
struct Request {
    directory: PathBuf,
    seed: u64,
    acknowledged: Acknowledged,
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let vectors: Vec<String> = self.acknowledged.vectors.iter().map(u64::to_string).collect();
        let (seed, position) = (self.seed, self.acknowledged.position);
        write!(f, "{seed} {position} {} {}", vectors.join(","), self.directory.display())
    }
}

fn request(text: &str) -> Option<Request> {
    let mut parts = text.splitn(4, ' ');
    let seed = parts.next()?.parse().ok()?;
    let position = parts.next()?.parse().ok()?;
    let vectors = parts.next()?.split(',').filter_map(|number| number.parse().ok()).collect();
    Some(Request { directory: parts.next()?.into(), seed, acknowledged: Acknowledged { position, vectors } })
}

/// The program of a run: compares and writes until it is killed. Returns at once when [`CHILD`] is not set, and
/// otherwise only after an error.
pub fn child() {
    let Some(request) = std::env::var(CHILD).ok().as_deref().and_then(request) else { return };
    // The test harness has begun a line.
    say("started", &"");
    match open(&request.directory) {
        Ok(opened) => work(opened, &request),
        Err(error) => say("unopened", &error),
    }
}

fn open(path: &Path) -> Result<Opened, StoreError> {
    Store::open(path, StoreOptions { memtable_bytes: MEMTABLE, ..StoreOptions::default() })
}

/// Writes a line. Nobody reads it when the parent is gone; then the program ends.
fn say(word: &str, what: &dyn fmt::Display) {
    if writeln!(io::stdout().lock(), "{word} {what}").is_err() {
        std::process::exit(1);
    }
}

fn work(opened: Opened, request: &Request) {
    let found = compare(&opened, request.seed, &request.acknowledged);
    for (word, count) in [("lost", found.lost), ("half", found.half), ("different", found.graph_differences)] {
        if count > 0 {
            say(word, &count);
        }
    }
    let Opened { store, mut state, .. } = opened;
    let (mut number, mut rotations) = (replay(request.seed, &state).0, 0);
    say("ready", &state.position());
    loop {
        let operations = group(request.seed, number, &state);
        if let Err(error) = store.commit_blocking(state.position().next(), operations.clone()) {
            return say("failed", &error);
        }
        say("saved", &(state.position().0 + operations.len() as u64));
        for operation in operations {
            let Ok(applied) = state.apply(operation) else { return say("failed", &"an operation does not apply") };
            store.project(projection::rows(&state, &applied.touched), applied.position, |_| {});
        }
        if number.is_multiple_of(3) {
            store.put_vectors(MODEL, vec![vector(number)], move |result| {
                if result.is_ok() {
                    say("vector", &number);
                }
            });
        }
        if number % 11 == 4 {
            store.write_snapshot(&state, |_| {});
        }
        while store.backlog() > 500 {
            std::thread::sleep(Duration::from_millis(1));
        }
        if store.health().log_rewrites > rotations {
            rotations = store.health().log_rewrites;
            say("rotations", &rotations);
        }
        number += 1;
    }
}

/// Compares an open directory with what was acknowledged.
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
    let (sender, receiver) = std::sync::mpsc::channel();
    let done = sender.clone();
    store.load_vectors(
        MODEL,
        move |vectors| sender.send(vectors).is_ok(),
        move |_| {
            let _ = done.send(Vec::new());
        },
    );
    let kept: Vec<Vector> = receiver.iter().take_while(|page| !page.is_empty()).flatten().collect();
    findings.lost += acknowledged.vectors.iter().filter(|number| !kept.contains(&vector(**number))).count() as u64;
    findings
}

/// Plays the groups of a seed up to the position of a state. Returns how many there are, and what they lead to;
/// nothing, when the state ends in the middle of a group.
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

/// The operations of one commit, which follow from the seed, the number of the group and the state before.
fn group(seed: u64, number: u64, state: &State) -> Vec<Arc<Operation>> {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9).wrapping_add(number << 20));
    match random.below(20) {
        0..=9 => vec![small(number * 100)],
        10..=12 => (0..=random.below(20)).map(|k| small(number * 100 + k)).collect(),
        13..=15 => vec![passage(number, 1_000 + random.below(20_000) as usize)],
        16 => vec![passage(number, 35_000 + random.below(35_000) as usize)],
        17 => vec![small(number * 100), passage(number, 40_000), small(number * 100 + 1)],
        _ => {
            let position = Position(1 + random.below(state.position().0.max(1)));
            let choices = [Change::Void(position), Change::Restore(position)];
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

/// A person with a name, whom everybody knows by it.
fn small(number: u64) -> Arc<Operation> {
    let changes = EntityId::new(format!("e{number}")).ok().and_then(|id| {
        let provenance = || Provenance::new(Method::Authored, Author::Dm);
        let name = Fact::attribute(&id, "name", format!("Number {number}"), provenance()).ok()?.build().ok()?;
        let alias = Fact::attribute(&id, "alias", format!("The {number}th"), provenance()).ok()?.build().ok()?;
        let knows = Knowledge::authored(Knower::World, name.id());
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

fn vector(number: u64) -> Vector {
    let mut hash = [0; 16];
    hash[..8].copy_from_slice(&number.to_le_bytes());
    (hash, (0..16).map(|place| number as f32 + place as f32 / 16.0).collect())
}

/// Numbers that look random (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % end.max(1)
    }
}

//! Programs that write to one campaign and read it, and that are killed again and again.
//!
//! Each program is a separate process. A writer prints the number of each note after its commit was acknowledged. A
//! program that was killed is started again, and continues with the first note that it had not acknowledged. In the end,
//! all programs export what they have.

use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;

use super::{add_subjects, open, write};
use crate::random::Random;

/// The hidden command of `hearsay_eval` that writes to a shared campaign or reads it.
pub const CHILD_COMMAND: &str = "sharing-child";

/// Maximum time without progress of any program.
const STALL_LIMIT: Duration = Duration::from_secs(60);

/// What to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaultOptions {
    /// Number of programs that write.
    pub writers: usize,
    /// Number of programs that only read.
    pub readers: usize,
    /// Number of notes that each writer writes.
    pub notes: usize,
    /// Average time between two kills.
    pub kill_interval: Duration,
    /// Seed of the random numbers, which select the killed programs.
    pub seed: u64,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FaultFindings {
    /// Number of acknowledged writes.
    pub acknowledged: usize,
    /// Number of programs that were killed.
    pub kills: usize,
    /// Number of kills of the program that had the database open at that moment.
    pub owner_kills: usize,
    /// Number of acknowledged writes that are not in the journal.
    pub lost: usize,
    /// Number of notes that are in the journal more than once.
    pub doubled: usize,
    /// Number of programs whose records differ from those of the database.
    pub differing: usize,
}

impl FaultFindings {
    /// Returns whether nothing was lost, doubled or different.
    pub fn is_clean(&self) -> bool {
        self.lost + self.doubled + self.differing == 0
    }
}

/// A program, and the notes that it acknowledged.
struct Program {
    /// Number of the writer; `None` for a reader.
    writer: Option<usize>,
    child: Child,
    input: Option<ChildStdin>,
    acknowledged: Arc<Mutex<BTreeSet<usize>>>,
    output: Option<JoinHandle<()>>,
}

impl Program {
    fn start(directory: &Path, writer: Option<usize>, notes: usize, progress: &Arc<AtomicUsize>) -> Result<Self> {
        let acknowledged = Arc::new(Mutex::new(BTreeSet::new()));
        let (child, input, output) = Self::spawn(directory, writer, 0..notes, &acknowledged, progress)?;
        Ok(Self { writer, child, input, acknowledged, output })
    }

    fn spawn(
        directory: &Path,
        writer: Option<usize>,
        notes: std::ops::Range<usize>,
        acknowledged: &Arc<Mutex<BTreeSet<usize>>>,
        progress: &Arc<AtomicUsize>,
    ) -> Result<(Child, Option<ChildStdin>, Option<JoinHandle<()>>)> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(CHILD_COMMAND).arg(directory).stdin(Stdio::piped()).stdout(Stdio::piped());
        if let Some(writer) = writer {
            command.args([writer.to_string(), notes.start.to_string(), notes.end.to_string()]);
        }
        let mut child = command.spawn()?;
        let output = child.stdout.take().context("the standard output of the process is not connected")?;
        let (acknowledged, progress) = (Arc::clone(acknowledged), Arc::clone(progress));
        let output = thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if let Ok(number) = line.parse() {
                    acknowledged.lock().unwrap_or_else(PoisonError::into_inner).insert(number);
                    progress.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        let input = child.stdin.take();
        Ok((child, input, Some(output)))
    }

    fn acknowledged(&self) -> BTreeSet<usize> {
        self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Kills the program and starts it again.
    fn restart(&mut self, directory: &Path, notes: usize, progress: &Arc<AtomicUsize>) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        self.output.take().map(JoinHandle::join);
        let next = self.acknowledged().last().map_or(0, |last| last + 1);
        (self.child, self.input, self.output) =
            Self::spawn(directory, self.writer, next..notes, &self.acknowledged, progress)?;
        Ok(())
    }

    /// Asks the program for its records, and ends it.
    fn export(&mut self, position: u64, path: &Path) -> Result<()> {
        let mut input = self.input.take().context("the standard input of the process is not connected")?;
        writeln!(input, "{position} {}", path.display())?;
        drop(input);
        let started = Instant::now();
        let status = loop {
            match self.child.try_wait()? {
                Some(status) => break status,
                None if started.elapsed() < STALL_LIMIT => thread::sleep(Duration::from_millis(5)),
                None => {
                    self.child.kill()?;
                    bail!("a program did not export its records within {} s", STALL_LIMIT.as_secs());
                }
            }
        };
        self.output.take().map(JoinHandle::join);
        ensure!(status.success(), "a program ended with {status}");
        Ok(())
    }
}

/// Runs the programs in an empty directory, and compares their records in the end. Calls `progress` with the number of
/// acknowledged writes.
///
/// # Errors
/// Returns an error if a program cannot be started or killed, fails by itself, or makes no progress.
pub fn measure(directory: &Path, options: FaultOptions, mut progress: impl FnMut(usize)) -> Result<FaultFindings> {
    let FaultOptions { writers, readers, notes, kill_interval, seed } = options;
    let campaign = directory.join("campaign");
    let memory = open(&campaign)?;
    add_subjects(&memory, writers)?;
    memory.close()?;
    let done = Arc::new(AtomicUsize::new(0));
    let roles = (0..writers).map(Some).chain((0..readers).map(|_| None));
    let mut programs =
        roles.map(|writer| Program::start(&campaign, writer, notes, &done)).collect::<Result<Vec<_>>>()?;
    let mut findings = FaultFindings::default();
    let mut random = Random::new(seed, 0);
    let (mut last, mut last_progress) = (0, Instant::now());
    while programs.iter().any(|program| program.writer.is_some() && program.acknowledged().len() < notes) {
        thread::sleep(kill_interval.mul_f64(0.5 + random.below(1_000) as f64 / 1_000.0));
        let now = done.load(Ordering::Relaxed);
        if now > last {
            (last, last_progress) = (now, Instant::now());
        }
        ensure!(last_progress.elapsed() < STALL_LIMIT, "no program makes progress after {now} writes");
        progress(now);
        let number = random.below(programs.len());
        let killed = &mut programs[number];
        let is_owner = std::fs::read_to_string(campaign.join("owner"))
            .is_ok_and(|owner| owner.contains(&format!("\"pid\":{},", killed.child.id())));
        killed.restart(&campaign, notes, &done)?;
        findings.kills += 1;
        findings.owner_kills += usize::from(is_owner);
    }
    // One more program reads the journal, and names the position at which the others compare their records.
    let reader = open(&campaign)?;
    let journal = reader.read(|world| Ok(Arc::clone(&world.state)))?.wait()?;
    let summaries: Vec<&str> = journal.journal().map(|(_, entry)| entry.operation.summary.as_str()).collect();
    for program in &programs {
        let (Some(writer), acknowledged) = (program.writer, program.acknowledged()) else { continue };
        findings.acknowledged += acknowledged.len();
        for number in 0..notes {
            let summary = format!("program {writer} writes note {number}");
            let count = summaries.iter().filter(|found| **found == summary).count();
            findings.lost += usize::from(count == 0 && acknowledged.contains(&number));
            findings.doubled += usize::from(count > 1);
        }
    }
    let paths: Vec<PathBuf> = (0..programs.len()).map(|number| directory.join(format!("{number}.jsonl"))).collect();
    for (program, path) in programs.iter_mut().zip(&paths) {
        program.export(journal.position().0, path)?;
    }
    reader.close()?;
    // The database itself, opened by a program that was not there.
    let opened = open(&campaign)?;
    let expected = directory.join("database.jsonl");
    opened.export(&expected)?.wait()?;
    opened.close()?;
    let expected = std::fs::read(expected)?;
    for path in &paths {
        findings.differing += usize::from(std::fs::read(path)? != expected);
    }
    Ok(findings)
}

/// Writes the notes with the numbers in `notes` as the given writer, and prints each number after its commit. Then waits
/// for a line of standard input with a position and a path, and exports the records to this path when the position is
/// reached. The hidden command [`CHILD_COMMAND`] calls this function.
///
/// # Errors
/// Returns an error if the memory cannot be opened, written or exported.
pub fn child(directory: &Path, writer: Option<usize>, notes: std::ops::Range<usize>) -> Result<()> {
    let memory = open(directory)?;
    let mut output = std::io::stdout();
    for number in notes {
        if let Some(writer) = writer {
            write(&memory, writer, number)?;
            writeln!(output, "{number}")?;
        }
    }
    let mut line = String::new();
    if std::io::stdin().read_line(&mut line)? > 0 {
        let (position, path) = line.trim().split_once(' ').context(
            "expected a journal position and a path, \
                                                                    separated by a space",
        )?;
        let position: u64 = position.parse()?;
        while memory.read(|world| Ok(world.state.position().0))?.wait()? < position {
            thread::sleep(Duration::from_millis(5));
        }
        memory.export(path)?.wait()?;
    }
    Ok(memory.close()?)
}

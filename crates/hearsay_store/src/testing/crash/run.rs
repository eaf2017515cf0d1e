//! Starts and evaluates the runs.

use std::{io, path::Path, process::Command, time::Duration};

use hearsay_model::State;

use super::{
    compare::{compare, open_campaign},
    damaged_copies::damage_copies,
    findings::CrashFindings,
    protocol::{Acknowledged, CHILD, Request},
    random::Random,
    run_end::RunEnd,
    time_limit::{TIME_LIMIT, with_time_limit},
};
use crate::{
    StoreError,
    testing::{
        child::{Child, ChildOutcome},
        damage,
        disk::SmallDisk,
    },
};

/// Size of the disk that is filled in some runs, in bytes.
const DISK_BYTES: u64 = 96 << 20;

/// Number of runs that share a directory.
const RUNS_PER_DIRECTORY: u64 = 8;

/// Maximum time until a program is killed.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A function that creates the command that starts a child program. The child program only calls
/// [`child()`](super::child()). The environment variable [`CHILD`] is added to the command.
pub type ChildCommand<'a> = &'a (dyn Fn() -> Command + Sync);

/// Options of the crash test.
#[derive(Debug, Clone, Copy)]
pub struct CrashOptions {
    /// Number of runs.
    pub runs: u64,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Number of times that the test damages a file of each type after the runs of a directory.
    pub damage_rounds: u64,
    /// Whether every directory is on a small disk that is filled in some runs. If `false`, every third directory is on
    /// such a disk. If no small disk can be mounted, this setting has no effect.
    pub small_disks: bool,
}

impl Default for CrashOptions {
    /// Returns the options of a quick test: 24 runs, one damaged file of each type for each directory.
    fn default() -> Self {
        Self { runs: 24, seed: 7, damage_rounds: 1, small_disks: false }
    }
}

/// Performs the runs and returns the findings. Several runs share a directory. After the runs of each directory, calls
/// `progress` with the findings so far.
///
/// # Errors
/// Returns an error if a program cannot be started or killed, or a directory cannot be created.
pub fn run(
    options: &CrashOptions,
    command: ChildCommand<'_>,
    mut progress: impl FnMut(&CrashFindings),
) -> io::Result<CrashFindings> {
    let CrashOptions { runs, seed, damage_rounds, small_disks } = *options;
    let mut findings = CrashFindings::default();
    let mut directory = 0;
    while findings.runs < runs {
        let temporary = tempfile::tempdir()?;
        let disk = (small_disks || directory % 3 == 1).then(|| SmallDisk::new(DISK_BYTES).ok()).flatten();
        let path = disk.as_ref().map_or(temporary.path(), SmallDisk::path).join("campaign");
        let count = RUNS_PER_DIRECTORY.min(runs - findings.runs);
        let options = CrashOptions { runs: count, seed: seed.wrapping_add(directory), damage_rounds, small_disks };
        findings.add(&run_in_directory(&path, disk.as_ref(), &options, command)?);
        directory += 1;
        progress(&findings);
    }
    Ok(findings)
}

fn run_in_directory(
    path: &Path,
    disk: Option<&SmallDisk>,
    options: &CrashOptions,
    command: ChildCommand<'_>,
) -> io::Result<CrashFindings> {
    let CrashOptions { runs, seed, damage_rounds, .. } = *options;
    let mut random = Random(seed ^ 0x5DEE_CE66);
    let (mut findings, mut acknowledged) = (CrashFindings::default(), Acknowledged::default());
    for _ in 0..runs {
        let end = RunEnd::choose(&mut random, disk.is_some());
        if let (RunEnd::FullDisk, Some(disk)) = (end, disk) {
            disk.fill((64 << 10) + random.below(2 << 20))?;
            findings.full_disks += 1;
        } else if end.is_fault() {
            findings.storage_faults += 1;
        }
        let child = start_child(path, seed, end, &acknowledged, command)?;
        // Most programs are killed while they write, after some commits and a short delay. Some are killed while they
        // open the directory. Programs with a fault end without being killed.
        let (keyword, count) = match end {
            RunEnd::Killed if random.below(5) > 0 => ("saved", 1 + random.below(60)),
            _ => ("", 1),
        };
        let delay = match end {
            RunEnd::Killed => Duration::from_millis(random.below(if keyword.is_empty() { 400 } else { 60 })),
            _ => Duration::from_secs(60),
        };
        let outcome = child.kill_after(keyword, count, delay, TIMEOUT)?;
        if let Some(disk) = disk {
            disk.free()?;
        }
        findings.runs += 1;
        findings.unopened += u64::from(!outcome.was_ready);
        let rotations = evaluate_output(&outcome, end, &mut acknowledged, &mut findings);
        findings.rotations += rotations;
        findings.rotations_forced += u64::from(rotations > 0);
    }
    // One more program, which does not count as a run, leaves a log in which all operations are acknowledged.
    let end = RunEnd::Idle { after: 1 + random.below(40) };
    let outcome =
        start_child(path, seed, end, &acknowledged, command)?.kill_after("idle", 1, Duration::ZERO, TIMEOUT)?;
    findings.unopened += u64::from(!outcome.was_ready);
    evaluate_output(&outcome, end, &mut acknowledged, &mut findings);
    let temporary = tempfile::tempdir()?;
    let unclosed = temporary.path().join("campaign");
    if outcome.was_ready {
        damage::copy(path, &unclosed)?;
    }
    let (campaign, expected) = (path.to_owned(), acknowledged.clone());
    match with_time_limit(move || check_campaign(&campaign, seed, &expected)) {
        Some(Ok((state, compared))) => {
            findings.add(&compared);
            if outcome.was_ready {
                findings.add(&damage_copies(path, &unclosed, &state, damage_rounds, &mut random)?);
            }
        }
        Some(Err(error)) => {
            tracing::error!(%error, "a directory does not open or close after a kill");
            findings.unopened += 1;
        }
        None => {
            tracing::error!(seconds = TIME_LIMIT.as_secs(), "opening, comparing or closing a directory does not end");
            findings.unopened += 1;
        }
    }
    findings.operations += acknowledged.position;
    Ok(findings)
}

/// Opens a campaign, compares it with the acknowledged data, and closes it.
fn check_campaign(path: &Path, seed: u64, acknowledged: &Acknowledged) -> Result<(State, CrashFindings), StoreError> {
    let (opened, _) = open_campaign(path)?;
    let findings = compare(&opened, seed, acknowledged);
    opened.store.close()?;
    Ok((opened.state, findings))
}

/// Starts a child program that writes to the directory `path`.
fn start_child(
    path: &Path,
    seed: u64,
    end: RunEnd,
    acknowledged: &Acknowledged,
    command: ChildCommand<'_>,
) -> io::Result<Child> {
    let request = Request { directory: path.into(), seed, end, acknowledged: acknowledged.clone() };
    Child::start(command().env(CHILD, request.to_string()))
}

/// Adds the output of a child program to the acknowledged data and to the findings. Returns the number of times that
/// the program rewrote commits because of a new log file.
fn evaluate_output(
    outcome: &ChildOutcome,
    end: RunEnd,
    acknowledged: &mut Acknowledged,
    findings: &mut CrashFindings,
) -> u64 {
    let mut rotations = 0;
    for line in &outcome.lines {
        // Skips lines that the test harness writes.
        let Some((keyword, value)) = line.split_once(' ') else { continue };
        match (keyword, value.parse::<u64>()) {
            ("saved", Ok(position)) => acknowledged.position = acknowledged.position.max(position),
            ("frame", Ok(number)) => acknowledged.frames.push(number),
            ("rotations", Ok(count)) => rotations = rotations.max(count),
            ("lost", Ok(count)) => findings.lost += count,
            ("half", Ok(count)) => findings.half += count,
            ("different", Ok(count)) => findings.graph_differences += count,
            ("difference", _) => tracing::error!(record = value, "the graph tables differ"),
            // Without a fault, a program is killed while it writes, so none of its writes may fail.
            ("failed", _) if !end.is_fault() => {
                tracing::error!(error = value, "a write failed without a fault");
                findings.failed_writes += 1;
            }
            // On a full disk, the graph tables fall behind the journal. The next run compares them again.
            ("stopped", _) if end == RunEnd::FullDisk => {}
            ("stopped", _) => {
                tracing::error!(reason = value, "the storage failed without a fault");
                findings.graph_differences += 1;
            }
            // A directory on a full disk may not open. A later run opens it.
            ("unopened", _) if end == RunEnd::FullDisk && value.contains("the disk is full") => {}
            ("unopened", _) => {
                tracing::error!(error = value, "a directory does not open after a kill");
                findings.unopened += 1;
            }
            _ => {}
        }
    }
    rotations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_write_that_fails_without_a_fault_is_an_error() {
        let lines = vec!["saved 7".to_owned(), "failed the log file is missing".to_owned()];
        let outcome = ChildOutcome { lines, was_ready: true, ended_by_itself: true };
        for (end, expected) in [(RunEnd::Killed, 1), (RunEnd::Background { after: 1 }, 0), (RunEnd::FullDisk, 0)] {
            let (mut acknowledged, mut findings) = (Acknowledged::default(), CrashFindings::default());
            evaluate_output(&outcome, end, &mut acknowledged, &mut findings);
            assert_eq!((findings.failed_writes, acknowledged.position), (expected, 7), "{end:?}");
            assert_eq!(findings.is_clean(), expected == 0, "{end:?}");
        }
    }
}

//! `hearsay_eval soak`.

use std::{
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Result;
use clap::Args;
use hearsay_eval::soak;

use crate::output::Output;

/// Simulate months of play, and measure the size of the directory and the load of the worker
#[derive(Debug, Args)]
#[command(after_help = "\
The program simulates a village whose people move and talk, and writes it to a directory on the disk.

Without --paced, the program writes as fast as possible. It measures the size of the
directory and the time to open it. It compares both figures with those of a second
directory, into which each live fact and passage was written once.

With --paced, the program simulates at the speed of a game. It measures the time that
changes wait for their commit, at the beginning and at the end of the run. It also
measures the processor time that the memory's worker thread takes for a move.

Examples:
  hearsay_eval soak --moves 500000 --talk 20000 --json
  hearsay_eval soak --paced --minutes 15")]
pub(crate) struct Soak {
    /// Number of people in the village
    #[arg(long, value_name = "N", default_value_t = 200)]
    people: usize,
    /// Number of times that a person moves to another place
    #[arg(long, value_name = "N", default_value_t = 100_000, conflicts_with = "paced")]
    moves: usize,
    /// Number of game events in which people say, tell or see something
    #[arg(long, value_name = "N", default_value_t = 4_000, conflicts_with = "paced")]
    talk: usize,
    /// Simulate at the speed of a game instead of as fast as possible
    #[arg(long)]
    paced: bool,
    /// Number of moves per second with --paced
    #[arg(long, value_name = "N", default_value_t = 800, requires = "paced")]
    moves_per_second: usize,
    /// Duration of the simulation in minutes with --paced
    #[arg(long, value_name = "N", default_value_t = 15.0, requires = "paced")]
    minutes: f64,
    /// Directory for the campaign, which remains after the run [default: a temporary directory, which the program
    /// deletes]
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
}

impl Soak {
    pub(crate) fn run(&self, output: &mut Output) -> Result<ExitCode> {
        let temporary = tempfile::tempdir()?;
        let directory = self.directory.as_deref().unwrap_or(temporary.path());
        if self.paced { self.run_paced(directory, output) } else { self.run_fast(directory, output) }
    }

    fn run_paced(&self, directory: &Path, output: &mut Output) -> Result<ExitCode> {
        let seconds = (self.minutes * 60.0).max(1.0) as u64;
        let plan = soak::PacedPlan { people: self.people, moves_per_second: self.moves_per_second, seconds };
        let mut reported = 0;
        let is_terminal = io::stderr().is_terminal();
        let result = soak::measure_paced(plan, directory, &mut |moves| {
            if is_terminal && moves >= reported + 10_000 {
                reported = moves;
                let _ = write!(io::stderr(), "\r{moves} moves");
            }
        })?;
        output.data(&result)?;
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        output
            .line(format!("{} moves and {} other game events in {:.0} s", result.moves, result.talk, result.seconds))?;
        output.line(format!(
            "commit lag: at first p50 {:.0} ms, p99 {:.0} ms; at the end p50 {:.0} ms, p99 {:.0} ms",
            result.lag_ms_p50_begin, result.lag_ms_p99_begin, result.lag_ms_p50_end, result.lag_ms_p99_end
        ))?;
        for (moves, cost) in &result.worker_us_per_move {
            output.line(format!("worker time per move after {moves:>7} moves: {cost:.1} \u{B5}s"))?;
        }
        if let Some((begin, end)) = result.resident_bytes {
            output.line(format!(
                "resident memory: {:.0} MB at first, {:.0} MB at the end",
                megabytes(begin),
                megabytes(end)
            ))?;
        }
        output.line(format!(
            "directory: {:.1} MB, opened in {:.0} ms",
            megabytes(result.directory_bytes),
            result.open_ms
        ))?;
        Ok(ExitCode::SUCCESS)
    }

    fn run_fast(&self, directory: &Path, output: &mut Output) -> Result<ExitCode> {
        let result = soak::measure(soak::Plan { people: self.people, moves: self.moves, talk: self.talk }, directory)?;
        output.data(&result)?;
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        output.line(format!(
            "{} moves and {} other game events in {:.0} s",
            result.moves, result.talk, result.played_s
        ))?;
        output.line(format!(
            "directory: {:.1} MB, opened in {:.0} ms",
            megabytes(result.directory_bytes),
            result.open_ms
        ))?;
        output.line(format!(
            "written once: {:.1} MB, opened in {:.0} ms",
            megabytes(result.once_bytes),
            result.once_open_ms
        ))?;
        output.line(format!("ratios: {:.2} in size, {:.2} in time", result.bytes_ratio, result.open_ratio))?;
        output.line(format!("game events still recorded: {} of {}", result.talk_kept, result.talk))?;
        output.line(format!("undo works: {}; slots work: {}", result.undo_works, result.slot_works))?;
        let is_complete = result.talk_kept == result.talk && result.undo_works && result.slot_works;
        Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

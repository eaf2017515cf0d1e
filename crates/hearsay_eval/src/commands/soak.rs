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
The program simulates a village whose people move and talk, in a durable directory.

Without --paced, the program writes as fast as possible. It compares the size of the
directory and the time to open it with the size and time of a second directory, into
which only the final state was written.

With --paced, the program plays at the speed of a game. It measures how long changes
wait for their commit, at the beginning and at the end of the run, and the worker's
processor time for a move.

Examples:
  hearsay_eval soak --moves 500000 --talk 20000 --json
  hearsay_eval soak --paced --minutes 15")]
pub(crate) struct Soak {
    /// Number of people in the village
    #[arg(long, value_name = "N", default_value_t = 200)]
    people: usize,
    /// Number of moves
    #[arg(long, value_name = "N", default_value_t = 100_000, conflicts_with = "paced")]
    moves: usize,
    /// Number of game events in which people say, tell or see something
    #[arg(long, value_name = "N", default_value_t = 4_000, conflicts_with = "paced")]
    talk: usize,
    /// Simulate at the speed of a game, not as fast as possible
    #[arg(long)]
    paced: bool,
    /// Number of moves per second
    #[arg(long, value_name = "N", default_value_t = 800, requires = "paced")]
    moves_per_second: usize,
    /// Duration in minutes
    #[arg(long, value_name = "N", default_value_t = 15.0, requires = "paced")]
    minutes: f64,
    /// Directory to fill and keep [default: a temporary directory]
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
}

impl Soak {
    pub(crate) fn run(&self, out: &mut Output) -> Result<ExitCode> {
        let temporary = tempfile::tempdir()?;
        let directory = self.directory.as_deref().unwrap_or(temporary.path());
        if self.paced { self.run_paced(directory, out) } else { self.run_fast(directory, out) }
    }

    fn run_paced(&self, directory: &Path, out: &mut Output) -> Result<ExitCode> {
        let seconds = (self.minutes * 60.0).max(1.0) as u64;
        let plan = soak::PacedPlan { people: self.people, moves_per_second: self.moves_per_second, seconds };
        let mut told = 0;
        let is_terminal = io::stderr().is_terminal();
        let paced = soak::measure_paced(plan, directory, &mut |moves| {
            if is_terminal && moves >= told + 10_000 {
                told = moves;
                let _ = write!(io::stderr(), "\r{moves} moves");
            }
        })?;
        out.data(&paced)?;
        let mega = |bytes: u64| bytes as f64 / 1e6;
        out.line(format!("{} moves and {} other game events in {:.0} s", paced.moves, paced.talk, paced.seconds))?;
        out.line(format!(
            "commit lag: at first p50 {:.0} ms, p99 {:.0} ms; at the end p50 {:.0} ms, p99 {:.0} ms",
            paced.lag_ms_p50_begin, paced.lag_ms_p99_begin, paced.lag_ms_p50_end, paced.lag_ms_p99_end
        ))?;
        for (moves, cost) in &paced.worker_us_per_move {
            out.line(format!("worker time per move after {moves:>7} moves: {cost:.1} \u{B5}s"))?;
        }
        if let Some((begin, end)) = paced.resident_bytes {
            out.line(format!("resident memory: {:.0} MB at first, {:.0} MB at the end", mega(begin), mega(end)))?;
        }
        out.line(format!("directory: {:.1} MB, opened in {:.0} ms", mega(paced.directory_bytes), paced.open_ms))?;
        Ok(ExitCode::SUCCESS)
    }

    fn run_fast(&self, directory: &Path, out: &mut Output) -> Result<ExitCode> {
        let soaked = soak::measure(soak::Plan { people: self.people, moves: self.moves, talk: self.talk }, directory)?;
        out.data(&soaked)?;
        let mega = |bytes: u64| bytes as f64 / 1e6;
        out.line(format!("{} moves and {} other game events in {:.0} s", soaked.moves, soaked.talk, soaked.played_s))?;
        out.line(format!("directory: {:.1} MB, opened in {:.0} ms", mega(soaked.directory_bytes), soaked.open_ms))?;
        out.line(format!("written once: {:.1} MB, opened in {:.0} ms", mega(soaked.once_bytes), soaked.once_open_ms))?;
        out.line(format!("ratios: {:.2} in size, {:.2} in time", soaked.bytes_ratio, soaked.open_ratio))?;
        out.line(format!("game events still recorded: {} of {}", soaked.talk_kept, soaked.talk))?;
        out.line(format!("undo works: {}; slots work: {}", soaked.undo_works, soaked.slot_works))?;
        let whole = soaked.talk_kept == soaked.talk && soaked.undo_works && soaked.slot_works;
        Ok(if whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

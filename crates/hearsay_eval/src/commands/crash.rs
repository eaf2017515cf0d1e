//! `hearsay_eval crash`.

use std::{
    io::{self, IsTerminal, Write},
    process::ExitCode,
};

use anyhow::Result;
use clap::Args;
use hearsay_eval::crash;

use crate::output::Output;

/// Measure durability: kill programs while they write, and damage their storage and files
#[derive(Debug, Args)]
#[command(after_help = "\
Each run starts a program. The program opens a directory, and compares the stored
operations with the operations whose commit was confirmed. The program then writes
operations of different sizes, graph tables, derived files and snapshots, and undoes
operations. A run ends when the program is killed, when its disk is full, or when its
storage fails: a write is refused or incomplete, a sync fails, or a background task
fails. The full disk is tested only on Linux as root, because the test mounts a small
disk. The database's buffers in memory are small. The database therefore starts new
log files in most runs.

After several runs, the program damages a file of each kind in a copy of the
directory. The database must report the damage, unless the damage is harmless. A
repair must save all undamaged data. The exit code is 1 if data was lost, incomplete
or different, if a write failed although its storage worked, or if damage was not
reported.

Example:
  hearsay_eval crash --runs 1000 --json")]
pub(crate) struct Crash {
    /// Number of runs
    #[arg(long, default_value_t = 1_000)]
    runs: u64,
    /// Seed of the random numbers, which determine the written operations and the moments at which programs are killed
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// Number of times that the program damages one file of each kind, after all runs in a directory are done
    #[arg(long, default_value_t = 1)]
    damage_rounds: u64,
    /// Put every directory on a small disk that becomes full in some runs [default: only every third directory]
    #[arg(long)]
    small_disks: bool,
}

impl Crash {
    pub(crate) fn run(&self, output: &mut Output) -> Result<ExitCode> {
        let Self { runs, seed, damage_rounds, small_disks } = *self;
        let options = crash::CrashOptions { runs, seed, damage_rounds, small_disks };
        let figures = crash::run(&options, |done| {
            if io::stderr().is_terminal() {
                let _ = write!(io::stderr(), "\r{done} of {runs} runs");
            }
        })?;
        if io::stderr().is_terminal() {
            let _ = writeln!(io::stderr());
        }
        output.data(&figures)?;
        let crash::CrashFindings {
            runs,
            storage_faults,
            full_disks,
            damaged_files,
            damaged_logs,
            mishandled_damage,
            lost,
            half,
            graph_differences,
            unopened,
            failed_writes,
            rotations_forced,
            rotations,
            operations,
        } = figures;
        for (name, count) in [
            ("runs", runs),
            ("storage faults", storage_faults),
            ("full disks", full_disks),
            ("damaged files", damaged_files),
            ("damaged logs", damaged_logs),
            ("mishandled damage", mishandled_damage),
            ("lost", lost),
            ("stored in part", half),
            ("graph differences", graph_differences),
            ("failed openings", unopened),
            ("failed writes", failed_writes),
            ("runs with a rotation", rotations_forced),
            ("rotations", rotations),
            ("operations", operations),
        ] {
            output.line(format!("{name:22}{count:>10}"))?;
        }
        Ok(if figures.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

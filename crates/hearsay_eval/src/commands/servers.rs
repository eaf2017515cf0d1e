//! `hearsay_eval servers`.

use std::{process::ExitCode, time::Duration};

use anyhow::Result;
use clap::Args;
use hearsay_eval::servers::{
    faults::{self, ServerFaultOptions},
    speed,
};

use crate::output::{Output, progress};

/// Number of programs that write at the same time in the measurement of speed.
const SPEED_WRITERS: usize = 5;

/// Measure several programs with a campaign in a server: their speed, or whether writes survive lost connections
#[derive(Debug, Args)]
#[command(after_help = "\
The program starts a server, writers and readers as separate processes. The writers and
readers reach the server through a proxy, which cuts their connections again and again.
Writers are killed and started again. In the end, the program compares the journal with
the confirmed writes, and the states of all processes with the state in the server and
with the database of the stopped server. The exit code is 1 if a write was lost or
duplicated, or if states differ.

With --speed, the program measures the time of a durable write without a server, by one
program with a server, and by five programs with a server together. It also measures the
time until another program sees a write.

Examples:
  hearsay_eval servers --writers 3 --readers 5 --operations 10000
  hearsay_eval servers --speed --json")]
pub(crate) struct Servers {
    /// Measure the speed, without faults
    #[arg(long, conflicts_with_all = ["writers", "readers", "operations", "kill_every_ms", "cut_every_ms", "seed"])]
    speed: bool,
    /// Number of processes that write
    #[arg(long, value_name = "N", default_value_t = 3)]
    writers: usize,
    /// Number of processes that only read
    #[arg(long, value_name = "N", default_value_t = 5)]
    readers: usize,
    /// Number of writes that all processes together make
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    operations: usize,
    /// Average time between two kills of a writer, in milliseconds; 0 kills no writer
    #[arg(long, value_name = "MS", default_value_t = 2_000)]
    kill_every_ms: u64,
    /// Average time between two cuts of a connection, in milliseconds; 0 cuts no connection
    #[arg(long, value_name = "MS", default_value_t = 500)]
    cut_every_ms: u64,
    /// Number of writes that each program makes in the measurement of speed
    #[arg(long, value_name = "N", default_value_t = 500)]
    writes: usize,
    /// Seed of the random numbers, which select the killed writers and the cut connections
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Servers {
    pub(crate) fn run(&self, output: &mut Output) -> Result<ExitCode> {
        if self.speed { self.measure_speed(output) } else { self.measure_faults(output) }
    }

    fn measure_speed(&self, output: &mut Output) -> Result<ExitCode> {
        let directory = tempfile::tempdir()?;
        let speed = speed::measure(directory.path(), SPEED_WRITERS, self.writes)?;
        output.data(&speed)?;
        for (name, times) in [
            ("write without a server", speed.embedded),
            ("write with a server", speed.server),
            ("seen by another program", speed.visible),
        ] {
            output.line(format!("{name}: p50 {:.2} ms, p99 {:.2} ms", times.p50_ms, times.p99_ms))?;
        }
        output.line(format!("ratio of the p50 of the two writes: {:.2}", speed.ratio))?;
        output.line(format!("{} writers together: {:.0} writes/s", speed.writers, speed.writes_per_second))?;
        Ok(ExitCode::SUCCESS)
    }

    fn measure_faults(&self, output: &mut Output) -> Result<ExitCode> {
        let directory = tempfile::tempdir()?;
        let interval = |milliseconds: u64| (milliseconds > 0).then(|| Duration::from_millis(milliseconds));
        let options = ServerFaultOptions {
            writers: self.writers,
            readers: self.readers,
            notes: self.operations.div_ceil(self.writers.max(1)),
            kill_interval: interval(self.kill_every_ms),
            cut_interval: interval(self.cut_every_ms),
            seed: self.seed,
        };
        let findings = faults::measure(directory.path(), options, |done| {
            progress(&format!("{done} of {} writes", self.operations));
        })?;
        output.data(&findings)?;
        for (name, count) in [
            ("acknowledged", findings.acknowledged),
            ("kills", findings.kills),
            ("cut connections", findings.cuts),
            ("lost", findings.lost),
            ("doubled", findings.doubled),
            ("differing programs", findings.differing),
        ] {
            output.line(format!("{name:22}{count:>10}"))?;
        }
        output.line(format!("{:22}{:>10.0}", "writes per second", findings.writes_per_second))?;
        Ok(if findings.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

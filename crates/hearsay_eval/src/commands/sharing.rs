//! `hearsay_eval sharing`.

use std::{process::ExitCode, time::Duration};

use anyhow::Result;
use clap::Args;
use hearsay_eval::sharing::{
    faults::{self, FaultOptions},
    speed,
};
use serde_json::json;

use crate::output::{Output, progress};

/// Measure several programs that share one campaign: their speed, and whether writes survive when programs are killed
#[derive(Debug, Args)]
#[command(after_help = "\
First, the program measures the time of a durable write: by the program that has the
database open (the owner), by one attached program, and by five attached programs
together. It also measures the time until another program sees a write.

Then it starts writers and readers as separate processes, and repeatedly kills one of
these processes, often the owner. In the end, it compares the journal with the confirmed
writes, and the records of all programs with the database. The exit code
is 1 if a write was lost or duplicated, or if records differ.

Example:
  hearsay_eval sharing --writers 3 --readers 5 --operations 10000")]
pub(crate) struct Sharing {
    /// Number of processes that write
    #[arg(long, value_name = "N", default_value_t = 3)]
    writers: usize,
    /// Number of processes that only read
    #[arg(long, value_name = "N", default_value_t = 5)]
    readers: usize,
    /// Number of writes that all processes together make while processes are killed
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    operations: usize,
    /// Average time between two kills, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 400)]
    kill_every_ms: u64,
    /// Number of writes that each program makes in the measurement of speed
    #[arg(long, value_name = "N", default_value_t = 500)]
    writes: usize,
    /// Seed of the random numbers, which select the killed processes
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Sharing {
    pub(crate) fn run(&self, output: &mut Output) -> Result<ExitCode> {
        let directory = tempfile::tempdir()?;
        let speed = speed::measure(&directory.path().join("speed"), 5, self.writes)?;
        let options = FaultOptions {
            writers: self.writers,
            readers: self.readers,
            notes: self.operations.div_ceil(self.writers.max(1)),
            kill_interval: Duration::from_millis(self.kill_every_ms),
            seed: self.seed,
        };
        let findings = faults::measure(directory.path(), options, |done| {
            progress(&format!("{done} of {} writes", self.operations));
        })?;
        output.data(&json!({ "speed": speed, "faults": findings }))?;
        for (name, times) in [("write of the owner", speed.owner), ("write of an attached program", speed.attached)] {
            output.line(format!("{name}: p50 {:.2} ms, p99 {:.2} ms", times.p50_ms, times.p99_ms))?;
        }
        output.line(format!("ratio of the two p50: {:.2}", speed.ratio))?;
        output.line(format!("{} writers together: {:.0} writes/s", speed.writers, speed.writes_per_second))?;
        let visible = speed.visible;
        output.line(format!("seen by another program: p50 {:.2} ms, p99 {:.2} ms", visible.p50_ms, visible.p99_ms))?;
        for (name, count) in [
            ("acknowledged", findings.acknowledged),
            ("kills", findings.kills),
            ("kills of the owner", findings.owner_kills),
            ("lost", findings.lost),
            ("doubled", findings.doubled),
            ("differing programs", findings.differing),
        ] {
            output.line(format!("{name:22}{count:>10}"))?;
        }
        Ok(if findings.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

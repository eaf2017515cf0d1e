//! `hearsay_eval readers`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use hearsay_eval::readers;

use crate::output::Output;

/// Measure the time of durable writes while four panels and an export read the same campaign
#[derive(Debug, Args)]
#[command(after_help = "\
The program writes a generated campaign to a temporary directory. Each write waits
for its commit. The program first measures the time of writes without any readers.
Then it measures the time of writes again, while four panels read four times per second
and an export reads all the time. The ratio is the 99th percentile of the time with
readers, divided by the 99th percentile of the time without readers.

Example:
  hearsay_eval readers --facts 100000")]
pub(crate) struct Readers {
    /// Number of entities in the campaign
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    entities: usize,
    /// Number of facts
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    facts: usize,
    /// Number of measured writes
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    writes: usize,
}

impl Readers {
    pub(crate) fn run(&self, output: &mut Output) -> Result<ExitCode> {
        let directory = tempfile::tempdir()?;
        let result = readers::measure(directory.path(), self.entities, self.facts, self.writes)?;
        output.data(&result)?;
        let line = |label: &str, waits: readers::TimeQuantiles| {
            format!("{label}: p50 {:.2} ms, p99 {:.2} ms", waits.p50_ms, waits.p99_ms)
        };
        output.line(line("writes alone", result.alone))?;
        output.line(line("writes with four panels and an export", result.read))?;
        output.line(format!("ratio of the two p99: {:.2}; {} reads", result.ratio, result.readings))?;
        Ok(ExitCode::SUCCESS)
    }
}

//! `hearsay_eval speed`, and the program that it starts to measure memory.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Result;
use clap::Args;
use hearsay_embed::{EmbedError, Encoder, EncoderOptions};
use hearsay_eval::speed;

use crate::output::Output;

/// Measure the time and memory that a game and a DM need in a generated world
#[derive(Debug, Args)]
#[command(after_help = "\
The table shows the number of repetitions of each task, and the duration of the task
in microseconds. The duration of a durable write depends on the disk. For comparison,
the table therefore also shows the time to write the same number of bytes with fsync.
If there is no model, the program does not measure the time to compute the vector of
the question.

Example:
  hearsay_eval speed --entities 1000 --facts 5000")]
pub(crate) struct Speed {
    /// Number of entities in the world
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    entities: usize,
    /// Number of facts, including names and kinds
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    facts: usize,
    /// Number of encoder threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Directory of the model
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
}

impl Speed {
    pub(crate) fn run(&self, output: &mut Output) -> Result<ExitCode> {
        let options = EncoderOptions::with_threads(self.threads);
        let encoder = match Encoder::open(self.model.as_deref(), options) {
            Ok(encoder) => Some(encoder),
            Err(error @ (EmbedError::ModelNotFound { .. } | EmbedError::NotAModel { .. })) => {
                writeln!(io::stderr(), "continuing without a model: {error}")?;
                None
            }
            Err(error) => return Err(error.into()),
        };
        let directory = tempfile::tempdir()?;
        output
            .line(format!("{:30}{:>8}{:>14}{:>14}{:>14}", "work", "n", "p50 \u{B5}s", "p95 \u{B5}s", "p99 \u{B5}s"))?;
        let mut report = |timing: &speed::Timing| {
            let speed::Timing { work, n, p50_us, p95_us, p99_us } = timing;
            output.data(timing)?;
            output.line(format!("{work:30}{n:>8}{p50_us:>14.1}{p95_us:>14.1}{p99_us:>14.1}"))?;
            Ok(output.writer.flush()?)
        };
        let space = speed::measure(self.entities, self.facts, directory.path(), encoder.as_ref(), &mut report)?;
        output.data(&space)?;
        let speed::SpaceUse { entities, facts, held, bytes_per_fact } = space;
        output.line(format!("\n{entities} entities, {facts} facts; {bytes_per_fact:.0} bytes per fact on disk"))?;
        if let Some(speed::MemoryUse { program, opened, indexed, embedded }) = held {
            let mib = |bytes: u64| bytes >> 20;
            output.line(format!(
                "memory use: {} MiB with the world open, {} with all words indexed, {} with all vectors; {} before opening",
                mib(opened), mib(indexed), mib(embedded), mib(program)
            ))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Opens the world in a directory, and prints the memory use of this program.
pub(crate) fn measure_memory(directory: &Path, output: &mut Output) -> Result<ExitCode> {
    serde_json::to_writer(&mut output.writer, &speed::measure_memory(directory)?)?;
    Ok(ExitCode::SUCCESS)
}

//! `hearsay_eval encoder`.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Result;
use clap::Args;
use hearsay_embed::EncoderOptions;
use hearsay_eval::encoder;

use crate::{output::Output, precision::WeightPrecisionArg};

/// Measure how fast the sentence encoder encodes questions of 17 tokens, and documents of 36 tokens in batches of 32
#[derive(Debug, Args)]
#[command(after_help = "\
Without --model, the program looks for a model in the same directories as `hearsay`.

Example:
  hearsay_eval encoder --threads 2")]
pub(crate) struct Encoder {
    /// Number of encoder threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Precision of the matrix products
    #[arg(long, value_enum, default_value_t = WeightPrecisionArg::F32)]
    precision: WeightPrecisionArg,
    /// Directory of the model
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
}

impl Encoder {
    pub(crate) fn run(&self, output: &mut Output) -> Result<ExitCode> {
        let speed = encoder::measure(
            self.model.as_deref(),
            EncoderOptions { threads: self.threads, precision: self.precision.into() },
        )?;
        output.data(&speed)?;
        let encoder::Speed { threads, query_ms_p50, query_ms_p95, documents_per_s } = speed;
        output
            .line(format!("{:>8}{:>14}{:>14}{:>17}", "threads", "query ms p50", "query ms p95", "documents per s"))?;
        output.line(format!("{threads:>8}{query_ms_p50:>14.2}{query_ms_p95:>14.2}{documents_per_s:>17.0}"))?;
        Ok(ExitCode::SUCCESS)
    }
}

//! `hearsay_eval latency`.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Result;
use clap::Args;
use hearsay_eval::{latency, readers};

use crate::output::Output;

/// Measure the response times of an open campaign
#[derive(Debug, Args)]
#[command(after_help = "\
The program opens the campaign without a sentence encoder, searches the campaign, and
asks one of its characters. The program writes nothing to the campaign.

Example:
  hearsay_eval latency campaigns/gullhaven --knower mirela-voss \"Where is the ledger?\"")]
pub(crate) struct Latency {
    /// Directory of the campaign; it must already have a database
    campaign: PathBuf,
    /// Question that the program asks the character, and also the text for which the program searches
    question: String,
    /// Character to ask
    #[arg(long, value_name = "ID")]
    knower: String,
    /// Number of times that the program repeats each measurement
    #[arg(long, value_name = "N", default_value_t = 50)]
    times: usize,
}

impl Latency {
    pub(crate) fn run(&self, output: &mut Output) -> Result<ExitCode> {
        let result = latency::measure(&self.campaign, &self.knower, &self.question, self.times)?;
        output.data(&result)?;
        let latency::Latency { operations, texts, open_ms, first_search_ms, search, ask } = result;
        output.line(format!("{operations} operations, {texts} texts: open after {open_ms:.0} ms"))?;
        let line = |label: &str, waits: readers::TimeQuantiles| {
            format!("{label} p50 {:.1} ms, p99 {:.1} ms", waits.p50_ms, waits.p99_ms)
        };
        output.line(format!("first search {first_search_ms:.1} ms, {}", line("then", search)))?;
        output.line(line("question", ask))?;
        Ok(ExitCode::SUCCESS)
    }
}

//! `hearsay_eval beliefs`.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Result;
use clap::Args;
use hearsay_eval::{
    beliefs::{self, Disagreement},
    stories,
};

use crate::output::Output;

/// Compare beliefs of characters with the answers of a data set of stories
#[derive(Debug, Args)]
#[command(after_help = "\
FILE contains stories in ToMi's format, as plain text or gzip: numbered sentences,
then a question, a tab and the answer. The program records each story as operations.
Each character learns only the events in its own room. The program compares the
engine's answers with the answers in FILE.

Example:
  hearsay_eval beliefs stories.txt.gz --disagreements 5")]
pub(crate) struct Beliefs {
    /// File with the stories
    file: PathBuf,
    /// List at most N disagreements with the data set, each with the engine's reasons
    #[arg(long, value_name = "N", default_value_t = 0)]
    disagreements: usize,
}

impl Beliefs {
    pub(crate) fn run(&self, output: &mut Output) -> Result<ExitCode> {
        let stories = stories::read(&self.file)?;
        let report = beliefs::measure(&stories, &self.file, self.disagreements)?;
        output.line(format!("{:14}{:>8}{:>12}", "kind", "n", "accuracy"))?;
        for tally in &report.tallies {
            output.data(tally)?;
            output.line(format!("{:14}{:>8}{:>12.4}", tally.kind, tally.n, tally.accuracy))?;
        }
        for disagreement in &report.disagreements {
            output.data(disagreement)?;
            let Disagreement { line, story, question, expected, engine_answer, reasons, .. } = disagreement;
            output.line(format!("\nline {line}: {question}"))?;
            for (minute, sentence) in (1..).zip(story) {
                output.line(format!("  {minute:>2} {sentence}"))?;
            }
            output.line(format!("  set: {expected}; engine: {}", engine_answer.as_deref().unwrap_or("nowhere")))?;
            for reason in reasons {
                output.line(format!("    {reason}"))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

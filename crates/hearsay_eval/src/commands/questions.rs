//! `hearsay_eval questions`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use hearsay_eval::questions;
use hearsay_query::ask::RecallSettings;

use crate::output::Output;

/// Measure the response times when a game asks many characters at once
#[derive(Debug, Args)]
#[command(after_help = "\
The program generates a world in memory, waits until its texts have vectors, and asks
one question to each of several characters, without waiting between the questions.
The times are measured from the first question to each answer.

Example:
  hearsay_eval questions --count 50 --json")]
pub(crate) struct Questions {
    /// Number of characters to ask
    #[arg(long, value_name = "N", default_value_t = 50)]
    count: usize,
    /// Maximum time to wait for the vector of a question, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = RecallSettings::default().deadline_ms)]
    deadline_ms: u64,
}

impl Questions {
    pub(crate) fn run(&self, output: &mut Output) -> Result<ExitCode> {
        let result = questions::measure(self.count, self.deadline_ms)?;
        output.data(&result)?;
        let questions::QuestionTimes { count, deadline_ms, with_meaning, answer } = result;
        output.line(format!(
            "{with_meaning} of {count} answers are ranked by meaning, with a deadline of {deadline_ms} ms"
        ))?;
        output.line(format!("answers: p50 {:.1} ms, p99 {:.1} ms", answer.p50_ms, answer.p99_ms))?;
        Ok(ExitCode::SUCCESS)
    }
}

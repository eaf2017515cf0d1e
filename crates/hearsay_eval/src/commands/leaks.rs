//! `hearsay_eval leaks`.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use anyhow::Result;
use clap::Args;
use hearsay_eval::leaks;

use crate::output::Output;

/// Search for leaks: check that a character's answers do not depend on facts that the character cannot know
#[derive(Debug, Args)]
#[command(after_help = "\
The program asks characters questions in generated worlds. Then it removes all data
except the character's view and the derivations of the character's knowledge, and asks
the same question again. Both answers must be the same, byte for byte. If there are
differences, the program prints the first of them, and exits with code 1.

Example:
  hearsay_eval leaks --worlds 1000 --seed 7")]
pub(crate) struct Leaks {
    /// Number of worlds
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    worlds: usize,
    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

impl Leaks {
    pub(crate) fn run(&self, output: &mut Output) -> Result<ExitCode> {
        let report = leaks::find_leaks(self.worlds, self.seed);
        output.data(&report.tally)?;
        let leaks::Tally { worlds, questions, differences } = report.tally;
        output.line(format!("{:>8}{:>12}{:>14}", "worlds", "questions", "differences"))?;
        output.line(format!("{worlds:>8}{questions:>12}{differences:>14}"))?;
        for difference in &report.first {
            // With `--json`, standard output contains only data, so the difference is printed on standard error.
            let text = format!("\n{difference}");
            if output.json { writeln!(io::stderr(), "{text}")? } else { output.line(text)? }
        }
        Ok(if differences == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

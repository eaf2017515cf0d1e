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
The program asks characters in generated worlds. Then it removes all data except the
character's view and the derivations of the character's knowledge, and asks again.
Both answers must be the same, byte for byte. The program prints the first
differences, and exits with code 1 if there are any.

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
    pub(crate) fn run(&self, out: &mut Output) -> Result<ExitCode> {
        let found = leaks::look(self.worlds, self.seed);
        out.data(&found.tally)?;
        let leaks::Tally { worlds, questions, differences } = found.tally;
        out.line(format!("{:>8}{:>12}{:>14}", "worlds", "questions", "differences"))?;
        out.line(format!("{worlds:>8}{questions:>12}{differences:>14}"))?;
        for difference in &found.first {
            // With `--json`, standard output contains only data, so the difference is printed on standard error.
            let text = format!("\n{difference}");
            if out.json { writeln!(io::stderr(), "{text}")? } else { out.line(text)? }
        }
        Ok(if differences == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

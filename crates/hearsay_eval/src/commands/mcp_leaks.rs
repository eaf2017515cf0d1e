//! `hearsay_eval mcp-leaks`.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use anyhow::Result;
use clap::Args;
use hearsay_eval::mcp_leaks::{self, McpTransport};

use crate::output::Output;

/// Search for leaks in MCP sessions: check that no byte of a response depends on facts that the character cannot know
#[derive(Debug, Args)]
#[command(after_help = "\
The program holds a complete MCP session as a character in each generated world. Then
it removes all data except the character's view and the derivations of the character's
knowledge, and holds the same session again. All responses must be the same, byte for
byte. If there are differences, the program prints the first of them, and exits with
code 1.

Example:
  hearsay_eval mcp-leaks --worlds 1000 --seed 7")]
pub(crate) struct McpLeaks {
    /// Number of worlds
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    worlds: usize,
    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Hold the sessions over HTTP (without a network)
    #[arg(long)]
    http: bool,
}

impl McpLeaks {
    pub(crate) fn run(&self, output: &mut Output) -> Result<ExitCode> {
        let transport = if self.http { McpTransport::Http } else { McpTransport::Stream };
        let report = mcp_leaks::find_mcp_leaks(self.worlds, self.seed, transport)?;
        output.data(&report.tally)?;
        let mcp_leaks::McpTally { worlds, requests, answers, differences } = report.tally;
        output.line(format!("{:>8}{:>12}{:>12}{:>14}", "worlds", "requests", "answers", "differences"))?;
        output.line(format!("{worlds:>8}{requests:>12}{answers:>12}{differences:>14}"))?;
        for difference in &report.first {
            // With `--json`, standard output contains only data, so the difference is printed on standard error.
            let text = format!("\n{difference}");
            if output.json { writeln!(io::stderr(), "{text}")? } else { output.line(text)? }
        }
        Ok(if differences == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

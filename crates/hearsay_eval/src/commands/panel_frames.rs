//! `hearsay_eval panel-frames`.

use std::{io::Write, process::ExitCode};

use anyhow::Result;
use clap::Args;
use hearsay_eval::panel_frames;

use crate::output::Output;

/// Measure the time per frame that the DM's panels take on the main thread, in a large campaign
#[derive(Debug, Args)]
#[command(after_help = "\
The program opens a generated campaign with facts that wait for review. It shows the
DM's panels without a window, one after the other, and measures their frames. The
\"own\" columns do not include the time in which the thread waited for a processor.
If a game shows 60 frames per second, it has 16.7 ms for all work of a frame.

Example:
  hearsay_eval panel-frames --entities 20000 --facts 100000")]
pub(crate) struct PanelFrames {
    /// Number of entities
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    entities: usize,
    /// Number of facts
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    facts: usize,
    /// Number of facts that wait for review
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    rows: usize,
    /// Number of measured frames per panel
    #[arg(long, value_name = "F", default_value_t = 240)]
    frames: usize,
}

impl PanelFrames {
    pub(crate) fn run(&self, output: &mut Output) -> Result<ExitCode> {
        let PanelFrames { entities, facts, rows, frames } = *self;
        let row = |name: &str, cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:>9}")).collect();
            format!("{name:<28}{}", cells.concat())
        };
        let header = ["frames", "p50 ms", "p99", "worst", "own p50", "p99", "worst"];
        output.line(row("panel", &header.map(str::to_owned)))?;
        let mut report = |cost: &panel_frames::Cost| {
            output.data(cost)?;
            let times = [cost.ms_p50, cost.ms_p99, cost.worst_ms].map(|time| format!("{time:.2}"));
            let own_times = [cost.unhindered_ms_p50, cost.unhindered_ms_p99, cost.unhindered_worst_ms];
            let own_times = own_times.map(|time| time.map_or("unknown".to_owned(), |time| format!("{time:.2}")));
            output.line(row(&cost.panel, &[&[cost.frames.to_string()][..], &times, &own_times].concat()))?;
            Ok(output.writer.flush()?)
        };
        panel_frames::measure(panel_frames::Plan { entities, facts, rows, frames }, &mut report)?;
        Ok(ExitCode::SUCCESS)
    }
}

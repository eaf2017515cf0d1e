//! `hearsay_eval frames`.

use std::{io::Write, process::ExitCode};

use anyhow::Result;
use clap::Args;
use hearsay_eval::frames;

use crate::output::Output;

/// Measure the time per frame that the Bevy plugin takes on the main thread
#[derive(Debug, Args)]
#[command(after_help = "\
Two games without a window run alternately at 60 frames per second, one with the
plugin and one without. Both make the same changes: most changes are moves, and some
characters change their occupation, name or group. The cost of a frame is its
duration in the game with the plugin, minus the median duration in the other game.

For comparison, a third game tracks moves without the plugin. It keeps hand-written
lists of the characters at each place and of the characters that moved. The cost of
this game is the minimum cost of tracking moves.

The first line of the table shows the cost without any changes.

Example:
  hearsay_eval frames --npcs 10000 --changes 100 --questions 100")]
pub(crate) struct Frames {
    /// Number of characters
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    npcs: usize,
    /// Number of changes per frame
    #[arg(long, value_name = "K", default_value_t = 100)]
    changes: usize,
    /// Number of measured frames
    #[arg(long, value_name = "F", default_value_t = 600)]
    frames: usize,
    /// Number of questions that wait for an answer at any time; when a question is answered, the program asks a new
    /// question
    #[arg(long, value_name = "Q", default_value_t = 0)]
    questions: usize,
}

impl Frames {
    pub(crate) fn run(&self, output: &mut Output) -> Result<ExitCode> {
        let Frames { npcs, changes, frames, questions } = *self;
        let directory = tempfile::tempdir()?;
        let header =
            ["npcs", "changes", "questions", "p50 \u{B5}s", "p99 \u{B5}s", "worst \u{B5}s", "dropped", "lag ms p99"];
        let more_headers = ["answered", "unhindered: p50", "p99", "worst", "by hand: p50", "p99", "game: p50", "p99"];
        let row = |cells: &[String]| cells.iter().map(|cell| format!("{cell:>11}")).collect::<Vec<_>>().join(" ");
        output.line(row(&header.iter().chain(&more_headers).map(ToString::to_string).collect::<Vec<_>>()))?;
        let mut report = |cost: &frames::Cost| {
            output.data(cost)?;
            let counts = [cost.npcs, cost.changes, cost.questions].map(|count| count.to_string());
            let times = [cost.frame_us_p50, cost.frame_us_p99, cost.worst_us].map(|time| format!("{time:.1}"));
            let ends = [cost.dropped.to_string(), format!("{:.0}", cost.commit_lag_ms_p99), cost.answered.to_string()];
            let unhindered = [cost.unhindered_us_p50, cost.unhindered_us_p99, cost.unhindered_worst_us];
            let unhindered = unhindered.map(|time| time.map_or("unknown".to_owned(), |time| format!("{time:.1}")));
            let other_costs = [cost.by_hand_us_p50, cost.by_hand_us_p99, cost.game_us_p50, cost.game_us_p99];
            let other_costs = other_costs.map(|time| format!("{time:.1}"));
            output.line(row(&[&counts[..], &times, &ends, &unhindered, &other_costs].concat()))?;
            Ok(output.writer.flush()?)
        };
        frames::measure(frames::Plan { npcs, changes, frames, questions }, directory.path(), &mut report)?;
        Ok(ExitCode::SUCCESS)
    }
}

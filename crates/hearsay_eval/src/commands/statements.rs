//! `hearsay_eval statements`.

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use hearsay_embed::EncoderOptions;
use hearsay_eval::{extraction, table_talk};
use hearsay_extract::{ReadingModel, WindowSize};

use crate::{output::Output, precision::WeightPrecisionArg, threads::processor_count};

/// Measure the reading model alone on real table talk, or list the statements that the model finds, for the calibration
#[derive(Debug, Args)]
#[command(after_help = "\
TEXT is a directory with the folders `summaries` and `transcripts`. Each folder
contains one file per episode, such as `C1E004.txt.gz`. The labels in `training/labels`
refer to these files. A statement is right if it agrees with a labelled statement: at
least half of the words are the same, and subject, status and references are equal.

Example:
  hearsay_eval statements ../shared/data/crd3-dev --on development --list")]
pub(crate) struct Statements {
    /// Directory of the summaries and transcripts
    text: PathBuf,
    /// Directory with the labels and the list of characters
    #[arg(long, value_name = "DIR", default_value = "training")]
    training: PathBuf,
    /// Episodes to measure
    #[arg(long, value_name = "PART", default_value = "test")]
    on: EpisodeSet,
    /// Directory of the model
    #[arg(long, value_name = "DIR", default_value = "assets/models/hearsay-reader")]
    model: PathBuf,
    /// Precision of the model
    #[arg(long, value_enum, default_value_t = WeightPrecisionArg::Int8)]
    precision: WeightPrecisionArg,
    /// Approximate number of tokens that the model reads together, at most 510
    #[arg(long, value_name = "TOKENS", default_value_t = WindowSize::default().tokens)]
    window: usize,
    /// Maximum number of tokens in the context: the lines before the lines from which the model extracts statements
    #[arg(long, value_name = "TOKENS", default_value_t = WindowSize::default().context_tokens)]
    context: usize,
    /// Minimum confidence at which the program accepts a statement
    #[arg(long, value_name = "FRACTION", default_value_t = 0.7)]
    threshold: f64,
    /// Minimum confidence at which a statement waits for review
    #[arg(long, value_name = "FRACTION", default_value_t = 0.3)]
    floor: f64,
    /// List all statements that the model found
    #[arg(long)]
    list: bool,
}

/// A part of the labelled episodes.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum EpisodeSet {
    /// Held-out episodes, which were not used for development
    Test,
    /// Episodes for development and calibration
    Development,
}

impl EpisodeSet {
    /// Returns the name of the list in `training/data.py` that contains the episodes.
    pub(super) fn list_name(self) -> &'static str {
        match self {
            Self::Test => "TEST",
            Self::Development => "DEVELOPMENT",
        }
    }
}

impl Statements {
    pub(crate) fn run(&self, output: &mut Output) -> Result<ExitCode> {
        ensure!(
            self.context < self.window && self.window <= 510,
            "the window of {} tokens with {} tokens of context is invalid; pass a window of at most 510 tokens, and \
             a context that is smaller than the window",
            self.window,
            self.context
        );
        let window_size = WindowSize { tokens: self.window, context_tokens: self.context };
        let options = EncoderOptions { threads: processor_count(), precision: self.precision.into() };
        let model = ReadingModel::load(&self.model, &options)?.with_window_size(window_size);
        let episodes = table_talk::read_episode_names(&self.training, self.on.list_name())?;
        let chunks = table_talk::read(&self.text, &self.training.join("labels"), &episodes)?;
        let cast = extraction::read_cast(&self.training.join("cast.json"))?;
        let report = table_talk::measure(
            &model,
            &cast.lexicon,
            &cast.entities,
            &table_talk::players(),
            &chunks,
            (self.threshold, self.floor),
        )?;
        output.data(&report)?;
        output.line(format!(
            "{:8}{:>7}{:>7}{:>10}{:>10}{:>7}{:>8}{:>7}{:>8}{:>8}{:>7}",
            "text", "lines", "talk", "labelled", "accepted", "right", "queued", "right", "recall", "shown", "ece"
        ))?;
        for (name, part) in [("written", &report.written), ("spoken", &report.spoken)] {
            let share = |part: usize, total: usize| part as f64 / total.max(1) as f64;
            output.line(format!(
                "{name:8}{:>7}{:>7.2}{:>10}{:>10}{:>7.2}{:>8}{:>7.2}{:>8.2}{:>8.2}{:>7.3}",
                part.lines,
                share(part.talk_right, part.lines),
                part.labelled,
                part.accepted,
                share(part.accepted_right, part.accepted),
                part.queued,
                share(part.queued_right, part.queued),
                share(part.accepted_right, part.labelled),
                share(part.accepted_right + part.queued_right, part.labelled),
                part.ece,
            ))?;
        }
        output.line(format!(
            "{:.1} s for {} lines",
            report.written.seconds + report.spoken.seconds,
            report.written.lines + report.spoken.lines
        ))?;
        if self.list {
            let mut found: Vec<_> = report.found.iter().collect();
            found.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
            for statement in found {
                output.data(statement)?;
                let verdict = statement.difference.unwrap_or("right");
                output.line(format!(
                    "{:.2} {verdict:20} {}\n      {:20} {}",
                    statement.confidence, statement.sentence, statement.chunk, statement.quote
                ))?;
                for (typed, confidence) in &statement.typed {
                    output.line(format!("      {confidence:.2} {typed}"))?;
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

//! `hearsay_eval patterns`.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Result;
use clap::{Args, ValueEnum};
use hearsay_embed::{EmbedError, Encoder, EncoderOptions};
use hearsay_eval::{calibration::Bin, extraction, learn, weights};
use hearsay_extract::SentenceEncoder;

use crate::{output::Output, threads::processor_count};

/// Measure fact extraction by patterns alone on labelled sentences, or fit the weights and classifiers of the patterns
#[derive(Debug, Args)]
#[command(after_help = "\
FILE contains scenes and labelled sentences. EXTRACTION.md describes the format. The
report shows the precision of accepted facts, the share of labelled facts that are
accepted or wait for review, and the calibration of confidence. With --text, the
program measures nothing, and only lists the facts in a text. The file after --names
contains one line of JSON: a scene with the entities that the text can name.

Example:
  hearsay_eval patterns crates/hearsay_eval/data/extraction-dev.jsonl --misses")]
pub(crate) struct Patterns {
    /// Files with labelled sentences
    #[arg(required_unless_present = "text", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// List wrong and missed facts
    #[arg(long)]
    misses: bool,
    /// Fit new confidence weights to the files, and print them in the format of `weights.toml`
    #[arg(long)]
    fit: bool,
    /// Train one of the extractor's classifiers on the files, and print the data file of the classifier
    #[arg(long, value_name = "WHICH", conflicts_with = "fit")]
    learn: Option<Classifier>,
    /// Extract facts from words and patterns only, without the sentence encoder
    #[arg(long)]
    without_model: bool,
    /// List the facts that the patterns find in this text file, and measure nothing
    #[arg(long, value_name = "FILE", requires = "names")]
    text: Option<PathBuf>,
    /// File that lists the entities that the text can name
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,
    /// Directory of the model
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
}

/// The classifier to train.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Classifier {
    /// Classifier of the relation between two entities in one sentence
    Relations,
    /// Classifier of the attribute that words state about an entity
    Attributes,
    /// Classifier that decides whether a statement is past or doubtful
    Meanings,
}

impl Patterns {
    pub(crate) fn run(&self, output: &mut Output) -> Result<ExitCode> {
        let encoder = if self.without_model { None } else { open_encoder(self.model.as_deref())? };
        let meaning = encoder.as_ref().map(extraction::EncoderMeaning::new);
        let meaning = meaning.as_ref().map(|meaning| meaning as &dyn SentenceEncoder);
        if let (Some(text), Some(names)) = (&self.text, &self.names) {
            for line in extraction::list_facts(text, names, meaning)? {
                output.data(&line)?;
                output.line(format!("{}\n    {}", line.fact, line.quote))?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        let labelled = extraction::read(&self.files)?;
        if let Some(classifier) = self.learn {
            let rows = extraction::training_rows(&labelled);
            let rows = match classifier {
                Classifier::Relations => rows.pairs,
                Classifier::Attributes => rows.values,
                Classifier::Meanings => rows.meanings,
            };
            let learned = learn::train(rows.iter());
            output.data(&learned)?;
            output.line(learned.trim_end())?;
        } else if self.fit {
            print_weights(&weights::fit(&labelled, meaning), output)?;
        } else {
            let report = extraction::measure(&labelled, meaning);
            print_report(&report, output)?;
            if self.misses {
                print_misses(&report, output)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Loads the sentence encoder. Returns `None` if there is no model and no directory is given.
pub(super) fn open_encoder(directory: Option<&Path>) -> Result<Option<Encoder>> {
    match Encoder::open(directory, EncoderOptions::with_threads(processor_count())) {
        Ok(encoder) => Ok(Some(encoder)),
        Err(EmbedError::ModelNotFound { .. } | EmbedError::NotAModel { .. }) if directory.is_none() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn print_weights(fitted: &weights::FittedWeights, output: &mut Output) -> Result<()> {
    output.data(fitted)?;
    output.line(format!("# {} facts; precision in held-out scenes: {:.3}", fitted.n, fitted.precision))?;
    output.line(format!("# right accepted facts: {}; loss: {:.4}\n[confidence]", fitted.right, fitted.loss))?;
    for (mark, weight) in &fitted.weights {
        output.line(format!("{mark} = {weight:.2}"))?;
    }
    Ok(())
}

fn print_report(report: &extraction::Report, output: &mut Output) -> Result<()> {
    output.data(report)?;
    let names = ["n", "precision", "recall", "review_recall", "review_precision", "ece", "ms"];
    output.line(names.map(|name| format!("{name:>10}")).join(" "))?;
    let &extraction::Report { n, precision, recall, review_recall, review_precision, ece, ms, .. } = report;
    let shares = [precision, recall, review_recall, review_precision, ece, ms];
    let figures = names[1..].iter().zip(shares).map(|(name, share)| format!(" {share:>w$.3}", w = name.len().max(10)));
    output.line(format!("{n:>10}{}", figures.collect::<String>()))?;
    output.line(format!("\n{:>10}{:>6}{:>8}", "confidence", "n", "right"))?;
    for Bin { n, confidence, right } in &report.bins {
        output.line(format!("{confidence:>10.2}{n:>6}{right:>8.2}"))?;
    }
    output.line(format!("\n{:14}{:>5}{:>10}{:>7}{:>10}{:>7}", "tag", "n", "accepted", "right", "labelled", "found"))?;
    for (tag, tally) in &report.tags {
        let extraction::Tally { n, accepted, right, labelled, found } = tally;
        output.line(format!("{tag:14}{n:>5}{accepted:>10}{right:>7}{labelled:>10}{found:>7}"))?;
    }
    Ok(())
}

fn print_misses(report: &extraction::Report, output: &mut Output) -> Result<()> {
    for miss in &report.misses {
        output.data(miss)?;
        output.line(format!("\n{}: {}", miss.id, miss.text))?;
        for wrong in &miss.wrong {
            output.line(format!("    wrong  {wrong}"))?;
        }
        for missed in &miss.missed {
            output.line(format!("    missed {missed}"))?;
        }
    }
    Ok(())
}

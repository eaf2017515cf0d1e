//! `hearsay_eval dialogue`.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Result;
use clap::Args;
use hearsay_eval::dialogue::{self, CheckedDraft, DraftPart};

use crate::output::Output;

/// Measure how well the check of replies judges labelled drafts
#[derive(Debug, Args)]
#[command(after_help = "\
A draft is what a character might say. The drafts and their campaigns are in
crates/hearsay_eval/data/dialogue, and Gullhaven is in campaigns/gullhaven. Each draft is fine, reveals a
secret, invents something, or contradicts a fact. The table shows how many drafts of each kind the check judges
correctly.

Example:
  hearsay_eval dialogue --misses")]
pub(crate) struct Dialogue {
    /// Directory with the drafts and their campaigns
    #[arg(long, value_name = "DIR", default_value = "crates/hearsay_eval/data/dialogue")]
    drafts: PathBuf,
    /// Directory with the campaign Gullhaven
    #[arg(long, value_name = "DIR", default_value = "campaigns/gullhaven")]
    gullhaven: PathBuf,
    /// Print each draft of the development part that the check judges incorrectly, with the findings of the check
    #[arg(long)]
    misses: bool,
    /// Fail if the check judges less than this percentage of all drafts of the test part correctly
    #[arg(long, value_name = "PERCENT")]
    floor: Option<f64>,
}

impl Dialogue {
    pub(crate) fn run(&self, output: &mut Output) -> Result<ExitCode> {
        let drafts = dialogue::read_drafts(&self.drafts)?;
        let (checked, figures) = dialogue::check_drafts(&drafts, |name| match name {
            "gullhaven" => self.gullhaven.clone(),
            _ => self.drafts.join(name),
        })?;
        output.data(&figures)?;
        let (mut right, mut count) = (0, 0);
        for (part, labels) in &figures.counts {
            output.line(match part {
                DraftPart::Development => "development part",
                DraftPart::Test => "test part",
            })?;
            for (label, counts) in labels {
                output.line(format!(
                    "  {:<14} {:>3} of {:>3} judged rightly, {:>3} with any problem",
                    label.as_str(),
                    counts.right,
                    counts.count,
                    counts.with_problem
                ))?;
                if *part == DraftPart::Test {
                    (right, count) = (right + counts.right, count + counts.count);
                }
            }
        }
        output.line(format!(
            "check of one draft: p50 {:.1} ms, p99 {:.1} ms",
            figures.check.p50_ms, figures.check.p99_ms
        ))?;
        let development = || checked.iter().filter(|one| one.draft.part == DraftPart::Development);
        if self.misses {
            for one in development().filter(|one| !one.is_right) {
                print_miss(one, output)?;
            }
        }
        let share = 100.0 * right as f64 / f64::from(u32::try_from(count.max(1)).unwrap_or(u32::MAX));
        if let Some(floor) = self.floor.filter(|floor| share < *floor) {
            output.line(format!("{share:.1} % of the test part are judged rightly, below the floor of {floor} %"))?;
            return Ok(ExitCode::FAILURE);
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn print_miss(one: &CheckedDraft, output: &mut Output) -> Result<()> {
    let draft = &one.draft;
    output.line(format!("\n{} {} ({}): {}", draft.label.as_str(), draft.speaker, draft.campaign, draft.text))?;
    if !draft.words.is_empty() {
        output.line(format!("  wrong: {:?} {}", draft.words, draft.facts.join(", ")))?;
    }
    for finding in &one.check.findings {
        output.line(format!("  {} {:.2} {:?}: {}", finding.kind, finding.score, finding.words, finding.reason))?;
    }
    Ok(())
}

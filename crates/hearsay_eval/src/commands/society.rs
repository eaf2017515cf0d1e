//! `hearsay_eval society`.

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use hearsay_eval::society::{self, DALEY_KENDALL_NEVER_HEARD, SocietyOptions};
use hearsay_model::Degree;

use crate::output::{Output, progress};

/// Simulate rumours, forgetting and feelings in a town
#[derive(Debug, Args)]
#[command(after_help = "\
The program generates a town, in which 25 people live at each inn. On the first day, a few people see events.
On every day, the people gossip, and some of them help, insult, rob or threaten others. The tables show who
has heard the rumours, who remembers them, who has lost interest in them (stiflers), and how often they were
distorted. The last lines compare the curves with published models: the share that never hears a rumour (Daley
and Kendall, 1965), and forgetting by a power law (Anderson and Schooler, 1991).

Example:
  hearsay_eval society --people 500 --days 60")]
pub(crate) struct Society {
    /// Number of people
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(10..=5_000))]
    people: u32,
    /// Number of days
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    days: u32,
    /// Number of rumours
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    rumours: u32,
    /// How fast the people forget: off, mild or strong
    #[arg(long, value_name = "SPEED", default_value = "strong")]
    forgetting: String,
    /// How often the people distort a rumour: off, mild or strong
    #[arg(long, value_name = "FREQUENCY", default_value = "mild")]
    distortion: String,
    /// How often the people lose interest in a rumour that others already know: off, mild or strong
    #[arg(long, value_name = "FREQUENCY", default_value = "off")]
    stifling: String,
    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

impl Society {
    pub(crate) fn run(&self, output: &mut Output) -> Result<ExitCode> {
        let degree = |option: &str, name: &str| {
            Degree::from_name(name).with_context(|| format!("{option} must be off, mild or strong, not `{name}`"))
        };
        let options = SocietyOptions {
            people: self.people as usize,
            days: self.days,
            rumours: self.rumours as usize,
            forgetting: degree("--forgetting", &self.forgetting)?,
            distortion: degree("--distortion", &self.distortion)?,
            stifling: degree("--stifling", &self.stifling)?,
            seed: self.seed,
        };
        let report = society::simulate(&options, |day| progress(&format!("day {day} of {}", self.days)))?;
        progress("");
        output.data(&report)?;
        output.line("day   heard  remember  stiflers  tellings  variants  strong feelings")?;
        for row in report.by_day.iter().filter(|row| row.day <= 10 || row.day % 5 == 0 || row.day == self.days) {
            output.line(format!(
                "{:>3}  {:>6.3}  {:>8.3}  {:>8.3}  {:>8}  {:>8}  {:>15}",
                row.day, row.heard, row.remember, row.stiflers, row.tellings, row.variants, row.strong_feelings
            ))?;
        }
        output.line("")?;
        output.line("days since heard   count  mean retention  share that remembers")?;
        for row in report.by_age.iter().filter(|row| row.age_days % 5 == 0) {
            output.line(format!(
                "{:>16}  {:>6}  {:>14.3}  {:>20.3}",
                row.age_days, row.count, row.retention, row.remember
            ))?;
        }
        output.line("")?;
        output.line(format!(
            "never heard: {:.3} (Daley and Kendall, where everybody meets everybody: {DALEY_KENDALL_NEVER_HEARD:.3})",
            report.never_heard
        ))?;
        output.line(format!("spread: logistic curve, R\u{00B2} {:.3}", report.spread_fit.r2))?;
        output.line(format!(
            "forgetting: power law, R\u{00B2} {:.3}; exponential, R\u{00B2} {:.3}",
            report.power_law.r2, report.exponential.r2
        ))?;
        output.line(format!(
            "know only distorted versions: {:.3} of those who heard; at most {} distortions from the original",
            report.only_distorted, report.max_depth
        ))?;
        Ok(ExitCode::SUCCESS)
    }
}

//! What can be typed to keep the record tidy: trust learned from the DM, duplicates, housekeeping.

use clap::{Args as ClapArgs, ValueEnum};
use hearsay_model::Confidence;

use super::{Campaign, StandingArg, text};

fn confidence(given: &str) -> Result<Confidence, String> {
    let number = given.parse::<f64>().map_err(|error| error.to_string())?;
    Confidence::new(number).map_err(|error| error.to_string())
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum LearnWhat {
    /// Show how far each source, predicate and way of extraction is trusted
    #[default]
    Status,
    /// List the decisions that count, the newest first
    History,
    /// Let decisions move what comes next
    On,
    /// Let them not; they are counted all the same
    Off,
    /// Forget what was decided until now
    Reset,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Learn {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// What to do
    #[arg(value_enum, default_value = "status")]
    pub(crate) what: LearnWhat,
    /// At most so many
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) limit: usize,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum DuplicatesWhat {
    /// Remember that two are not the same: they are not shown again
    NotTheSame,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Duplicates {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// What you decide; list what may be one, when nothing is given
    #[arg(value_enum, requires = "other", conflicts_with = "facts")]
    pub(crate) what: Option<DuplicatesWhat>,
    /// With `not-the-same`: one of the two, by id or name
    #[arg(value_name = "A", value_parser = text)]
    pub(crate) one: Option<String>,
    /// With `not-the-same`: the other
    #[arg(value_name = "B", value_parser = text)]
    pub(crate) other: Option<String>,
    /// Compare descriptions in meaning too, with the encoder
    #[arg(long, conflicts_with_all = ["facts", "what"])]
    pub(crate) meaning: bool,
    /// List facts that say the same, not entities
    #[arg(long)]
    pub(crate) facts: bool,
    /// At most so many
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) limit: usize,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Merge {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Who is somebody else in truth, and will be there no more: an id or a name
    #[arg(value_parser = text)]
    pub(crate) gone: String,
    /// Who that is: an id or a name
    #[arg(value_parser = text)]
    pub(crate) into: String,
    /// Say what would move, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Split {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// The id that is gone; or who it was merged into, by id or name, where that was one alone
    #[arg(value_parser = text)]
    pub(crate) entity: String,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Prune {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Only facts of less confidence, 0.0 to 1.0
    #[arg(long, value_name = "CONFIDENCE", value_parser = confidence)]
    pub(crate) below: Option<Confidence>,
    /// Only facts that were recorded more than so many days ago, by the real clock
    #[arg(long, value_name = "DAYS")]
    pub(crate) older_than: Option<u32>,
    /// Only facts of this standing; repeat it [default: proposed]
    #[arg(long, value_enum)]
    pub(crate) standing: Vec<StandingArg>,
    /// Withdraw them; without it, they are only listed
    #[arg(long)]
    pub(crate) apply: bool,
    /// Facts to list at most
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) limit: usize,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Health {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Only this check, by its name in --json, such as orphans or no_evidence; repeat it
    #[arg(long, value_name = "NAME")]
    pub(crate) check: Vec<String>,
    /// So many of each at most
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub(crate) limit: usize,
}

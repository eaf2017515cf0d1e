//! Arguments of the commands for trust, duplicates and housekeeping.

use clap::{Args as ClapArgs, ValueEnum};
use hearsay_model::Confidence;

use super::{
    campaign::Campaign,
    names::{entities, name},
    values::StatusArg,
};

fn confidence(given: &str) -> Result<Confidence, String> {
    let number = given.parse::<f64>().map_err(|error| error.to_string())?;
    Confidence::new(number).map_err(|error| error.to_string())
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum TrustAction {
    /// Show the trust in each source, predicate and extraction method
    #[default]
    Status,
    /// List the decisions that affect the trust, newest first
    History,
    /// Use the learned trust to change the confidence of new proposals
    On,
    /// Continue to record your decisions, but do not use the trust to change the confidence of new proposals
    Off,
    /// Forget all decisions that affect the trust
    Reset,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Trust {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Action to perform on the trust that Hearsay learned from your review decisions
    #[arg(value_enum, default_value = "status")]
    pub(crate) action: TrustAction,
    /// Show what the action `on`, `off` or `reset` would change, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Maximum number of results
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) limit: usize,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum DuplicatesDecision {
    /// Record that two entities are different
    NotTheSame,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Duplicates {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Record a decision about two entities [default: only list possible duplicates]
    #[arg(value_enum, requires = "other", conflicts_with = "facts")]
    pub(crate) decision: Option<DuplicatesDecision>,
    /// First of the two entities that the decision is about (id or name)
    #[arg(value_name = "A", value_parser = name, add = entities())]
    pub(crate) one: Option<String>,
    /// Second of the two entities that the decision is about (id or name)
    #[arg(value_name = "B", value_parser = name, add = entities())]
    pub(crate) other: Option<String>,
    /// Also compare the descriptions of entities by meaning, with the sentence encoder
    #[arg(long, conflicts_with_all = ["facts", "decision"])]
    pub(crate) meaning: bool,
    /// List duplicate facts instead of entities
    #[arg(long)]
    pub(crate) facts: bool,
    /// Show what `not-the-same` would change, without changing anything
    #[arg(long, requires = "decision")]
    pub(crate) dry_run: bool,
    /// Maximum number of results
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) limit: usize,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Merge {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Entity that the merge removes (id or name)
    #[arg(value_parser = name, add = entities())]
    pub(crate) entity: String,
    /// Entity that the merge keeps (id or name)
    #[arg(value_parser = name, add = entities())]
    pub(crate) into: String,
    /// Show the effects of the merge, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Merge without asking, even if the entities have different kinds, descriptions or values
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Split {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Id of the entity that the merge removed. If only one entity was merged into the remaining entity, you can write
    /// the id or name of the remaining entity instead
    #[arg(value_parser = name, add = entities())]
    pub(crate) entity: String,
    /// Show what the command would change, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Prune {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Retract only facts with a confidence below this number, from 0.0 to 1.0
    #[arg(long, value_name = "CONFIDENCE", value_parser = confidence)]
    pub(crate) below: Option<Confidence>,
    /// Retract only facts that were recorded more than this number of days ago, in real time
    #[arg(long, value_name = "DAYS")]
    pub(crate) older_than: Option<u32>,
    /// Retract only facts with this status; may be repeated [default: proposed]
    #[arg(long, value_enum)]
    pub(crate) status: Vec<StatusArg>,
    /// List the facts without retracting them
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Maximum number of facts to list
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) limit: usize,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Health {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Run only the check with this name, such as orphans (--json lists the names); may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) check: Vec<String>,
    /// Maximum number of findings to list per check
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub(crate) limit: usize,
}

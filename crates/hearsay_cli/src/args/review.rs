//! Decisions on facts that wait for the DM.

use clap::{Args as ClapArgs, ValueEnum};

use super::Campaign;

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum DecisionArg {
    /// Make it canon
    Accept,
    /// Correct it, and make it canon
    Edit,
    /// It is false, though some believe it
    False,
    /// It is not part of the world
    Reject,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Review {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Decision [default: list what waits]
    #[arg(value_enum, requires = "facts")]
    pub(crate) decision: Option<DecisionArg>,
    /// Facts to decide on: id, start of the id, or handle
    #[arg(value_name = "FACT")]
    pub(crate) facts: Vec<String>,
    /// Reason, kept in the journal
    #[arg(long, requires = "facts")]
    pub(crate) reason: Option<String>,
    /// With `edit`: the correct object or value
    #[arg(long)]
    pub(crate) object: Option<String>,
    /// With `edit`: the correct sentence
    #[arg(long)]
    pub(crate) statement: Option<String>,
    /// Maximum number of items
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) limit: usize,
}

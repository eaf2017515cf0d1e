//! What can be typed to decide what waits.

use clap::{Args as ClapArgs, ValueEnum};

use super::Campaign;

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum DecisionArg {
    /// It is so
    Accept,
    /// It is so in the words or of the object given
    Edit,
    /// It is not so, though some believe it
    False,
    /// It is no part of the world
    Reject,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Review {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// What you decide; list what waits, when nothing is given
    #[arg(value_enum, requires = "facts")]
    pub(crate) decision: Option<DecisionArg>,
    /// On which facts, in one operation: id, beginning of the id, or handle
    #[arg(value_name = "FACT")]
    pub(crate) facts: Vec<String>,
    /// Why, in your words: kept in the journal
    #[arg(long, requires = "facts")]
    pub(crate) reason: Option<String>,
    /// With `edit`: the object or value that is right
    #[arg(long)]
    pub(crate) object: Option<String>,
    /// With `edit`: the sentence that is right
    #[arg(long)]
    pub(crate) statement: Option<String>,
    /// Items to list at most
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) limit: usize,
}

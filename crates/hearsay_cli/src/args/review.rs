//! Arguments of `hearsay review`: decisions on facts that wait for the DM.

use clap::{Args as ClapArgs, ValueEnum};

use super::{
    campaign::Campaign,
    names::{entities, facts, name},
};

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum DecisionArg {
    /// Make the fact canon (true in the campaign)
    Accept,
    /// Correct the fact, and make the corrected fact canon (true in the campaign)
    Edit,
    /// Mark the fact as false; characters can still believe it
    False,
    /// Remove the fact from the campaign, so that no character knows it any more
    Reject,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Review {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Decision on the facts: accept, edit, false or reject [default: list the facts that wait for a decision]
    #[arg(value_enum, requires = "facts", hide_possible_values = true)]
    pub(crate) decision: Option<DecisionArg>,
    /// Facts to decide on; for each fact, give its handle (short name), the start of its id, or words of its statement
    #[arg(value_name = "FACT", value_parser = name, add = facts())]
    pub(crate) facts: Vec<String>,
    /// Reason for the decision; Hearsay records the reason together with the decision
    #[arg(long, requires = "facts")]
    pub(crate) reason: Option<String>,
    /// For `edit`: new object of the relation (id or name of an entity), or new value of the attribute
    #[arg(long, value_parser = name, add = entities())]
    pub(crate) object: Option<String>,
    /// For `edit`: new sentence that states the fact; Hearsay takes subject, relation and object from this sentence, if
    /// it finds a relation or an attribute in the sentence
    #[arg(long)]
    pub(crate) statement: Option<String>,
    /// For `accept`: character who knows the fact; may be repeated; no other character learns it [default: the
    /// characters who heard or saw the text]
    #[arg(long, value_name = "CHARACTER", requires = "decision", value_parser = name, add = entities())]
    pub(crate) known_by: Vec<String>,
    /// Show what the decision would change, without changing anything; this option requires a decision, such as
    /// `reject`
    #[arg(long, requires = "decision")]
    pub(crate) dry_run: bool,
    /// Also list the items that Hearsay holds back because their session or import has too many items for review
    #[arg(long, conflicts_with = "decision")]
    pub(crate) more: bool,
    /// Also show the part of Hearsay that found each fact, and the earlier decisions that changed its confidence
    #[arg(long, short = 'v', conflicts_with = "decision")]
    pub(crate) verbose: bool,
    /// Maximum number of items to list
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) limit: usize,
}

//! What can be typed to write by hand.

use clap::Args as ClapArgs;
use hearsay_model::EntityId;

use super::{Campaign, text};

#[derive(Debug, ClapArgs)]
pub(crate) struct Add {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// What it is called
    #[arg(value_parser = text)]
    pub(crate) name: String,
    /// What it is: npc, player, location, faction, party, item, document, event, quest, concept, or a word of your own
    #[arg(long, default_value = "npc")]
    pub(crate) kind: String,
    /// Its id [default: made from the name]
    #[arg(long, value_parser = |id: &str| EntityId::new(id))]
    pub(crate) id: Option<EntityId>,
    /// Where it lives and is: an id or a name
    #[arg(long, value_name = "PLACE")]
    pub(crate) at: Option<String>,
}

/// What may be said of a fact besides its three parts.
#[derive(Debug, ClapArgs)]
pub(crate) struct FactArgs {
    /// The sentence that states it [default: made from the predicate's phrase]
    #[arg(long)]
    pub(crate) statement: Option<String>,
    /// Only the bearer and --known-by know it
    #[arg(long, conflicts_with = "common")]
    pub(crate) secret: bool,
    /// Everybody knows it
    #[arg(long)]
    pub(crate) common: bool,
    /// Who else knows it; repeat it
    #[arg(long, value_name = "NPC")]
    pub(crate) known_by: Vec<String>,
    /// Since when it is so, on the campaign's calendar
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    pub(crate) since: Option<String>,
    /// Until when it was so
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    pub(crate) until: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Set {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Whose attribute: an id or a name
    pub(crate) entity: String,
    /// Which attribute, such as occupation
    pub(crate) attribute: String,
    /// Its value
    #[arg(value_parser = text)]
    pub(crate) value: String,
    #[command(flatten)]
    pub(crate) fact: FactArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Relate {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// The subject: an id or a name
    pub(crate) subject: String,
    /// The relation, such as OWES or EMPLOYED_BY; or words of your own, which become one: "sails with" is SAILS_WITH
    pub(crate) predicate: String,
    /// The object: an id or a name
    pub(crate) object: String,
    /// How the subject feels about the object, -100 to 100
    #[arg(long, allow_hyphen_values = true, value_name = "N")]
    pub(crate) attitude: Option<i64>,
    #[command(flatten)]
    pub(crate) fact: FactArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Correct {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// The fact: id, beginning of the id, or handle
    pub(crate) fact: String,
    /// The object or value that is right
    #[arg(long, required_unless_present = "statement")]
    pub(crate) object: Option<String>,
    /// The sentence that is right
    #[arg(long)]
    pub(crate) statement: Option<String>,
}

#[derive(Debug, ClapArgs)]
#[group(id = "what", required = true, multiple = false)]
pub(crate) struct RemoveWhat {
    /// A fact: id, beginning of the id, or handle
    #[arg(long)]
    pub(crate) fact: Option<String>,
    /// An entity: id or name
    #[arg(long)]
    pub(crate) entity: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Remove {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    #[command(flatten)]
    pub(crate) what: RemoveWhat,
}

//! Editing entities and facts by hand.

use clap::Args as ClapArgs;
use hearsay_model::EntityId;

use super::{Campaign, text};

#[derive(Debug, ClapArgs)]
pub(crate) struct Add {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Name of the entity
    #[arg(value_parser = text)]
    pub(crate) name: String,
    /// Kind: npc, player, location, faction, party, item, document, event, quest, concept, or your own word
    #[arg(long, default_value = "npc")]
    pub(crate) kind: String,
    /// Id of the entity [default: made from the name]
    #[arg(long, value_parser = |id: &str| EntityId::new(id))]
    pub(crate) id: Option<EntityId>,
    /// Place where it lives and is, by id or name
    #[arg(long, value_name = "PLACE")]
    pub(crate) at: Option<String>,
}

/// What may be said of a fact besides its three parts.
#[derive(Debug, ClapArgs)]
pub(crate) struct FactArgs {
    /// Sentence that states the fact [default: made from the predicate]
    #[arg(long)]
    pub(crate) statement: Option<String>,
    /// Known only to the subject and to --known-by
    #[arg(long, conflicts_with = "common")]
    pub(crate) secret: bool,
    /// Known to everybody
    #[arg(long)]
    pub(crate) common: bool,
    /// Character who knows it too; may be repeated
    #[arg(long, value_name = "NPC")]
    pub(crate) known_by: Vec<String>,
    /// Date from which it is true
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    pub(crate) since: Option<String>,
    /// Date until which it was true
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    pub(crate) until: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Set {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Entity, by id or name
    pub(crate) entity: String,
    /// Attribute, such as occupation
    pub(crate) attribute: String,
    /// Value of the attribute
    #[arg(value_parser = text)]
    pub(crate) value: String,
    #[command(flatten)]
    pub(crate) fact: FactArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Relate {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Subject, by id or name
    pub(crate) subject: String,
    /// Relation, such as OWES or EMPLOYED_BY, or your own words: "sails with" becomes SAILS_WITH
    pub(crate) predicate: String,
    /// Object, by id or name
    pub(crate) object: String,
    /// Attitude of the subject to the object, -100 to 100
    #[arg(long, allow_hyphen_values = true, value_name = "N")]
    pub(crate) attitude: Option<i64>,
    #[command(flatten)]
    pub(crate) fact: FactArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Correct {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Fact: id, start of the id, or handle
    pub(crate) fact: String,
    /// Correct object or value
    #[arg(long, required_unless_present = "statement")]
    pub(crate) object: Option<String>,
    /// Correct sentence
    #[arg(long)]
    pub(crate) statement: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RemoveFact {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Fact: id, start of the id, or handle
    pub(crate) fact: String,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RemoveEntity {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Entity, by id or name
    pub(crate) entity: String,
}

//! Arguments of the commands that edit entities and facts by hand.

use clap::Args as ClapArgs;
use hearsay_model::EntityId;

use super::{
    campaign::Campaign,
    names::{entities, facts, name, predicates},
    values::text,
};

#[derive(Debug, ClapArgs)]
pub(crate) struct Add {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Name of the entity
    #[arg(value_parser = text)]
    pub(crate) name: String,
    /// Kind of the entity: npc, player, location, faction, party, item, document, event, quest, concept, or your own
    /// word
    #[arg(long, default_value = "npc")]
    pub(crate) kind: String,
    /// Id of the entity [default: generated from the name]
    #[arg(long, value_parser = |id: &str| EntityId::new(id))]
    pub(crate) id: Option<EntityId>,
    /// Place (id or name) that becomes the home and the current place of the entity
    #[arg(long, value_name = "PLACE", value_parser = name, add = entities())]
    pub(crate) at: Option<String>,
    /// Show what the command would change, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Options of a fact besides subject, predicate and object.
#[derive(Debug, ClapArgs)]
pub(crate) struct FactArgs {
    /// Sentence that states the fact [default: generated from the predicate]
    #[arg(long)]
    pub(crate) statement: Option<String>,
    /// Make the fact a secret; only its subject and the characters named with --known-by know the secret, and they
    /// conceal the secret
    #[arg(long, conflicts_with = "common")]
    pub(crate) secret: bool,
    /// Make the fact known to everyone
    #[arg(long)]
    pub(crate) common: bool,
    /// Additional character who knows the fact; may be repeated
    #[arg(long, value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) known_by: Vec<String>,
    /// Date at which the fact became true
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    pub(crate) since: Option<String>,
    /// Date at which the fact ceased to be true
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    pub(crate) until: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Set {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Entity that the field describes (id or name)
    #[arg(value_parser = name, add = entities())]
    pub(crate) entity: String,
    /// Field, as in campaign files: an attribute, such as occupation, or a relation, such as home, location or faction
    #[arg(add = predicates())]
    pub(crate) field: String,
    /// Value of the attribute, or the other entity of the relation (id or name). For a relation, `none` ends the current
    /// value
    #[arg(value_parser = text)]
    pub(crate) value: String,
    #[command(flatten)]
    pub(crate) fact: FactArgs,
    /// Show what the command would change, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Relate {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Subject of the relation (id or name)
    #[arg(value_parser = name, add = entities())]
    pub(crate) subject: String,
    /// Relation, such as OWES or EMPLOYED_BY; you can also write your own words, such as "sails with" for SAILS_WITH
    #[arg(add = predicates())]
    pub(crate) predicate: String,
    /// Object of the relation (id or name)
    #[arg(value_parser = name, add = entities())]
    pub(crate) object: String,
    /// Attitude of the subject towards the object, from -100 (hatred) to 100 (devotion)
    #[arg(long, allow_hyphen_values = true, value_name = "N")]
    pub(crate) attitude: Option<i64>,
    #[command(flatten)]
    pub(crate) fact: FactArgs,
    /// Show what the command would change, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Correct {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Fact to correct: its handle (short name), the start of its id, or words of its statement
    #[arg(value_parser = name, add = facts())]
    pub(crate) fact: String,
    /// New object of the relation (id or name of an entity), or new value of the attribute
    #[arg(long, required_unless_present = "statement", value_parser = name, add = entities())]
    pub(crate) object: Option<String>,
    /// New sentence that states the fact
    #[arg(long)]
    pub(crate) statement: Option<String>,
    /// Show what the command would change, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MakeSecret {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Fact to make secret: its handle (short name), the start of its id, or words of its statement; may be repeated
    #[arg(required = true, value_name = "FACT", value_parser = name, add = facts())]
    pub(crate) facts: Vec<String>,
    /// Make the facts open instead; nobody conceals them any more, and nobody learns them
    #[arg(long)]
    pub(crate) open: bool,
    /// Show what the command would change, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RemoveEntity {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Entity to remove (id or name)
    #[arg(value_parser = name, add = entities())]
    pub(crate) entity: String,
    /// Show what the command would change, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}

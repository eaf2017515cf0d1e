//! Arguments of the commands that show and list entities and facts.

use clap::{Args as ClapArgs, ValueEnum};

use super::{
    campaign::{Campaign, OptionalCampaign},
    know::PointInTime,
    names::{entities, known_entities, known_entities_and_facts, name, predicates, sessions},
    values::{StatusArg, text},
};

#[derive(Debug, ClapArgs)]
pub(crate) struct Facts {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// List only facts with this subject (id or name)
    #[arg(long, value_name = "ENTITY", value_parser = name, add = known_entities())]
    pub(crate) subject: Option<String>,
    /// List only facts that have this entity as subject or object, or that name it in their statement
    #[arg(long, value_name = "ENTITY", value_parser = name, add = known_entities())]
    pub(crate) about: Option<String>,
    /// List only facts with this predicate, such as MEMBER_OF; `hearsay db stats` lists the predicates
    #[arg(long, add = predicates())]
    pub(crate) predicate: Option<String>,
    /// List only facts with this object, or with these words in their value
    #[arg(long, value_name = "ENTITY|WORDS", value_parser = name, add = known_entities())]
    pub(crate) object: Option<String>,
    /// List only facts with this status
    #[arg(long, value_enum, conflicts_with = "knower")]
    pub(crate) status: Option<StatusArg>,
    /// List only facts that this character knows; the command rejects names that this character does not know
    #[arg(long = "as", value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) knower: Option<String>,
    /// List only facts that are true at this date, such as `4 Rainmoon 412`, or at the end of this session
    #[arg(long, value_name = "DATE|SESSION", conflicts_with = "knower", allow_hyphen_values = true, value_parser = text, add = sessions())]
    pub(crate) holds_at: Option<String>,
    #[command(flatten)]
    pub(crate) point_in_time: PointInTime,
    /// Maximum number of results
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub(crate) limit: usize,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Vocabulary {
    #[command(flatten)]
    pub(crate) campaign: OptionalCampaign,
    /// List only relations and attributes whose name, meaning or example contains this text
    #[arg(value_parser = text)]
    pub(crate) words: Option<String>,
    /// Instead of the vocabulary, print the names of the campaign on one line; the most important names come first
    #[arg(long, conflicts_with = "words")]
    pub(crate) speech: bool,
    /// Maximum number of names that --speech prints
    #[arg(long, requires = "speech", default_value_t = 80, value_name = "N")]
    pub(crate) limit: usize,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Show {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Entity (id or name), or fact (its handle, the start of its id, or words of its statement)
    #[arg(value_name = "ENTITY|FACT", value_parser = name, add = known_entities_and_facts())]
    pub(crate) reference: String,
    /// Use only what this character knows; the command rejects names that this character does not know [default: use
    /// the whole campaign]
    #[arg(long = "as", value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) knower: Option<String>,
    #[command(flatten)]
    pub(crate) point_in_time: PointInTime,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum DirectionArg {
    Out,
    In,
    Both,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct TraversalOptions {
    /// Direction in which to follow relations; `out` means from the subject to the object
    #[arg(long, value_enum, default_value = "both")]
    pub(crate) direction: DirectionArg,
    /// Follow only relations with this predicate; may be repeated
    #[arg(long, value_name = "PREDICATE", add = predicates())]
    pub(crate) predicate: Vec<String>,
    /// Use only what this character knows; the command rejects names that this character does not know [default: use
    /// the whole campaign]
    #[arg(long = "as", value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) knower: Option<String>,
    #[command(flatten)]
    pub(crate) point_in_time: PointInTime,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Neighbours {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Entity to start from (id or name)
    #[arg(value_parser = name, add = known_entities())]
    pub(crate) entity: String,
    #[command(flatten)]
    pub(crate) traversal: TraversalOptions,
    /// Maximum number of relations on the path from the start to a listed entity
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) depth: usize,
    /// Maximum number of results
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub(crate) limit: usize,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Path {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Entity to start from (id or name)
    #[arg(value_parser = name, add = known_entities())]
    pub(crate) from: String,
    /// Entity to reach (id or name)
    #[arg(value_parser = name, add = known_entities())]
    pub(crate) to: String,
    #[command(flatten)]
    pub(crate) traversal: TraversalOptions,
    /// Maximum number of relations on the path
    #[arg(long, default_value_t = 6, value_name = "N")]
    pub(crate) max: usize,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Status {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Wait until all facts and passages have vectors; search by meaning needs these vectors
    #[arg(long)]
    pub(crate) wait: bool,
}

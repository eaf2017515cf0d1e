//! What can be typed to look at what is on record.

use clap::{Args as ClapArgs, ValueEnum};

use super::{Campaign, StandingArg, When, text};

#[derive(Debug, ClapArgs)]
pub(crate) struct Facts {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// About this entity: an id or a name
    #[arg(long, value_name = "ENTITY")]
    pub(crate) subject: Option<String>,
    /// With this predicate, such as MEMBER_OF or occupation; `hearsay stats` lists them
    #[arg(long)]
    pub(crate) predicate: Option<String>,
    /// Pointing at this entity, or with these words in the value
    #[arg(long, value_name = "ENTITY|WORDS")]
    pub(crate) object: Option<String>,
    /// Of this standing
    #[arg(long, value_enum)]
    pub(crate) standing: Option<StandingArg>,
    /// Known to this knower: an id or a name
    #[arg(long, value_name = "NPC")]
    pub(crate) knower: Option<String>,
    /// So in the world at this date, or at the end of this session: `4 Rainmoon 412`, `yesterday`
    #[arg(long, value_name = "DATE|SESSION", value_parser = text, allow_hyphen_values = true)]
    pub(crate) holds_at: Option<String>,
    #[command(flatten)]
    pub(crate) when: When,
    /// At most so many
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub(crate) limit: usize,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Show {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// An entity by id or name, or a fact by id, beginning of the id, or handle
    pub(crate) what: String,
    /// As this knower sees it: an id or a name
    #[arg(long, value_name = "NPC")]
    pub(crate) knower: Option<String>,
    #[command(flatten)]
    pub(crate) when: When,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum DirectionArg {
    Out,
    In,
    Both,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Walk {
    /// Which way relations are followed
    #[arg(long, value_enum, default_value = "both")]
    pub(crate) direction: DirectionArg,
    /// Only these relations; repeat it
    #[arg(long, value_name = "PREDICATE")]
    pub(crate) predicate: Vec<String>,
    /// As this knower sees it: an id or a name
    #[arg(long, value_name = "NPC")]
    pub(crate) knower: Option<String>,
    #[command(flatten)]
    pub(crate) when: When,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Neighbours {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// From where: an id or a name
    pub(crate) entity: String,
    #[command(flatten)]
    pub(crate) walk: Walk,
    /// Hops
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) depth: usize,
    /// At most so many
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub(crate) limit: usize,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Path {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// From where: an id or a name
    pub(crate) from: String,
    /// To where: an id or a name
    pub(crate) to: String,
    #[command(flatten)]
    pub(crate) walk: Walk,
    /// Steps at most
    #[arg(long, default_value_t = 6, value_name = "N")]
    pub(crate) max: usize,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Status {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Wait until every text has its vector
    #[arg(long)]
    pub(crate) wait: bool,
}

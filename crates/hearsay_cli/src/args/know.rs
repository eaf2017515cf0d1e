//! `hearsay know`: who knows and believes what.

use clap::Args as ClapArgs;

use super::{Campaign, text};

/// As of when.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct When {
    /// State of knowledge at the end of this date or session [default: now]
    #[arg(long, value_name = "DATE|SESSION", value_parser = text, allow_hyphen_values = true)]
    pub(crate) as_of: Option<String>,
    /// State of the journal at this operation; `hearsay db history` lists operations
    #[arg(long, value_name = "POSITION")]
    pub(crate) recorded: Option<u64>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Knows {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Character, by id or name
    #[arg(required_unless_present = "players", conflicts_with = "players")]
    pub(crate) who: Option<String>,
    /// Knowledge of all player characters and their parties
    #[arg(long)]
    pub(crate) players: bool,
    /// Only facts about this entity, by id or name
    #[arg(long, value_name = "ENTITY")]
    pub(crate) about: Option<String>,
    /// Only facts with this predicate, such as MEMBER_OF or occupation
    #[arg(long)]
    pub(crate) predicate: Option<String>,
    /// Only facts with all of these words
    #[arg(long, value_name = "WORDS")]
    pub(crate) words: Option<String>,
    /// Only facts learned since the start of this session, or since this date
    #[arg(long, value_name = "SESSION|DATE", value_parser = text, allow_hyphen_values = true)]
    pub(crate) since: Option<String>,
    #[command(flatten)]
    pub(crate) when: When,
    /// Maximum number of results
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub(crate) limit: usize,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Believes {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Character, by id or name
    pub(crate) who: String,
    /// Entity that the belief is about, by id or name
    pub(crate) subject: String,
    /// Predicate, such as LOCATED_AT or occupation [default: all]
    pub(crate) predicate: Option<String>,
    /// Show what the character thinks that this other character believes
    #[arg(long, value_name = "NPC")]
    pub(crate) thinks_of: Option<String>,
    #[command(flatten)]
    pub(crate) when: When,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct WhoAndFact {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Character, by id or name
    pub(crate) who: String,
    /// Fact: id, start of the id, or handle
    pub(crate) fact: String,
    #[command(flatten)]
    pub(crate) when: When,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct WhoKnows {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Fact: id, start of the id, or handle
    pub(crate) fact: String,
    #[command(flatten)]
    pub(crate) when: When,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Secrets {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Only secrets of this holder, by id or name
    pub(crate) who: Option<String>,
    /// Only secrets that nobody was told
    #[arg(long)]
    pub(crate) untold: bool,
    #[command(flatten)]
    pub(crate) when: When,
    /// Maximum number of results
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub(crate) limit: usize,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Missed {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Absent character, by id or name
    pub(crate) who: String,
    /// Session, by id or number
    pub(crate) session: String,
    /// State of the journal at this operation
    #[arg(long, value_name = "POSITION")]
    pub(crate) recorded: Option<u64>,
}

//! `hearsay know`: queries about knowledge and belief.

use clap::Args as ClapArgs;

use super::{
    campaign::Campaign,
    names::{entities, facts, known_entities, name, predicates, sessions},
    values::text,
};

/// Point in time to which a query about knowledge refers.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct PointInTime {
    /// Use the knowledge that characters had at the end of this game date or session [default: current knowledge]
    #[arg(long, value_name = "DATE|SESSION", allow_hyphen_values = true, value_parser = text, add = sessions())]
    pub(crate) as_of: Option<String>,
    /// Use the campaign as it was after the operation with this number; `hearsay db history` lists the numbers
    #[arg(long, value_name = "POSITION")]
    pub(crate) recorded: Option<u64>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Knows {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Character whose knowledge is listed (id or name)
    #[arg(required_unless_present = "players", conflicts_with = "players", value_parser = name, add = entities())]
    pub(crate) character: Option<String>,
    /// List the facts that the player characters and their parties know
    #[arg(long, alias = "player-safe")]
    pub(crate) players: bool,
    /// List only facts about this entity (id or name)
    #[arg(long, value_name = "ENTITY", value_parser = name, add = known_entities())]
    pub(crate) about: Option<String>,
    /// List only facts with this predicate, such as MEMBER_OF or occupation
    #[arg(long, add = predicates())]
    pub(crate) predicate: Option<String>,
    /// List only facts that contain all of these words in their statement
    #[arg(long, value_name = "WORDS")]
    pub(crate) words: Option<String>,
    /// List only facts that were learned since the start of this session or since this date
    #[arg(long, value_name = "SESSION|DATE", allow_hyphen_values = true, value_parser = text, add = sessions())]
    pub(crate) since: Option<String>,
    #[command(flatten)]
    pub(crate) point_in_time: PointInTime,
    /// Maximum number of results
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub(crate) limit: usize,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Believes {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Character who holds the beliefs (id or name)
    #[arg(value_parser = name, add = entities())]
    pub(crate) character: String,
    /// Entity that the beliefs are about (id or name)
    #[arg(value_parser = name, add = known_entities())]
    pub(crate) subject: String,
    /// Show only beliefs with this predicate, such as LOCATED_AT or occupation
    #[arg(add = predicates())]
    pub(crate) predicate: Option<String>,
    /// Show the beliefs that the character attributes to this other character
    #[arg(long, value_name = "CHARACTER", value_parser = name, add = known_entities())]
    pub(crate) thinks_of: Option<String>,
    /// Also show what is true in the campaign (only for the DM); with this option, the command accepts all names of the
    /// campaign
    #[arg(long, conflicts_with = "thinks_of")]
    pub(crate) truth: bool,
    #[command(flatten)]
    pub(crate) point_in_time: PointInTime,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct KnowerAndFact {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Character whose knowledge of the fact is explained (id or name)
    #[arg(value_parser = name, add = entities())]
    pub(crate) character: String,
    /// Fact: its handle (short name), the start of its id, or words of its statement
    #[arg(value_parser = name, add = facts())]
    pub(crate) fact: String,
    #[command(flatten)]
    pub(crate) point_in_time: PointInTime,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct WhoKnows {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Fact: its handle (short name), the start of its id, or words of its statement
    #[arg(value_parser = name, add = facts())]
    pub(crate) fact: String,
    #[command(flatten)]
    pub(crate) point_in_time: PointInTime,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Secrets {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// List only secrets of this holder (id or name)
    #[arg(value_parser = name, add = entities())]
    pub(crate) character: Option<String>,
    /// List only secrets that no player character knows
    #[arg(long)]
    pub(crate) untold: bool,
    #[command(flatten)]
    pub(crate) point_in_time: PointInTime,
    /// Maximum number of results
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub(crate) limit: usize,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct FactVersions {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Any version of the rumour: its handle (short name), the start of its id, or words of its statement
    #[arg(value_parser = name, add = facts())]
    pub(crate) fact: String,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Feelings {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Character whose feelings are shown (id or name)
    #[arg(value_parser = name, add = entities())]
    pub(crate) character: String,
    /// Show only the feelings towards this character (id or name)
    #[arg(long, value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) towards: Option<String>,
    #[command(flatten)]
    pub(crate) point_in_time: PointInTime,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CharacterTrust {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Character whose trust is shown (id or name)
    #[arg(value_parser = name, add = entities())]
    pub(crate) character: String,
    /// Show only the trust in this character (id or name)
    #[arg(long, value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) towards: Option<String>,
    #[command(flatten)]
    pub(crate) point_in_time: PointInTime,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CharacterMemory {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Character whose memory is shown (id or name)
    #[arg(value_parser = name, add = entities())]
    pub(crate) character: String,
    /// Also list facts that the character still remembers well
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) point_in_time: PointInTime,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Missed {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Character who was absent (id or name)
    #[arg(value_parser = name, add = entities())]
    pub(crate) character: String,
    /// Session that the character missed (id or number)
    #[arg(add = sessions())]
    pub(crate) session: String,
    /// Use the campaign as it was after the operation with this number
    #[arg(long, value_name = "POSITION")]
    pub(crate) recorded: Option<u64>,
}

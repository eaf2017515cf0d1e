//! What can be typed to see who knows and believes what.

use clap::Args as ClapArgs;

use super::{Campaign, text};

/// As of when.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct When {
    /// As of the end of this day on the campaign's calendar, or of this session (session-2) [default: all that is on
    /// record]
    #[arg(long, value_name = "DATE|SESSION", value_parser = text, allow_hyphen_values = true)]
    pub(crate) as_of: Option<String>,
    /// As it was on record at this position of the journal; `hearsay history` lists them
    #[arg(long, value_name = "POSITION")]
    pub(crate) recorded: Option<u64>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Knows {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Who: an id or a name
    #[arg(required_unless_present = "players", conflicts_with = "players")]
    pub(crate) who: Option<String>,
    /// What all the players know: their characters, and the parties they belong to
    #[arg(long)]
    pub(crate) players: bool,
    /// Only what has to do with this: an id or a name
    #[arg(long, value_name = "ENTITY")]
    pub(crate) about: Option<String>,
    /// Only with this predicate, such as MEMBER_OF or occupation
    #[arg(long)]
    pub(crate) predicate: Option<String>,
    /// Only what says all of these words
    #[arg(long, value_name = "WORDS")]
    pub(crate) words: Option<String>,
    /// Only what was learned since the start of this session, or this date
    #[arg(long, value_name = "SESSION|DATE", value_parser = text, allow_hyphen_values = true)]
    pub(crate) since: Option<String>,
    #[command(flatten)]
    pub(crate) when: When,
    /// At most so many
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub(crate) limit: usize,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Believes {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Who: an id or a name
    pub(crate) who: String,
    /// Of whom or what: an id or a name
    pub(crate) subject: String,
    /// What of it, such as LOCATED_AT or occupation [default: all that is known of it]
    pub(crate) predicate: Option<String>,
    /// What it has reason to think that this one believes: an id or a name
    #[arg(long, value_name = "NPC")]
    pub(crate) thinks_of: Option<String>,
    #[command(flatten)]
    pub(crate) when: When,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct WhoAndFact {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Who: an id or a name
    pub(crate) who: String,
    /// The fact: id, beginning of the id, or handle
    pub(crate) fact: String,
    #[command(flatten)]
    pub(crate) when: When,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct WhoKnows {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// The fact: id, beginning of the id, or handle
    pub(crate) fact: String,
    #[command(flatten)]
    pub(crate) when: When,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Secrets {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Only those that this one holds: an id or a name
    pub(crate) who: Option<String>,
    /// Only those that nobody was told
    #[arg(long)]
    pub(crate) untold: bool,
    #[command(flatten)]
    pub(crate) when: When,
    /// At most so many
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub(crate) limit: usize,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Missed {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Who was absent: an id or a name
    pub(crate) who: String,
    /// The session: its id or number
    pub(crate) session: String,
    /// As it was on record at this position of the journal
    #[arg(long, value_name = "POSITION")]
    pub(crate) recorded: Option<u64>,
}

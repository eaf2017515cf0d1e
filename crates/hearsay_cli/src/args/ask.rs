//! What can be typed to ask and to search.

use clap::Args as ClapArgs;

use super::{Campaign, Form, StandingArg, When, budget, text};

#[derive(Debug, ClapArgs)]
pub(crate) struct Ask {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Who is asked: an id or a name
    #[arg(long = "as", value_name = "NPC", value_parser = text)]
    pub(crate) speaker: String,
    /// What is asked
    #[arg(value_parser = text)]
    pub(crate) question: String,
    /// Where: an id or a name [default: where the speaker is]
    #[arg(long, value_name = "PLACE")]
    pub(crate) at: Option<String>,
    /// Who else is there; repeat it [default: those whom the speaker knows to be there]
    #[arg(long, value_name = "NPC")]
    pub(crate) with: Vec<String>,
    /// Only what concerns this entity, or is one relation away from it; repeat it
    #[arg(long, value_name = "ENTITY", value_parser = text)]
    pub(crate) about: Vec<String>,
    /// The session that is played: its id or number. The last lines said in it are told
    #[arg(long, value_name = "SESSION", value_parser = text)]
    pub(crate) session: Option<String>,
    #[command(flatten)]
    pub(crate) when: When,
    /// Tokens that the context may have [default: as hearsay.toml says, 1200]
    #[arg(long, value_name = "TOKENS", value_parser = budget)]
    pub(crate) budget: Option<usize>,
    /// Facts and passages at most [default: as hearsay.toml says, 16]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// In which form
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) form: Form,
    /// Leave the receipts out; the prompt form has none unless --receipts is given
    #[arg(long, conflicts_with = "receipts")]
    pub(crate) no_receipts: bool,
    /// Put receipts into the prompt form too, and say in any form why a line is there
    #[arg(long)]
    pub(crate) receipts: bool,
    /// Answer by words and graph alone, without the encoder
    #[arg(long)]
    pub(crate) no_meaning: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Search {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// What is searched for
    #[arg(value_parser = text)]
    pub(crate) text: String,
    /// Whose knowledge: an id or a name [default: everything in the world]
    #[arg(long, value_name = "NPC")]
    pub(crate) knower: Option<String>,
    /// Only entities of this kind, such as npc, and facts about them
    #[arg(long)]
    pub(crate) kind: Option<String>,
    /// Only what concerns this entity, or is one relation away from it; repeat it
    #[arg(long, value_name = "ENTITY", value_parser = text)]
    pub(crate) about: Vec<String>,
    /// Only facts with this predicate, and only such relations are followed
    #[arg(long)]
    pub(crate) predicate: Option<String>,
    /// Only facts and passages of this session: its id or number
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// Only facts of this standing
    #[arg(long, value_enum, conflicts_with = "knower")]
    pub(crate) standing: Option<StandingArg>,
    /// Only what is so in the world at this date, or at the end of this session: `4 Rainmoon 412`, `yesterday`
    #[arg(long, value_name = "DATE|SESSION", conflicts_with = "knower", value_parser = text, allow_hyphen_values = true)]
    pub(crate) holds_at: Option<String>,
    /// How far relations are followed from what is found by name
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=3))]
    pub(crate) depth: u8,
    #[command(flatten)]
    pub(crate) when: When,
    /// Facts at most, and passages at most
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub(crate) limit: usize,
    /// Say of each result what words, meaning and graph gave it, how it is known, and the way through the graph
    #[arg(long, short = 'v')]
    pub(crate) explain: bool,
    /// Search by words and graph alone, without the encoder
    #[arg(long)]
    pub(crate) no_meaning: bool,
}

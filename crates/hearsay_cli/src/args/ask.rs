//! Arguments of `hearsay ask` and `hearsay search`.

use clap::Args as ClapArgs;

use super::{
    campaign::Campaign,
    know::PointInTime,
    names::{entities, known_entities, name, predicates, sessions},
    values::{Form, StatusArg, budget, text},
};

#[derive(Debug, ClapArgs)]
pub(crate) struct Ask {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Character who answers (id or name); --at and --about accept only names that this character knows
    #[arg(long = "as", value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) speaker: String,
    /// Question for the character
    #[arg(value_parser = text)]
    pub(crate) question: String,
    /// Place of the scene [default: the place where the character is]
    #[arg(long, value_name = "PLACE", value_parser = name, add = known_entities())]
    pub(crate) at: Option<String>,
    /// Listener in the scene; may be repeated. If the answering character does not know the name, the listener is a
    /// stranger [default: the characters in its scene of the session, or those who it believes are there]
    #[arg(long, value_name = "CHARACTER", value_parser = name, add = known_entities())]
    pub(crate) with: Vec<String>,
    /// Use only facts and passages about this entity or about entities directly related to it; may be repeated
    #[arg(long, value_name = "ENTITY", value_parser = name, add = known_entities())]
    pub(crate) about: Vec<String>,
    /// Session (id or number) whose last lines Hearsay adds to the context [default: the session being played]
    #[arg(long, value_name = "SESSION", value_parser = text, add = sessions())]
    pub(crate) session: Option<String>,
    #[command(flatten)]
    pub(crate) point_in_time: PointInTime,
    /// Maximum size of the context in tokens [default: the value in hearsay.toml, or 1200]
    #[arg(long, value_name = "TOKENS", value_parser = budget)]
    pub(crate) budget: Option<usize>,
    /// Maximum number of facts and passages in the context [default: the value in hearsay.toml, or 16]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) form: Form,
    /// Omit citations; the output format `prompt` already omits citations by default
    #[arg(long, conflicts_with_all = ["citations", "explain"])]
    pub(crate) no_citations: bool,
    /// Show citations; only the output format `prompt` needs this option, because the other formats show citations by
    /// default
    #[arg(long)]
    pub(crate) citations: bool,
    /// Show citations, and explain why Hearsay chose each line
    #[arg(long = "verbose", short = 'v')]
    pub(crate) explain: bool,
    /// Do not search by meaning with the sentence encoder; rank results only by keywords and by relations between
    /// entities
    #[arg(long)]
    pub(crate) no_meaning: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Search {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Words to search for; `*` lists all entities
    #[arg(value_parser = text)]
    pub(crate) text: String,
    /// Search only what this character knows; the command rejects names that this character does not know [default:
    /// search the whole campaign]
    #[arg(long = "as", value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) knower: Option<String>,
    /// Search only entities of this kind, such as npc or location, and facts about these entities
    #[arg(long)]
    pub(crate) kind: Option<String>,
    /// Search only this entity, entities directly related to it, and facts and passages about these entities; may be
    /// repeated
    #[arg(long, value_name = "ENTITY", value_parser = name, add = known_entities())]
    pub(crate) about: Vec<String>,
    /// Search only facts with this predicate (such as MEMBER_OF), and the entities in these facts
    #[arg(long, add = predicates())]
    pub(crate) predicate: Option<String>,
    /// Search only facts and passages that were recorded in this session (id or number)
    #[arg(long, add = sessions())]
    pub(crate) session: Option<String>,
    /// Search only facts with this status
    #[arg(long, value_enum, conflicts_with = "knower")]
    pub(crate) status: Option<StatusArg>,
    /// Search only facts that are true at this date, such as `4 Rainmoon 412`, or at the end of this session
    #[arg(long, value_name = "DATE|SESSION", conflicts_with = "knower", allow_hyphen_values = true, value_parser = text, add = sessions())]
    pub(crate) holds_at: Option<String>,
    /// Also list entities that are at most N relations away from an entity found by name; N is from 0 to 3
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=3))]
    pub(crate) depth: u8,
    #[command(flatten)]
    pub(crate) point_in_time: PointInTime,
    /// Maximum number of facts to list, and maximum number of passages to list
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub(crate) limit: usize,
    /// Explain each result: show its scores, its citation, and its path through the graph
    #[arg(long = "verbose", short = 'v')]
    pub(crate) explain: bool,
    /// Do not search by meaning with the sentence encoder; rank results only by keywords and by relations between
    /// entities
    #[arg(long)]
    pub(crate) no_meaning: bool,
}

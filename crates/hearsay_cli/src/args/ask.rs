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
    /// Character who answers, by id or name; all other names are looked up in its knowledge
    #[arg(long = "as", value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) speaker: String,
    /// Question for the character
    #[arg(value_parser = text)]
    pub(crate) question: String,
    /// Place of the scene [default: the place where the character is]
    #[arg(long, value_name = "PLACE", value_parser = name, add = known_entities())]
    pub(crate) at: Option<String>,
    /// Listener in the scene; may be repeated [default: everyone whom the speaker believes to be at the
    /// place]
    #[arg(long, value_name = "CHARACTER", value_parser = name, add = known_entities())]
    pub(crate) with: Vec<String>,
    /// Only facts and passages about this entity, or about entities directly related to it; may be repeated
    #[arg(long, value_name = "ENTITY", value_parser = name, add = known_entities())]
    pub(crate) about: Vec<String>,
    /// Session whose last lines become part of the context, by id or number
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
    /// Omit citations (already the default for the prompt format)
    #[arg(long, conflicts_with_all = ["citations", "explain"])]
    pub(crate) no_citations: bool,
    /// Show citations in the prompt format too (text and Markdown show them by default)
    #[arg(long)]
    pub(crate) citations: bool,
    /// Add citations, and explain why each line was chosen
    #[arg(long = "verbose", short = 'v')]
    pub(crate) explain: bool,
    /// Do not use the sentence encoder; rank by keywords and graph only
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
    /// Search only the knowledge of this character, also to look up names [default: the whole campaign]
    #[arg(long = "as", value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) knower: Option<String>,
    /// Only entities of this kind, such as npc, and facts about them
    #[arg(long)]
    pub(crate) kind: Option<String>,
    /// Only this entity, entities directly related to it, and facts and passages about any of them; may be repeated
    #[arg(long, value_name = "ENTITY", value_parser = name, add = known_entities())]
    pub(crate) about: Vec<String>,
    /// Only facts with this predicate, and entities reached along relations with this predicate
    #[arg(long, add = predicates())]
    pub(crate) predicate: Option<String>,
    /// Only facts and passages that were recorded in this session, by id or number
    #[arg(long, add = sessions())]
    pub(crate) session: Option<String>,
    /// Only facts with this status
    #[arg(long, value_enum, conflicts_with = "knower")]
    pub(crate) status: Option<StatusArg>,
    /// Only facts that are true at this date, such as `4 Rainmoon 412`, or at the end of this session
    #[arg(long, value_name = "DATE|SESSION", conflicts_with = "knower", allow_hyphen_values = true, value_parser = text, add = sessions())]
    pub(crate) holds_at: Option<String>,
    /// Also list entities that are at most N relations away from an entity found by name; N is 0 to 3
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=3))]
    pub(crate) depth: u8,
    #[command(flatten)]
    pub(crate) point_in_time: PointInTime,
    /// Maximum number of facts; the same limit applies to passages
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub(crate) limit: usize,
    /// Explain each result: scores, citation, and path through the graph
    #[arg(long = "verbose", short = 'v')]
    pub(crate) explain: bool,
    /// Do not use the sentence encoder; rank by keywords and graph only
    #[arg(long)]
    pub(crate) no_meaning: bool,
}

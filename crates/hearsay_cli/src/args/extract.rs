//! `hearsay fact extract`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::{
    campaign::Campaign,
    names::{entities, name},
    values::text,
};

#[derive(Debug, ClapArgs)]
pub(crate) struct Extract {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// File to preview, or `-` for standard input
    #[arg(value_name = "FILE", conflicts_with = "text")]
    pub(crate) file: Option<PathBuf>,
    /// Text to preview
    #[arg(long, value_parser = text)]
    pub(crate) text: Option<String>,
    /// Process all texts again, not only the waiting texts
    #[arg(long, conflicts_with_all = ["file", "text"])]
    pub(crate) again: bool,
    /// Speaker of the text, by id or name
    #[arg(long, value_name = "WHO", value_parser = name, add = entities())]
    pub(crate) by: Option<String>,
    /// Character who is present; may be repeated
    #[arg(long, value_name = "WHO", value_parser = name, add = entities())]
    pub(crate) present: Vec<String>,
    /// Place where the text is said
    #[arg(long, value_name = "PLACE", value_parser = name, add = entities())]
    pub(crate) at: Option<String>,
    /// Also compare sentences in meaning with examples of relations (loads the sentence encoder)
    #[arg(long)]
    pub(crate) meaning: bool,
    /// Use the language model (configure [extraction.llm] in hearsay.toml)
    #[arg(long, conflicts_with = "meaning")]
    pub(crate) llm: bool,
    /// The text describes the world and has no speaker
    #[arg(long, conflicts_with_all = ["by", "narration"])]
    pub(crate) lore: bool,
    /// The text is the DM's narration, or a line of a log
    #[arg(long, conflicts_with = "by")]
    pub(crate) narration: bool,
}

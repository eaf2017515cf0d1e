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
    /// Show the facts that Hearsay extracts from this file, without recording them; `-` means standard input
    #[arg(value_name = "FILE", conflicts_with = "text")]
    pub(crate) file: Option<PathBuf>,
    /// Show the facts that Hearsay extracts from this text, without recording them
    #[arg(long, value_parser = text)]
    pub(crate) text: Option<String>,
    /// Extract facts from all texts again, not only from texts that wait for extraction, and also from texts that only
    /// the DM knows
    #[arg(long, conflicts_with_all = ["file", "text"])]
    pub(crate) again: bool,
    /// Show only how many texts Hearsay would process; with a file or --text, this option has no effect
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Speaker of the text (id or name)
    #[arg(long, value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) by: Option<String>,
    /// Character who is present when the text is said; may be repeated
    #[arg(long, value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) present: Vec<String>,
    /// Place where the text is said
    #[arg(long, value_name = "PLACE", value_parser = name, add = entities())]
    pub(crate) at: Option<String>,
    /// Find more relations by comparing the meaning of each sentence with example sentences; extraction then takes
    /// longer
    #[arg(long)]
    pub(crate) meaning: bool,
    /// Extract facts with the language model that is set in [extraction.llm] in hearsay.toml
    #[arg(long, conflicts_with = "meaning")]
    pub(crate) llm: bool,
    /// Treat the text as a description of the world, without a speaker
    #[arg(long, conflicts_with_all = ["by", "narration"])]
    pub(crate) lore: bool,
    /// Treat the text as narration by the DM in the log of a session
    #[arg(long, conflicts_with = "by")]
    pub(crate) narration: bool,
}

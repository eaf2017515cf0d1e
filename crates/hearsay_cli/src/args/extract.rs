//! What can be typed to have texts read for facts.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::{Campaign, text};

#[derive(Debug, ClapArgs)]
pub(crate) struct Extract {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// A file with a text, or `-` for standard input: show what would be found, and record nothing
    #[arg(value_name = "FILE", conflicts_with = "text")]
    pub(crate) file: Option<PathBuf>,
    /// A text: show what would be found, and record nothing
    #[arg(long, value_parser = text)]
    pub(crate) text: Option<String>,
    /// Read every text of the campaign again, not only those that wait
    #[arg(long, conflicts_with_all = ["file", "text"])]
    pub(crate) again: bool,
    /// Who says the text: an id or a name
    #[arg(long, value_name = "WHO", value_parser = text)]
    pub(crate) by: Option<String>,
    /// Who is there, and may be spoken to or of; may be given several times
    #[arg(long, value_name = "WHO", value_parser = text)]
    pub(crate) present: Vec<String>,
    /// Where it is said
    #[arg(long, value_name = "PLACE", value_parser = text)]
    pub(crate) at: Option<String>,
    /// Compare what sentences mean with the examples of relations too, where words alone do not tell; loads the model
    #[arg(long)]
    pub(crate) meaning: bool,
    /// Have the language model read what waits for it, or the text that is shown; see [extraction.llm] in hearsay.toml
    #[arg(long, conflicts_with = "meaning")]
    pub(crate) llm: bool,
    /// The text is written about the world, not said at the table
    #[arg(long, conflicts_with_all = ["by", "narration"])]
    pub(crate) lore: bool,
    /// The text is what the DM tells, or a line of a log
    #[arg(long, conflicts_with = "by")]
    pub(crate) narration: bool,
}

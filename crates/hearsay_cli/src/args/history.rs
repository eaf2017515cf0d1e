//! What can be typed to see what was done and undo it.

use clap::{Args as ClapArgs, ValueEnum};

use super::Campaign;

#[derive(Debug, ClapArgs)]
pub(crate) struct History {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// At most so many
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) limit: usize,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum AuthorArg {
    Dm,
    Game,
    Import,
    Extractor,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Undo {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// The operation's position, as `history` shows it [default: the newest]
    pub(crate) position: Option<u64>,
    /// The newest by this author
    #[arg(long, value_enum, conflicts_with = "position")]
    pub(crate) author: Option<AuthorArg>,
    /// Say what would be lost and what depends on it, and change nothing
    #[arg(long)]
    pub(crate) preview: bool,
    /// Undo it though later operations depend on it
    #[arg(long)]
    pub(crate) force: bool,
}

//! The history of operations, and undoing them.

use clap::{Args as ClapArgs, ValueEnum};

use super::Campaign;

#[derive(Debug, ClapArgs)]
pub(crate) struct History {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Maximum number of operations
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
    /// Operation to undo, as `hearsay db history` numbers it [default: the newest]
    pub(crate) position: Option<u64>,
    /// Undo the newest operation of this author
    #[arg(long, value_enum, conflicts_with = "position")]
    pub(crate) author: Option<AuthorArg>,
    /// Show what would be undone and what depends on it, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Undo even if later operations depend on it
    #[arg(long)]
    pub(crate) force: bool,
}

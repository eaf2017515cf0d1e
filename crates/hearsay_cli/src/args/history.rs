//! Arguments of `hearsay db history` and `hearsay undo`.

use clap::{Args as ClapArgs, ValueEnum};

use super::campaign::Campaign;

#[derive(Debug, ClapArgs)]
pub(crate) struct History {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Maximum number of operations to list
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) limit: usize,
    /// Also list internal operations, such as the operations that mark texts as processed
    #[arg(long, short)]
    pub(crate) verbose: bool,
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
    /// Number of the operation to undo; `hearsay db history` lists the numbers [default: the newest operation]
    pub(crate) position: Option<u64>,
    /// Undo the newest operation of this author
    #[arg(long, value_enum, conflicts_with = "position")]
    pub(crate) author: Option<AuthorArg>,
    /// Show the operation that would be undone and the operations that depend on it, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Undo the operation even if later operations depend on it
    #[arg(long)]
    pub(crate) force: bool,
}

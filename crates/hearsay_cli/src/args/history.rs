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
    #[arg(value_parser = operation_number)]
    pub(crate) position: Option<u64>,
    /// Undo the newest operation of this author
    #[arg(long, value_enum, conflicts_with = "position")]
    pub(crate) author: Option<AuthorArg>,
    /// Undo all operations after the operation with this number
    #[arg(long, value_name = "POSITION", value_parser = operation_number, conflicts_with_all = ["position", "author"])]
    pub(crate) to: Option<u64>,
    /// Show the effects of the undo and the operations that depend on the undone operation, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Undo an import, an operation on which later operations depend, or several operations (--to) without asking
    #[arg(long)]
    pub(crate) yes: bool,
}

/// Parses the number of an operation.
fn operation_number(text: &str) -> Result<u64, String> {
    let expected = "expected the number of an operation, such as 12; `hearsay db history` lists the operations";
    text.parse().map_err(|_| expected.to_owned())
}

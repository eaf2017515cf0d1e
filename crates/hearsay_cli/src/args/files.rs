//! What can be typed to take files in and out.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::Campaign;

#[derive(Debug, ClapArgs)]
pub(crate) struct New {
    /// The directory to make
    pub(crate) campaign: PathBuf,
    /// The campaign's name [default: the directory's]
    #[arg(long)]
    pub(crate) name: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Import {
    /// The campaign directory; with a source from elsewhere it may be one that does not exist yet
    pub(crate) campaign: PathBuf,
    /// What to import: a folder, a YAML file, or an export (`.jsonl`) [default: the campaign directory itself]
    pub(crate) source: Option<PathBuf>,
    /// Say what would be imported, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// The file to write [default: standard output, in JSON Lines with or without --json]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Clear {
    /// The campaign directory
    pub(crate) campaign: PathBuf,
    /// Really delete it
    #[arg(long)]
    pub(crate) force: bool,
}

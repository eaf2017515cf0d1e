//! What can be typed to begin a campaign, and to take files in and out.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use hearsay_campaign::Format;

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
    /// What to import: a folder, a file, a zip archive, or an export (`.jsonl`) [default: the campaign directory itself]
    pub(crate) source: Option<PathBuf>,
    /// The format of the files [default: found by looking at them]
    #[arg(long, value_parser = format, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    /// What the fields of any JSON, YAML or CSV mean: a mapping file
    #[arg(long, value_name = "FILE")]
    pub(crate) mapping: Option<PathBuf>,
    /// What the source is called, where several stand side by side [default: as the files or their folder say]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Say what would be imported, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Stay, and take over what changes in the files, until Ctrl-C
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) watch: bool,
    /// Make no vectors now; the next command that asks by meaning makes them
    #[arg(long)]
    pub(crate) no_meaning: bool,
}

/// A format that is read.
fn format(given: &str) -> Result<Format, String> {
    given.parse()
}

/// A format that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Out {
    /// All that is on record, one record per line; `import` reads it
    Jsonl,
    /// Hearsay's own files, in a folder; `import` reads it
    Yaml,
    /// An Obsidian vault: a note for each entity; `import` reads it
    Obsidian,
    /// What the players' characters know, and nothing else: a Markdown page for them
    Handbook,
    /// Entities and relations, for Gephi, yEd or Cytoscape
    Graphml,
    /// Entities and relations, for Graphviz
    Dot,
    /// Everything with its history and undo, in one file; `restore` reads it
    Backup,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// What to write
    #[arg(long, value_enum, default_value_t = Out::Jsonl)]
    pub(crate) format: Out,
    /// The file to write, or the folder for `yaml` and `obsidian` [default: standard output, with or without --json]
    #[arg(long, short, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Restore {
    /// The backup that `export --format backup` wrote
    pub(crate) backup: PathBuf,
    /// The campaign directory to make; it may hold campaign files, but no memory
    pub(crate) campaign: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Clear {
    /// The campaign directory
    pub(crate) campaign: PathBuf,
    /// Really delete it
    #[arg(long)]
    pub(crate) force: bool,
}

//! Arguments of the commands that create a campaign, and import and export files.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use hearsay_campaign::{Format, HandbookFormat};

use super::{
    campaign::Campaign,
    names::{entities, name},
};

#[derive(Debug, ClapArgs)]
pub(crate) struct New {
    /// Directory to create
    pub(crate) campaign: PathBuf,
    /// Name of the campaign [default: the directory's name]
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Create the campaign from this page of notes, or from this folder of pages, in plain text or Markdown
    #[arg(long, value_name = "PATH")]
    pub(crate) from: Option<PathBuf>,
    /// Ask no questions, and write an example campaign
    #[arg(long, conflicts_with = "from")]
    pub(crate) template: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Import {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Folder, file, zip archive or export (`.jsonl`) to import
    pub(crate) source: PathBuf,
    /// Format of the files: native, markdown, foundry, kanka, roll20, world-anvil, glyphoxa or mapping [default:
    /// detected]
    #[arg(long, value_parser = format, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    /// Mapping file, which describes how Hearsay makes facts from the fields of a JSON, YAML or CSV file
    #[arg(long, value_name = "FILE")]
    pub(crate) mapping: Option<PathBuf>,
    /// Name that distinguishes this source from other sources [default: a name from the files or from their folder]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Ignore folders when deciding which notes are secret [default: all notes in a folder for the DM, such as
    /// `Secrets`, become secret, and so do the documents in a Foundry compendium that players cannot see]
    #[arg(long)]
    pub(crate) open_folders: bool,
    #[command(flatten)]
    pub(crate) import_options: ImportOptions,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Sync {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    #[command(flatten)]
    pub(crate) import_options: ImportOptions,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ImportOptions {
    /// Show what Hearsay would import, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Keep running, and import each change of the files until you press Ctrl-C
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) watch: bool,
    /// With --watch, print the result of each import as one line of JSON
    #[arg(long, requires = "watch")]
    pub(crate) jsonl: bool,
    /// Do not compute the vectors for search by meaning now; the next command that needs the vectors computes them
    #[arg(long)]
    pub(crate) no_meaning: bool,
}

/// Parses the name of a format that can be imported.
fn format(given: &str) -> Result<Format, String> {
    given.parse()
}

/// Format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// JSON Lines, one record per line; `import` reads it
    Jsonl,
    /// Folder of YAML campaign files; `import` reads it
    Yaml,
    /// Obsidian vault with a note for each entity; `import` reads it
    Obsidian,
    /// Handbook for the players, as Markdown
    Handbook,
    /// Handbook for the players, as an HTML page with a table of contents
    HandbookHtml,
    /// Graph of entities and relations, for Gephi, yEd or Cytoscape
    Graphml,
    /// Graph of entities and relations, for Graphviz
    Dot,
    /// Backup of the whole campaign with its history; `db restore` reads it
    Backup,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Format to write
    #[arg(long, value_enum, default_value_t = ExportFormat::Jsonl)]
    pub(crate) format: ExportFormat,
    /// File to write, or folder for `yaml`, `obsidian` and `--each` [default: standard output]
    #[arg(long, short, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite an export of another campaign, and files with changes that were not imported
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    /// Write the handbook of this player character; this option requires a handbook format
    #[arg(long = "as", alias = "for", value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) reader: Option<String>,
    /// Write a handbook for all players and for each player character to the folder of --output
    #[arg(long, conflicts_with = "reader", requires = "output")]
    pub(crate) each: bool,
}

impl Export {
    /// Returns the handbook format if the command writes a handbook, and `None` if it writes another kind of file.
    pub(crate) fn handbook_format(&self) -> Option<HandbookFormat> {
        match self.format {
            ExportFormat::Handbook => Some(HandbookFormat::Markdown),
            ExportFormat::HandbookHtml => Some(HandbookFormat::Html),
            _ => None,
        }
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Restore {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Backup file written by `export --format backup`
    pub(crate) backup: PathBuf,
    /// Check whether the backup can be restored, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Clear {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Confirm the deletion of the database
    #[arg(long)]
    pub(crate) force: bool,
    /// Show what Hearsay would delete, without deleting anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}

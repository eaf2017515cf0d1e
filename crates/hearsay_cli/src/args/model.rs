//! `hearsay model`: the models of the program.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum ModelCommand {
    /// Show the sentence encoder that Hearsay uses, and its directory
    #[command(after_help = "\
If HEARSAY_MODEL_DIR is set, Hearsay searches only this directory for a model. Otherwise,
Hearsay searches these directories: `models` and `assets/models` in the directory of the
program, `assets/models` in the working directory and in each directory above it, the data
directory of the user, and the source code directory from which the program was built.

Examples:
  hearsay model show
  hearsay model show --compare \"the harbour burned\" \"a fire at the docks\"")]
    Show(ShowModel),
    /// Fetch the models of this version from a mirror or from a directory
    #[command(after_help = "\
The repository and the archives of releases contain the models. A program that you install
with Cargo has none. The command fetches the sentence encoder, the reading model and the
entailment model (138 MB in all), and verifies their checksums. It fetches only files that
are missing or damaged. If a download is interrupted, the next run continues it.

A mirror is a web server with the content of the directory `assets/models` of the
repository. A directory is a copy of `assets/models`, or `models` of a release archive.

By default, the command writes to the directory in which every Hearsay program of the user
finds the models: on Linux ~/.local/share/hearsay/models. If you pass another directory
with --to, set HEARSAY_MODEL_DIR to the directory `all-MiniLM-L6-v2` in it.

Examples:
  hearsay model fetch --from hearsay/assets/models
  hearsay model fetch --from https://models.example.org/hearsay --dry-run")]
    Fetch(FetchModels),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ShowModel {
    /// Directory of the model [default: the first directory that contains a model; see below]
    pub(crate) directory: Option<PathBuf>,
    /// Print the similarity in meaning of two sentences: 1 for the same meaning, about 0 for unrelated sentences
    #[arg(long, num_args = 2, value_names = ["SENTENCE", "SENTENCE"])]
    pub(crate) compare: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct FetchModels {
    /// Address of a mirror, or a directory with the models [env: HEARSAY_MODEL_MIRROR]
    #[arg(long, value_name = "SOURCE")]
    pub(crate) from: Option<PathBuf>,
    /// Directory for the models [default: hearsay/models in your data directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) to: Option<PathBuf>,
    /// Show which files are missing, without fetching them
    #[arg(long)]
    pub(crate) dry_run: bool,
}

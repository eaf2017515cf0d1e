//! `hearsay db`: maintenance of the database.

use clap::{Args as ClapArgs, Subcommand};

use super::{
    campaign::Campaign,
    files::{Clear, Restore},
    history::History,
    maintenance::Health,
    values::Model,
};

#[derive(Debug, Subcommand)]
pub(crate) enum Db {
    /// Check every file and record of the database
    #[command(after_help = "\
Reads all files, verifies the checksum of every block and the digest of every
operation, and applies all operations. Compares the result with the graph tables,
which SurrealQL queries read. Changes no operation. If the files are intact, the
campaign is also opened as usual, which repairs graph tables that differ. The exit
code is 0 if the database is intact, and 1 if it is damaged. The report lists the
damage, the lost operations, and what to do.")]
    Check(Campaign),
    /// Save everything that is readable in a damaged database
    #[command(after_help = "\
Writes every readable operation to a new database. The damaged files are moved to
a directory beside the new database and never deleted. Operations keep their
numbers: an empty operation replaces each lost operation. `hearsay sync` imports
the content of campaign files again.")]
    Repair(Repair),
    /// Compute the missing vectors of all facts and passages, for search by meaning
    #[command(after_help = "\
If few vectors are missing, `ask` and `search` compute them. Run this command after
you import many sessions. It shows its progress. You can stop it with Ctrl-C; the
next run computes the remaining vectors.")]
    Embed(Campaign),
    /// List the operations of the journal, newest first
    History(History),
    /// Count entities by kind, and facts by predicate, status and source
    Stats(Campaign),
    /// Check the campaign for problems, such as entities without relations or facts without evidence
    #[command(after_help = "\
Examples:
  hearsay db health
  hearsay db health --check orphans --check no_evidence --limit 100")]
    Health(Health),
    /// Restore a backup, with its history
    #[command(after_help = "\
Writes the restored campaign to the directory given by -C, and creates the directory
if it does not exist. The directory can contain campaign files, but no database.

Example:
  hearsay -C restored db restore gullhaven.backup")]
    Restore(Restore),
    /// Delete the database of a campaign; the campaign files stay
    Clear(Clear),
    /// Show which sentence encoder is used, and where it was found
    #[command(after_help = "\
If HEARSAY_MODEL_DIR is set, only this directory is searched for a model. Otherwise,
these directories are searched: `models` and `assets/models` beside the program,
`assets/models` from the working directory upward, the user's data directory, and
the checkout that the program was built from.

Examples:
  hearsay db model
  hearsay db model --compare \"the harbour burned\" \"a fire at the docks\"")]
    Model(Model),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Repair {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Write a new database even if the old database is intact
    #[arg(long)]
    pub(crate) force: bool,
    /// Show what would be saved, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}

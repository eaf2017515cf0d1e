//! `hearsay db`: maintenance of the database.

use clap::{Args as ClapArgs, Subcommand};

use super::{Campaign, Clear, Health, History, Model, Restore};

#[derive(Debug, Subcommand)]
pub(crate) enum Db {
    /// Check every file and record of the database
    #[command(after_help = "\
Reads all files, verifies the checksum of every block and the digest of every
operation, applies all operations, and compares the graph tables with the
result. Nothing is changed. Exits with 0 if the database is whole, and with 1 if
not: the report lists the damage, the lost operations, and what to do.")]
    Check(Campaign),
    /// Save what a damaged database still holds
    #[command(after_help = "\
Writes every readable operation to a new database. The damaged files are moved to
a directory beside it and never deleted. Operations keep their numbers: a lost
operation is replaced by one that changes nothing. `hearsay sync` brings back
what came from campaign files.")]
    Repair(Repair),
    /// Embed all texts that have no embedding yet
    #[command(after_help = "\
`ask` and `search` embed a small number of texts themselves. Run this command
after importing many sessions: it shows its progress, Ctrl-C stops it, and the
next run continues where it stopped.")]
    Embed(Campaign),
    /// List the operations of the journal, newest first
    History(History),
    /// Count entities by kind, and facts by predicate, status and source
    Stats(Campaign),
    /// Check the campaign for problems: orphans, missing evidence, waiting work
    #[command(after_help = "\
Examples:
  hearsay db health
  hearsay db health --check orphans --check no_evidence --limit 100")]
    Health(Health),
    /// Restore a backup, with its history
    #[command(after_help = "\
Example:
  hearsay db restore gullhaven.backup gullhaven")]
    Restore(Restore),
    /// Delete the database of a campaign; its files stay
    Clear(Clear),
    /// Show which sentence encoder is used, and where it was found
    #[command(after_help = "\
Examples:
  hearsay db model
  hearsay db model --compare \"the harbour burned\" \"a fire at the docks\"")]
    Model(Model),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Repair {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Write a new database even if nothing is wrong
    #[arg(long)]
    pub(crate) force: bool,
}

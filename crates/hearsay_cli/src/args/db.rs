//! `hearsay db`: maintenance of the database.

use clap::{Args as ClapArgs, Subcommand};

use super::{
    campaign::Campaign,
    files::{Clear, Restore},
    history::History,
    maintenance::Health,
};

#[derive(Debug, Subcommand)]
pub(crate) enum Db {
    /// Check every file and every record of the database for damage
    #[command(after_help = "\
The command reads all files and verifies their checksums. Then it applies all operations,
and compares the result with the graph tables, which SurrealQL queries read. The command
changes no operation, but it repairs graph tables with wrong content. The exit code is 0 if
the database is intact, and 1 if the database is damaged. The report lists the damage and
the lost operations, and tells you what to do.")]
    Check(Campaign),
    /// Repair a damaged database: save all data that can still be read
    #[command(after_help = "\
The command writes every readable operation to a new database. It moves the damaged files
to a directory beside the new database, and deletes no file. An empty operation replaces
each lost operation, so all other operations keep their numbers. To import the content of
the campaign files again, run `hearsay sync`.")]
    Repair(Repair),
    /// Compute the missing vectors of facts and passages; search by meaning needs these vectors
    #[command(after_help = "\
If only a few vectors are missing, `hearsay ask` and `hearsay search` compute them. Run
this command after you import many sessions. The command shows its progress. You can stop
it with Ctrl-C. The next run computes the remaining vectors.")]
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
    /// Restore a backup of a campaign, with its whole history
    #[command(after_help = "\
Hearsay writes the restored campaign to the directory that you name with -C. If this
directory does not exist, Hearsay creates it. The directory may contain campaign files,
but it must not contain a database.

Example:
  hearsay -C restored db restore gullhaven.backup")]
    Restore(Restore),
    /// Delete the database of a campaign, but keep the campaign files
    Clear(Clear),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Repair {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Write a new database even if the old database is intact
    #[arg(long)]
    pub(crate) force: bool,
    /// Show what the repair would save, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}

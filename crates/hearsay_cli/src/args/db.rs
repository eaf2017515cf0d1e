//! What can be typed to maintain the memory's database.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

use super::Campaign;

#[derive(Debug, Subcommand)]
pub(crate) enum Db {
    /// Make the vectors of all texts that have none
    #[command(after_help = "\
`ask` and `search` make the vectors of few texts themselves. After an import of
many sessions, let this command run: it shows how far it is, Ctrl-C stops it, and
the next run goes on where it stopped.

Example:
  hearsay db embed campaigns/gullhaven")]
    Embed(Campaign),
    /// Check every file and record of the database
    #[command(after_help = "\
Reads all files, verifies the checksum of every block and the digest of every
operation, applies all operations, and compares the graph tables with the result.
Nothing is changed. Exits with 0 when the database is whole, and with 1 when it is
not: the report says what is damaged, which operations are lost, and what to do.

Example:
  hearsay db check campaigns/gullhaven")]
    Check(Database),
    /// Save what a damaged database still holds
    #[command(after_help = "\
Writes every operation that can still be read to a new database. The damaged files
are moved to a directory beside it and never deleted. Operations keep their numbers:
one that is lost is replaced by one that changes nothing. What came from campaign
files is there again after `hearsay import`.

Example:
  hearsay db repair campaigns/gullhaven")]
    Repair(Repair),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Database {
    /// The campaign directory
    pub(crate) campaign: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Repair {
    /// The campaign directory
    pub(crate) campaign: PathBuf,
    /// Write the database anew even if nothing is wrong with it
    #[arg(long)]
    pub(crate) force: bool,
}

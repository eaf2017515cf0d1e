//! What can be typed to maintain the memory's derived data.

use clap::Subcommand;

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
}

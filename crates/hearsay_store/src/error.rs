//! What can go wrong, and what to do about it.

use std::{io, path::PathBuf, time::Duration};

use hearsay_model::Position;
use thiserror::Error;

use crate::Holder;

/// Why the store could not do something. Every message names the place and says what to do.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another process, or another part of this one, has the directory open.
    #[error("{} is in use by {holder}; close that program first, or open another campaign", directory.display())]
    Held {
        /// The campaign's directory.
        directory: PathBuf,
        /// Who holds it.
        holder: Holder,
    },
    /// A file or directory cannot be made, read or written.
    #[error("cannot {action} {}: {source}; {advice}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// What to do.
        advice: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// A path that the database cannot take.
    #[error("{} cannot hold a campaign: {reason}; choose another directory", path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A newer Hearsay wrote the database.
    #[error(
        "the database in {place} has schema {found}, and this program knows schemas up to {supported}; use a newer version of Hearsay"
    )]
    TooNew {
        /// The directory.
        place: String,
        /// The schema of the database.
        found: u64,
        /// The newest schema that this program knows.
        supported: u64,
    },
    /// What is stored is not what was written.
    #[error("the campaign in {place} is damaged: {what}; {advice}")]
    Damaged {
        /// The directory.
        place: String,
        /// What was found.
        what: String,
        /// What to do.
        advice: &'static str,
    },
    /// A commit that would leave a gap in the journal, or write a position twice. Nothing was written.
    #[error("the next operation has position {expected}, not {given}; reload the state and try again")]
    OutOfOrder {
        /// The position that comes next.
        expected: Position,
        /// The position that was given.
        given: Position,
    },
    /// A commit failed, and nothing of it is there.
    #[error("operation {first} was not saved in {place}: {reason}; check that the disk has room, and try again")]
    NotSaved {
        /// The directory.
        place: String,
        /// The position of the first operation of the commit.
        first: Position,
        /// What the database said.
        reason: String,
    },
    /// A commit failed in a way that leaves open whether it is there. The store takes no more commits.
    #[error(
        "it is not known whether operation {first} was saved in {place}: {reason}; close the campaign and open it again"
    )]
    Uncertain {
        /// The directory.
        place: String,
        /// The position of the first operation of the commit.
        first: Position,
        /// What the database said.
        reason: String,
    },
    /// The storage failed before, so nothing is written any more. Nothing of the commit is there.
    #[error("nothing more is saved in {place}: {reason}; mend that, then close the campaign and open it again")]
    Stopped {
        /// The directory.
        place: String,
        /// How the storage failed.
        reason: String,
    },
    /// The disk has no room. What was acknowledged is safe.
    #[error(
        "the disk is full, so the campaign in {place} could not be {action}; what was saved is safe: free some space and open it again"
    )]
    Full {
        /// The directory.
        place: String,
        /// What was tried.
        action: &'static str,
    },
    /// The graph tables could not be written. The journal is not affected.
    #[error(
        "the graph tables in {place} are behind the journal: {reason}; they are written anew when the campaign is opened again"
    )]
    Projection {
        /// The directory.
        place: String,
        /// What the database said.
        reason: String,
    },
    /// The database could not do something else.
    #[error("the database in {place} could not {action}: {reason}; close the campaign and open it again")]
    Database {
        /// The directory.
        place: String,
        /// What was tried.
        action: &'static str,
        /// What the database said.
        reason: String,
    },
    /// A query of the caller failed.
    #[error("the query failed: {0}")]
    Query(String),
    /// Something took too long.
    #[error("the database in {place} did not {action} within {} s; close other programs that use the disk, and try again", waited.as_secs())]
    TooSlow {
        /// The directory.
        place: String,
        /// What was tried.
        action: &'static str,
        /// How long it was waited for.
        waited: Duration,
    },
    /// The store is closed.
    #[error("the campaign is closed; open it again")]
    Closed,
    /// A failure that a test asked for.
    #[cfg(feature = "testing")]
    #[error("operation {0} was not saved: a test asked for it")]
    Injected(Position),
}

/// What to do about a damaged database.
pub(crate) const RESTORE: &str =
    "`hearsay db repair` saves what can still be read, or restore the directory from a backup";

impl StoreError {
    pub(crate) fn damaged(place: &str, what: impl Into<String>) -> Self {
        Self::Damaged { place: place.into(), what: what.into(), advice: RESTORE }
    }
}

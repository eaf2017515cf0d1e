//! Errors of the store.

use std::{io, path::PathBuf, time::Duration};

use hearsay_model::Position;
use thiserror::Error;

use crate::LockHolder;

/// An error of the store. Each message names the place and says what to do.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another process, or another part of this process, has the directory open.
    #[error("{} is in use by {holder}; close that program first, or open another campaign", directory.display())]
    Held {
        /// Directory of the campaign.
        directory: PathBuf,
        /// Process that has the directory open.
        holder: LockHolder,
    },
    /// A file or directory cannot be created, read or written.
    #[error("cannot {action} {}: {source}; {advice}", path.display())]
    File {
        /// Action that failed.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// Advice for the user.
        advice: &'static str,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The database does not support this path.
    #[error("{} cannot hold a campaign: {reason}; choose another directory", path.display())]
    Path {
        /// The unsupported path.
        path: PathBuf,
        /// Reason why the path is not supported.
        reason: &'static str,
    },
    /// A newer version of Hearsay wrote the database.
    #[error(
        "the database in {place} has schema {found}, and this program knows schemas up to {supported}; use a newer version of Hearsay"
    )]
    TooNew {
        /// Directory of the campaign.
        place: String,
        /// Schema version of the database.
        found: u64,
        /// Newest schema version that this program knows.
        supported: u64,
    },
    /// A development version of Hearsay wrote the database.
    #[error(
        "the database in {place} has schema {found}, and this program reads schemas from {supported} on; export the campaign with the version that wrote it (`hearsay export`), and import the files"
    )]
    TooOld {
        /// Directory of the campaign.
        place: String,
        /// Schema version of the database.
        found: u64,
        /// Oldest schema version that this program reads.
        supported: u64,
    },
    /// The stored data differs from the data that was written.
    #[error("the campaign in {place} is damaged: {what}; {advice}")]
    Damaged {
        /// Directory of the campaign.
        place: String,
        /// Description of the damage.
        what: String,
        /// Advice for the user.
        advice: &'static str,
    },
    /// The commit would leave a gap in the journal or write a position twice. No data was written.
    #[error("the next operation has position {expected}, not {given}; reload the state and try again")]
    OutOfOrder {
        /// Next free position.
        expected: Position,
        /// Position of the rejected commit.
        given: Position,
    },
    /// The commit failed, and none of its operations is stored.
    #[error("operation {first} was not saved in {place}: {reason}; check that the disk has room, and try again")]
    NotSaved {
        /// Directory of the campaign.
        place: String,
        /// Position of the first operation of the commit.
        first: Position,
        /// Error of the database.
        reason: String,
    },
    /// The commit failed, and its operations may or may not be stored. The store accepts no more commits.
    #[error(
        "it is not known whether operation {first} was saved in {place}: {reason}; close the campaign and open it again"
    )]
    Uncertain {
        /// Directory of the campaign.
        place: String,
        /// Position of the first operation of the commit.
        first: Position,
        /// Error of the database.
        reason: String,
    },
    /// The storage failed earlier, so the store writes no more data. None of the operations of the commit is stored.
    #[error("nothing more is saved in {place}: {reason}; mend that, then close the campaign and open it again")]
    Stopped {
        /// Directory of the campaign.
        place: String,
        /// Description of the storage failure.
        reason: String,
    },
    /// The disk is full. Acknowledged data is safe.
    #[error(
        "the disk is full, so the campaign in {place} could not be {action}; what was saved is safe: free some space and open it again"
    )]
    Full {
        /// Directory of the campaign.
        place: String,
        /// Action that failed.
        action: &'static str,
    },
    /// The graph tables could not be written. The journal is not affected.
    #[error(
        "the graph tables in {place} are behind the journal: {reason}; they are written anew when the campaign is opened again"
    )]
    Projection {
        /// Directory of the campaign.
        place: String,
        /// Error of the database.
        reason: String,
    },
    /// Another database action failed.
    #[error("the database in {place} could not {action}: {reason}; close the campaign and open it again")]
    Database {
        /// Directory of the campaign.
        place: String,
        /// Action that failed.
        action: &'static str,
        /// Error of the database.
        reason: String,
    },
    /// A query of the caller failed.
    #[error("the query failed: {0}")]
    Query(String),
    /// The action took longer than its timeout.
    #[error("the database in {place} did not {action} within {} s; close other programs that use the disk, and try again", waited.as_secs())]
    TooSlow {
        /// Directory of the campaign.
        place: String,
        /// Action that timed out.
        action: &'static str,
        /// Time waited.
        waited: Duration,
    },
    /// The store is closed.
    #[error("the campaign is closed; open it again")]
    Closed,
    /// A failure that a test requested.
    #[cfg(feature = "testing")]
    #[error("operation {0} was not saved: a test asked for it")]
    Injected(Position),
}

/// Advice for a damaged database.
pub(crate) const RESTORE: &str =
    "`hearsay db repair` saves what can still be read, or restore the directory from a backup";

impl StoreError {
    pub(crate) fn damaged(place: &str, what: impl Into<String>) -> Self {
        Self::Damaged { place: place.into(), what: what.into(), advice: RESTORE }
    }
}

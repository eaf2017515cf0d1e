//! Errors of the store.

use std::{io, path::PathBuf, time::Duration};

use hearsay_model::Position;
use thiserror::Error;

use crate::lock_holder::LockHolder;

/// An error of the store. Each message says where the error occurred and what to do.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The directory is already open in another process or in this process.
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
        /// Path of the file or directory.
        path: PathBuf,
        /// Advice for the user.
        advice: &'static str,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The database does not support the path of the campaign directory.
    #[error("{} cannot be used for a campaign: {reason}; choose another directory", path.display())]
    Path {
        /// The unsupported path.
        path: PathBuf,
        /// Reason why the path is not supported.
        reason: &'static str,
    },
    /// A newer version of Hearsay wrote the database.
    #[error(
        "the database in {place} has schema {found}; this program supports schemas up to {supported}; use a newer version of Hearsay"
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
        "the database in {place} has schema {found}; the oldest schema that this program reads is {supported}; run `hearsay export` with the version that wrote the database, and import the exported files with this version"
    )]
    TooOld {
        /// Directory of the campaign.
        place: String,
        /// Schema version of the database.
        found: u64,
        /// Oldest schema version that this program reads.
        supported: u64,
    },
    /// The stored data is damaged.
    #[error("the campaign in {place} is damaged: {what}; {advice}")]
    Damaged {
        /// Directory of the campaign.
        place: String,
        /// Description of the damage.
        what: String,
        /// Advice for the user.
        advice: &'static str,
    },
    /// The position of the commit is not the next free position of the journal. No data was written.
    #[error("the next operation has position {expected}, not {given}; reload the state and try again")]
    OutOfOrder {
        /// Next free position.
        expected: Position,
        /// Position of the first operation of the rejected commit.
        given: Position,
    },
    /// The commit failed. None of its operations is stored.
    #[error("operation {first} was not saved in {place}: {reason}; check that the disk has room, and try again")]
    NotSaved {
        /// Directory of the campaign.
        place: String,
        /// Position of the first operation of the commit.
        first: Position,
        /// Error of the database.
        reason: String,
    },
    /// The commit failed. It is unknown whether its operations are stored. The store accepts no more commits.
    #[error("operation {first} may or may not be saved in {place}: {reason}; close the campaign and open it again")]
    Uncertain {
        /// Directory of the campaign.
        place: String,
        /// Position of the first operation of the commit.
        first: Position,
        /// Error of the database.
        reason: String,
    },
    /// The storage failed earlier, so the store writes no more data. None of the commit's operations is stored.
    #[error("writing to {place} stopped: {reason}; solve this problem, then close the campaign and open it again")]
    Stopped {
        /// Directory of the campaign.
        place: String,
        /// Description of the storage failure.
        reason: String,
    },
    /// The disk is full. Acknowledged data is safe.
    #[error(
        "the disk is full, so the campaign in {place} could not be {action}; saved data is safe; free some space and open the campaign again"
    )]
    Full {
        /// Directory of the campaign.
        place: String,
        /// Action that failed.
        action: &'static str,
    },
    /// The graph tables could not be written. The journal is not affected.
    #[error(
        "the graph tables in {place} are behind the journal: {reason}; they are rebuilt when the campaign is opened again"
    )]
    Projection {
        /// Directory of the campaign.
        place: String,
        /// Error of the database.
        reason: String,
    },
    /// The database failed in another action.
    #[error("the database in {place} could not {action}: {reason}; close the campaign and open it again")]
    Database {
        /// Directory of the campaign.
        place: String,
        /// Action that failed.
        action: &'static str,
        /// Error of the database.
        reason: String,
    },
    /// The caller's query failed.
    #[error("the query failed: {0}")]
    Query(String),
    /// A database action took longer than its timeout.
    #[error("the database in {place} did not {action} within {} s; close other programs that use the disk, and try again", waited.as_secs())]
    TooSlow {
        /// Directory of the campaign.
        place: String,
        /// Action that timed out.
        action: &'static str,
        /// Duration of the timeout.
        waited: Duration,
    },
    /// The store is closed.
    #[error("the campaign is closed; open it again")]
    Closed,
    /// A test requested this failure.
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

//! Errors of the store.

use std::{io, path::PathBuf, time::Duration};

use hearsay_model::Position;
use thiserror::Error;

use crate::lock_holder::LockHolder;

/// An error of the store. The message says where the error occurred and what to do.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The campaign directory is already open in another process, or a second time in this process.
    #[error(
        "the campaign directory {directory} is in use by {holder}; close that program first, or open another campaign",
        directory = directory.display()
    )]
    InUse {
        /// Directory of the campaign.
        directory: PathBuf,
        /// Process that has the directory open.
        holder: LockHolder,
    },
    /// A file or directory cannot be created, read or written.
    #[error("cannot {action} {path}: {source}; {advice}", path = path.display())]
    File {
        /// Action that failed, such as `read`.
        action: &'static str,
        /// Path of the file or directory.
        path: PathBuf,
        /// Advice for the user.
        advice: &'static str,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The database does not support the path of the campaign directory.
    #[error("the directory {path} cannot contain a campaign: {reason}; choose another directory", path = path.display())]
    UnsupportedPath {
        /// The unsupported path.
        path: PathBuf,
        /// Reason why the path is not supported.
        reason: &'static str,
    },
    /// A newer version of Hearsay wrote the database, with a schema that this version does not know.
    #[error(
        "the database in {place} has schema version {found}, but this program supports only versions up to {supported}; use a newer version of Hearsay"
    )]
    SchemaTooNew {
        /// Directory of the campaign.
        place: String,
        /// Schema version of the database.
        found: u64,
        /// Newest schema version that this program knows.
        supported: u64,
    },
    /// An old development version of Hearsay wrote the database, with a schema that this version cannot read.
    #[error(
        "the database in {place} has schema version {found}, but this program reads only version {supported} and later; run `hearsay export` with the version of Hearsay that wrote the database, and import the exported files with this version"
    )]
    SchemaTooOld {
        /// Directory of the campaign.
        place: String,
        /// Schema version of the database.
        found: u64,
        /// Oldest schema version that this program reads.
        supported: u64,
    },
    /// The stored data of the campaign is damaged: it cannot be read, parts are missing, or it differs from the data
    /// that was written.
    #[error("the campaign in {place} is damaged: {description}; {advice}")]
    Damaged {
        /// Directory of the campaign.
        place: String,
        /// Description of the damage.
        description: String,
        /// Advice for the user.
        advice: &'static str,
    },
    /// The first position of a commit is not the next free position of the journal. No data was written.
    #[error(
        "the commit starts at the journal position {given}, but the next free position is {expected}; reload the state, \
         and try again"
    )]
    OutOfOrder {
        /// Next free position.
        expected: Position,
        /// Position of the first operation of the rejected commit.
        given: Position,
    },
    /// A commit failed. None of the operations of the commit is stored.
    #[error(
        "the operation with the number {first} was not saved in {place}: {reason}; check that the disk has free space, and try again"
    )]
    NotSaved {
        /// Directory of the campaign.
        place: String,
        /// Position of the first operation of the commit.
        first: Position,
        /// Error of the database.
        reason: String,
    },
    /// A commit failed, and it is unknown whether its operations are stored. The store accepts no more commits until
    /// [`Store::reload`](crate::Store::reload) succeeds or the campaign is opened again.
    #[error(
        "it is unknown whether the operation with the number {first} was saved in {place}: {reason}; close the campaign, \
         and open it again"
    )]
    Uncertain {
        /// Directory of the campaign.
        place: String,
        /// Position of the first operation of the commit.
        first: Position,
        /// Error of the database.
        reason: String,
    },
    /// The store rejected a commit because the storage failed earlier. None of the operations of the commit is stored.
    /// The store writes no more data until the campaign is opened again.
    #[error(
        "Hearsay stopped writing to {place}: {reason}; solve this problem, close the campaign, and then open it again"
    )]
    Stopped {
        /// Directory of the campaign.
        place: String,
        /// Description of the storage failure.
        reason: String,
    },
    /// An action failed because the disk is full. Acknowledged data is safe.
    #[error(
        "the disk is full, so the campaign in {place} could not be {action}; saved data is safe; free some disk space, and open the campaign again"
    )]
    DiskFull {
        /// Directory of the campaign.
        place: String,
        /// Action that failed, as a past participle, such as `opened`.
        action: &'static str,
    },
    /// The graph tables could not be written. The journal is not affected.
    #[error(
        "the graph tables in {place} do not contain the latest operations: {reason}; to update the tables, close the campaign and open it again"
    )]
    Projection {
        /// Directory of the campaign.
        place: String,
        /// Error of the database.
        reason: String,
    },
    /// A database action failed, and no other variant describes the failure.
    #[error("the database in {place} could not {action}: {reason}; close the campaign and open it again")]
    Database {
        /// Directory of the campaign.
        place: String,
        /// Action that failed, such as `close`.
        action: &'static str,
        /// Error of the database.
        reason: String,
    },
    /// A query that the caller passed to the store failed. The value is the error text of the database.
    #[error("the database query failed: {reason}", reason = .0)]
    Query(String),
    /// The database did not finish an action within the timeout.
    #[error(
        "the database in {place} did not {action} within {seconds} s; close other programs that use the disk, and try again",
        seconds = timeout.as_secs()
    )]
    Timeout {
        /// Directory of the campaign.
        place: String,
        /// Action that timed out, such as `open`.
        action: &'static str,
        /// Duration of the timeout.
        timeout: Duration,
    },
    /// The server of the campaign cannot be reached.
    #[error("the server of the campaign at {endpoint} cannot be reached: {reason}")]
    ServerUnreachable {
        /// Address of the campaign in the server.
        endpoint: String,
        /// Error of the connection.
        reason: String,
    },
    /// The server of the campaign refused the login or the first statement.
    #[error(
        "the server of the campaign at {endpoint} refused the login: {reason}; check the user name and the password, and the setting `login`"
    )]
    LoginRefused {
        /// Address of the campaign in the server.
        endpoint: String,
        /// Error of the server.
        reason: String,
    },
    /// The store is closed.
    #[error("the campaign is closed; open it again")]
    Closed,
    /// A test injected this failure. The value is the position of the first operation of the failed commit.
    #[cfg(feature = "testing")]
    #[error("operation {position} was not saved, because a test injected this failure", position = .0)]
    Injected(Position),
}

/// Advice for a damaged database.
pub(crate) const REPAIR_ADVICE: &str =
    "run `hearsay db repair` to save all readable data, or restore the directory from a backup";

impl StoreError {
    pub(crate) fn damaged(place: &str, description: impl Into<String>) -> Self {
        Self::Damaged { place: place.into(), description: description.into(), advice: REPAIR_ADVICE }
    }
}

//! A journal to which several programs append.

use std::{sync::Arc, time::Duration};

use hearsay_model::{Operation, TransientUpdate};
use uuid::Uuid;

use crate::journal::JournalPosition;

/// The end of the journal as one program knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct End {
    /// The newest operation.
    pub(crate) last: JournalPosition,
    /// Number of the next row of transient values.
    pub(crate) next_row: u64,
    /// Number of the newest batch of transient values.
    pub(crate) batch: u64,
}

/// Changes that a program appends in one transaction: an operation, transient values, or both.
#[derive(Debug, Clone)]
pub(crate) struct Append {
    /// Random id, which is stored with the changes.
    pub(crate) id: Uuid,
    pub(crate) changes: Changes,
}

/// An operation, transient values, or both.
#[derive(Debug, Clone, Default)]
pub(crate) struct Changes {
    pub(crate) operation: Option<Arc<Operation>>,
    pub(crate) transients: TransientUpdate,
}

/// A row that was found after the known end of the journal.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// Id of the append that wrote the row; `None` if a program wrote it that had the database for itself.
    pub(crate) id: Option<Uuid>,
    pub(crate) changes: Changes,
    /// End of the journal with this row.
    pub(crate) end: End,
}

/// Reason why an append failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AppendFailure {
    /// The journal has grown since the program read it, or another append ran at the same time. Nothing was stored.
    Conflict,
    /// The server rejected the changes. Nothing was stored.
    Rejected(String),
    /// The connection was lost. It is unknown whether the changes are stored, or will be.
    Unknown(String),
}

/// Reason why the end of the journal could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReadFailure {
    /// The connection was lost.
    Disconnected(String),
    /// The journal is damaged, or it is no longer the journal that was read.
    Damaged(String),
}

/// A journal to which several programs append.
pub(crate) trait SharedJournal: Send + Sync {
    /// Appends changes after a known end. Returns the new end.
    fn append(&self, after: End, append: &Append) -> impl Future<Output = Result<End, AppendFailure>> + Send;

    /// Returns the first rows after a known end, in the order in which they were appended. Returns an empty list only if
    /// there are none.
    fn rows_after(&self, end: End) -> impl Future<Output = Result<Vec<Found>, ReadFailure>> + Send;

    /// Waits.
    fn wait(&self, duration: Duration) -> impl Future<Output = ()> + Send;
}

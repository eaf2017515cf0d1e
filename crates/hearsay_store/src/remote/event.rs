//! The events of a campaign in a server.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use hearsay_model::{Operation, TransientUpdate};

use crate::projection::Watermark;

/// An event of a campaign in a server.
#[derive(Debug)]
pub enum RemoteEvent {
    /// Another program committed an operation, transient values, or both. Apply the operation first.
    Committed {
        /// The operation.
        operation: Option<Arc<Operation>>,
        /// The transient values: current values without stored past values. Both this field and `operation` can be empty,
        /// because a compaction of the transient values changes nothing.
        transients: TransientUpdate,
        /// Number of the newest batch of transient values that is stored.
        batch: u64,
    },
    /// Answer to [`RemoteStore::append`](crate::RemoteStore::append).
    Appended(Result<(), AppendRefusal>),
    /// The connection was lost, for the given reason. The store connects again by itself. This event comes again if the
    /// server meanwhile begins or ceases to refuse the login: see [`RemoteConnection::refused`].
    Disconnected(String),
    /// The connection works again.
    Connected,
    /// Whether this program writes the graph tables from now on. If it does, the event contains the watermark up to
    /// which the tables are complete. At most one program at a time writes the tables.
    MayProject(Option<Watermark>),
    /// The journal on the server is damaged, or it is no longer the journal that was read, for the given reason. No more
    /// events follow. Open the campaign again.
    Lost(String),
}

/// Reason why changes were not stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AppendRefusal {
    /// Another program was faster. The store delivered its changes before this answer. Compute the operation from the
    /// new state, and append again.
    Conflict,
    /// The server rejected the changes, for the given reason. For example, the login may only read.
    Rejected(String),
}

/// State of the connection to a server.
#[derive(Debug, Clone)]
pub struct RemoteConnection {
    /// Whether the connection works.
    pub connected: bool,
    /// If connected, the time of the last answer of the server. Otherwise, the time at which the connection was lost.
    pub since: Instant,
    /// Reason why the last attempt to connect failed; `None` if connected.
    pub reason: Option<String>,
    /// Whether the server can be reached, but refuses the login, for example because the user was removed. The store
    /// tries the login again from time to time.
    pub refused: bool,
}

/// Function that receives the events of a store.
pub(super) type Deliver = Box<dyn FnMut(RemoteEvent) + Send>;

/// Delivers events from several tasks.
#[derive(Clone)]
pub(super) struct Events(Arc<Mutex<Deliver>>);

impl Events {
    pub(super) fn new(deliver: Deliver) -> Self {
        Self(Arc::new(Mutex::new(deliver)))
    }

    pub(super) fn send(&self, event: RemoteEvent) {
        (self.0.lock().unwrap_or_else(PoisonError::into_inner))(event);
    }
}

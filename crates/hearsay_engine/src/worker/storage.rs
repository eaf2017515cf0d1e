//! The storage of the worker: its own open database, or a connection to a server or to the program that has the database
//! open.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::Sender;
use hearsay_model::State;
#[cfg(feature = "remote")]
use hearsay_store::RemoteStore;
use hearsay_store::{
    Location, LockHolder, OpenReport, Opened, ProjectionRow, Store, StoreError, StoreOptions, Watermark,
};

use super::Internal;
#[cfg(feature = "remote")]
use super::remote::{self, Remote};
use crate::{
    MemoryError, MemoryOptions, SharingStatus,
    sharing::{AttachError, Link, Server, attach},
};

/// Time for which opening waits for an owner that does not accept connections, because it is opening or closing the
/// campaign.
const OWNER_TIMEOUT: Duration = Duration::from_secs(15);

/// Interval between two attempts to open or attach.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// Storage to which the worker commits its writes.
pub(super) enum Storage {
    /// This program has the database open, so it is the owner of the campaign. The server is dropped first, so that no
    /// program tries to attach while the database closes.
    Own { server: Option<Server>, store: Arc<Store> },
    /// Another program on this machine has the database open. `number` distinguishes the connections of this worker.
    Attached { link: Link, owner: LockHolder, number: u64 },
    /// The campaign is in a server.
    #[cfg(feature = "remote")]
    Remote(Box<Remote>),
    /// The connection to the owner or the server was lost. A background thread connects again or opens the database. The
    /// background thread stops when `stop` is set.
    Reconnecting { stop: Arc<AtomicBool> },
}

/// Writer of the graph tables.
pub(super) enum Projector<'a> {
    Own(&'a Store),
    #[cfg(feature = "remote")]
    Remote(&'a RemoteStore),
}

impl Projector<'_> {
    /// Returns the number of rows that wait to be written.
    pub(super) fn backlog(&self) -> usize {
        match self {
            Self::Own(store) => store.backlog(),
            #[cfg(feature = "remote")]
            Self::Remote(store) => store.backlog(),
        }
    }

    /// Writes rows. `complete` is the watermark of the tables after this write.
    pub(super) fn project(&self, rows: Vec<ProjectionRow>, complete: Watermark, internal: &Sender<Internal>) {
        let internal = internal.clone();
        let done = move |result: Result<(), StoreError>| {
            let _ = internal.send(Internal::Projected(result.map(|()| complete)));
        };
        match self {
            Self::Own(store) => store.project(rows, complete, done),
            #[cfg(feature = "remote")]
            Self::Remote(store) => store.project(rows, complete, done),
        }
    }
}

/// An opened storage with its state.
pub(crate) struct OpenedStorage {
    pub(super) storage: Storage,
    pub(super) state: State,
    pub(super) report: OpenReport,
}

impl Storage {
    /// Returns the store if this program has the database open.
    pub(super) fn own(&self) -> Option<&Arc<Store>> {
        match self {
            Self::Own { store, .. } => Some(store),
            _ => None,
        }
    }

    /// Returns the connection to the server that contains the campaign.
    #[cfg(feature = "remote")]
    pub(super) fn remote(&self) -> Option<&Remote> {
        match self {
            Self::Remote(remote) => Some(remote),
            _ => None,
        }
    }

    /// Returns the connection to the server that contains the campaign.
    #[cfg(feature = "remote")]
    pub(super) fn remote_mut(&mut self) -> Option<&mut Remote> {
        match self {
            Self::Remote(remote) => Some(remote),
            _ => None,
        }
    }

    /// Returns whether the campaign is in a server.
    pub(super) fn is_in_server(&self) -> bool {
        match self {
            #[cfg(feature = "remote")]
            Self::Remote(_) => true,
            _ => false,
        }
    }

    /// Returns whether this program also reads the texts that other programs left unread in a server, and whether it is
    /// connected to the server.
    pub(super) fn reads_for_all(&self) -> bool {
        match self {
            #[cfg(feature = "remote")]
            Self::Remote(remote) => remote.has_lease && remote.offline_reason().is_none(),
            _ => false,
        }
    }

    /// Returns whether the database of the campaign is open in this program, for itself or as a server.
    #[cfg(feature = "llm")]
    pub(super) fn has_database(&self) -> bool {
        match self {
            Self::Own { .. } => true,
            #[cfg(feature = "remote")]
            Self::Remote(remote) => remote.is_host,
            _ => false,
        }
    }

    /// Returns the writer of the graph tables; `None` if another program writes them, or if the campaign has no files.
    /// No program can query the graph tables of a campaign without files.
    pub(super) fn projector(&self) -> Option<Projector<'_>> {
        match self {
            Self::Own { store, .. } => store.directory().is_some().then_some(Projector::Own(store)),
            #[cfg(feature = "remote")]
            Self::Remote(remote) => remote.projects.then_some(Projector::Remote(&remote.store)),
            _ => None,
        }
    }

    /// Returns the directory in which this program stores derived data, if it may write to the directory.
    pub(super) fn directory(&self) -> Option<&Path> {
        match self {
            Self::Own { store, .. } => store.directory(),
            #[cfg(feature = "remote")]
            Self::Remote(remote) => remote.directory(),
            _ => None,
        }
    }

    /// Returns the error for an action that only the owner of the campaign can do.
    pub(super) fn not_owner(&self) -> MemoryError {
        let owner = match self {
            #[cfg(feature = "remote")]
            Self::Remote(remote) => return MemoryError::InServer { server: remote.place.clone() },
            Self::Attached { owner, .. } => owner.to_string(),
            _ => "another program".into(),
        };
        MemoryError::NotOwner { owner }
    }

    /// Returns how this program shares the campaign. `programs` are the names of the attached programs.
    pub(super) fn sharing_status(&self, programs: Vec<String>) -> SharingStatus {
        match self {
            Self::Own { server: None, .. } => SharingStatus::NotShared,
            Self::Own { server: Some(_), .. } => SharingStatus::Owner { programs },
            Self::Attached { owner, .. } => SharingStatus::Attached { owner: owner.to_string() },
            #[cfg(feature = "remote")]
            Self::Remote(remote) => remote.sharing_status(),
            Self::Reconnecting { .. } => SharingStatus::Reconnecting,
        }
    }

    /// Starts to receive the messages of the owner or the server. Called once the worker uses the state that was
    /// received.
    pub(super) fn listen(&mut self, internal: &Sender<Internal>) {
        match self {
            Self::Attached { link, number, .. } => {
                let (internal, number) = (internal.clone(), *number);
                link.listen(move |message| drop(internal.send(Internal::Link(number, message))));
            }
            #[cfg(feature = "remote")]
            Self::Remote(remote) => remote.listen(internal),
            _ => {}
        }
    }

    /// Stops the attempts to attach again.
    pub(super) fn stop_reconnecting(&self) {
        if let Self::Reconnecting { stop } = self {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Opens the database, connects to its server, or attaches to the program that has it open.
pub(super) fn open(options: &MemoryOptions, internal: &Sender<Internal>) -> Result<OpenedStorage, MemoryError> {
    open_within(options, 0, internal, |waited| waited < OWNER_TIMEOUT)
}

/// Repeats [`open`] until it succeeds or `stop` is set. `number` is the number of the new connection.
pub(super) fn reopen(
    options: &MemoryOptions,
    number: u64,
    internal: &Sender<Internal>,
    stop: &AtomicBool,
) -> Result<OpenedStorage, MemoryError> {
    open_within(options, number, internal, |_| !stop.load(Ordering::Relaxed))
}

/// Repeats the attempt to open while the owner does not accept connections and `may_wait` returns `true`. `may_wait`
/// gets the time since the first attempt.
fn open_within(
    options: &MemoryOptions,
    number: u64,
    internal: &Sender<Internal>,
    may_wait: impl Fn(Duration) -> bool,
) -> Result<OpenedStorage, MemoryError> {
    let share = options.share && options.location != Location::Memory;
    let store_options = StoreOptions { share, ..options.store.clone() };
    let started = Instant::now();
    let server = options.server()?;
    #[cfg(feature = "remote")]
    if let Some(endpoint) = server {
        // The first attempt to open fails at once, so that the user sees the error.
        let may_wait = || number > 0 && may_wait(started.elapsed());
        return Ok(in_server(remote::open_repeatedly(&endpoint, options, number, may_wait)?));
    }
    #[cfg(not(feature = "remote"))]
    debug_assert!(server.is_none());
    loop {
        let (directory, holder) = match Store::open(options.location.clone(), store_options.clone()) {
            Ok(opened) => return Ok(own(opened, share, internal)),
            Err(StoreError::InUse { directory, holder }) if share => (directory, holder),
            Err(error) => return Err(error.into()),
        };
        #[cfg(feature = "remote")]
        if let Some(file) = hearsay_store::running_server(&directory, &holder) {
            match remote::open(&file.endpoint, options, number, Some(&file.public_url)) {
                Ok(opened) => return Ok(in_server(opened)),
                Err(error) if !may_wait(started.elapsed()) => return Err(error.into()),
                // The server is starting or ending.
                Err(_) => thread::sleep(RETRY_INTERVAL),
            }
            continue;
        }
        if !holder.shares || !holder.is_on_this_machine() {
            return Err(StoreError::InUse { directory, holder }.into());
        }
        match attach(&directory, holder.pid) {
            Ok((link, state)) => {
                let report = attached_report(&state, started.elapsed());
                let storage = Storage::Attached { link, owner: holder, number };
                return Ok(OpenedStorage { storage, state, report });
            }
            Err(AttachError::OtherVersion(release)) => {
                return Err(MemoryError::OtherVersion { owner: holder.to_string(), release });
            }
            Err(AttachError::Unreachable(reason)) if !may_wait(started.elapsed()) => {
                tracing::warn!(%holder, "the owner of the campaign cannot be reached: {reason}");
                return Err(StoreError::InUse { directory, holder }.into());
            }
            Err(AttachError::Unreachable(_)) => thread::sleep(RETRY_INTERVAL),
        }
    }
}

/// Starts to share an open database.
fn own(Opened { store, state, report }: Opened, share: bool, internal: &Sender<Internal>) -> OpenedStorage {
    let failure_sender = internal.clone();
    store.on_failure(move |reason| drop(failure_sender.send(Internal::StorageFailed(reason))));
    let sender = internal.clone();
    let deliver = move |message| drop(sender.send(Internal::Server(message)));
    let server = store.directory().filter(|_| share).and_then(|directory| {
        let started = Server::start(directory, deliver);
        started.inspect_err(|error| tracing::warn!("other programs cannot use the campaign now: {error}")).ok()
    });
    OpenedStorage { storage: Storage::Own { server, store: Arc::new(store) }, state, report }
}

#[cfg(feature = "remote")]
fn in_server((remote, state, report): (Remote, State, OpenReport)) -> OpenedStorage {
    OpenedStorage { storage: Storage::Remote(Box::new(remote)), state, report }
}

/// Returns the report for a state that the owner sent.
fn attached_report(state: &State, took: Duration) -> OpenReport {
    OpenReport {
        position: state.position(),
        snapshot: Some(state.position()),
        snapshot_ignored: None,
        replayed_operations: 0,
        swept_chunks: 0,
        catching_up: 0,
        transient_batch: 0,
        verifying: false,
        schema: 0,
        took,
    }
}

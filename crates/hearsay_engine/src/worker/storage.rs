//! The storage of the worker: its own open database, or a connection to the program that has the database open.

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
use hearsay_store::{Location, LockHolder, OpenReport, Opened, Store, StoreError, StoreOptions};

use super::Internal;
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
    /// The connection to the owner was lost. A background thread attaches again or opens the database. The background
    /// thread stops when `stop` is set.
    Reconnecting { stop: Arc<AtomicBool> },
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
            Self::Attached { .. } | Self::Reconnecting { .. } => None,
        }
    }

    /// Returns the directory of the database if this program has the database open and can write to the directory.
    pub(super) fn directory(&self) -> Option<&Path> {
        self.own()?.directory()
    }

    /// Returns the error for an action that only the owner of the campaign can do.
    pub(super) fn not_owner(&self) -> MemoryError {
        let owner = match self {
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
            Self::Reconnecting { .. } => SharingStatus::Reconnecting,
        }
    }

    /// Starts to receive the messages of the owner. Called once the worker uses the state that the owner sent.
    pub(super) fn listen(&mut self, internal: &Sender<Internal>) {
        if let Self::Attached { link, number, .. } = self {
            let (internal, number) = (internal.clone(), *number);
            link.listen(move |message| drop(internal.send(Internal::Link(number, message))));
        }
    }

    /// Stops the attempts to attach again.
    pub(super) fn stop_reconnecting(&self) {
        if let Self::Reconnecting { stop } = self {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Opens the database, or attaches to the program that has it open.
pub(super) fn open(options: &MemoryOptions, internal: &Sender<Internal>) -> Result<OpenedStorage, MemoryError> {
    open_within(options, 0, internal, |waited| waited < OWNER_TIMEOUT)
}

/// Opens the database, or attaches to the program that has it open, until `stop` is set. `number` is the number of the
/// new connection.
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
    loop {
        let (directory, holder) = match Store::open(options.location.clone(), store_options.clone()) {
            Ok(opened) => return Ok(own(opened, share, internal)),
            Err(StoreError::InUse { directory, holder }) if share => (directory, holder),
            Err(error) => return Err(error.into()),
        };
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

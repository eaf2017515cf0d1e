//! The connection to a server that contains the campaign.

use std::{
    fs::{File, OpenOptions},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::Sender;
use hearsay_model::State;
use hearsay_store::{Endpoint, Location, OpenReport, RemoteOpened, RemoteStore, StoreError};

use super::Internal;
use crate::{MemoryOptions, SharingStatus};

/// Shortest and longest time between two attempts to open a campaign again.
const MIN_RETRY_INTERVAL: Duration = Duration::from_millis(100);
const MAX_RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// Interval at which a waiting attempt checks whether it should end.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// Maximum time for which closing waits for rows of the graph tables and for a running append.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// A campaign in a server.
pub(super) struct Remote {
    pub(super) store: RemoteStore,
    /// Address of the server, for messages.
    pub(super) place: String,
    /// Distinguishes the connections of the worker.
    pub(super) number: u64,
    /// Whether the server is a program on this machine that has the campaign's directory open. The address and the
    /// password of such a server are valid only until the server ends.
    pub(super) is_local: bool,
    /// Whether this program is the server, which reads the texts of all programs with the language model.
    #[cfg_attr(not(feature = "llm"), allow(dead_code))]
    pub(super) is_host: bool,
    files: Option<DerivedFiles>,
    /// Whether this program has the right to write the graph tables.
    pub(super) has_lease: bool,
    /// Whether this program writes the graph tables. A program that gets the lease does so once it knows which records
    /// are outdated.
    pub(super) projects: bool,
}

/// The right of one program to store the derived data of a directory.
struct DerivedFiles {
    directory: PathBuf,
    _lock: File,
}

impl DerivedFiles {
    /// Returns `None` if another program stores the derived data of the directory, or if the directory cannot be written.
    fn lock(directory: &Path, is_host: bool) -> Option<Self> {
        // The program that has the database of the directory open also stores the derived data.
        if directory.join("db").exists() && !is_host {
            return None;
        }
        hearsay_files::create_private_directory(directory).ok()?;
        let file = directory.join("derived.lock");
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(file).ok()?;
        lock.try_lock().ok()?;
        Some(Self { directory: directory.to_owned(), _lock: lock })
    }
}

/// Opens the campaign in a server once. `local_url` is the address for other machines of a server that has the campaign's
/// directory open.
pub(super) fn open(
    endpoint: &Endpoint,
    options: &MemoryOptions,
    number: u64,
    local_url: Option<&str>,
) -> Result<(Remote, State, OpenReport), StoreError> {
    let RemoteOpened { store, state, report } = RemoteStore::open(endpoint, &options.store)?;
    let (is_host, files) = match &options.location {
        Location::Directory(directory) => {
            let server = hearsay_store::read_server_file(directory);
            let is_host = server.is_some_and(|server| server.pid == std::process::id());
            (is_host, DerivedFiles::lock(directory, is_host))
        }
        Location::Memory => (false, None),
    };
    let place = local_url.map_or_else(|| endpoint.to_string(), |url| format!("{url} (on this machine)"));
    let is_local = local_url.is_some();
    let remote = Remote { store, place, number, is_local, is_host, files, has_lease: false, projects: false };
    Ok((remote, state, report))
}

/// Opens the campaign in a server. Repeats failed attempts while `may_wait` returns `true`.
pub(super) fn open_repeatedly(
    endpoint: &Endpoint,
    options: &MemoryOptions,
    number: u64,
    may_wait: impl Fn() -> bool,
) -> Result<(Remote, State, OpenReport), StoreError> {
    let mut interval = MIN_RETRY_INTERVAL;
    loop {
        let error = match open(endpoint, options, number, None) {
            Ok(opened) => return Ok(opened),
            Err(error) => error,
        };
        let is_permanent = matches!(
            error,
            StoreError::Damaged { .. } | StoreError::SchemaTooNew { .. } | StoreError::SchemaTooOld { .. }
        );
        let started = Instant::now();
        while !is_permanent && may_wait() && started.elapsed() < interval {
            thread::sleep(CHECK_INTERVAL);
        }
        if is_permanent || !may_wait() {
            return Err(error);
        }
        tracing::debug!("trying again to open the campaign: {error}");
        interval = (interval * 2).min(MAX_RETRY_INTERVAL);
    }
}

impl Remote {
    /// Returns the directory in which this program stores derived data.
    pub(super) fn directory(&self) -> Option<&Path> {
        self.files.as_ref().map(|files| files.directory.as_path())
    }

    /// Starts to receive the events of the server.
    pub(super) fn listen(&mut self, internal: &Sender<Internal>) {
        let (internal, number) = (internal.clone(), self.number);
        self.store.listen(move |event| drop(internal.send(Internal::Remote(number, event))));
    }

    /// Returns the error text while there is no connection to the server.
    pub(super) fn offline_reason(&self) -> Option<String> {
        let connection = self.store.connection();
        let reason = connection.reason.unwrap_or_else(|| "the connection was lost".into());
        (!connection.connected).then(|| format!("there is no connection to the server {}: {reason}", self.place))
    }

    /// Returns whether the server refuses the login, so that waiting for the connection is pointless.
    pub(super) fn is_refused(&self) -> bool {
        self.store.connection().refused
    }

    pub(super) fn sharing_status(&self) -> SharingStatus {
        let connection = self.store.connection();
        SharingStatus::Server {
            endpoint: self.place.clone(),
            connected: connection.connected,
            last_heard_s: (!connection.connected).then(|| connection.since.elapsed().as_secs()),
            reason: connection.reason,
            refused: connection.refused,
        }
    }

    /// Ends the connection. Waits for a running append and for rows of the graph tables, if there is a connection.
    pub(super) fn close(self) {
        let timeout = if self.store.connection().connected { CLOSE_TIMEOUT } else { Duration::ZERO };
        self.store.close(timeout);
    }
}

//! Opens a campaign: locks the directory, opens the database, and replays the journal.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use tokio::runtime::Runtime;

use super::{
    options::{Location, OpenProgress, StoreOptions},
    replay::{Replayed, replay},
};
use crate::{
    StoreError,
    engine::{DatabaseLocation, Db, Settings, block_on, is_disk_full, start_runtime},
    files::{
        acknowledged::AcknowledgedFile,
        database_swap,
        directory::{name_damaged_file, preflight},
        lock::Lock,
        snapshot,
    },
    journal::JournalPosition,
};

/// A locked campaign directory.
pub(crate) struct LockedDirectory {
    pub(crate) path: PathBuf,
    pub(crate) lock: Lock,
    pub(crate) acknowledged_file: AcknowledgedFile,
    acknowledged: Option<JournalPosition>,
}

/// An open database, and the state that was folded from its journal.
pub(crate) struct OpenedDatabase {
    pub(crate) runtime: Runtime,
    pub(crate) place: String,
    /// The campaign directory, or `None` for a campaign in memory.
    pub(crate) directory: Option<LockedDirectory>,
    pub(crate) db: Db,
    pub(crate) replayed: Replayed,
}

/// Opens a campaign. Creates the campaign if it does not exist.
pub(crate) fn open(location: Location, options: &StoreOptions) -> Result<OpenedDatabase, StoreError> {
    let started = Instant::now();
    let place = location.to_string();
    let directory = match &location {
        Location::Directory(path) => Some(lock_directory(path, options.share)?),
        Location::Memory => None,
    };
    let runtime = start_runtime(&place, options.threads)?;
    let task = open_database(
        place.clone(),
        directory.as_ref().map(|directory| directory.path.clone()),
        directory.as_ref().and_then(|directory| directory.acknowledged),
        options.database_settings(),
        options.progress.clone(),
    );
    let timeout = options.open_timeout;
    // Runs in a separate task, so that a panic inside the database becomes an error.
    let opened = block_on(&runtime, async move { tokio::time::timeout(timeout, tokio::spawn(task)).await });
    let opened = match opened {
        Ok(Ok(opened)) => opened,
        Ok(Err(crash)) => Err(StoreError::damaged(&place, format!("opening the database crashed: {crash}"))),
        Err(_) => Err(StoreError::Timeout { place: place.clone(), action: "open", timeout }),
    };
    match opened {
        Ok((db, mut replayed)) => {
            replayed.report.took = started.elapsed();
            Ok(OpenedDatabase { runtime, place, directory, db, replayed })
        }
        Err(error) => {
            runtime.shutdown_timeout(Duration::from_secs(5));
            Err(error)
        }
    }
}

/// Creates the directory, locks it, finishes an interrupted repair, and reads the acknowledged position.
fn lock_directory(path: &Path, shares: bool) -> Result<LockedDirectory, StoreError> {
    // The engine gets the path as part of a URL, so some paths are not supported.
    let unsupported = |reason| StoreError::UnsupportedPath { path: path.into(), reason };
    let text = path.to_str().ok_or_else(|| unsupported("its path is not valid Unicode"))?;
    if text.contains('?') {
        return Err(unsupported("its path has a question mark"));
    }
    // The directory contains secrets.
    hearsay_files::create_private_directory(path).map_err(|source| StoreError::File {
        action: "create",
        path: path.into(),
        advice: "choose a directory to which this user can write",
        source,
    })?;
    let lock = Lock::acquire(path, shares)?;
    if database_swap::finish(path)? {
        tracing::warn!(directory = %path.display(), "finished an interrupted repair");
    }
    let (acknowledged_file, acknowledged) = AcknowledgedFile::open(path)?;
    Ok(LockedDirectory { path: path.into(), lock, acknowledged_file, acknowledged })
}

/// Opens the database and replays its journal.
async fn open_database(
    place: String,
    directory: Option<PathBuf>,
    acknowledged: Option<JournalPosition>,
    settings: Settings,
    progress: OpenProgress,
) -> Result<(Db, Replayed), StoreError> {
    // Reads the snapshot on another thread while the database opens.
    let snapshot_reader = directory.clone().map(|directory| std::thread::spawn(move || snapshot::read(&directory)));
    let database_location = match &directory {
        Some(directory) => DatabaseLocation::Directory(directory.join("db")),
        None => DatabaseLocation::Memory,
    };
    if let DatabaseLocation::Directory(directory) = &database_location {
        preflight(&place, directory)?;
    }
    let explain = |error| match (&database_location, explain_full_disk(error)) {
        (DatabaseLocation::Directory(directory), error) => name_damaged_file(directory, error),
        (DatabaseLocation::Memory, error) => error,
    };
    let opened = Db::open(database_location.clone(), settings).await;
    let db = opened
        .map_err(|reason| explain(StoreError::damaged(&place, format!("the database cannot be opened: {reason}"))))?;
    let snapshot = snapshot_reader
        .map_or(Ok(None), |thread| thread.join().unwrap_or_else(|_| Err("reading the snapshot failed".into())));
    match replay(&db, &place, acknowledged, snapshot, progress).await {
        Ok(replayed) => Ok((db, replayed)),
        Err(error) => {
            // Closes the database, so that another program, for example a newer version, can open it.
            let _ = db.close(Duration::from_secs(10)).await;
            Err(explain(error))
        }
    }
}

/// Returns [`StoreError::DiskFull`] instead of an error that a full disk caused. The database writes while it is opened,
/// so reading from it can fail because an earlier write failed.
fn explain_full_disk(error: StoreError) -> StoreError {
    match error {
        StoreError::Damaged { place, description: reason, .. } | StoreError::Database { place, reason, .. }
            if is_disk_full(&reason) =>
        {
            StoreError::DiskFull { place, action: "opened" }
        }
        error => error,
    }
}

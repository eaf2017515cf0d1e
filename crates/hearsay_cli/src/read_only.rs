//! Campaigns in read-only folders or on a full disk: commands that only read use a private copy of the database.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use anyhow::{Context, Result};
use hearsay_memory::{Memory, MemoryError, MemoryOptions, Settings};
use hearsay_store::{Location, StoreError};

use crate::{
    args::{Command, Db, EntityCommand, FactCommand, KnowCommand, Session},
    output::Output,
};

static READS: AtomicBool = AtomicBool::new(false);
static COPIES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Records whether a command only reads.
pub(crate) fn note(command: &Command) {
    let reads = match command {
        Command::Ask(_) | Command::Search(_) | Command::Export(_) | Command::Status(_) => true,
        Command::Entity(EntityCommand::Show(_) | EntityCommand::Neighbours(_) | EntityCommand::Path(_)) => true,
        Command::Fact(FactCommand::List(_) | FactCommand::Show(_)) => true,
        Command::Know(command) => !matches!(command, KnowCommand::Forget(_)),
        Command::Session(Session::Threads(_) | Session::List(_)) => true,
        Command::Db(Db::Health(_) | Db::History(_) | Db::Stats(_)) => true,
        _ => false,
    };
    READS.store(reads, Ordering::Relaxed);
}

/// Whether a memory failed to open because its folder is read-only or full, while the command only reads.
pub(crate) fn is_enough(error: &MemoryError) -> bool {
    let kinds = [io::ErrorKind::PermissionDenied, io::ErrorKind::ReadOnlyFilesystem];
    let cannot_write = match error {
        MemoryError::Store(StoreError::File { source, .. }) => kinds.contains(&source.kind()),
        MemoryError::Store(StoreError::Full { .. }) => true,
        _ => false,
    };
    cannot_write && READS.load(Ordering::Relaxed)
}

/// Opens a copy of a memory. The program deletes the copy when it ends.
pub(crate) fn open_copy(directory: &Path, mut settings: Settings, output: &Output) -> Result<Memory> {
    output.note(format!("{} cannot be written to: nothing that is found now is kept", directory.display()));
    let database = directory.join(&settings.store.directory);
    if !database.exists() {
        return Ok(Memory::open(MemoryOptions { location: Location::Memory, settings, ..MemoryOptions::in_memory() })?);
    }
    let copy = std::env::temp_dir().join(format!("hearsay-{}-{}", process::id(), copies().len()));
    copies().push(copy.clone());
    hearsay_store::copy_to_read(&database, &copy)
        .with_context(|| format!("{} cannot be copied to {}", database.display(), copy.display()))?;
    settings.store.directory = copy;
    Ok(Memory::open(MemoryOptions::with_settings(directory, settings))?)
}

/// Deletes all copies.
pub(crate) fn delete_copies() {
    for copy in copies().drain(..) {
        if let Err(error) = fs::remove_dir_all(&copy) {
            tracing::warn!(%error, copy = %copy.display(), "a copy of the memory is left");
        }
    }
}

fn copies() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    COPIES.lock().unwrap_or_else(PoisonError::into_inner)
}

//! Reads campaigns in read-only directories or on a full disk, through a private copy of the database.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process,
    sync::{Mutex, PoisonError},
};

use anyhow::{Context, Result};
use hearsay_engine::{Memory, MemoryError, MemoryOptions, Settings};
use hearsay_store::{Location, StoreError};

use crate::output::Output;

static COPIES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Returns whether a memory failed to open because its directory is read-only or its disk is full. A copy of the memory
/// can then be read instead.
pub(crate) fn can_read_copy(error: &MemoryError) -> bool {
    let read_only_kinds = [io::ErrorKind::PermissionDenied, io::ErrorKind::ReadOnlyFilesystem];
    match error {
        MemoryError::Store(StoreError::File { source, .. }) => read_only_kinds.contains(&source.kind()),
        MemoryError::Store(StoreError::DiskFull { .. }) => true,
        _ => false,
    }
}

/// Opens a temporary copy of a memory. The program deletes the copy before it exits.
pub(crate) fn open_copy(directory: &Path, mut settings: Settings, output: &Output) -> Result<Memory> {
    output.note(format!(
        "Hearsay cannot write to the directory {}, so it uses a temporary copy; changes of this command are not saved",
        directory.display()
    ));
    let database = directory.join(&settings.store.directory);
    if !database.exists() {
        return Ok(Memory::open(MemoryOptions { location: Location::Memory, settings, ..MemoryOptions::in_memory() })?);
    }
    let copy = std::env::temp_dir().join(format!("hearsay-{}-{}", process::id(), copies().len()));
    copies().push(copy.clone());
    hearsay_store::copy_for_reading(&database, &copy)
        .with_context(|| format!("{} cannot be copied to {}", database.display(), copy.display()))?;
    settings.store.directory = copy;
    Ok(Memory::open(MemoryOptions { free_on_close: false, ..MemoryOptions::with_settings(directory, settings) })?)
}

/// Deletes all temporary copies.
pub(crate) fn delete_copies() {
    for copy in copies().drain(..) {
        if let Err(error) = fs::remove_dir_all(&copy) {
            tracing::warn!(%error, copy = %copy.display(), "a temporary copy of the memory could not be deleted");
        }
    }
}

fn copies() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    COPIES.lock().unwrap_or_else(PoisonError::into_inner)
}

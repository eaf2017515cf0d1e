//! Campaigns in folders that cannot be written to, or on a full disk: commands that only read answer from a private copy.

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

use crate::{args::Command, output::Output};

static READS: AtomicBool = AtomicBool::new(false);
static COPIES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Remembers whether a command changes nothing.
pub(crate) fn note(command: &Command) {
    let reads = matches!(
        command,
        Command::Ask(_)
            | Command::Search(_)
            | Command::Facts(_)
            | Command::Show(_)
            | Command::Neighbours(_)
            | Command::Path(_)
            | Command::Knows(_)
            | Command::Believes(_)
            | Command::Chain(_)
            | Command::WhoKnows(_)
            | Command::Secrets(_)
            | Command::WhyNot(_)
            | Command::Missed(_)
            | Command::Reveals(_)
            | Command::Threads(_)
            | Command::Export(_)
            | Command::Health(_)
            | Command::History(_)
            | Command::Status(_)
            | Command::Stats(_)
    );
    READS.store(reads, Ordering::Relaxed);
}

/// Whether a memory did not open because its folder cannot be written to, and a command does not need that.
pub(crate) fn is_enough(error: &MemoryError) -> bool {
    let kinds = [io::ErrorKind::PermissionDenied, io::ErrorKind::ReadOnlyFilesystem];
    let cannot_write = match error {
        MemoryError::Store(StoreError::File { source, .. }) => kinds.contains(&source.kind()),
        MemoryError::Store(StoreError::Full { .. }) => true,
        _ => false,
    };
    cannot_write && READS.load(Ordering::Relaxed)
}

/// Opens a copy of a memory, which is deleted at the end.
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

/// Deletes the copies.
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

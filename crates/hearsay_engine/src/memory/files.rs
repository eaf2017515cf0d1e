//! Requests for imports and exports, and for rebuilding the graph tables.

use std::path::PathBuf;

use hearsay_files::{Access, Durability};

use crate::{
    MemoryError, options::ImportOptions, outcome::ImportOutcome, progress::ImportProgress, ticket::Ticket,
    worker::Command,
};

use super::Memory;

impl Memory {
    /// Imports campaign files or an export (`.jsonl`) as one operation. A background thread reads the files and
    /// compares them with the state. Meanwhile, the memory still answers reads. Then the import waits in the queue of
    /// writes.
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed. The ticket fails if the files are
    /// invalid.
    pub fn import(&self, path: impl Into<PathBuf>) -> Result<Ticket<ImportOutcome>, MemoryError> {
        self.import_with(path, ImportOptions::default())
    }

    /// Imports files of any known format as one operation. Undoing the import of one source does not affect the imports
    /// of other sources.
    ///
    /// # Errors
    /// Returns the same errors as [`import`](Self::import).
    pub fn import_with(
        &self,
        path: impl Into<PathBuf>,
        options: ImportOptions,
    ) -> Result<Ticket<ImportOutcome>, MemoryError> {
        let path = path.into();
        self.send_write(|responder| Command::Import { path, options, dry_run: false, responder })
    }

    /// Imports files like [`import`](Self::import) and reports the progress of the import through `progress`.
    ///
    /// # Errors
    /// Returns the same errors as [`import`](Self::import).
    pub fn import_watched(
        &self,
        path: impl Into<PathBuf>,
        progress: &ImportProgress,
    ) -> Result<Ticket<ImportOutcome>, MemoryError> {
        self.import_with(path, ImportOptions { progress: progress.clone(), ..ImportOptions::default() })
    }

    /// Returns the changes that an import would make, but does not make them.
    ///
    /// # Errors
    /// Returns the same errors as [`import`](Self::import).
    pub fn import_dry_run(&self, path: impl Into<PathBuf>) -> Result<Ticket<ImportOutcome>, MemoryError> {
        self.import_dry_run_with(path, ImportOptions::default())
    }

    /// Returns the changes that an import of files of any known format would make, but does not make them.
    ///
    /// # Errors
    /// Returns the same errors as [`import`](Self::import).
    pub fn import_dry_run_with(
        &self,
        path: impl Into<PathBuf>,
        options: ImportOptions,
    ) -> Result<Ticket<ImportOutcome>, MemoryError> {
        let path = path.into();
        self.send_read(|responder| Command::Import { path, options, dry_run: true, responder })
    }

    /// Writes the whole state to one file (`.jsonl`) on a background thread. Another memory can import this file. If
    /// writing fails, no incomplete file remains. On Unix, only the owner can read the file.
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed. The ticket fails if the file cannot be
    /// written.
    pub fn export(&self, path: impl Into<PathBuf>) -> Result<Ticket<()>, MemoryError> {
        let path = path.into();
        self.read_in_background(move |snapshot| {
            let mut bytes = Vec::new();
            hearsay_campaign::export_jsonl(&snapshot.state, &mut bytes)
                .and_then(|()| hearsay_files::replace(&path, &bytes, Access::Private, Durability::Synced))
                .map_err(|source| MemoryError::File { path: path.clone(), source })
        })
    }

    /// Deletes the graph tables of the database and writes them again from the state.
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed. The ticket fails if the database fails.
    pub fn rebuild(&self) -> Result<Ticket<()>, MemoryError> {
        self.send_write(Command::Rebuild)
    }
}

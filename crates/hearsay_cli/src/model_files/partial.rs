//! A file that is being fetched.

use std::{
    fs,
    io::{self, Seek, Write},
    path::{Path, PathBuf},
};

use anyhow::Result;
use hearsay_files::{Access, Durability, Replacement, temporary_path};
use indicatif::ProgressBar;

use super::{
    errors::failed,
    manifest::{ModelFile, checksum},
};

/// The temporary file of a file that is being fetched. It gets the name of the file when it is complete. After an
/// error, the next run continues it.
pub(super) struct PartialFile<'p> {
    path: PathBuf,
    replacement: Replacement,
    /// Number of bytes in the temporary file. The progress bar counts these bytes.
    length: u64,
    progress: &'p ProgressBar,
}

impl<'p> PartialFile<'p> {
    /// Opens the temporary file of a file in a directory of models, or creates it.
    pub(super) fn open(file: &ModelFile, directory: &Path, progress: &'p ProgressBar) -> Result<Self> {
        let path = file.path_in(directory);
        let open = || -> io::Result<(Replacement, u64)> {
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            let mut replacement = Replacement::resume(&path, Access::Default)?;
            let length = replacement.file().metadata()?.len();
            Ok((replacement, length))
        };
        let (replacement, length) = open().map_err(|error| cannot_write(&path, error))?;
        progress.inc(length);
        let mut partial = Self { path, replacement, length, progress };
        if length > file.bytes {
            partial.clear()?;
        }
        Ok(partial)
    }

    /// Returns the number of bytes in the temporary file.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Writes bytes to the end of the temporary file.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.replacement.file().write_all(bytes).map_err(|error| cannot_write(&self.path, error))?;
        self.length += bytes.len() as u64;
        self.progress.inc(bytes.len() as u64);
        Ok(())
    }

    /// Removes the content of the temporary file.
    pub(super) fn clear(&mut self) -> Result<()> {
        let file = self.replacement.file();
        file.set_len(0).and_then(|()| file.rewind()).map_err(|error| cannot_write(&self.path, error))?;
        self.progress.dec(self.length);
        self.length = 0;
        Ok(())
    }

    /// Returns the checksum of the temporary file.
    pub(super) fn checksum(&mut self) -> Result<String> {
        let file = self.replacement.file();
        let read = file.rewind().and_then(|()| checksum(file));
        read.map_err(|error| failed(format!("cannot read {}", temporary_path(&self.path).display()), error))
    }

    /// Gives the temporary file the name of the file, and replaces an existing file.
    pub(super) fn commit(self) -> Result<()> {
        let Self { path, replacement, .. } = self;
        replacement.commit(Durability::Synced).map(drop).map_err(|error| cannot_write(&path, error))
    }

    /// Removes the temporary file.
    pub(super) fn remove(self) -> Result<()> {
        let Self { path, replacement, .. } = self;
        // Some systems remove only closed files.
        drop(replacement);
        hearsay_files::remove(&temporary_path(&path)).map_err(|error| cannot_write(&path, error))
    }
}

fn cannot_write(path: &Path, error: io::Error) -> anyhow::Error {
    failed(format!("cannot write {}", path.display()), error)
}

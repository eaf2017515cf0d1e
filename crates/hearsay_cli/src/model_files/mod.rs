//! Fetches the files of the models from a mirror or from a directory.
//!
//! A file is written to a temporary file beside its path, which the next run continues after an interruption. The file
//! gets its name when its checksum is right. A wrong or incomplete file therefore never replaces a file.

mod errors;
mod manifest;
mod mirror;
mod partial;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests;

use std::{
    fmt,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use anyhow::Result;
use indicatif::ProgressBar;

use crate::{
    interrupt,
    output::{CliError, FILE_ERROR},
};
use errors::{failed, stopped, wrong_content};
pub(crate) use manifest::{ModelFile, listed_files};
use mirror::Mirror;
use partial::PartialFile;

/// Size of the parts in which a file is copied.
const COPY_BYTES: usize = 1 << 20;

/// Source of the models.
pub(crate) enum ModelSource {
    /// A directory of models.
    Directory(PathBuf),
    /// A web server with a directory of models.
    Mirror(Box<Mirror>),
}

impl ModelSource {
    /// Returns the source with an address or a path.
    pub(crate) fn new(source: &Path) -> Result<Self> {
        match source.to_str() {
            Some(address) if address.contains("://") => Ok(Self::Mirror(Box::new(Mirror::new(address)?))),
            _ => Ok(Self::Directory(source.to_owned())),
        }
    }

    /// Fetches a file to a directory of models. Adds the number of bytes to the progress bar.
    pub(crate) fn fetch(&self, file: &ModelFile, directory: &Path, progress: &ProgressBar) -> Result<()> {
        if let Self::Directory(source) = self {
            check_size(file, &file.path_in(source))?;
        }
        let mut partial = PartialFile::open(file, directory, progress)?;
        let mut is_continued = partial.length() > 0;
        loop {
            if let Err(error) = self.complete(file, &mut partial) {
                if partial.length() == 0 {
                    partial.remove()?;
                }
                return Err(error);
            }
            let found = partial.checksum()?;
            if found == file.blake3 {
                return partial.commit();
            }
            if !is_continued {
                partial.remove()?;
                return Err(wrong_content(file, &self.describe(file), &format!("the checksum {found}")));
            }
            // The temporary file can be of another version: fetch the whole file.
            partial.clear()?;
            is_continued = false;
        }
    }

    /// Adds the missing part of a file.
    fn complete(&self, file: &ModelFile, partial: &mut PartialFile) -> Result<()> {
        match self {
            Self::Directory(source) => copy(&file.path_in(source), partial),
            Self::Mirror(_) if partial.length() == file.bytes => Ok(()),
            Self::Mirror(mirror) => mirror.complete(file, partial),
        }
    }

    /// Returns the path or the address of a file, for messages.
    fn describe(&self, file: &ModelFile) -> String {
        match self {
            Self::Directory(source) => file.path_in(source).display().to_string(),
            Self::Mirror(mirror) => mirror.describe(file),
        }
    }
}

/// Formats the path or the address of the source, without secrets.
impl fmt::Display for ModelSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directory(source) => write!(f, "{}", source.display()),
            Self::Mirror(mirror) => write!(f, "{mirror}"),
        }
    }
}

/// Returns an error if there is no file with the expected size at a path.
fn check_size(file: &ModelFile, path: &Path) -> Result<()> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() && metadata.len() == file.bytes => Ok(()),
        Ok(metadata) if metadata.is_file() => {
            Err(wrong_content(file, &path.display().to_string(), &format!("{} bytes", metadata.len())))
        }
        _ => {
            let message = format!(
                "there is no file {}; pass the directory that contains `all-MiniLM-L6-v2` and the other models, such \
                 as `assets/models` of the repository or `models` of a release archive",
                path.display()
            );
            Err(CliError::new(FILE_ERROR, message).into())
        }
    }
}

/// Copies a file from its start. Returns an error if the user presses Ctrl-C.
fn copy(source: &Path, partial: &mut PartialFile) -> Result<()> {
    let cannot_read = |error: io::Error| failed(format!("cannot read {}", source.display()), error);
    partial.clear()?;
    let mut input = File::open(source).map_err(cannot_read)?;
    let mut buffer = vec![0; COPY_BYTES];
    loop {
        if interrupt::is_requested() {
            return Err(stopped());
        }
        match input.read(&mut buffer).map_err(cannot_read)? {
            0 => return Ok(()),
            length => partial.append(&buffer[..length])?,
        }
    }
}

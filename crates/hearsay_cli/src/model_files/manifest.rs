//! The list of the files of the models.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde::Deserialize;

/// The files in the directory `assets/models` of the repository.
const FILES: &str = include_str!("../../data/models.json");

/// A file of a model.
#[derive(Debug, Deserialize)]
pub(crate) struct ModelFile {
    /// Path in the directory of all models. Slashes separate its segments.
    pub(crate) path: String,
    /// Size in bytes.
    pub(crate) bytes: u64,
    /// BLAKE3 checksum in hexadecimal digits.
    pub(crate) blake3: String,
}

impl ModelFile {
    /// Returns the segments of the path.
    pub(super) fn segments(&self) -> impl Iterator<Item = &str> {
        self.path.split('/')
    }

    /// Returns the path of this file in a directory of models.
    pub(crate) fn path_in(&self, directory: &Path) -> PathBuf {
        self.segments().fold(directory.to_owned(), |path, segment| path.join(segment))
    }

    /// Returns whether a directory of models contains this file, with the expected content.
    pub(crate) fn is_in(&self, directory: &Path) -> Result<bool> {
        let path = self.path_in(directory);
        if !path.is_file() {
            return Ok(false);
        }
        let is_expected = || -> io::Result<bool> {
            let file = File::open(&path)?;
            Ok(file.metadata()?.len() == self.bytes && checksum(file)? == self.blake3)
        };
        is_expected().with_context(|| format!("cannot read {}", path.display()))
    }
}

/// Returns the files of the models that belong to this version of Hearsay. The weights of each model come last, so that
/// no program uses a model whose other files are still missing.
pub(crate) fn listed_files() -> Result<Vec<ModelFile>> {
    serde_json::from_str(FILES).context("the list of model files in the program is damaged")
}

/// Returns the BLAKE3 checksum of the data from a reader.
pub(super) fn checksum(reader: impl Read) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(reader)?;
    Ok(hasher.finalize().to_hex().to_string())
}

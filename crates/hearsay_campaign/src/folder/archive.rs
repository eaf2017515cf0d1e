//! Zip archives as import sources.

use std::{
    fmt,
    fs::File,
    io::{self, Read, Seek},
    sync::Mutex,
};

use zip::ZipArchive;

use super::entry::FolderEntry;
use crate::{Limits, Skipped};

/// A zip archive, on disk or in memory.
#[derive(Debug)]
pub(super) struct Archive(Mutex<ZipArchive<Box<dyn ArchiveSource>>>);

/// The bytes of an archive, on disk or in memory.
trait ArchiveSource: Read + Seek + Send + fmt::Debug {}

impl<T: Read + Seek + Send + fmt::Debug> ArchiveSource for T {}

impl Archive {
    /// Opens an archive.
    ///
    /// # Errors
    /// Returns the reason if the archive is invalid.
    pub(super) fn open(file: File) -> Result<Self, String> {
        Self::new(Box::new(file))
    }

    /// Opens an archive in memory.
    ///
    /// # Errors
    /// Returns the reason if the archive is invalid.
    pub(super) fn from_bytes(bytes: Vec<u8>) -> Result<Self, String> {
        Self::new(Box::new(io::Cursor::new(bytes)))
    }

    fn new(bytes: Box<dyn ArchiveSource>) -> Result<Self, String> {
        let archive = ZipArchive::new(bytes).map_err(|error| format!("the archive is damaged: {error}"))?;
        Ok(Self(Mutex::new(archive)))
    }

    /// Returns the file with this path, even if it is hidden.
    pub(super) fn find(&self, path: &str) -> Option<FolderEntry> {
        let mut archive = self.0.lock().ok()?;
        let index = (0..archive.len())
            .find(|index| archive.name_for_index(*index).and_then(Result::ok).is_some_and(|name| name == path))?;
        let bytes = archive.by_index_raw(index).ok()?.size();
        Some(FolderEntry { path: path.to_owned(), size_bytes: bytes, index })
    }

    /// Reads at most `max_bytes` bytes of a file.
    pub(super) fn read(&self, entry: &FolderEntry, max_bytes: u64) -> Result<Vec<u8>, String> {
        let failed = |error: &dyn fmt::Display| format!("cannot be read: {error}");
        let mut archive = self.0.lock().map_err(|_| "the archive cannot be read".to_owned())?;
        let file = archive.by_index(entry.index).map_err(|error| failed(&error))?;
        let mut bytes = Vec::new();
        file.take(max_bytes).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
        Ok(bytes)
    }

    /// Returns the files to read, and the skipped files with the reasons. Hidden files are in neither list.
    pub(super) fn list(&self, limits: &Limits) -> (Vec<FolderEntry>, Vec<Skipped>) {
        let (mut entries, mut skipped) = (Vec::new(), Vec::new());
        let Ok(mut archive) = self.0.lock() else { return (entries, skipped) };
        for index in 0..archive.len() {
            let mut skip = |path: &str, reason: String| skipped.push(Skipped { path: path.to_owned(), reason });
            let file = match archive.by_index_raw(index) {
                Ok(file) => file,
                Err(error) => {
                    skip(&format!("entry {index}"), format!("cannot be read: {error}"));
                    continue;
                }
            };
            let name = String::from_utf8_lossy(file.name_raw()).replace('\\', "/");
            if file.is_dir() || name.ends_with('/') {
                continue;
            }
            if let Some(reason) = refuse_name(&name, limits.depth) {
                skip(&name, reason);
            } else if name.split('/').any(|part| part.starts_with('.') || part == "__MACOSX") {
            } else if file.is_symlink() {
                skip(&name, "a symbolic link: the import follows no links in archives".to_owned());
            } else if file.encrypted() {
                skip(&name, "the file is encrypted: export the archive without a password".to_owned());
            } else if file.size() > 1 << 20 && file.size() / file.compressed_size().max(1) > limits.ratio {
                skip(
                    &name,
                    format!(
                        "it is compressed by more than a factor of {}, which suggests a malicious archive",
                        limits.ratio
                    ),
                );
            } else if entries.len() >= limits.files {
                skip(
                    &name,
                    format!(
                        "the archive has more than {} files: unpack it, and import parts of it separately",
                        limits.files
                    ),
                );
                break;
            } else {
                entries.push(FolderEntry { path: name, size_bytes: file.size(), index });
            }
        }
        drop(archive);
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        entries.dedup_by(|later, first| {
            let is_duplicate = later.path == first.path;
            if is_duplicate {
                skipped.push(Skipped { path: later.path.clone(), reason: "another file has the same name".into() });
            }
            is_duplicate
        });
        (entries, skipped)
    }
}

/// Returns the reason for refusing a file name within an archive, or `None` if the name is accepted.
fn refuse_name(name: &str, depth: usize) -> Option<String> {
    let has_drive = name.as_bytes().get(1) == Some(&b':');
    if name.starts_with('/') || has_drive {
        return Some("its name is an absolute path".to_owned());
    }
    if name.split('/').any(|part| part == ".." || part.contains('\0')) {
        return Some("its name points outside the archive".to_owned());
    }
    (name.split('/').count() > depth).then(|| format!("folders are nested more than {depth} levels deep"))
}

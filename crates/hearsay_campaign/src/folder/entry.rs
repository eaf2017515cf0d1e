//! A file of an import source.

/// A file of an import source. The content is read later, with [`Folder::read`](super::Folder::read).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderEntry {
    /// The path of the file relative to the folder, with forward slashes.
    pub path: String,
    /// The size in bytes, as the file system or the archive reports it.
    pub size_bytes: u64,
    /// The index of the file in an archive or in memory; 0 for a file on disk.
    pub(super) index: usize,
}

impl FolderEntry {
    /// Returns the file name without folders.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Returns the file name without folders and extension.
    pub fn stem(&self) -> &str {
        self.name().rsplit_once('.').map_or(self.name(), |(stem, _)| stem)
    }

    /// Returns the names of the folders that contain the file, outermost first.
    pub fn folders(&self) -> impl DoubleEndedIterator<Item = &str> {
        let folders = self.path.rsplit_once('/').map_or("", |(folders, _)| folders);
        folders.split('/').filter(|name| !name.is_empty())
    }

    /// Returns whether the file has one of these extensions, which are given in lowercase without dots.
    pub fn has_extension(&self, extensions: &[&str]) -> bool {
        let extension = self.name().rsplit_once('.').map_or("", |(_, extension)| extension);
        extensions.iter().any(|candidate| extension.eq_ignore_ascii_case(candidate))
    }
}

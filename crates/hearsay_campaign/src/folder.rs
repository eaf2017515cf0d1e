//! Gives safe access to an import source: a folder, a single file, or a zip archive.
//!
//! Files outside the folder are never read, even if links or file names in the folder point to them. The number, size
//! and depth of files are limited. Files that are omitted for these reasons are in [`Folder::skipped`].

#[cfg(feature = "import")]
mod archive;
mod entry;

use std::{
    collections::BTreeMap,
    fs::{self, File as OsFile},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

pub use entry::FolderEntry;

use crate::{CampaignErrors, Limits, Skipped, cancel::CANCELLED, regular_file};

#[cfg(feature = "import")]
use {crate::alias::AliasBytes, archive::Archive};

/// The list of files in an import source. [`Folder::read`] reads the content of one file.
#[derive(Debug)]
pub struct Folder {
    name: String,
    entries: Vec<FolderEntry>,
    skipped: Vec<Skipped>,
    limits: Limits,
    source: Source,
    /// The number of bytes that [`Folder::read`] has read so far.
    bytes_read: AtomicU64,
    #[cfg(feature = "import")]
    aliases: AliasBytes,
}

#[derive(Debug)]
enum Source {
    /// The path of a folder, with links resolved.
    Disk(PathBuf),
    #[cfg(feature = "import")]
    Zip(Archive),
    /// Contents of files in memory. The index is the `index` of a [`FolderEntry`].
    Memory(Vec<Vec<u8>>),
}

impl Folder {
    /// Lists a folder, a single file or a zip archive. Omits hidden files and folders.
    ///
    /// # Errors
    /// Returns an error if the path cannot be read, or if an archive is invalid. Archives need the feature `import`.
    pub fn open(path: &Path, limits: &Limits) -> Result<Self, CampaignErrors> {
        let display_name =
            path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into());
        let error_in_file = |message: String, hint: &str| CampaignErrors::in_file(&display_name, message, hint);
        let unreadable = |error: io::Error| {
            error_in_file(
                format!("cannot be read: {error}"),
                "check that it exists and that you have permission to read it",
            )
        };
        let real_path = path.canonicalize().map_err(unreadable)?;
        let meta = fs::metadata(&real_path).map_err(unreadable)?;
        let name =
            real_path.file_stem().map_or_else(|| display_name.clone(), |name| name.to_string_lossy().into_owned());
        let mut folder;
        if meta.is_dir() {
            folder = Self::empty(&name, Source::Disk(real_path.clone()), limits);
            folder.name = real_path.file_name().map_or(display_name, |name| name.to_string_lossy().into_owned());
            folder.list_folder(&real_path, "", 0);
        } else if let Some(kind) = regular_file::special_file_kind(meta.file_type()) {
            let message = format!("cannot be read: {}", regular_file::not_regular_message(kind));
            return Err(error_in_file(message, "give a folder, a file or a zip archive"));
        } else if is_zip(&real_path) {
            #[cfg(not(feature = "import"))]
            return Err(error_in_file("this program cannot read archives".to_owned(), crate::error::NEEDS_IMPORT));
            #[cfg(feature = "import")]
            {
                let file = OsFile::open(&real_path).map_err(unreadable)?;
                let archive =
                    Archive::open(file).map_err(|reason| error_in_file(reason, "export the archive again"))?;
                folder = Self::from_listing(&name, archive, limits);
            }
        } else {
            let parent = real_path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
            folder = Self::empty(&name, Source::Disk(parent), limits);
            let path = real_path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            folder.entries.push(FolderEntry { path, size_bytes: meta.len(), index: 0 });
        }
        folder.entries.sort_by(|a, b| a.path.cmp(&b.path));
        folder.skipped.sort();
        Ok(folder)
    }

    fn empty(name: &str, source: Source, limits: &Limits) -> Self {
        Self {
            name: name.to_owned(),
            entries: Vec::new(),
            skipped: Vec::new(),
            limits: limits.clone(),
            source,
            bytes_read: AtomicU64::new(0),
            #[cfg(feature = "import")]
            aliases: AliasBytes::default(),
        }
    }

    /// Creates a folder from files in memory, for tests and for programs that do not store the files on disk. If two
    /// files have the same path, the later file replaces the earlier one.
    pub fn from_files(name: &str, files: impl IntoIterator<Item = (String, Vec<u8>)>, limits: &Limits) -> Self {
        let files: BTreeMap<String, Vec<u8>> = files.into_iter().collect();
        let entry = |(index, (path, bytes)): (usize, (&String, &Vec<u8>))| FolderEntry {
            path: path.clone(),
            size_bytes: bytes.len() as u64,
            index,
        };
        let entries = files.iter().enumerate().map(entry).collect();
        let source = Source::Memory(files.into_values().collect());
        Self { entries, ..Self::empty(name, source, limits) }
    }

    /// Creates a folder from a zip archive in memory.
    ///
    /// # Errors
    /// Returns the reason if the archive is invalid.
    #[cfg(feature = "import")]
    pub fn from_archive(name: &str, bytes: Vec<u8>, limits: &Limits) -> Result<Self, String> {
        Ok(Self::from_listing(name, Archive::from_bytes(bytes)?, limits))
    }

    #[cfg(feature = "import")]
    fn from_listing(name: &str, archive: Archive, limits: &Limits) -> Self {
        let (entries, skipped) = archive.list(limits);
        Self { entries, skipped, ..Self::empty(name, Source::Zip(archive), limits) }
    }

    /// Returns the name of the folder, file or archive, without the extension.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the files of the folder, sorted by path.
    pub fn files(&self) -> std::slice::Iter<'_, FolderEntry> {
        self.entries.iter()
    }

    /// Returns the file with this path, or `None` if the list has no such file.
    pub fn get(&self, path: &str) -> Option<&FolderEntry> {
        let index = self.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()?;
        self.entries.get(index)
    }

    /// Returns whether the folder has a file with this path.
    pub fn contains(&self, path: &str) -> bool {
        self.get(path).is_some()
    }

    /// Returns the files that the list omits, with the reasons.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// Returns the limits that apply to reading.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns a hidden file that a tool stores beside the notes, such as `.obsidian/plugins/calendarium/data.json`.
    /// Returns `None` if there is no such file.
    pub fn hidden_file(&self, path: &str) -> Option<FolderEntry> {
        match &self.source {
            Source::Disk(root) => {
                let real_path = root.join(path).canonicalize().ok().filter(|real_path| real_path.starts_with(root))?;
                let meta = fs::metadata(real_path).ok().filter(fs::Metadata::is_file)?;
                Some(FolderEntry { path: path.to_owned(), size_bytes: meta.len(), index: 0 })
            }
            #[cfg(feature = "import")]
            Source::Zip(archive) => archive.find(path),
            Source::Memory(_) => self.get(path).cloned(),
        }
    }

    /// Returns the first `bytes` bytes of a file, or the whole file if it is shorter, for format detection. Returns an
    /// empty vector if the file cannot be read.
    pub fn head(&self, entry: &FolderEntry, bytes: u64) -> Vec<u8> {
        match self.limits.cancel.is_cancelled() {
            true => Vec::new(),
            false => self.read_limited(entry, bytes).map_or_else(|_| Vec::new(), |(bytes, _)| bytes),
        }
    }

    /// Returns the counter of the bytes that YAML aliases in the files have copied.
    #[cfg(feature = "import")]
    pub(crate) fn aliases(&self) -> &AliasBytes {
        &self.aliases
    }

    /// Returns the content of a file.
    ///
    /// # Errors
    /// Returns the reason and a hint if the file cannot be read or a limit is exceeded.
    pub fn read(&self, entry: &FolderEntry) -> Result<Vec<u8>, String> {
        let too_large = || {
            let (size_mib, limit_mib) = (entry.size_bytes >> 20, self.limits.file_bytes >> 20);
            format!("the file has {size_mib} MiB or more; the limit is {limit_mib} MiB: split the file")
        };
        if self.limits.cancel.is_cancelled() {
            return Err(CANCELLED.to_owned());
        }
        if entry.size_bytes > self.limits.file_bytes {
            return Err(too_large());
        }
        let remaining = self.limits.total_bytes.saturating_sub(self.bytes_read.load(Ordering::Relaxed));
        if remaining == 0 {
            let limit_mib = self.limits.total_bytes >> 20;
            return Err(format!(
                "the files have more than {limit_mib} MiB in total: import parts of the folder separately"
            ));
        }
        let (bytes, has_more) = self.read_limited(entry, self.limits.file_bytes)?;
        self.bytes_read.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        if has_more { Err(too_large()) } else { Ok(bytes) }
    }

    /// Reads at most `max_bytes` bytes. Returns the bytes, and whether the file has more bytes.
    fn read_limited(&self, entry: &FolderEntry, max_bytes: u64) -> Result<(Vec<u8>, bool), String> {
        let failed = |error: &dyn std::fmt::Display| format!("cannot be read: {error}");
        let mut bytes = Vec::new();
        match &self.source {
            Source::Disk(root) => {
                let file = regular_file::open_file(&root.join(&entry.path)).map_err(|error| failed(&error))?;
                file.take(max_bytes + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
            }
            #[cfg(feature = "import")]
            Source::Zip(archive) => bytes = archive.read(entry, max_bytes + 1)?,
            Source::Memory(files) => {
                let content = files.get(entry.index).map_or(&[][..], Vec::as_slice);
                bytes.extend(content.iter().take(usize::try_from(max_bytes + 1).unwrap_or(usize::MAX)));
            }
        }
        let has_more = bytes.len() as u64 > max_bytes;
        bytes.truncate(usize::try_from(max_bytes).unwrap_or(usize::MAX));
        Ok((bytes, has_more))
    }

    fn skip(&mut self, path: impl Into<String>, reason: impl Into<String>) {
        self.skipped.push(Skipped { path: path.into(), reason: reason.into() });
    }

    fn list_folder(&mut self, folder: &Path, relative_path: &str, depth: usize) {
        let display_path = if relative_path.is_empty() { "." } else { relative_path };
        if depth >= self.limits.depth {
            let reason = format!("folders are nested more than {} levels deep: move them up", self.limits.depth);
            return self.skip(display_path, reason);
        }
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.skip(display_path, format!("cannot be read: {error}")),
        };
        let mut dir_entries: Vec<_> = entries.filter_map(Result::ok).collect();
        dir_entries.sort_by_key(fs::DirEntry::file_name);
        for entry in dir_entries {
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                self.skip(format!("{display_path}/{}", name.to_string_lossy()), "its name is not UTF-8: rename it");
                continue;
            };
            if name.starts_with('.') {
                continue;
            }
            let path = if relative_path.is_empty() { name.to_owned() } else { format!("{relative_path}/{name}") };
            match entry.file_type() {
                Ok(kind) if kind.is_symlink() => {
                    let reason = self.describe_link(&entry.path());
                    self.skip(path, reason);
                }
                Ok(kind) if kind.is_dir() => self.list_folder(&entry.path(), &path, depth + 1),
                Ok(kind) if kind.is_file() => {
                    if self.entries.len() >= self.limits.files {
                        let reason = format!(
                            "the folder has more than {} files: import its parts separately",
                            self.limits.files
                        );
                        if self.skipped.last().is_none_or(|skipped| skipped.reason != reason) {
                            self.skip(path, reason);
                        }
                        return;
                    }
                    let bytes = entry.metadata().map_or(0, |meta| meta.len());
                    self.entries.push(FolderEntry { path, size_bytes: bytes, index: 0 });
                }
                Ok(kind) => {
                    let kind = regular_file::special_file_kind(kind).unwrap_or("a special file");
                    self.skip(path, regular_file::not_regular_message(kind));
                }
                Err(error) => self.skip(path, format!("cannot be read: {error}")),
            }
        }
    }

    /// Returns the reason for skipping a link. Links are never followed: a link to a target within the folder leads to
    /// a file that is read anyway, or forms a cycle.
    fn describe_link(&self, link: &Path) -> &'static str {
        match (link.canonicalize(), &self.source) {
            (Ok(real_path), Source::Disk(root)) if real_path.starts_with(root) => {
                "a symbolic link to a target in the same folder: the import reads the target itself"
            }
            (Ok(_), _) => regular_file::OUTSIDE_LINK_REASON,
            (Err(_), _) => "a symbolic link whose target does not exist",
        }
    }
}

fn is_zip(path: &Path) -> bool {
    let mut magic = [0; 4];
    OsFile::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok_and(|()| &magic == b"PK\x03\x04")
        || path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zip"))
}

#[cfg(all(test, feature = "import"))]
mod tests;

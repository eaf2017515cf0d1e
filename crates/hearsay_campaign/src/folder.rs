//! Safe access to an import source: a folder, a single file, or a zip archive.
//!
//! Files outside the folder are never read, even if links or file names in the folder point to them. The number, size
//! and depth of files are limited. Files that are left out for these reasons are in [`Folder::skipped`].

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

pub use entry::Entry;

use crate::{CampaignErrors, Limits, Skipped, cancel::CANCELLED, regular};

#[cfg(feature = "import")]
use {crate::alias::AliasBytes, archive::Archive};

/// The list of files in an import source. [`Folder::read`] reads the content of one file.
#[derive(Debug)]
pub struct Folder {
    name: String,
    entries: Vec<Entry>,
    skipped: Vec<Skipped>,
    limits: Limits,
    source: Source,
    /// The number of bytes that [`Folder::read`] has read so far.
    read: AtomicU64,
    #[cfg(feature = "import")]
    aliases: AliasBytes,
}

#[derive(Debug)]
enum Source {
    /// The path of a folder, with links resolved.
    Disk(PathBuf),
    #[cfg(feature = "import")]
    Zip(Archive),
    /// Contents of files in memory. The index is the `number` of an [`Entry`].
    Memory(Vec<Vec<u8>>),
}

impl Folder {
    /// Lists a folder, a single file or a zip archive. Hidden files and folders are left out.
    ///
    /// # Errors
    /// Returns an error if the path cannot be read, or if an archive is invalid. Archives need the feature `import`.
    pub fn open(path: &Path, limits: &Limits) -> Result<Self, CampaignErrors> {
        let shown = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into());
        let fault = |message: String, hint: &str| CampaignErrors::in_file(&shown, message, hint);
        let unreadable = |error: io::Error| {
            fault(format!("cannot be read: {error}"), "check that it exists and that you may read it")
        };
        let real = path.canonicalize().map_err(unreadable)?;
        let meta = fs::metadata(&real).map_err(unreadable)?;
        let name = real.file_stem().map_or_else(|| shown.clone(), |name| name.to_string_lossy().into_owned());
        let mut folder;
        if meta.is_dir() {
            folder = Self::empty(&name, Source::Disk(real.clone()), limits);
            folder.name = real.file_name().map_or(shown, |name| name.to_string_lossy().into_owned());
            folder.walk(&real, "", 0);
        } else if let Some(kind) = regular::special(meta.file_type()) {
            let what = format!("cannot be read: {}", regular::not_regular(kind));
            return Err(fault(what, "give a folder, a file or a zip archive"));
        } else if is_zip(&real) {
            #[cfg(not(feature = "import"))]
            return Err(fault("is an archive, which this program cannot read".to_owned(), crate::error::NEEDS_IMPORT));
            #[cfg(feature = "import")]
            {
                let file = OsFile::open(&real).map_err(unreadable)?;
                let archive = Archive::open(file).map_err(|why| fault(why, "export it again"))?;
                folder = Self::of_listed(&name, archive, limits);
            }
        } else {
            let parent = real.parent().map_or_else(PathBuf::new, Path::to_path_buf);
            folder = Self::empty(&name, Source::Disk(parent), limits);
            let path = real.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            folder.entries.push(Entry { path, bytes: meta.len(), number: 0 });
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
            read: AtomicU64::new(0),
            #[cfg(feature = "import")]
            aliases: AliasBytes::default(),
        }
    }

    /// Creates a folder from files in memory, for tests and for programs that do not store the files on disk. If two
    /// files have the same path, the later file replaces the earlier one.
    pub fn of_files(name: &str, files: impl IntoIterator<Item = (String, Vec<u8>)>, limits: &Limits) -> Self {
        let files: BTreeMap<String, Vec<u8>> = files.into_iter().collect();
        let entry = |(number, (path, bytes)): (usize, (&String, &Vec<u8>))| Entry {
            path: path.clone(),
            bytes: bytes.len() as u64,
            number,
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
    pub fn of_archive(name: &str, bytes: Vec<u8>, limits: &Limits) -> Result<Self, String> {
        Ok(Self::of_listed(name, Archive::from_bytes(bytes)?, limits))
    }

    #[cfg(feature = "import")]
    fn of_listed(name: &str, archive: Archive, limits: &Limits) -> Self {
        let (entries, skipped) = archive.list(limits);
        Self { entries, skipped, ..Self::empty(name, Source::Zip(archive), limits) }
    }

    /// Returns the name of the folder, file or archive, without the extension.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the files of the folder, sorted by path.
    pub fn files(&self) -> std::slice::Iter<'_, Entry> {
        self.entries.iter()
    }

    /// Returns the file with this path, or `None` if the list has no such file.
    pub fn get(&self, path: &str) -> Option<&Entry> {
        let number = self.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()?;
        self.entries.get(number)
    }

    /// Returns whether the folder has a file with this path.
    pub fn has(&self, path: &str) -> bool {
        self.get(path).is_some()
    }

    /// Returns the files that were left out of the list, with the reasons.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// Returns the limits that apply to reading.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns a hidden file that a tool stores beside the notes, such as `.obsidian/plugins/calendarium/data.json`.
    /// Returns `None` if there is no such file.
    pub fn hidden(&self, path: &str) -> Option<Entry> {
        match &self.source {
            Source::Disk(root) => {
                let real = root.join(path).canonicalize().ok().filter(|real| real.starts_with(root))?;
                let meta = fs::metadata(real).ok().filter(fs::Metadata::is_file)?;
                Some(Entry { path: path.to_owned(), bytes: meta.len(), number: 0 })
            }
            #[cfg(feature = "import")]
            Source::Zip(archive) => archive.find(path),
            Source::Memory(_) => self.get(path).cloned(),
        }
    }

    /// Returns the first `bytes` bytes of a file, or the whole file if it is shorter, for format detection. Returns an
    /// empty vector if the file cannot be read.
    pub fn head(&self, entry: &Entry, bytes: u64) -> Vec<u8> {
        match self.limits.cancel.is_cancelled() {
            true => Vec::new(),
            false => self.bytes_of(entry, bytes).map_or_else(|_| Vec::new(), |(bytes, _)| bytes),
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
    pub fn read(&self, entry: &Entry) -> Result<Vec<u8>, String> {
        let too_large = || {
            let (mib, most) = (entry.bytes >> 20, self.limits.file_bytes >> 20);
            format!("the file has {mib} MiB or more; the limit is {most} MiB: split it, or raise the limit")
        };
        if self.limits.cancel.is_cancelled() {
            return Err(CANCELLED.to_owned());
        }
        if entry.bytes > self.limits.file_bytes {
            return Err(too_large());
        }
        let left = self.limits.total_bytes.saturating_sub(self.read.load(Ordering::Relaxed));
        if left == 0 {
            let most = self.limits.total_bytes >> 20;
            return Err(format!(
                "the files have more than {most} MiB in total: import parts of them, or raise the limit"
            ));
        }
        let (bytes, more) = self.bytes_of(entry, self.limits.file_bytes)?;
        self.read.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        if more { Err(too_large()) } else { Ok(bytes) }
    }

    /// Reads at most `most` bytes. Returns them, and whether the file has more.
    fn bytes_of(&self, entry: &Entry, most: u64) -> Result<(Vec<u8>, bool), String> {
        let failed = |error: &dyn std::fmt::Display| format!("cannot be read: {error}");
        let mut bytes = Vec::new();
        match &self.source {
            Source::Disk(root) => {
                let file = regular::open_file(&root.join(&entry.path)).map_err(|error| failed(&error))?;
                file.take(most + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
            }
            #[cfg(feature = "import")]
            Source::Zip(archive) => bytes = archive.read(entry, most + 1)?,
            Source::Memory(files) => {
                let held = files.get(entry.number).map_or(&[][..], Vec::as_slice);
                bytes.extend(held.iter().take(usize::try_from(most + 1).unwrap_or(usize::MAX)));
            }
        }
        let more = bytes.len() as u64 > most;
        bytes.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        Ok((bytes, more))
    }

    fn skip(&mut self, path: impl Into<String>, why: impl Into<String>) {
        self.skipped.push(Skipped { path: path.into(), why: why.into() });
    }

    fn walk(&mut self, folder: &Path, below: &str, depth: usize) {
        let shown = if below.is_empty() { "." } else { below };
        if depth >= self.limits.depth {
            let why = format!("folders are nested more than {} levels deep: move them up", self.limits.depth);
            return self.skip(shown, why);
        }
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.skip(shown, format!("cannot be read: {error}")),
        };
        let mut names: Vec<_> = entries.filter_map(Result::ok).collect();
        names.sort_by_key(fs::DirEntry::file_name);
        for entry in names {
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                self.skip(format!("{shown}/{}", name.to_string_lossy()), "its name is not UTF-8: rename it");
                continue;
            };
            if name.starts_with('.') {
                continue;
            }
            let path = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
            match entry.file_type() {
                Ok(kind) if kind.is_symlink() => {
                    let why = self.where_leads(&entry.path());
                    self.skip(path, why);
                }
                Ok(kind) if kind.is_dir() => self.walk(&entry.path(), &path, depth + 1),
                Ok(kind) if kind.is_file() => {
                    if self.entries.len() >= self.limits.files {
                        let why = format!("the folder has more than {} files: raise the limit", self.limits.files);
                        if self.skipped.last().is_none_or(|skipped| skipped.why != why) {
                            self.skip(path, why);
                        }
                        return;
                    }
                    let bytes = entry.metadata().map_or(0, |meta| meta.len());
                    self.entries.push(Entry { path, bytes, number: 0 });
                }
                Ok(kind) => {
                    let kind = regular::special(kind).unwrap_or("a special file");
                    self.skip(path, regular::not_regular(kind));
                }
                Err(error) => self.skip(path, format!("cannot be read: {error}")),
            }
        }
    }

    /// Returns the reason for skipping a link. Links are never followed: a link to a target within the folder leads to
    /// a file that is read anyway, or forms a cycle.
    fn where_leads(&self, link: &Path) -> &'static str {
        match (link.canonicalize(), &self.source) {
            (Ok(real), Source::Disk(root)) if real.starts_with(root) => "a link to a file that is read anyway",
            (Ok(_), _) => regular::LEADS_OUT,
            (Err(_), _) => "a link whose target does not exist",
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

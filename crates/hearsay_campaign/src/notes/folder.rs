//! Safe access to an import source: a folder, a single file, or a zip archive.
//!
//! Nothing outside the folder is read, whatever its links or names contain. Numbers, sizes and depths are bounded.
//! Files that are left out for this reason are in [`Folder::skipped`].

use std::{
    collections::BTreeMap,
    fmt,
    fs::{self, File as OsFile},
    io::{self, Read, Seek},
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use zip::ZipArchive;

use super::{FileId, Notes, Skipped, Text, tree::Tree};
use crate::{
    CampaignError, CampaignErrors, Limits,
    alias::AliasBytes,
    files::{CANCELLED, LEADS_OUT},
    regular,
};

/// The list of a campaign's files. Their content is read later.
#[derive(Debug)]
pub struct Folder {
    name: String,
    entries: Vec<Entry>,
    skipped: Vec<Skipped>,
    limits: Limits,
    source: Source,
    /// The number of bytes that were read so far.
    read: AtomicU64,
    aliases: AliasBytes,
}

#[derive(Debug)]
enum Source {
    /// The folder, with links resolved.
    Disk(PathBuf),
    Zip(Mutex<ZipArchive<Box<dyn Bytes>>>),
    /// Files in memory, by their numbers.
    Memory(Vec<Vec<u8>>),
}

/// The source of an archive.
trait Bytes: Read + Seek + Send + fmt::Debug {}

impl<T: Read + Seek + Send + fmt::Debug> Bytes for T {}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The path below the folder, with forward slashes.
    pub path: String,
    /// The claimed size in bytes.
    pub bytes: u64,
    /// The index in an archive.
    number: usize,
}

impl Entry {
    /// Returns the file name without folders.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Returns the file name without folders and extension.
    pub fn stem(&self) -> &str {
        self.name().rsplit_once('.').map_or(self.name(), |(stem, _)| stem)
    }

    /// Returns the folders that contain the file, outermost first.
    pub fn folders(&self) -> impl DoubleEndedIterator<Item = &str> {
        let folders = self.path.rsplit_once('/').map_or("", |(folders, _)| folders);
        folders.split('/').filter(|name| !name.is_empty())
    }

    /// Whether the file has one of these extensions, given in lowercase without dots.
    pub fn has_extension(&self, extensions: &[&str]) -> bool {
        let extension = self.name().rsplit_once('.').map_or("", |(_, extension)| extension);
        extensions.iter().any(|one| extension.eq_ignore_ascii_case(one))
    }
}

impl Folder {
    /// Lists a folder, a single file or a zip archive. Hidden files and folders are left out.
    ///
    /// # Errors
    /// If the path cannot be read, or an archive is invalid.
    pub fn open(path: &Path, limits: &Limits) -> Result<Self, CampaignErrors> {
        let shown = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into());
        let fault = |message: String, hint: &str| {
            let error =
                CampaignError { file: shown.clone(), line: 0, field: String::new(), message, hint: hint.to_owned() };
            CampaignErrors { errors: vec![error], more: 0 }
        };
        let unreadable = |error: io::Error| {
            fault(format!("cannot be read: {error}"), "check that it exists and that you may read it")
        };
        let real = path.canonicalize().map_err(unreadable)?;
        let meta = fs::metadata(&real).map_err(unreadable)?;
        let name = real.file_stem().map_or_else(|| shown.clone(), |name| name.to_string_lossy().into_owned());
        let empty = |source| Self {
            name: name.clone(),
            entries: Vec::new(),
            skipped: Vec::new(),
            limits: limits.clone(),
            source,
            read: AtomicU64::new(0),
            aliases: AliasBytes::default(),
        };
        let mut folder;
        if meta.is_dir() {
            folder = empty(Source::Disk(real.clone()));
            folder.name = real.file_name().map_or(shown, |name| name.to_string_lossy().into_owned());
            folder.walk(&real, "", 0);
        } else if let Some(kind) = regular::special(meta.file_type()) {
            let what = format!("cannot be read: {}", regular::not_regular(kind));
            return Err(fault(what, "give a folder, a file or a zip archive"));
        } else if is_zip(&real) {
            let file = OsFile::open(&real).map_err(unreadable)?;
            let broken =
                |error: zip::result::ZipError| fault(format!("the archive is broken: {error}"), "export it again");
            let archive = ZipArchive::new(Box::new(file) as Box<dyn Bytes>).map_err(broken)?;
            folder = empty(Source::Zip(Mutex::new(archive)));
            folder.list_archive();
        } else {
            let parent = real.parent().map_or_else(PathBuf::new, Path::to_path_buf);
            folder = empty(Source::Disk(parent));
            let path = real.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            folder.entries.push(Entry { path, bytes: meta.len(), number: 0 });
        }
        folder.entries.sort_by(|a, b| a.path.cmp(&b.path));
        folder.skipped.sort();
        Ok(folder)
    }

    /// Creates a folder from files in memory: for tests, and for programs with other sources. If two files have the
    /// same path, the later replaces the earlier.
    pub fn of_files(name: &str, files: impl IntoIterator<Item = (String, Vec<u8>)>, limits: &Limits) -> Self {
        let files: BTreeMap<String, Vec<u8>> = files.into_iter().collect();
        let entry = |(number, (path, bytes)): (usize, (&String, &Vec<u8>))| Entry {
            path: path.clone(),
            bytes: bytes.len() as u64,
            number,
        };
        let entries = files.iter().enumerate().map(entry).collect();
        Self {
            name: name.to_owned(),
            entries,
            skipped: Vec::new(),
            limits: limits.clone(),
            source: Source::Memory(files.into_values().collect()),
            read: AtomicU64::new(0),
            aliases: AliasBytes::default(),
        }
    }

    /// Creates a folder from an archive in memory.
    ///
    /// # Errors
    /// If the archive is invalid, with the reason.
    pub fn of_archive(name: &str, bytes: Vec<u8>, limits: &Limits) -> Result<Self, String> {
        let bytes = Box::new(io::Cursor::new(bytes)) as Box<dyn Bytes>;
        let archive = ZipArchive::new(bytes).map_err(|error| format!("the archive is broken: {error}"))?;
        let mut folder = Self::of_files(name, [], limits);
        folder.source = Source::Zip(Mutex::new(archive));
        folder.list_archive();
        Ok(folder)
    }

    /// Returns the name of the folder or archive, without the extension.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the files, in the order of their paths.
    pub fn files(&self) -> std::slice::Iter<'_, Entry> {
        self.entries.iter()
    }

    /// Returns the file with this path.
    pub fn get(&self, path: &str) -> Option<&Entry> {
        let number = self.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()?;
        self.entries.get(number)
    }

    /// Whether there is a file with this path.
    pub fn has(&self, path: &str) -> bool {
        self.get(path).is_some()
    }

    /// Returns the files that were left out of the list.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// Returns the limits for reading.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns a hidden file that a tool keeps beside the notes, such as `.obsidian/plugins/calendarium/data.json`.
    pub fn hidden(&self, path: &str) -> Option<Entry> {
        match &self.source {
            Source::Disk(root) => {
                let real = root.join(path).canonicalize().ok().filter(|real| real.starts_with(root))?;
                let meta = fs::metadata(real).ok().filter(fs::Metadata::is_file)?;
                Some(Entry { path: path.to_owned(), bytes: meta.len(), number: 0 })
            }
            Source::Zip(archive) => {
                let mut archive = archive.lock().ok()?;
                let number = (0..archive.len()).find(|number| {
                    archive.name_for_index(*number).and_then(Result::ok).is_some_and(|name| name == path)
                })?;
                let bytes = archive.by_index_raw(number).ok()?.size();
                Some(Entry { path: path.to_owned(), bytes, number })
            }
            Source::Memory(_) => self.get(path).cloned(),
        }
    }

    /// Returns the first bytes of a file, for format detection. Returns none if the file is unreadable.
    pub fn head(&self, entry: &Entry, bytes: u64) -> Vec<u8> {
        match self.limits.cancel.is_cancelled() {
            true => Vec::new(),
            false => self.bytes_of(entry, bytes).map_or_else(|_| Vec::new(), |(bytes, _)| bytes),
        }
    }

    /// Reads a file, and registers it. An unreadable file is recorded as skipped.
    pub fn bytes(&self, entry: &Entry, notes: &mut Notes) -> Option<(FileId, Vec<u8>)> {
        match self.whole(entry) {
            Ok(bytes) => Some((notes.file(&entry.path, &bytes), bytes)),
            Err(why) => {
                notes.skip(&*entry.path, why);
                None
            }
        }
    }

    /// Reads a file as text, and registers it. Supports UTF-8 with or without a byte order mark, and UTF-16 with one.
    /// An unreadable file is recorded as skipped.
    pub fn text(&self, entry: &Entry, notes: &mut Notes) -> Option<Text> {
        let (file, bytes) = self.bytes(entry, notes)?;
        match Text::decode(file, bytes) {
            Ok(text) => Some(text.until(&self.limits.cancel)),
            Err(why) => {
                notes.skip(&*entry.path, why);
                None
            }
        }
    }

    /// Parses a file according to the extension of its path.
    pub(crate) fn tree(&self, text: &Text, path: &str) -> Result<Tree, String> {
        Tree::parse(text, path, &self.limits, &self.aliases)
    }

    fn whole(&self, entry: &Entry) -> Result<Vec<u8>, String> {
        let too_large = || {
            let (mib, most) = (entry.bytes >> 20, self.limits.file_bytes >> 20);
            format!("the file has {mib} MiB or more, and at most {most} MiB are read: split it, or raise the limit")
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
            return Err(format!("more than {most} MiB in all are not read: import parts of it, or raise the limit"));
        }
        let (bytes, more) = self.bytes_of(entry, self.limits.file_bytes)?;
        self.read.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        if more { Err(too_large()) } else { Ok(bytes) }
    }

    /// Reads at most this number of bytes. Returns them, and whether the file has more.
    fn bytes_of(&self, entry: &Entry, most: u64) -> Result<(Vec<u8>, bool), String> {
        let failed = |error: &dyn std::fmt::Display| format!("cannot be read: {error}");
        let mut bytes = Vec::new();
        match &self.source {
            Source::Disk(root) => {
                let file = regular::open_file(&root.join(&entry.path)).map_err(|error| failed(&error))?;
                file.take(most + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
            }
            Source::Zip(archive) => {
                let mut archive = archive.lock().map_err(|_| "the archive cannot be read".to_owned())?;
                let file = archive.by_index(entry.number).map_err(|error| failed(&error))?;
                file.take(most + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
            }
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
            let why = format!("folders lie more than {} deep: move them up", self.limits.depth);
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
                        let why = format!("the folder holds more than {} files: raise the limit", self.limits.files);
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

    /// Returns the reason for skipping a link. Links are never followed: within the folder they point to files that are
    /// read anyway, or form a cycle.
    fn where_leads(&self, link: &Path) -> &'static str {
        match (link.canonicalize(), &self.source) {
            (Ok(real), Source::Disk(root)) if real.starts_with(root) => "a link to what is read anyway",
            (Ok(_), _) => LEADS_OUT,
            (Err(_), _) => "a link that leads nowhere",
        }
    }

    fn list_archive(&mut self) {
        let Source::Zip(archive) = &self.source else { return };
        let (mut entries, mut skipped) = (Vec::new(), Vec::new());
        let Ok(mut archive) = archive.lock() else { return };
        for number in 0..archive.len() {
            let mut skip = |path: &str, why: String| skipped.push(Skipped { path: path.to_owned(), why });
            let file = match archive.by_index_raw(number) {
                Ok(file) => file,
                Err(error) => {
                    skip(&format!("entry {number}"), format!("cannot be read: {error}"));
                    continue;
                }
            };
            let name = String::from_utf8_lossy(file.name_raw()).replace('\\', "/");
            if file.is_dir() || name.ends_with('/') {
                continue;
            }
            if let Some(why) = bad_name(&name, self.limits.depth) {
                skip(&name, why);
            } else if name.split('/').any(|part| part.starts_with('.') || part == "__MACOSX") {
            } else if file.is_symlink() {
                skip(&name, "a link within an archive".to_owned());
            } else if file.encrypted() {
                skip(&name, "it is encrypted: export it without a password".to_owned());
            } else if file.size() > 1 << 20 && file.size() / file.compressed_size().max(1) > self.limits.ratio {
                let ratio = self.limits.ratio;
                skip(&name, format!("it is packed more than {ratio} times, as no campaign is"));
            } else if entries.len() >= self.limits.files {
                skip(&name, format!("the archive holds more than {} files: raise the limit", self.limits.files));
                break;
            } else {
                entries.push(Entry { path: name, bytes: file.size(), number });
            }
        }
        drop(archive);
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        entries.dedup_by(|later, first| {
            let twice = later.path == first.path;
            if twice {
                skipped.push(Skipped { path: later.path.clone(), why: "the name stands twice in the archive".into() });
            }
            twice
        });
        self.entries = entries;
        self.skipped = skipped;
    }
}

fn is_zip(path: &Path) -> bool {
    let mut magic = [0; 4];
    OsFile::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok_and(|()| &magic == b"PK\x03\x04")
        || path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zip"))
}

/// Returns the reason for refusing a name within an archive.
fn bad_name(name: &str, depth: usize) -> Option<String> {
    let drive = name.as_bytes().get(1) == Some(&b':');
    if name.starts_with('/') || drive {
        return Some("its name begins at the root of a disk".to_owned());
    }
    if name.split('/').any(|part| part == ".." || part.contains('\0')) {
        return Some("its name leads out of the archive".to_owned());
    }
    (name.split('/').count() > depth).then(|| format!("folders lie more than {depth} deep"))
}

#[cfg(test)]
mod tests;

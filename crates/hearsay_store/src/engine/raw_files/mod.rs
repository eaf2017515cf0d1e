//! Reads the files of SurrealKV 0.21 without the engine.
//!
//! The engine cannot open a directory with a damaged file, and in some cases it destroys the remaining data. If the
//! manifest is missing, the engine deletes all tables. If a log segment is damaged, the engine truncates the segment at
//! the first damage. [`preflight`] therefore checks a directory before the engine opens it, and [`read`] reads all data
//! that is still readable.

mod bytes;
mod entry;
mod log;
mod manifest;
mod table;

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

pub(crate) use entry::Entry;
use manifest::Manifest;

const MISSING: &str = "it is missing";

/// Damage to a file of a campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDamage {
    /// Path of the file.
    pub file: PathBuf,
    /// Description of the damage, such as `it is missing`. "It" is the file.
    pub description: String,
}

/// Result of reading the files of a database.
#[derive(Debug, Default)]
pub(crate) struct FileScan {
    /// Number of files that were read, including damaged files.
    pub(crate) files: usize,
    pub(crate) bytes: u64,
    pub(crate) damage: Vec<FileDamage>,
    /// Whether the manifest is readable. Without the manifest, outdated tables are read too, so the entries may include
    /// deleted data.
    pub(crate) has_manifest: bool,
}

/// Files of a database, by number.
struct DatabaseFiles {
    directory: PathBuf,
    tables: BTreeMap<u64, PathBuf>,
    segments: BTreeMap<u64, PathBuf>,
}

impl DatabaseFiles {
    fn list(directory: &Path) -> io::Result<Self> {
        Ok(Self {
            directory: directory.into(),
            tables: numbered_files(&directory.join("sstables"), "sst")?,
            segments: numbered_files(&directory.join("wal"), "wal")?,
        })
    }

    fn path(&self, folder: &str, number: u64, extension: &str) -> PathBuf {
        file_path(&self.directory, folder, number, extension)
    }

    /// Reads the manifest, or returns `None` if there is none.
    ///
    /// # Errors
    /// Returns a description of the damage.
    fn manifest(&self) -> Result<Option<Manifest>, String> {
        match fs::read(manifest_path(&self.directory)) {
            Ok(content) => manifest::read(&content).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    fn is_new(&self) -> bool {
        self.tables.is_empty() && self.segments.values().all(|path| size(path) == 0)
    }

    /// Returns the manifest, and the damage that is visible without reading tables or segments: a missing or invalid
    /// manifest, missing tables and missing segments.
    fn checked_manifest(&self) -> (Option<Manifest>, Vec<FileDamage>) {
        let damaged = |file: PathBuf, description: &str| FileDamage { file, description: description.to_owned() };
        let path = || manifest_path(&self.directory);
        let manifest = match self.manifest() {
            Ok(Some(manifest)) => manifest,
            Ok(None) if self.is_new() => return (Some(Manifest { first_segment: 0, tables: Vec::new() }), Vec::new()),
            Ok(None) => return (None, vec![damaged(path(), MISSING)]),
            Err(reason) => return (None, vec![damaged(path(), &reason)]),
        };
        let tables = manifest.tables.iter().filter(|table| !self.tables.contains_key(table));
        let mut damage: Vec<_> = tables.map(|table| damaged(self.path("sstables", *table, "sst"), MISSING)).collect();
        // Segment numbers are consecutive, so a gap is damage. The engine would ignore it.
        let live_segments = self.segments.range(manifest.first_segment..);
        if let Some((last, _)) = live_segments.last() {
            let missing = (manifest.first_segment..*last).filter(|number| !self.segments.contains_key(number));
            damage.extend(missing.map(|number| damaged(self.path("wal", number, "wal"), MISSING)));
        }
        (Some(manifest), damage)
    }
}

/// Returns the path of the manifest of a database.
pub(crate) fn manifest_path(directory: &Path) -> PathBuf {
    file_path(directory, "manifest", 0, "manifest")
}

fn file_path(directory: &Path, folder: &str, number: u64, extension: &str) -> PathBuf {
    directory.join(folder).join(format!("{number:020}.{extension}"))
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// Returns the files with this extension whose names are numbers. Returns no files if the directory does not exist.
fn numbered_files(directory: &Path, extension: &str) -> io::Result<BTreeMap<u64, PathBuf>> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(error),
    };
    let mut files = BTreeMap::new();
    for entry in entries {
        let path = entry?.path();
        let number = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse().ok());
        if let Some(number) = number.filter(|_| path.extension().is_some_and(|found| found == extension)) {
            files.insert(number, path);
        }
    }
    Ok(files)
}

/// Checks for damage that the engine would ignore or make worse: a missing or invalid manifest, missing tables, missing
/// segments, and damage within the log. An incomplete record at the end of the log is not damage, because a program
/// that is killed during a write leaves such a record. Tables are not read.
///
/// # Errors
/// Returns an error if a directory or file cannot be read.
pub(crate) fn preflight(directory: &Path) -> io::Result<Vec<FileDamage>> {
    let files = DatabaseFiles::list(directory)?;
    let (manifest, mut damage) = files.checked_manifest();
    if let Some(manifest) = manifest {
        read_log(&files, manifest.first_segment, &mut FileScan::default(), &mut |_| {}, &mut damage)?;
    }
    Ok(damage)
}

/// Reads all files of a database and passes all intact entries to `visit`, in no particular order.
///
/// # Errors
/// Returns an error if a directory or file cannot be read.
pub(crate) fn read(directory: &Path, mut visit: impl FnMut(Entry<'_>)) -> io::Result<FileScan> {
    let files = DatabaseFiles::list(directory)?;
    let (manifest, damage) = files.checked_manifest();
    let mut scan = FileScan { has_manifest: manifest.is_some(), files: 1, damage, ..FileScan::default() };
    let (first_segment, tables) = match manifest {
        Some(manifest) => (manifest.first_segment, manifest.tables),
        None => (0, files.tables.keys().copied().collect()),
    };
    for path in tables.iter().filter_map(|number| files.tables.get(number)) {
        let content = fs::read(path)?;
        let damage = table::read(&content, &mut visit);
        scan.files += 1;
        scan.bytes += content.len() as u64;
        scan.damage.extend(damage.into_iter().map(|description| FileDamage { file: path.clone(), description }));
    }
    let mut damage = Vec::new();
    read_log(&files, first_segment, &mut scan, &mut visit, &mut damage)?;
    scan.damage.extend(damage);
    Ok(scan)
}

/// Reads the log segments with the number `first` or higher. Passes the entries of these segments to `visit`.
fn read_log(
    files: &DatabaseFiles,
    first: u64,
    scan: &mut FileScan,
    visit: &mut dyn FnMut(Entry<'_>),
    damage: &mut Vec<FileDamage>,
) -> io::Result<()> {
    // A killed program can leave an incomplete record only at the end of the last segment. In an earlier segment, an
    // incomplete record is damage.
    let mut incomplete = None::<(&PathBuf, usize)>;
    for (_, path) in files.segments.range(first..) {
        let content = fs::read(path)?;
        scan.files += 1;
        scan.bytes += content.len() as u64;
        if let Some((path, at)) = incomplete.take_if(|_| !content.is_empty()) {
            damage.push(FileDamage { file: path.clone(), description: format!("it is damaged from byte {at} on") });
        }
        let segment_damage = log::read(&content, visit);
        if let Some(at) = segment_damage.inside {
            damage.push(FileDamage { file: path.clone(), description: format!("it is damaged at byte {at}") });
        }
        incomplete = segment_damage.at_end.map(|at| (path, at)).or(incomplete);
    }
    Ok(())
}

#[cfg(all(test, feature = "testing"))]
mod tests;

//! The YAML files of a campaign: discovery and hashing.

use std::{
    collections::{BTreeMap, HashSet},
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    CampaignErrors, Limits, Skipped,
    cancel::CANCELLED,
    error::{Diagnostics, SourcePosition},
    regular_file,
};

/// Returns a hash of all files of a campaign, as 64 hexadecimal digits. If this hash equals the digest in the state's
/// [`imported`](hearsay_model::State::imported), an import changes nothing.
///
/// # Errors
/// Returns an error if the folder or one of its files cannot be read, or if a limit is exceeded.
pub fn digest_files(path: &Path, limits: &Limits) -> Result<String, CampaignErrors> {
    let mut diagnostics = Diagnostics::new(limits.errors);
    let loaded = load_files(path, limits, &mut diagnostics);
    diagnostics.finish()?;
    Ok(hash_files(&loaded.files))
}

/// The path and the content of a file.
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
}

pub(crate) fn hash_files(files: &[File]) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"hearsay campaign 1");
    for file in files {
        for part in [file.path.as_bytes(), &file.bytes] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
    }
    hasher.finalize().to_hex().to_string()
}

/// The files of a campaign, and the files that were skipped.
pub(crate) struct LoadedFiles {
    pub(crate) files: Vec<File>,
    pub(crate) skipped: Vec<Skipped>,
}

/// Reads the file at `path`, or every YAML file below the folder at `path`, sorted by path. Adds the paths to
/// `diagnostics`.
pub(crate) fn load_files(path: &Path, limits: &Limits, diagnostics: &mut Diagnostics) -> LoadedFiles {
    let display_name =
        path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    let (mut paths, mut skipped) = (BTreeMap::new(), Vec::new());
    match path.canonicalize().and_then(|real_path| Ok((fs::metadata(&real_path)?, real_path))) {
        Err(error) => add_read_error(diagnostics, &display_name, &error),
        Ok((meta, real_path)) if meta.is_dir() => {
            (paths, skipped) = Traversal::collect(real_path, limits, diagnostics);
            if paths.is_empty() && diagnostics.has_no_errors() {
                let hint = "put the campaign's .yaml files there; hidden files are ignored";
                let hint = match skipped.first() {
                    Some(Skipped { path, reason }) => format!("skipped `{path}`: {reason}"),
                    None => hint.to_owned(),
                };
                add_file_error(diagnostics, &display_name, "the folder has no YAML file", &hint);
            }
        }
        Ok((_, real_path)) => _ = paths.insert(display_name.clone(), real_path),
    }
    let (mut files, mut total_bytes) = (Vec::new(), 0);
    for (name, path) in paths {
        if limits.cancel.is_cancelled() {
            add_file_error(diagnostics, &display_name, CANCELLED, "");
            break;
        }
        match read_bounded(&path, limits) {
            Ok(bytes) => {
                total_bytes += bytes.len() as u64;
                if total_bytes > limits.total_bytes {
                    let limit_mib = limits.total_bytes >> 20;
                    let message = format!("the files up to this one have more than {limit_mib} MiB in total");
                    add_file_error(diagnostics, &name, &message, "remove files that the campaign does not need");
                    break;
                }
                diagnostics.files.push(name.clone());
                files.push(File { path: name, bytes });
            }
            Err(ReadError::TooLarge(bytes)) => {
                let (size_mib, limit_mib) = (bytes >> 20, limits.file_bytes >> 20);
                let message = format!("the file has {size_mib} MiB; the limit is {limit_mib} MiB");
                add_file_error(diagnostics, &name, &message, "split the file into several smaller files");
            }
            Err(ReadError::Io(error)) => add_read_error(diagnostics, &name, &error),
        }
    }
    LoadedFiles { files, skipped }
}

enum ReadError {
    TooLarge(u64),
    Io(io::Error),
}

fn read_bounded(path: &Path, limits: &Limits) -> Result<Vec<u8>, ReadError> {
    // A file that is too large is refused without reading it.
    let size = fs::metadata(path).map_err(ReadError::Io)?.len();
    if size > limits.file_bytes {
        return Err(ReadError::TooLarge(size));
    }
    regular_file::read_file(path, limits.file_bytes).map_err(|error| match error.kind() {
        io::ErrorKind::FileTooLarge => ReadError::TooLarge(limits.file_bytes),
        _ => ReadError::Io(error),
    })
}

/// Finds the YAML files of a folder. Visits every folder once, and never leaves the campaign's folder.
struct Traversal<'a> {
    limits: &'a Limits,
    diagnostics: &'a mut Diagnostics,
    /// The campaign's folder, with links resolved.
    root: PathBuf,
    /// The real path of each file, by its path below the folder.
    files: BTreeMap<String, PathBuf>,
    /// The folders and files that were found so far, with links resolved.
    visited: HashSet<PathBuf>,
    /// The links that are not resolved yet: their path below the folder, and their full path.
    links: Vec<(String, PathBuf)>,
    skipped: Vec<Skipped>,
}

impl<'a> Traversal<'a> {
    fn collect(
        root: PathBuf,
        limits: &'a Limits,
        diagnostics: &'a mut Diagnostics,
    ) -> (BTreeMap<String, PathBuf>, Vec<Skipped>) {
        let mut traversal = Self {
            limits,
            diagnostics,
            root: root.clone(),
            files: BTreeMap::new(),
            visited: HashSet::new(),
            links: Vec::new(),
            skipped: Vec::new(),
        };
        traversal.visit_folder(root, "", 0);
        // Links are resolved last, because most of them point to files that are read anyway.
        while let Some((relative_path, link)) = traversal.links.pop() {
            traversal.visit_link(&relative_path, &link);
        }
        traversal.skipped.sort();
        (traversal.files, traversal.skipped)
    }

    fn visit_folder(&mut self, folder: PathBuf, relative_path: &str, depth: usize) {
        let display_path = if relative_path.is_empty() { "." } else { relative_path };
        if depth >= self.limits.depth {
            let message = format!("folders are nested more than {} levels deep", self.limits.depth);
            return add_file_error(self.diagnostics, display_path, &message, "move them up");
        }
        if !self.visited.insert(folder.clone()) {
            return;
        }
        let mut entries = match fs::read_dir(&folder).and_then(Iterator::collect::<io::Result<Vec<_>>>) {
            Ok(entries) => entries,
            Err(error) => return add_read_error(self.diagnostics, display_path, &error),
        };
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            self.visit_entry(&entry, relative_path, depth);
        }
    }

    fn visit_entry(&mut self, entry: &fs::DirEntry, relative_path: &str, depth: usize) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            return;
        }
        let relative_path = if relative_path.is_empty() { name } else { format!("{relative_path}/{name}") };
        match entry.file_type() {
            Ok(kind) if kind.is_symlink() => self.links.push((relative_path, entry.path())),
            Ok(kind) if kind.is_dir() => self.visit_folder(entry.path(), &relative_path, depth + 1),
            Ok(kind) if is_yaml(&relative_path) => self.add_file(relative_path, entry.path(), kind),
            Ok(_) => {}
            Err(error) => add_read_error(self.diagnostics, &relative_path, &error),
        }
    }

    fn add_file(&mut self, relative_path: String, real_path: PathBuf, kind: fs::FileType) {
        if let Some(kind) = regular_file::special_file_kind(kind) {
            self.skipped.push(Skipped { path: relative_path, reason: regular_file::not_regular_message(kind) });
        } else if self.files.len() >= self.limits.files {
            let message = format!("the folder has more than {} files", self.limits.files);
            add_file_error(self.diagnostics, ".", &message, "merge some of the files into larger files");
        } else if self.visited.insert(real_path.clone()) {
            self.files.insert(relative_path, real_path);
        }
    }

    fn visit_link(&mut self, relative_path: &str, link: &Path) {
        let (real_path, kind) =
            match link.canonicalize().and_then(|real_path| Ok((fs::metadata(&real_path)?.file_type(), real_path))) {
                Ok((kind, real_path)) => (real_path, kind),
                Err(error) => return add_read_error(self.diagnostics, relative_path, &error),
            };
        if !kind.is_dir() && !is_yaml(relative_path) {
            return;
        }
        if !real_path.starts_with(&self.root) {
            return self.skipped.push(Skipped {
                path: relative_path.to_owned(),
                reason: regular_file::OUTSIDE_LINK_REASON.to_owned(),
            });
        }
        match kind.is_dir() {
            _ if self.visited.contains(&real_path) => {}
            true => self.visit_folder(real_path, relative_path, relative_path.split('/').count()),
            false => self.add_file(relative_path.to_owned(), real_path, kind),
        }
    }
}

fn is_yaml(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    ["yaml", "yml"].iter().any(|yaml| extension.eq_ignore_ascii_case(yaml))
}

fn add_read_error(diagnostics: &mut Diagnostics, path: &str, error: &io::Error) {
    add_file_error(
        diagnostics,
        path,
        &format!("cannot be read: {error}"),
        "check that it exists and that you have permission to read it",
    );
}

/// Adds an error about a whole file. The file must not be in `diagnostics.files` yet.
fn add_file_error(diagnostics: &mut Diagnostics, path: &str, message: &str, hint: &str) {
    let file = diagnostics.files.len() as u32;
    diagnostics.files.push(path.to_owned());
    diagnostics.add(SourcePosition { file, line: 0 }, "", message, hint);
}

//! The YAML files of a campaign: discovery and hashing.

use std::{
    collections::{BTreeMap, HashSet},
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    CampaignErrors, Limits, Skipped,
    cancel::CANCELLED,
    error::{Faults, Place},
    regular,
};

/// Returns a hash of all files of a campaign, as 64 hexadecimal digits. If this hash equals the digest in the state's
/// [`imported`](hearsay_model::State::imported), an import changes nothing.
///
/// # Errors
/// Returns an error if the folder or one of its files cannot be read, or if a limit is exceeded.
pub fn digest(path: &Path, limits: &Limits) -> Result<String, CampaignErrors> {
    let mut faults = Faults::new(limits.errors);
    let loaded = load(path, limits, &mut faults);
    faults.finish()?;
    Ok(digest_of(&loaded.files))
}

/// The path and the content of a file.
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
}

pub(crate) fn digest_of(files: &[File]) -> String {
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
pub(crate) struct Loaded {
    pub(crate) files: Vec<File>,
    pub(crate) skipped: Vec<Skipped>,
}

/// Reads the file at `path`, or every YAML file below the folder at `path`, sorted by path. Adds the paths to `faults`.
pub(crate) fn load(path: &Path, limits: &Limits, faults: &mut Faults) -> Loaded {
    let shown = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    let (mut found, mut skipped) = (BTreeMap::new(), Vec::new());
    match path.canonicalize().and_then(|real| Ok((fs::metadata(&real)?, real))) {
        Err(error) => unreadable(faults, &shown, &error),
        Ok((meta, real)) if meta.is_dir() => {
            (found, skipped) = Traversal::of(real, limits, faults);
            if found.is_empty() && faults.found_none() {
                let hint = "put the campaign's .yaml files there; hidden files are ignored";
                let hint = match skipped.first() {
                    Some(Skipped { path, why }) => format!("skipped `{path}`: {why}"),
                    None => hint.to_owned(),
                };
                whole(faults, &shown, "the folder has no YAML file", &hint);
            }
        }
        Ok((_, real)) => _ = found.insert(shown.clone(), real),
    }
    let (mut files, mut total_bytes) = (Vec::new(), 0);
    for (name, path) in found {
        if limits.cancel.is_cancelled() {
            whole(faults, &shown, CANCELLED, "");
            break;
        }
        match read_bounded(&path, limits) {
            Ok(bytes) => {
                total_bytes += bytes.len() as u64;
                if total_bytes > limits.total_bytes {
                    let most = limits.total_bytes >> 20;
                    let message = format!("the files up to this one have more than {most} MiB in total");
                    whole(faults, &name, &message, "import parts of the campaign, or raise the limit");
                    break;
                }
                faults.files.push(name.clone());
                files.push(File { path: name, bytes });
            }
            Err(Refused::Large(bytes)) => {
                let (mib, most) = (bytes >> 20, limits.file_bytes >> 20);
                let message = format!("the file has {mib} MiB; the limit is {most} MiB");
                whole(faults, &name, &message, "split it into several files, or raise the limit");
            }
            Err(Refused::Io(error)) => unreadable(faults, &name, &error),
        }
    }
    Loaded { files, skipped }
}

enum Refused {
    Large(u64),
    Io(io::Error),
}

fn read_bounded(path: &Path, limits: &Limits) -> Result<Vec<u8>, Refused> {
    // A file that is too large is refused without reading it.
    let size = fs::metadata(path).map_err(Refused::Io)?.len();
    if size > limits.file_bytes {
        return Err(Refused::Large(size));
    }
    regular::read_file(path, limits.file_bytes).map_err(|error| match error.kind() {
        io::ErrorKind::FileTooLarge => Refused::Large(limits.file_bytes),
        _ => Refused::Io(error),
    })
}

/// Finds the YAML files of a folder. Visits every folder once, and never leaves the campaign's folder.
struct Traversal<'a> {
    limits: &'a Limits,
    faults: &'a mut Faults,
    /// The campaign's folder, with links resolved.
    root: PathBuf,
    /// The real path of each file, by its path below the folder.
    found: BTreeMap<String, PathBuf>,
    /// The folders and files that were found so far, with links resolved.
    seen: HashSet<PathBuf>,
    /// The links that are not resolved yet: their path below the folder, and their full path.
    links: Vec<(String, PathBuf)>,
    skipped: Vec<Skipped>,
}

impl<'a> Traversal<'a> {
    fn of(root: PathBuf, limits: &'a Limits, faults: &'a mut Faults) -> (BTreeMap<String, PathBuf>, Vec<Skipped>) {
        let mut walk = Self {
            limits,
            faults,
            root: root.clone(),
            found: BTreeMap::new(),
            seen: HashSet::new(),
            links: Vec::new(),
            skipped: Vec::new(),
        };
        walk.folder(root, "", 0);
        // Links are resolved last, because most of them point to files that are read anyway.
        while let Some((below, link)) = walk.links.pop() {
            walk.link(&below, &link);
        }
        walk.skipped.sort();
        (walk.found, walk.skipped)
    }

    fn folder(&mut self, folder: PathBuf, below: &str, depth: usize) {
        let shown = if below.is_empty() { "." } else { below };
        if depth >= self.limits.depth {
            let message = format!("folders are nested more than {} levels deep", self.limits.depth);
            return whole(self.faults, shown, &message, "move them up");
        }
        if !self.seen.insert(folder.clone()) {
            return;
        }
        let mut entries = match fs::read_dir(&folder).and_then(Iterator::collect::<io::Result<Vec<_>>>) {
            Ok(entries) => entries,
            Err(error) => return unreadable(self.faults, shown, &error),
        };
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            self.entry(&entry, below, depth);
        }
    }

    fn entry(&mut self, entry: &fs::DirEntry, below: &str, depth: usize) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            return;
        }
        let below = if below.is_empty() { name } else { format!("{below}/{name}") };
        match entry.file_type() {
            Ok(kind) if kind.is_symlink() => self.links.push((below, entry.path())),
            Ok(kind) if kind.is_dir() => self.folder(entry.path(), &below, depth + 1),
            Ok(kind) if is_yaml(&below) => self.file(below, entry.path(), kind),
            Ok(_) => {}
            Err(error) => unreadable(self.faults, &below, &error),
        }
    }

    fn file(&mut self, below: String, real: PathBuf, kind: fs::FileType) {
        if let Some(kind) = regular::special(kind) {
            self.skipped.push(Skipped { path: below, why: regular::not_regular(kind) });
        } else if self.found.len() >= self.limits.files {
            let message = format!("the folder has more than {} files", self.limits.files);
            whole(self.faults, ".", &message, "merge some of them, or raise the limit");
        } else if self.seen.insert(real.clone()) {
            self.found.insert(below, real);
        }
    }

    fn link(&mut self, below: &str, link: &Path) {
        let (real, kind) = match link.canonicalize().and_then(|real| Ok((fs::metadata(&real)?.file_type(), real))) {
            Ok((kind, real)) => (real, kind),
            Err(error) => return unreadable(self.faults, below, &error),
        };
        if !kind.is_dir() && !is_yaml(below) {
            return;
        }
        if !real.starts_with(&self.root) {
            return self.skipped.push(Skipped { path: below.to_owned(), why: regular::LEADS_OUT.to_owned() });
        }
        match kind.is_dir() {
            _ if self.seen.contains(&real) => {}
            true => self.folder(real, below, below.split('/').count()),
            false => self.file(below.to_owned(), real, kind),
        }
    }
}

fn is_yaml(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    ["yaml", "yml"].iter().any(|yaml| extension.eq_ignore_ascii_case(yaml))
}

fn unreadable(faults: &mut Faults, path: &str, error: &io::Error) {
    whole(faults, path, &format!("cannot be read: {error}"), "check that it exists and that you may read it");
}

/// Adds an error about a whole file. The file must not be in `faults.files` yet.
fn whole(faults: &mut Faults, path: &str, message: &str, hint: &str) {
    let file = faults.files.len() as u32;
    faults.files.push(path.to_owned());
    faults.add(Place { file, line: 0 }, "", message, hint);
}

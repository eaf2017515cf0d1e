//! The files of a campaign: discovery, limits and hashing.

use std::{
    collections::{BTreeMap, HashSet},
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    CampaignErrors, Cancel,
    error::{Faults, Place},
    notes::Skipped,
    regular,
};

/// Limits on the input. Input that exceeds a limit is refused with an error that names the limit.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Maximum bytes of one file; 16 MiB. A larger file is refused without reading it.
    pub file_bytes: u64,
    /// Maximum number of files in the folder; 200,000.
    pub files: usize,
    /// Maximum nesting of folders and of YAML collections; 64.
    pub depth: usize,
    /// Maximum number of YAML nodes that aliases may copy in one file; 100,000.
    pub alias_nodes: usize,
    /// Maximum bytes that aliases may copy, in one file and in a whole campaign; 16 MiB.
    pub alias_bytes: u64,
    /// Maximum number of errors that are listed; 50. Further errors are counted.
    pub errors: usize,
    /// Maximum bytes of all files together; 2 GiB. Further files are skipped.
    pub total_bytes: u64,
    /// Maximum compression ratio of a file in an archive; 200. Text rarely exceeds a ratio of ten.
    pub ratio: u64,
    /// Cancels reading.
    pub cancel: Cancel,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 16 << 20,
            files: 200_000,
            depth: 64,
            alias_nodes: 100_000,
            alias_bytes: 16 << 20,
            errors: 50,
            total_bytes: 2 << 30,
            ratio: 200,
            cancel: Cancel::default(),
        }
    }
}

impl Limits {
    /// Returns the limits for a part of a file, such as front matter. Its aliases may copy little more than its own
    /// size.
    pub(crate) fn of_part(bytes: usize) -> Self {
        Self { alias_bytes: (4 << 10) + 8 * bytes as u64, ..Self::default() }
    }
}

/// Returns a hash of all files of a campaign, as 64 hexadecimal digits. If it equals the digest in the state's
/// [`imported`](hearsay_model::State::imported), an import changes nothing.
///
/// # Errors
/// If the folder or one of its files cannot be read, or a limit is exceeded.
pub fn digest(path: &Path, limits: &Limits) -> Result<String, CampaignErrors> {
    let mut faults = Faults::new(limits.errors);
    let loaded = load(path, limits, &mut faults);
    faults.finish()?;
    Ok(digest_of(&loaded.files))
}

/// A file that was read.
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

/// The files of a campaign, and the files beside them that were skipped.
pub(crate) struct Loaded {
    pub(crate) files: Vec<File>,
    pub(crate) skipped: Vec<Skipped>,
}

/// Reads the one file, or every YAML file below the folder, in the order of their paths. Adds the paths to `faults`.
pub(crate) fn load(path: &Path, limits: &Limits, faults: &mut Faults) -> Loaded {
    let shown = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    let (mut found, mut skipped) = (BTreeMap::new(), Vec::new());
    match path.canonicalize().and_then(|real| Ok((fs::metadata(&real)?, real))) {
        Err(error) => unreadable(faults, &shown, &error),
        Ok((meta, real)) if meta.is_dir() => {
            (found, skipped) = Traversal::of(real, limits, faults);
            if found.is_empty() && faults.found_none() {
                let hint = "put the campaign's .yaml files there; hidden files are left out";
                let hint = match skipped.first() {
                    Some(Skipped { path, why }) => format!("`{path}` is not read: {why}"),
                    None => hint.to_owned(),
                };
                whole(faults, &shown, "the folder holds no YAML file", &hint);
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
                    let message = format!("the files up to here have more than {most} MiB together");
                    whole(faults, &name, &message, "import parts of the campaign, or raise the limit");
                    break;
                }
                faults.files.push(name.clone());
                files.push(File { path: name, bytes });
            }
            Err(Refused::Large(bytes)) => {
                let (mib, most) = (bytes >> 20, limits.file_bytes >> 20);
                let message = format!("the file has {mib} MiB; at most {most} MiB are read");
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

/// The reason of a skipped file after cancellation.
pub(crate) const CANCELLED: &str = "reading was cancelled";

/// The reason why a symbolic link is not followed.
pub(crate) const LEADS_OUT: &str =
    "a symbolic link that leads out of the folder: copy the file that it leads to into the folder";

/// Finds the YAML files of a folder. Visits every folder once, and none outside the campaign's folder.
struct Traversal<'a> {
    limits: &'a Limits,
    faults: &'a mut Faults,
    /// The campaign's folder, with links resolved.
    root: PathBuf,
    /// The real path of each file, by its path below the folder.
    found: BTreeMap<String, PathBuf>,
    /// The folders and files that were found so far, with links resolved.
    seen: HashSet<PathBuf>,
    /// The links that were found so far.
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
        // Links come last: most of them point to files that are read anyway.
        while let Some((below, link)) = walk.links.pop() {
            walk.link(&below, &link);
        }
        walk.skipped.sort();
        (walk.found, walk.skipped)
    }

    fn folder(&mut self, folder: PathBuf, below: &str, depth: usize) {
        let shown = if below.is_empty() { "." } else { below };
        if depth >= self.limits.depth {
            let message = format!("folders lie more than {} deep", self.limits.depth);
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
            let message = format!("the folder holds more than {} files", self.limits.files);
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
            return self.skipped.push(Skipped { path: below.to_owned(), why: LEADS_OUT.to_owned() });
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

/// Adds an error about a whole file that has no number yet.
fn whole(faults: &mut Faults, path: &str, message: &str, hint: &str) {
    let file = faults.files.len() as u32;
    faults.files.push(path.to_owned());
    faults.add(Place { file, line: 0 }, "", message, hint);
}

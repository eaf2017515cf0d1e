//! The files of a campaign: found, bounded and hashed.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    CampaignErrors,
    error::{Faults, Place},
};

/// How much is read at most. What exceeds it is refused with an error that says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one file; 16 MiB. A larger one is refused without reading it.
    pub file_bytes: u64,
    /// Files in the folder; 200,000.
    pub files: usize,
    /// Folders and YAML collections within one another; 64.
    pub depth: usize,
    /// YAML nodes that aliases may copy in one file; 100,000.
    pub alias_nodes: usize,
    /// Errors that are shown; 50. The others are counted.
    pub errors: usize,
    /// Bytes of all files together; 2 GiB. Files beyond that are left out.
    pub total_bytes: u64,
    /// How many times smaller than itself a file in an archive may be packed; 200. Text is packed ten times at most.
    pub ratio: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 16 << 20,
            files: 200_000,
            depth: 64,
            alias_nodes: 100_000,
            errors: 50,
            total_bytes: 2 << 30,
            ratio: 200,
        }
    }
}

/// A hash of all files of a campaign: 64 hexadecimal digits. An import whose digest is that of the state's
/// [`imported`](hearsay_model::State::imported) has nothing new.
///
/// # Errors
/// When the folder or one of its files cannot be read, or a limit is exceeded.
pub fn digest(path: &Path, limits: &Limits) -> Result<String, CampaignErrors> {
    let mut faults = Faults::new(limits.errors);
    let files = load(path, limits, &mut faults);
    faults.finish()?;
    Ok(digest_of(&files))
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

/// Reads the one file, or every YAML file below the folder, in the order of their paths. The faults know the paths.
pub(crate) fn load(path: &Path, limits: &Limits, faults: &mut Faults) -> Vec<File> {
    let shown = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    let mut found = BTreeMap::new();
    match fs::metadata(path) {
        Err(error) => unreadable(faults, &shown, &error),
        Ok(meta) if meta.is_dir() => {
            let mut walk = Walk { limits, faults, found: &mut found, open: Vec::new() };
            walk.folder(path, "");
            if found.is_empty() && faults.found_none() {
                let hint = "put the campaign's .yaml files there; hidden files are left out";
                whole(faults, &shown, "the folder holds no YAML file", hint);
            }
        }
        Ok(_) => {
            found.insert(shown, path.to_owned());
        }
    }
    let mut files = Vec::new();
    for (name, path) in found {
        match read_bounded(&path, limits) {
            Ok(bytes) => {
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
    files
}

enum Refused {
    Large(u64),
    Io(io::Error),
}

fn read_bounded(path: &Path, limits: &Limits) -> Result<Vec<u8>, Refused> {
    use io::Read;
    let file = fs::File::open(path).map_err(Refused::Io)?;
    let size = file.metadata().map_err(Refused::Io)?.len();
    if size > limits.file_bytes {
        return Err(Refused::Large(size));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    // The file may grow, or be a device that has no size.
    file.take(limits.file_bytes + 1).read_to_end(&mut bytes).map_err(Refused::Io)?;
    let size = bytes.len() as u64;
    if size > limits.file_bytes { Err(Refused::Large(size)) } else { Ok(bytes) }
}

struct Walk<'a> {
    limits: &'a Limits,
    faults: &'a mut Faults,
    found: &'a mut BTreeMap<String, PathBuf>,
    /// The folders that are being walked, with links resolved.
    open: Vec<PathBuf>,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &Path, below: &str) {
        let shown = if below.is_empty() { "." } else { below };
        let real = match folder.canonicalize() {
            Ok(real) => real,
            Err(error) => return unreadable(self.faults, shown, &error),
        };
        if self.open.contains(&real) {
            return whole(self.faults, shown, "the folder is a link to a folder that holds it", "remove the link");
        }
        if self.open.len() >= self.limits.depth {
            let message = format!("folders lie more than {} deep", self.limits.depth);
            return whole(self.faults, shown, &message, "move them up");
        }
        self.open.push(real);
        match fs::read_dir(folder) {
            Err(error) => unreadable(self.faults, shown, &error),
            Ok(entries) => {
                for entry in entries {
                    match entry {
                        Ok(entry) => self.entry(&entry.path(), below),
                        Err(error) => unreadable(self.faults, shown, &error),
                    }
                }
            }
        }
        self.open.pop();
    }

    fn entry(&mut self, path: &Path, below: &str) {
        let Some(name) = path.file_name().map(|name| name.to_string_lossy().into_owned()) else { return };
        if name.starts_with('.') {
            return;
        }
        let below = if below.is_empty() { name } else { format!("{below}/{name}") };
        let is_yaml = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("yaml") || e.eq_ignore_ascii_case("yml"));
        match fs::metadata(path) {
            Ok(meta) if meta.is_dir() => self.folder(path, &below),
            Ok(_) if is_yaml && self.found.len() >= self.limits.files => {
                let message = format!("the folder holds more than {} files", self.limits.files);
                whole(self.faults, ".", &message, "merge some of them, or raise the limit");
            }
            Ok(_) if is_yaml => {
                self.found.insert(below, path.to_owned());
            }
            Ok(_) => {}
            Err(error) if is_yaml || path.is_symlink() => unreadable(self.faults, &below, &error),
            Err(_) => {}
        }
    }
}

fn unreadable(faults: &mut Faults, path: &str, error: &io::Error) {
    whole(faults, path, &format!("cannot be read: {error}"), "check that it exists and that you may read it");
}

/// An error that means a whole file, which has no number yet.
fn whole(faults: &mut Faults, path: &str, message: &str, hint: &str) {
    let file = faults.files.len() as u32;
    faults.files.push(path.to_owned());
    faults.add(Place { file, line: 0 }, "", message, hint);
}

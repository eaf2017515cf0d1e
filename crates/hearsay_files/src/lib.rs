//! Replaces files atomically, and creates files that only their owner can read. Also makes the secret tokens that such
//! files contain.
//!
//! To replace a file, this crate writes the new contents to a temporary file in the same directory, and then renames
//! the temporary file. The temporary file has the name of the original file, followed by `.part`. If the program is
//! killed at any time, the file has either its old or its new contents. A killed program may leave a temporary file.
//! The next replacement of the same file removes the temporary file, or continues it.
//!
//! ```
//! use hearsay_files::{Access, Durability, replace};
//!
//! # let directory = tempfile::tempdir()?;
//! let path = directory.path().join("notes.jsonl");
//! replace(&path, b"{}\n", Access::Private, Durability::Synced)?;
//! assert_eq!(std::fs::read(&path)?, b"{}\n");
//! # Ok::<(), std::io::Error>(())
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used))]

use std::{
    ffi::OsString,
    fs::{self, DirBuilder, File, OpenOptions},
    hash::{BuildHasher, RandomState},
    io::{self, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

/// Users that can read a new file. On systems other than Unix, both variants have the same effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Only the owner can read the file (mode 0600), from the moment when the file is created.
    Private,
    /// All users that the umask of the process allows can read the file.
    Default,
}

/// Whether a replacement survives a power loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// The disk contains the new file when the function returns.
    Synced,
    /// The operating system writes the new file to the disk later. After a power loss, the file may have its old
    /// contents, be empty or be incomplete. Use this variant for data that can be computed again, or when you write
    /// many files at a time.
    Deferred,
}

/// A temporary file that will replace another file.
///
/// If this value is dropped, the temporary file remains. A program can therefore detect an interrupted task.
#[derive(Debug)]
pub struct Replacement {
    path: PathBuf,
    temporary: PathBuf,
    file: File,
}

impl Replacement {
    /// Creates an empty temporary file that will replace the file at a path. Removes an existing temporary file first.
    /// If the existing temporary file is a link, the link itself is removed, and its target stays unchanged.
    ///
    /// # Errors
    /// Returns an error if the temporary file cannot be created.
    pub fn create(path: impl Into<PathBuf>, access: Access) -> io::Result<Self> {
        let path = path.into();
        let temporary = temporary_path(&path);
        remove(&temporary)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        if access == Access::Private {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        #[cfg(not(unix))]
        let _ = access;
        let file = options.open(&temporary)?;
        Ok(Self { path, temporary, file })
    }

    /// Opens the temporary file of an interrupted replacement, to write after its contents. Creates an empty temporary
    /// file if there is none. A link at the path of the temporary file is removed, and its target stays unchanged.
    ///
    /// # Errors
    /// Returns an error if the temporary file cannot be opened or created.
    pub fn resume(path: impl Into<PathBuf>, access: Access) -> io::Result<Self> {
        let path = path.into();
        let temporary = temporary_path(&path);
        if !fs::symlink_metadata(&temporary).is_ok_and(|metadata| metadata.is_file()) {
            return Self::create(path, access);
        }
        let mut file = OpenOptions::new().read(true).write(true).open(&temporary)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Self { path, temporary, file })
    }

    /// Returns the open temporary file, for writing the new contents.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Replaces the file with the temporary file, and returns the new file, which is still open.
    ///
    /// # Errors
    /// Returns an error if the temporary file cannot be synced or renamed. The old file is then unchanged. Also returns
    /// an error if the directory cannot be synced. In this case, the new file has already replaced the old file, but a
    /// power loss may restore the old file.
    pub fn commit(self, durability: Durability) -> io::Result<File> {
        if durability == Durability::Synced {
            self.file.sync_all()?;
        }
        fs::rename(&self.temporary, &self.path)?;
        if durability == Durability::Synced
            && let Some(directory) = self.path.parent()
        {
            sync_directory(directory)?;
        }
        Ok(self.file)
    }
}

/// Replaces the contents of a file, or creates the file if it does not exist.
///
/// # Errors
/// Returns the same errors as [`replace_with`].
pub fn replace(path: &Path, bytes: &[u8], access: Access, durability: Durability) -> io::Result<()> {
    replace_with(path, access, durability, |file| file.write_all(bytes)).map(drop)
}

/// Replaces the contents of a file, or creates the file. The function `write` writes the new contents. Returns the new
/// file, which is still open, and the result of `write`.
///
/// # Errors
/// Returns an error if the file cannot be written. The old file is then unchanged, except in the case that
/// [`Replacement::commit`] describes. The temporary file is removed, because it may fill the disk.
pub fn replace_with<T>(
    path: &Path,
    access: Access,
    durability: Durability,
    write: impl FnOnce(&mut File) -> io::Result<T>,
) -> io::Result<(File, T)> {
    let mut replacement = Replacement::create(path, access)?;
    let temporary = replacement.temporary.clone();
    let written = write(replacement.file()).and_then(|result| Ok((replacement.commit(durability)?, result)));
    if written.is_err() {
        let _ = fs::remove_file(temporary);
    }
    written
}

/// Returns the path of the temporary file that is used to replace the file at a path.
pub fn temporary_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(".part");
    path.with_file_name(name)
}

/// Syncs a directory: waits until the disk contains the names of its files. On systems other than Unix, and on file
/// systems that cannot sync a directory, this function does nothing.
///
/// # Errors
/// Returns an error if the directory cannot be opened or synced.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    // `Path::parent` of a plain file name is the empty path.
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    match File::open(directory)?.sync_all() {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        result => result,
    }
}

/// Removes a file. Does nothing if the file does not exist.
///
/// # Errors
/// Returns an error if the file exists and cannot be removed.
pub fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Creates a directory and its parent directories. On Unix, only the owner can access the new directories (mode 0700).
///
/// # Errors
/// Returns an error if a directory cannot be created.
pub fn create_private_directory(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path)
}

/// Returns a new token: 64 hexadecimal digits that nobody can guess.
pub fn new_token() -> String {
    // Each `RandomState` of a new thread takes its 128-bit key from the random number generator of the system. SipHash
    // with a secret key is a pseudorandom function, so its values do not reveal the key.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos());
    let part = |number: u8| {
        let hash = move || RandomState::new().hash_one((number, now));
        std::thread::spawn(hash).join().unwrap_or_else(|_| hash())
    };
    (0..4).map(|number| format!("{:016x}", part(number))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ() {
        let tokens: std::collections::BTreeSet<String> = (0..50).map(|_| new_token()).collect();
        assert_eq!(tokens.len(), 50);
        assert!(tokens.iter().all(|token| token.len() == 64 && token.bytes().all(|c| c.is_ascii_hexdigit())));
    }

    #[test]
    fn a_failed_replacement_leaves_the_old_file_and_no_other() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        for durability in [Durability::Synced, Durability::Deferred] {
            replace(&path, b"old", Access::Default, durability).unwrap();
            let failed = replace_with(&path, Access::Default, durability, |file| {
                file.write_all(b"ne")?;
                Err::<(), _>(io::Error::other("full"))
            });
            assert_eq!(failed.unwrap_err().to_string(), "full");
            assert_eq!(fs::read(&path).unwrap(), b"old");
            assert!(!temporary_path(&path).exists());
        }
        // A directory at the path of the temporary file makes the replacement fail.
        fs::create_dir(temporary_path(&path)).unwrap();
        assert!(replace(&path, b"new", Access::Default, Durability::Deferred).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    #[test]
    fn an_interrupted_replacement_leaves_its_temporary_file_to_the_next() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        let mut interrupted = Replacement::create(&path, Access::Default).unwrap();
        interrupted.file().write_all(b"first").unwrap();
        drop(interrupted);
        assert!(!path.exists() && temporary_path(&path).exists());
        replace(&path, b"second", Access::Default, Durability::Synced).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert!(!temporary_path(&path).exists());
    }

    #[test]
    fn an_interrupted_replacement_can_be_continued() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        let mut interrupted = Replacement::resume(&path, Access::Default).unwrap();
        interrupted.file().write_all(b"first ").unwrap();
        drop(interrupted);
        let mut continued = Replacement::resume(&path, Access::Default).unwrap();
        continued.file().write_all(b"second").unwrap();
        continued.commit(Durability::Synced).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"first second");
        assert!(!temporary_path(&path).exists());
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_reads_what_is_private() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.jsonl");
        fs::write(&file, "open").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        // Creates a link to another file at the path of the temporary file.
        let elsewhere = directory.path().join("elsewhere");
        fs::write(&elsewhere, "kept").unwrap();
        symlink(&elsewhere, temporary_path(&file)).unwrap();
        replace(&file, b"secret", Access::Private, Durability::Synced).unwrap();
        assert_eq!((fs::read(&file).unwrap(), mode(&file)), (b"secret".to_vec(), 0o600));
        assert!(!temporary_path(&file).exists());
        assert_eq!(fs::read(&elsewhere).unwrap(), b"kept");
        create_private_directory(&directory.path().join("b/c")).unwrap();
        assert_eq!([mode(&directory.path().join("b")), mode(&directory.path().join("b/c"))], [0o700, 0o700]);
    }
}

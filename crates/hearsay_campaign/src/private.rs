//! Files that contain the DM's secrets: on Unix only their owner can read them, from the moment they are created.

use std::{
    ffi::OsString,
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Writes a file atomically. On Unix its mode is 0600, whatever the mode of the file that it replaces.
///
/// The bytes first go to a temporary file beside it, whose name ends in `.part`. The next write to the same path
/// removes a temporary file that a killed program left.
///
/// # Errors
/// If writing fails. The file is then unchanged.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let part = part_of(path);
    create(&part, bytes)?.sync_all()?;
    fs::rename(part, path)
}

/// Works like [`write_private`], but does not wait until the bytes are on disk: for exports of many files.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let part = part_of(path);
    create(&part, bytes)?;
    fs::rename(part, path)
}

/// Returns the path of the temporary file for a path.
pub(crate) fn part_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(".part");
    path.with_file_name(name)
}

/// Creates a new file and replaces an existing one. Follows no link.
pub(crate) fn create(path: &Path, bytes: &[u8]) -> io::Result<fs::File> {
    remove(path)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    Ok(file)
}

/// Removes a file, if it exists.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Creates a folder and its parents. On Unix the mode of each new folder is 0700.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn only_the_owner_reads_what_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let (file, part) = (folder.path().join("a.jsonl"), folder.path().join("a.jsonl.part"));
        fs::write(&file, "open").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        // Leftovers of a killed export, and a link to another folder.
        let elsewhere = folder.path().join("elsewhere");
        fs::write(&elsewhere, "kept").unwrap();
        symlink(&elsewhere, &part).unwrap();
        write_private(&file, b"secret").unwrap();
        assert_eq!((fs::read(&file).unwrap(), mode(&file)), (b"secret".to_vec(), 0o600));
        assert!(!part.exists());
        assert_eq!(fs::read(&elsewhere).unwrap(), b"kept");
        create_folder(&folder.path().join("b/c")).unwrap();
        assert_eq!((mode(&folder.path().join("b")), mode(&folder.path().join("b/c"))), (0o700, 0o700));
    }
}

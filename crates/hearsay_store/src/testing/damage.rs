//! Damages the files in a closed campaign directory.

use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// A way to damage a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// Truncates the file to this length in bytes.
    Truncate(u64),
    /// Flips bits of one byte.
    Flip {
        /// Offset of the byte.
        at: u64,
        /// Bit mask with the bits to flip; 0 changes nothing.
        mask: u8,
    },
    /// Appends this number of bytes to the file.
    Append(usize),
    /// Removes the file.
    Remove,
}

impl Damage {
    /// Damages a file in this way.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or written.
    pub fn apply(self, path: &Path) -> io::Result<()> {
        let open = || File::options().read(true).write(true).open(path);
        match self {
            Self::Truncate(length) => {
                let file = open()?;
                file.set_len(length.min(file.metadata()?.len()))
            }
            Self::Flip { at, mask } => {
                let (mut file, mut byte) = (open()?, [0]);
                file.seek(SeekFrom::Start(at))?;
                file.read_exact(&mut byte)?;
                file.seek(SeekFrom::Start(at))?;
                file.write_all(&[byte[0] ^ mask])
            }
            Self::Append(count) => {
                let mut file = open()?;
                file.seek(SeekFrom::End(0))?;
                file.write_all(&vec![0xA5; count])
            }
            Self::Remove => fs::remove_file(path),
        }
    }
}

/// Returns all files in a directory and its subdirectories, sorted by path.
///
/// # Errors
/// Returns an error if a directory cannot be read.
pub fn files(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() { files.extend(self::files(&path)?) } else { files.push(path) }
    }
    files.sort();
    Ok(files)
}

/// Copies a directory with all its contents.
///
/// # Errors
/// Returns an error if a file or directory cannot be read or written.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

//! Damage to the files of a closed directory.

use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// The file ends at this length in bytes.
    Truncate(u64),
    /// The bits of a mask are flipped in one byte.
    Flip {
        /// The offset of the byte.
        at: u64,
        /// The bits; zero changes nothing.
        mask: u8,
    },
    /// Bytes follow the end.
    Append(usize),
    /// The file is gone.
    Remove,
}

impl Damage {
    /// Damages a file.
    ///
    /// # Errors
    /// When the file cannot be read or written.
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

/// Every file below a directory, in order of their paths.
///
/// # Errors
/// When a directory cannot be read.
pub fn files(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() { files.extend(self::files(&path)?) } else { files.push(path) }
    }
    files.sort();
    Ok(files)
}

/// Copies a directory with everything in it.
///
/// # Errors
/// When something cannot be read or written.
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

//! A small disk that tests can fill.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

/// A small separate disk (tmpfs). The disk can be mounted only on Linux and only by root.
#[derive(Debug)]
pub struct SmallDisk {
    directory: tempfile::TempDir,
}

impl SmallDisk {
    /// Mounts a disk of `bytes` bytes.
    ///
    /// # Errors
    /// Returns an error with the reason if no disk can be mounted.
    pub fn new(bytes: u64) -> io::Result<Self> {
        let directory = tempfile::tempdir()?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={bytes}"), "tmpfs"]).arg(directory.path());
        let output = mount.output()?;
        if output.status.success() {
            Ok(Self { directory })
        } else {
            Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
        }
    }

    /// Returns the root directory of the disk.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    fn filler(&self) -> PathBuf {
        self.path().join("filler")
    }

    /// Fills the disk, except for about `free_bytes` bytes.
    ///
    /// # Errors
    /// Returns an error if a write fails for a reason other than a full disk.
    pub fn fill(&self, free_bytes: u64) -> io::Result<()> {
        let mut file = fs::File::create(self.filler())?;
        let block = vec![1; 64 << 10];
        loop {
            match io::Write::write(&mut file, &block) {
                Ok(written) if written > 0 => {}
                Err(error) if error.kind() != io::ErrorKind::StorageFull => return Err(error),
                _ => break,
            }
        }
        file.set_len(file.metadata()?.len().saturating_sub(free_bytes))
    }

    /// Frees the space that [`SmallDisk::fill`] took.
    ///
    /// # Errors
    /// Returns an error if the filler file cannot be removed.
    pub fn free(&self) -> io::Result<()> {
        match fs::remove_file(self.filler()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

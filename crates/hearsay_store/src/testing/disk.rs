//! A small disk that can be filled.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

/// A disk in memory of its own, where this system lets this program mount one: on Linux, as root.
#[derive(Debug)]
pub struct SmallDisk {
    directory: tempfile::TempDir,
}

impl SmallDisk {
    /// Mounts a disk.
    ///
    /// # Errors
    /// When no disk can be mounted; the error says why.
    pub fn new(bytes: u64) -> io::Result<Self> {
        let directory = tempfile::tempdir()?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={bytes}"), "tmpfs"]).arg(directory.path());
        let output = mount.output()?;
        match output.status.success() {
            true => Ok(Self { directory }),
            false => Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
        }
    }

    /// The root of the disk.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    fn filler(&self) -> PathBuf {
        self.path().join("filler")
    }

    /// Fills the disk but for some bytes.
    ///
    /// # Errors
    /// When that fails for another reason than a full disk.
    pub fn fill(&self, left: u64) -> io::Result<()> {
        let mut file = fs::File::create(self.filler())?;
        let block = vec![1; 64 << 10];
        loop {
            match io::Write::write(&mut file, &block) {
                Ok(written) if written > 0 => {}
                Err(error) if error.kind() != io::ErrorKind::StorageFull => return Err(error),
                _ => break,
            }
        }
        file.set_len(file.metadata()?.len().saturating_sub(left))
    }

    /// Frees what [`SmallDisk::fill`] took.
    ///
    /// # Errors
    /// When that fails.
    pub fn free(&self) -> io::Result<()> {
        match fs::remove_file(self.filler()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Lets nothing be written any more, or something again.
    ///
    /// # Errors
    /// When the disk cannot be mounted anew.
    pub fn set_read_only(&self, read_only: bool) -> io::Result<()> {
        let options = if read_only { "remount,ro" } else { "remount,rw" };
        let output = Command::new("mount").args(["-o", options]).arg(self.path()).output()?;
        match output.status.success() {
            true => Ok(()),
            false => Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
        }
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

//! The file `sharing` in a campaign directory, which contains the network address of the owner of the campaign.

use std::{
    fs, io,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use hearsay_files::{Access, Durability};
use serde::{Deserialize, Serialize};

const FILE: &str = "sharing";

/// Network address and token of the owner of a campaign.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Address {
    /// Process id of the owner.
    pub(super) pid: u32,
    /// Loopback address on which the owner listens.
    pub(super) address: SocketAddr,
    /// Text that a client must send first.
    pub(super) token: String,
}

/// The file with an address. Dropping this value deletes the file.
#[derive(Debug)]
pub(super) struct AddressFile(PathBuf);

impl AddressFile {
    /// Writes the file of a directory. Only this user can read it. The caller must have the lock of the directory.
    pub(super) fn write(directory: &Path, address: &Address) -> io::Result<Self> {
        let path = directory.join(FILE);
        let text = serde_json::to_vec(address)?;
        hearsay_files::replace(&path, &text, Access::Private, Durability::Deferred)?;
        Ok(Self(path))
    }
}

impl Drop for AddressFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Reads the address of the owner of a directory. Returns `None` if the file contains no address or does not exist, for
/// example because the owner is still opening the campaign.
pub(super) fn read(directory: &Path) -> Option<Address> {
    serde_json::from_slice(&fs::read(directory.join(FILE)).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_private_and_goes_with_its_owner() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(read(directory.path()), None);
        let address = Address { pid: 7, address: "127.0.0.1:80".parse().unwrap(), token: hearsay_files::new_token() };
        let file = AddressFile::write(directory.path(), &address).unwrap();
        assert_eq!(read(directory.path()), Some(address));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(directory.path().join(FILE)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        drop(file);
        assert_eq!(read(directory.path()), None);
        fs::write(directory.path().join(FILE), "no address").unwrap();
        assert_eq!(read(directory.path()), None);
    }
}

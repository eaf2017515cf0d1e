//! The file `server` in a campaign directory, which contains the addresses of the server of the campaign.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use hearsay_files::{Access, Durability};
use serde::{Deserialize, Serialize};

use crate::{
    endpoint::{Credentials, Endpoint},
    lock_holder::LockHolder,
};

const FILE: &str = "server";

/// Contents of the file.
#[derive(Serialize, Deserialize)]
struct Contents {
    pid: u32,
    public_url: String,
    url: String,
    user: String,
    password: String,
}

/// Address of the server of a campaign, for programs on the same machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerFile {
    /// Process id of the server.
    pub pid: u32,
    /// Address for programs on other machines, as users know it.
    pub public_url: String,
    /// Address of the campaign, with the credentials for programs on the same machine.
    pub endpoint: Endpoint,
}

/// The written file. Dropping this value deletes the file.
#[derive(Debug)]
pub struct ServerFileGuard(PathBuf);

impl ServerFile {
    /// Writes the file to the directory of a campaign's database. Only this user can read it. The caller must have the
    /// directory open.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written, or if the endpoint has no credentials.
    pub fn write(directory: &Path, file: &Self) -> io::Result<ServerFileGuard> {
        let Some(Credentials { user, password, .. }) = file.endpoint.credentials.clone() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the endpoint has no credentials"));
        };
        let (public_url, url) = (file.public_url.clone(), file.endpoint.url.clone());
        let contents = Contents { pid: file.pid, public_url, url, user, password };
        let path = directory.join(FILE);
        hearsay_files::replace(&path, &serde_json::to_vec(&contents)?, Access::Private, Durability::Deferred)?;
        Ok(ServerFileGuard(path))
    }
}

impl Drop for ServerFileGuard {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Reads the addresses of the server of a campaign. Returns `None` if the file does not exist or is not complete. A server
/// that was killed leaves its file behind: see [`running_server`].
pub fn read_server_file(directory: &Path) -> Option<ServerFile> {
    let contents: Contents = serde_json::from_slice(&fs::read(directory.join(FILE)).ok()?).ok()?;
    let endpoint = Endpoint::hosted(contents.url, contents.user, contents.password);
    Some(ServerFile { pid: contents.pid, public_url: contents.public_url, endpoint })
}

/// Returns the server that has a directory open. `holder` is the process that has the directory open. Returns `None` if
/// this process is not a server on this machine.
pub fn running_server(directory: &Path, holder: &LockHolder) -> Option<ServerFile> {
    read_server_file(directory).filter(|file| file.pid == holder.pid && holder.is_on_this_machine())
}

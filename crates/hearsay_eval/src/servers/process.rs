//! The server of a campaign, in its own process.

use std::{
    fs,
    io::{self, Read},
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use hearsay_engine::SETTINGS_FILE;
use hearsay_server::{ServeOptions, Server};
use hearsay_store::{Endpoint, read_server_file};

use crate::sharing::programs::{STALL_LIMIT, wait_for_end};

/// The hidden command of `hearsay_eval` that runs a server.
pub const CHILD_COMMAND: &str = "server-child";

/// Directory of the database in the campaign directory.
pub(super) const DATABASE_DIRECTORY: &str = ".hearsay";

/// Settings of the campaign: without models.
const SETTINGS: &str = "[model]\nenabled = false\n\n[extraction]\nenabled = false\n";

/// A running server. It is killed when this value is dropped.
pub(super) struct ServerProcess {
    child: Child,
    endpoint: Endpoint,
}

impl ServerProcess {
    /// Creates a campaign in a directory, and starts its server on a free port of the loopback address.
    ///
    /// # Errors
    /// Returns an error if the server does not start within [`STALL_LIMIT`].
    pub(super) fn start(campaign: &Path) -> Result<Self> {
        fs::create_dir_all(campaign)?;
        fs::write(campaign.join(SETTINGS_FILE), SETTINGS)?;
        let mut command = Command::new(std::env::current_exe()?);
        let mut child = command.arg(CHILD_COMMAND).arg(campaign).stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        match wait_for_endpoint(&mut child, &campaign.join(DATABASE_DIRECTORY)) {
            Ok(endpoint) => Ok(Self { child, endpoint }),
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(error)
            }
        }
    }

    /// Returns the address of the campaign in the server, with the login of programs on this machine.
    pub(super) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Stops the server.
    ///
    /// # Errors
    /// Returns an error if the server fails, or does not end within [`STALL_LIMIT`].
    pub(super) fn stop(mut self) -> Result<()> {
        drop(self.child.stdin.take());
        let status = wait_for_end(&mut self.child)?;
        ensure!(status.success(), "the server ended with {status}");
        Ok(())
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until a starting server has written its address to the file in the database directory.
fn wait_for_endpoint(child: &mut Child, database: &Path) -> Result<Endpoint> {
    let started = Instant::now();
    while started.elapsed() < STALL_LIMIT {
        if let Some(file) = read_server_file(database).filter(|file| file.pid == child.id()) {
            return Ok(file.endpoint);
        }
        if let Some(status) = child.try_wait()? {
            bail!("the server ended with {status} while it started");
        }
        thread::sleep(Duration::from_millis(5));
    }
    bail!("the server did not start within {} s", STALL_LIMIT.as_secs())
}

/// Serves a campaign on a free port of the loopback address until standard input ends. The hidden command
/// [`CHILD_COMMAND`] calls this function.
///
/// # Errors
/// Returns an error if the server cannot be started or stopped.
pub fn child(campaign: &Path) -> Result<()> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = Server::start(ServeOptions { address, ..ServeOptions::new(campaign) })?;
    io::stdin().read_to_end(&mut Vec::new()).context("standard input cannot be read")?;
    Ok(server.stop()?)
}

//! Downloads files from a mirror.

use std::{fmt, time::Duration};

use anyhow::Result;
use reqwest::{
    Client, Response, StatusCode, Url,
    header::{CONTENT_RANGE, RANGE},
};
use tokio::runtime::Runtime;

use super::{
    errors::{failed, stopped, wrong_content},
    manifest::ModelFile,
    partial::PartialFile,
};
use crate::{
    interrupt,
    output::{CliError, FILE_ERROR, USAGE_ERROR},
};

/// Maximum time to connect to the server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);

/// Maximum time in which the server sends no data.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// Time between two checks whether the user pressed Ctrl-C.
const INTERRUPT_INTERVAL: Duration = Duration::from_millis(100);

/// A web server with a directory of models.
pub(crate) struct Mirror {
    /// Address of the directory.
    base: Url,
    client: Client,
    runtime: Runtime,
}

impl Mirror {
    pub(super) fn new(address: &str) -> Result<Self> {
        let invalid = |problem: &str| {
            let expected = "expected an address such as https://models.example.org/hearsay";
            CliError::new(USAGE_ERROR, format!("`{address}` is not the address of a mirror: {problem}; {expected}"))
        };
        let base = Url::parse(address).map_err(|error| invalid(&error.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(invalid("only http and https can be used").into());
        }
        // An error means that a provider is already installed, which is good enough.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(READ_TIMEOUT)
            .user_agent(concat!("hearsay/", env!("CARGO_PKG_VERSION")));
        // A proxy cannot reach a server on this machine.
        let is_local = base.host_str().is_some_and(|host| matches!(host, "localhost" | "127.0.0.1" | "[::1]"));
        let builder = if is_local { builder.no_proxy() } else { builder };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(Self { base, client: builder.build()?, runtime })
    }

    /// Returns the address of a file.
    fn url(&self, file: &ModelFile) -> Url {
        let mut url = self.base.clone();
        // Every http address has segments.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(file.segments());
        }
        url
    }

    /// Returns the address of a file for messages.
    pub(super) fn describe(&self, file: &ModelFile) -> String {
        without_secrets(&self.url(file))
    }

    /// Downloads the missing part of a file. Returns an error if the user presses Ctrl-C.
    pub(super) fn complete(&self, file: &ModelFile, partial: &mut PartialFile) -> Result<()> {
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                () = stop_request() => Err(stopped()),
                result = self.download(file, partial) => result,
            }
        })
    }

    async fn download(&self, file: &ModelFile, partial: &mut PartialFile<'_>) -> Result<()> {
        let (url, origin) = (self.url(file), self.describe(file));
        let mut response = self.send(&url, partial.length()).await?;
        if has_wrong_range(&response, partial.length()) {
            response = self.send(&url, 0).await?;
        }
        match response.status() {
            StatusCode::PARTIAL_CONTENT if partial.length() > 0 && !has_wrong_range(&response, partial.length()) => {}
            // Also the answer of a server that cannot send a part of a file.
            StatusCode::OK => partial.clear()?,
            status => {
                let message = format!(
                    "{origin}: the server answered {status}; pass the address of the directory that contains \
                     `all-MiniLM-L6-v2` and the other models"
                );
                return Err(CliError::new(FILE_ERROR, message).into());
            }
        }
        let length = response.content_length().map(|rest| partial.length().saturating_add(rest));
        if let Some(length) = length
            && length != file.bytes
        {
            return Err(wrong_content(file, &origin, &format!("{length} bytes")));
        }
        loop {
            let chunk = match response.chunk().await {
                Ok(Some(chunk)) => chunk,
                Ok(None) if partial.length() == file.bytes => return Ok(()),
                Ok(None) => return Err(CliError::new(FILE_ERROR, interrupted(file, &origin, partial.length())).into()),
                Err(error) => return Err(failed(interrupted(file, &origin, partial.length()), error.without_url())),
            };
            if partial.length() + chunk.len() as u64 > file.bytes {
                partial.clear()?;
                return Err(wrong_content(file, &origin, &format!("more than {} bytes", file.bytes)));
            }
            partial.append(&chunk)?;
        }
    }

    /// Requests a file, without the bytes before the position `start`.
    async fn send(&self, url: &Url, start: u64) -> Result<Response> {
        let mut request = self.client.get(url.clone());
        if start > 0 {
            request = request.header(RANGE, format!("bytes={start}-"));
        }
        request.send().await.map_err(|error| {
            let hint = "check the address and the network connection, and run the command again";
            failed(format!("cannot fetch {}; {hint}", without_secrets(url)), error.without_url())
        })
    }
}

/// Formats the address of the directory, without secrets.
impl fmt::Display for Mirror {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&without_secrets(&self.base))
    }
}

/// Returns whether an answer has no bytes, or other bytes than those from the position `start` on.
fn has_wrong_range(response: &Response, start: u64) -> bool {
    let has_range = || {
        let range = response.headers().get(CONTENT_RANGE).and_then(|range| range.to_str().ok());
        range.is_some_and(|range| range.starts_with(&format!("bytes {start}-")))
    };
    match response.status() {
        StatusCode::RANGE_NOT_SATISFIABLE => true,
        StatusCode::PARTIAL_CONTENT => !has_range(),
        _ => false,
    }
}

/// Returns the error text of a download that ended too early.
fn interrupted(file: &ModelFile, origin: &str, length: u64) -> String {
    format!("the download of {origin} ended after {length} of {} bytes; run the command again to continue", file.bytes)
}

/// Returns an address without the parts that can contain a password or a key.
fn without_secrets(url: &Url) -> String {
    let mut url = url.clone();
    // Fails only for addresses without a host, which have neither.
    let _ = url.set_username("").and_then(|()| url.set_password(None));
    url.set_query(None);
    url.into()
}

/// Waits until the user presses Ctrl-C.
async fn stop_request() {
    while !interrupt::is_requested() {
        tokio::time::sleep(INTERRUPT_INTERVAL).await;
    }
}

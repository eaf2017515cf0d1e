//! Errors while files are fetched.

use super::manifest::ModelFile;
use crate::{
    interrupt,
    output::{CliError, FILE_ERROR},
};

/// Returns an error with its cause.
pub(super) fn failed(message: String, cause: impl Into<anyhow::Error>) -> anyhow::Error {
    cause.into().context(CliError::new(FILE_ERROR, message))
}

/// Returns the error of a source whose file does not have the expected content. `origin` is the address or the path of the
/// file, and `found` describes its content.
pub(super) fn wrong_content(file: &ModelFile, origin: &str, found: &str) -> anyhow::Error {
    let version = env!("CARGO_PKG_VERSION");
    let message = format!(
        "{origin} is damaged, or belongs to another version of Hearsay: found {found}, expected {} bytes with the \
         BLAKE3 checksum {}; fetch from a source with the models of Hearsay {version}",
        file.bytes, file.blake3
    );
    CliError::new(FILE_ERROR, message).into()
}

/// Returns the error of a command that Ctrl-C stopped.
pub(super) fn stopped() -> anyhow::Error {
    let message = "stopped by Ctrl-C; the files fetched so far are kept: run the command again to continue";
    CliError::new(interrupt::EXIT_CODE, message).into()
}

//! Errors of the server.

use std::{io, net::SocketAddr, path::PathBuf};

use hearsay_engine::MemoryError;
use hearsay_store::StoreError;
use thiserror::Error;

/// Maximum length of the name of a user or token, in characters.
pub(crate) const MAX_NAME_CHARS: usize = 64;

/// Minimum length of a password, in characters.
pub(crate) const MIN_PASSWORD_CHARS: usize = 8;

/// An error that prevents the server from starting or stopping, or an error of its users and tokens.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The campaign cannot be opened or closed, or its settings are invalid.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The database of the campaign cannot be opened, read or closed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The settings say that the campaign is in another server.
    #[error(
        "the campaign is in the server {endpoint}, so this program cannot serve it; remove `endpoint` under [store] in \
         hearsay.toml to serve the database of the campaign directory"
    )]
    OtherServer {
        /// Address of the server.
        endpoint: String,
    },
    /// Another server of the campaign is running.
    #[error("{server} already serves this campaign at {url}; use this server, or stop it first")]
    ServerRuns {
        /// Description of the process.
        server: String,
        /// Address of the server.
        url: String,
    },
    /// Another program has the campaign open.
    #[error(
        "{program} has the campaign open, but the server needs the database for itself; close that program, start the \
         server, and then start that program again: it will use the server"
    )]
    ProgramRuns {
        /// Description of the process.
        program: String,
    },
    /// The server cannot listen on the address.
    #[error(
        "the server cannot listen on {address}: {source}; close the program that uses this address, or choose another \
         address"
    )]
    Listen {
        /// Address of the server.
        address: SocketAddr,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The server would be reachable from other machines without encryption.
    #[error(
        "other machines can reach the address {address}, and without a certificate they send passwords, tokens and the \
         secrets of the campaign unencrypted; pass --tls-cert and --tls-key, or pass --insecure if you trust everybody \
         in the network"
    )]
    Unencrypted {
        /// Address of the server.
        address: SocketAddr,
    },
    /// The certificate or its key cannot be used.
    #[error(
        "the server cannot use the certificate {certificate} with the key {key}: {source}; both files must be in the \
         PEM format",
        certificate = certificate.display(), key = key.display()
    )]
    Certificate {
        /// Path of the certificate.
        certificate: PathBuf,
        /// Path of the key.
        key: PathBuf,
        /// Description of the error.
        source: io::Error,
    },
    /// The threads of the server could not be started.
    #[error("the server could not start: {source}; close other programs, and try again")]
    Runtime {
        /// Error of the operating system.
        source: io::Error,
    },
    /// The server stopped working while it was running.
    #[error("the server stopped working: {reason}; solve this problem, and start the server again")]
    Failed {
        /// Description of the failure.
        reason: String,
    },
    /// A file of the server cannot be read or written.
    #[error("{path}: {source}; check the disk and the permissions of the file", path = path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The file with the tokens is invalid.
    #[error("{path}: {problem}; delete this file, and then add the tokens again", path = path.display())]
    InvalidTokens {
        /// Path of the file.
        path: PathBuf,
        /// Description of the error.
        problem: String,
    },
    /// The name of a user or token is invalid.
    #[error(
        "`{name}` is not a valid name; use at most {max} letters, digits, hyphens and underscores",
        max = MAX_NAME_CHARS
    )]
    InvalidName {
        /// The invalid name.
        name: String,
    },
    /// The name of a user is reserved.
    #[error("`{name}` is not a valid name, because names that begin with `hearsay-` are reserved; choose another name")]
    ReservedUser {
        /// The reserved name.
        name: String,
    },
    /// A password is too short.
    #[error("the password has fewer than {min} characters; choose a longer password", min = MIN_PASSWORD_CHARS)]
    ShortPassword,
    /// Another token has the same name.
    #[error("there is already a token with the name `{name}`; pass another --name, or remove the token first")]
    DuplicateToken {
        /// Name of the token.
        name: String,
    },
    /// The id of a character is the word that stands for the DM.
    #[error("the character `{id}` cannot have a token, because `{id}` stands for the DM")]
    ReservedIdentity {
        /// Id of the character.
        id: String,
    },
}

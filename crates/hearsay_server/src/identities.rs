//! The identities of MCP clients and HTTP clients.

use std::{path::PathBuf, sync::Arc};

use axum::http::{HeaderMap, header::AUTHORIZATION};
use hearsay_engine::Memory;
use hearsay_mcp::SessionIdentity;

use crate::tokens::Tokens;

/// The memory that answers clients, and the tokens that prove their identities.
#[derive(Debug)]
pub(crate) struct Identities {
    pub(crate) memory: Arc<Memory>,
    /// Directory of the file with the tokens.
    directory: PathBuf,
}

impl Identities {
    /// Creates the identities of a campaign. `directory` is the database directory of the campaign, which contains the
    /// file with the tokens.
    pub(crate) fn new(memory: Arc<Memory>, directory: PathBuf) -> Self {
        Self { memory, directory }
    }

    /// Returns the identity of a client. Returns `None` if the header `Authorization: Bearer TOKEN` is missing, or if
    /// its token is unknown. Reads the file with the tokens each time, so a removed token has no effect any more.
    pub(crate) fn authorize(&self, headers: &HeaderMap) -> Option<SessionIdentity> {
        let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        match Tokens::read(&self.directory) {
            Ok(tokens) => tokens.identity_of(token.trim()),
            Err(error) => {
                tracing::error!("no token is accepted: {error}");
                None
            }
        }
    }
}

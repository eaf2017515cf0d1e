//! `hearsay mcp`: runs an MCP server that answers as one character or as the DM.

use std::sync::Arc;

use anyhow::Result;
use hearsay_engine::Memory;
use hearsay_mcp::{McpServer, SessionIdentity};
use hearsay_model::Kind;

use crate::{
    args,
    campaign::{self, Access},
    interrupt,
    names::Names,
    output::{CliError, Output, USAGE_ERROR},
    texts::{self, EncoderUse},
};

/// Name of the identity that sees everything.
const DM: &str = "dm";

pub(crate) fn mcp(args: &args::Mcp, no_sync: bool, output: &Output) -> Result<()> {
    let campaign = campaign::named(args.directory.as_ref(), &args.campaign, no_sync)?;
    // Standard output belongs to the protocol. The functions below print notes on standard error only.
    let memory = campaign::open_for_speech(&campaign, Access::Write, output)?;
    let identity = identity(&memory, &args.identity, output)?;
    texts::embed_if_few(&memory, EncoderUse::Enabled, output)?;
    let memory = Arc::new(memory);
    let server = McpServer::new(Arc::clone(&memory), identity)?
        .with_extraction(texts::is_extraction_enabled(&campaign.campaign)?);
    server.serve_stdio(interrupt::is_requested)?;
    match Arc::try_unwrap(memory) {
        Ok(memory) => Ok(memory.close()?),
        // A request is still running. The memory closes when the request ends; everything acknowledged is on the disk.
        Err(_) => Ok(()),
    }
}

/// Returns the identity that the command line names.
pub(crate) fn identity(memory: &Memory, name: &str, output: &Output) -> Result<SessionIdentity> {
    if name.trim().eq_ignore_ascii_case(DM) {
        return Ok(SessionIdentity::Dm);
    }
    let names = Names::read(memory, output)?;
    let id = names.entity(name)?;
    match names.state().kind(&id) {
        Some(kind) if !kind.is_character() && !matches!(kind, Kind::Custom(_)) => {
            let message = format!("`{id}` is not a character (kind: {}); name a character or `dm`", kind.noun());
            Err(CliError::new(USAGE_ERROR, message).into())
        }
        _ => Ok(SessionIdentity::Character(id)),
    }
}

//! The MCP server of Hearsay: a language-model client plays one character, or assists the DM.
//!
//! [MCP](https://modelcontextprotocol.io), the Model Context Protocol, gives a language-model client tools, resources
//! and prompts. A session has one [`SessionIdentity`], a character or the DM, which is set when the session starts. The
//! tools of a character have no parameter for a knower, so a client cannot read the knowledge of another character.
//!
//! With the feature `http`, `HttpSessions` serves the clients of an identity over HTTP.
//!
//! # What a character's session can reveal
//!
//! The output of a character's session (tool lists, schemas, answers, errors and counts) depends only on the
//! character's [view](hearsay_belief::View): everything that the character knows. If the character does not know a name
//! or an id, the output is the same as for a name or an id that does not exist. There are two exceptions. Lines that
//! the character says aloud change the campaign, and the output can show the effects. The output also shows which
//! secrets the character may tell now, because the conditions for telling them are met.
//!
//! # Example
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use hearsay_engine::{Memory, MemoryOptions};
//! use hearsay_mcp::{McpServer, SessionIdentity};
//! use hearsay_model::EntityId;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let memory = Arc::new(Memory::open(MemoryOptions::for_campaign("campaigns/gullhaven")?)?);
//! let identity = SessionIdentity::Character(EntityId::new("mirela-voss")?);
//! McpServer::new(memory, identity)?.serve_stdio(|| false)?;
//! # Ok(())
//! # }
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod arguments;
mod character;
mod confirmation;
mod dm;
mod error;
#[cfg(feature = "http")]
mod http;
mod identity;
mod outputs;
mod own_view;
mod prompts;
mod recall;
mod resources;
mod server;
mod subscriptions;
mod tools;

pub use error::{ServerError, ToolError};
pub use identity::SessionIdentity;
pub use resources::ResourceDescription;
pub use server::McpServer;
pub use tools::ToolDescription;

#[cfg(feature = "http")]
pub use self::http::{HttpAnswer, HttpBody, HttpOptions, HttpSessions};

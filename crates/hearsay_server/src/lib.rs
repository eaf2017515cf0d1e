//! The server of a campaign: other programs and machines use the campaign over the network.
//!
//! A [`Server`] opens the database of a campaign directory and answers these requests:
//!
//! | path | protocol | clients |
//! |---|---|---|
//! | `/rpc` | SurrealDB's protocol over WebSocket (`flatbuffers`, `cbor` or `json`) | other Hearsay programs, and all SurrealDB clients |
//! | `/mcp/IDENTITY` | MCP (Streamable HTTP) | language-model clients |
//! | `/api/…` | JSON over HTTP | other programs |
//! | `/health` | JSON over HTTP | monitoring |
//! | `/` | plain text | people: a list of these paths |
//!
//! A client of `/rpc` signs in with the name and the password of a user: see [`Users`]. It then reads and writes the
//! whole campaign. A client of `/mcp` or `/api` sends a token, which decides its identity: a character or the DM. See
//! [`Tokens`]. The answers for a character depend only on the facts that this character knows.
//!
//! ```no_run
//! use hearsay_server::{ServeOptions, Server};
//!
//! let server = Server::start(ServeOptions::new("campaigns/gullhaven"))?;
//! println!("endpoint = \"{}\"", server.url());
//! server.wait(|| false)?;
//! server.stop()?;
//! # Ok::<(), hearsay_server::ServeError>(())
//! ```
//!
//! # Protocol of the database
//!
//! The server answers SurrealDB's protocol with SurrealDB's own code, from the database that is embedded in this
//! program. A stock SurrealDB server can therefore take the place of this server.
//!
//! # Programs on the same machine
//!
//! While the server runs, the file `server` in the database directory contains a loopback address and a password. Only
//! the user who started the server can read this file. Programs of this user that open the campaign directory connect
//! to this address. The memory that answers MCP clients and HTTP clients does the same. This connection has all rights,
//! so [`Users`] also uses it.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod api;
mod error;
mod identities;
mod index;
mod listener;
mod mcp;
mod name;
mod rpc;
mod server;
#[cfg(test)]
mod test_memory;
mod tokens;
mod users;

pub use error::ServeError;
pub use hearsay_store::UserAccess;
pub use server::{CertificateFiles, DEFAULT_ADDRESS, ServeOptions, Server};
pub use tokens::{TokenEntry, Tokens};
pub use users::Users;

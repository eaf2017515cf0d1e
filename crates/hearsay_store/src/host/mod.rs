//! A campaign's database as a server for other programs.
//!
//! The program that opens a [`HostedDatabase`] reads messages of clients from the network, and passes them to one
//! [`HostedSession`] for each connection. The messages are those of SurrealDB's RPC protocol over WebSocket, so any
//! SurrealDB client can connect. Clients have no rights until they sign in as a user of the database. The database
//! cannot use the network or run scripts. The methods that only repeat a statement, such as `select` and `create`, are
//! not supported: clients send statements with the method `query`.

#[cfg(feature = "remote")]
mod connection;
mod database;
mod owner;
mod session;
mod users;

pub use database::HostedDatabase;
pub use session::{HostedSession, WireFormat};
pub use users::{HostedUsers, UserAccess};

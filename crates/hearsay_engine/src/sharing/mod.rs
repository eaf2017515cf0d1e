//! Sharing of one campaign between several programs on one machine.
//!
//! The first program that opens a campaign directory is its *owner*: it holds the lock and has the database open. The
//! owner listens on a local TCP port. A program that opens the same directory later *attaches* to the owner: it
//! receives the state, computes everything that it reads from its own copy of the state, and sends its writes to the
//! owner.
//!
//! # Protocol
//!
//! The module [`protocol`] defines the messages. The owner commits one write at a time, and sends each committed write
//! to all attached programs, in the order of the journal. An attached program sends a write together with the position
//! that its operation would get. If another write already has this position, the owner refuses the write. The attached
//! program then applies the writes that it has received meanwhile, computes its operation again from the new state, and
//! sends it again. The operation of a write is therefore always computed from the state after the operation directly
//! before it.
//!
//! If the connection ends, the attached program attaches again, or becomes the owner if nobody has the lock. Reads
//! continue meanwhile, and writes wait.
//!
//! # Access
//!
//! The owner listens only on the loopback address. A program must send the token in the file `sharing`, which only the
//! owner's user can read. Therefore, only programs of the same user on the same machine can attach.

mod address;
mod link;
mod protocol;
mod server;

pub(crate) use link::{AttachError, Link, LinkMessage, attach};
pub(crate) use protocol::{PreparedWrite, Refusal};
pub(crate) use server::{Client, ClientId, Server, ServerMessage};

use std::time::Duration;

/// Interval at which an owner sends [`protocol::ToClient::Ping`] if it has nothing else to send.
const PING_INTERVAL: Duration = Duration::from_secs(5);

/// Time without any message after which a connection counts as lost.
const SILENCE_LIMIT: Duration = Duration::from_secs(30);

/// Time limit for connecting and for the first message.
const HELLO_TIMEOUT: Duration = Duration::from_secs(5);

//! Campaigns in a SurrealDB server, which several programs on several machines use at the same time.
//!
//! The journal and the graph tables are the same as in an embedded database. Instead of a lock, programs use optimistic
//! concurrency:
//!
//! - **Append.** One transaction checks that the journal still ends where the program has read to, and inserts the
//!   operation at the next position. Every append also writes the record `meta:append`, so that two appends at the same
//!   time always conflict. The slower program reads what is new, computes its operation from the new state, and appends
//!   again.
//! - **Certainty.** Each append has a random id, which is stored with its rows. If the connection is lost before the
//!   answer arrives, the program reads the end of the journal. If it finds its own id, the append is stored. If it finds
//!   the rows of another append, its own append can never be stored, because its position is taken. If it finds nothing
//!   new, it sends the same append again. An operation is therefore neither lost nor stored twice.
//! - **Reading.** A program reads the rows after its last position when a live query notifies it, and also at a regular
//!   interval, because notifications can be lost and do not reach clients of other servers of a cluster.
//! - **Graph tables.** At most one program at a time writes them: the program that holds the lease `meta:lease`. Each
//!   transaction on the tables checks and renews the lease. If the program dies, another program gets the lease after
//!   at most 20 seconds.

mod database;
mod event;
mod follower;
mod journal;
mod lease;
mod server_file;
mod store;
mod task;

#[cfg(test)]
mod simulation;

pub use event::{AppendRefusal, RemoteConnection, RemoteEvent};
pub use server_file::{ServerFile, ServerFileGuard, read_server_file, running_server};
pub use store::{RemoteOpened, RemoteStore};

//! Stores the journal and the graph tables of a campaign in SurrealDB.
//!
//! The journal is the ordered list of all operations that changed the campaign. The graph tables contain the current
//! state: entities, facts, knowledge edges, passages and sessions. Plain SurrealQL can query these tables.
//!
//! The state of a campaign is in memory ([`hearsay_model::State`]). This crate stores the operations from which the
//! state is computed, and writes the state to the graph tables. No other Hearsay crate uses SurrealDB directly.
//!
//! # Quick start
//!
//! ```
//! use std::sync::Arc;
//! use hearsay_model::*;
//! use hearsay_store::{Location, Opened, Store, StoreOptions, projection};
//!
//! // Use `Location::Directory("my-campaign".into())`, or just the path, to store the campaign on the disk.
//! let Opened { store, mut state, report } = Store::open(Location::Memory, StoreOptions::default())?;
//! assert_eq!(report.position, Position(0));
//!
//! let grimjaw = EntityId::new("grimjaw-ironhand")?;
//! let name = Fact::attribute(&grimjaw, "name", "Grimjaw", Provenance::new(Method::Authored, Author::Dm))?.build()?;
//! let operation = Arc::new(Operation::new(Author::Dm, "add Grimjaw", vec![
//!     Change::AddEntity(Entity::new(grimjaw)),
//!     Change::AssertFact(name.into()),
//! ]));
//!
//! // Check, commit, then apply. In this order, the state never contains an operation that is not on the disk.
//! state.check(&operation)?;
//! store.commit_blocking(state.position().next(), vec![Arc::clone(&operation)])?;
//! let applied = state.apply(operation)?;
//!
//! // The store updates the graph tables in the background.
//! store.project(projection::rows(&state, &applied.touched), applied.position, |result| result.unwrap_or(()));
//! store.settle_blocking()?;
//! let names = store.query_blocking("SELECT VALUE name FROM entity:⟨grimjaw-ironhand⟩")?;
//! assert_eq!(names, serde_json::json!(["Grimjaw"]));
//! store.close()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//!
//! - **Acknowledged commits are durable.** The store acknowledges a commit only after the commit is on the disk. If the
//!   program is killed, no acknowledged commit is lost, and no operation is stored partially.
//! - **Commits are atomic.** Either all operations of one [`Store::commit`] are stored, or none of them, regardless of
//!   their size.
//! - **The journal has no gaps.** If the first operation of a commit does not directly follow the newest stored
//!   operation, the store rejects the commit. A rejected commit changes nothing.
//! - **The store does not write after a failure.** A failure is a failed write or sync, a failed background task of the
//!   storage engine (SurrealKV), or the deletion of the directory. After a failure, the store accepts no more commits.
//!   To continue, open the campaign again. [`Store::health`] reports the failure within about a second, even if there
//!   are no commits.
//! - **The graph is repaired.** If the previous program did not close the campaign, the store compares the graph tables
//!   with the state in the background, and repairs each record that differs. If the campaign is closed before the
//!   comparison is complete, the store repeats the comparison at the next opening.
//! - **Damage is detected.** Each journal entry contains a digest that depends on all earlier entries. The position of
//!   the newest acknowledged operation is also stored outside the database, in the file `acknowledged`. If the journal
//!   was truncated, changed or emptied, opening the campaign returns [`StoreError::Damaged`]. After a power loss, the
//!   position in the file `acknowledged` can be too old. The store then cannot detect that operations after this
//!   position are missing. If opening would cause further damage to a directory, the store does not open the directory.
//! - **Readable data can be saved.** [`check_directory`] checks every file and record. [`repair_directory`] writes all
//!   readable data to a new database, reports the lost data, and keeps the damaged files.
//! - **Only one process at a time uses a directory.** A process locks the directory that it opens. If a second process
//!   opens the directory, the second process receives an error that names the first process.
//! - **Derived data can be deleted.** The graph tables, the snapshot, the terms and the vectors are computed from the
//!   journal. If you delete this derived data, Hearsay computes the data again.
//! - **The database is offline.** It cannot use the network or run scripts.
//!
//! # Files
//!
//! | file in the campaign directory | contents | may be deleted |
//! |---|---|---|
//! | `db/` | the database: journal and graph tables | no |
//! | `acknowledged` | position of the newest acknowledged operation, and digest of its journal entry | only if you restored an older `db/` on purpose |
//! | `snapshot` | a copy of the journal in a format that is fast to read | yes |
//! | `terms`, `vectors` | stemmed words and vectors of texts, written by `hearsay_engine` as [`FrameFile`]s | yes |
//! | `repairing/` | the new files of a repair in progress | yes, unless the folder contains the file `complete` |
//! | `owner`, `owner.lock` | description of the process that has the directory open, and its lock | yes, while no process has the directory open |
//! | `derived.lock` | lock of the files `terms` and `vectors` of a campaign in a server, written by `hearsay_engine` | yes, while no process has the campaign open |
//! | `server` | network addresses of the server, and the password for programs on this machine, written by `hearsay serve` | yes, while no process has the directory open |
//! | `tokens.json` | names, identities and hashes of the access tokens of `hearsay serve` | no |
//! | `sharing` | network address at which other processes reach the process that has the directory open, written by `hearsay_engine` | yes, while no process has the directory open |
//!
//! See [`projection`] for the tables of the graph.
//!
//! # Threads
//!
//! A store runs on its own threads. Opening, closing, and the functions named `…_blocking` block the calling thread.
//! All other functions return immediately. Do not call blocking functions on a game's main thread. The queues of the
//! store have no size limit. To limit memory use, do not queue many commits at once, and wait while [`Store::backlog`]
//! is large.
//!
//! # Features
//!
//! - `remote`: campaigns in a SurrealDB server, which several programs and machines use at the same time: `RemoteStore`.
//! - `host`: this program is the SurrealDB server of a campaign: `HostedDatabase`.
//! - `testing`: fault injection for the tests of crates that use the store. Tests can make commits or the storage fail,
//!   kill programs, and damage files.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout))]

mod endpoint;
mod engine;
mod error;
#[cfg(feature = "testing")]
mod faults;
mod files;
#[cfg(feature = "host")]
mod host;
mod journal;
mod lock_holder;
pub mod projection;
#[cfg(feature = "remote")]
mod remote;
mod salvage;
mod store;
#[cfg(feature = "testing")]
pub mod testing;

pub use endpoint::{Credentials, Endpoint, LoginLevel};
pub use engine::raw_files::FileDamage;
pub use error::StoreError;
pub use files::{
    directory::{copy_for_reading, delete_campaign_directory},
    frame_file::FrameFile,
    snapshot::{decode_state, encode_state, read_state as read_snapshot},
};
#[cfg(feature = "host")]
pub use host::{HostedDatabase, HostedSession, HostedUsers, UserAccess, WireFormat};
pub use journal::{RewrittenOperation, TransientUpdates};
pub use lock_holder::LockHolder;
pub use projection::{DifferenceKind, GraphDifference, ProjectionRow, Watermark};
#[cfg(feature = "remote")]
pub use remote::{
    AppendRefusal, RemoteConnection, RemoteEvent, RemoteOpened, RemoteStore, ServerFile, ServerFileGuard,
    read_server_file, running_server,
};
pub use salvage::{CheckReport, LostOperation, RepairReport, check_directory, repair_directory};

pub use store::{Location, OpenProgress, OpenReport, Opened, Reloaded, StorageHealth, Store, StoreOptions};

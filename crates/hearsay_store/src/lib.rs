//! Journal and graph of a campaign, stored in SurrealDB.
//!
//! The journal holds durable operations. The graph is a set of tables that plain SurrealQL can traverse.
//!
//! The state of a campaign lives in memory ([`hearsay_model::State`]). This crate stores the operations that fold to
//! that state, and writes the state as a graph. No other Hearsay crate uses SurrealDB directly.
//!
//! # Quick start
//!
//! ```
//! use std::sync::Arc;
//! use hearsay_model::*;
//! use hearsay_store::{Location, Opened, Store, StoreOptions, projection};
//!
//! // `Location::Directory("my-campaign".into())`, or just the path, keeps it on the disk.
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
//! // Check, commit, apply: in this order, so that the state never holds what the disk does not.
//! state.check(&operation)?;
//! store.commit_blocking(state.position().next(), vec![Arc::clone(&operation)])?;
//! let applied = state.apply(operation)?;
//!
//! // The graph follows in the background.
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
//! - **Acknowledged means durable.** The store reports a commit after it is on the disk. Killing the program at any
//!   moment loses no reported commit and leaves no partial operation.
//! - **All or nothing.** Either all operations of one [`Store::commit`] are stored, or none, whatever their size.
//! - **No gap.** The store refuses a commit that does not follow the newest operation. A failed commit changes nothing.
//! - **A failing disk stops the writes.** The store accepts no commit after a failed write or sync, after a background
//!   failure of the engine, or after the directory is deleted. Open the campaign again to continue. [`Store::health`]
//!   gives the reason within about a second, even if no commit is made.
//! - **The graph heals.** If the previous program did not close the campaign, the store compares the graph tables with
//!   the state in the background and repairs each record that differs. It also does this once for every existing
//!   directory.
//! - **Damage is found.** Each journal entry contains a digest of the previous one, and the acknowledged position is
//!   also recorded outside the database. A journal that was truncated, changed or emptied gives [`StoreError::Damaged`]
//!   instead of an older campaign. After a power loss, the recorded position may be too old, and the store then detects
//!   less. The store does not open a directory that the engine would damage further.
//! - **Readable data can be saved.** [`check_directory`] verifies every file and record. [`repair_directory`] writes
//!   all readable data to a new database, counts the unreadable data, and keeps the damaged files.
//! - **One process at a time.** One process locks a directory. A second process fails with an error that names the lock
//!   holder.
//! - **Derived data can be deleted.** The journal is the source of truth. The graph tables, the snapshot, terms and
//!   vectors may be deleted.
//! - **Offline.** The database cannot use the network or run scripts.
//!
//! # Files
//!
//! | in the directory | contents | may be deleted |
//! |---|---|---|
//! | `db/` | the database: journal and graph tables | no |
//! | `acknowledged` | the newest acknowledged position and its digest | only to accept an older `db/` |
//! | `snapshot` | the journal in a form that is fast to read | yes |
//! | `terms`, `vectors` | the words and vectors of texts, written by `hearsay_memory` ([`FrameFile`]) | yes |
//! | `repairing/` | the new files of a repair in progress | yes, unless it contains `complete` |
//! | `owner`, `owner.lock` | the process that has the directory open | while no process has it open |
//!
//! See [`projection`] for the tables of the graph.
//!
//! # Threads
//!
//! A store runs on its own threads. All calls return immediately, except opening, closing, and the functions named
//! `…_blocking`. Do not make these blocking calls on a game's main thread. The queues are unbounded: keep few commits
//! in flight, and wait while [`Store::backlog`] is large.
//!
//! # Features
//!
//! `testing`: fault injection for tests of crates that use the store. It provides failing commits, failing storage,
//! killed programs and damaged files.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod check;
mod compact;
mod db;
mod directory;
mod error;
mod frame_file;
mod graph;
mod journal;
mod kv;
mod lock;
mod mark;
mod migrate;
mod open;
pub mod projection;
mod salvage;
mod snapshot;
mod store;
#[cfg(feature = "testing")]
pub mod testing;
mod transient;
mod worker;

pub use check::{DifferenceKind, GraphDifference};
pub use compact::RewrittenOperation;
pub use directory::copy_to_read;
pub use error::StoreError;
pub use frame_file::FrameFile;
pub use lock::LockHolder;
pub use open::{Location, OpenProgress, OpenReport, Opened, StoreOptions, discard};
pub use projection::{ProjectionRow, Watermark};
pub use salvage::{
    CheckReport, FileDamage, LostOperation, RepairReport, check as check_directory, repair as repair_directory,
};
pub use store::{StorageHealth, Store};
pub use transient::TransientUpdates;
pub use worker::Reloaded;

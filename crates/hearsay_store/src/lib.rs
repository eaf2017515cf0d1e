//! SurrealDB as journal and graph: durable operations, and tables that plain SurrealQL can walk.
//!
//! The state of a campaign lives in memory ([`hearsay_model::State`]); this crate keeps the operations that it is a
//! fold of, and shows it as a graph. It is the only crate that names SurrealDB.
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
//! - **Acknowledged is durable.** A commit is reported once it is on the disk. A program that is killed at any moment
//!   loses nothing that was reported, and leaves no operation by half.
//! - **All or nothing.** The operations of one [`Store::commit`] are there together or not at all, however large.
//! - **No gap.** A commit that does not follow the newest operation is refused. A failed one changes nothing.
//! - **A failing disk stops the writes.** After a write or sync that failed, a failure of the engine in the background, or
//!   when the directory is deleted, nothing more is accepted until the campaign is opened again; [`Store::health`] says why,
//!   within about a second even if nothing is written.
//! - **The graph heals.** After a program that did not close the campaign, and once for every existing directory, the
//!   graph tables are compared with the state in the background and repaired record by record.
//! - **Damage is found.** Every entry is bound to the one before by a digest, and what was acknowledged is noted
//!   outside the database: a journal that was cut off, changed or emptied gives [`StoreError::Damaged`], not an older
//!   campaign. One limit: after a loss of power the note may be behind, and then finds less. A directory that the engine
//!   would make worse is not handed to it.
//! - **What is left can be saved.** [`check_directory`] verifies every file and record, and [`repair_directory`] writes
//!   whatever can still be read to a new database, counts what cannot, and keeps the damaged files.
//! - **One at a time.** One process holds a directory; a second one is told which.
//! - **Derived things can go.** The graph tables, the snapshot, terms and vectors may be deleted; the journal is the truth.
//! - **Offline.** The database may not use the network, nor run scripts.
//!
//! # What is where
//!
//! | in the directory | holds | may be deleted |
//! |---|---|---|
//! | `db/` | the database: journal and graph tables | no |
//! | `acknowledged` | the newest position that was reported, and its digest | to accept an older `db/` |
//! | `snapshot` | the journal in a form that is quick to read | yes |
//! | `terms`, `vectors` | the words and vectors of texts, written by `hearsay_memory` ([`FrameFile`]) | yes |
//! | `repairing/` | the new files of a repair under way | yes, unless it holds `complete` |
//! | `owner`, `owner.lock` | who has the directory open | when nobody has |
//!
//! The tables of the graph are listed in [`projection`].
//!
//! # Threads
//!
//! A store runs on threads of its own. Calls return at once but for opening, closing and those named `…_blocking`;
//! none belongs on a game's main thread. Queues have no bound: a caller keeps few commits in flight, and waits while
//! [`Store::backlog`] is large.
//!
//! # Features
//!
//! `testing`: failures on demand, for the tests of those who use the store: commits and storage that fail, programs
//! that are killed, files that are damaged.
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
mod mark;
mod migrate;
mod open;
mod owner;
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
pub use open::{Location, OpenProgress, OpenReport, Opened, StoreOptions, discard};
pub use owner::Holder;
pub use projection::{Row, Watermark};
pub use salvage::{
    CheckReport, FileDamage, LostOperation, RepairReport, check as check_directory, repair as repair_directory,
};
pub use store::{StorageHealth, Store};
pub use transient::TransientUpdates;
pub use worker::Reloaded;

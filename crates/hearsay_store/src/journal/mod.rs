//! The journal: the operations of a campaign and its transient values, as rows in the database.

mod compacted;
pub(crate) mod entries;
mod json;
mod position;
mod transients;

pub(crate) use compacted::Compacted;
pub use compacted::RewrittenOperation;
pub(crate) use position::{Digest, JournalPosition, digest};
pub use transients::TransientUpdates;
pub(crate) use transients::{TransientBatch, Transients, insert_transients};
#[cfg(feature = "remote")]
pub(crate) use {json::short_json, transients::StoredRow};

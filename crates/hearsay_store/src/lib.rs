//! SurrealDB as journal and graph.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod db;
mod error;
mod graph;
mod journal;
mod mark;
mod migrate;
mod open;
mod owner;
pub mod projection;
mod snapshot;
mod store;
#[cfg(feature = "testing")]
pub mod testing;
mod vectors;
mod worker;

pub use error::StoreError;
pub use open::{Location, OpenReport, Opened, StoreOptions};
pub use owner::Holder;
pub use projection::Row;
pub use store::Store;
pub use vectors::Vector;

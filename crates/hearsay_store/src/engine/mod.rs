//! The database engine: all code that calls SurrealDB, or reads and checks SurrealDB's files.

mod db;
pub(crate) mod raw_files;
mod runtime;
pub(crate) mod schema;
mod surrealkv;
pub(crate) mod values;

pub(crate) use db::{Db, Place, Settings};
#[cfg(test)]
pub(crate) use runtime::run_test;
pub(crate) use runtime::{block_on, start_runtime};
pub(crate) use surrealkv::{explain, is_disk_full};

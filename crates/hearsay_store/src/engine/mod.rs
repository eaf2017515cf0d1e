//! The database engine. This module contains all code that calls SurrealDB, or that reads and checks the files of
//! SurrealDB.

mod db;
pub(crate) mod raw_files;
mod runtime;
pub(crate) mod schema;
mod surrealkv;
pub(crate) mod values;

pub(crate) use db::{DatabaseLocation, Db, Settings};
#[cfg(test)]
pub(crate) use runtime::run_test;
pub(crate) use runtime::{block_on, start_runtime};
pub(crate) use surrealkv::{explain, is_disk_full};

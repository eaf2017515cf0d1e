//! The database engine. This module contains all code that calls SurrealDB, or that reads and checks the files of
//! SurrealDB.

mod db;
mod embedded;
pub(crate) mod raw_files;
#[cfg(feature = "remote")]
pub(crate) mod remote;
mod runtime;
pub(crate) mod schema;
mod settings;
mod surrealkv;
pub(crate) mod values;

pub(crate) use db::Db;
#[cfg(feature = "remote")]
pub(crate) use db::is_conflict;
#[cfg(feature = "host")]
pub(crate) use embedded::{NetworkClients, RunningEngine};
#[cfg(test)]
pub(crate) use runtime::run_test;
pub(crate) use runtime::{block_on, start_runtime};
pub(crate) use settings::{DatabaseLocation, Settings};
#[cfg(feature = "host")]
pub(crate) use surrealkv::Health;
pub(crate) use surrealkv::{explain, is_disk_full};

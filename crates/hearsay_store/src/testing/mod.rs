//! Fault injection for tests of crates that use the store.
//!
//! - [`Faults`] makes commits and the storage fail.
//! - [`Child`] runs a part of a test as a separate program that can be killed.
//! - [`crash`] kills many programs and compares the stored data with the expected data.
//! - [`damage`] damages the files in a closed directory.
//! - `LocalServer` serves a campaign on this machine (with the features `host` and `remote`).
//! - [`SmallDisk`] is a disk that tests can fill.

mod child;
pub mod crash;
pub mod damage;
mod disk;
#[cfg(all(feature = "host", feature = "remote"))]
mod local_server;

pub use crate::faults::{Faults, StorageFault};
pub use child::{Child, ChildOutcome};
pub use disk::SmallDisk;
#[cfg(all(feature = "host", feature = "remote"))]
pub use local_server::LocalServer;

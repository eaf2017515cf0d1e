//! Fault injection for tests of crates that use the store.
//!
//! [`Faults`] makes commits and the storage beneath them fail. [`Child`] runs a part of a test as a separate program
//! that can be killed. [`crash`] kills many programs and compares the stored data. [`damage`] changes the files of a
//! closed directory. A [`SmallDisk`] can be filled.

mod child;
pub mod crash;
pub mod damage;
mod disk;
mod fault_kinds;
mod faults;

pub use child::{Child, Outcome};
pub use disk::SmallDisk;
pub use faults::{Faults, StorageFault};

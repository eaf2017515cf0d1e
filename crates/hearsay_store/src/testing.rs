//! Failures on demand, for the tests of those who use the store.
//!
//! [`Faults`] makes commits and the storage beneath them fail. [`Child`] runs a part of a test as a program of its own
//! that can be killed; [`crash`] does so many times and compares what is left. [`damage`] changes the files of a
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

//! Checks and repairs a campaign directory.
//!
//! This module reads all files without the engine ([`crate::engine::raw_files`]). It inserts the found rows into a
//! database in memory, which can decode them. Then it checks the rows against each other and against the acknowledged
//! position.

mod fold;
mod inspect;
mod rebuild;
mod report;
mod rows;

pub use inspect::check_directory;
pub use rebuild::repair_directory;
pub use report::{CheckReport, LostOperation, RepairReport};

//! Checks and repairs a campaign directory.
//!
//! This module reads all files without the engine ([`crate::engine::raw_files`]). The module inserts the rows into a
//! database in memory, which decodes the rows. Then the module checks whether the rows are consistent with each other
//! and with the acknowledged position.

mod fold;
mod inspect;
mod rebuild;
mod report;
mod rows;

pub use inspect::check_directory;
pub use rebuild::repair_directory;
pub use report::{CheckReport, LostOperation, RepairReport};

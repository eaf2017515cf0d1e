//! Checking and repairing the directory of a campaign.
//!
//! This module reads all files without the engine ([`crate::kv::files`]). It puts the journal rows that it finds into a
//! database in memory, which can decode them. It then compares the rows with each other and with the acknowledged mark.

mod build;
mod fold;
mod inspect;
mod rows;
mod swap;

use std::path::PathBuf;

use hearsay_model::Position;

pub use crate::kv::files::FileDamage;
pub(crate) use swap::finish as finish_repair;
pub use {build::repair, inspect::check};

/// An operation that is lost, or that depends on a lost operation and cannot be applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostOperation {
    /// Position of the operation.
    pub position: Position,
    /// Summary written by the author of the operation, if it is known.
    pub summary: Option<String>,
    /// Reason why the operation is lost.
    pub reason: String,
}

/// Result of checking the directory of a campaign.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Number of database files read.
    pub files: usize,
    /// Total size of these files in bytes.
    pub bytes: u64,
    /// Damaged files of the database.
    pub damage: Vec<FileDamage>,
    /// Damaged files of derived data. Opening the campaign creates them again.
    pub derived_damage: Vec<FileDamage>,
    /// Position of the newest operation that was saved.
    pub newest: Position,
    /// Number of operations that can be read and applied.
    pub operations: u64,
    /// Operations that cannot be read.
    pub lost: Vec<LostOperation>,
    /// Operations that can be read but not applied, because other operations are lost.
    pub unfit: Vec<LostOperation>,
    /// Number of missing operations that are too old to be undone. Their positions are unknown.
    pub lost_compacted: u64,
    /// Whether the operations that are too old to be undone differ from those that compaction kept. Operations that
    /// compaction had removed may be back.
    pub changed_compacted: bool,
    /// Number of unreadable rows of transient values.
    pub lost_transient_rows: usize,
    /// Whether the transient values may include replaced or deleted ones. Without a manifest, the newest files are
    /// unknown.
    pub has_stale_transients: bool,
    /// Number of operations that only the snapshot contains.
    pub only_in_snapshot: usize,
    /// Number of graph records that differed from the state.
    pub graph_differences: usize,
    /// Other error: the reason why the database does not open.
    pub error: Option<String>,
}

impl CheckReport {
    /// Returns whether the check found no problem.
    pub fn is_whole(&self) -> bool {
        self.has_whole_database() && self.derived_damage.is_empty()
    }

    /// Returns the number of operations that cannot be read or cannot be applied.
    pub fn lost_count(&self) -> u64 {
        (self.lost.len() + self.unfit.len()) as u64 + self.lost_compacted
    }

    /// Returns whether the check found no problem, apart from derived files that opening creates again.
    pub fn has_whole_database(&self) -> bool {
        let Self { damage, lost_transient_rows, only_in_snapshot, error, .. } = self;
        damage.is_empty()
            && !self.changed_compacted
            && self.lost_count() == 0
            && *lost_transient_rows == 0
            && *only_in_snapshot == 0
            && self.graph_differences == 0
            && error.is_none()
    }
}

/// Result of repairing a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairReport {
    /// Result of the check before the repair.
    pub found: CheckReport,
    /// Number of saved operations.
    pub saved: u64,
    /// New location of the damaged files, or `None` if no repair was necessary.
    pub kept: Option<PathBuf>,
}

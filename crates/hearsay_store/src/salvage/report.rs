//! Results of checking and repairing a campaign directory.

use std::path::PathBuf;

use hearsay_model::Position;

use crate::engine::raw_files::FileDamage;

/// An operation that cannot be read, or that cannot be applied because it depends on a lost operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostOperation {
    /// Position of the operation.
    pub position: Position,
    /// Summary of the operation, or `None` if the summary is not readable.
    pub summary: Option<String>,
    /// Reason why the operation cannot be read or applied.
    pub reason: String,
}

/// Result of checking the directory of a campaign.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Number of database files that were read.
    pub files: usize,
    /// Total size in bytes of the database files that were read.
    pub bytes: u64,
    /// Damaged files of the database.
    pub damage: Vec<FileDamage>,
    /// Damaged files of derived data, such as the snapshot. Hearsay creates these files again after the campaign is
    /// opened.
    pub derived_damage: Vec<FileDamage>,
    /// Position of the newest operation that was ever saved, according to the files in the directory. The operation
    /// itself may be lost.
    pub newest: Position,
    /// Number of operations that can be read and applied.
    pub operations: u64,
    /// Operations that cannot be read.
    pub lost: Vec<LostOperation>,
    /// Operations that can be read but cannot be applied, because other operations are lost.
    pub inapplicable: Vec<LostOperation>,
    /// Number of missing operations in the compacted part of the journal, the part from which old changes were removed.
    /// The positions of these operations are unknown.
    pub lost_compacted: u64,
    /// Whether the compacted part of the journal differs from the data that the compaction wrote. For example,
    /// operations that compaction removed may be present again.
    pub changed_compacted: bool,
    /// Number of unreadable rows of transient values.
    pub lost_transient_rows: usize,
    /// Whether the transient values (current values without stored past values) can be outdated. The value is `true` if
    /// the manifest is not readable. The manifest is the database's list of the files in use.
    pub has_stale_transients: bool,
    /// Number of operations that only the snapshot contains.
    pub only_in_snapshot: usize,
    /// Number of records in the graph tables that differed from the state, and that the check repaired. Records can
    /// differ if a program did not close the campaign. Repaired records are not damage, because every opening of the
    /// campaign makes this repair.
    pub repaired_records: usize,
    /// Number of records in the graph tables that differ from the state even after the repair. 0 if the files are
    /// damaged, because the check then does not compare the graph tables.
    pub graph_differences: usize,
    /// Reason why the database cannot be opened or returns wrong data, although its files are intact. `None` if the
    /// database has no such problem.
    pub error: Option<String>,
}

impl CheckReport {
    /// Returns whether the check found no problem at all.
    pub fn is_intact(&self) -> bool {
        self.has_intact_database() && self.derived_damage.is_empty()
    }

    /// Returns the number of operations that are missing, cannot be read, or cannot be applied.
    pub fn lost_count(&self) -> u64 {
        (self.lost.len() + self.inapplicable.len()) as u64 + self.lost_compacted
    }

    /// Returns whether the check found no problem in the database. Ignores damaged files of derived data, such as the
    /// snapshot.
    pub fn has_intact_database(&self) -> bool {
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

/// Result of repairing the directory of a campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairReport {
    /// Result of the check that was made before the repair.
    pub found: CheckReport,
    /// Number of operations in the database after the repair.
    pub saved: u64,
    /// Directory to which the damaged files were moved, or `None` if no repair was necessary.
    pub damaged_files: Option<PathBuf>,
}

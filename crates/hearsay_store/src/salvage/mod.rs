//! Checking a campaign's directory, and saving what a damaged one still holds.
//!
//! All files are read without the engine ([`crate::kv::files`]). The rows of the journal that are found are put into a database
//! in memory, which knows how to read them, and are compared with each other and with the note of what was acknowledged.

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

/// An operation that is lost, or that cannot be applied without one that is lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostOperation {
    /// Its position.
    pub position: Position,
    /// What it did, in the words of its author, where that is known.
    pub summary: Option<String>,
    /// Why it is lost.
    pub reason: String,
}

/// How the directory of a campaign was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// The files of the database that were read.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Files of the database that are not as they were written.
    pub damage: Vec<FileDamage>,
    /// Files of derived data that are not as they were written. They are made anew when the campaign is opened.
    pub derived_damage: Vec<FileDamage>,
    /// The position of the newest operation that was saved.
    pub newest: Position,
    /// The number of operations that can be read and applied.
    pub operations: u64,
    /// Operations that cannot be read.
    pub lost: Vec<LostOperation>,
    /// Operations that can be read and cannot be applied, because others are lost.
    pub unfit: Vec<LostOperation>,
    /// Operations that are missing of those that undo does not reach. Their positions are not known.
    pub lost_compacted: u64,
    /// Whether other operations are found than were kept of those that undo does not reach: some that compaction had
    /// removed may be back.
    pub changed_compacted: bool,
    /// Rows of transient values that cannot be read.
    pub lost_transient_rows: usize,
    /// Whether transient values that were replaced or deleted may be among those that are found: there is no manifest to tell
    /// which files are the newest.
    pub has_stale_transients: bool,
    /// Operations that only the snapshot holds.
    pub only_in_snapshot: usize,
    /// Records of the graph tables that differed from the state.
    pub graph_differences: usize,
    /// What else is wrong: why the database does not open.
    pub error: Option<String>,
}

impl CheckReport {
    /// Whether nothing is wrong.
    pub fn is_whole(&self) -> bool {
        self.has_whole_database() && self.derived_damage.is_empty()
    }

    /// The number of operations that cannot be read, or not applied.
    pub fn lost_count(&self) -> u64 {
        (self.lost.len() + self.unfit.len()) as u64 + self.lost_compacted
    }

    /// Whether nothing is wrong but what is made anew when the campaign is opened.
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

/// What became of a directory that was repaired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairReport {
    /// How the directory was found.
    pub found: CheckReport,
    /// Operations that were saved.
    pub saved: u64,
    /// Where the damaged files are now; nothing, when nothing had to be repaired.
    pub kept: Option<PathBuf>,
}

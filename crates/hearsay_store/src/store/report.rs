//! Report on how a campaign was opened.

use std::time::Duration;

use hearsay_model::Position;

/// Report on how a campaign was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenReport {
    /// Position of the newest operation.
    pub position: Position,
    /// Position of the snapshot that was used, or `None` if no snapshot was used.
    pub snapshot: Option<Position>,
    /// Reason why an existing snapshot was not used. `None` if the snapshot was used or if there is no snapshot.
    pub snapshot_ignored: Option<String>,
    /// Number of operations that were read from the journal. With a snapshot, these are the operations after the
    /// snapshot. Without a snapshot, these are the operations after the compacted part.
    pub replayed_operations: u64,
    /// Number of chunks that were deleted because their operations were never committed. A chunk is a part of a large
    /// operation.
    pub swept_chunks: usize,
    /// Number of outdated records in the graph tables. The store rewrites these records in the background.
    pub catching_up: usize,
    /// Number of the newest stored batch of transient values, which are current values without stored past values. Each
    /// commit with transient values stores one batch.
    pub transient_batch: u64,
    /// Whether the graph tables are being compared with the state in the background and repaired. The value is `true`
    /// in three cases: the previous program did not close the campaign, the tables may contain outdated transient
    /// values, or no earlier comparison was complete.
    pub verifying: bool,
    /// Schema version of the database before it was opened; 0 for a new database.
    pub schema: u64,
    /// Duration of opening the campaign.
    pub took: Duration,
}

//! Results of writes, imports and closing.

use hearsay_campaign::ImportReport;
use hearsay_commands::patches::RefusedField;
use hearsay_model::{EntityId, FactId, Operation, Position};
use serde::Serialize;

/// Result of [`Memory::patch`](crate::Memory::patch).
#[derive(Debug, Clone, PartialEq)]
pub struct Patched {
    /// Operation that recorded the patches in the journal; `None` if the journal was not written, for example because
    /// only transient values changed.
    pub written: Option<Written>,
    /// Number of this write, counted since the memory was opened. This number equals `revision` in
    /// [`Event::Applied`](crate::Event::Applied). `None` if nothing changed.
    pub revision: Option<u64>,
    /// Fields that could not be written, with the reasons.
    pub refused: Vec<RefusedField>,
}

/// Result of a write.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Written {
    /// Position of the operation in the journal.
    pub position: Position,
    /// Short summary of the operation.
    pub summary: String,
    /// Number of changes in the operation.
    pub changes: usize,
}

impl Written {
    pub(crate) fn new(position: Position, operation: &Operation) -> Self {
        Self { position, summary: operation.summary.clone(), changes: operation.changes.len() }
    }
}

/// Result of a game event.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EventOutcome {
    /// Operation that recorded the event.
    pub written: Written,
    /// Facts that the event states, in the order of its statements: see
    /// [`EventPlan::facts`](hearsay_commands::game_event::EventPlan::facts).
    pub facts: Vec<FactId>,
    /// Characters that heard or saw the event, or that read the document. Sorted and unique. The speaker or teller is
    /// not included.
    pub heard_by: Vec<EntityId>,
}

/// Result of an import.
#[derive(Debug, Clone, Serialize)]
pub struct ImportOutcome {
    /// Report of the import: numbers of records and changes, and warnings.
    #[serde(flatten)]
    pub report: ImportReport,
    /// Operation that recorded the import; `None` if nothing changed or this was a dry run.
    pub written: Option<Written>,
    /// Whether the import changed the campaign or, in a dry run, would change it.
    #[serde(skip)]
    pub is_change: bool,
}

/// Counts of changes that were accepted but not yet committed when closing began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Closed {
    /// Number of changes that were committed while the memory closed.
    pub committed: usize,
    /// Number of changes that were not committed, because the time limit was reached or the database rejected them. The
    /// request for each of these changes received an error.
    pub not_committed: usize,
}

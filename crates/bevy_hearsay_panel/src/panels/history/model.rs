//! The data that the history panel displays.

use hearsay_model::{FactId, Position};
use hearsay_query::journal::{HistoryRow, UndoRow};
use serde::Serialize;

/// A request for a part of the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryRequest {
    /// Displayed name of the author whose operations are requested; `None` for all authors.
    pub author: Option<String>,
    /// Maximum number of operations to read.
    pub limit: usize,
}

/// The operations that the panel lists, newest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct HistoryModel {
    /// The listed operations.
    pub rows: Vec<OperationModel>,
    /// Number of operations that the filter accepts, including operations that are not listed.
    pub total: usize,
    /// Displayed names of all authors, each with the number of operations.
    pub authors: Vec<(String, usize)>,
}

/// An operation of the journal, for display.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OperationModel {
    /// Position of the operation in the journal.
    pub position: Position,
    /// Author of the operation.
    pub author: String,
    /// Time since the operation was recorded, as text.
    pub age: String,
    /// Summary of the operation.
    pub summary: String,
    /// Number of changes in the operation.
    pub changes: usize,
    /// Whether the operation is live: it is in effect, because it has not been reverted.
    pub live: bool,
    /// Position of the undo that reverted this operation; `None` if no undo did. To restore this operation, revert the
    /// undo at this position.
    pub undone_by: Option<Position>,
    /// Whether the operation only reverts other operations.
    pub is_undo: bool,
}

/// Preview of undoing an operation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UndoModel {
    /// Position of the operation to undo.
    pub position: Position,
    /// Summary of the operation.
    pub summary: String,
    /// Whether the operation is itself an undo. If `true`, undoing this operation is a redo.
    pub is_redo: bool,
    /// Numbers of items that the undo removes, as texts such as `3 facts`.
    pub removed_counts: Vec<String>,
    /// Facts that the undo removes: id and sentence.
    pub facts: Vec<(FactId, String)>,
    /// Number of further removed facts that are not listed.
    pub omitted_facts: usize,
    /// Number of records (entities, facts, edges and others) that the undo changes or restores.
    pub changed: usize,
    /// Later operations that depend on this operation, each with its position and its summary.
    pub dependents: Vec<(Position, String)>,
    /// Descriptions of the knowledge that characters lose through the undo.
    pub knowledge: Vec<String>,
    /// Number of further losses of knowledge that are not listed.
    pub omitted_knowledge: usize,
}

impl OperationModel {
    /// Converts a row of the journal for display. `now` is the current real time in milliseconds.
    pub fn from_row(row: HistoryRow, undone_by: Option<Position>, is_undo: bool, now: i64) -> Self {
        Self {
            position: row.position,
            author: row.author,
            age: format_age(now.saturating_sub(row.recorded.0)),
            summary: row.summary,
            changes: row.changes,
            live: row.live,
            undone_by,
            is_undo,
        }
    }
}

/// Formats an age given in milliseconds.
pub(super) fn format_age(millis: i64) -> String {
    match millis / 60_000 {
        ..1 => "just now".into(),
        minutes @ 1..60 => format!("{minutes} min ago"),
        minutes @ 60..1440 => format!("{} h ago", minutes / 60),
        minutes => crate::text::format_count(usize::try_from(minutes / 1440).unwrap_or(0), "day ago", "days ago"),
    }
}

impl UndoModel {
    /// Converts the engine's preview for display.
    pub fn from_row(row: UndoRow, facts_shown: usize) -> Self {
        let count = |plural: &str| row.lost.iter().find(|(name, _)| *name == plural).map_or(0, |(_, count)| *count);
        let singular = |name: &str| match name {
            "entities" => "entity".to_owned(),
            "knowledge edges" => "knowledge edge".to_owned(),
            name => name.trim_end_matches('s').to_owned(),
        };
        Self {
            position: row.operation.position,
            summary: row.operation.summary.clone(),
            is_redo: row.is_redo,
            removed_counts: row
                .lost
                .iter()
                .map(|(name, count)| crate::text::format_count(*count, &singular(name), name))
                .collect(),
            omitted_facts: count("facts").saturating_sub(facts_shown.min(row.facts.len())),
            facts: row.facts.into_iter().map(|fact| (fact.fact, fact.statement)).collect(),
            changed: row.changed,
            dependents: row.dependents.into_iter().map(|row| (row.position, row.summary)).collect(),
            knowledge: Vec::new(),
            omitted_knowledge: 0,
        }
    }
}

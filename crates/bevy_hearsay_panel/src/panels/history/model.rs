//! What the panel shows.

use hearsay_memory::query::{HistoryRow, UndoRow};
use hearsay_model::{FactId, Position};
use serde::Serialize;

/// What the panel asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryRequest {
    /// Only by this author, as it is printed.
    pub author: Option<String>,
    /// At most so many.
    pub limit: usize,
}

/// Operations, the newest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct HistoryModel {
    /// The operations.
    pub rows: Vec<OperationModel>,
    /// How many there are in all that the filter lets through.
    pub all: usize,
    /// Who made any, and how many.
    pub authors: Vec<(String, usize)>,
}

/// An operation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OperationModel {
    /// Where it stands in the journal.
    pub position: Position,
    /// Who made it.
    pub author: String,
    /// How long ago.
    pub ago: String,
    /// What it did.
    pub summary: String,
    /// How many changes it made.
    pub changes: usize,
    /// Whether it counts.
    pub live: bool,
    /// What is to be undone in order to have it back.
    pub undone_by: Option<Position>,
    /// Whether it does nothing but undo others.
    pub is_undo: bool,
}

/// What undoing an operation would do.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UndoModel {
    /// The operation that would be undone.
    pub position: Position,
    /// What it did.
    pub summary: String,
    /// Whether undoing it brings back what it undid.
    pub is_redo: bool,
    /// What would disappear, counted: `3 facts`.
    pub lost: Vec<String>,
    /// Facts that would disappear: their sentences, and whether they are secret.
    pub facts: Vec<(FactId, String, bool)>,
    /// How many more facts would disappear.
    pub more: usize,
    /// How many records change or come back.
    pub changed: usize,
    /// Later operations that lose something.
    pub dependents: Vec<(Position, String)>,
    /// Who would know something no more: in words, and whether it is secret.
    pub knowledge: Vec<(String, bool)>,
    /// How many more would.
    pub more_knowledge: usize,
}

impl OperationModel {
    /// A row of the journal at a moment of the real clock, in milliseconds.
    pub fn of(row: HistoryRow, undone_by: Option<Position>, is_undo: bool, now: i64) -> Self {
        Self {
            position: row.position,
            author: row.author,
            ago: ago(now.saturating_sub(row.recorded.0)),
            summary: row.summary,
            changes: row.changes,
            live: row.live,
            undone_by,
            is_undo,
        }
    }
}

/// How long ago, in a word.
pub(super) fn ago(millis: i64) -> String {
    match millis / 60_000 {
        ..1 => "just now".into(),
        minutes @ 1..60 => format!("{minutes} min ago"),
        minutes @ 60..1440 => format!("{} h ago", minutes / 60),
        minutes => crate::text::counted(usize::try_from(minutes / 1440).unwrap_or(0), "day ago", "days ago"),
    }
}

impl UndoModel {
    /// What the engine says, for people.
    pub fn of(row: UndoRow, facts_shown: usize) -> Self {
        let count = |what: &str| row.lost.iter().find(|(name, _)| *name == what).map_or(0, |(_, count)| *count);
        let one = |what: &str| match what {
            "entities" => "entity".to_owned(),
            "edges of knowledge" => "edge of knowledge".to_owned(),
            what => what.trim_end_matches('s').to_owned(),
        };
        Self {
            position: row.operation.position,
            summary: row.operation.summary.clone(),
            is_redo: row.is_redo,
            lost: row.lost.iter().map(|(what, count)| crate::text::counted(*count, &one(what), what)).collect(),
            more: count("facts").saturating_sub(facts_shown.min(row.facts.len())),
            facts: row.facts.into_iter().map(|fact| (fact.fact, fact.statement, fact.secret)).collect(),
            changed: row.changed,
            dependents: row.dependents.into_iter().map(|row| (row.position, row.summary)).collect(),
            knowledge: Vec::new(),
            more_knowledge: 0,
        }
    }
}

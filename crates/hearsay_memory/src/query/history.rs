//! The journal for people: operations by author, the operations that undid them, and the effect of an undo.

use std::collections::BTreeMap;

use hearsay_model::{Change, Entry, FactId, Key, Position, State};
use serde::Serialize;

use super::{HistoryRow, history_row, timeline::is_secret};
use crate::{MemoryError, UndoTarget};

/// Filter for listing operations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistoryFilter {
    /// Only operations by this author, as printed: `DM`, `import of gullhaven`.
    pub author: Option<String>,
    /// Only operations before this position, for paging.
    pub before: Option<Position>,
    /// Maximum number of operations.
    pub limit: usize,
}

/// Operations of the journal.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Operations {
    /// Operations, newest first.
    pub rows: Vec<OperationRow>,
    /// Total number of operations that pass the filter.
    pub all: usize,
    /// Authors with their number of operations, unfiltered. By name.
    pub authors: Vec<(String, usize)>,
}

/// An operation of the journal with its fate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OperationRow {
    /// The operation.
    #[serde(flatten)]
    pub row: HistoryRow,
    /// For an operation that is not live: the operation to undo in order to restore it.
    pub undone_by: Option<Position>,
    /// Whether it only undoes others.
    pub is_undo: bool,
}

/// Returns the operations of a campaign, one page at a time.
pub fn operations(state: &State, filter: &HistoryFilter) -> Operations {
    let mut undone: BTreeMap<Position, Position> = BTreeMap::new();
    let mut authors: BTreeMap<String, usize> = BTreeMap::new();
    for (position, entry) in state.journal() {
        *authors.entry(entry.operation.author.to_string()).or_default() += 1;
        for change in entry.operation.changes.iter().filter(|_| entry.live) {
            match change {
                Change::Revert(of) => _ = undone.insert(*of, position),
                Change::Restore(to) => {
                    let between = (to.0 + 1..position.0).map(Position);
                    let gone = between.filter(|of| state.entry(*of).is_some_and(|entry| !entry.live));
                    gone.for_each(|of| _ = undone.entry(of).or_insert(position));
                }
                _ => {}
            }
        }
    }
    let wanted =
        |entry: &Entry| filter.author.as_ref().is_none_or(|author| entry.operation.author.to_string() == *author);
    let mut operations = Operations { authors: authors.into_iter().collect(), ..Operations::default() };
    for (position, entry) in state.journal().rev().filter(|(_, entry)| wanted(entry)) {
        operations.all += 1;
        let before = filter.before.is_none_or(|before| position < before);
        if before && operations.rows.len() < filter.limit {
            operations.rows.push(OperationRow {
                row: history_row(position, entry),
                undone_by: undone.get(&position).copied().filter(|_| !entry.live),
                is_undo: is_undo(entry),
            });
        }
    }
    operations
}

fn is_undo(entry: &Entry) -> bool {
    let undoes = |change: &Change| matches!(change, Change::Revert(_) | Change::Restore(_));
    !entry.operation.changes.is_empty() && entry.operation.changes.iter().all(undoes)
}

/// The effect of an undo in words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UndoRow {
    /// The operation.
    pub operation: HistoryRow,
    /// Whether undoing it restores the operation that it undid.
    pub is_redo: bool,
    /// Number of records that would disappear, with their names: entities, facts, knowledge edges, passages, sessions
    /// and settings.
    pub lost: Vec<(&'static str, usize)>,
    /// Facts that would disappear, up to the limit.
    pub facts: Vec<LostFact>,
    /// Number of records that would change or come back.
    pub changed: usize,
    /// Later operations that would lose something, oldest first.
    pub dependents: Vec<HistoryRow>,
}

/// A fact that would disappear.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LostFact {
    /// The fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Whether the fact is a secret.
    pub secret: bool,
}

/// Returns the effect of an undo in words, with at most `limit` facts. Applies the undo to a copy of the state, so call
/// it on a background thread.
///
/// # Errors
/// When there is nothing to undo.
pub fn undo_in_words(state: &State, target: &UndoTarget, limit: usize) -> Result<UndoRow, MemoryError> {
    let position = target.position(state)?;
    let preview = state.undo_preview(position)?;
    let entry = state.entry(position).ok_or(hearsay_model::ApplyError::NoOperation(position))?;
    let mut lost: BTreeMap<usize, (&'static str, usize)> = BTreeMap::new();
    for key in &preview.lost {
        let (place, what) = match key {
            Key::Entity(_) => (0, "entities"),
            Key::Fact(_) => (1, "facts"),
            Key::KnowledgeEdge(_) => (2, "edges of knowledge"),
            Key::Passage(_) => (3, "passages"),
            Key::Session(_) => (4, "sessions"),
            Key::Setting(_) => (5, "settings"),
        };
        lost.entry(place).or_insert((what, 0)).1 += 1;
    }
    let facts = preview.lost.iter().filter_map(|key| match key {
        Key::Fact(id) => state.fact(*id),
        _ => None,
    });
    let fact = |fact: &std::sync::Arc<hearsay_model::Fact>| LostFact {
        fact: fact.id(),
        statement: fact.statement().to_owned(),
        secret: is_secret(state, fact),
    };
    let row = |position: &Position| state.entry(*position).map(|entry| history_row(*position, entry));
    Ok(UndoRow {
        operation: history_row(position, entry),
        is_redo: is_undo(entry),
        lost: lost.into_values().collect(),
        facts: facts.take(limit).map(fact).collect(),
        changed: preview.changed.len(),
        dependents: preview.dependents.iter().filter_map(row).collect(),
    })
}

/// Returns the summary of an undo. The undo of an undo restores the removed records.
pub(crate) fn undo_summary(state: &State, position: Position) -> String {
    let (mut of, mut verbs) = (position, ["undo", "redo"].into_iter().cycle());
    let mut verb = verbs.next();
    while let Some([Change::Revert(undone)]) = state.entry(of).map(|entry| &entry.operation.changes[..]) {
        (of, verb) = (*undone, verbs.next());
    }
    let summary = state.entry(of).map_or("", |entry| &entry.operation.summary);
    format!("{} {of}: {summary}", verb.unwrap_or_default())
}

//! Lists of the operations in the journal, and descriptions of the effect of an undo.

use std::collections::BTreeMap;

use hearsay_model::{
    Author, Change, EngineSetting, Entry, FactId, Key, Operation, Position, Setting, State, Timestamp,
};
use serde::Serialize;

use crate::{QueryError, facts::is_secret};

/// Filter for listing operations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistoryFilter {
    /// The query returns only operations by this author, in the notation of the output, such as `DM` or `import of
    /// gullhaven`. `None` selects all authors.
    pub author: Option<String>,
    /// The query returns only operations before this position. To get the next page, set this field to the last
    /// position of the previous page. `None` starts at the newest operation.
    pub before: Option<Position>,
    /// Maximum number of operations.
    pub limit: usize,
}

/// A page of the operations in the journal, and the authors of all operations.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Operations {
    /// Operations, newest first.
    pub rows: Vec<OperationRow>,
    /// Total number of operations that pass the filter.
    pub all: usize,
    /// All authors with the number of their operations, regardless of the filter. Sorted by name.
    pub authors: Vec<(String, usize)>,
}

/// An operation of the journal, with information about its undo.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OperationRow {
    /// Details of the operation.
    #[serde(flatten)]
    pub row: HistoryRow,
    /// Position of the operation that undid this operation; `None` if this operation is still in effect. To restore
    /// this operation, undo the operation at `undone_by`.
    pub undone_by: Option<Position>,
    /// Whether this operation only undoes other operations.
    pub is_undo: bool,
}

/// Returns the newest operations that pass a filter. To get the next page, set [`HistoryFilter::before`].
pub fn operations(state: &State, filter: &HistoryFilter) -> Operations {
    let mut undone: BTreeMap<Position, Position> = BTreeMap::new();
    let mut authors: BTreeMap<String, usize> = BTreeMap::new();
    for (position, entry) in state.journal() {
        *authors.entry(entry.operation.author.to_string()).or_default() += 1;
        for change in entry.operation.changes.iter().filter(|_| entry.live) {
            match change {
                Change::Revert(target) => _ = undone.insert(*target, position),
                Change::Restore(to) => {
                    let positions_between = (to.0 + 1..position.0).map(Position);
                    let reverted =
                        positions_between.filter(|target| state.entry(*target).is_some_and(|entry| !entry.live));
                    reverted.for_each(|target| _ = undone.entry(target).or_insert(position));
                }
                _ => {}
            }
        }
    }
    let matches_author =
        |entry: &Entry| filter.author.as_ref().is_none_or(|author| entry.operation.author.to_string() == *author);
    let mut operations = Operations { authors: authors.into_iter().collect(), ..Operations::default() };
    for (position, entry) in state.journal().rev().filter(|(_, entry)| matches_author(entry)) {
        operations.all += 1;
        let is_before_limit = filter.before.is_none_or(|before| position < before);
        if is_before_limit && operations.rows.len() < filter.limit {
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
    !entry.operation.changes.is_empty() && entry.operation.changes.iter().all(Change::is_undo)
}

/// The effect of undoing an operation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UndoRow {
    /// Operation to undo.
    pub operation: HistoryRow,
    /// Whether the operation to undo is an undo. Undoing an undo restores the operation that it undid.
    pub is_redo: bool,
    /// Number of records that the undo would remove, for each type of record: entities, facts, knowledge edges,
    /// passages, sessions and settings.
    pub lost: Vec<(&'static str, usize)>,
    /// Facts that the undo would remove, up to the `limit` of [`describe_undo`].
    pub facts: Vec<LostFact>,
    /// Number of records that the undo would change or restore.
    pub changed: usize,
    /// Later operations that changed a record that the undo would remove, oldest first. The undo would also remove
    /// their changes of this record.
    pub dependents: Vec<HistoryRow>,
}

/// A fact that an undo would remove.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LostFact {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Whether the fact is a secret.
    pub secret: bool,
}

/// Describes the effect of undoing an operation, with at most `limit` facts. The function applies the undo to a copy of
/// the state, so call it on a background thread.
///
/// # Errors
/// Returns an error if there is no operation to undo.
pub fn describe_undo(state: &State, target: &UndoTarget, limit: usize) -> Result<UndoRow, QueryError> {
    let position = target.position(state)?;
    let preview = state.undo_preview(position)?;
    let entry = state.entry(position).ok_or(hearsay_model::ApplyError::NoOperation(position))?;
    let mut lost: BTreeMap<usize, (&'static str, usize)> = BTreeMap::new();
    for key in &preview.lost {
        let (order, record_type) = match key {
            Key::Entity(_) => (0, "entities"),
            Key::Fact(_) => (1, "facts"),
            Key::KnowledgeEdge(_) => (2, "knowledge edges"),
            Key::Passage(_) => (3, "passages"),
            Key::Session(_) => (4, "sessions"),
            Key::Setting(_) => (5, "settings"),
        };
        lost.entry(order).or_insert((record_type, 0)).1 += 1;
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

/// Returns the summary of an undo of the operation at a position. If this operation is itself an undo, the summary says
/// `redo`.
pub fn undo_summary(state: &State, position: Position) -> String {
    let (target, undo_count) = undone_operation(state, position);
    let verb = if undo_count % 2 == 0 { "undo" } else { "redo" };
    let summary = state.entry(target).map_or("", |entry| &entry.operation.summary);
    format!("{verb} {target}: {summary}")
}

/// Returns whether an undo of the operation at a position reverts an import. Returns `false` if the undo restores the
/// import.
pub fn reverts_import(state: &State, position: Position) -> bool {
    let (target, undo_count) = undone_operation(state, position);
    let is_import = |entry: &Entry| matches!(entry.operation.author, Author::Importer(_));
    undo_count % 2 == 0 && state.entry(target).is_some_and(is_import)
}

/// Follows a chain of undo operations. Returns the operation that the first of them undid, and their number.
///
/// The first change of an undo reverts this operation. Further changes revert the facts that were extracted from its
/// texts: see [`State::undo_changes`].
fn undone_operation(state: &State, mut position: Position) -> (Position, usize) {
    let mut undo_count = 0;
    while let Some(undo) = state.entry(position).filter(|entry| is_undo(entry))
        && let Some(Change::Revert(undone)) = undo.operation.changes.first()
    {
        (position, undo_count) = (*undone, undo_count + 1);
    }
    (position, undo_count)
}

/// An operation of the journal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HistoryRow {
    /// Position of the operation.
    pub position: Position,
    /// Author of the operation.
    pub author: String,
    /// Real time at which the operation was recorded.
    pub recorded: Timestamp,
    /// Short summary of the operation.
    pub summary: String,
    /// Number of changes in the operation.
    pub changes: usize,
    /// Whether the operation is live: `true` if the operation is in effect, because it has not been undone.
    pub live: bool,
}

/// Returns the newest operations, newest first.
pub fn history(state: &State, limit: usize) -> Vec<HistoryRow> {
    state.journal().rev().take(limit).map(|(position, entry)| history_row(position, entry)).collect()
}

/// Returns the newest operations, newest first, without internal operations. Internal operations record the progress of
/// the extraction, the kinds of talk that the extractor found, and the model that computes the vectors.
pub fn visible_history(state: &State, limit: usize) -> Vec<HistoryRow> {
    let visible = state.journal().rev().filter(|(_, entry)| is_visible(&entry.operation));
    visible.take(limit).map(|(position, entry)| history_row(position, entry)).collect()
}

/// Returns the live operations after a position, newest first, without internal operations. An undo back to this
/// position reverts these operations.
pub fn live_operations_after(state: &State, position: Position) -> Vec<HistoryRow> {
    let later = state.journal().rev().take_while(|(at, _)| *at > position);
    let live = later.filter(|(_, entry)| entry.live && is_visible(&entry.operation));
    live.map(|(position, entry)| history_row(position, entry)).collect()
}

/// Returns whether an operation is not internal.
fn is_visible(Operation { author, changes, .. }: &Operation) -> bool {
    let is_internal = |change: &Change| match change {
        Change::SetTalkKind { .. } => *author == Author::Extractor,
        _ => is_progress_record(change),
    };
    changes.is_empty() || !changes.iter().all(is_internal)
}

/// Returns whether a change records the model of the vectors, or how many texts the extraction has read.
fn is_progress_record(change: &Change) -> bool {
    matches!(change, Change::Set(Setting::Engine(EngineSetting::Model(_) | EngineSetting::ExtractedUpTo(_))))
}

/// Returns whether the operation at a position only records the progress of the program, so that an undo of this operation
/// changes no data of the campaign. Returns `false` if there is no such operation.
pub fn records_only_progress(state: &State, position: Position) -> bool {
    state.entry(position).is_some_and(|entry| {
        let changes = &entry.operation.changes;
        !changes.is_empty() && changes.iter().all(is_progress_record)
    })
}

fn history_row(position: Position, entry: &hearsay_model::Entry) -> HistoryRow {
    HistoryRow {
        position,
        author: entry.operation.author.to_string(),
        recorded: entry.operation.recorded,
        summary: entry.operation.summary.clone(),
        changes: entry.operation.changes.len(),
        live: entry.live,
    }
}

/// Selection of the operation to undo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoTarget {
    /// The newest operation that has not been undone and that is not itself an undo.
    Last,
    /// The newest operation by this author that has not been undone and that is not itself an undo.
    LastBy(Author),
    /// The operation at a position.
    At(Position),
}

impl UndoTarget {
    /// Returns the journal position of the operation to undo.
    ///
    /// # Errors
    /// Returns an error if there is no operation to undo.
    pub fn position(&self, state: &State) -> Result<Position, QueryError> {
        if let Self::At(position) = self {
            return Ok(*position);
        }
        let is_edit = |operation: &Operation| {
            // An operation is not an edit if it only undoes others, changes save slots, or records the vector model or
            // the reading progress.
            let is_bookkeeping = |change: &Change| is_progress_record(change) || change.is_undo() || change.is_slot();
            !operation.changes.iter().all(is_bookkeeping)
        };
        let matches_author = |operation: &Operation| match self {
            Self::LastBy(author) => operation.author == *author,
            // Undoing a text also undoes the facts that were extracted from it.
            _ => operation.author != Author::Extractor,
        };
        let mut newest = state.journal().rev();
        let found =
            newest.find(|(_, entry)| entry.live && is_edit(&entry.operation) && matches_author(&entry.operation));
        let author = match self {
            Self::LastBy(author) => Some(author.to_string()),
            _ => None,
        };
        found.map(|(position, _)| position).ok_or(QueryError::NothingToUndo { author })
    }
}

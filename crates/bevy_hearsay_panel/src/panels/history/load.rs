//! Reads the journal, and computes previews of undo.

use std::time::SystemTime;

use hearsay_engine::{MemoryError, ReadSnapshot};
use hearsay_model::{Author, Knower, Operation, Position};
use hearsay_query::{
    journal::{HistoryFilter, UndoTarget, describe_undo, operations},
    preview::preview,
};

use super::model::{HistoryModel, HistoryRequest, OperationModel, UndoModel};

/// Maximum number of facts, and of losses of knowledge, that a preview lists.
const MAX_LISTED: usize = 12;

/// Maximum number of lost knowledge edges for which a preview names the knowers.
const MAX_NAMED_EDGES: usize = 2_000;

impl HistoryModel {
    /// Reads the journal. Call this function on a background thread, because it visits every change.
    ///
    /// # Errors
    /// Currently never returns an error.
    pub fn load(world: &ReadSnapshot, request: &HistoryRequest) -> Result<Self, MemoryError> {
        let filter = HistoryFilter { author: request.author.clone(), before: None, limit: request.limit };
        let result = operations(&world.state, &filter);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
        let rows =
            result.rows.into_iter().map(|row| OperationModel::from_row(row.row, row.undone_by, row.is_undo, now));
        Ok(Self { rows: rows.collect(), total: result.all, authors: result.authors })
    }
}

impl UndoModel {
    /// Computes the effect of undoing an operation. Call this function on a background thread, because it applies the
    /// undo to a copy of the state.
    ///
    /// # Errors
    /// Returns an error if the operation does not exist or is not live.
    pub fn load(world: &ReadSnapshot, position: Position) -> Result<Self, MemoryError> {
        let state = &*world.state;
        let row = describe_undo(state, &UndoTarget::At(position), MAX_LISTED)?;
        let lost_edge_count =
            row.lost.iter().find(|(name, _)| *name == "knowledge edges").map_or(0, |(_, count)| *count);
        let mut model = Self::from_row(row, MAX_LISTED);
        if (1..=MAX_NAMED_EDGES).contains(&lost_edge_count) {
            let revert = Operation::new(Author::Dm, "undo", state.undo_changes(position)?);
            let losses = preview(state, revert)?.lost;
            model.omitted_knowledge = losses.len().saturating_sub(MAX_LISTED);
            let to_line = |loss: &hearsay_query::preview::LostEdge| {
                let knower = match &loss.knower {
                    Knower::World => "Everybody",
                    Knower::Entity(id) => state.name_or_id(id),
                };
                let verb = if loss.still_knows { "still knows, from another source" } else { "no longer knows" };
                format!("{knower} {verb}: {}", loss.statement)
            };
            model.knowledge = losses.iter().take(MAX_LISTED).map(to_line).collect();
        }
        Ok(model)
    }
}

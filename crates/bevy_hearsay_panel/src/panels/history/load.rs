//! Reads the journal, and computes previews of undo.

use std::time::SystemTime;

use hearsay_engine::{MemoryError, ReadSnapshot};
use hearsay_model::{Author, Change, Knower, Operation, Position};
use hearsay_query::{
    facts::is_secret,
    journal::{HistoryFilter, UndoTarget, operations, undo_in_words},
    preview::preview,
};

use super::model::{HistoryModel, HistoryRequest, OperationModel, UndoModel};

/// Maximum number of facts, and of losses of knowledge, that a preview lists.
const SHOWN: usize = 12;

/// Maximum number of lost knowledge edges for which a preview names the knowers.
const MOST_EDGES: usize = 2_000;

impl HistoryModel {
    /// Reads the journal. Call this function on a background thread, because it visits every change.
    ///
    /// # Errors
    /// Currently never returns an error.
    pub fn load(world: &ReadSnapshot, request: &HistoryRequest) -> Result<Self, MemoryError> {
        let filter = HistoryFilter { author: request.author.clone(), before: None, limit: request.limit };
        let found = operations(&world.state, &filter);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
        let rows = found.rows.into_iter().map(|row| OperationModel::of(row.row, row.undone_by, row.is_undo, now));
        Ok(Self { rows: rows.collect(), all: found.all, authors: found.authors })
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
        let row = undo_in_words(state, &UndoTarget::At(position), SHOWN)?;
        let edges = row.lost.iter().find(|(what, _)| *what == "knowledge edges").map_or(0, |(_, count)| *count);
        let mut model = Self::of(row, SHOWN);
        if (1..=MOST_EDGES).contains(&edges) {
            let revert = Operation::new(Author::Dm, "undo", vec![Change::Revert(position)]);
            let lost = preview(state, revert)?.lost;
            model.more_knowledge = lost.len().saturating_sub(SHOWN);
            let line = |loss: &hearsay_query::preview::Loss| {
                let who = match &loss.knower {
                    Knower::World => "Everybody",
                    Knower::Entity(id) => state.name_or_id(id),
                };
                let verb = if loss.still_knows { "still knows, from another source" } else { "no longer knows" };
                let secret = state.fact(loss.fact).is_none_or(|fact| is_secret(state, fact));
                (format!("{who} {verb}: {}", loss.statement), secret)
            };
            model.knowledge = lost.iter().take(SHOWN).map(line).collect();
        }
        Ok(model)
    }
}

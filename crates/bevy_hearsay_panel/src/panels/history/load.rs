//! Reads the journal, and what undoing would do.

use std::time::SystemTime;

use hearsay_memory::{
    MemoryError, UndoTarget, World, preview,
    query::{HistoryFilter, is_secret, operations, undo_in_words},
};
use hearsay_model::{Author, Change, Knower, Operation, Position};

use super::model::{HistoryModel, HistoryRequest, OperationModel, UndoModel};

/// So many facts of a preview are listed, and so many who lose something.
const SHOWN: usize = 12;

/// Above so many edges it is not said who would lose which.
const MOST_EDGES: usize = 2_000;

impl HistoryModel {
    /// The journal; it looks at every change, so read it aside.
    ///
    /// # Errors
    /// None so far.
    pub fn load(world: &World, request: &HistoryRequest) -> Result<Self, MemoryError> {
        let filter = HistoryFilter { author: request.author.clone(), before: None, limit: request.limit };
        let found = operations(&world.state, &filter);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
        let rows = found.rows.into_iter().map(|row| OperationModel::of(row.row, row.undone_by, row.is_undo, now));
        Ok(Self { rows: rows.collect(), all: found.all, authors: found.authors })
    }
}

impl UndoModel {
    /// What undoing an operation would do; it tries it on a copy, so read it aside.
    ///
    /// # Errors
    /// When there is no such operation, or it does not count.
    pub fn load(world: &World, position: Position) -> Result<Self, MemoryError> {
        let state = &*world.state;
        let row = undo_in_words(state, &UndoTarget::At(position), SHOWN)?;
        let edges = row.lost.iter().find(|(what, _)| *what == "edges of knowledge").map_or(0, |(_, count)| *count);
        let mut model = Self::of(row, SHOWN);
        if (1..=MOST_EDGES).contains(&edges) {
            let void = Operation::new(Author::Dm, "undo", vec![Change::Void(position)]);
            let lost = preview(state, void)?.lost;
            model.more_knowledge = lost.len().saturating_sub(SHOWN);
            let line = |loss: &hearsay_memory::Loss| {
                let who = match &loss.knower {
                    Knower::World => "Everybody",
                    Knower::Entity(id) => state.name_or_id(id),
                };
                let verb = if loss.still_knows { "still knows, in another way" } else { "no longer knows" };
                let secret = state.fact(loss.fact).is_none_or(|fact| is_secret(state, fact));
                (format!("{who} {verb}: {}", loss.statement), secret)
            };
            model.knowledge = lost.iter().take(SHOWN).map(line).collect();
        }
        Ok(model)
    }
}

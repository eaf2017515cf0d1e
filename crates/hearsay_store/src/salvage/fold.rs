//! Folding a journal that has gaps.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_model::{Author, Change, Operation, Position, State, Timestamp, TransientUpdate};

use super::{LostOperation, rows::Rows};

/// A journal without gaps, and the state that it folds to.
pub(super) struct Whole {
    pub(super) state: State,
    /// End of the compacted part, followed by the operations that are kept up to there.
    pub(super) compacted_to: Position,
    pub(super) compacted: Vec<(Position, Arc<Operation>)>,
    /// One operation for each later position. Operations that change nothing replace those that are lost or cannot be
    /// applied, so that positions keep their meaning.
    pub(super) operations: Vec<Arc<Operation>>,
    pub(super) transients: BTreeMap<Position, TransientUpdate>,
    /// Operations that can be read but not applied.
    pub(super) unfit: Vec<LostOperation>,
}

impl Whole {
    /// Returns the number of operations, without those that replace lost ones.
    pub(super) fn count(&self, lost: &[LostOperation]) -> u64 {
        let replaced = lost.iter().chain(&self.unfit).filter(|lost| lost.position > self.compacted_to).count();
        (self.compacted.len() + self.operations.len() - replaced) as u64
    }
}

/// Applies every operation that is valid after the earlier ones.
pub(super) fn fold(rows: &mut Rows) -> Whole {
    let transients = std::mem::take(&mut rows.transients).into_updates();
    let mut whole = Whole {
        state: State::default(),
        compacted_to: rows.compacted_to,
        compacted: Vec::new(),
        operations: Vec::new(),
        transients,
        unfit: Vec::new(),
    };
    let mut recorded = Timestamp::default();
    let mut set_up_to = None;
    let tail = rows.operations.split_off(&rows.compacted_to.next());
    for (position, operation) in std::mem::replace(&mut rows.operations, tail) {
        set_transients(&mut whole, &mut set_up_to, position);
        let operation = Arc::new(operation);
        whole.state.apply_compacted(position, Arc::clone(&operation));
        whole.compacted.push((position, operation));
    }
    whole.state.advance_compaction(rows.compacted_to);
    for position in (rows.compacted_to.0 + 1..=rows.newest.0).map(Position) {
        set_transients(&mut whole, &mut set_up_to, position);
        let found = rows.operations.remove(&position).map(Arc::new);
        let fits = found.filter(|operation| match whole.state.check(operation) {
            Ok(()) => true,
            Err(error) => {
                let (summary, reason) = (Some(operation.summary.clone()), error.to_string());
                whole.unfit.push(LostOperation { position, summary, reason });
                false
            }
        });
        let operation = fits.unwrap_or_else(|| Arc::new(placeholder(position, recorded)));
        recorded = operation.recorded;
        if let Err(error) = whole.state.apply(Arc::clone(&operation)) {
            // A checked operation always applies, so this error would be a bug in the model.
            tracing::error!(%position, %error, "an operation that was checked could not be applied");
        }
        whole.operations.push(operation);
    }
    set_transients(&mut whole, &mut set_up_to, Position(u64::MAX));
    whole
}

/// Applies the transient updates that were set before a position and are not applied yet.
fn set_transients(whole: &mut Whole, set_up_to: &mut Option<Position>, before: Position) {
    let next = set_up_to.map_or(Position(0), Position::next);
    for (_, update) in whole.transients.range(next..before) {
        whole.state.set_transients(update);
    }
    *set_up_to = Some(Position(before.0 - 1));
}

/// Creates an operation that changes nothing: it restores the state of the previous position.
fn placeholder(position: Position, recorded: Timestamp) -> Operation {
    let before = Position(position.0.saturating_sub(1));
    let summary = "lost when the database was damaged";
    Operation { recorded, ..Operation::new(Author::Dm, summary, vec![Change::Restore(before)]) }
}

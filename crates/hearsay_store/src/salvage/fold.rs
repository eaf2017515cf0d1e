//! Folding a journal that has holes.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_model::{Author, Change, Operation, Position, State, Timestamp, TransientUpdate};

use super::{LostOperation, rows::Rows};

/// A journal without holes, and what it folds to.
pub(super) struct Whole {
    pub(super) state: State,
    /// How far the journal is compacted, and the operations that are kept up to there.
    pub(super) compacted_to: Position,
    pub(super) compacted: Vec<(Position, Arc<Operation>)>,
    /// One for each position after that. Those that are lost or do not fit are replaced by operations that change nothing, so that
    /// positions mean what they meant.
    pub(super) operations: Vec<Arc<Operation>>,
    pub(super) transients: BTreeMap<Position, TransientUpdate>,
    /// Operations that could be read and not applied.
    pub(super) unfit: Vec<LostOperation>,
}

impl Whole {
    /// The number of operations, without those that replace lost ones.
    pub(super) fn count(&self, lost: &[LostOperation]) -> u64 {
        let replaced = lost.iter().chain(&self.unfit).filter(|lost| lost.position > self.compacted_to).count();
        (self.compacted.len() + self.operations.len() - replaced) as u64
    }
}

/// Applies every operation that fits those before it.
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
            // What was checked is applied; this would be an error of the model.
            tracing::error!(%position, %error, "an operation that was checked could not be applied");
        }
        whole.operations.push(operation);
    }
    set_transients(&mut whole, &mut set_up_to, Position(u64::MAX));
    whole
}

/// Sets the transient values that were set before a position, and are not set yet.
fn set_transients(whole: &mut Whole, set_up_to: &mut Option<Position>, before: Position) {
    let next = set_up_to.map_or(Position(0), Position::next);
    for (_, update) in whole.transients.range(next..before) {
        whole.state.set_transients(update);
    }
    *set_up_to = Some(Position(before.0 - 1));
}

/// An operation that changes nothing: the state is again what it was before.
fn placeholder(position: Position, recorded: Timestamp) -> Operation {
    let before = Position(position.0.saturating_sub(1));
    let summary = "lost when the database was damaged";
    Operation { recorded, ..Operation::new(Author::Dm, summary, vec![Change::Restore(before)]) }
}

//! Folding a journal that has holes.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_model::{Author, Change, Operation, Position, State, Timestamp, TransientUpdate};

use super::{LostOperation, rows::Rows};

/// A journal without holes, and what it folds to.
pub(super) struct Whole {
    pub(super) state: State,
    /// One for each position. Those that are lost or do not fit are replaced by operations that change nothing, so that
    /// positions mean what they meant.
    pub(super) operations: Vec<Arc<Operation>>,
    pub(super) transients: BTreeMap<Position, TransientUpdate>,
    /// Operations that could be read and not applied.
    pub(super) unfit: Vec<LostOperation>,
}

/// Applies every operation that fits those before it.
pub(super) fn fold(rows: &mut Rows) -> Whole {
    let transients = std::mem::take(&mut rows.transients).into_updates();
    let mut whole = Whole { state: State::default(), operations: Vec::new(), transients, unfit: Vec::new() };
    let mut recorded = Timestamp::default();
    set_transients(&mut whole);
    for position in (1..=rows.newest.0).map(Position) {
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
        set_transients(&mut whole);
    }
    whole
}

fn set_transients(whole: &mut Whole) {
    if let Some(update) = whole.transients.get(&whole.state.position()) {
        whole.state.set_transients(update);
    }
}

/// An operation that changes nothing: the state is again what it was before.
fn placeholder(position: Position, recorded: Timestamp) -> Operation {
    let before = Position(position.0.saturating_sub(1));
    let summary = "lost when the database was damaged";
    Operation { recorded, ..Operation::new(Author::Dm, summary, vec![Change::Restore(before)]) }
}

//! Computes the state from a journal in which operations are missing.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_model::{Author, Change, Operation, Position, State, Timestamp, TransientUpdate};

use super::{report::LostOperation, rows::SalvagedRows};

/// A journal without gaps, and the state that is computed from it.
pub(super) struct IntactJournal {
    pub(super) state: State,
    /// Last position of the compacted part of the journal. The field `compacted` contains the operations up to the
    /// position `compacted_to`.
    pub(super) compacted_to: Position,
    pub(super) compacted: Vec<(Position, Arc<Operation>)>,
    /// One operation for each position after the compacted part. A lost operation, or an operation that cannot be
    /// applied, is replaced by an operation that changes nothing, so that the other operations keep their positions.
    pub(super) operations: Vec<Arc<Operation>>,
    pub(super) transients: BTreeMap<Position, TransientUpdate>,
    /// Operations that can be read but cannot be applied.
    pub(super) inapplicable: Vec<LostOperation>,
}

impl IntactJournal {
    /// Returns the number of operations, not counting the replacements of lost operations.
    pub(super) fn count(&self, lost: &[LostOperation]) -> u64 {
        let replaced = lost.iter().chain(&self.inapplicable).filter(|lost| lost.position > self.compacted_to).count();
        (self.compacted.len() + self.operations.len() - replaced) as u64
    }
}

/// Folds the journal. Applies each operation that is valid in the state before it, and replaces all other operations.
pub(super) fn fold(rows: &mut SalvagedRows) -> IntactJournal {
    let transients = std::mem::take(&mut rows.transients).into_updates();
    let mut journal = IntactJournal {
        state: State::default(),
        compacted_to: rows.compacted_to,
        compacted: Vec::new(),
        operations: Vec::new(),
        transients,
        inapplicable: Vec::new(),
    };
    let mut recorded = Timestamp::default();
    let mut transients_applied_to = None;
    let after_compacted = rows.operations.split_off(&rows.compacted_to.next());
    for (position, operation) in std::mem::replace(&mut rows.operations, after_compacted) {
        apply_transients(&mut journal, &mut transients_applied_to, position);
        let operation = Arc::new(operation);
        journal.state.apply_compacted(position, Arc::clone(&operation));
        journal.compacted.push((position, operation));
    }
    journal.state.advance_compaction(rows.compacted_to);
    for position in (rows.compacted_to.0 + 1..=rows.newest.0).map(Position) {
        apply_transients(&mut journal, &mut transients_applied_to, position);
        let found = rows.operations.remove(&position).map(Arc::new);
        let applicable = found.filter(|operation| match journal.state.check(operation) {
            Ok(()) => true,
            Err(error) => {
                let (summary, reason) = (Some(operation.summary.clone()), error.to_string());
                journal.inapplicable.push(LostOperation { position, summary, reason });
                false
            }
        });
        let operation = applicable.unwrap_or_else(|| Arc::new(placeholder(position, recorded)));
        recorded = operation.recorded;
        if let Err(error) = journal.state.apply(Arc::clone(&operation)) {
            // An operation that passes the check can always be applied, so an error here is a bug in the model.
            tracing::error!(%position, %error, "a verified operation could not be applied");
        }
        journal.operations.push(operation);
    }
    apply_transients(&mut journal, &mut transients_applied_to, Position(u64::MAX));
    journal
}

/// Applies the transient updates that were made before a position and are not applied yet.
fn apply_transients(journal: &mut IntactJournal, transients_applied_to: &mut Option<Position>, before: Position) {
    let next = transients_applied_to.map_or(Position(0), Position::next);
    for (_, update) in journal.transients.range(next..before) {
        journal.state.set_transients(update);
    }
    *transients_applied_to = Some(Position(before.0 - 1));
}

/// Creates an operation that changes nothing, because it restores the state of the previous position.
fn placeholder(position: Position, recorded: Timestamp) -> Operation {
    let before = Position(position.0.saturating_sub(1));
    let summary = "lost when the database was damaged";
    Operation { recorded, ..Operation::new(Author::Dm, summary, vec![Change::Restore(before)]) }
}

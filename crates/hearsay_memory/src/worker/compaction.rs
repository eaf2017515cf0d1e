//! Incremental compaction of the journal: the undo horizon advances, and unneeded data is removed.
//!
//! The state is compacted first, then the database, in the order of commits. When the program ends, finished steps are
//! kept and the rest is done later.

use std::sync::Arc;

use hearsay_model::{Compaction, Key, Position, UndoRetention};
use hearsay_store::StoreError;

use super::{Internal, Worker};

/// Number of operations beyond the undo horizon from which the journal is compacted.
const STEP: u64 = 256;

/// Number of operations that move beyond the horizon per step, and number of changes checked for removal per step.
const MOST: u64 = 1_024;
const CHANGES: usize = 256;

/// The journal is scanned again after compaction advanced by one part in this number of the stored operations.
const SHARE: u64 = 8;

/// State of compaction.
pub(super) struct Compacting {
    /// Newest operation when the undo horizon was last computed.
    looked_at: Position,
    /// Compacted position when the journal was last scanned.
    planned_at: Position,
    step: Step,
    /// Whether the database is being updated.
    writing: bool,
}

enum Step {
    /// There is nothing to remove.
    Rest,
    /// A background thread scans for removable data.
    Planning,
    Removing(Compaction),
    /// The database refused. Data that was removed in memory remains on disk, which does no harm.
    Off,
}

impl Compacting {
    /// Creates the state of compaction. `compacted_to` is the position up to which the journal is compacted.
    pub(super) fn new(compacted_to: Position) -> Self {
        Self { looked_at: Position(0), planned_at: compacted_to, step: Step::Rest, writing: false }
    }

    /// Whether the database is being updated, or a scan is running.
    pub(super) fn is_busy(&self) -> bool {
        self.writing || matches!(self.step, Step::Planning)
    }
}

impl Worker {
    /// Does one step if there is one to do. Waits while operations are being committed, because those were made from
    /// the current state. Returns whether it did a step.
    pub(super) fn compact_some(&mut self) -> bool {
        let is_quiet = self.writes.in_flight() == 0 && !self.writes.is_planning() && self.halt.is_none();
        if !is_quiet || self.closing || self.compacting.writing {
            return false;
        }
        match &mut self.compacting.step {
            Step::Planning | Step::Off => false,
            Step::Removing(plan) => {
                let state = Arc::make_mut(&mut self.world.state);
                let rewritten = state.compact(plan, CHANGES);
                if plan.is_done() {
                    self.compacting.step = Step::Rest;
                }
                if !rewritten.operations.is_empty() {
                    self.write_compaction(rewritten.operations);
                    self.follow_compaction(&rewritten.touched);
                }
                true
            }
            Step::Rest => self.advance_compaction() || self.plan_compaction(),
        }
    }

    /// Advances the undo horizon.
    fn advance_compaction(&mut self) -> bool {
        let (state, store) = (&self.world.state, &self.settings.store);
        if state.position().0 < self.compacting.looked_at.0 + STEP / 4 {
            return false;
        }
        let retention = UndoRetention { operations: store.undo_operations, sessions: store.undo_sessions };
        let from = state.compacted_to();
        // Operations that the graph tables do not show yet must remain in the journal.
        let limit = self.store.projected().min(Position(from.0 + MOST));
        let to = state.undo_horizon(&retention, limit);
        if to.0 < from.0 + STEP {
            self.compacting.looked_at = state.position();
            return false;
        }
        Arc::make_mut(&mut self.world.state).advance_compaction(to);
        self.write_compaction(Vec::new());
        true
    }

    /// Scans for removable data on a background thread.
    fn plan_compaction(&mut self) -> bool {
        let state = &self.world.state;
        let since = state.compacted_to().0.saturating_sub(self.compacting.planned_at.0);
        if since < STEP || since < state.operation_count() as u64 / SHARE {
            return false;
        }
        self.compacting.planned_at = state.compacted_to();
        let state = Arc::clone(state);
        let started = self.aside(move |internal| {
            let plan = state.plan_compaction();
            // Dropping the state lets the worker change its state in place, which needs the only reference.
            drop(state);
            let _ = internal.send(Internal::CompactionPlanned(plan));
        });
        self.compacting.step = if started { Step::Planning } else { Step::Off };
        true
    }

    pub(super) fn take_compaction_plan(&mut self, plan: Compaction) {
        if let Step::Planning = self.compacting.step {
            self.compacting.step = Step::Removing(plan);
        }
    }

    fn write_compaction(&mut self, operations: Vec<hearsay_store::RewrittenOperation>) {
        self.compacting.writing = true;
        let internal = self.internal.clone();
        let done = move |result| drop(internal.send(Internal::Compacted(result)));
        self.store.compact(&self.world.state, operations, done);
    }

    pub(super) fn finish_compaction(&mut self, result: Result<(), StoreError>) {
        self.compacting.writing = false;
        if let Err(error) = result {
            self.compacting.step = Step::Off;
            self.fail(format!("the journal takes more room than it needs until the campaign is opened again: {error}"));
        }
    }

    /// Updates reviews, index and projections after former values are removed.
    fn follow_compaction(&mut self, touched: &[Key]) {
        if touched.is_empty() {
            return;
        }
        self.counts.revision = None;
        self.reviews.update(&self.world.state, touched);
        Arc::make_mut(&mut self.world.learned).update(&self.world.state, touched);
        self.reveals.note(&self.world.state, touched);
        self.index_keys(touched);
        self.writes.project_later(touched.to_vec(), self.world.state.position());
    }
}

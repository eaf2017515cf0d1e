//! Compaction of the journal in small steps. Each step either advances the undo horizon, or removes unneeded data of
//! operations before the horizon.
//!
//! Each step first compacts the state and then the database. The database receives steps and commits in the same order
//! as the state. If the program ends before compaction is finished, compaction continues after the next opening.

use std::sync::Arc;

use hearsay_model::{Compaction, Key, Position, UndoRetention};
use hearsay_store::StoreError;

use super::{Internal, Worker};

/// Minimum number of operations by which the undo horizon advances.
const MIN_HORIZON_STEP: u64 = 256;

/// Maximum number of operations by which the undo horizon advances in one step.
const MAX_HORIZON_STEP: u64 = 1_024;
/// Maximum number of changes that one step checks for removal.
const MAX_CHECKED_CHANGES: usize = 256;

/// Divisor: the journal is scanned for removable data once the undo horizon has advanced by the number of stored
/// operations divided by this number.
const SCAN_INTERVAL_DIVISOR: u64 = 8;

/// State of compaction.
pub(super) struct Compacting {
    /// Position of the newest operation when the undo horizon was last computed.
    last_checked_at: Position,
    /// Undo horizon when the journal was last scanned for removable data.
    last_scanned_at: Position,
    step: Step,
    /// Whether the database is being updated.
    writing: bool,
}

enum Step {
    /// No data is being removed.
    Idle,
    /// A background thread scans for removable data.
    Planning,
    Removing(Compaction),
    /// Writing to the database failed, so compaction has stopped. The database still contains data that was removed
    /// from memory, which does no harm.
    Disabled,
}

impl Compacting {
    /// Creates the state of compaction. `compacted_to` is the position up to which the journal is compacted.
    pub(super) fn new(compacted_to: Position) -> Self {
        Self { last_checked_at: Position(0), last_scanned_at: compacted_to, step: Step::Idle, writing: false }
    }

    /// Returns whether there is work that began and is not finished.
    pub(super) fn is_running(&self) -> bool {
        self.writing || matches!(self.step, Step::Planning | Step::Removing(_))
    }

    /// Returns whether the database is being updated, or a scan is running.
    pub(super) fn is_busy(&self) -> bool {
        self.writing || matches!(self.step, Step::Planning)
    }
}

impl Worker {
    /// Performs one step of compaction, if one is due. Does nothing while operations are being committed, because these
    /// operations were computed from the current state. Returns whether a step was performed.
    pub(super) fn compact_some(&mut self) -> bool {
        let is_quiet = self.writes.in_flight() == 0 && !self.writes.is_planning() && self.halt.is_none();
        if !is_quiet || self.closing || self.compacting.writing || self.storage.own().is_none() {
            return false;
        }
        match &mut self.compacting.step {
            Step::Planning | Step::Disabled => false,
            Step::Removing(plan) => {
                let state = Arc::make_mut(&mut self.snapshot.state);
                let rewritten = state.compact(plan, MAX_CHECKED_CHANGES);
                if plan.is_done() {
                    self.compacting.step = Step::Idle;
                }
                if !rewritten.operations.is_empty() {
                    self.write_compaction(rewritten.operations);
                    self.follow_compaction(&rewritten.touched);
                }
                true
            }
            Step::Idle => self.advance_compaction() || self.plan_compaction(),
        }
    }

    /// Advances the undo horizon if it can pass enough operations. Returns whether the horizon advanced.
    fn advance_compaction(&mut self) -> bool {
        let (state, settings) = (&self.snapshot.state, &self.settings.store);
        if self.storage.own().is_none() {
            return false;
        }
        if state.position().0 < self.compacting.last_checked_at.0 + MIN_HORIZON_STEP / 4 {
            return false;
        }
        let retention = UndoRetention { operations: settings.undo_operations, sessions: settings.undo_sessions };
        let from = state.compacted_to();
        // Operations that are not yet in the projections must stay complete in the journal.
        let limit = self.projected().min(Position(from.0 + MAX_HORIZON_STEP));
        let to = state.undo_horizon(&retention, limit);
        if to.0 < from.0 + MIN_HORIZON_STEP {
            self.compacting.last_checked_at = state.position();
            return false;
        }
        Arc::make_mut(&mut self.snapshot.state).advance_compaction(to);
        self.write_compaction(Vec::new());
        true
    }

    /// Starts a scan for removable data on a background thread, if one is due. Returns whether a scan was due.
    fn plan_compaction(&mut self) -> bool {
        let state = &self.snapshot.state;
        let advanced = state.compacted_to().0.saturating_sub(self.compacting.last_scanned_at.0);
        if advanced < MIN_HORIZON_STEP || advanced < state.operation_count() as u64 / SCAN_INTERVAL_DIVISOR {
            return false;
        }
        self.compacting.last_scanned_at = state.compacted_to();
        let state = Arc::clone(state);
        let started = self.run_in_background(move |internal| {
            let plan = state.plan_compaction();
            // Drops the reference, because the worker can change its state in place only if it has the only reference.
            drop(state);
            let _ = internal.send(Internal::CompactionPlanned(plan));
        });
        self.compacting.step = if started { Step::Planning } else { Step::Disabled };
        true
    }

    pub(super) fn take_compaction_plan(&mut self, plan: Compaction) {
        if let Step::Planning = self.compacting.step {
            self.compacting.step = Step::Removing(plan);
        }
    }

    fn write_compaction(&mut self, operations: Vec<hearsay_store::RewrittenOperation>) {
        let Some(store) = self.storage.own() else { return };
        self.compacting.writing = true;
        let internal = self.internal.clone();
        let done = move |result| drop(internal.send(Internal::Compacted(result)));
        store.compact(&self.snapshot.state, operations, done);
    }

    pub(super) fn finish_compaction(&mut self, result: Result<(), StoreError>) {
        self.compacting.writing = false;
        if let Err(error) = result {
            self.compacting.step = Step::Disabled;
            self.fail(format!("the journal could not be compacted; the next opening tries again: {error}"));
        }
    }

    /// Updates reviews, index and projections after compaction has removed the records with the keys `touched`.
    fn follow_compaction(&mut self, touched: &[Key]) {
        if touched.is_empty() {
            return;
        }
        self.counts.revision = None;
        self.reviews.update(&self.snapshot.state, touched);
        Arc::make_mut(&mut self.snapshot.learned).update(&self.snapshot.state, touched);
        self.reveals.note(&self.snapshot.state, touched);
        self.index_keys(touched);
        self.project_later(touched.to_vec());
    }
}

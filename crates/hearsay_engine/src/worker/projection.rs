//! The graph tables: which records are outdated, and when they are written.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::Arc,
    time::{Duration, Instant},
};

use hearsay_model::{Key, Position, State};
use hearsay_store::{StoreError, Watermark, projection::rows};

use super::{Internal, Worker, Write, guarded, storage::Projector, transient_projection::TransientProjection};
use crate::{sharing::PreparedWrite, ticket::Responder};

/// Maximum number of keys that are projected at a time.
const MAX_KEYS_AT_ONCE: usize = 100;

/// Time for which a small number of changes waits for further changes before being projected. Each transaction on the
/// graph tables slows down the next commit.
const PROJECTION_DELAY: Duration = Duration::from_millis(50);

/// Time until the next attempt to project changes that could not be projected yet.
const RETRY_INTERVAL: Duration = Duration::from_millis(5);

/// Number of rows waiting in the store above which no further rows are created, because a row takes several kilobytes
/// of memory.
const MAX_BACKLOG: usize = 5_000;

/// Records that are outdated in the graph tables.
pub(super) struct Projection {
    /// Transient values that the graph tables do not show yet.
    pub(super) transients: TransientProjection,
    /// Keys of outdated records, in groups. Each group has the journal position up to which the tables are complete once
    /// the group is written.
    waiting: VecDeque<(VecDeque<Key>, Position)>,
    /// Number of keys in `waiting`, and the time at which they are written to the tables even if they are few.
    waiting_keys: usize,
    project_at: Option<Instant>,
    /// Position up to which the tables are complete once the keys that no longer wait are written.
    complete_to: Position,
    /// Position up to which the tables were complete after the last write of this program.
    pub(super) written_to: Position,
    /// Number of running rebuilds of the graph tables. Later changes are written after these rebuilds.
    rebuilding: usize,
    /// Time at which all tables are to be written again.
    rebuild_at: Option<Instant>,
    /// Number of times that this program started or stopped writing the tables.
    run: u64,
}

impl Projection {
    /// Creates an empty queue. `batch` is the newest batch of transient values in the state.
    pub(super) fn new(state: &State, batch: u64) -> Self {
        Self {
            transients: TransientProjection::new(state, batch),
            waiting: VecDeque::new(),
            waiting_keys: 0,
            project_at: None,
            complete_to: state.position(),
            written_to: state.position(),
            rebuilding: 0,
            rebuild_at: None,
            run: 0,
        }
    }

    /// Schedules records to be written to the graph tables. Once the records are written, the tables are complete up to
    /// the given position.
    fn project_later(&mut self, keys: Vec<Key>, position: Position) {
        self.waiting_keys += keys.len();
        self.waiting.push_back((keys.into(), position));
        self.project_at.get_or_insert_with(|| Instant::now() + PROJECTION_DELAY);
    }

    /// Counts the batch of transient values in committed writes.
    pub(super) fn count_batch(&mut self, committed: &[(PreparedWrite, Write)]) {
        self.transients.batch += u64::from(committed.iter().any(|(prepared, _)| !prepared.transients.is_empty()));
    }

    /// Returns the time until the next projection; `None` if no keys wait. If keys are already due, returns
    /// [`RETRY_INTERVAL`], because they may have to wait for the store.
    pub(super) fn time_until_due(&self, now: Instant) -> Option<Duration> {
        let due = [self.project_at, self.rebuild_at].into_iter().flatten().min()?;
        Some(due.saturating_duration_since(now).max(RETRY_INTERVAL))
    }

    /// Forgets all waiting keys, because another program writes the tables.
    pub(super) fn stop(&mut self) {
        self.restart(self.complete_to);
    }

    /// Forgets all waiting keys. The tables are complete up to the given position. Returns the number of this run.
    pub(super) fn restart(&mut self, complete_to: Position) -> u64 {
        (self.waiting, self.waiting_keys) = (VecDeque::new(), 0);
        (self.project_at, self.rebuild_at) = (None, None);
        (self.complete_to, self.written_to) = (complete_to, complete_to);
        self.run += 1;
        self.run
    }

    /// Removes and returns the next keys, and the position up to which the tables are then complete.
    fn take_keys(&mut self) -> (Vec<Key>, Position) {
        let mut portion = BTreeSet::new();
        while portion.len() < MAX_KEYS_AT_ONCE
            && let Some((keys, position)) = self.waiting.front_mut()
        {
            let count = keys.len().min(MAX_KEYS_AT_ONCE - portion.len());
            portion.extend(keys.drain(..count));
            self.waiting_keys -= count;
            if keys.is_empty() {
                self.complete_to = *position;
                self.waiting.pop_front();
            }
        }
        if self.waiting.is_empty() {
            self.project_at = None;
        }
        (portion.into_iter().collect(), self.complete_to)
    }
}

#[cfg(feature = "remote")]
impl Projection {
    /// Schedules that all tables are written again.
    pub(super) fn rebuild_at(&mut self, time: Instant) {
        self.rebuild_at = Some(time);
    }

    pub(super) fn is_rebuild_due(&self) -> bool {
        self.rebuild_at.is_some_and(|time| time <= Instant::now())
    }

    /// Stops writing until the keys of all records are known.
    pub(super) fn begin_planning(&mut self) {
        self.rebuilding += 1;
    }

    /// Schedules the keys of all records, unless this program has stopped writing the tables since the given run began.
    pub(super) fn finish_planning(&mut self, run: u64, keys: Vec<Key>, position: Position) {
        self.rebuilding -= 1;
        if self.run == run {
            self.waiting_keys += keys.len();
            self.waiting.push_front((keys.into(), position));
            self.project_at.get_or_insert_with(Instant::now);
        }
    }
}

impl Worker {
    /// Returns the position up to which the graph tables are complete. If this program does not write graph tables, this
    /// is the position of the state.
    pub(super) fn projected(&self) -> Position {
        match self.storage.projector() {
            Some(Projector::Own(store)) => store.projected(),
            #[cfg(feature = "remote")]
            Some(Projector::Remote(_)) => self.projection.written_to,
            None => self.snapshot.state.position(),
        }
    }

    /// Schedules records to be written to the graph tables, if this program writes them.
    pub(super) fn project_later(&mut self, keys: Vec<Key>) {
        if self.storage.projector().is_some() {
            self.projection.project_later(keys, self.snapshot.state.position());
        }
    }

    /// Sends changed transient values to the graph tables when the memory closes and nothing else waits. Returns
    /// whether there were values to send.
    fn project_transients(&mut self) -> bool {
        let Some(projector) = self.storage.projector() else { return false };
        let transients = &mut self.projection.transients;
        if !self.closing || transients.is_complete() || !self.projection.waiting.is_empty() {
            return false;
        }
        let keys = transients.take_keys(&self.snapshot.state, MAX_KEYS_AT_ONCE);
        // Until the last value is written, the tables count as showing the previous batch.
        let is_complete = transients.changed.is_empty();
        if is_complete {
            transients.shown_batch = transients.batch;
        }
        let complete = Watermark { position: self.snapshot.state.position(), batch: transients.shown_batch };
        projector.project(rows(&self.snapshot.state, &keys), complete, &self.internal);
        true
    }

    /// Sends some changed records to the graph tables. Returns whether records could be sent.
    pub(super) fn project_some(&mut self) -> bool {
        #[cfg(feature = "remote")]
        self.rebuild_if_due();
        let Some(projector) = self.storage.projector() else { return false };
        if self.projection.rebuilding > 0 || projector.backlog() > MAX_BACKLOG {
            return false;
        }
        let Some(due) = self.projection.project_at else { return self.project_transients() };
        if self.projection.waiting_keys < MAX_KEYS_AT_ONCE && !self.closing && Instant::now() < due {
            return false;
        }
        let (keys, position) = self.projection.take_keys();
        let complete = Watermark { position, batch: self.projection.transients.shown_batch };
        projector.project(rows(&self.snapshot.state, &keys), complete, &self.internal);
        true
    }

    /// Handles the outcome of writing rows.
    pub(super) fn finish_projection(&mut self, result: Result<Watermark, StoreError>) {
        match result {
            Ok(watermark) => self.projection.written_to = watermark.position,
            Err(error) if self.storage.own().is_some() => {
                self.fail(format!("the graph tables could not be updated; the next opening rebuilds them: {error}"));
            }
            // The program that writes the tables next continues from their watermark.
            Err(error) => tracing::debug!("the graph tables could not be updated: {error}"),
        }
    }

    /// Rebuilds the graph tables on a background thread.
    pub(super) fn rebuild(&mut self, responder: Responder<()>) {
        let Some(store) = self.storage.own().cloned() else { return responder.give(Err(self.storage.not_owner())) };
        if self.storage.projector().is_none() {
            return responder.give(Ok(()));
        }
        let state = Arc::clone(&self.snapshot.state);
        let started = self.run_in_background(move |internal| {
            responder.give(guarded(|| Ok(store.rebuild_projections_blocking(&state, |_, _| {})?)));
            drop(store);
            let _ = internal.send(Internal::Rebuilt);
        });
        self.projection.rebuilding += usize::from(started);
    }

    pub(super) fn take_rebuilt(&mut self) {
        self.projection.rebuilding -= 1;
    }
}

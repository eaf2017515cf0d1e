//! Stops writing if the state in memory and the journal may differ, until the state has been rebuilt.
//!
//! The state and the journal may differ if the outcome of a commit is unknown, or if a committed operation cannot be
//! applied to the state. A background thread then rebuilds the state and its derived data from the journal. Meanwhile,
//! reads use the old state and writes wait. If the journal cannot be read, all writes fail until the memory is opened
//! again.

use std::{collections::VecDeque, sync::Arc};

use hearsay_model::{Change, Key, Operation, Position, State};
use hearsay_query::{review::ReviewCounter, trust::TrustCalibration};
use hearsay_store::{Reloaded, StoreError};

use super::{Compacting, Event, Internal, ReadSnapshot, Reveals, Worker, Write, guarded, outcome::Outcome};
use crate::{
    MemoryError, Written,
    sharing::PreparedWrite,
    ticket::{OnDrop, ticket},
};

/// A halt of writing: its reason and state.
pub(super) struct Halt {
    reason: String,
    /// Whether the journal is being read again; `false` if that failed.
    reloading: bool,
    /// Writes that may have been committed to the database, but are not applied to the state.
    in_doubt: Vec<(PreparedWrite, Write)>,
    /// Position of the first operation in `in_doubt`.
    first: Position,
    /// Whether the connection to the owner or the server was lost. Other programs may then have written operations at the
    /// positions of the writes in doubt, and these writes are tried again.
    reconnecting: bool,
}

impl Halt {
    pub(super) fn reconnecting(reason: String, first: Position, in_doubt: Vec<(PreparedWrite, Write)>) -> Self {
        Self { reason, reloading: true, in_doubt, first, reconnecting: true }
    }

    pub(super) fn in_doubt(&self) -> usize {
        self.in_doubt.len()
    }
}

/// A state that was rebuilt from the journal, with its derived data.
pub(crate) struct RebuiltState {
    snapshot: ReadSnapshot,
    reviews: ReviewCounter,
    reveals: Reveals,
    outdated_keys: Option<Vec<Key>>,
    transient_batch: u64,
}

impl RebuiltState {
    pub(super) fn from_reloaded(Reloaded { state, outdated_keys, transient_batch }: Reloaded) -> Self {
        let (reviews, reveals) = (ReviewCounter::from_state(&state), Reveals::from_state(&state));
        let snapshot = ReadSnapshot { learned: Arc::new(TrustCalibration::from_state(&state)), state: Arc::new(state) };
        Self { snapshot, reviews, reveals, outdated_keys, transient_batch }
    }
}

impl Worker {
    /// Stops writing and reads the journal again.
    pub(super) fn halt(&mut self, reason: String, first: Position, in_doubt: Vec<(PreparedWrite, Write)>) {
        let Some(store) = self.storage.own() else { return self.reconnect(reason, first, in_doubt) };
        let internal = self.internal.clone();
        store.reload(move |reloaded| drop(internal.send(Internal::Reloaded(Box::new(reloaded)))));
        self.fail(format!("{reason}; writing stops until the journal is read again"));
        self.halt = Some(Halt { reason, reloading: true, in_doubt, first, reconnecting: false });
    }

    /// Returns whether writing has stopped. If writing will not resume, fails all waiting writes.
    pub(super) fn is_halted(&mut self) -> bool {
        let Some(halt) = &self.halt else { return false };
        if !halt.reloading {
            let reason = halt.reason.clone();
            let waiting = self.writes.take_waiting();
            self.fail_writes(waiting, || MemoryError::Halted(reason.clone()));
        }
        true
    }

    /// Computes the derived data of the rebuilt state on a background thread.
    pub(super) fn take_reloaded(&mut self, reloaded: Result<Reloaded, StoreError>) {
        match reloaded {
            Ok(reloaded) => {
                let started = self.run_in_background(move |internal| {
                    let rebuilt = guarded(|| Ok(RebuiltState::from_reloaded(reloaded)));
                    let _ = internal.send(Internal::RebuiltState(Box::new(rebuilt)));
                });
                if !started {
                    self.keep_halted("no thread could be started".into());
                }
            }
            Err(error) => self.keep_halted(error.to_string()),
        }
    }

    /// Keeps writing stopped until the memory is opened again.
    pub(super) fn keep_halted(&mut self, error: String) {
        let Some(halt) = &mut self.halt else { return };
        halt.reloading = false;
        halt.reason = format!("{}; the journal could not be read again: {error}", halt.reason);
        let (reason, in_doubt) = (halt.reason.clone(), std::mem::take(&mut halt.in_doubt));
        self.fail_writes(in_doubt.into_iter().map(|(_, write)| write), || MemoryError::Uncertain(reason.clone()));
        self.fail(format!("{reason}; all writes fail until the campaign is opened again"));
    }

    /// Replaces the state with the rebuilt state, and answers the writes in doubt.
    pub(super) fn take_rebuilt_state(&mut self, rebuilt: Result<RebuiltState, MemoryError>) {
        let RebuiltState { snapshot, reviews, reveals, outdated_keys, transient_batch } = match rebuilt {
            Ok(rebuilt) => rebuilt,
            Err(error) => return self.keep_halted(error.to_string()),
        };
        let Some(Halt { reason, in_doubt, first, reconnecting, .. }) = self.halt.take() else { return };
        let before = self.snapshot.state.version();
        (self.snapshot, self.reviews, self.reveals) = (snapshot, reviews, reveals);
        Arc::make_mut(&mut self.snapshot.state).follow(before);
        // Their states may have operations that this state does not have.
        self.clients.disconnect();
        self.minds.reset(&self.snapshot.state);
        self.counts.revision = None;
        self.compacting = Compacting::new(self.snapshot.state.compacted_to());
        let state = Arc::clone(&self.snapshot.state);
        // The index keeps its vectors. Every searchable record is indexed again, a few at a time.
        self.writes.index_later(searchable_keys(&state));
        match outdated_keys {
            Some(_) if self.storage.own().is_none() => {}
            Some(keys) => self.project_later(keys),
            None => self.rebuild(ticket(0, OnDrop::Continue, None).1),
        }
        self.projection.transients.mark_outdated(&state, transient_batch);
        let mut next = first;
        for (PreparedWrite { operation, transients }, write) in in_doubt {
            // A write that has only transient values has no operation, so its outcome is unknown. It fails, and the
            // game sends the values again.
            let is_committed = |operation: &Arc<Operation>| match reconnecting {
                true => state.entry(next).is_some_and(|entry| entry.operation == *operation),
                false => next <= state.position(),
            };
            if reconnecting && !operation.as_ref().is_some_and(is_committed) {
                self.writes.push_again(PreparedWrite { operation, transients }, write);
                continue;
            }
            let Some(operation) = operation.filter(is_committed) else {
                self.note_if_findings(&write);
                self.finish(write, Err(MemoryError::NotCommitted(reason.clone())));
                continue;
            };
            let position = next;
            next = position.next();
            let keys = operation.changes.iter().filter_map(Change::written_key);
            let mut touched: Vec<Key> = keys.chain(transients.subjects()).collect();
            touched.sort_unstable();
            touched.dedup();
            self.follow_reading(position, &operation, &touched, &write);
            self.note_if_findings(&write);
            let revision = self.writes.next_revision();
            self.send_event(Event::Applied { position, revision, touched });
            self.count_dropped(&write);
            self.finish(write, Ok(Some(Outcome { written: Some(Written::new(position, &operation)), revision })));
        }
        self.send_event(Event::Reloaded { position: state.position(), failure: (!reconnecting).then_some(reason) });
    }
}

/// Returns the keys of searchable records.
fn searchable_keys(state: &State) -> VecDeque<Key> {
    let passages = state.passages().map(|(id, _)| Key::Passage(id));
    state.facts().map(|fact| Key::Fact(fact.id())).chain(passages).collect()
}

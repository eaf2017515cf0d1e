//! Writes. When the turn of a write comes, its operation is computed from the committed state. Operations are committed
//! in groups, and are applied and answered after the commit.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::Arc,
    time::{Duration, Instant},
};

use hearsay_model::{Change, Fact, FactId, Key, Position, Predicate, SettingKey, State, TransientUpdate};
use hearsay_query::resolve::is_read_by_lookups;
use hearsay_store::StoreError;

use super::{Event, Internal, Worker, import::Import, outcome::Outcome, storage::Storage, write::Write};
use crate::{ImportStage, MemoryError, Written, sharing::PreparedWrite};

/// Waiting writes, and the work that remains after committed writes.
#[derive(Default)]
pub(super) struct Writes {
    waiting: VecDeque<Write>,
    in_flight: Vec<(PreparedWrite, Write)>,
    /// Time at which the callers of the writes in flight are told that the outcome is uncertain. Set if the connection to
    /// the server is lost before the server has answered.
    uncertain_at: Option<Instant>,
    /// Number of writes applied since the memory was opened.
    revision: u64,
    /// Whether an import is being compared with the state, which must not change meanwhile.
    planning: bool,
    /// Keys of records from large operations whose texts are not indexed yet.
    unindexed: VecDeque<Key>,
}

/// Maximum number of operations in one commit.
pub(super) const MAX_GROUP_SIZE: usize = 64;

/// Number of changes above which an operation counts as large. A large operation is committed alone, and its follow-up
/// work is done in slices.
pub(super) const LARGE_OPERATION: usize = 1_000;

/// Maximum number of keys that are indexed at a time.
const MAX_KEYS_AT_ONCE: usize = 100;

impl Writes {
    /// Returns the number of the newest write.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// Increments and returns the number of the newest write.
    pub(super) fn next_revision(&mut self) -> u64 {
        self.revision += 1;
        self.revision
    }

    pub(super) fn push(&mut self, write: Write) {
        self.waiting.push_back(write);
    }

    /// Returns the number of writes that are not answered yet.
    pub(super) fn waiting(&self) -> usize {
        let in_flight = self.in_flight.iter().filter(|(_, write)| !matches!(write, Write::Unanswered));
        self.waiting.len() + in_flight.count() + usize::from(self.planning)
    }

    /// Removes and returns the waiting writes.
    pub(super) fn take_waiting(&mut self) -> VecDeque<Write> {
        std::mem::take(&mut self.waiting)
    }

    /// Schedules records to be indexed in slices.
    pub(super) fn index_later(&mut self, keys: VecDeque<Key>) {
        self.unindexed = keys;
    }

    /// Removes and returns the writes that are being committed.
    pub(super) fn take_in_flight(&mut self) -> Vec<(PreparedWrite, Write)> {
        self.uncertain_at = None;
        std::mem::take(&mut self.in_flight)
    }

    /// Puts the writes that could not be committed back into the queue.
    pub(super) fn retry_in_flight(&mut self) {
        for (prepared, write) in self.take_in_flight().into_iter().rev() {
            self.push_again(prepared, write);
        }
    }

    /// Puts a write that could not be committed back to the front of the queue, before all later writes of this program.
    pub(super) fn push_again(&mut self, prepared: PreparedWrite, mut write: Write) {
        if let Write::Unanswered = write {
            // The caller may have repeated the change already.
            return tracing::warn!("a change whose outcome was uncertain was not saved");
        }
        write.retry(prepared);
        self.waiting.push_front(write);
    }

    /// Returns the time until the callers of the writes in flight are told that the outcome is uncertain.
    pub(super) fn time_until_uncertain(&self, now: Instant) -> Option<Duration> {
        self.uncertain_at.map(|at| at.saturating_duration_since(now))
    }

    pub(super) fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// Returns whether an import is being compared with the state.
    pub(super) fn is_planning(&self) -> bool {
        self.planning
    }

    pub(super) fn has_room(&self) -> bool {
        self.waiting.len() < MAX_GROUP_SIZE
    }

    pub(super) fn unindexed(&self) -> usize {
        self.unindexed.len()
    }
}

#[cfg(feature = "remote")]
impl Writes {
    /// Schedules that the callers of the writes in flight are told that the outcome is uncertain.
    pub(super) fn answer_in_flight_at(&mut self, time: Instant) {
        if !self.in_flight.is_empty() {
            self.uncertain_at.get_or_insert(time);
        }
    }

    /// If it is time, returns the writes in flight whose callers still wait. Their changes stay in flight without a
    /// caller, until the server has answered.
    pub(super) fn take_uncertain(&mut self, now: Instant) -> Vec<Write> {
        if self.uncertain_at.is_none_or(|at| now < at) {
            return Vec::new();
        }
        self.uncertain_at = None;
        let writes = self.in_flight.iter_mut().map(|(_, write)| write).filter(|write| write.has_caller());
        writes.map(|write| std::mem::replace(write, Write::Unanswered)).collect()
    }
}

impl Worker {
    /// Commits waiting writes, unless a commit is under way.
    ///
    /// All operations of a group are computed from the same state, so they must not depend on each other. The first
    /// write that might depend on an earlier write of the group waits for the next group.
    pub(super) fn begin_commit(&mut self) {
        #[cfg(feature = "remote")]
        if self.is_offline() {
            return;
        }
        let is_busy = !self.writes.in_flight.is_empty() || self.writes.planning;
        if is_busy || self.ending.gave_up() || self.is_halted() {
            return;
        }
        let mut group_keys = BTreeSet::new();
        let mut are_recordable = true;
        while self.writes.in_flight.len() < MAX_GROUP_SIZE
            && let Some(mut write) = self.writes.waiting.pop_front()
        {
            if write.is_cancelled() {
                self.finish(write, Err(MemoryError::Cancelled));
                continue;
            }
            let first = self.writes.in_flight.is_empty();
            // The write of an attached program has a fixed position.
            if !first && matches!(write, Write::Remote(_)) {
                self.writes.waiting.push_front(write);
                break;
            }
            if let Write::Import(import) = &mut write {
                import.compare_again_if_outdated(self.snapshot.state.position());
            }
            if let Write::Import(import) = write {
                match (import.source.is_some(), first) {
                    (true, true) => {
                        self.plan(import);
                        break;
                    }
                    (true, false) => {
                        self.writes.waiting.push_front(Write::Import(import));
                        break;
                    }
                    (false, _) => write = Write::Import(import),
                }
            }
            let prepared = match write.make(&self.snapshot) {
                Ok(prepared) if !prepared.is_empty() => prepared,
                // The write failed or has no changes. The result may differ once the group is applied, so the write is
                // tried again then.
                _ if !first => {
                    self.writes.waiting.push_front(write);
                    break;
                }
                nothing => {
                    // Recording the transient values failed. A retry before each attempt of the write that needs these
                    // values would block that write forever.
                    are_recordable &= !matches!(write, Write::RecordTransients);
                    if nothing.is_ok() {
                        self.count_dropped(&write);
                    }
                    self.note_if_findings(&write);
                    self.finish(write, nothing.map(|_| None));
                    continue;
                }
            };
            // A restore discards the transient values, so they are recorded first. Undoing the restore then brings them
            // back.
            let changes = prepared.operation.iter().flat_map(|operation| &operation.changes);
            if changes.into_iter().any(|change| matches!(change, Change::Restore(_)))
                && self.snapshot.state.has_transients()
                && are_recordable
            {
                self.writes.waiting.push_front(write);
                self.writes.waiting.push_front(Write::RecordTransients);
                if first { continue } else { break }
            }
            let keys = affected_keys(&self.snapshot.state, &prepared);
            let is_independent = keys.as_ref().is_some_and(|keys| group_keys.is_disjoint(keys));
            if !first && !is_independent {
                self.writes.waiting.push_front(write);
                break;
            }
            self.writes.in_flight.push((prepared, write));
            match keys {
                // A program that does not have the database open commits one write at a time.
                Some(keys) if self.storage.own().is_some() => group_keys.extend(keys),
                _ => break,
            }
        }
        if self.writes.in_flight.is_empty() {
            return;
        }
        self.commit_in_flight();
    }

    /// Commits the prepared writes, or sends the one prepared write to the owner or the server of the campaign.
    fn commit_in_flight(&mut self) {
        let first = self.snapshot.state.position().next();
        let store = match &self.storage {
            Storage::Own { store, .. } => store,
            Storage::Attached { link, .. } => {
                return self.writes.in_flight.iter().for_each(|(prepared, _)| link.append(first, prepared.clone()));
            }
            #[cfg(feature = "remote")]
            Storage::Remote(remote) => {
                return self.writes.in_flight.iter().for_each(|(PreparedWrite { operation, transients }, _)| {
                    remote.store.append(first, operation.clone(), transients.clone());
                });
            }
            // Writing is halted while the connection is lost.
            Storage::Reconnecting { .. } => return self.writes.retry_in_flight(),
        };
        let (mut operations, mut transients) = (Vec::new(), Vec::new());
        for (prepared, _) in &self.writes.in_flight {
            operations.extend(prepared.operation.clone());
            if !prepared.transients.is_empty() {
                let at = Position(first.0 + operations.len() as u64 - 1);
                transients.push((at, prepared.transients.clone()));
            }
        }
        let internal = self.internal.clone();
        let done = move |result| drop(internal.send(Internal::Committed(result)));
        store.commit_with_transients(first, operations, transients, done);
    }

    /// Compares an import with the state on a background thread. Other writes wait meanwhile, so that the comparison
    /// stays valid.
    fn plan(&mut self, mut import: Box<Import>) {
        let state = Arc::clone(&self.snapshot.state);
        let may_repeat = self.storage.own().is_none();
        import.progress.set(ImportStage::Comparing);
        self.writes.planning = self.run_in_background(move |internal| {
            let plan = import.plan(&state, may_repeat);
            // Drops the reference, because the worker can change its state in place only if it has the only reference.
            drop(state);
            let planned = match plan {
                Ok(()) => Some(import),
                Err(error) => {
                    import.responder.give(Err(error));
                    None
                }
            };
            let _ = internal.send(Internal::Planned(planned));
        });
    }

    pub(super) fn take_planned(&mut self, import: Option<Box<Import>>) {
        self.writes.planning = false;
        if let Some(import) = import {
            self.writes.waiting.push_front(Write::Import(import));
        }
    }

    pub(super) fn count_dropped(&mut self, write: &Write) {
        if let Write::Proposals { counts, .. } | Write::Findings { counts, .. } = write {
            self.dropped_proposals += counts.dropped;
        }
    }

    /// Applies the committed operations to the state, and answers their requests.
    pub(super) fn finish_commit(&mut self, result: Result<(), StoreError>) {
        if let Err(error) = result {
            if let StoreError::Uncertain { .. } = error {
                let in_flight = self.writes.take_in_flight();
                return self.halt(error.to_string(), self.committed_position(&[]).next(), in_flight);
            }
            return self.fail_in_flight(|| MemoryError::NotCommitted(error.to_string()));
        }
        let in_flight = self.writes.take_in_flight();
        self.projection.count_batch(&in_flight);
        self.apply_committed(in_flight);
    }

    /// Fails writes.
    pub(super) fn fail_writes(&mut self, writes: impl IntoIterator<Item = Write>, error: impl Fn() -> MemoryError) {
        for write in writes {
            self.note_if_findings(&write);
            self.finish(write, Err(error()));
        }
    }

    /// Fails the writes that are being committed.
    pub(super) fn fail_in_flight(&mut self, error: impl Fn() -> MemoryError) {
        let in_flight = self.writes.take_in_flight();
        self.fail_writes(in_flight.into_iter().map(|(_, write)| write), error);
    }

    /// Returns the position of the last committed operation. `unapplied` has the committed writes that are not applied
    /// to the state yet.
    fn committed_position(&self, unapplied: &[(PreparedWrite, Write)]) -> Position {
        match self.storage.own() {
            Some(store) => store.position(),
            None => {
                let operations = unapplied.iter().filter(|(prepared, _)| prepared.operation.is_some()).count();
                Position(self.snapshot.state.position().0 + operations as u64)
            }
        }
    }

    /// Applies committed writes to the state, and answers their requests.
    pub(super) fn apply_committed(&mut self, in_flight: Vec<(PreparedWrite, Write)>) {
        let committed = self.committed_position(&in_flight);
        let mut in_flight = in_flight.into_iter();
        while let Some((prepared, write)) = in_flight.next() {
            self.writes.revision += 1;
            let (mut touched, mut written) = (Vec::new(), None);
            let before = self.snapshot.state.version();
            let earlier_feelings = self.minds.earlier_feelings(&self.snapshot.state, prepared.operation.as_deref());
            if let Some(operation) = &prepared.operation {
                let applied = match Arc::make_mut(&mut self.snapshot.state).apply(Arc::clone(operation)) {
                    Ok(applied) => applied,
                    Err(error) => {
                        // The operation was checked before the commit, and nothing that it depends on has changed
                        // since. The failure therefore means that the state no longer matches the journal.
                        let why = format!("`{}` is in the journal, but cannot be applied: {error}", operation.summary);
                        let rest: Vec<_> = in_flight.collect();
                        let later = rest.iter().filter(|(prepared, _)| prepared.operation.is_some()).count();
                        let first = Position(committed.0 - later as u64);
                        return self.halt(why, first, std::iter::once((prepared, write)).chain(rest).collect());
                    }
                };
                self.follow(&applied.touched);
                self.follow_reading(applied.position, operation, &applied.touched, &write);
                written = Some(Written::new(applied.position, operation));
                touched = applied.touched;
            }
            if !prepared.transients.is_empty() {
                let changed = Arc::make_mut(&mut self.snapshot.state).set_transients(&prepared.transients);
                self.follow_transients(&prepared.transients, &changed);
                touched.extend(prepared.transients.subjects());
                touched.extend(changed);
            }
            self.questions.view_cache.follow(before, &self.snapshot.state, &touched);
            let mut mind_events = self.minds.follow(&self.snapshot.state, prepared.operation.as_deref(), &touched);
            let feelings = earlier_feelings.changes(&self.snapshot.state);
            mind_events.extend((!feelings.is_empty()).then_some(Event::FeelingsChanged(feelings)));
            self.note_if_findings(&write);
            self.clients.broadcast(&prepared, &write, &touched);
            let position = self.snapshot.state.position();
            self.send_event(Event::Applied { position, revision: self.writes.revision, touched });
            mind_events.into_iter().for_each(|event| self.send_event(event));
            self.count_dropped(&write);
            self.finish(write, Ok(Some(Outcome { written, revision: self.writes.revision })));
        }
        for event in self.reveals.update(&self.snapshot.state) {
            self.send_event(event);
        }
        self.encode_more();
    }

    /// Updates reviews, index, vectors and projections after an operation was applied.
    fn follow(&mut self, touched: &[Key]) {
        self.reviews.update(&self.snapshot.state, touched);
        Arc::make_mut(&mut self.snapshot.learned).update(&self.snapshot.state, touched);
        self.note_duplicates(touched);
        self.reveals.note(&self.snapshot.state, touched);
        if touched.len() <= LARGE_OPERATION {
            self.index_keys(touched);
        } else {
            self.writes.unindexed.extend(touched.iter().cloned());
        }
        self.project_later(touched.to_vec());
    }

    /// Updates reviews, index and projections after a change of transient values.
    fn follow_transients(&mut self, update: &TransientUpdate, touched: &[Key]) {
        self.reviews.update(&self.snapshot.state, touched);
        self.index_keys(touched);
        let keys = update.values.iter().map(|change| (change.subject.clone(), change.predicate.clone()));
        self.projection.transients.changed.extend(keys);
    }

    pub(super) fn index_keys(&mut self, keys: &[Key]) {
        self.index.update(self.snapshot.state.corpus(), keys);
        self.vectors.want_keys(&self.snapshot.state, &mut self.index, keys);
    }

    /// Indexes some records of a large operation. Returns whether there were records to index.
    pub(super) fn index_some(&mut self) -> bool {
        let count = self.writes.unindexed.len().min(MAX_KEYS_AT_ONCE);
        if count == 0 {
            return false;
        }
        let keys: Vec<Key> = self.writes.unindexed.drain(..count).collect();
        self.index_keys(&keys);
        if self.writes.unindexed.is_empty() {
            self.encode_more();
        }
        true
    }
}

/// Returns the keys of all records that an operation writes, refers to, or was computed from. Returns `None` if the
/// operation cannot share a commit, because the validity or meaning of other operations may depend on it.
fn affected_keys(state: &State, prepared: &PreparedWrite) -> Option<BTreeSet<Key>> {
    let changes = prepared.operation.as_ref().map_or(&[][..], |operation| &operation.changes);
    if changes.len() > LARGE_OPERATION || prepared.transients.values.len() > LARGE_OPERATION {
        return None;
    }
    let is_name = |predicate: &Predicate| is_read_by_lookups(state.vocabulary(), predicate);
    if prepared.transients.values.iter().any(|change| is_name(&change.predicate)) {
        return None;
    }
    let mut keys: BTreeSet<Key> = prepared.transients.subjects().collect();
    keys.extend(prepared.transients.clock.map(|_| Key::Setting(SettingKey::Clock)));
    for change in changes {
        if !change.is_local() {
            return None;
        }
        // A later write may refer to an entity by any part of its names, by its occupation or by its id.
        if change.entity().is_some_and(|entity| state.entity(&entity.id).is_none()) {
            return None;
        }
        let written = change.written_key();
        keys.extend(written.clone());
        if let Some(fact) = change.fact() {
            if is_name(fact.predicate()) {
                return None;
            }
            add_fact_keys(fact, &mut keys);
        } else if let Some(edge) = change.edge() {
            add_known_fact_keys(state, edge.fact, &mut keys)?;
            keys.extend(edge.knower.entity().cloned().map(Key::Entity));
        } else if let Some(Key::Fact(fact)) = written {
            add_known_fact_keys(state, fact, &mut keys)?;
        } else {
            change.visit_references(|reference| _ = keys.insert(reference.into()));
        }
    }
    Some(keys)
}

fn add_fact_keys(fact: &Fact, keys: &mut BTreeSet<Key>) {
    keys.insert(Key::Fact(fact.id()));
    keys.extend(fact.entities().cloned().map(Key::Entity));
    keys.extend(fact.provenance().session.clone().map(Key::Session));
}

/// Adds the keys for a fact that is in the state or is asserted by the same operation. Returns `None` if lookups of
/// names read the fact, because the operation may remove the fact.
fn add_known_fact_keys(state: &State, id: FactId, keys: &mut BTreeSet<Key>) -> Option<()> {
    keys.insert(Key::Fact(id));
    match state.fact(id) {
        Some(fact) if is_read_by_lookups(state.vocabulary(), fact.predicate()) => None,
        Some(fact) => {
            add_fact_keys(fact, keys);
            Some(())
        }
        None => Some(()),
    }
}

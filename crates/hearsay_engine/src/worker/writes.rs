//! Writes. When the turn of a write comes, its operation is computed from the committed state. Operations are committed
//! in groups, and are applied and answered after the commit.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
    time::{Duration, Instant},
};

use hearsay_model::{
    Change, EntityId, Fact, FactId, Key, Position, Predicate, Resolution, SettingKey, State, TransientUpdate,
    TransientValue, attribute,
};
use hearsay_store::{StoreError, Watermark, projection::rows};

use super::{
    Event, Internal, Worker, guarded,
    import::Import,
    write::{Made, Outcome, Write},
};
use crate::{ImportStage, MemoryError, Written, ticket::Responder};

/// Waiting writes, and the work that remains after committed writes.
#[derive(Default)]
pub(super) struct Writes {
    waiting: VecDeque<Write>,
    in_flight: Vec<(Made, Write)>,
    /// Number of writes applied since the memory was opened.
    revision: u64,
    /// Transient values that the graph tables do not show yet.
    transients: TransientProjection,
    /// Whether an import is being compared with the state, which must not change meanwhile.
    planning: bool,
    /// Keys of records from large operations whose texts are not indexed yet.
    unindexed: VecDeque<Key>,
    /// Keys of records that are outdated in the graph tables, in groups. Each group has the journal position up to
    /// which the tables are complete once the group is written.
    unprojected: VecDeque<(VecDeque<Key>, Position)>,
    /// Number of keys in `unprojected`, and the time at which they are written to the tables even if they are few.
    unprojected_keys: usize,
    project_at: Option<Instant>,
    /// Number of running rebuilds of the graph tables. Later changes are written after these rebuilds.
    rebuilding: usize,
}

/// Maximum number of operations in one commit.
pub(super) const GROUP: usize = 64;

/// Number of changes above which an operation counts as large. A large operation is committed alone, and its follow-up
/// work is done in slices.
pub(super) const LARGE: usize = 1_000;

/// Maximum number of keys that are indexed or projected at a time.
const PORTION: usize = 100;

/// Time for which a small number of changes waits for further changes before being projected. Each transaction on the
/// graph tables slows down the next commit.
const GATHER: Duration = Duration::from_millis(50);

/// Time until the next attempt to project changes that could not be projected yet.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// Maximum number of rows that may wait in the store. Above it, no further rows are created.
const MOST_BACKLOG: usize = 20_000;

/// Transient values in the graph tables. The tables are updated only when the memory closes, for three reasons: nothing
/// reads the tables before then, most values are replaced before then, and the database engine keeps the key of each
/// deleted edge.
#[derive(Default)]
struct TransientProjection {
    /// Number of the newest committed batch of transient values. `shown_batch` is the newest batch in the tables.
    batch: u64,
    shown_batch: u64,
    /// Values that changed since they were last sent to the tables.
    changed: BTreeSet<(EntityId, Predicate)>,
    /// Values that were sent to the tables.
    shown: BTreeMap<(EntityId, Predicate), TransientValue>,
}

/// Returns the subject and predicate of a value.
fn of(value: &TransientValue) -> (EntityId, Predicate) {
    (value.fact.subject().clone(), value.fact.predicate().clone())
}

impl TransientProjection {
    /// Marks values to be sent to the tables again: those in the tables, and those of a rebuilt state.
    fn renew(&mut self, state: &State, batch: u64) {
        self.batch = batch;
        self.changed.extend(self.shown.keys().cloned());
        self.changed.extend(state.transients().map(of));
    }

    /// Returns whether the tables contain all current values.
    fn is_complete(&self) -> bool {
        self.changed.is_empty() && self.shown_batch == self.batch
    }

    /// Returns the keys for at most `count` changed values. For each value, these are the keys of the old value in the
    /// tables and of the new value.
    fn take(&mut self, state: &State, count: usize) -> Vec<Key> {
        let mut keys = BTreeSet::new();
        for _ in 0..count {
            let Some(of) = self.changed.pop_first() else { break };
            let now = state.transient(&of.0, &of.1).cloned();
            keys.extend(self.shown.remove(&of).iter().chain(&now).flat_map(TransientValue::keys));
            if let Some(now) = now {
                self.shown.insert(of, now);
            }
        }
        keys.into_iter().collect()
    }
}

impl Writes {
    /// Creates an empty queue. `batch` is the newest batch of transient values in the state.
    pub(super) fn new(state: &State, batch: u64) -> Self {
        let shown = state.transients().map(|value| (of(value), value.clone())).collect();
        let transients = TransientProjection { batch, shown_batch: batch, shown, ..TransientProjection::default() };
        Self { transients, ..Self::default() }
    }

    /// Returns the number of the newest write.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// Increments and returns the number of the newest write.
    pub(super) fn next_revision(&mut self) -> u64 {
        self.revision += 1;
        self.revision
    }

    /// Updates the transient values after the state was rebuilt.
    pub(super) fn renew_transients(&mut self, state: &State, batch: u64) {
        self.transients.renew(state, batch);
    }

    pub(super) fn push(&mut self, write: Write) {
        self.waiting.push_back(write);
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting.len() + self.in_flight.len() + usize::from(self.planning)
    }

    /// Removes and returns the waiting writes.
    pub(super) fn take_waiting(&mut self) -> VecDeque<Write> {
        std::mem::take(&mut self.waiting)
    }

    /// Schedules records to be indexed in slices.
    pub(super) fn index_later(&mut self, keys: VecDeque<Key>) {
        self.unindexed = keys;
    }

    /// Schedules records to be written to the graph tables. Once they are written, the tables are complete up to the
    /// given position.
    pub(super) fn project_later(&mut self, keys: Vec<Key>, position: Position) {
        self.unprojected_keys += keys.len();
        self.unprojected.push_back((keys.into(), position));
        self.project_at.get_or_insert_with(|| Instant::now() + GATHER);
    }

    pub(super) fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// Returns whether an import is being compared with the state.
    pub(super) fn is_planning(&self) -> bool {
        self.planning
    }

    pub(super) fn has_room(&self) -> bool {
        self.waiting.len() < GROUP
    }

    /// Returns the time until the next projection; `None` if no keys wait. If keys are already due, returns
    /// [`LOOK_AGAIN`], because they may have to wait for the store.
    pub(super) fn patience(&self, now: Instant) -> Option<Duration> {
        self.project_at.map(|at| at.saturating_duration_since(now).max(LOOK_AGAIN))
    }

    pub(super) fn unindexed(&self) -> usize {
        self.unindexed.len()
    }
}

impl Worker {
    /// Commits waiting writes, unless a commit is under way.
    ///
    /// All operations of a group are computed from the same state, so they must not depend on each other. The first
    /// write that might depend on an earlier write of the group waits for the next group.
    pub(super) fn begin_commit(&mut self) {
        let is_busy = !self.writes.in_flight.is_empty() || self.writes.planning;
        if is_busy || self.ending.gave_up() || self.is_halted() {
            return;
        }
        let mut reached = BTreeSet::new();
        let mut are_recordable = true;
        while self.writes.in_flight.len() < GROUP
            && let Some(mut write) = self.writes.waiting.pop_front()
        {
            if write.is_cancelled() {
                self.finish(write, Err(MemoryError::Cancelled));
                continue;
            }
            let first = self.writes.in_flight.is_empty();
            if let Write::Import(import) = write {
                match (first, &import.plan) {
                    (true, None) => {
                        self.plan(import);
                        break;
                    }
                    (false, None) => {
                        self.writes.waiting.push_front(Write::Import(import));
                        break;
                    }
                    _ => write = Write::Import(import),
                }
            }
            let made = match write.make(&self.world) {
                Ok(made) if !made.is_empty() => made,
                // The write failed or has no changes. The result may differ once the group is applied, so the write is
                // tried again then.
                _ if !first => {
                    self.writes.waiting.push_front(write);
                    break;
                }
                nothing => {
                    // Recording the transient values failed. Retrying it before the write that needs it would block
                    // that write forever.
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
            let goes_back = made.operation.iter().flat_map(|operation| &operation.changes);
            if goes_back.into_iter().any(|change| matches!(change, Change::Restore(_)))
                && self.world.state.has_transients()
                && are_recordable
            {
                self.writes.waiting.push_front(write);
                self.writes.waiting.push_front(Write::RecordTransients);
                if first { continue } else { break }
            }
            let reach = reach(&self.world.state, &made);
            let fits = reach.as_ref().is_some_and(|reach| reached.is_disjoint(reach));
            if !first && !fits {
                self.writes.waiting.push_front(write);
                break;
            }
            self.writes.in_flight.push((made, write));
            match reach {
                Some(reach) => reached.extend(reach),
                None => break,
            }
        }
        if self.writes.in_flight.is_empty() {
            return;
        }
        let first = self.world.state.position().next();
        let (mut operations, mut transients) = (Vec::new(), Vec::new());
        for (made, _) in &self.writes.in_flight {
            operations.extend(made.operation.clone());
            if !made.transients.is_empty() {
                let at = Position(first.0 + operations.len() as u64 - 1);
                transients.push((at, made.transients.clone()));
            }
        }
        let internal = self.internal.clone();
        let done = move |result| drop(internal.send(Internal::Committed(result)));
        self.store.commit_with_transients(first, operations, transients, done);
    }

    /// Compares an import with the state on a background thread. Other writes wait meanwhile, so that the comparison
    /// stays valid.
    fn plan(&mut self, mut import: Box<Import>) {
        let state = Arc::clone(&self.world.state);
        import.progress.set(ImportStage::Comparing);
        self.writes.planning = self.aside(move |internal| {
            let plan = guarded(|| Ok(import.source.plan(&state)));
            // Drops the reference, because the worker can change its state in place only if it has the only one.
            drop(state);
            let planned = match plan {
                Ok(plan) => {
                    import.plan = Some(plan);
                    Some(import)
                }
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
        let in_flight = std::mem::take(&mut self.writes.in_flight);
        let committed = self.store.position();
        if let Err(error) = result {
            if let StoreError::Uncertain { .. } = error {
                return self.halt(error.to_string(), committed.next(), in_flight);
            }
            let what = error.to_string();
            for (_, write) in in_flight {
                self.note_if_findings(&write);
                self.finish(write, Err(MemoryError::NotCommitted(what.clone())));
            }
            return;
        }
        if in_flight.iter().any(|(made, _)| !made.transients.is_empty()) {
            self.writes.transients.batch += 1;
        }
        let mut in_flight = in_flight.into_iter();
        while let Some((made, write)) = in_flight.next() {
            self.writes.revision += 1;
            let (mut touched, mut written) = (Vec::new(), None);
            let before = self.world.state.version();
            if let Some(operation) = &made.operation {
                let applied = match Arc::make_mut(&mut self.world.state).apply(Arc::clone(operation)) {
                    Ok(applied) => applied,
                    Err(error) => {
                        // The operation was checked before the commit, and nothing that it depends on has changed
                        // since. The failure therefore means that the state no longer matches the journal.
                        let why = format!("`{}` is in the journal, but cannot be applied: {error}", operation.summary);
                        let rest: Vec<_> = in_flight.collect();
                        let later = rest.iter().filter(|(made, _)| made.operation.is_some()).count();
                        let first = Position(committed.0 - later as u64);
                        return self.halt(why, first, std::iter::once((made, write)).chain(rest).collect());
                    }
                };
                self.follow(applied.position, &applied.touched);
                self.follow_reading(applied.position, operation, &applied.touched, &write);
                written = Some(Written::of(applied.position, operation));
                touched = applied.touched;
            }
            if !made.transients.is_empty() {
                let changed = Arc::make_mut(&mut self.world.state).set_transients(&made.transients);
                self.follow_transients(&made.transients, &changed);
                touched.extend(made.transients.subjects());
                touched.extend(changed);
            }
            self.questions.view_cache.follow(before, &self.world.state, &touched);
            self.note_if_findings(&write);
            let position = self.world.state.position();
            self.tell(Event::Applied { position, revision: self.writes.revision, touched });
            self.count_dropped(&write);
            self.finish(write, Ok(Some(Outcome { written, revision: self.writes.revision })));
        }
        for event in self.reveals.update(&self.world.state) {
            self.tell(event);
        }
        self.encode_more();
    }

    /// Updates reviews, index, vectors and projections after an operation was applied.
    fn follow(&mut self, position: Position, touched: &[Key]) {
        self.reviews.update(&self.world.state, touched);
        Arc::make_mut(&mut self.world.learned).update(&self.world.state, touched);
        self.note_duplicates(touched);
        self.reveals.note(&self.world.state, touched);
        if touched.len() <= LARGE {
            self.index_keys(touched);
        } else {
            self.writes.unindexed.extend(touched.iter().cloned());
        }
        self.writes.unprojected.push_back((touched.iter().cloned().collect(), position));
        self.writes.unprojected_keys += touched.len();
        self.writes.project_at.get_or_insert_with(|| Instant::now() + GATHER);
    }

    /// Updates reviews, index and projections after a change of transient values.
    fn follow_transients(&mut self, update: &TransientUpdate, touched: &[Key]) {
        self.reviews.update(&self.world.state, touched);
        self.index_keys(touched);
        let of = update.values.iter().map(|change| (change.subject.clone(), change.predicate.clone()));
        self.writes.transients.changed.extend(of);
    }

    pub(super) fn index_keys(&mut self, keys: &[Key]) {
        self.index.update(self.world.state.corpus(), keys);
        self.vectors.want_keys(&self.world.state, &mut self.index, keys);
    }

    /// Indexes some records of a large operation. Returns whether there were records to index.
    pub(super) fn index_some(&mut self) -> bool {
        let count = self.writes.unindexed.len().min(PORTION);
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

    /// Sends changed transient values to the graph tables when the memory closes and nothing else waits. Returns
    /// whether there were values to send.
    fn project_transients(&mut self) -> bool {
        let transients = &mut self.writes.transients;
        if !self.closing || transients.is_complete() || !self.writes.unprojected.is_empty() {
            return false;
        }
        let keys = transients.take(&self.world.state, PORTION);
        // Until the last value is written, the tables count as showing the previous batch.
        let is_complete = transients.changed.is_empty();
        if is_complete {
            transients.shown_batch = transients.batch;
        }
        let complete = Watermark { position: self.world.state.position(), batch: transients.shown_batch };
        let internal = self.internal.clone();
        self.store.project(rows(&self.world.state, &keys), complete, move |result| {
            let _ = internal.send(Internal::Projected(result));
        });
        true
    }

    /// Sends some changed records to the graph tables. Returns whether records could be sent.
    pub(super) fn project_some(&mut self) -> bool {
        if self.writes.rebuilding > 0 || self.store.backlog() > MOST_BACKLOG {
            return false;
        }
        let Some(due) = self.writes.project_at else { return self.project_transients() };
        if self.writes.unprojected_keys < PORTION && !self.closing && Instant::now() < due {
            return false;
        }
        let (mut portion, mut complete) = (BTreeSet::new(), Position(0));
        while portion.len() < PORTION
            && let Some((keys, position)) = self.writes.unprojected.front_mut()
        {
            let count = keys.len().min(PORTION - portion.len());
            portion.extend(keys.drain(..count));
            self.writes.unprojected_keys -= count;
            // Until the last record of an operation is written, the tables are complete only up to the operation before
            // it.
            complete = Position(position.0 - u64::from(!keys.is_empty()));
            if keys.is_empty() {
                self.writes.unprojected.pop_front();
            }
        }
        if self.writes.unprojected.is_empty() {
            self.writes.project_at = None;
        }
        let portion: Vec<Key> = portion.into_iter().collect();
        let internal = self.internal.clone();
        let complete = Watermark { position: complete, batch: self.writes.transients.shown_batch };
        self.store.project(rows(&self.world.state, &portion), complete, move |result| {
            let _ = internal.send(Internal::Projected(result));
        });
        true
    }

    /// Rebuilds the graph tables on a background thread.
    pub(super) fn rebuild(&mut self, responder: Responder<()>) {
        let (state, store) = (Arc::clone(&self.world.state), Arc::clone(&self.store));
        let started = self.aside(move |internal| {
            responder.give(guarded(|| Ok(store.rebuild_projections_blocking(&state, |_, _| {})?)));
            drop(store);
            let _ = internal.send(Internal::Rebuilt);
        });
        self.writes.rebuilding += usize::from(started);
    }

    pub(super) fn take_rebuilt(&mut self) {
        self.writes.rebuilding -= 1;
    }
}

/// Returns the keys of all records that an operation writes, refers to, or was computed from. Returns `None` if the
/// operation cannot share a commit, because the validity or meaning of other operations may depend on it.
fn reach(state: &State, made: &Made) -> Option<BTreeSet<Key>> {
    let changes = made.operation.as_ref().map_or(&[][..], |operation| &operation.changes);
    if changes.len() > LARGE || made.transients.values.len() > LARGE {
        return None;
    }
    let mut reach: BTreeSet<Key> = made.transients.subjects().collect();
    reach.extend(made.transients.clock.map(|_| Key::Setting(SettingKey::Clock)));
    for change in changes {
        if !change.is_local() {
            return None;
        }
        let written = change.written_key();
        reach.extend(written.clone());
        if let Some(fact) = change.fact() {
            // A name that nobody had before cannot change which entities other operations refer to.
            if names(fact) && fact.object().text().is_none_or(|name| state.resolve(name) != Resolution::None) {
                return None;
            }
            reach_fact(fact, &mut reach);
        } else if let Some(edge) = change.edge() {
            reach_known(state, edge.fact, &mut reach)?;
            reach.extend(edge.knower.entity().cloned().map(Key::Entity));
        } else if let Some(Key::Fact(fact)) = written {
            reach_known(state, fact, &mut reach)?;
        } else {
            change.visit_references(|reference| _ = reach.insert(reference.into()));
        }
    }
    Some(reach)
}

fn names(fact: &Fact) -> bool {
    [attribute::NAME, attribute::ALIAS].contains(&fact.predicate().as_str())
}

fn reach_fact(fact: &Fact, reach: &mut BTreeSet<Key>) {
    reach.insert(Key::Fact(fact.id()));
    reach.extend(fact.entities().cloned().map(Key::Entity));
    reach.extend(fact.provenance().session.clone().map(Key::Session));
}

/// Adds the keys for a fact that is in the state or is asserted by the same operation. Returns `None` if the fact
/// states a name, because the operation may remove the name.
fn reach_known(state: &State, id: FactId, reach: &mut BTreeSet<Key>) -> Option<()> {
    reach.insert(Key::Fact(id));
    match state.fact(id) {
        Some(fact) if names(fact) => None,
        Some(fact) => {
            reach_fact(fact, reach);
            Some(())
        }
        None => Some(()),
    }
}

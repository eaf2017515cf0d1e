//! Transient values in the graph tables.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_model::{EntityId, Key, Predicate, State, TransientValue};

/// Transient values in the graph tables. The tables are updated only when the memory closes, for three reasons: nothing
/// reads the tables before then, most values are replaced before then, and the database engine keeps the key of each
/// deleted edge.
#[derive(Default)]
pub(super) struct TransientProjection {
    /// Number of the newest committed batch of transient values. `shown_batch` is the newest batch in the tables.
    pub(super) batch: u64,
    pub(super) shown_batch: u64,
    /// Values that changed since they were last sent to the tables.
    pub(super) changed: BTreeSet<(EntityId, Predicate)>,
    /// Values that were sent to the tables.
    pub(super) shown: BTreeMap<(EntityId, Predicate), TransientValue>,
}

/// Returns the subject and predicate of a value.
fn value_key(value: &TransientValue) -> (EntityId, Predicate) {
    (value.fact.subject().clone(), value.fact.predicate().clone())
}

impl TransientProjection {
    /// Creates a projection whose tables contain all values of a state. `batch` is the newest batch of the state.
    pub(super) fn new(state: &State, batch: u64) -> Self {
        let mut projection = Self { batch, ..Self::default() };
        projection.mark_complete(state);
        projection
    }

    /// Records that the tables contain all values of a state.
    pub(super) fn mark_complete(&mut self, state: &State) {
        self.shown = state.transients().map(|value| (value_key(value), value.clone())).collect();
        self.changed.clear();
        self.shown_batch = self.batch;
    }

    /// Continues to update tables that show the values of a batch. Returns `false` if it is unknown which values these
    /// are.
    #[cfg(feature = "remote")]
    pub(super) fn continue_from(&mut self, state: &State, batch: u64) -> bool {
        if batch == self.batch {
            self.mark_complete(state);
        }
        batch == self.shown_batch
    }

    /// Marks values to be sent to the tables again: those in the tables, and those of a rebuilt state.
    pub(super) fn mark_outdated(&mut self, state: &State, batch: u64) {
        self.batch = batch;
        self.changed.extend(self.shown.keys().cloned());
        self.changed.extend(state.transients().map(value_key));
    }

    /// Returns whether the tables contain all current values.
    pub(super) fn is_complete(&self) -> bool {
        self.changed.is_empty() && self.shown_batch == self.batch
    }

    /// Returns the keys for at most `count` changed values. For each value, these are the keys of the old value in the
    /// tables and of the new value.
    pub(super) fn take_keys(&mut self, state: &State, count: usize) -> Vec<Key> {
        let mut keys = BTreeSet::new();
        for _ in 0..count {
            let Some(key) = self.changed.pop_first() else { break };
            let now = state.transient(&key.0, &key.1).cloned();
            keys.extend(self.shown.remove(&key).iter().chain(&now).flat_map(TransientValue::keys));
            if let Some(now) = now {
                self.shown.insert(key, now);
            }
        }
        keys.into_iter().collect()
    }
}

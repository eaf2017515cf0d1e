//! Interning: equal ids share one allocation.
//!
//! An operation that was read from a file has a separate allocation for each id. Interning saves memory, because
//! thousands of facts and edges name the same entity.

use std::{hash::Hash, sync::Arc};

use rustc_hash::FxHashSet;

use super::State;
use crate::{EntityId, Operation, Predicate, Rename, SessionId};

/// Replaces ids with equal ids that are already in memory.
struct Interner<'s> {
    state: &'s State,
    entities: FxHashSet<EntityId>,
    sessions: FxHashSet<SessionId>,
    predicates: FxHashSet<Predicate>,
}

/// Replaces a value with an equal value that is already stored. If there is none, stores this value for later calls.
fn share<T: Eq + Hash + Clone>(value: &mut T, old: Option<&T>, new: &mut FxHashSet<T>) {
    match old.or_else(|| new.get(value)) {
        Some(known) => *value = known.clone(),
        None => _ = new.insert(value.clone()),
    }
}

impl Rename for Interner<'_> {
    const KEEPS_IDS_EQUAL: bool = true;

    fn entity(&mut self, id: &mut EntityId) {
        let old = self.state.entities.get(id).map(|row| &row.id);
        share(id, old, &mut self.entities);
    }

    fn session(&mut self, id: &mut SessionId) {
        let old = self.state.session(id).map(|session| &session.id);
        share(id, old, &mut self.sessions);
    }

    fn predicate(&mut self, predicate: &mut Predicate) {
        share(predicate, self.state.predicates.get(predicate), &mut self.predicates);
    }
}

impl State {
    /// Makes the ids of an operation share the allocations of equal ids. Data that has other owners is not changed.
    pub(super) fn intern(&self, operation: &mut Arc<Operation>) {
        let Some(operation) = Arc::get_mut(operation) else { return };
        let (entities, sessions, predicates) = Default::default();
        let mut interner = Interner { state: self, entities, sessions, predicates };
        operation.changes.iter_mut().for_each(|change| change.rename(&mut interner));
        operation.changes.shrink_to_fit();
    }
}

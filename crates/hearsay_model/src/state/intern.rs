//! Interning: equal ids share one allocation.
//!
//! An operation that was read from a file has a separate allocation for each id. Thousands of facts and edges name the
//! same entity.

use std::{hash::Hash, sync::Arc};

use rustc_hash::FxHashSet;

use super::State;
use crate::{Acquisition, Change, EntityId, Fact, Knower, KnowledgeEdge, Operation, Passage, Predicate, SessionId};

/// Replaces ids by equal ids that are in memory already.
pub(crate) struct Interner<'s> {
    state: &'s State,
    entities: FxHashSet<EntityId>,
    sessions: FxHashSet<SessionId>,
    predicates: FxHashSet<Predicate>,
}

/// Replaces a value by an equal one, or stores it for later values.
fn share<T: Eq + Hash + Clone>(value: &mut T, old: Option<&T>, new: &mut FxHashSet<T>) {
    match old.or_else(|| new.get(value)) {
        Some(known) => *value = known.clone(),
        None => _ = new.insert(value.clone()),
    }
}

impl Interner<'_> {
    pub(crate) fn entity(&mut self, id: &mut EntityId) {
        let old = self.state.entities.get(id).map(|row| &row.id);
        share(id, old, &mut self.entities);
    }

    pub(crate) fn session(&mut self, id: &mut SessionId) {
        let old = self.state.session(id).map(|session| &session.id);
        share(id, old, &mut self.sessions);
    }

    pub(crate) fn predicate(&mut self, predicate: &mut Predicate) {
        share(predicate, self.state.predicates.get(predicate), &mut self.predicates);
    }

    fn knower(&mut self, knower: &mut Knower) {
        if let Knower::Entity(id) = knower {
            self.entity(id);
        }
    }

    fn fact(&mut self, fact: &mut Arc<Fact>) {
        if let Some(fact) = Arc::get_mut(fact) {
            fact.intern(self);
        }
    }

    fn knowledge(&mut self, knowledge: &mut Arc<KnowledgeEdge>) {
        let Some(edge) = Arc::get_mut(knowledge) else { return };
        self.knower(&mut edge.knower);
        match &mut edge.acquisition {
            Acquisition::Told { by, citing } => by.iter_mut().chain(citing).for_each(|id| self.entity(id)),
            Acquisition::Read { document } => document.iter_mut().for_each(|id| self.entity(id)),
            Acquisition::Witnessed | Acquisition::Authored | Acquisition::Deduced { .. } | Acquisition::Shared => {}
        }
        edge.session.iter_mut().for_each(|id| self.session(id));
        edge.co_present.iter_mut().for_each(|id| self.entity(id));
    }

    fn passage(&mut self, passage: &mut Arc<Passage>) {
        let Some(passage) = Arc::get_mut(passage) else { return };
        let named = passage.speaker.iter_mut().chain(&mut passage.place).chain(&mut passage.document);
        named.chain(&mut passage.mentions).for_each(|id| self.entity(id));
        passage.session.iter_mut().for_each(|id| self.session(id));
        let readers = passage.readers.iter_mut().map(|reader| &mut reader.knower);
        passage.heard_by.iter_mut().chain(readers).for_each(|knower| self.knower(knower));
    }
}

impl State {
    /// Lets the ids of an operation share the allocations of equal ids. Data with other references remains unchanged.
    pub(super) fn intern(&self, operation: &mut Arc<Operation>) {
        let Some(operation) = Arc::get_mut(operation) else { return };
        let (entities, sessions, predicates) = Default::default();
        let mut interner = Interner { state: self, entities, sessions, predicates };
        for change in &mut operation.changes {
            match change {
                Change::AddEntity(entity) => interner.entity(&mut entity.id),
                Change::RemoveEntity(id) => interner.entity(id),
                Change::AssertFact(fact) | Change::Support(fact) => interner.fact(fact),
                Change::Learn(knowledge) => interner.knowledge(knowledge),
                Change::AddPassage(passage) => interner.passage(passage),
                _ => {}
            }
        }
        operation.changes.shrink_to_fit();
    }
}

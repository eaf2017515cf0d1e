//! Changes of the proposals in a batch, so that a later proposal takes the earlier ones into account.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_model::{Author, Change, EntityId, Fact, FactId, FactStatus, KnowledgeEdge, KnowledgeId, Predicate, State};

/// Effects of the proposals of a batch so far.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) changes: Vec<Change>,
    asserted: BTreeMap<FactId, Arc<Fact>>,
    pub(super) ended: BTreeSet<FactId>,
    /// New edges with their indices in `changes`.
    learned: BTreeMap<KnowledgeId, usize>,
}

impl Batch {
    /// Returns the canon values of a predicate that are still valid after the earlier proposals of the batch.
    pub(super) fn values<'a>(&'a self, state: &'a State, subject: &EntityId, predicate: &Predicate) -> Vec<&'a Fact> {
        let batch_values = self.asserted.values().map(Arc::as_ref).filter(|fact| {
            let is_open = fact.status() == FactStatus::Canon && !fact.validity().is_closed();
            is_open && fact.subject() == subject && fact.predicate() == predicate
        });
        let recorded_values =
            state.values(subject, predicate).into_iter().filter(|fact| !self.asserted.contains_key(&fact.id()));
        recorded_values.chain(batch_values).filter(|fact| !self.ended.contains(&fact.id())).collect()
    }

    /// Returns the status of a fact after the earlier proposals of the batch, and whether its validity has ended.
    pub(super) fn recorded_status(&self, state: &State, id: FactId) -> Option<(FactStatus, bool)> {
        let fact = self.asserted.get(&id).or_else(|| state.fact(id))?;
        Some((fact.status(), fact.validity().is_closed() || self.ended.contains(&id)))
    }

    /// Returns the facts about a subject, including those of earlier proposals of the batch.
    pub(super) fn facts_of<'a>(&'a self, state: &'a State, subject: &EntityId) -> Vec<&'a Arc<Fact>> {
        let recorded_facts = state.facts_of(subject).filter(|fact| !self.asserted.contains_key(&fact.id()));
        let batch_facts = self.asserted.values().filter(|fact| fact.entities().any(|id| id == subject));
        let mut facts: Vec<&Arc<Fact>> = recorded_facts.chain(batch_facts).collect();
        facts.sort_unstable_by_key(|fact| fact.id());
        facts
    }

    /// Adds edges. If an author creates several edges with the same id, the highest credence is recorded, regardless of
    /// the order in which texts are read. If a text is read again (`is_repeated`), recorded and withdrawn edges do not
    /// change. Edges recorded by other authors stay unchanged.
    pub(super) fn learn(&mut self, state: &State, author: &Author, edges: Vec<KnowledgeEdge>, is_repeated: bool) {
        for edge in edges {
            let id = edge.id();
            if let Some(Change::Learn(pending_edge)) =
                self.learned.get(&id).and_then(|index| self.changes.get_mut(*index))
            {
                if pending_edge.credence < edge.credence {
                    Arc::make_mut(pending_edge).credence = edge.credence;
                }
                continue;
            }
            let recorded =
                state.recorded_edges(edge.fact).find(|(recorded, _)| *recorded == id).map(|(_, recorded)| recorded);
            let edge = match recorded {
                Some(recorded) if is_repeated || recorded.credence >= edge.credence => continue,
                Some(recorded) if state.edge_author(id) == Some(author) => {
                    KnowledgeEdge { credence: edge.credence, ..KnowledgeEdge::clone(recorded) }
                }
                Some(_) => continue,
                None if is_repeated && state.edge_author(id).is_some() => continue,
                None => edge,
            };
            self.learned.insert(id, self.changes.len());
            self.changes.push(Change::Learn(Arc::new(edge)));
        }
    }

    /// Adds a fact.
    pub(super) fn assert(&mut self, fact: &Arc<Fact>) {
        self.changes.push(Change::AssertFact(Arc::clone(fact)));
        self.ended.remove(&fact.id());
        self.asserted.insert(fact.id(), Arc::clone(fact));
    }
}

//! Changes by the earlier proposals of a batch. The decision on a later proposal depends on these changes.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_model::{
    ActiveSession, Author, Change, EntityId, Fact, FactId, FactStatus, Knower, KnowledgeEdge, Predicate,
    SessionSetting, Setting, State,
};

/// Effects of the proposals of a batch so far.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) changes: Vec<Change>,
    asserted: BTreeMap<FactId, Arc<Fact>>,
    pub(super) ended: BTreeSet<FactId>,
    /// Recorded claims that were marked as lies, each with its speaker.
    pub(super) lies: BTreeSet<(FactId, EntityId)>,
    /// Indices of the new edges in `changes`, by fact and knower.
    learned: BTreeMap<(FactId, Knower), Vec<usize>>,
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

    /// Adds edges. If a knower learns a fact again, in the same way and at the same time, no second edge is added. For
    /// example, a teller may state a fact in several lines. If an author creates several edges with the same id, the
    /// highest credence is recorded, regardless of the order in which texts are read. Edges recorded by other authors
    /// stay unchanged.
    ///
    /// If the edges come from another text than the recorded edges of the same author (`is_other_text`), the recorded edges
    /// are recorded again. If the earlier text is removed, the hearers still know the fact from this text.
    pub(super) fn learn(
        &mut self,
        state: &State,
        author: &Author,
        edges: Vec<Arc<KnowledgeEdge>>,
        is_other_text: bool,
    ) {
        for edge in edges {
            let id = edge.id();
            let indices = self.learned.entry((edge.fact, edge.knower.clone())).or_default();
            let is_same = |index: &&usize| {
                let change = self.changes.get(**index);
                change.and_then(Change::edge).is_some_and(|pending| is_same_acquisition(pending, &edge))
            };
            if let Some(index) = indices.iter().find(is_same) {
                if let Some(Change::Learn(pending)) = self.changes.get_mut(*index)
                    && pending.credence < edge.credence
                    && pending.id() == id
                {
                    Arc::make_mut(pending).credence = edge.credence;
                }
                continue;
            }
            let recorded = state.recorded_edges(edge.fact).find(|(_, recorded)| is_same_acquisition(recorded, &edge));
            let edge = match recorded {
                Some((recorded_id, recorded))
                    if recorded_id == id
                        && recorded.credence < edge.credence
                        && state.edge_author(id) == Some(author) =>
                {
                    Arc::new(KnowledgeEdge { credence: edge.credence, ..KnowledgeEdge::clone(recorded) })
                }
                Some((recorded_id, recorded)) if is_other_text && state.edge_author(recorded_id) == Some(author) => {
                    Arc::clone(recorded)
                }
                Some(_) => continue,
                None => edge,
            };
            indices.push(self.changes.len());
            self.changes.push(Change::Learn(edge));
        }
    }

    /// Adds a fact on which the DM decided before. `decided` is the fact with the DM's decision, which applies again.
    pub(super) fn restore(&mut self, fact: &Arc<Fact>, decided: Arc<Fact>) {
        self.changes.push(Change::Support(Arc::clone(fact)));
        self.asserted.insert(fact.id(), decided);
    }

    /// Returns the facts that the earlier proposals of the batch made canon.
    pub(super) fn new_canon(&self) -> Vec<Arc<Fact>> {
        let asserted = self.changes.iter().filter_map(|change| match change {
            Change::AssertFact(fact) => Some(fact),
            _ => None,
        });
        asserted.filter(|fact| fact.status() == FactStatus::Canon).cloned().collect()
    }

    /// Returns the new edges to a fact.
    pub(super) fn edges_to(&self, fact: FactId) -> impl Iterator<Item = &Arc<KnowledgeEdge>> {
        self.changes.iter().filter_map(Change::edge).filter(move |edge| edge.fact == fact)
    }

    /// Adds the changes that follow from a move. If several characters come back to the scene, all of them are there again.
    pub(super) fn add_consequences(&mut self, mut consequences: Vec<Change>) {
        let earlier = self.changes.iter_mut().rev().find_map(active_session);
        if let (Some(playing), Some(earlier)) = (consequences.iter_mut().find_map(active_session), earlier) {
            playing.absent.retain(|id, _| earlier.absent.contains_key(id));
        }
        self.changes.extend(consequences);
    }

    /// Adds a fact.
    pub(super) fn assert(&mut self, fact: &Arc<Fact>) {
        self.changes.push(Change::AssertFact(Arc::clone(fact)));
        self.ended.remove(&fact.id());
        self.asserted.insert(fact.id(), Arc::clone(fact));
    }
}

/// Returns the session being played according to a change; `None` for any other change.
fn active_session(change: &mut Change) -> Option<&mut ActiveSession> {
    match change {
        Change::Set(Setting::Session(SessionSetting::Playing(playing))) => Some(playing),
        _ => None,
    }
}

/// Returns whether a knower learned a fact through two edges in the same way and at the same time. Two records of a
/// telling must also name the same hearers. The justifications may differ, because they depend on the knowledge that
/// was recorded when the edge was made.
fn is_same_acquisition(a: &KnowledgeEdge, b: &KnowledgeEdge) -> bool {
    let time = |edge: &KnowledgeEdge| edge.learned_at().map_or_else(|| Err(edge.learned.clone()), Ok);
    (&a.knower, a.fact, &a.acquisition, &a.rank) == (&b.knower, b.fact, &b.acquisition, &b.rank)
        && time(a) == time(b)
        && (a.acquisition.gives_knowledge() || a.co_present == b.co_present)
}

//! Transfer of knowledge edges from facts to the facts that replace them.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_model::{Change, FactId, Justification, KnowledgeEdge, KnowledgeId, State};

/// Returns the edges to facts, and all edges that depend on these edges, by id. The result omits edges of removed
/// entities, and edges that record a deduction from one of the facts.
pub fn edges_with_dependents(
    state: &State,
    facts: impl IntoIterator<Item = FactId>,
) -> BTreeMap<KnowledgeId, Arc<KnowledgeEdge>> {
    let has_existing_knower =
        |edge: &Arc<KnowledgeEdge>| edge.knower.entity().is_none_or(|id| state.entity(id).is_some());
    let mut edges: BTreeMap<KnowledgeId, Arc<KnowledgeEdge>> = BTreeMap::new();
    let mut pending: Vec<Arc<KnowledgeEdge>> = Vec::new();
    for fact in facts {
        pending.extend(state.recorded_knowledge(fact).filter(|edge| has_existing_knower(edge)).cloned());
    }
    while let Some(edge) = pending.pop() {
        let id = edge.id();
        if edges.contains_key(&id) {
            continue;
        }
        let moves_along = |edge: &&Arc<KnowledgeEdge>| edge.acquisition.is_independent() && has_existing_knower(edge);
        pending.extend(state.dependent_edges(id).map(|(_, edge)| edge).filter(moves_along).cloned());
        edges.insert(id, edge);
    }
    edges
}

/// Returns the changes that move edges from old facts to new facts, together with all edges that depend on these edges.
/// `replacements` maps the id of each old fact to the new fact. Deductions from the old facts are not moved, because
/// they may not follow from the new facts. The changes do not remove the old facts and their edges.
pub fn move_edges(state: &State, replacements: &BTreeMap<FactId, FactId>) -> Vec<Change> {
    let edges = edges_with_dependents(state, replacements.keys().copied());
    let new_fact = |id: FactId| replacements.get(&id).copied().unwrap_or(id);
    let (mut new_ids, mut changes) = (BTreeMap::<KnowledgeId, KnowledgeId>::new(), Vec::new());
    for &first in edges.keys() {
        let mut pending = vec![first];
        while let Some(&id) = pending.last() {
            let Some(edge) = edges.get(&id).filter(|_| !new_ids.contains_key(&id)) else {
                pending.pop();
                continue;
            };
            let pending_count = pending.len();
            let justifications = edge.sources.iter().flat_map(Justification::edges);
            pending.extend(justifications.filter(|id| edges.contains_key(id) && !new_ids.contains_key(id)));
            if pending.len() > pending_count {
                continue;
            }
            pending.pop();
            let new_id = |id: &KnowledgeId| new_ids.get(id).copied().unwrap_or(*id);
            let new_justification = |justification: &Justification| match justification {
                Justification::Basis { fact, edge } => {
                    Justification::Basis { fact: new_fact(*fact), edge: new_id(edge) }
                }
                Justification::Experience { told, seen, held } => {
                    Justification::Experience { told: new_id(told), seen: new_id(seen), held: *held }
                }
            };
            let fact = new_fact(edge.fact);
            let sources = edge.sources.iter().map(new_justification).collect();
            let mut moved = KnowledgeEdge { fact, sources, ..KnowledgeEdge::clone(edge) }.sorted();
            // A knower who already knows and conceals the new fact in the same way still conceals it.
            moved.conceals |= state.knowledge(moved.id()).is_some_and(|recorded| recorded.conceals);
            new_ids.insert(id, moved.id());
            if !replacements.contains_key(&edge.fact) && moved.id() != id {
                changes.push(Change::Unlearn(id));
            }
            changes.push(Change::Learn(Arc::new(moved)));
        }
    }
    changes
}

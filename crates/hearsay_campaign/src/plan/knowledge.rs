//! Changes of knowledge edges: knowers learn a fact, or no longer know it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_model::{Change, EntityId, KnowledgeEdge, KnowledgeId};

use super::planner::{Planner, Withdrawn};

impl Planner<'_> {
    pub(super) fn plan_knowledge(
        &mut self,
        edges: BTreeMap<KnowledgeId, Arc<KnowledgeEdge>>,
        withdrawn: &Withdrawn,
        removed_entities: &BTreeSet<EntityId>,
    ) {
        let mut missing_edges: Vec<KnowledgeId> = Vec::new();
        for (id, last) in &self.history.edges {
            let Some(edge) = last.value.filter(|_| last.ours) else { continue };
            if !edges.contains_key(id) && !withdrawn.kept_facts.contains(&edge.fact) {
                missing_edges.push(*id);
            }
        }
        missing_edges.extend(&withdrawn.moved_edges);
        missing_edges.sort_unstable();
        missing_edges.dedup();
        self.report.withdrawn_knowledge = missing_edges.len();
        let removals = missing_edges.into_iter().map(Change::Unlearn);
        // Edges are removed before the facts that they point to.
        self.removals.splice(0..0, removals);
        for (id, edge) in edges {
            if edge.knower.entity().is_some_and(|id| removed_entities.contains(id))
                || withdrawn.not_added.contains(&edge.fact)
            {
                continue;
            }
            match self.history.edges.get(&id) {
                Some(last) if last.value.is_some_and(|current| *current == edge) => {}
                Some(last) if !last.ours => {
                    let statement =
                        self.state.fact(edge.fact).map_or(String::new(), |fact| fact.statement().to_owned());
                    let reason = format!("the campaign has changed how `{}` knows this fact", edge.knower);
                    self.report_unchanged(Some(edge.fact), statement, reason);
                }
                _ if named_entities(&edge).any(|id| removed_entities.contains(id)) => {
                    let description = format!("how `{}` knows a fact", edge.knower);
                    self.report_unchanged(
                        Some(edge.fact),
                        description,
                        "it refers to an entity that was removed in the campaign and is not added again",
                    );
                }
                _ => {
                    self.report.knowledge += 1;
                    self.additions.push(Change::Learn(edge));
                }
            }
        }
    }
}

/// Returns the entities that an edge names, apart from its knower.
fn named_entities(edge: &KnowledgeEdge) -> impl Iterator<Item = &EntityId> {
    edge.acquisition.entities().chain(&edge.co_present)
}

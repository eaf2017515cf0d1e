//! The knowers of accepted facts, if the DM names them.

use std::{collections::BTreeSet, sync::Arc};

use hearsay_model::{
    Acquisition, Change, EntityId, Evidence, FactId, FactStatus, Knower, KnowledgeEdge, Operation, State, attribute,
};
use hearsay_query::ids::require_entities;

use crate::CommandError;

/// Changes an operation that accepts facts, so that only the given characters know these facts. The knowers of names
/// and kinds do not change.
///
/// # Errors
/// Returns an error if a character does not exist.
pub fn with_knowers(state: &State, mut operation: Operation, knowers: &[EntityId]) -> Result<Operation, CommandError> {
    require_entities(state, knowers)?;
    let accepted: BTreeSet<FactId> =
        operation.changes.iter().filter_map(|change| accepted_fact(state, change)).collect();
    let is_named = |knower: &Knower| knower.entity().is_some_and(|id| knowers.contains(id));
    operation
        .changes
        .retain(|change| change.edge().is_none_or(|edge| !accepted.contains(&edge.fact) || is_named(&edge.knower)));
    for fact in accepted.iter().filter_map(|id| state.fact(*id)) {
        let edges: Vec<_> = state.recorded_edges(fact.id()).collect();
        let passages = fact.provenance().evidence.iter().filter_map(Evidence::passage);
        let passage = passages.filter_map(|id| state.passage(id)).next();
        for knower in knowers.iter().cloned().map(Knower::Entity) {
            let is_own = |edge: &KnowledgeEdge| edge.acquisition.gives_knowledge() && edge.sources.is_empty();
            if !edges.iter().any(|(_, edge)| edge.knower == knower && is_own(edge)) {
                operation.changes.push(Change::Learn(Arc::new(KnowledgeEdge {
                    acquisition: Acquisition::Witnessed,
                    learned: passage.and_then(|passage| passage.time.clone()),
                    session: passage.and_then(|passage| passage.session.clone()),
                    ..KnowledgeEdge::authored(knower, fact.id())
                })));
            }
        }
        let others = edges.into_iter().filter(|(_, edge)| !is_named(&edge.knower));
        operation.changes.extend(others.map(|(id, _)| Change::Unlearn(id)));
    }
    Ok(operation)
}

/// Returns the fact that a change accepts. Returns `None` for a name or kind.
fn accepted_fact(state: &State, change: &Change) -> Option<FactId> {
    let Change::SetStatus { fact, status: FactStatus::Canon } = change else { return None };
    let recorded = state.fact(*fact)?;
    let is_label = recorded.is_name() || recorded.predicate().as_str() == attribute::KIND;
    (!is_label).then_some(*fact)
}

//! Derivations: chains of edges that lead from a knower of a fact back to the origins.

use std::sync::Arc;

use hearsay_model::{Change, Credence, Justification, KnowledgeEdge, KnowledgeId, State};

use crate::{AccessPath, BeliefCalculator, Known, credence::credence};

/// Step of a derivation: an edge, and the steps for the edges on which it depends.
#[derive(Debug, Clone, PartialEq)]
pub struct DerivationStep {
    /// The id of the edge.
    pub id: KnowledgeId,
    /// The edge of this step.
    pub edge: Arc<KnowledgeEdge>,
    /// Whether the knower of the fact has this edge itself, through a group or place, or as common lore. Only the first
    /// step has an access path. The value is `None` for all other steps.
    pub access_path: Option<AccessPath>,
    /// The credence that the knower of this edge would have in the fact with only this edge.
    pub belief: Credence,
    /// The knower's trust in the teller, from 0 to 1. The trust includes experiences. It is a factor in the computation
    /// of the belief of this edge.
    pub trust_factor: Credence,
    /// The steps on which this step depends, sorted by edge id; empty if this step is an origin.
    pub from: Vec<DerivationStep>,
}

/// Maximum total number of steps in all derivations of a fact. Further steps are omitted.
const MAX_STEPS: usize = 1_000;

/// Returns the derivations of a known fact: one derivation for each edge to the fact.
pub fn derivations(state: &State, known: &Known) -> Vec<DerivationStep> {
    let mut calculator = BeliefCalculator::new(state);
    let mut remaining_steps = MAX_STEPS;
    let known_edges = known.known_edges().iter();
    known_edges
        .map(|known_edge| DerivationStep {
            access_path: Some(known_edge.access_path.clone()),
            ..derivation_step(state, &mut calculator, known_edge.id, &known_edge.edge, &mut remaining_steps)
        })
        .collect()
}

fn derivation_step(
    state: &State,
    calculator: &mut BeliefCalculator,
    id: KnowledgeId,
    edge: &Arc<KnowledgeEdge>,
    remaining_steps: &mut usize,
) -> DerivationStep {
    *remaining_steps = remaining_steps.saturating_sub(1);
    let belief = credence(calculator.belief(id, edge));
    let mut basis_edges: Vec<KnowledgeId> = edge
        .sources
        .iter()
        .filter_map(|source| match source {
            Justification::Basis { edge, .. } => Some(*edge),
            Justification::Experience { .. } => None,
        })
        .collect();
    basis_edges.sort_unstable();
    let mut from = Vec::new();
    for id in basis_edges {
        if *remaining_steps > 0
            && let Some(edge) = state.knowledge(id)
        {
            from.push(derivation_step(state, calculator, id, &Arc::clone(edge), remaining_steps));
        }
    }
    DerivationStep {
        id,
        edge: Arc::clone(edge),
        access_path: None,
        belief,
        trust_factor: credence(calculator.trust_factor(edge)),
        from,
    }
}

impl DerivationStep {
    /// Returns the origins of the derivation, in the order of the chain. An origin is a step that depends on no other
    /// step.
    pub fn origins(&self) -> Vec<&DerivationStep> {
        if self.from.is_empty() {
            return vec![self];
        }
        self.from.iter().flat_map(DerivationStep::origins).collect()
    }
}

/// Effect of a retraction or another change on the knowledge of all knowers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RetractionImpact {
    /// Edges that would be lost, sorted by fact and knower.
    pub lost: Vec<Arc<KnowledgeEdge>>,
    /// Edges whose belief would change. Each entry contains the edge, the belief before the change and the belief after
    /// the change. Sorted by fact and knower.
    pub changed: Vec<(Arc<KnowledgeEdge>, Credence, Credence)>,
}

/// Compares the knowledge in two states. Returns the lost edges and the edges with a changed belief.
///
/// To preview changes, apply the changes to a clone of the state.
pub fn retraction_impact(state: &State, after: &State) -> RetractionImpact {
    let (mut calculator_before, mut calculator_after) = (BeliefCalculator::new(state), BeliefCalculator::new(after));
    let mut impact = RetractionImpact::default();
    for (id, edge) in state.all_knowledge() {
        let Some(edge_after) = after.knowledge(id) else {
            impact.lost.push(Arc::clone(edge));
            continue;
        };
        if edge.sources.is_empty() && edge.credence == edge_after.credence {
            continue;
        }
        let (before, after) =
            (credence(calculator_before.belief(id, edge)), credence(calculator_after.belief(id, edge_after)));
        if before != after {
            impact.changed.push((Arc::clone(edge), before, after));
        }
    }
    let sort_key = |edge: &KnowledgeEdge| (edge.fact, edge.knower.clone());
    impact.lost.sort_by_key(|edge| sort_key(edge));
    impact.changed.sort_by_key(|(edge, ..)| sort_key(edge));
    impact
}

/// Returns the changes that remove edges, as if the knowers had never learned the facts through these edges. Edges that
/// depend on the removed edges become inactive.
pub fn withdrawal_changes(state: &State, edges: &[KnowledgeId]) -> Vec<Change> {
    edges.iter().filter(|id| state.knowledge(**id).is_some()).map(|id| Change::Unlearn(*id)).collect()
}

//! Derivations: the source chain of a belief, back to its origins.

use std::sync::Arc;

use hearsay_model::{Change, Credence, Justification, KnowledgeEdge, KnowledgeId, State};

use crate::{AccessPath, Known, Weigher, credence::credence};

/// One step of a derivation: an edge, its belief, and the edges that it depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct DerivationStep {
    /// The id of the edge.
    pub id: KnowledgeId,
    /// The edge.
    pub edge: Arc<KnowledgeEdge>,
    /// How the edge reaches the knower of the fact; `None` for the further steps of the chain.
    pub access_path: Option<AccessPath>,
    /// How much the edge makes its knower believe the fact.
    pub belief: Credence,
    /// The share of the teller's belief that the edge takes over. The knower's experiences with the teller are
    /// included.
    pub share: Credence,
    /// The steps that this step depends on, sorted by edge id; empty at an origin.
    pub from: Vec<DerivationStep>,
}

/// Maximum number of steps in all derivations of a fact together. Further steps are left out.
const MOST_LINKS: usize = 1_000;

/// Returns the derivations of a known fact: for each edge to the fact, the chain of edges that it depends on.
pub fn chains(state: &State, known: &Known) -> Vec<DerivationStep> {
    let mut weigher = Weigher::new(state);
    let mut left = MOST_LINKS;
    let known_edges = known.known_edges().iter();
    known_edges
        .map(|way| DerivationStep {
            access_path: Some(way.access_path.clone()),
            ..link(state, &mut weigher, way.id, &way.edge, &mut left)
        })
        .collect()
}

fn link(
    state: &State,
    weigher: &mut Weigher,
    id: KnowledgeId,
    edge: &Arc<KnowledgeEdge>,
    left: &mut usize,
) -> DerivationStep {
    *left = left.saturating_sub(1);
    let belief = credence(weigher.belief(id, edge));
    let mut basis: Vec<KnowledgeId> = edge
        .sources
        .iter()
        .filter_map(|source| match source {
            Justification::Basis { edge, .. } => Some(*edge),
            Justification::Experience { .. } => None,
        })
        .collect();
    basis.sort_unstable();
    let mut from = Vec::new();
    for id in basis {
        if *left > 0
            && let Some(edge) = state.knowledge(id)
        {
            from.push(link(state, weigher, id, &Arc::clone(edge), left));
        }
    }
    DerivationStep { id, edge: Arc::clone(edge), access_path: None, belief, share: credence(weigher.share(edge)), from }
}

impl DerivationStep {
    /// Returns the origins of the derivation: the steps that depend on no other step. In the order of the chain.
    pub fn origins(&self) -> Vec<&DerivationStep> {
        if self.from.is_empty() {
            return vec![self];
        }
        self.from.iter().flat_map(DerivationStep::origins).collect()
    }
}

/// Effect that a retraction or another change would have on knowledge.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RetractionImpact {
    /// Edges that are lost, sorted by fact and knower.
    pub lost: Vec<Arc<KnowledgeEdge>>,
    /// Edges whose belief changes, with the belief before and after, sorted by fact and knower.
    pub moved: Vec<(Arc<KnowledgeEdge>, Credence, Credence)>,
}

/// Compares the knowledge in two states: lost edges, and edges with a changed belief.
///
/// To preview changes, apply them to a clone of the state.
pub fn retraction_impact(state: &State, after: &State) -> RetractionImpact {
    let (mut now, mut then) = (Weigher::new(state), Weigher::new(after));
    let mut retraction_impact = RetractionImpact::default();
    for (id, edge) in state.all_knowledge() {
        let Some(same) = after.knowledge(id) else {
            retraction_impact.lost.push(Arc::clone(edge));
            continue;
        };
        if edge.sources.is_empty() && edge.credence == same.credence {
            continue;
        }
        let (before, after) = (credence(now.belief(id, edge)), credence(then.belief(id, same)));
        if before != after {
            retraction_impact.moved.push((Arc::clone(edge), before, after));
        }
    }
    let order = |edge: &KnowledgeEdge| (edge.fact, edge.knower.clone());
    retraction_impact.lost.sort_by_key(|edge| order(edge));
    retraction_impact.moved.sort_by_key(|(edge, ..)| order(edge));
    retraction_impact
}

/// Returns the changes that remove edges, as if the knowers had never learned the facts. Edges that depend on them
/// become inactive.
pub fn withdrawal(state: &State, edges: &[KnowledgeId]) -> Vec<Change> {
    edges.iter().filter(|id| state.knowledge(**id).is_some()).map(|id| Change::Unlearn(*id)).collect()
}

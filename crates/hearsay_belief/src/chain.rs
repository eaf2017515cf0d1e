//! Source chains: how somebody comes to know something, back to those who were there.

use std::sync::Arc;

use hearsay_model::{Change, Credence, Knowledge, KnowledgeId, Source, State};

use crate::{Known, Via, Weigher, credence::credence};

/// One link of a chain: an edge, what it makes its knower believe, and what it rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainLink {
    /// The edge's id.
    pub id: KnowledgeId,
    /// The edge.
    pub edge: Arc<Knowledge>,
    /// By which way it reaches the one who was asked about; nothing, further up the chain.
    pub via: Option<Via>,
    /// How much it makes its knower believe.
    pub belief: Credence,
    /// The share of the teller's belief that it takes over, experience counted in.
    pub share: Credence,
    /// What it rests on, by id; empty at the origin.
    pub from: Vec<ChainLink>,
}

/// Links in all that a chain shows at most: those nearest to the knower come first.
const MOST_LINKS: usize = 1_000;

/// How somebody comes to know a fact: for each way, the chain of edges behind it.
pub fn chains(state: &State, known: &Known) -> Vec<ChainLink> {
    let mut weigher = Weigher::new(state);
    let mut left = MOST_LINKS;
    let ways = known.ways().iter();
    ways.map(|way| ChainLink { via: Some(way.via.clone()), ..link(state, &mut weigher, way.id, &way.edge, &mut left) })
        .collect()
}

fn link(state: &State, weigher: &mut Weigher, id: KnowledgeId, edge: &Arc<Knowledge>, left: &mut usize) -> ChainLink {
    *left = left.saturating_sub(1);
    let belief = credence(weigher.belief(id, edge));
    let mut basis: Vec<KnowledgeId> = edge
        .sources
        .iter()
        .filter_map(|source| match source {
            Source::Basis { edge, .. } => Some(*edge),
            Source::Experience { .. } => None,
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
    ChainLink { id, edge: Arc::clone(edge), via: None, belief, share: credence(weigher.share(edge)), from }
}

impl ChainLink {
    /// The links at the far ends of the chain: those who have it from nobody. In the order of the chain.
    pub fn origins(&self) -> Vec<&ChainLink> {
        if self.from.is_empty() {
            return vec![self];
        }
        self.from.iter().flat_map(ChainLink::origins).collect()
    }
}

/// What becomes of knowledge by some changes that are not made yet.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fallout {
    /// Edges that are gone, by fact and knower.
    pub lost: Vec<Arc<Knowledge>>,
    /// Edges that make their knowers believe less or more than they did, with the belief before and after.
    pub moved: Vec<(Arc<Knowledge>, Credence, Credence)>,
}

/// What became of what everybody knew in one state when it became another: whose knowledge fell, and whose belief moved.
/// To know what some changes would do, apply them to a clone.
pub fn fallout(state: &State, after: &State) -> Fallout {
    let (mut now, mut then) = (Weigher::new(state), Weigher::new(after));
    let mut fallout = Fallout::default();
    for (id, edge) in state.all_knowledge() {
        let Some(same) = after.knowledge(id) else {
            fallout.lost.push(Arc::clone(edge));
            continue;
        };
        if edge.sources.is_empty() && edge.credence == same.credence {
            continue;
        }
        let (before, after) = (credence(now.belief(id, edge)), credence(then.belief(id, same)));
        if before != after {
            fallout.moved.push((Arc::clone(edge), before, after));
        }
    }
    let order = |edge: &Knowledge| (edge.fact, edge.knower.clone());
    fallout.lost.sort_by_key(|edge| order(edge));
    fallout.moved.sort_by_key(|(edge, ..)| order(edge));
    fallout
}

/// The changes that withdraw what somebody learned from somebody, or by itself: it never happened, and what rests on it
/// falls with it.
pub fn withdrawal(state: &State, edges: &[KnowledgeId]) -> Vec<Change> {
    edges.iter().filter(|id| state.knowledge(**id).is_some()).map(|id| Change::Unlearn(*id)).collect()
}

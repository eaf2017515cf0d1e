//! Computation of credence along a chain of retellings, and from several edges together. The *belief* of an edge is the
//! credence that its knower would have in the fact with only this edge.
//!
//! # Along a chain
//!
//! The belief of an edge without justifications is the credence that is stored in the edge. If the edge records that a
//! teller told the fact, its belief is
//!
//! ```text
//! belief(edge)       = trust_factor(edge) × RETELLING_FACTOR × belief(edges of the teller)
//! trust_factor(edge) = (FIRST_IMPRESSION_WEIGHT × credence(edge) + confirmed)
//!                      / (FIRST_IMPRESSION_WEIGHT + confirmed + contradicted)
//! ```
//!
//! where `credence(edge)` is the knower's first impression of the teller. `confirmed` is the number of earlier
//! testimonies by the same teller that turned out to be true. `contradicted` is the number of these testimonies that
//! turned out to be untrue. `trust_factor`, the trust in the teller, is the expected value of a beta distribution, as
//! in the beta reputation system (Jøsang and Ismail, 2002). The belief of an edge that records a deduction is the
//! product of `credence(edge)` and the beliefs in all premises.
//!
//! # For several edges
//!
//! Edges with independent origins corroborate each other. The resulting credence is `1 − Π (1 − belief)` over all
//! origins. Here, `belief` is the highest belief of an edge with this origin. [`combined_belief`] states which origins
//! the knower treats as independent. Testimony does not change the credence in a fact that the knower observed. It also
//! does not change a credence of 1 or 0 that the campaign states.
//!
//! The computation reads only the knower's edges and their justifications.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_model::{
    Credence, EntityId, GameTime, Justification, Knower, KnowledgeEdge, KnowledgeId, Reliability, State,
};
use rustc_hash::FxHashMap;

/// The minimum credence of a believed fact, 0.5. A knower does not believe a fact with a lower credence.
pub const BELIEF_THRESHOLD: f64 = 0.5;

/// Factor by which each retelling reduces belief, even if the hearer fully trusts the teller.
pub const RETELLING_FACTOR: f64 = 0.9;

/// Weight of the first impression of a teller. The first impression has the same weight as this number of experiences.
pub const FIRST_IMPRESSION_WEIGHT: f64 = 4.0;

/// Calculator for the belief of edges along chains of retellings. The calculator caches its results.
#[derive(Debug)]
pub struct BeliefCalculator<'s> {
    state: &'s State,
    /// Edges that are not in the state yet.
    new_edges: FxHashMap<KnowledgeId, Arc<KnowledgeEdge>>,
    /// Computed beliefs, by edge.
    beliefs: FxHashMap<KnowledgeId, f64>,
}

impl<'s> BeliefCalculator<'s> {
    /// Creates a calculator for the edges of a state.
    pub fn new(state: &'s State) -> Self {
        Self { state, new_edges: FxHashMap::default(), beliefs: FxHashMap::default() }
    }

    /// Adds an edge that is not in the state yet.
    pub(crate) fn add_edge(&mut self, id: KnowledgeId, edge: Arc<KnowledgeEdge>) {
        self.new_edges.insert(id, edge);
    }

    fn edge(&self, id: KnowledgeId) -> Option<&KnowledgeEdge> {
        self.state.knowledge(id).or_else(|| self.new_edges.get(&id)).map(AsRef::as_ref)
    }

    /// Returns the belief of an edge, from 0.0 to 1.0: the knower's credence in the fact if the knower had only this
    /// edge.
    pub fn belief(&mut self, id: KnowledgeId, edge: &KnowledgeEdge) -> f64 {
        if edge.sources.is_empty() {
            return edge.credence.get();
        }
        // Chains may be long, so a loop is used instead of recursion. The belief of an edge is computed after the
        // beliefs of all edges on which it depends.
        let mut pending = vec![id];
        while let Some(&next) = pending.last() {
            let Some(edge) = self.edge(next).filter(|_| !self.beliefs.contains_key(&next)) else {
                pending.pop();
                continue;
            };
            let pending_count = pending.len();
            pending.extend(self.basis_edges(edge).map(|(id, _)| id).filter(|id| !self.beliefs.contains_key(id)));
            if pending.len() == pending_count {
                let belief = self.compute_belief(edge);
                self.beliefs.insert(next, belief);
                pending.pop();
            }
        }
        self.beliefs.get(&id).copied().unwrap_or_default()
    }

    /// Returns the edges on which an edge depends. Skips edges that no longer exist.
    fn basis_edges<'a>(&'a self, edge: &'a KnowledgeEdge) -> impl Iterator<Item = (KnowledgeId, &'a KnowledgeEdge)> {
        edge.sources.iter().filter_map(|source| match source {
            Justification::Basis { edge, .. } => Some((*edge, self.edge(*edge)?)),
            Justification::Experience { .. } => None,
        })
    }

    /// Computes the belief of an edge. The beliefs of the edges on which it depends must already be computed.
    fn compute_belief(&self, edge: &KnowledgeEdge) -> f64 {
        let mut basis_edges: Vec<_> = self.basis_edges(edge).collect();
        if basis_edges.is_empty() {
            return edge.credence.get();
        }
        basis_edges.sort_by_key(|(id, edge)| (edge.fact, *id));
        let mut belief = self.trust_factor(edge);
        for edges_of_fact in basis_edges.chunk_by(|(_, a), (_, b)| a.fact == b.fact) {
            let (shared, known_edges): (Vec<_>, Vec<_>) =
                edges_of_fact.iter().partition(|(_, edge)| !edge.acquisition.gives_knowledge());
            let weighed = known_edges.iter().map(|(id, source)| WeighedEdge {
                id: *id,
                edge: source,
                belief: self.beliefs.get(id).copied().unwrap_or_else(|| source.credence.get()),
                is_own: Some(&source.knower) == basis_knower(edge).as_ref(),
            });
            let shared: Vec<&KnowledgeEdge> = shared.iter().map(|(_, edge)| *edge).collect();
            belief *= combined_belief(&weighed.collect::<Vec<_>>(), &shared);
        }
        if edge.acquisition.reliability() == Reliability::Concluded { belief } else { belief * RETELLING_FACTOR }
    }

    /// Returns the trust factor of an edge: the knower's trust in the teller, computed from the first impression of the
    /// teller and the knower's experiences with the teller.
    pub(crate) fn trust_factor(&self, edge: &KnowledgeEdge) -> f64 {
        let experience = |source: &Justification| match source {
            Justification::Experience { told, seen, held } => {
                let when = self.edge(*seen)?.learned_at();
                self.edge(*told).map(|_| (*told, (when, *seen), *held))
            }
            Justification::Basis { .. } => None,
        };
        trust_from_experiences(edge.credence.get(), edge.sources.iter().filter_map(experience))
    }
}

/// Returns the knower on whose edges this edge depends: the teller if the fact was told, otherwise the knower itself.
fn basis_knower(edge: &KnowledgeEdge) -> Option<Knower> {
    if edge.acquisition.is_told() {
        edge.acquisition.teller().cloned().map(Knower::Entity)
    } else {
        Some(edge.knower.clone())
    }
}

/// Returns the trust that results from a first impression and from experiences, 0.0–1.0.
///
/// Each experience contains the testimony, the time and edge of the knower's own observation, and whether the testimony
/// was true. If there are several observations for one testimony, only the latest observation is used.
pub(crate) fn trust_from_experiences(
    first_impression: f64,
    experiences: impl Iterator<Item = (KnowledgeId, (Option<GameTime>, KnowledgeId), bool)>,
) -> f64 {
    let mut latest = BTreeMap::new();
    for (testimony, observation, was_true) in experiences {
        let verdict = latest.entry(testimony).or_insert((observation, was_true));
        *verdict = (*verdict).max((observation, was_true));
    }
    let confirmed = latest.values().filter(|(_, was_true)| *was_true).count() as f64;
    (FIRST_IMPRESSION_WEIGHT * first_impression + confirmed) / (FIRST_IMPRESSION_WEIGHT + latest.len() as f64)
}

/// An edge to a fact, with the belief of the edge.
#[derive(Debug, Clone, Copy)]
pub struct WeighedEdge<'a> {
    /// The id of the edge.
    pub id: KnowledgeId,
    /// The edge to the fact.
    pub edge: &'a KnowledgeEdge,
    /// The belief of the edge, from 0.0 to 1.0: the knower's credence in the fact if the knower had only this edge.
    pub belief: f64,
    /// Whether the edge is the knower's own edge. The value is `false` for edges of groups and places, and for common
    /// lore.
    pub is_own: bool,
}

/// Returns the credence of a knower in a fact that it knows through several edges, 0.0–1.0. `shared` contains the edges
/// that only record that the knower told others the fact.
///
/// - If an own edge of the knower is not testimony, or if the knower invented the fact, the edges of groups and places
///   and common lore are ignored. For example, a liar does not believe its own lie, even if its whole town believes it.
/// - If all own edges are testimony, the result is the higher of two credences: the credence from the own edges, and
///   the credence from all other edges. Therefore, a resident does not believe the rumour of its town less after
///   somebody repeats the rumour. The two credences do not corroborate each other, because the tellers of a rumour may
///   have it from the same town.
/// - Some edges are decisive: observations, and authored edges with a credence of 1 or 0. If there are decisive edges,
///   the latest of them alone determines the credence.
/// - If the knower told others the fact but has no source for it, the knower invented the fact. The result is then 0.
/// - Otherwise, edges are grouped by origin: the teller and the cited source, the document, or general talk. Two edges
///   that name the same person have the same origin. A later edge also has the same origin as an earlier edge if the
///   later edge may only repeat the knower's own knowledge. There are three cases. The teller (or cited source) of the
///   later edge was present when the knower learned the fact through the earlier edge. The knower told the fact to the
///   teller (or cited source) of the later edge. The teller of the later edge cites the knower. Different origins are
///   independent.
pub fn combined_belief(known_edges: &[WeighedEdge], shared: &[&KnowledgeEdge]) -> f64 {
    let (own, others): (Vec<WeighedEdge>, Vec<WeighedEdge>) =
        known_edges.iter().copied().partition(|known_edge| known_edge.is_own);
    if own.is_empty() || others.is_empty() {
        return belief_from_origins(known_edges, shared);
    }
    let belief = belief_from_origins(&own, shared);
    let is_invented = shared.iter().any(|record| record.is_invention());
    if is_invented || own_edges_decide(own.iter().map(|known_edge| known_edge.edge)) {
        return belief;
    }
    belief.max(belief_from_origins(&others, shared))
}

/// Returns whether the own edges of a knower alone decide its credence in a fact: whether at least one of them is not
/// testimony.
pub(crate) fn own_edges_decide<'e>(mut own: impl Iterator<Item = &'e KnowledgeEdge>) -> bool {
    own.any(|edge| edge.acquisition.reliability() != Reliability::Reported)
}

/// Returns the credence that results from edges, grouped by origin: see [`combined_belief`].
fn belief_from_origins(known_edges: &[WeighedEdge], shared: &[&KnowledgeEdge]) -> f64 {
    let latest_certain = known_edges.iter().filter(|known_edge| is_certain(known_edge.edge)).max_by(|a, b| {
        let rank =
            |known_edge: &WeighedEdge| (known_edge.edge.learned_at(), known_edge.belief.to_bits(), known_edge.id);
        rank(a).cmp(&rank(b))
    });
    if let Some(certain) = latest_certain {
        return certain.belief;
    }
    if shared.iter().any(|record| record.is_invention()) {
        return 0.0;
    }
    let origins = origins(known_edges, shared);
    let mut disbelief = 1.0;
    for origin in 0..known_edges.len() {
        let of_origin = known_edges.iter().zip(&origins).filter(|(_, index)| **index == origin);
        disbelief *= 1.0 - of_origin.map(|(known_edge, _)| known_edge.belief).fold(0.0, f64::max);
    }
    1.0 - disbelief
}

fn is_certain(edge: &KnowledgeEdge) -> bool {
    let certain = [Credence::FULL, Credence::NONE].contains(&edge.credence);
    match edge.acquisition.reliability() {
        Reliability::Observed => true,
        Reliability::Stated => certain,
        Reliability::Reported | Reliability::Concluded | Reliability::None => false,
    }
}

/// Origin of an edge, as far as the knower can tell.
#[derive(Debug, PartialEq, Eq)]
enum Origin<'a> {
    /// The knower of the edge itself: the edge is an observation, or the campaign states that the knower knows the
    /// fact.
    Itself(&'a Knower),
    /// The teller, and the source that the teller cited.
    People([Option<&'a EntityId>; 2]),
    Document(&'a EntityId),
    Text,
    Talk,
    Conclusion(KnowledgeId),
}

fn origin<'a>(known_edge: &WeighedEdge<'a>) -> Origin<'a> {
    let acquisition = &known_edge.edge.acquisition;
    match (acquisition.reliability(), acquisition.document()) {
        (Reliability::Observed | Reliability::Stated | Reliability::None, _) => Origin::Itself(&known_edge.edge.knower),
        (Reliability::Concluded, _) => Origin::Conclusion(known_edge.id),
        (Reliability::Reported, Some(document)) => Origin::Document(document),
        (Reliability::Reported, None) if !acquisition.is_told() => Origin::Text,
        (Reliability::Reported, None) => match [acquisition.teller(), acquisition.cited_source()] {
            [None, None] => Origin::Talk,
            people => Origin::People(people),
        },
    }
}

impl Origin<'_> {
    /// Returns whether two origins are the same, as far as the knower can tell.
    fn is_same_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::People(own), Self::People(other)) => {
                own.iter().flatten().any(|person| other.contains(&Some(*person)))
            }
            _ => self == other,
        }
    }
}

/// Returns, for each edge, the index of the first edge with the same origin.
fn origins(known_edges: &[WeighedEdge], shared: &[&KnowledgeEdge]) -> Vec<usize> {
    let mut origins: Vec<usize> = (0..known_edges.len()).collect();
    let mut join = |a: usize, b: usize| {
        let (low, high) = (origins[a].min(origins[b]), origins[a].max(origins[b]));
        for origin in origins.iter_mut().filter(|origin| **origin == high) {
            *origin = low;
        }
    };
    let is_not_after = |a: Option<GameTime>, b: Option<GameTime>| a <= b;
    for (index, known_edge) in known_edges.iter().enumerate() {
        for (other, earlier) in known_edges.iter().enumerate().filter(|(other, _)| *other != index) {
            if other < index && origin(known_edge).is_same_as(&origin(earlier)) {
                join(index, other);
            }
            let acquisition = &known_edge.edge.acquisition;
            let is_echo =
                acquisition.cited_source().is_some() && acquisition.cited_source() == known_edge.edge.knower.entity();
            if is_echo && is_not_after(earlier.edge.learned_at(), known_edge.edge.learned_at()) {
                join(index, other);
            }
            let mut people = acquisition.teller_and_source();
            // A person who was present when the knower learned the fact, or to whom the knower told the fact, may just
            // repeat it.
            let was_present = |edge: &KnowledgeEdge, person| {
                edge.co_present.contains(person) && is_not_after(edge.learned_at(), known_edge.edge.learned_at())
            };
            let was_told_by_knower = |person| {
                let tellings = shared.iter().filter(|record| was_present(record, person));
                tellings.into_iter().any(|record| is_not_after(earlier.edge.learned_at(), record.learned_at()))
            };
            if people.any(|person| was_present(earlier.edge, person) || was_told_by_knower(person)) {
                join(index, other);
            }
        }
    }
    origins
}

/// Returns the belief of a knower in a fact that the knower also knows to be refuted: `c (1 − r) ÷ (1 − c r)`, by
/// Dempster's rule for two bodies of evidence.
///
/// `c` is the belief in the fact without the refutations, and `r` is the belief in all refutations together, `1 − Π (1
/// − rᵢ)`. Therefore, an uncertain refutation does not change the belief in a certain fact. If both the fact and the
/// refutation are certain, the knower believes the later of the two.
pub(crate) fn refuted_belief(
    (belief, learned): (f64, Option<GameTime>),
    refutations: impl IntoIterator<Item = (f64, Option<GameTime>)>,
) -> f64 {
    let (mut unrefuted, mut certain_since) = (1.0, None);
    for (refutation, since) in refutations {
        unrefuted *= 1.0 - refutation;
        if refutation >= 1.0 {
            certain_since = certain_since.max(Some(since));
        }
    }
    let normalizer = 1.0 - belief * (1.0 - unrefuted);
    match certain_since {
        // Because of rounding, the result may be slightly above 1.
        _ if normalizer > 0.0 => (belief * unrefuted / normalizer).min(1.0),
        Some(since) if since >= learned => 0.0,
        _ => belief,
    }
}

/// Converts a belief to a credence. The belief is clamped to 0.0–1.0, because rounding may put it slightly outside this
/// range.
pub(crate) fn credence(belief: f64) -> Credence {
    Credence::new(belief.clamp(0.0, 1.0)).unwrap_or(Credence::NONE)
}

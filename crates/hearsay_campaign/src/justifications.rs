//! Justifications of the edges of knowers who heard a fact from a teller. If the files contain the teller's own edges
//! to the fact, the hearer's edge depends on these edges.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use hearsay_belief::{RETELLING_FACTOR, WeighedEdge, combined_belief};
use hearsay_model::{
    Acquisition, Credence, Date, EntityId, FactId, FactRelation, GameTime, Justification, Knower, KnowledgeEdge,
    KnowledgeId, SessionId,
};

use crate::{Campaign, error::SourcePosition};

/// An edge without its justifications.
#[derive(Debug, Clone)]
pub(crate) struct DraftEdge {
    pub(crate) edge: Arc<KnowledgeEdge>,
    /// The position of the edge in the files.
    pub(crate) at: SourcePosition,
}

/// One step of a cycle: the knower `knower` learned a fact from the knower `teller`.
#[derive(Debug, Clone)]
pub(crate) struct TellingStep {
    pub(crate) knower: Knower,
    pub(crate) teller: EntityId,
    pub(crate) fact: FactId,
    pub(crate) at: SourcePosition,
}

/// The edges with their justifications.
#[derive(Debug)]
pub(crate) struct JustifiedEdges {
    pub(crate) edges: BTreeMap<KnowledgeId, Arc<KnowledgeEdge>>,
    /// Cycles of knowers who learned a fact only from one another. Each cycle begins with the step that comes first in
    /// the files.
    pub(crate) cycles: Vec<Vec<TellingStep>>,
}

/// An edge with its justifications.
struct BuiltEdge {
    id: KnowledgeId,
    edge: KnowledgeEdge,
    belief: f64,
}

/// Identifies the edge that records that the teller told a fact: teller, fact, time, session, and the teller's edges to
/// the fact.
type TellingKey = (EntityId, FactId, Option<Date>, Option<SessionId>, Vec<Justification>);

/// Sets the justifications of every edge.
///
/// 1. A told edge depends on the teller's own edges to the fact. If the teller has no own edges, the told edge depends
///    on the teller's edges to the fact that the told fact distorts. Edges that the teller acquired after the telling
///    do not count. If there are no such edges, the teller is the origin of the derivation.
/// 2. The credence in the files is the hearer's final credence. The stored credence is relative to the teller's
///    credence. Where possible, the stored credence is chosen so that the hearer's final credence matches the files.
/// 3. A teller with credence 0 in the fact is lying, and is the origin of the derivation.
/// 4. A teller with its own edge to the fact gets a record of the hearers to whom it told the fact.
pub(crate) fn justify_edges(campaign: &Campaign, drafts: BTreeMap<KnowledgeId, DraftEdge>) -> JustifiedEdges {
    let (ids, drafts): (Vec<KnowledgeId>, Vec<DraftEdge>) = drafts.into_iter().unzip();
    let dependencies = find_teller_edges(campaign, &drafts);
    let mut dependents: HashMap<usize, Vec<usize>> = HashMap::new();
    for (index, dependencies) in dependencies.iter().enumerate() {
        for dependency in dependencies {
            dependents.entry(*dependency).or_default().push(index);
        }
    }
    let mut missing_counts: Vec<usize> = dependencies.iter().map(Vec::len).collect();
    let mut built: BTreeMap<usize, BuiltEdge> = BTreeMap::new();
    let mut tellings = BTreeMap::new();
    let mut pending: Vec<usize> = (0..drafts.len()).filter(|index| missing_counts[*index] > 0).collect();
    // The edges to build next, each with the edges that it depends on. An edge stays unchanged if it depends on no edge
    // and no edge depends on it.
    let origins = dependents.keys().filter(|index| missing_counts[**index] == 0);
    let mut ready: Vec<(usize, Vec<usize>)> = origins.map(|index| (*index, Vec::new())).collect();
    while !ready.is_empty() {
        for (index, ready_dependencies) in std::mem::take(&mut ready) {
            let ready_dependencies: Vec<&BuiltEdge> =
                ready_dependencies.iter().filter_map(|dependency| built.get(dependency)).collect();
            let edge = build_edge(&drafts[index].edge, &ready_dependencies, &mut tellings);
            built.insert(index, edge);
            for dependent in dependents.get(&index).into_iter().flatten() {
                missing_counts[*dependent] -= 1;
                if missing_counts[*dependent] == 0 && !built.contains_key(dependent) {
                    ready.push((*dependent, dependencies[*dependent].clone()));
                }
            }
        }
        if ready.is_empty() {
            // In a cycle, edges that also depend on an edge outside of the cycle are built first.
            pending.retain(|index| !built.contains_key(index));
            let available = |index: &usize| {
                dependencies[*index].iter().copied().filter(|dependency| built.contains_key(dependency))
            };
            ready = pending.iter().map(|index| (*index, available(index).collect::<Vec<_>>())).collect();
            ready.retain(|(_, ready_dependencies)| !ready_dependencies.is_empty());
        }
    }
    let cycles = find_cycles(&drafts, &dependencies, &pending);
    let edges = ids.iter().copied().zip(drafts.into_iter().map(|draft| draft.edge));
    let mut edges: BTreeMap<KnowledgeId, Arc<KnowledgeEdge>> = edges.collect();
    for (index, BuiltEdge { id, edge, .. }) in built {
        edges.remove(&ids[index]);
        edges.insert(id, Arc::new(edge));
    }
    for ((teller, fact, learned, session, sources), co_present) in tellings {
        let record = KnowledgeEdge::authored(teller.into(), fact);
        let acquisition = Acquisition::Shared;
        let record =
            KnowledgeEdge { acquisition, learned, session, sources, co_present, credence: Credence::NONE, ..record }
                .sorted();
        edges.insert(record.id(), Arc::new(record));
    }
    JustifiedEdges { edges, cycles }
}

/// Returns, for each edge, the edges of the teller on which the edge can depend.
fn find_teller_edges(campaign: &Campaign, drafts: &[DraftEdge]) -> Vec<Vec<usize>> {
    let facts = campaign.facts();
    // The start of each fact, and the other fact that it distorts.
    let facts: HashMap<FactId, (Option<GameTime>, Option<FactId>)> = facts
        .filter_map(|fact| {
            let distorts = match fact.fact_relation() {
                Some(FactRelation::Distorts(original)) => Some(original),
                _ => None,
            };
            let start = fact.validity().start();
            (start.is_some() || distorts.is_some()).then_some((fact.id(), (start, distorts)))
        })
        .collect();
    let start_and_original = |edge: &KnowledgeEdge| facts.get(&edge.fact).copied().unwrap_or_default();
    let candidate_facts = |edge: &KnowledgeEdge| std::iter::once(edge.fact).chain(start_and_original(edge).1);
    let mut edges_by_knower: HashMap<(&EntityId, FactId), Vec<usize>> = HashMap::new();
    for edge in drafts.iter().map(|draft| &*draft.edge) {
        if let Some(teller) = edge.acquisition.teller() {
            edges_by_knower.extend(candidate_facts(edge).map(|fact| ((teller, fact), Vec::new())));
        }
    }
    for (index, DraftEdge { edge, .. }) in drafts.iter().enumerate() {
        if let Some(teller_edges) =
            edge.knower.entity().and_then(|knower| edges_by_knower.get_mut(&(knower, edge.fact)))
        {
            teller_edges.push(index);
        }
    }
    let dependencies_of = |edge: &KnowledgeEdge| {
        let Some(teller) = edge.acquisition.teller() else { return Vec::new() };
        // If an edge has no time of acquisition, the start of the fact counts.
        let told_at = edge.learned_at().or(start_and_original(edge).0);
        let is_in_time = |index: &usize| drafts[*index].edge.learned_at() <= told_at;
        let teller_edges = candidate_facts(edge).filter_map(|fact| edges_by_knower.get(&(teller, fact)));
        let teller_edges =
            teller_edges.map(|teller_edges| teller_edges.iter().copied().filter(is_in_time).collect::<Vec<_>>());
        teller_edges.into_iter().find(|teller_edges| !teller_edges.is_empty()).unwrap_or_default()
    };
    drafts.iter().map(|draft| dependencies_of(&draft.edge)).collect()
}

fn build_edge(
    edge: &KnowledgeEdge,
    dependencies: &[&BuiltEdge],
    tellings: &mut BTreeMap<TellingKey, Vec<EntityId>>,
) -> BuiltEdge {
    let mut edge = edge.clone();
    let weighed = dependencies.iter().map(|dependency| WeighedEdge {
        id: dependency.id,
        edge: &dependency.edge,
        belief: dependency.belief,
        is_own: true,
    });
    let teller_credence = combined_belief(&weighed.collect::<Vec<_>>(), &[]);
    let mut sources: Vec<Justification> = Vec::new();
    let mut belief = edge.credence.get();
    if teller_credence > 0.0 {
        sources.extend(
            dependencies
                .iter()
                .map(|dependency| Justification::Basis { fact: dependency.edge.fact, edge: dependency.id }),
        );
        sources.sort();
        let max_credence = RETELLING_FACTOR * teller_credence;
        edge.credence = Credence::new((belief / max_credence).clamp(0.0, 1.0)).unwrap_or(Credence::FULL);
        belief = edge.credence.get() * max_credence;
        edge.sources.clone_from(&sources);
    }
    if !dependencies.is_empty()
        && let (Some(teller), Some(hearer)) = (edge.acquisition.teller(), edge.knower.entity())
    {
        let telling = (teller.clone(), edge.fact, edge.learned.clone(), edge.session.clone(), sources);
        tellings.entry(telling).or_default().push(hearer.clone());
    }
    BuiltEdge { id: edge.id(), edge, belief }
}

/// Returns the cycles among the edges that depend only on each other.
fn find_cycles(drafts: &[DraftEdge], dependencies: &[Vec<usize>], unbuilt: &[usize]) -> Vec<Vec<TellingStep>> {
    let sort_key = |index: &usize| (drafts[*index].at, *index);
    let mut starts = unbuilt.to_vec();
    starts.sort_by_key(sort_key);
    let (mut done, mut cycles) = (HashSet::new(), Vec::new());
    for start in starts {
        let (mut path, mut at) = (Vec::new(), start);
        while done.insert(at) {
            path.push(at);
            let Some(next) = dependencies[at].iter().copied().min_by_key(sort_key) else { break };
            at = next;
        }
        let Some(cycle_start) = path.iter().position(|index| *index == at) else { continue };
        let mut cycle = path.split_off(cycle_start);
        let first = cycle.iter().enumerate().min_by_key(|(_, index)| sort_key(index)).map_or(0, |(first, _)| first);
        cycle.rotate_left(first);
        let step = |index: usize| {
            let DraftEdge { edge, at } = &drafts[index];
            Some(TellingStep {
                knower: edge.knower.clone(),
                teller: edge.acquisition.teller()?.clone(),
                fact: edge.fact,
                at: *at,
            })
        };
        cycles.push(cycle.into_iter().filter_map(step).collect());
    }
    cycles
}

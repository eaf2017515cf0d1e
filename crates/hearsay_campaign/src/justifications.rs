//! Justifications of told edges. A told edge depends on the teller's own edges to the same fact, if the files contain
//! such edges.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use hearsay_belief::{RETELLING_FACTOR, WeighedEdge, combined_belief};
use hearsay_model::{
    Acquisition, Credence, Date, EntityId, FactId, FactRelation, GameTime, Justification, Knower, KnowledgeEdge,
    KnowledgeId, SessionId,
};

use crate::{Campaign, error::Place};

/// An edge without its justifications.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) edge: Arc<KnowledgeEdge>,
    /// The position of the edge in the files.
    pub(crate) at: Place,
}

/// One step of a cycle: the knower `who` learned a fact from the knower `from`.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) who: Knower,
    pub(crate) from: EntityId,
    pub(crate) fact: FactId,
    pub(crate) at: Place,
}

/// The edges with their justifications.
#[derive(Debug)]
pub(crate) struct Chained {
    pub(crate) edges: BTreeMap<KnowledgeId, Arc<KnowledgeEdge>>,
    /// Cycles of knowers who learned a fact only from one another. Each cycle begins with the step that comes first in
    /// the files.
    pub(crate) circles: Vec<Vec<Step>>,
}

/// An edge with its justifications.
struct Built {
    id: KnowledgeId,
    edge: KnowledgeEdge,
    belief: f64,
}

/// Identifies the teller's record of a telling: teller, fact, time, session, and the teller's edges to the fact.
type Telling = (EntityId, FactId, Option<Date>, Option<SessionId>, Vec<Justification>);

/// Sets the justifications of every edge.
///
/// 1. A told edge depends on the teller's own edges to the fact. If there are none, it depends on the teller's edges to
///    the fact that the told fact distorts. Edges that the teller acquired after the telling do not count. If there are
///    no such edges, the teller is the origin of the derivation.
/// 2. The credence in the files is the hearer's final credence. The stored credence is relative to the teller's
///    credence. Where possible, it is chosen so that the hearer's final credence matches the files.
/// 3. A teller with credence 0 in the fact is lying, and is the origin of the derivation.
/// 4. A teller with its own edge to the fact gets a record of the hearers to whom it told the fact.
pub(crate) fn chain(campaign: &Campaign, drafts: BTreeMap<KnowledgeId, Draft>) -> Chained {
    let (ids, drafts): (Vec<KnowledgeId>, Vec<Draft>) = drafts.into_iter().unzip();
    let basis = basis(campaign, &drafts);
    let mut dependents: HashMap<usize, Vec<usize>> = HashMap::new();
    for (number, basis) in basis.iter().enumerate() {
        for on in basis {
            dependents.entry(*on).or_default().push(number);
        }
    }
    let mut missing: Vec<usize> = basis.iter().map(Vec::len).collect();
    let mut built: BTreeMap<usize, Built> = BTreeMap::new();
    let mut told = BTreeMap::new();
    let mut waiting: Vec<usize> = (0..drafts.len()).filter(|number| missing[*number] > 0).collect();
    // The edges to build next, each with the edges that it depends on. An edge stays unchanged if it depends on no edge
    // and no edge depends on it.
    let origins = dependents.keys().filter(|number| missing[**number] == 0);
    let mut ready: Vec<(usize, Vec<usize>)> = origins.map(|number| (*number, Vec::new())).collect();
    while !ready.is_empty() {
        for (number, on) in std::mem::take(&mut ready) {
            let on: Vec<&Built> = on.iter().filter_map(|on| built.get(on)).collect();
            let edge = build(&drafts[number].edge, &on, &mut told);
            built.insert(number, edge);
            for dependent in dependents.get(&number).into_iter().flatten() {
                missing[*dependent] -= 1;
                if missing[*dependent] == 0 && !built.contains_key(dependent) {
                    ready.push((*dependent, basis[*dependent].clone()));
                }
            }
        }
        if ready.is_empty() {
            // In a cycle, edges that also depend on an edge outside of the cycle are built first.
            waiting.retain(|number| !built.contains_key(number));
            let there = |number: &usize| basis[*number].iter().copied().filter(|on| built.contains_key(on));
            ready = waiting.iter().map(|number| (*number, there(number).collect::<Vec<_>>())).collect();
            ready.retain(|(_, on)| !on.is_empty());
        }
    }
    let circles = circles(&drafts, &basis, &waiting);
    let edges = ids.iter().copied().zip(drafts.into_iter().map(|draft| draft.edge));
    let mut edges: BTreeMap<KnowledgeId, Arc<KnowledgeEdge>> = edges.collect();
    for (number, Built { id, edge, .. }) in built {
        edges.remove(&ids[number]);
        edges.insert(id, Arc::new(edge));
    }
    for ((teller, fact, learned, session, sources), co_present) in told {
        let record = KnowledgeEdge::authored(teller.into(), fact);
        let acquisition = Acquisition::Shared;
        let record =
            KnowledgeEdge { acquisition, learned, session, sources, co_present, credence: Credence::NONE, ..record }
                .sorted();
        edges.insert(record.id(), Arc::new(record));
    }
    Chained { edges, circles }
}

/// Returns, for each edge, the edges of the teller that the edge may depend on.
fn basis(campaign: &Campaign, drafts: &[Draft]) -> Vec<Vec<usize>> {
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
    let about = |edge: &KnowledgeEdge| facts.get(&edge.fact).copied().unwrap_or_default();
    let wanted = |edge: &KnowledgeEdge| std::iter::once(edge.fact).chain(about(edge).1);
    let mut held: HashMap<(&EntityId, FactId), Vec<usize>> = HashMap::new();
    for edge in drafts.iter().map(|draft| &*draft.edge) {
        if let Some(teller) = edge.acquisition.teller() {
            held.extend(wanted(edge).map(|fact| ((teller, fact), Vec::new())));
        }
    }
    for (number, Draft { edge, .. }) in drafts.iter().enumerate() {
        if let Some(own) = edge.knower.entity().and_then(|knower| held.get_mut(&(knower, edge.fact))) {
            own.push(number);
        }
    }
    let of = |edge: &KnowledgeEdge| {
        let Some(teller) = edge.acquisition.teller() else { return Vec::new() };
        // If an edge has no time of acquisition, the start of the fact counts.
        let when = edge.learned_at().or(about(edge).0);
        let in_time = |number: &usize| drafts[*number].edge.learned_at() <= when;
        let own = wanted(edge).filter_map(|fact| held.get(&(teller, fact)));
        let own = own.map(|own| own.iter().copied().filter(in_time).collect::<Vec<_>>());
        own.into_iter().find(|own| !own.is_empty()).unwrap_or_default()
    };
    drafts.iter().map(|draft| of(&draft.edge)).collect()
}

fn build(edge: &KnowledgeEdge, on: &[&Built], told: &mut BTreeMap<Telling, Vec<EntityId>>) -> Built {
    let mut edge = edge.clone();
    let weighed = on.iter().map(|on| WeighedEdge { id: on.id, edge: &on.edge, belief: on.belief, is_own: true });
    let sure = combined_belief(&weighed.collect::<Vec<_>>(), &[]);
    let mut sources: Vec<Justification> = Vec::new();
    let mut belief = edge.credence.get();
    if sure > 0.0 {
        sources.extend(on.iter().map(|on| Justification::Basis { fact: on.edge.fact, edge: on.id }));
        sources.sort();
        let most = RETELLING_FACTOR * sure;
        edge.credence = Credence::new((belief / most).clamp(0.0, 1.0)).unwrap_or(Credence::FULL);
        belief = edge.credence.get() * most;
        edge.sources.clone_from(&sources);
    }
    if !on.is_empty()
        && let (Some(teller), Some(hearer)) = (edge.acquisition.teller(), edge.knower.entity())
    {
        let telling = (teller.clone(), edge.fact, edge.learned.clone(), edge.session.clone(), sources);
        told.entry(telling).or_default().push(hearer.clone());
    }
    Built { id: edge.id(), edge, belief }
}

/// Returns the cycles among the edges that depend only on each other.
fn circles(drafts: &[Draft], basis: &[Vec<usize>], left: &[usize]) -> Vec<Vec<Step>> {
    let place = |number: &usize| (drafts[*number].at, *number);
    let mut starts = left.to_vec();
    starts.sort_by_key(place);
    let (mut done, mut circles) = (HashSet::new(), Vec::new());
    for start in starts {
        let (mut path, mut at) = (Vec::new(), start);
        while done.insert(at) {
            path.push(at);
            let Some(next) = basis[at].iter().copied().min_by_key(place) else { break };
            at = next;
        }
        let Some(begin) = path.iter().position(|number| *number == at) else { continue };
        let mut circle = path.split_off(begin);
        let first = circle.iter().enumerate().min_by_key(|(_, number)| place(number)).map_or(0, |(first, _)| first);
        circle.rotate_left(first);
        let step = |number: usize| {
            let Draft { edge, at } = &drafts[number];
            Some(Step { who: edge.knower.clone(), from: edge.acquisition.teller()?.clone(), fact: edge.fact, at: *at })
        };
        circles.push(circle.into_iter().filter_map(step).collect());
    }
    circles
}

//! Reads the graph from the state.

use std::collections::{BTreeMap, HashMap};

use hearsay_belief::{
    View,
    graph::{Traversal, neighbours},
};
use hearsay_engine::{MemoryError, ReadSnapshot};
use hearsay_model::{EntityId, Fact, Knower, Predicate, State};
use hearsay_query::facts::is_secret;

use super::model::{Edge, EdgeRelation, GraphModel, GraphRequest, MAX_DEPTH, MAX_NODES, Node};
use crate::names::NamedEntity;

/// Minimum number of relations of a hub. A hub must also be among the 10 % of the displayed nodes that have the most
/// relations.
const MIN_HUB_DEGREE: usize = 8;

/// Maximum number of entities from which a neighbourhood is selected.
const MAX_CANDIDATES: usize = 5000;

impl GraphModel {
    /// Reads a part of the graph. Call this function on a background thread, because reading the whole campaign counts
    /// all relations.
    ///
    /// # Errors
    /// Currently never returns an error.
    pub fn load(world: &ReadSnapshot, request: &GraphRequest) -> Result<Self, MemoryError> {
        let state = &*world.state;
        let exists = |id: &&EntityId| state.entity(id).is_some();
        let knower = request.knower.as_ref().filter(exists);
        let view = knower.map(|knower| View::new(state, &Knower::Entity(knower.clone()), None));
        let predicates = request.predicates.iter().filter_map(|name| Predicate::new(name).ok()).collect();
        let visible_graph = VisibleGraph { state, view: view.as_ref(), predicates };
        let center = request.center.as_ref().filter(exists);
        let degrees = visible_graph.degrees();
        let (nodes, omitted_count) = match center {
            Some(center) => visible_graph.neighbourhood(center, request.depth.clamp(1, MAX_DEPTH), &degrees),
            None => visible_graph.most_connected(&degrees),
        };
        let mut model = Self {
            center: center.map(|center| NamedEntity::new(state, center)),
            knower: knower.map(|knower| NamedEntity::new(state, knower)),
            more: omitted_count,
            predicates: visible_graph.predicate_counts(center, &nodes),
            ..Self::default()
        };
        model.nodes =
            nodes.iter().filter_map(|(index, distance)| visible_graph.node(*index, *distance, &degrees)).collect();
        mark_hubs(&mut model.nodes);
        model.edges = visible_graph.edges(&nodes);
        Ok(model)
    }
}

/// Sets `hub` on the nodes with the most relations.
fn mark_hubs(nodes: &mut [Node]) {
    let mut degrees: Vec<usize> = nodes.iter().map(|node| node.degree).collect();
    degrees.sort_unstable();
    let hub_degree = degrees.get(degrees.len() * 9 / 10).copied().unwrap_or(0);
    for node in nodes {
        node.hub = node.degree >= MIN_HUB_DEGREE.max(hub_degree);
    }
}

/// The part of the graph that the DM or a knower can see, limited to the wanted predicates.
struct VisibleGraph<'a> {
    state: &'a State,
    view: Option<&'a View>,
    predicates: Vec<Predicate>,
}

impl<'a> VisibleGraph<'a> {
    /// Returns the fact at a dense index if the fact is visible. Does not check the predicate.
    fn visible_fact(&self, fact: u32) -> Option<&'a Fact> {
        match self.view {
            None => self.state.fact_at(fact).filter(|_| self.state.is_in_effect_at(fact)).map(AsRef::as_ref),
            Some(view) => self.state.fact_at(fact).filter(|fact| view.fact(fact.id()).is_some()).map(AsRef::as_ref),
        }
    }

    fn matches_predicates(&self, fact: &Fact) -> bool {
        self.predicates.is_empty() || self.predicates.contains(fact.predicate())
    }

    /// Returns the number of relations of each entity, by dense index. Counts only visible relations with a wanted
    /// predicate.
    fn degrees(&self) -> HashMap<u32, usize> {
        let mut degrees = HashMap::new();
        let predicate_indexes: Vec<u32> =
            self.predicates.iter().filter_map(|predicate| self.state.predicate_index(predicate)).collect();
        let has_matching_predicate = |predicate| self.predicates.is_empty() || predicate_indexes.contains(&predicate);
        match self.view {
            None => {
                for index in 0..self.state.index_count() as u32 {
                    let hops = self.state.hops_at(index).iter();
                    let visible_count = hops
                        .filter(|hop| has_matching_predicate(hop.predicate()) && self.state.is_in_effect_at(hop.fact()))
                        .count();
                    if visible_count > 0 {
                        degrees.insert(index, visible_count);
                    }
                }
            }
            Some(view) => {
                for known in view.facts() {
                    let Some(object) = known.object().entity() else { continue };
                    if self.predicates.is_empty() || self.predicates.contains(known.predicate()) {
                        for index in [known.subject(), object].into_iter().filter_map(|id| self.state.index_of(id)) {
                            *degrees.entry(index).or_insert(0) += 1;
                        }
                    }
                }
            }
        }
        degrees
    }

    /// Returns the entities around a center, each with its distance, and the number of omitted entities. The nearest
    /// entities come first; at the same distance, those with the most relations come first.
    fn neighbourhood(
        &self,
        center: &EntityId,
        depth: usize,
        degrees: &HashMap<u32, usize>,
    ) -> (Vec<(u32, usize)>, usize) {
        let Some(start) = self.state.index_of(center) else { return (Vec::new(), 0) };
        let traversal = Traversal { view: self.view, predicates: self.predicates.clone(), ..Traversal::default() };
        let nodes = neighbours(self.state, center, &traversal, depth, MAX_CANDIDATES);
        let nodes = nodes.iter().filter_map(|neighbour| Some((self.state.index_of(neighbour.id)?, neighbour.distance)));
        let mut nodes: Vec<(u32, usize)> = nodes.collect();
        let degree = |index: u32| degrees.get(&index).copied().unwrap_or(0);
        nodes.sort_by_key(|(index, distance)| (*distance, usize::MAX - degree(*index), self.state.rank_at(*index)));
        nodes.insert(0, (start, 0));
        let omitted_count = nodes.len().saturating_sub(MAX_NODES);
        nodes.truncate(MAX_NODES);
        (nodes, omitted_count)
    }

    /// Returns the entities of the campaign with the most relations, each with the distance 0, and the number of
    /// omitted entities.
    fn most_connected(&self, degrees: &HashMap<u32, usize>) -> (Vec<(u32, usize)>, usize) {
        let existing = degrees.iter().filter(|(index, _)| self.exists(**index));
        let mut all: Vec<(usize, u32, u32)> =
            existing.map(|(index, degree)| (usize::MAX - degree, self.state.rank_at(*index), *index)).collect();
        all.sort_unstable();
        let omitted_count = all.len().saturating_sub(MAX_NODES);
        all.truncate(MAX_NODES);
        (all.into_iter().map(|(.., index)| (index, 0)).collect(), omitted_count)
    }

    fn exists(&self, index: u32) -> bool {
        self.state.id_at(index).is_some_and(|id| self.state.entity(id).is_some())
    }

    fn node(&self, index: u32, distance: usize, degrees: &HashMap<u32, usize>) -> Option<Node> {
        let entity = NamedEntity::new(self.state, self.state.id_at(index)?);
        Some(Node { degree: degrees.get(&index).copied().unwrap_or(0), hub: false, distance, entity })
    }

    /// Returns the edges between the chosen entities, one edge per pair of entities. The edges refer to entities by
    /// their index in `chosen`.
    fn edges(&self, chosen: &[(u32, usize)]) -> Vec<Edge> {
        let node_indexes: HashMap<u32, usize> =
            chosen.iter().enumerate().map(|(node_index, (index, _))| (*index, node_index)).collect();
        let mut edges: BTreeMap<(usize, usize), Vec<EdgeRelation>> = BTreeMap::new();
        for (node_index, (index, _)) in chosen.iter().enumerate() {
            for hop in self.state.hops_at(*index).iter().filter(|hop| hop.is_forward()) {
                let Some(other) = node_indexes.get(&hop.other()).filter(|other| **other != node_index) else {
                    continue;
                };
                let Some(fact) = self.visible_fact(hop.fact()).filter(|fact| self.matches_predicates(fact)) else {
                    continue;
                };
                edges.entry((node_index.min(*other), node_index.max(*other))).or_default().push(EdgeRelation {
                    fact: fact.id(),
                    predicate: fact.predicate().as_str().to_owned(),
                    forward: node_index < *other,
                    statement: fact.statement().to_owned(),
                    secret: is_secret(self.state, fact),
                });
            }
        }
        let edge = |((a, b), mut relations): ((usize, usize), Vec<EdgeRelation>)| {
            relations.sort_by_key(|relation| relation.fact);
            Edge { a, b, relations }
        };
        edges.into_iter().map(edge).collect()
    }

    /// Returns the predicates of all visible relations of the chosen entities, each with the number of relations. The
    /// filter offers these predicates, so they include predicates that are not selected.
    fn predicate_counts(&self, center: Option<&EntityId>, chosen: &[(u32, usize)]) -> Vec<(String, usize)> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let indexes: Vec<u32> = match center {
            // The filter can remove the center's neighbours, so also count the center's own relations.
            Some(center) => {
                self.state.index_of(center).into_iter().chain(chosen.iter().map(|(index, _)| *index)).collect()
            }
            None => chosen.iter().map(|(index, _)| *index).collect(),
        };
        let mut counted = std::collections::HashSet::new();
        for index in indexes.into_iter().filter(|index| counted.insert(*index)).collect::<Vec<_>>() {
            for hop in self.state.hops_at(index) {
                // Count a relation between two of these entities only once, at its subject.
                if !hop.is_forward() && counted.contains(&hop.other()) {
                    continue;
                }
                if let Some(fact) = self.visible_fact(hop.fact()) {
                    *counts.entry(fact.predicate().as_str()).or_default() += 1;
                }
            }
        }
        let mut counts: Vec<(String, usize)> =
            counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        counts
    }
}

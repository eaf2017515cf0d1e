//! Reads the graph from the state.

use std::collections::{BTreeMap, HashMap};

use hearsay_belief::{
    View,
    graph::{Traversal, neighbours},
};
use hearsay_engine::{MemoryError, ReadSnapshot};
use hearsay_model::{EntityId, Fact, Knower, Predicate, State};
use hearsay_query::{facts::is_secret, table::Table};

use super::model::{DEEPEST, Edge, GraphModel, GraphRequest, MOST_NODES, Node, Relation};
use crate::names::Named;

/// Minimum number of relations of a hub. A hub must also be among the 10 % of the displayed nodes that have the most
/// relations.
const HUB: usize = 8;

/// Maximum number of entities from which a neighbourhood is selected.
const CANDIDATES: usize = 5000;

impl GraphModel {
    /// Reads a part of the graph. Call this function on a background thread, because reading the whole campaign counts
    /// all relations.
    ///
    /// # Errors
    /// Currently never returns an error.
    pub fn load(world: &ReadSnapshot, request: &GraphRequest) -> Result<Self, MemoryError> {
        let state = &*world.state;
        let known = |id: &&EntityId| state.entity(id).is_some();
        let knower = request.knower.as_ref().filter(known);
        let view = knower.map(|knower| View::of(state, &Knower::Entity(knower.clone()), None));
        let wanted = request.predicates.iter().filter_map(|name| Predicate::new(name).ok()).collect();
        let sight = Sight { state, view: view.as_ref(), wanted };
        let center = request.center.as_ref().filter(known);
        let degrees = sight.degrees();
        let (chosen, more) = match center {
            Some(center) => sight.around(center, request.depth.clamp(1, DEEPEST), &degrees),
            None => sight.of_all(&degrees),
        };
        let table = Table::of(state, None);
        let mut model = Self {
            center: center.map(|center| Named::of(state, center)),
            knower: knower.map(|knower| Named::of(state, knower)),
            more,
            predicates: sight.predicates(center, &chosen),
            ..Self::default()
        };
        model.nodes =
            chosen.iter().filter_map(|(index, distance)| sight.node(*index, *distance, &degrees, &table)).collect();
        mark_hubs(&mut model.nodes);
        model.edges = sight.edges(&chosen, &table);
        Ok(model)
    }
}

/// Sets `hub` on the nodes with the most relations.
fn mark_hubs(nodes: &mut [Node]) {
    let mut degrees: Vec<usize> = nodes.iter().map(|node| node.degree).collect();
    degrees.sort_unstable();
    let ninth = degrees.get(degrees.len() * 9 / 10).copied().unwrap_or(0);
    for node in nodes {
        node.hub = node.degree >= HUB.max(ninth);
    }
}

/// The part of the graph that the DM or a knower can see, limited to the wanted predicates.
struct Sight<'a> {
    state: &'a State,
    view: Option<&'a View>,
    wanted: Vec<Predicate>,
}

impl<'a> Sight<'a> {
    /// Returns the fact at a dense index if the fact is visible. Does not check the predicate.
    fn sees(&self, fact: u32) -> Option<&'a Fact> {
        match self.view {
            None => self.state.fact_at(fact).filter(|_| self.state.stands_at(fact)).map(AsRef::as_ref),
            Some(view) => self.state.fact_at(fact).filter(|fact| view.fact(fact.id()).is_some()).map(AsRef::as_ref),
        }
    }

    fn wants(&self, fact: &Fact) -> bool {
        self.wanted.is_empty() || self.wanted.contains(fact.predicate())
    }

    /// Returns the number of relations of each entity, by dense index. Counts only visible relations with a wanted
    /// predicate.
    fn degrees(&self) -> HashMap<u32, usize> {
        let mut degrees = HashMap::new();
        let wanted: Vec<u32> =
            self.wanted.iter().filter_map(|predicate| self.state.predicate_index(predicate)).collect();
        let is_wanted = |predicate| self.wanted.is_empty() || wanted.contains(&predicate);
        match self.view {
            None => {
                for index in 0..self.state.index_count() as u32 {
                    let hops = self.state.hops_at(index).iter();
                    let seen =
                        hops.filter(|hop| is_wanted(hop.predicate()) && self.state.stands_at(hop.fact())).count();
                    if seen > 0 {
                        degrees.insert(index, seen);
                    }
                }
            }
            Some(view) => {
                for known in view.facts() {
                    let Some(object) = known.object().entity() else { continue };
                    if self.wanted.is_empty() || self.wanted.contains(known.predicate()) {
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
    fn around(&self, center: &EntityId, depth: usize, degrees: &HashMap<u32, usize>) -> (Vec<(u32, usize)>, usize) {
        let Some(start) = self.state.index_of(center) else { return (Vec::new(), 0) };
        let walk = Traversal { view: self.view, predicates: self.wanted.clone(), ..Traversal::default() };
        let around = neighbours(self.state, center, &walk, depth, CANDIDATES);
        let around = around.iter().filter_map(|found| Some((self.state.index_of(found.id)?, found.distance)));
        let mut around: Vec<(u32, usize)> = around.collect();
        let degree = |index: u32| degrees.get(&index).copied().unwrap_or(0);
        around.sort_by_key(|(index, distance)| (*distance, usize::MAX - degree(*index), self.state.rank_at(*index)));
        around.insert(0, (start, 0));
        let more = around.len().saturating_sub(MOST_NODES);
        around.truncate(MOST_NODES);
        (around, more)
    }

    /// Returns the entities of the campaign with the most relations, each with the distance 0, and the number of
    /// omitted entities.
    fn of_all(&self, degrees: &HashMap<u32, usize>) -> (Vec<(u32, usize)>, usize) {
        let there = degrees.iter().filter(|(index, _)| self.is_there(**index));
        let mut all: Vec<(usize, u32, u32)> =
            there.map(|(index, degree)| (usize::MAX - degree, self.state.rank_at(*index), *index)).collect();
        all.sort_unstable();
        let more = all.len().saturating_sub(MOST_NODES);
        all.truncate(MOST_NODES);
        (all.into_iter().map(|(.., index)| (index, 0)).collect(), more)
    }

    fn is_there(&self, index: u32) -> bool {
        self.state.id_at(index).is_some_and(|id| self.state.entity(id).is_some())
    }

    fn node(&self, index: u32, distance: usize, degrees: &HashMap<u32, usize>, table: &Table) -> Option<Node> {
        let who = Named::of(self.state, self.state.id_at(index)?);
        Some(Node {
            degree: degrees.get(&index).copied().unwrap_or(0),
            hub: false,
            distance,
            safe: table.may_name(&who.id),
            who,
        })
    }

    /// Returns the edges between the chosen entities, one edge per pair of entities. The edges refer to entities by
    /// their index in `chosen`.
    fn edges(&self, chosen: &[(u32, usize)], table: &Table) -> Vec<Edge> {
        let places: HashMap<u32, usize> =
            chosen.iter().enumerate().map(|(place, (index, _))| (*index, place)).collect();
        let mut edges: BTreeMap<(usize, usize), Vec<Relation>> = BTreeMap::new();
        for (place, (index, _)) in chosen.iter().enumerate() {
            for hop in self.state.hops_at(*index).iter().filter(|hop| hop.is_forward()) {
                let Some(other) = places.get(&hop.other()).filter(|other| **other != place) else { continue };
                let Some(fact) = self.sees(hop.fact()).filter(|fact| self.wants(fact)) else { continue };
                edges.entry((place.min(*other), place.max(*other))).or_default().push(Relation {
                    fact: fact.id(),
                    predicate: fact.predicate().as_str().to_owned(),
                    forward: place < *other,
                    statement: fact.statement().to_owned(),
                    secret: is_secret(self.state, fact),
                    safe: fact.stands() && table.may_see(fact),
                });
            }
        }
        let edge = |((a, b), mut relations): ((usize, usize), Vec<Relation>)| {
            relations.sort_by_key(|relation| relation.fact);
            Edge { a, b, relations }
        };
        edges.into_iter().map(edge).collect()
    }

    /// Returns the predicates of all visible relations of the chosen entities, each with the number of relations. The
    /// filter offers these predicates, so they include predicates that are not selected.
    fn predicates(&self, center: Option<&EntityId>, chosen: &[(u32, usize)]) -> Vec<(String, usize)> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let from: Vec<u32> = match center {
            // The filter can remove the center's neighbours, so also count the center's own relations.
            Some(center) => {
                self.state.index_of(center).into_iter().chain(chosen.iter().map(|(index, _)| *index)).collect()
            }
            None => chosen.iter().map(|(index, _)| *index).collect(),
        };
        let mut seen = std::collections::HashSet::new();
        for index in from.into_iter().filter(|index| seen.insert(*index)).collect::<Vec<_>>() {
            for hop in self.state.hops_at(index) {
                // Count a relation between two of these entities only once, at its subject.
                if !hop.is_forward() && seen.contains(&hop.other()) {
                    continue;
                }
                if let Some(fact) = self.sees(hop.fact()) {
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

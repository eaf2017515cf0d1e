//! Graph traversal: neighbours, shortest paths, and the facts about one entity.
//!
//! A traversal follows either the DM's graph or the facts that one knower knows. The DM's graph consists of the canon
//! and claimed facts without an end date.

use std::collections::{BTreeMap, VecDeque};

use fixedbitset::FixedBitSet;
use hearsay_model::{EntityId, Fact, Hop, Kind, Link, Predicate, Secrecy, State, attribute};

use crate::View;

#[cfg(test)]
mod tests;

/// Direction in which relations are followed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Direction {
    /// Relations are followed from the subject to the object.
    Out,
    /// Relations are followed from the object to the subject.
    In,
    /// Relations are followed in both directions.
    #[default]
    Both,
}

/// Options of a traversal.
#[derive(Debug, Clone, Default)]
pub struct Traversal<'a> {
    /// Direction in which relations are followed.
    pub direction: Direction,
    /// Predicates of the relations to follow; empty to follow relations with any predicate.
    pub predicates: Vec<Predicate>,
    /// View of the knower whose knowledge limits the traversal. `None` means that the traversal follows the DM's graph.
    pub view: Option<&'a View>,
}

impl Traversal<'_> {
    fn follows(&self, link: &Link) -> bool {
        self.matches(link) && self.is_visible(link.fact())
    }

    /// Returns whether the traversal follows relations with the predicate and direction of a link.
    fn matches(&self, link: &Link) -> bool {
        let direction_matches = match self.direction {
            Direction::Both => true,
            Direction::Out => link.is_forward(),
            Direction::In => !link.is_forward(),
        };
        direction_matches && (self.predicates.is_empty() || self.predicates.contains(link.fact().predicate()))
    }

    fn is_visible(&self, fact: &Fact) -> bool {
        match self.view {
            Some(view) => view.fact(fact.id()).is_some(),
            None => fact.is_in_effect(),
        }
    }
}

/// An entity that a traversal reached.
#[derive(Debug, Clone, Copy)]
pub struct Neighbour<'a> {
    /// The id of the entity.
    pub id: &'a EntityId,
    /// Number of relations on the shortest path from the start of the traversal to this entity.
    pub distance: usize,
    /// Relation through which the traversal first reached the entity.
    pub fact: &'a Fact,
    /// Whether the entity is the object of the relation. If `false`, the entity is the subject.
    pub forward: bool,
}

/// Returns at most `limit` entities that can be reached from an entity over at most `depth` relations. The nearest
/// entities come first. Entities at the same distance are sorted by id.
pub fn neighbours<'a>(
    state: &'a State,
    from: &EntityId,
    traversal: &Traversal,
    depth: usize,
    limit: usize,
) -> Vec<Neighbour<'a>> {
    let Some(start) = state.index_of(from) else { return Vec::new() };
    let mut search = BreadthFirstSearch::new(state, traversal, start);
    for distance in 1..=depth {
        if !search.expand(distance) || search.reached.len() >= limit {
            break;
        }
    }
    let mut neighbours = Vec::with_capacity(search.reached.len().min(limit));
    for &Reached { index, hop, forward, distance } in search.reached.iter().take(limit) {
        if let (Some(id), Some(fact)) = (state.id_at(index), state.fact_at(hop.fact())) {
            neighbours.push(Neighbour { id, distance, fact, forward });
        }
    }
    neighbours
}

/// Number of an entity that the traversal has not reached. The start has the number 0, and reached entities are
/// numbered from 1.
const NOT_REACHED: u32 = u32::MAX;

/// A reached entity, by its dense index.
#[derive(Debug, Clone, Copy)]
struct Reached {
    index: u32,
    hop: Hop,
    forward: bool,
    distance: usize,
}

/// A breadth-first traversal. A *level* contains the entities at one distance from the start; the *frontier* is the
/// newest complete level. The traversal uses dense indices and reads facts only where needed.
struct BreadthFirstSearch<'s, 'w> {
    state: &'s State,
    traversal: &'w Traversal<'w>,
    /// Dense indices of the predicates to follow; `None` to follow relations with any predicate.
    predicates: Option<Vec<u32>>,
    start: u32,
    /// By dense index, the number of each entity in the order in which the traversal found it; `NOT_REACHED` if it is
    /// not found yet.
    numbers: Vec<u32>,
    /// The reached entities, in the order in which the traversal found them.
    reached: Vec<Reached>,
    /// Number of the first entity of the frontier.
    frontier_start: u32,
}

impl<'s, 'w> BreadthFirstSearch<'s, 'w> {
    fn new(state: &'s State, traversal: &'w Traversal<'w>, start: u32) -> Self {
        let mut numbers = vec![NOT_REACHED; state.index_count()];
        numbers[start as usize] = 0;
        let dense_indices =
            || traversal.predicates.iter().filter_map(|predicate| state.predicate_index(predicate)).collect();
        let predicates = (!traversal.predicates.is_empty()).then(dense_indices);
        Self { state, traversal, predicates, start, numbers, reached: Vec::new(), frontier_start: 0 }
    }

    /// Finds the entities on the next level, sorted by id. Returns whether there are any.
    fn expand(&mut self, distance: usize) -> bool {
        let level_start = self.reached.len();
        let unreached_count = self.numbers.len() - 1 - level_start;
        // If the frontier has more entities than there are unseen entities, searching from the unseen entities is
        // faster.
        if unreached_count < level_start + 1 - self.frontier_start as usize {
            self.expand_from_unreached(distance)
        } else {
            self.expand_from_frontier(distance)
        }
        self.sort_from(level_start);
        self.frontier_start = level_start as u32 + 1;
        self.reached.len() > level_start
    }

    /// Returns whether the traversal follows a relation. `forward` means from subject to object.
    #[inline(always)]
    fn follows(&self, hop: &Hop, forward: bool) -> bool {
        let direction_matches = match self.traversal.direction {
            Direction::Both => true,
            Direction::Out => forward,
            Direction::In => !forward,
        };
        direction_matches
            && self.predicates.as_ref().is_none_or(|predicates| predicates.contains(&hop.predicate()))
            && match self.traversal.view {
                None => self.state.is_in_effect_at(hop.fact()),
                // A knower may know a fact that is neither canon nor claimed, or that is no longer true.
                Some(view) => self.state.fact_at(hop.fact()).is_some_and(|fact| view.fact(fact.id()).is_some()),
            }
    }

    /// Follows the relations of the entities of the frontier.
    fn expand_from_frontier(&mut self, distance: usize) {
        let frontier_end = self.reached.len() as u32;
        for frontier_number in self.frontier_start..=frontier_end {
            let from = match frontier_number {
                0 => self.start,
                number => self.reached[number as usize - 1].index,
            };
            for hop in self.state.hops_at(from) {
                let number = self.numbers[hop.other() as usize];
                if number <= frontier_end || !self.follows(hop, hop.is_forward()) {
                    continue;
                }
                let reached = Reached { index: hop.other(), hop: *hop, forward: hop.is_forward(), distance };
                if number == NOT_REACHED {
                    self.reached.push(reached);
                    self.numbers[hop.other() as usize] = self.reached.len() as u32;
                } else if self.state.is_before(*hop, self.reached[number as usize - 1].hop) {
                    // If several relations reach the same entity on one level, keep the relation with the smallest id.
                    self.reached[number as usize - 1] = reached;
                }
            }
        }
    }

    /// Searches from the unseen entities for relations to the frontier.
    fn expand_from_unreached(&mut self, distance: usize) {
        let frontier = self.frontier_start..=self.reached.len() as u32;
        for index in 0..self.numbers.len() as u32 {
            if self.numbers[index as usize] != NOT_REACHED {
                continue;
            }
            let mut best = None::<Hop>;
            for hop in self.state.hops_at(index) {
                if frontier.contains(&self.numbers[hop.other() as usize])
                    && best.is_none_or(|best| self.state.is_before(*hop, best))
                    && self.follows(hop, !hop.is_forward())
                {
                    best = Some(*hop);
                }
            }
            if let Some(hop) = best {
                self.reached.push(Reached { index, hop, forward: !hop.is_forward(), distance });
                // The number is outside `frontier`, so the entity does not count as part of the frontier yet.
                self.numbers[index as usize] = self.reached.len() as u32;
            }
        }
    }

    /// Sorts the entries of `reached` from index `level_start` on by entity id.
    fn sort_from(&mut self, level_start: usize) {
        let (ranks, count) = (self.state.ranks(), self.reached.len() - level_start);
        if count * 64 < ranks.len() {
            self.reached[level_start..].sort_unstable_by_key(|reached| ranks[reached.index as usize]);
            return;
        }
        // If a large part of all entities was found, sorting with a bit set is faster.
        let mut bits = FixedBitSet::with_capacity(ranks.len());
        for reached in &self.reached[level_start..] {
            bits.insert(ranks[reached.index as usize] as usize);
        }
        let by_rank = self.state.by_rank();
        let mut sorted = Vec::with_capacity(count);
        for rank in bits.ones() {
            let number = self.numbers[by_rank[rank] as usize];
            sorted.push(self.reached[number as usize - 1]);
        }
        self.reached.truncate(level_start);
        self.reached.extend(sorted);
    }
}

/// A step of a path.
#[derive(Debug, Clone, Copy)]
pub struct Step<'a> {
    /// Entity that the step leads to.
    pub to: &'a EntityId,
    /// Relation that the step follows.
    pub fact: &'a Fact,
    /// Whether the step leads from the subject of the relation to its object.
    pub forward: bool,
}

/// Returns the shortest path between two entities; `None` if there is no path with at most `max_steps` steps. The path
/// from an entity to itself is empty. If several paths are equally short, the choice among them is deterministic.
pub fn path<'a>(
    state: &'a State,
    from: &EntityId,
    to: &EntityId,
    traversal: &Traversal,
    max_steps: usize,
) -> Option<Vec<Step<'a>>> {
    let (start, goal) = (state.index_of(from)?, state.index_of(to)?);
    // Breadth-first distances from the start, until the goal is reached.
    let mut distance = BTreeMap::from([(start, 0_usize)]);
    let mut queue = VecDeque::from([start]);
    while let Some(index) = queue.pop_front() {
        let next = distance[&index] + 1;
        if distance.contains_key(&goal) || next > max_steps {
            break;
        }
        for link in state.links_at(index).filter(|link| traversal.follows(link)) {
            distance.entry(link.other_index()).or_insert_with(|| {
                queue.push_back(link.other_index());
                next
            });
        }
    }
    // Walks back from the goal; each step leads one level nearer to the start.
    let reverse_traversal = Traversal {
        direction: reversed(traversal.direction),
        predicates: traversal.predicates.clone(),
        view: traversal.view,
    };
    let mut steps = Vec::new();
    let mut current = goal;
    for remaining_steps in (0..*distance.get(&goal)?).rev() {
        let is_nearer = |link: &Link| {
            distance.get(&link.other_index()) == Some(&remaining_steps) && reverse_traversal.follows(link)
        };
        let link = state.links_at(current).filter(is_nearer).min_by_key(|link| link.fact().id())?;
        let id = if link.is_forward() { link.fact().subject() } else { link.fact().object().entity()? };
        steps.push(Step { to: id, fact: link.fact(), forward: !link.is_forward() });
        current = link.other_index();
    }
    steps.reverse();
    Some(steps)
}

fn reversed(direction: Direction) -> Direction {
    match direction {
        Direction::Out => Direction::In,
        Direction::In => Direction::Out,
        Direction::Both => Direction::Both,
    }
}

/// Names, kind, attributes and relations of an entity.
#[derive(Debug, Clone)]
pub struct Identity<'a> {
    /// Main name of the entity; `None` if the knower or the DM knows no name.
    pub name: Option<&'a str>,
    /// Kind of the entity; `None` if the kind is unknown.
    pub kind: Option<Kind>,
    /// Facts that state aliases, sorted by id.
    pub aliases: Vec<&'a Fact>,
    /// Facts that state all other attributes, sorted by attribute, then by fact id.
    pub attributes: Vec<&'a Fact>,
    /// Relations from and to the entity, sorted by predicate, then by fact id.
    pub relations: Vec<&'a Fact>,
}

/// Returns the names, kind, attributes and relations of an entity, as the DM or a knower sees them.
pub fn identity<'a>(state: &'a State, id: &EntityId, traversal: &Traversal) -> Identity<'a> {
    let mut identity =
        Identity { name: None, kind: None, aliases: Vec::new(), attributes: Vec::new(), relations: Vec::new() };
    // If there are several names or kinds, prefer those that are not secret, and then the smallest fact id.
    let rank = |fact: &Fact| (fact.secrecy() == Secrecy::Secret, fact.id());
    let first = |best: Option<&'a Fact>, fact: &'a Fact| match best {
        Some(best) if rank(best) < rank(fact) => Some(best),
        _ => Some(fact),
    };
    let (mut name, mut kind) = (None::<&Fact>, None::<&Fact>);
    for fact in state.facts_of(id).filter(|fact| traversal.is_visible(fact)) {
        if fact.predicate().is_relation() {
            if fact.subject() == id || fact.object().entity() == Some(id) {
                identity.relations.push(fact);
            }
        } else if fact.subject() == id {
            match fact.predicate().as_str() {
                attribute::NAME => name = first(name, fact),
                attribute::KIND => kind = first(kind, fact),
                attribute::ALIAS => identity.aliases.push(fact),
                _ => identity.attributes.push(fact),
            }
        }
    }
    identity.name = name.and_then(|fact| fact.object().text());
    identity.kind = kind.and_then(|fact| fact.object().text()).map(Kind::from);
    identity.aliases.sort_unstable_by_key(|fact| fact.id());
    identity.attributes.sort_unstable_by(|a, b| (a.predicate(), a.id()).cmp(&(b.predicate(), b.id())));
    identity.relations.sort_unstable_by(|a, b| (a.predicate(), a.id()).cmp(&(b.predicate(), b.id())));
    identity
}

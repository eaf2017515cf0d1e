//! Walking the graph: neighbours, shortest path, identity, visible subgraph.
//!
//! Every walk sees either the world as the DM does (what is canon or claimed and holds now) or what one knower knows.

use std::{
    cell::Cell,
    collections::{BTreeMap, VecDeque},
};

use hearsay_belief::View;
use hearsay_model::{EntityId, Fact, Kind, Link, Predicate, Secrecy, State, attribute};

/// Which way relations are followed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Direction {
    /// From subject to object.
    Out,
    /// From object to subject.
    In,
    /// Both ways.
    #[default]
    Both,
}

/// How a walk goes.
#[derive(Debug, Clone, Default)]
pub struct Walk<'a> {
    /// Which way relations are followed.
    pub direction: Direction,
    /// Only these relations; all, when empty.
    pub predicates: Vec<Predicate>,
    /// Only what this knower knows; what the DM sees, when there is none.
    pub view: Option<&'a View>,
}

impl Walk<'_> {
    fn follows(&self, link: &Link) -> bool {
        self.leads(link) && self.sees(link.fact())
    }

    /// Whether a relation is one of those that are followed, and this the way it is followed.
    fn leads(&self, link: &Link) -> bool {
        let way = match self.direction {
            Direction::Both => true,
            Direction::Out => link.is_forward(),
            Direction::In => !link.is_forward(),
        };
        way && (self.predicates.is_empty() || self.predicates.contains(link.fact().predicate()))
    }

    fn sees(&self, fact: &Fact) -> bool {
        match self.view {
            Some(view) => view.fact(fact.id()).is_some(),
            None => fact.stands(),
        }
    }
}

/// An entity that a walk reached.
#[derive(Debug, Clone, Copy)]
pub struct Neighbour<'a> {
    /// The entity.
    pub id: &'a EntityId,
    /// Hops from the start.
    pub distance: usize,
    /// The relation by which it was first reached.
    pub fact: &'a Fact,
    /// Whether that relation leads to it, rather than from it.
    pub forward: bool,
}

/// The place of an entity that a walk has not reached. Places count from 1; the start has 0.
const UNSEEN: u32 = u32::MAX;

/// The entities within some hops of one, the nearest first, at most so many. Among equals, by id.
pub fn neighbours<'a>(
    state: &'a State,
    from: &EntityId,
    walk: &Walk,
    depth: usize,
    limit: usize,
) -> Vec<Neighbour<'a>> {
    let Some(start) = state.index_of(from) else { return Vec::new() };
    // Where each entity stands among those found; `UNSEEN`, until it is.
    let place = vec![Cell::new(UNSEEN); state.index_count()];
    place[start as usize].set(0);
    let mut found: Vec<Neighbour> = Vec::new();
    let mut frontier = vec![start];
    for distance in 1..=depth {
        let (begin, mut next) = (found.len(), Vec::new());
        // What was reached on this level may still be reached by a relation with a smaller id.
        let open = |other: u32| place[other as usize].get() == UNSEEN || place[other as usize].get() as usize > begin;
        let mut reach = |link: Link<'a>| {
            let at = &place[link.other_index() as usize];
            if !open(link.other_index()) || !walk.leads(&link) {
                return;
            }
            let neighbour = Neighbour { id: link.other(), distance, fact: link.fact(), forward: link.is_forward() };
            match at.get() {
                UNSEEN => {
                    found.push(neighbour);
                    at.set(found.len() as u32);
                    next.push(link.other_index());
                }
                at => {
                    let known = &mut found[at as usize - 1];
                    if neighbour.fact.id() < known.fact.id() {
                        *known = neighbour;
                    }
                }
            }
        };
        for &index in &frontier {
            // What the DM sees is known without a look at the fact; a knower may believe what does not stand.
            match walk.view {
                None => state.standing_links_at(index, open).for_each(&mut reach),
                Some(_) => state.links_at(index).filter(|link| walk.sees(link.fact())).for_each(&mut reach),
            }
        }
        next.sort_unstable_by_key(|&index| state.rank_at(index));
        let level: Vec<Neighbour> = next.iter().map(|&index| found[place[index as usize].get() as usize - 1]).collect();
        found.truncate(begin);
        found.extend(level);
        if next.is_empty() || found.len() >= limit {
            break;
        }
        frontier = next;
    }
    found.truncate(limit);
    found
}

/// A step of a path.
#[derive(Debug, Clone, Copy)]
pub struct Step<'a> {
    /// Where the step leads.
    pub to: &'a EntityId,
    /// The relation that is followed.
    pub fact: &'a Fact,
    /// Whether it is followed from subject to object.
    pub forward: bool,
}

/// A shortest path between two entities, of at most so many steps; empty, when both are one. Among equally short ones,
/// that whose last steps have the smallest fact ids.
pub fn path<'a>(
    state: &'a State,
    from: &EntityId,
    to: &EntityId,
    walk: &Walk,
    longest: usize,
) -> Option<Vec<Step<'a>>> {
    let (start, goal) = (state.index_of(from)?, state.index_of(to)?);
    // Distances from the start, breadth first, until the goal has one.
    let mut distance = BTreeMap::from([(start, 0_usize)]);
    let mut queue = VecDeque::from([start]);
    while let Some(index) = queue.pop_front() {
        let next = distance[&index] + 1;
        if distance.contains_key(&goal) || next > longest {
            break;
        }
        for link in state.links_at(index).filter(|link| walk.follows(link)) {
            distance.entry(link.other_index()).or_insert_with(|| {
                queue.push_back(link.other_index());
                next
            });
        }
    }
    // Back from the goal, one step nearer to the start each time.
    let back = Walk { direction: reversed(walk.direction), predicates: walk.predicates.clone(), view: walk.view };
    let mut steps = Vec::new();
    let mut here = goal;
    for left in (0..*distance.get(&goal)?).rev() {
        let nearer = |link: &Link| distance.get(&link.other_index()) == Some(&left) && back.follows(link);
        let link = state.links_at(here).filter(nearer).min_by_key(|link| link.fact().id())?;
        let id = if link.is_forward() { link.fact().subject() } else { link.fact().object().entity()? };
        steps.push(Step { to: id, fact: link.fact(), forward: !link.is_forward() });
        here = link.other_index();
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

/// Who an entity is, at a glance.
#[derive(Debug, Clone)]
pub struct Identity<'a> {
    /// What it is called first of all.
    pub name: Option<&'a str>,
    /// What it is.
    pub kind: Option<Kind>,
    /// Further names. Sorted by fact.
    pub aliases: Vec<&'a Fact>,
    /// All other attributes. Sorted by name, then fact.
    pub attributes: Vec<&'a Fact>,
    /// Relations from and to it. Sorted by predicate, then fact.
    pub relations: Vec<&'a Fact>,
}

/// A snapshot of an entity with its relations, as the DM or a knower sees it.
pub fn identity<'a>(state: &'a State, id: &EntityId, walk: &Walk) -> Identity<'a> {
    let mut identity =
        Identity { name: None, kind: None, aliases: Vec::new(), attributes: Vec::new(), relations: Vec::new() };
    // Of several names or kinds, an open one, then that with the smallest id.
    let rank = |fact: &Fact| (fact.secrecy() == Secrecy::Secret, fact.id());
    let first = |best: Option<&'a Fact>, fact: &'a Fact| match best {
        Some(best) if rank(best) < rank(fact) => Some(best),
        _ => Some(fact),
    };
    let (mut name, mut kind) = (None::<&Fact>, None::<&Fact>);
    for fact in state.facts_of(id).filter(|fact| walk.sees(fact)) {
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

/// A part of the graph.
#[derive(Debug, Clone, Default)]
pub struct Subgraph<'a> {
    /// Its entities. Sorted.
    pub entities: Vec<&'a EntityId>,
    /// The relations between them. Sorted by id.
    pub relations: Vec<&'a Fact>,
}

/// The entities within some hops of one, itself included, and all relations between them that the walk sees.
pub fn subgraph<'a>(state: &'a State, from: &EntityId, walk: &Walk, depth: usize, limit: usize) -> Subgraph<'a> {
    let Some(center) = state.entity(from) else { return Subgraph::default() };
    let around = neighbours(state, from, walk, depth, limit);
    let mut entities: Vec<&EntityId> = around.iter().map(|neighbour| neighbour.id).collect();
    entities.push(&center.id);
    entities.sort_unstable();
    let either_way = Walk { direction: Direction::Both, ..walk.clone() };
    let mut relations: Vec<&Fact> = Vec::new();
    for id in &entities {
        let inside = |link: &Link| {
            link.is_forward() && either_way.follows(link) && entities.binary_search(&link.other()).is_ok()
        };
        relations.extend(state.links(id).filter(inside).map(|link| &**link.fact()));
    }
    relations.sort_unstable_by_key(|fact| fact.id());
    Subgraph { entities, relations }
}

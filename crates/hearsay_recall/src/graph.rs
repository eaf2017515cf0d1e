//! Walking the graph: neighbours, shortest path, identity, visible subgraph.
//!
//! Every walk sees either the world as the DM does (what is canon or claimed and holds now) or what one knower knows.

use std::collections::{BTreeMap, VecDeque};

use hearsay_belief::View;
use hearsay_model::{EntityId, Fact, Hop, Kind, Link, Predicate, Secrecy, State, attribute};

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

/// The entities within some hops of one, the nearest first, at most so many. Among equals, by id.
pub fn neighbours<'a>(
    state: &'a State,
    from: &EntityId,
    walk: &Walk,
    depth: usize,
    limit: usize,
) -> Vec<Neighbour<'a>> {
    let Some(start) = state.index_of(from) else { return Vec::new() };
    let mut spread = Spread::new(state, walk, start);
    for distance in 1..=depth {
        if !spread.go_on(distance) || spread.found.len() >= limit {
            break;
        }
    }
    let mut found = Vec::with_capacity(spread.found.len().min(limit));
    for &Reached { index, hop, forward, distance } in spread.found.iter().take(limit) {
        if let (Some(id), Some(fact)) = (state.id_at(index), state.fact_at(hop.fact())) {
            found.push(Neighbour { id, distance, fact, forward });
        }
    }
    found
}

/// The place of an entity that a walk has not reached. Places count from 1; the start has 0.
const UNSEEN: u32 = u32::MAX;

/// An entity that a walk reached, by its dense index.
#[derive(Debug, Clone, Copy)]
struct Reached {
    index: u32,
    hop: Hop,
    forward: bool,
    distance: usize,
}

/// A walk in all directions at once, level by level. It works on numbers, and looks at no fact that it does not have to.
struct Spread<'s, 'w> {
    state: &'s State,
    walk: &'w Walk<'w>,
    /// Only these relations, if any are named.
    predicates: Option<Vec<u32>>,
    start: u32,
    /// By dense index, where each entity stands among those found; `UNSEEN`, until it is.
    places: Vec<u32>,
    found: Vec<Reached>,
    /// The first place of those found last.
    first: u32,
}

impl<'s, 'w> Spread<'s, 'w> {
    fn new(state: &'s State, walk: &'w Walk<'w>, start: u32) -> Self {
        let mut places = vec![UNSEEN; state.index_count()];
        places[start as usize] = 0;
        let named = || walk.predicates.iter().filter_map(|predicate| state.predicate_index(predicate)).collect();
        let predicates = (!walk.predicates.is_empty()).then(named);
        Self { state, walk, predicates, start, places, found: Vec::new(), first: 0 }
    }

    /// Finds the next level, sorted by id. Whether there is anything on it.
    fn go_on(&mut self, distance: usize) -> bool {
        let begin = self.found.len();
        let unseen = self.places.len() - 1 - begin;
        // Where fewer are left than were found last, it is quicker to look from those left.
        if unseen < begin + 1 - self.first as usize {
            self.pull(distance)
        } else {
            self.push(distance)
        }
        self.sort_from(begin);
        self.first = begin as u32 + 1;
        self.found.len() > begin
    }

    /// Whether a relation is one that is followed. `forward` says whether that is from subject to object.
    #[inline(always)]
    fn follows(&self, hop: &Hop, forward: bool) -> bool {
        let way = match self.walk.direction {
            Direction::Both => true,
            Direction::Out => forward,
            Direction::In => !forward,
        };
        way && self.predicates.as_ref().is_none_or(|named| named.contains(&hop.predicate()))
            && match self.walk.view {
                None => self.state.stands_at(hop.fact()),
                // A knower may believe what does not stand.
                Some(view) => self.state.fact_at(hop.fact()).is_some_and(|fact| view.fact(fact.id()).is_some()),
            }
    }

    /// Looks from those found last at where they lead.
    fn push(&mut self, distance: usize) {
        let begin = self.found.len() as u32;
        for place in self.first..=begin {
            let from = if place == 0 { self.start } else { self.found[place as usize - 1].index };
            for hop in self.state.hops_at(from) {
                let at = self.places[hop.other() as usize];
                if at <= begin || !self.follows(hop, hop.is_forward()) {
                    continue;
                }
                let reached = Reached { index: hop.other(), hop: *hop, forward: hop.is_forward(), distance };
                if at == UNSEEN {
                    self.found.push(reached);
                    self.places[hop.other() as usize] = self.found.len() as u32;
                } else if self.state.is_before(*hop, self.found[at as usize - 1].hop) {
                    // What was reached on this level may still be reached by a relation with a smaller id.
                    self.found[at as usize - 1] = reached;
                }
            }
        }
    }

    /// Looks from those not found at which of those found last lead to them.
    fn pull(&mut self, distance: usize) {
        let last = self.first..=self.found.len() as u32;
        for index in 0..self.places.len() as u32 {
            if self.places[index as usize] != UNSEEN {
                continue;
            }
            let mut best = None::<Hop>;
            for hop in self.state.hops_at(index) {
                if last.contains(&self.places[hop.other() as usize])
                    && best.is_none_or(|best| self.state.is_before(*hop, best))
                    && self.follows(hop, !hop.is_forward())
                {
                    best = Some(*hop);
                }
            }
            if let Some(hop) = best {
                self.found.push(Reached { index, hop, forward: !hop.is_forward(), distance });
                // Of those found on this level none is found last yet.
                self.places[index as usize] = self.found.len() as u32;
            }
        }
    }

    /// Sorts what was found from a place on by id.
    fn sort_from(&mut self, begin: usize) {
        let (ranks, count) = (self.state.ranks(), self.found.len() - begin);
        if count * 64 < ranks.len() {
            self.found[begin..].sort_unstable_by_key(|reached| ranks[reached.index as usize]);
            return;
        }
        // Many of all: noted in a row of bits, they are in order.
        let mut bits = vec![0_u64; ranks.len().div_ceil(64)];
        for reached in &self.found[begin..] {
            let rank = ranks[reached.index as usize];
            bits[rank as usize / 64] |= 1 << (rank % 64);
        }
        let by_rank = self.state.by_rank();
        let mut sorted = Vec::with_capacity(count);
        for (word, mut bits) in bits.into_iter().enumerate() {
            while bits != 0 {
                let index = by_rank[word * 64 + bits.trailing_zeros() as usize];
                sorted.push(self.found[self.places[index as usize] as usize - 1]);
                bits &= bits - 1;
            }
        }
        self.found.truncate(begin);
        self.found.extend(sorted);
    }
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

//! How much is believed: along a chain of retellings, and of several ways together.
//!
//! # Along a chain
//!
//! An edge that rests on nothing is believed as it says. One that was told from somebody's knowledge is believed
//!
//! ```text
//! belief(edge) = share(edge) × RETELLING × belief(what the teller knew it by)
//! share(edge)  = (FIRST_IMPRESSION × credence(edge) + kept) / (FIRST_IMPRESSION + kept + broken)
//! ```
//!
//! where `credence(edge)` is the knower's trust in the teller when it was told, and `kept` and `broken` count what the
//! same teller had told before that turned out to be so, or not: the expected value of a beta distribution, as in the
//! beta reputation system (Jøsang and Ismail, 2002). One that was concluded is believed as `credence(edge)` times the
//! belief in each of its premises.
//!
//! # Of several ways
//!
//! Ways of independent origin corroborate each other: `1 − Π (1 − belief)` over the origins, each counted by the
//! strongest way that comes from it. Independent means *as far as the knower can tell*: see [`combine`]. What somebody
//! saw, or knows for certain, is not moved by talk.
//!
//! Everything is read from edges of the knower and from what they rest on, so nothing else can influence it.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_model::{Credence, EntityId, GameTime, How, Knower, Knowledge, KnowledgeId, Source, State};
use rustc_hash::FxHashMap;

/// What is left of the belief in something each time it is retold, even by one who is trusted fully.
pub const RETELLING: f64 = 0.9;

/// How many experiences a first impression of somebody weighs as much as.
pub const FIRST_IMPRESSION: f64 = 4.0;

/// Computes beliefs along chains, each edge once.
#[derive(Debug)]
pub struct Weigher<'s> {
    state: &'s State,
    /// Edges that are not in the state yet.
    made: FxHashMap<KnowledgeId, Arc<Knowledge>>,
    known: FxHashMap<KnowledgeId, f64>,
}

impl<'s> Weigher<'s> {
    /// A weigher of the edges of a state.
    pub fn new(state: &'s State) -> Self {
        Self { state, made: FxHashMap::default(), known: FxHashMap::default() }
    }

    /// Counts an edge in that is not in the state yet.
    pub(crate) fn add(&mut self, id: KnowledgeId, edge: Arc<Knowledge>) {
        self.made.insert(id, edge);
    }

    fn edge(&self, id: KnowledgeId) -> Option<&Knowledge> {
        self.state.knowledge(id).or_else(|| self.made.get(&id)).map(AsRef::as_ref)
    }

    /// How much the knower of an edge believes its fact by this edge alone, 0.0–1.0.
    pub fn belief(&mut self, id: KnowledgeId, edge: &Knowledge) -> f64 {
        if edge.sources.is_empty() {
            return edge.credence.get();
        }
        // Chains may be long, so they are walked without recursion: an edge is weighed when what it rests on is.
        let mut open = vec![id];
        while let Some(&next) = open.last() {
            let Some(edge) = self.edge(next).filter(|_| !self.known.contains_key(&next)) else {
                open.pop();
                continue;
            };
            let before = open.len();
            open.extend(self.basis(edge).map(|(id, _)| id).filter(|id| !self.known.contains_key(id)));
            if open.len() == before {
                let belief = self.weigh(edge);
                self.known.insert(next, belief);
                open.pop();
            }
        }
        self.known.get(&id).copied().unwrap_or_default()
    }

    /// The edges that are there of those that an edge rests on.
    fn basis<'a>(&'a self, edge: &'a Knowledge) -> impl Iterator<Item = (KnowledgeId, &'a Knowledge)> {
        edge.sources.iter().filter_map(|source| match source {
            Source::Basis { edge, .. } => Some((*edge, self.edge(*edge)?)),
            Source::Experience { .. } => None,
        })
    }

    /// The belief of an edge, when those that it rests on are weighed.
    fn weigh(&self, edge: &Knowledge) -> f64 {
        let share = self.share(edge);
        let mut basis: Vec<_> = self.basis(edge).collect();
        if basis.is_empty() {
            return edge.credence.get();
        }
        basis.sort_by_key(|(id, edge)| (edge.fact, *id));
        let mut belief = share;
        for of_one_fact in basis.chunk_by(|(_, a), (_, b)| a.fact == b.fact) {
            let (shared, ways): (Vec<_>, Vec<_>) = of_one_fact.iter().partition(|(_, edge)| edge.how == How::Shared);
            let weighed = ways.iter().map(|(id, source)| Weighed {
                id: *id,
                edge: source,
                belief: self.known.get(id).copied().unwrap_or_else(|| source.credence.get()),
                own: Some(&source.knower) == teller(edge).as_ref(),
            });
            let shared: Vec<&Knowledge> = shared.iter().map(|(_, edge)| *edge).collect();
            belief *= combine(&weighed.collect::<Vec<_>>(), &shared);
        }
        if matches!(edge.how, How::Deduced { .. }) { belief } else { belief * RETELLING }
    }

    /// How much of the teller's belief an edge takes over, experience counted in.
    pub(crate) fn share(&self, edge: &Knowledge) -> f64 {
        let experience = |source: &Source| match source {
            Source::Experience { told, seen, held } => {
                let when = self.edge(*seen)?.learned_at();
                self.edge(*told).map(|_| (*told, (when, *seen), *held))
            }
            Source::Basis { .. } => None,
        };
        experienced(edge.credence.get(), edge.sources.iter().filter_map(experience))
    }
}

/// Whose knowledge an edge rests on: the teller's, or the knower's own.
fn teller(edge: &Knowledge) -> Option<Knower> {
    match &edge.how {
        How::Told { by, .. } => by.clone().map(Knower::Entity),
        _ => Some(edge.knower.clone()),
    }
}

/// A first impression, corrected by experience: what was told, when and by which edge the knower saw for itself, whether
/// it was so. Of each thing told the latest sight counts.
pub(crate) fn experienced(
    first: f64,
    experiences: impl Iterator<Item = (KnowledgeId, (Option<GameTime>, KnowledgeId), bool)>,
) -> f64 {
    let mut latest = BTreeMap::new();
    for (told, seen, held) in experiences {
        let verdict = latest.entry(told).or_insert((seen, held));
        *verdict = (*verdict).max((seen, held));
    }
    let kept = latest.values().filter(|(_, held)| *held).count() as f64;
    (FIRST_IMPRESSION * first + kept) / (FIRST_IMPRESSION + latest.len() as f64)
}

/// An edge to one fact with the belief that it gives.
#[derive(Debug, Clone, Copy)]
pub struct Weighed<'a> {
    /// Its id.
    pub id: KnowledgeId,
    /// The edge.
    pub edge: &'a Knowledge,
    /// The belief that it gives by itself.
    pub belief: f64,
    /// Whether it is the knower's own, and not its group's or everybody's.
    pub own: bool,
}

/// How much a fact is believed that is known in several ways, 0.0–1.0; `shared` are the knower's records of having
/// passed it on.
///
/// - Own ways decide, if there are any: what somebody was told weighs more than what the place believes.
/// - What somebody saw, and what it knows to be so or not so (authored at 1 or 0), stands by itself; the latest counts.
/// - Who has passed it on without having it from anywhere has made it up, and believes nothing of it.
/// - Else the ways are sorted by origin: the people who told it and whom they cited, the document, the town's talk. Ways
///   that have a person in common are of one origin. So is a way told by somebody who was there when the knower learned it
///   before, to whom the knower told it, or who cites the knower. Origins are taken to be independent.
pub fn combine(ways: &[Weighed], shared: &[&Knowledge]) -> f64 {
    let own: Vec<Weighed> = ways.iter().filter(|way| way.own).copied().collect();
    let ways = if own.is_empty() { ways } else { &own };
    let latest = ways.iter().filter(|way| is_certain(way.edge)).max_by(|a, b| {
        let rank = |way: &Weighed| (way.edge.learned_at(), way.belief.to_bits(), way.id);
        rank(a).cmp(&rank(b))
    });
    if let Some(certain) = latest {
        return certain.belief;
    }
    if shared.iter().any(|record| is_made_up(record)) {
        return 0.0;
    }
    let origins = origins(ways, shared);
    let mut disbelief = 1.0;
    for origin in 0..ways.len() {
        let of_origin = ways.iter().zip(&origins).filter(|(_, of)| **of == origin);
        disbelief *= 1.0 - of_origin.map(|(way, _)| way.belief).fold(0.0, f64::max);
    }
    1.0 - disbelief
}

/// Whether a record of passing something on rests on nothing: a lie.
pub(crate) fn is_made_up(record: &Knowledge) -> bool {
    record.how == How::Shared && !record.sources.iter().any(|source| matches!(source, Source::Basis { .. }))
}

fn is_certain(edge: &Knowledge) -> bool {
    let certain = [Credence::FULL, Credence::NONE].contains(&edge.credence);
    match edge.how {
        How::Witnessed => true,
        How::Authored => certain,
        _ => false,
    }
}

/// From whom a way comes, as far as the knower can tell.
#[derive(Debug, PartialEq, Eq)]
enum Origin<'a> {
    /// The knower, or its group, has it from nobody.
    Itself(&'a Knower),
    /// Who told it, and whom that person cited.
    People([Option<&'a EntityId>; 2]),
    Document(&'a EntityId),
    Text,
    Talk,
    Conclusion(KnowledgeId),
}

fn origin<'a>(way: &Weighed<'a>) -> Origin<'a> {
    match &way.edge.how {
        How::Told { by: None, citing: None } => Origin::Talk,
        How::Told { by, citing } => Origin::People([by.as_ref(), citing.as_ref()]),
        How::Read { document: Some(document) } => Origin::Document(document),
        How::Read { document: None } => Origin::Text,
        How::Deduced { .. } => Origin::Conclusion(way.id),
        How::Witnessed | How::Authored | How::Shared => Origin::Itself(&way.edge.knower),
    }
}

impl Origin<'_> {
    /// Whether two ways come from the same, as far as the knower can tell.
    fn shares(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::People(these), Self::People(those)) => {
                these.iter().flatten().any(|person| those.contains(&Some(*person)))
            }
            _ => self == other,
        }
    }
}

/// For each way the first way of its origin.
fn origins(ways: &[Weighed], shared: &[&Knowledge]) -> Vec<usize> {
    let mut first: Vec<usize> = (0..ways.len()).collect();
    let mut join = |a: usize, b: usize| {
        let (low, high) = (first[a].min(first[b]), first[a].max(first[b]));
        for of in first.iter_mut().filter(|of| **of == high) {
            *of = low;
        }
    };
    let not_after = |a: Option<GameTime>, b: Option<GameTime>| a <= b;
    for (index, way) in ways.iter().enumerate() {
        for (other, earlier) in ways.iter().enumerate().filter(|(other, _)| *other != index) {
            if other < index && origin(way).shares(&origin(earlier)) {
                join(index, other);
            }
            let How::Told { by, citing } = &way.edge.how else { continue };
            let is_echo = citing.is_some() && citing.as_ref() == way.edge.knower.entity();
            if is_echo && not_after(earlier.edge.learned_at(), way.edge.learned_at()) {
                join(index, other);
            }
            let mut people = by.iter().chain(citing);
            // Who was there when the knower learned it, or was told by the knower, may only be repeating it.
            let was_there = |edge: &Knowledge, person| {
                edge.company.contains(person) && not_after(edge.learned_at(), way.edge.learned_at())
            };
            let told_by_knower = |person| {
                let to_them = shared.iter().filter(|record| was_there(record, person));
                to_them.into_iter().any(|record| not_after(earlier.edge.learned_at(), record.learned_at()))
            };
            if people.any(|person| was_there(earlier.edge, person) || told_by_knower(person)) {
                join(index, other);
            }
        }
    }
    first
}

/// How far something is believed that is refuted: `c (1 − r) ÷ (1 − c r)`, where `c` is how far it is believed by itself
/// and `r` how far the refutations are, together `1 − Π (1 − rᵢ)`: Dempster's rule for two bodies of evidence. So what is
/// certain is not moved by talk; and where both are certain, what was learned later stands.
pub(crate) fn refuted(
    (belief, learned): (f64, Option<GameTime>),
    refutations: impl IntoIterator<Item = (f64, Option<GameTime>)>,
) -> f64 {
    let (mut open, mut certain_since) = (1.0, None);
    for (refutation, since) in refutations {
        open *= 1.0 - refutation;
        if refutation >= 1.0 {
            certain_since = certain_since.max(Some(since));
        }
    }
    let both = 1.0 - belief * (1.0 - open);
    match certain_since {
        // Rounding may leave the scale by a hair.
        _ if both > 0.0 => (belief * open / both).min(1.0),
        Some(since) if since >= learned => 0.0,
        _ => belief,
    }
}

/// A belief as a credence. Rounding may leave the scale by a hair.
pub(crate) fn credence(belief: f64) -> Credence {
    Credence::new(belief.clamp(0.0, 1.0)).unwrap_or(Credence::NONE)
}

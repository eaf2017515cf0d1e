//! Simple reference implementation of a view. The implementation visits all edges repeatedly, until a pass adds no more
//! facts.
//!
//! [`View::new`] must give the same result.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_model::{
    Acquisition, ApplyError, Author, Change, Date, EntityId, Fact, FactId, FactStatus, GameTime, Key, Knower,
    KnowledgeEdge, KnowledgeId, Method, Operation, Passage, PassageId, PassageReader, Provenance, State, TalkKind,
    Validity, text,
};
use proptest::prelude::*;

use super::{AccessPath, View};
use crate::world::{World, id};

/// A source of knowledge: the knower, the access path, the start and end of the stay, and the rank.
type NaiveSource = (Knower, AccessPath, Option<GameTime>, Option<GameTime>, Option<String>);

type Known = BTreeMap<FactId, BTreeSet<(KnowledgeId, AccessPath, Option<GameTime>)>>;

/// An edge that is reserved for a rank, and the source through which it would reach the knower.
type Ranked = (KnowledgeId, NaiveSource);

/// Returns the knowledge that reaches the knower from its sources, and the edges that are reserved for a rank.
fn known(
    state: &State,
    sources: &BTreeSet<NaiveSource>,
    as_of: Option<GameTime>,
    opened: &BTreeSet<Ranked>,
) -> (Known, BTreeSet<Ranked>) {
    let (mut known, mut waiting) = (Known::new(), BTreeSet::new());
    for (knowledge, edge) in state.all_knowledge() {
        let fact = state.fact(edge.fact).unwrap();
        let learned = edge.learned_at().or(fact.validity().start());
        for source @ (from, access_path, joined, left, _) in sources {
            let since = (*joined).max(learned);
            let stays = left.is_none_or(|left| joined.is_none_or(|joined| joined < left));
            let in_time = left.is_none_or(|left| learned.is_none_or(|learned| learned < left));
            let past = as_of.is_none_or(|now| since.is_none_or(|since| since <= now));
            let own = *access_path == AccessPath::Own;
            let concerns = own || edge.acquisition.gives_knowledge();
            if edge.knower != *from || !stays || !in_time || !past || !concerns {
                continue;
            }
            let ranked = (knowledge, source.clone());
            if own || edge.rank.is_none() || opened.contains(&ranked) {
                known.entry(fact.id()).or_default().insert((knowledge, access_path.clone(), since));
            } else {
                waiting.insert(ranked);
            }
        }
    }
    (known, waiting)
}

/// Returns the facts with at least one edge that gives knowledge.
fn truly<'a>(state: &'a State, known: &'a Known) -> impl Iterator<Item = &'a Arc<Fact>> {
    let gives_knowledge =
        |(id, ..): &(KnowledgeId, AccessPath, _)| state.knowledge(*id).unwrap().acquisition.gives_knowledge();
    let known = known.iter().filter(move |(_, known_edges)| known_edges.iter().any(gives_knowledge));
    known.map(|(id, _)| state.fact(*id).unwrap())
}

fn reaches(state: &State, group: &Knower, held: &Option<String>, wanted: &str, known: &Known) -> bool {
    let Some(held) = held else { return false };
    let lists = truly(state, known);
    let lists = lists.filter(|fact| *fact.predicate() == *"ranks" && Some(fact.subject()) == group.entity());
    let latest = lists.max_by_key(|fact| (fact.validity().start(), fact.provenance().recorded, fact.id()));
    let place = |rank: &str| {
        latest?.object().text()?.split(',').position(|other| text::normalize(other) == text::normalize(rank))
    };
    text::normalize(held) == text::normalize(wanted)
        || place(held).is_some_and(|held| place(wanted).is_some_and(|w| held >= w))
}

/// Returns the groups and places to which an entity belongs, as far as it knows.
fn sources(state: &State, knower: &EntityId, known: &Known, from: &BTreeSet<NaiveSource>) -> BTreeSet<NaiveSource> {
    let mut found = from.clone();
    for fact in truly(state, known) {
        let name = fact.predicate().as_str();
        let (true, Some(group)) = (fact.status() == FactStatus::Canon, fact.object().entity()) else { continue };
        if !["MEMBER_OF", "RESIDENT_OF", "PART_OF"].contains(&name) || group == knower {
            continue;
        }
        let (start, end) = (fact.validity().start(), fact.validity().end());
        for (of, access_path, joined, left, _) in from {
            let access_path = match access_path {
                AccessPath::Own if name == "MEMBER_OF" => AccessPath::Member(group.clone()),
                AccessPath::Own if name == "RESIDENT_OF" => AccessPath::Resident(group.clone()),
                AccessPath::Member(_) => AccessPath::Member(group.clone()),
                AccessPath::Resident(_) => AccessPath::Resident(group.clone()),
                _ => continue,
            };
            if of.entity() != Some(fact.subject()) {
                continue;
            }
            let left = [*left, end].into_iter().flatten().min();
            let rank = fact.rank().filter(|_| fact.subject() == knower).map(str::to_owned);
            found.insert((group.clone().into(), access_path, (*joined).max(start), left, rank));
        }
    }
    found
}

fn naive(state: &State, knower: &Knower, as_of: Option<GameTime>) -> (Known, BTreeMap<PassageId, AccessPath>) {
    let mut from = BTreeSet::from([(Knower::World, AccessPath::Common, None, None, None)]);
    if knower.entity().is_some() {
        from.insert((knower.clone(), AccessPath::Own, None, None, None));
    }
    // First, collect all edges that need no rank. Then add the edges for which the knower has the rank, according to
    // the lists of ranks known so far. Repeat both steps; added edges are never removed.
    let mut opened = BTreeSet::new();
    let known = loop {
        let (now, waiting) = self::known(state, &from, as_of, &opened);
        let reached = knower.entity().map_or(from.clone(), |id| sources(state, id, &now, &from));
        if reached != from {
            from = reached;
            continue;
        }
        let opens = |(edge, (group, _, _, _, held)): &Ranked| {
            let wanted = state.knowledge(*edge).unwrap().rank.clone().unwrap();
            reaches(state, group, held, &wanted, &now)
        };
        let new: Vec<Ranked> = waiting.into_iter().filter(opens).collect();
        if new.is_empty() {
            break now;
        }
        opened.extend(new);
    };
    let mut heard = BTreeMap::new();
    for (id, passage) in state.passages().filter(|(_, passage)| !passage.is_out_of_character()) {
        for (from, access_path, joined, left, _) in &from {
            let there =
                passage.heard_by.contains(from) || from.entity().is_some_and(|e| passage.speaker.as_ref() == Some(e));
            let read = passage.readers.iter().find(|reader| reader.knower == *from).filter(|_| !there);
            let said = passage.said_at().max(read.and_then(|reader| reader.since));
            let there = there || read.is_some();
            let stays = left.is_none_or(|left| joined.is_none_or(|joined| joined < left));
            let in_time = left.is_none_or(|left| said.is_none_or(|said| said < left));
            let past = as_of.is_none_or(|now| (*joined).max(said).is_none_or(|since| since <= now));
            if there && stays && in_time && past {
                let nearest = heard.entry(id).or_insert_with(|| access_path.clone());
                *nearest = nearest.clone().min(access_path.clone());
            }
        }
    }
    (known, heard)
}

pub(super) const PLACES: [&str; 6] = ["ann", "bob", "guild", "order", "town", "land"];

fn one(n: u8) -> EntityId {
    id(PLACES[usize::from(n) % PLACES.len()])
}

fn date(n: u8) -> Option<Date> {
    (!n.is_multiple_of(4)).then(|| Date::at(GameTime((n % 9).into())))
}

fn fact(n: u8, m: u8) -> Fact {
    let provenance = Provenance::new(Method::Authored, Author::Dm);
    let validity =
        Validity { from: date(m), until: date(m / 3).filter(|until| until.time > date(m).and_then(|d| d.time)) };
    let name = ["MEMBER_OF", "RESIDENT_OF", "PART_OF", "KNOWS"][usize::from(m) % 4];
    match n % 9 {
        0 => Fact::attribute(&one(m), "ranks", ["low, high", "high, low"][usize::from(m / 6) % 2], provenance),
        _ => Fact::relation(&one(n), name, &one(m / 4), provenance),
    }
    .unwrap()
    .validity(validity)
    .rank((!n.is_multiple_of(9) && m.is_multiple_of(3)).then(|| ["low", "high"][usize::from(n) % 2].into()))
    .status(if m.is_multiple_of(17) { FactStatus::False } else { FactStatus::Canon })
    .build()
    .unwrap()
}

fn world(seeds: &[(u8, u8, u8)]) -> World {
    let mut world = World::new(&PLACES.join(" "));
    seeds.iter().for_each(|seed| _ = add(&mut world, *seed).unwrap());
    world
}

/// Adds a fact, a passage and edges. The three numbers select these records. Returns the touched records.
pub(super) fn add(world: &mut World, (n, m, k): (u8, u8, u8)) -> Result<Vec<Key>, ApplyError> {
    let fact = fact(n, m);
    let knower = if k.is_multiple_of(11) { Knower::World } else { one(k).into() };
    let edge = KnowledgeEdge {
        learned: date(k / 2),
        rank: k.is_multiple_of(5).then(|| ["low", "High"][usize::from(k) % 2].into()),
        acquisition: if k.is_multiple_of(13) { Acquisition::Shared } else { Acquisition::Authored },
        ..KnowledgeEdge::authored(knower, fact.id())
    };
    let passage = Passage {
        speaker: n.is_multiple_of(2).then(|| one(n)),
        time: date(m),
        heard_by: vec![one(k).into()],
        readers: vec![PassageReader { knower: one(m / 7).into(), since: date(k).and_then(|date| date.time) }],
        talk_kind: k.is_multiple_of(7).then_some(TalkKind::OutOfCharacter),
        ..Passage::new(format!("line {n} {m}"))
    };
    // Let subjects know of their own membership. Otherwise, memberships would almost never be known.
    let own = KnowledgeEdge::authored(fact.subject().clone().into(), fact.id());
    let edges = [edge, own].map(|edge| Change::Learn(edge.into()));
    let changes = [Change::AssertFact(fact.into()), Change::AddPassage(passage.into())];
    let changes = changes.into_iter().chain(edges).collect();
    world.0.apply(Operation::new(Author::Dm, "edit", changes)).map(|applied| applied.touched)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_view_equals_its_definition(
        seeds in prop::collection::vec(any::<(u8, u8, u8)>(), 1..30),
        as_of in prop::option::of(0_i64..9),
    ) {
        let world = world(&seeds);
        let as_of = as_of.map(GameTime);
        for knower in PLACES.map(|name| Knower::Entity(id(name))).into_iter().chain([Knower::World]) {
            let view = View::new(&world.0, &knower, as_of);
            let (known, heard) = naive(&world.0, &knower, as_of);
            let known_edges = |known: &super::Known| {
                let all = known.known_edges().iter().chain(known.shared());
                all.map(|known_edge| (known_edge.id, known_edge.access_path.clone(), known_edge.since)).collect()
            };
            let fast: Known = view.facts().map(|known| (known.id(), known_edges(known))).collect();
            prop_assert_eq!(&fast, &known, "{} at {:?}", knower, as_of);
            let fast: BTreeMap<_, _> = view.passages().map(|(id, heard)| (id, heard.access_path.clone())).collect();
            prop_assert_eq!(fast, heard);
            for known in view.facts() {
                prop_assert_eq!(view.fact(known.id()), Some(known));
            }
        }
    }
}

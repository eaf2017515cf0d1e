//! Benchmarks of graph queries, views and rankings.
//!
//! The benchmarks `identity_with_relationships` and `hops` use 1,000 entities and 5,000 facts. The benchmarks of a
//! character's view and its ranking use 10,000 facts. The benchmark of the DM's ranking uses 100,000 facts.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::sync::{Arc, LazyLock};

use divan::{Bencher, black_box};
use hearsay_belief::{
    View,
    graph::{Traversal, identity, neighbours},
};
use hearsay_model::{
    Author, Change, Entity, EntityId, Fact, Knower, KnowledgeEdge, Method, Operation, Provenance, State,
};
use hearsay_recall::{DocId, EntityLinker, Index, Query, Ranking, rank};

fn main() {
    divan::main();
}

fn id(n: usize) -> EntityId {
    EntityId::new(format!("entity-{n}")).unwrap()
}

/// Returns a campaign with skewed degrees: entities with low numbers occur in many facts, as in a real campaign. A
/// quarter of the facts are attributes. The first twenty entities are groups. Each fact is known only to its subject,
/// except that every eighth fact is known to everybody.
fn world(entities: usize, facts: usize) -> State {
    let mut changes: Vec<Change> = (0..entities).map(|n| Change::AddEntity(Entity::new(id(n)))).collect();
    let mut seed = 7_u64;
    let mut next = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    for n in 0..facts {
        let provenance = Provenance::new(Method::Authored, Author::Game);
        let (subject, object) = (next(entities), next(entities).min(next(entities)));
        let builder = match n % 4 {
            0 => Fact::attribute(&id(subject), "occupation", format!("trade {}", n % 50), provenance),
            1 => Fact::relation(&id(subject), "MEMBER_OF", &id(object % 20), provenance),
            kind => Fact::relation(&id(subject), ["KNOWS", "OWES"][kind - 2], &id(object), provenance),
        };
        let words =
            format!("Entity {subject} has dealings of kind {} with entity {object} at place {}.", n % 97, n % 31);
        let fact = Arc::new(builder.unwrap().statement(words).build().unwrap());
        let knower = if n.is_multiple_of(8) { Knower::World } else { id(subject).into() };
        let edge = KnowledgeEdge::authored(knower, fact.id());
        changes.extend([Change::AssertFact(fact), Change::Learn(Arc::new(edge))]);
    }
    let mut state = State::default();
    state.apply(Operation::new(Author::Game, "world", changes)).unwrap();
    state
}

static SMALL: LazyLock<State> = LazyLock::new(|| world(1_000, 5_000));
static LARGE: LazyLock<State> = LazyLock::new(|| world(2_000, 10_000));

#[divan::bench]
fn identity_with_relationships(bencher: Bencher) {
    let entity = id(500);
    bencher.bench(|| identity(black_box(&SMALL), &entity, &Traversal::default()));
}

#[divan::bench(args = [1, 2, 3])]
fn hops(bencher: Bencher, depth: usize) {
    let from = id(500);
    bencher.bench(|| neighbours(black_box(&SMALL), &from, &Traversal::default(), depth, usize::MAX).len());
}

#[divan::bench]
fn view_of_one_character(bencher: Bencher) {
    let knower = Knower::Entity(id(500));
    bencher.bench(|| View::new(black_box(&LARGE), &knower, None).facts().len());
}

#[divan::bench]
fn rank_by_words_and_graph(bencher: Bencher) {
    let view = View::new(&LARGE, &Knower::Entity(id(500)), None);
    let index = Index::new(LARGE.corpus());
    let named = EntityLinker::new(&view).mentioned_entities("entity 500");
    bencher.bench(|| {
        let query = Query {
            text: "dealings of kind 13 at place 7",
            vector: None,
            named: named.clone(),
            graph: true,
            ..Query::default()
        };
        rank(black_box(&view), &index, &query).len()
    });
}

/// Links a question that misspells one of 20,000 names.
#[divan::bench]
fn names_nearly_right(bencher: Bencher) {
    let names = EntityLinker::new(&View::of_dm(&NAMED));
    let question =
        format!("Did you hear what {}n of the nothern quay did to the fishwives?", names.name(&id(777)).unwrap());
    assert_eq!(names.mentioned_entities(&question).iter().map(|named| &named.id).collect::<Vec<_>>(), [&id(777)]);
    bencher.bench(|| names.mentioned_entities(black_box(&question)).len());
}

static NAMED: LazyLock<State> = LazyLock::new(|| {
    let mut state = State::default();
    let syllables =
        ["bel", "ka", "ro", "dus", "to", "rin", "mi", "sha", "gor", "ve", "lan", "qui", "fen", "tha", "or", "ya"];
    let word = |n: usize| [n, n / 16, n / 256].map(|at| syllables[at % 16]).concat();
    let mut changes = Vec::new();
    for n in 0..20_000_usize {
        let id = id(n);
        changes.push(Change::AddEntity(Entity::new(id.clone())));
        let name = format!("{} {}", word(n % 4096), word((n * 7 + n / 4096 + 1_315) % 4096));
        let fact = Fact::attribute(&id, "name", name, Provenance::new(Method::Authored, Author::Dm)).unwrap();
        changes.push(Change::AssertFact(fact.build().unwrap().into()));
    }
    state.apply(Operation::new(Author::Dm, "names", changes)).unwrap();
    state
});

/// Returns a pseudo-random vector of length 1.
fn vector(seed: u64) -> Vec<f32> {
    let mut seed = seed + 1;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 40) as f32 / (1_u64 << 24) as f32 - 0.5
    };
    let vector: Vec<f32> = (0..384).map(|_| next()).collect();
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.into_iter().map(|x| x / length).collect()
}

static DM_CAMPAIGN: LazyLock<(View, EntityLinker, Index)> = LazyLock::new(|| {
    let state = world(20_000, 100_000);
    let (view, mut index) = (View::of_dm(&state), Index::new(state.corpus()));
    for (n, fact) in state.facts().enumerate() {
        index.set_vector(DocId::Fact(fact.id()), &vector(n as u64));
    }
    (view, EntityLinker::default(), index)
});

#[divan::bench(args = [false, true])]
fn rank_100_000_facts(bencher: Bencher, with_vectors: bool) {
    let (view, names, index) = &*DM_CAMPAIGN;
    let vector = vector(u64::MAX / 2);
    let named = vec![names.linked_entity(&id(500)), names.linked_entity(&id(12_345))];
    bencher.bench(|| {
        let query = Query {
            text: "dealings of kind 13 at place 7",
            vector: with_vectors.then_some(&vector),
            named: named.clone(),
            graph: true,
            ..Query::default()
        };
        let mut ranking = Ranking::new(black_box(view), index, &query);
        (ranking.facts(10, |_| true), ranking.passages(10, |_| true))
    });
}

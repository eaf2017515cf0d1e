//! Measures the cost of a write while a reader has a snapshot, and the cost of plain reads, at 100,000 and 1,000,000
//! facts.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::{
    hint::black_box,
    sync::{Arc, LazyLock},
};

use divan::Bencher;
use hearsay_model::{
    Author, Change, Entity, EntityId, Fact, FactId, Knower, KnowledgeEdge, Method, Operation, Provenance, State,
};

fn main() {
    divan::main();
}

const SIZES: [usize; 2] = [100_000, 1_000_000];

fn id(n: usize) -> EntityId {
    EntityId::new(format!("entity-{n}")).unwrap()
}

fn random(seed: u64) -> impl FnMut(usize) -> usize {
    let mut seed = seed;
    move |below| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    }
}

fn operation(changes: Vec<Change>) -> Operation {
    Operation::new(Author::Game, "bench", changes)
}

/// Returns the changes that add a fact, and a knowledge edge from the fact's subject to the fact.
fn known_fact_changes(subject: usize, object: usize, n: usize) -> [Change; 2] {
    let provenance = Provenance::new(Method::Authored, Author::Game);
    let builder = match n % 4 {
        0 => Fact::attribute(&id(subject), "occupation", format!("trade {n}"), provenance),
        kind => Fact::relation(&id(subject), ["KNOWS", "OWES", "LIKES"][kind - 1], &id(object), provenance),
    };
    let fact = builder.unwrap().statement(format!("Entity {subject} deals with {object} ({n}).")).build().unwrap();
    let edge = KnowledgeEdge::authored(id(subject).into(), fact.id());
    [Change::AssertFact(Arc::new(fact)), Change::Learn(Arc::new(edge))]
}

/// Returns a state with one entity for every five facts. Entities with low numbers occur in many facts.
fn new_state(facts: usize) -> State {
    let (entities, mut next_random) = (facts / 5, random(7));
    let mut state = State::default();
    let all: Vec<usize> = (0..entities).collect();
    for numbers in all.chunks(1_000) {
        let changes = numbers.iter().map(|n| Change::AddEntity(Entity::new(id(*n)))).collect();
        state.apply(operation(changes)).unwrap();
    }
    let all: Vec<usize> = (0..facts).collect();
    for numbers in all.chunks(1_000) {
        let facts = numbers.iter().flat_map(|n| {
            let (subject, object) = (next_random(entities), next_random(entities).min(next_random(entities)));
            known_fact_changes(subject, object, *n)
        });
        state.apply(operation(facts.collect())).unwrap();
    }
    state
}

static STATES: [LazyLock<State>; 2] = [LazyLock::new(|| new_state(SIZES[0])), LazyLock::new(|| new_state(SIZES[1]))];

fn shared_state(facts: usize) -> &'static State {
    &STATES[SIZES.iter().position(|size| *size == facts).unwrap()]
}

fn write_fact(state: &mut State, n: usize) {
    let (entities, mut next_random) = (state.index_count(), random(n as u64));
    state
        .apply(operation(known_fact_changes(next_random(entities), next_random(entities), 100_000_000 + n).to_vec()))
        .unwrap();
}

/// Measures a write while no reader has a snapshot.
#[divan::bench(args = SIZES)]
fn write_alone(bencher: Bencher, facts: usize) {
    let (mut state, mut n) = (new_state(facts), 0);
    bencher.bench_local(|| {
        n += 1;
        write_fact(&mut state, n);
    });
}

/// Measures a write after a reader took a snapshot.
#[divan::bench(args = SIZES)]
fn clone_and_write(bencher: Bencher, facts: usize) {
    let (mut state, mut n) = (shared_state(facts).clone(), 0);
    bencher.bench_local(|| {
        n += 1;
        let reader = state.clone();
        write_fact(&mut state, n);
        reader
    });
}

/// Measures a write to an entity that occurs in a tenth of all facts, after a reader took a snapshot.
#[divan::bench(args = SIZES)]
fn clone_and_write_at_a_hub(bencher: Bencher, facts: usize) {
    let (mut state, mut n) = (shared_state(facts).clone(), 0);
    let hub = (0..facts / 10).flat_map(|n| known_fact_changes(n % (facts / 5), 0, 300_000_000 + n * 4 + 1)).collect();
    state.apply(operation(hub)).unwrap();
    bencher.bench_local(|| {
        n += 1;
        let reader = state.clone();
        let change = known_fact_changes(n % (facts / 5), 0, 200_000_000 + n * 4 + 1);
        state.apply(operation(change.to_vec())).unwrap();
        reader
    });
}

#[divan::bench(args = SIZES)]
fn read_1000_facts_by_id(bencher: Bencher, facts: usize) {
    let state = shared_state(facts);
    let ids: Vec<FactId> = state.facts().map(|fact| fact.id()).collect();
    let mut next_random = random(3);
    let ids: Vec<FactId> = (0..1_000).map(|_| ids[next_random(ids.len())]).collect();
    bencher.bench(|| ids.iter().filter(|id| black_box(state).fact(**id).is_some()).count());
}

#[divan::bench(args = SIZES)]
fn read_1000_entities_by_id(bencher: Bencher, facts: usize) {
    let (state, mut next_random) = (shared_state(facts), random(4));
    let ids: Vec<EntityId> = (0..1_000).map(|_| id(next_random(facts / 5))).collect();
    bencher.bench(|| ids.iter().filter(|id| black_box(state).entity(id).is_some()).count());
}

#[divan::bench(args = SIZES)]
fn read_known_facts_of_100(bencher: Bencher, facts: usize) {
    let (state, mut next_random) = (shared_state(facts), random(5));
    let knowers: Vec<Knower> = (0..100).map(|_| id(next_random(facts / 5)).into()).collect();
    bencher.bench(|| knowers.iter().map(|knower| black_box(state).known_facts(knower).count()).sum::<usize>());
}

#[divan::bench(args = SIZES)]
fn read_facts_of_100(bencher: Bencher, facts: usize) {
    let (state, mut next_random) = (shared_state(facts), random(6));
    let ids: Vec<EntityId> = (0..100).map(|_| id(next_random(facts / 5))).collect();
    bencher.bench(|| ids.iter().map(|id| black_box(state).facts_of(id).count()).sum::<usize>());
}

/// Measures reading the entities that are two hops away from an entity. An entity is counted once per path.
#[divan::bench(args = SIZES)]
fn read_two_hops(bencher: Bencher, facts: usize) {
    let (state, mut next_random) = (shared_state(facts), random(8));
    let from: Vec<u32> = (0..100).map(|_| next_random(facts / 5) as u32).collect();
    bencher.bench(|| {
        let mut found = 0;
        for start in &from {
            for hop in black_box(state).hops_at(*start).iter().filter(|hop| state.is_in_effect_at(hop.fact())).take(20)
            {
                let further = state.hops_at(hop.other()).iter().take(100);
                found += further.filter(|hop| state.is_in_effect_at(hop.fact())).count();
            }
        }
        found
    });
}

#[divan::bench(args = [SIZES[0]])]
fn fold(bencher: Bencher, facts: usize) {
    let operations: Vec<Arc<Operation>> =
        shared_state(facts).journal().map(|(_, entry)| Arc::clone(&entry.operation)).collect();
    bencher.bench(|| {
        let mut state = State::default();
        for operation in &operations {
            state.apply(Arc::clone(operation)).unwrap();
        }
        state
    });
}

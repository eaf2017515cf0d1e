//! Benchmarks of the memory. Run them with `cargo bench -p hearsay_engine --profile dev`. `cargo run` uses the same
//! profile, so nothing is built twice.
//!
//! The benchmark of a durable fact is compared with an fsync of the same bytes in the same run. The ratio of the two
//! does not depend on the speed of the disk.
#![allow(missing_docs, clippy::unwrap_used)]

use std::{cell::Cell, fs::File, io::Write, sync::Arc};

use divan::Bencher;
use hearsay_commands::patches::{Patch, Patches};
use hearsay_engine::{Memory, MemoryOptions, ModelSettings, Settings};
use hearsay_model::*;
use hearsay_query::ask::Ask;
use hearsay_store::Location;

fn main() {
    divan::main();
}

fn options() -> MemoryOptions {
    let model = ModelSettings { enabled: false, ..ModelSettings::default() };
    MemoryOptions { settings: Settings { model, ..Settings::default() }, ..MemoryOptions::in_memory() }
}

fn id(n: usize) -> EntityId {
    EntityId::new(format!("entity-{n}")).unwrap()
}

fn provenance() -> Provenance {
    Provenance::new(Method::Authored, Author::Game)
}

fn attribute(n: usize, name: &str, value: String) -> Arc<Fact> {
    Arc::new(Fact::attribute(&id(n), name, value.clone(), provenance()).unwrap().statement(value).build().unwrap())
}

/// Returns an operation that adds a fact and an edge through which everybody knows the fact.
fn one_fact(n: usize) -> Operation {
    let fact = attribute(0, "lore", format!("Was seen at the old mill on day {n}."));
    let learn = KnowledgeEdge::authored(Knower::World, fact.id());
    let changes = vec![Change::AddEntity(Entity::new(id(0))), Change::AssertFact(fact), Change::Learn(learn.into())];
    Operation::new(Author::Game, "say", changes)
}

#[divan::bench(name = "one durable fact through the worker", sample_count = 300)]
fn durable(bencher: Bencher) {
    let directory = tempfile::tempdir().unwrap();
    let location = Location::Directory(directory.path().to_owned());
    let memory = Memory::open(MemoryOptions { location, ..options() }).unwrap();
    let next = Cell::new(0);
    bencher
        .with_inputs(|| {
            next.set(next.get() + 1);
            one_fact(next.get())
        })
        .bench_local_values(|operation| memory.write(move |_| Ok(operation.clone())).unwrap().wait().unwrap());
}

#[divan::bench(name = "64 durable facts sent together", sample_count = 60)]
fn durable_together(bencher: Bencher) {
    let directory = tempfile::tempdir().unwrap();
    let location = Location::Directory(directory.path().to_owned());
    let memory = Memory::open(MemoryOptions { location, ..options() }).unwrap();
    let next = Cell::new(0);
    bencher.bench_local(|| {
        let tickets: Vec<_> = (0..64)
            .map(|n| {
                next.set(next.get() + 1);
                let fact = attribute(n, "lore", format!("Was seen at the old mill on day {}.", next.get()));
                let changes = vec![Change::AddEntity(Entity::new(id(n))), Change::AssertFact(fact)];
                let operation = Operation::new(Author::Game, "say", changes);
                memory.write(move |_| Ok(operation.clone())).unwrap()
            })
            .collect();
        for ticket in tickets {
            ticket.wait().unwrap();
        }
    });
}

#[divan::bench(name = "an fsync of the same bytes", sample_count = 300)]
fn fsync(bencher: Bencher) {
    let directory = tempfile::tempdir().unwrap();
    let mut file = File::create(directory.path().join("plain")).unwrap();
    let bytes = serde_json::to_vec(&one_fact(1)).unwrap();
    bencher.bench_local(|| {
        file.write_all(&bytes).unwrap();
        file.sync_data().unwrap();
    });
}

/// Writes 1,000 entities and 5,000 facts. Everybody knows the 1,000 names. `entity-0` knows a tenth of the relations.
fn write_entities_and_facts(memory: &Memory) {
    let mut changes: Vec<Change> = (0..1_000).map(|n| Change::AddEntity(Entity::new(id(n)))).collect();
    let mut record = |fact: Arc<Fact>, knowers: Vec<Knower>| {
        let edges =
            knowers.into_iter().map(|knower| Change::Learn(Arc::new(KnowledgeEdge::authored(knower, fact.id()))));
        let edges: Vec<_> = edges.collect();
        changes.push(Change::AssertFact(fact));
        changes.extend(edges);
    };
    for n in 0..1_000 {
        let knows_names = vec![Knower::World];
        record(attribute(n, "name", format!("Person {n}")), knows_names);
    }
    for n in 0..4_000 {
        let (a, b) = (n % 1_000, (n * 7_919 + 13) % 1_000);
        let name = ["OWES", "LIKES", "FEARS", "KNOWS"][n / 1_000];
        let statement = format!("Person {a} {} Person {b} on account of matter {n}.", name.to_lowercase());
        let fact = Fact::relation(&id(a), name, &id(b), provenance()).unwrap().statement(statement).build().unwrap();
        let mut knowers = vec![id(a).into(), id(b).into()];
        if n.is_multiple_of(10) {
            knowers.push(id(0).into());
        }
        knowers.dedup();
        record(Arc::new(fact), knowers);
    }
    memory.write(move |_| Ok(Operation::new(Author::Game, "world", changes.clone()))).unwrap().wait().unwrap();
    // The index and the projections are updated after the write, a few records at a time.
    loop {
        let status = memory.status().unwrap().wait().unwrap();
        if status.projected == status.position && status.texts >= 4_000 {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[divan::bench(name = "context without the query embedding", sample_count = 500)]
fn context(bencher: Bencher) {
    let memory = Memory::open(options()).unwrap();
    write_entities_and_facts(&memory);
    bencher.bench_local(|| memory.ask(Ask::new(id(0), "Whom does Person 210 owe?")).unwrap().wait().unwrap());
}

#[divan::bench(name = "status", sample_count = 500)]
fn status(bencher: Bencher) {
    let memory = Memory::open(options()).unwrap();
    write_entities_and_facts(&memory);
    bencher.bench_local(|| memory.status().unwrap().wait().unwrap());
}

/// Returns a memory with one person that has changed its place and occupation `moves` times, once per minute.
fn wanderer(moves: usize) -> Memory {
    let memory = Memory::open(options()).unwrap();
    let place = |n: usize| id(1 + n % 500);
    let date = |minute: usize| Date::at(GameTime(minute as i64));
    let mut changes: Vec<Change> = (0..501).map(|n| Change::AddEntity(Entity::new(id(n)))).collect();
    for n in 0..moves {
        let validity = Validity { from: Some(date(n)), until: (n + 1 < moves).then(|| date(n + 1)) };
        let at = Fact::relation(&id(0), "LOCATED_AT", &place(n), provenance()).unwrap();
        let trade = Fact::attribute(&id(0), "occupation", format!("trade {n}"), provenance()).unwrap();
        for fact in [at, trade] {
            changes.push(Change::AssertFact(Arc::new(fact.validity(validity.clone()).build().unwrap())));
        }
    }
    changes.push(Change::Set(Setting::Game(GameSetting::Clock(GameTime(moves as i64)))));
    memory.write(move |_| Ok(Operation::new(Author::Game, "the past", changes.clone()))).unwrap().wait().unwrap();
    loop {
        let status = memory.status().unwrap().wait().unwrap();
        if status.projected == status.position && status.unindexed == 0 {
            return memory;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

/// Measures the time from sending a patch with a new place and occupation to its answer.
#[divan::bench(name = "one more move after so many", args = [100, 1_000, 10_000, 100_000], sample_count = 200)]
fn one_more_move(bencher: Bencher, moves: usize) {
    let memory = wanderer(moves);
    let next = Cell::new(moves);
    bencher
        .with_inputs(|| {
            next.set(next.get() + 1);
            let n = next.get();
            let trade = (Predicate::new("occupation").unwrap(), Some(Value::from(format!("trade {n}").as_str())));
            let patch = Patch {
                place: Some(id(1 + n % 500)).into(),
                attributes: [trade].into_iter().collect(),
                ..Patch::default()
            };
            let (entities, clock) = (vec![(id(0), patch)], Some(GameTime(n as i64)));
            Arc::new(Patches { entities, clock, ..Patches::default() })
        })
        .bench_local_values(|patches| memory.patch(Author::Game, patches).unwrap().wait().unwrap());
}

/// Returns a state with 20,000 people and 100,000 relations. The names are made of syllables, so that many are similar
/// or equal, as in a large campaign.
fn crowd() -> State {
    let syllables =
        ["mi", "re", "la", "gri", "mor", "dan", "tes", "ka", "vo", "bel", "ron", "shu", "pe", "od", "lin", "ar"];
    let mut seed = 7_u64;
    let mut roll = |max: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % max
    };
    let mut word = || -> String {
        let letters: String = (0..2 + roll(3)).map(|_| syllables[roll(syllables.len())]).collect();
        letters[..1].to_uppercase() + &letters[1..]
    };
    let mut changes = Vec::new();
    for n in 0..20_000 {
        changes.push(Change::AddEntity(Entity::new(id(n))));
        changes.push(Change::AssertFact(attribute(n, "kind", "npc".into())));
        changes.push(Change::AssertFact(attribute(n, "name", format!("{} {}", word(), word()))));
    }
    for n in 0..100_000_usize {
        let other = id((n * 7_919 + n / 20_000) % 20_000);
        let fact = Fact::relation(&id(n % 20_000), "KNOWS", &other, provenance()).unwrap().build().unwrap();
        changes.push(Change::AssertFact(Arc::new(fact.clone())));
        changes.push(Change::Learn(Arc::new(KnowledgeEdge::authored(id(n % 20_000).into(), fact.id()))));
    }
    State::fold([Operation::new(Author::Game, "crowd", changes)]).unwrap()
}

#[divan::bench(name = "duplicates among 20,000 entities", sample_count = 3)]
fn duplicates(bencher: Bencher) {
    let state = crowd();
    bencher.bench_local(|| hearsay_query::duplicates::duplicates(&state).len());
}

#[divan::bench(name = "a merge worked out, 20,000 entities and 100,000 relations", sample_count = 5)]
fn merge(bencher: Bencher) {
    let state = crowd();
    bencher.bench_local(|| hearsay_commands::merge::merge(&state, &id(1), &id(2), Author::Dm, Timestamp(0)).unwrap());
}

#[divan::bench(name = "health, 20,000 entities and 100,000 relations", sample_count = 5)]
fn health(bencher: Bencher) {
    let state = crowd();
    bencher.bench_local(|| hearsay_query::health::health(&state, 5));
}

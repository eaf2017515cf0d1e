//! Benchmarks of the store. Run them with `cargo bench -p hearsay_store --profile dev`. `cargo run` uses the same
//! profile, so no crate is built twice.
//!
//! The time to store a fact durably depends on the disk. Compare it with the time of an fsync of the same bytes in the
//! same run.
#![allow(missing_docs, clippy::unwrap_used)]

use std::{
    cell::RefCell,
    fs::File,
    io::Write,
    sync::{Arc, OnceLock},
};

use divan::{Bencher, counter::ItemsCount};
use hearsay_model::*;
use hearsay_store::{Location, Opened, Store, StoreOptions, projection};
use tempfile::TempDir;

#[path = "../tests/store/worlds.rs"]
#[allow(dead_code)]
mod worlds;
use worlds::{apply_all, open, operation, provenance, wait, world};

fn main() {
    divan::main();
}

/// Returns an operation that adds an entity, a fact and a knowledge edge.
fn one_fact(n: usize) -> Arc<Operation> {
    let someone = worlds::id("someone");
    let fact = Fact::attribute(&someone, "lore", format!("Was seen at the old mill on day {n}."), provenance());
    let fact = Arc::new(fact.unwrap().build().unwrap());
    let learn = KnowledgeEdge::authored(Knower::World, fact.id());
    let add = Change::AddEntity(Entity::new(someone));
    operation("say", vec![add, Change::AssertFact(fact), Change::Learn(learn.into())])
}

#[divan::bench(sample_count = 300)]
fn durable_fact(bencher: Bencher) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path()).store;
    let next = RefCell::new(0);
    bencher
        .with_inputs(|| {
            *next.borrow_mut() += 1;
            (Position(*next.borrow()), vec![one_fact(*next.borrow() as usize)])
        })
        .bench_local_values(|(position, operations)| store.commit_blocking(position, operations).unwrap());
}

#[divan::bench(sample_count = 300)]
fn fsync_of_the_same_bytes(bencher: Bencher) {
    let directory = tempfile::tempdir().unwrap();
    let mut file = File::create(directory.path().join("plain")).unwrap();
    let bytes = serde_json::to_vec(&*one_fact(1)).unwrap();
    bencher.bench_local(|| {
        file.write_all(&bytes).unwrap();
        file.sync_data().unwrap();
    });
}

#[divan::bench(sample_count = 50)]
fn sixty_four_facts_in_one_commit(bencher: Bencher) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path()).store;
    let next = RefCell::new(1);
    bencher
        .counter(ItemsCount::new(64_usize))
        .with_inputs(|| {
            let first = *next.borrow();
            *next.borrow_mut() += 64;
            (Position(first), (first..first + 64).map(|n| one_fact(n as usize)).collect::<Vec<_>>())
        })
        .bench_local_values(|(first, operations)| store.commit_blocking(first, operations).unwrap());
}

const BULK: usize = 10_000;

#[divan::bench(sample_count = 5, sample_size = 1)]
fn bulk_10_000_facts_journal(bencher: Bencher) {
    let import = world(2_000, BULK);
    bencher.counter(ItemsCount::new(BULK)).with_inputs(new_store).bench_local_values(|(directory, store)| {
        store.commit_blocking(Position(1), vec![Arc::clone(&import)]).unwrap();
        (directory, store)
    });
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn bulk_10_000_facts_journal_and_graph(bencher: Bencher) {
    let import = world(2_000, BULK);
    bencher.counter(ItemsCount::new(BULK)).with_inputs(new_store).bench_local_values(|(directory, store)| {
        store.commit_blocking(Position(1), vec![Arc::clone(&import)]).unwrap();
        let mut state = State::default();
        let touched = state.apply(Arc::clone(&import)).unwrap().touched;
        let rows = projection::rows(&state, &touched);
        wait(|done| store.project(rows, Position(1), done)).unwrap();
        (directory, store)
    });
}

fn new_store() -> (TempDir, Store) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path()).store;
    (directory, store)
}

/// Returns the directory of a campaign with 20,000 entities and 100,000 facts, imported in several operations. The
/// campaign has projections and a snapshot.
fn campaign() -> &'static TempDir {
    static CAMPAIGN: OnceLock<TempDir> = OnceLock::new();
    CAMPAIGN.get_or_init(|| {
        let directory = tempfile::tempdir().unwrap();
        let Opened { store, mut state, .. } = open(directory.path());
        let import = world(20_000, 100_000);
        for part in import.changes.chunks(12_000) {
            let operations = [operation("import", part.to_vec())];
            store.commit_blocking(state.position().next(), operations.to_vec()).unwrap();
            apply_all(&mut state, &operations);
        }
        store.rebuild_projections_blocking(&state, |_, _| {}).unwrap();
        wait(|done| store.write_snapshot(&state, done)).unwrap();
        store.close().unwrap();
        directory
    })
}

fn reopen(bencher: Bencher, snapshot: bool) {
    let directory = campaign().path();
    let (file, moved_file) = (directory.join("snapshot"), directory.join("snapshot.aside"));
    if !snapshot {
        std::fs::rename(&file, &moved_file).unwrap();
    }
    bencher.with_inputs(|| ()).bench_local_values(|()| {
        let opened = Store::open(Location::from(directory), StoreOptions::default()).unwrap();
        assert_eq!((opened.report.snapshot.is_some(), opened.state.fact_count()), (snapshot, 100_000));
        opened
    });
    if !snapshot {
        std::fs::rename(&moved_file, &file).unwrap();
    }
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn open_100_000_facts_with_snapshot(bencher: Bencher) {
    reopen(bencher, true);
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn open_100_000_facts_without_snapshot(bencher: Bencher) {
    reopen(bencher, false);
}

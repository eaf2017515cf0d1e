//! Tests of compaction: a compacted journal gives the same state, and compaction frees disk space.

use std::{path::Path, sync::Arc};

use hearsay_model::*;
use hearsay_store::{Opened, Store, StoreOptions, check_directory, repair_directory, testing::damage};

use crate::worlds::*;

/// Compacts a state and its store, except for the newest `operations` operations. Returns the number of operations that
/// were rewritten or deleted.
fn compact(store: &Store, state: &mut State, operations: u64) -> usize {
    state.advance_compaction(state.undo_horizon(&UndoRetention { operations, sessions: 0 }, Position(u64::MAX)));
    let mut plan = state.plan_compaction();
    let mut count = 0;
    loop {
        let rewritten = state.compact(&mut plan, 50);
        count += rewritten.operations.len();
        wait(|done| store.compact(state, rewritten.operations, done)).unwrap();
        if plan.is_done() {
            return count;
        }
    }
}

fn set_weather(n: u64) -> Arc<Operation> {
    let flag = Setting::Game(GameSetting::Flag {
        name: "weather".into(),
        value: Value::Number(Number::new(n as f64).unwrap()),
    });
    operation("set the weather", vec![Change::Set(flag)])
}

fn revert(position: u64) -> Arc<Operation> {
    operation("undo", vec![Change::Revert(Position(position))])
}

fn size(directory: &Path) -> u64 {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    entries.map(|entry| if entry.path().is_dir() { size(&entry.path()) } else { entry.metadata().unwrap().len() }).sum()
}

#[test]
fn a_compacted_journal_opens_as_the_same_state() {
    let directory = tempfile::tempdir().unwrap();
    let Opened { store, mut state, .. } = open(directory.path());
    commit(&store, &mut state, &[small(0), small(1), large(1, 3 << 20), revert(3)]);
    for n in 0..300 {
        commit(&store, &mut state, &[set_weather(n)]);
    }
    commit(&store, &mut state, &[small(2)]);
    assert_eq!(compact(&store, &mut state, 10), 292, "the number of rewritten operations");
    assert_eq!(state.operation_count(), 2 + 1 + 10, "two people, one setting, ten recent operations");
    let rows = |store: &Store| {
        store.query_blocking("RETURN [count(SELECT * FROM journal), count(SELECT * FROM journal_chunk)]")
    };
    assert_eq!(rows(&store).unwrap(), serde_json::json!([13, 0]));
    store.close().unwrap();

    let Opened { store, state: mut again, report } = open(directory.path());
    assert_eq!((report.position, report.replayed_operations), (Position(305), 10));
    assert!(again == state && again.compacted_to() == state.compacted_to());
    assert!(
        again
            .journal()
            .map(|(at, entry)| (at, &entry.operation))
            .eq(state.journal().map(|(at, entry)| (at, &entry.operation)))
    );
    // After the compaction, operations can be written, and recent operations can be undone.
    commit(&store, &mut again, &[revert(305), set_weather(999)]);
    assert!(again.entity(&id("e2")).is_none() && again.check(&revert(5)).is_err());
    compact(&store, &mut again, 0);
    wait(|done| store.write_snapshot(&again, done)).unwrap();
    store.close().unwrap();

    let Opened { store, state, report } = open(directory.path());
    assert_eq!((report.snapshot, report.replayed_operations), (Some(Position(307)), 0));
    assert!(again == state && again.operation_count() == state.operation_count());
    commit(&store, &mut again, &[set_weather(1000)]);
    compact(&store, &mut again, 0);
    store.close().unwrap();
    // A snapshot that was written before the last compaction is not used.
    let Opened { store, state, report } = open(directory.path());
    assert!(report.snapshot_ignored.unwrap().contains("compacted"));
    assert!(again == state);
    store.close().unwrap();
}

#[test]
fn a_large_operation_keeps_what_is_needed_of_it() {
    let directory = tempfile::tempdir().unwrap();
    let Opened { store, mut state, .. } = open(directory.path());
    let mut import = Operation::clone(&world(40, 4_000));
    import.author = Author::Importer("files".into());
    commit(&store, &mut state, &[Arc::new(import.clone())]);
    let retractions = import.changes.iter().filter_map(|change| match change {
        Change::AssertFact(fact) if fact.subject() != &id("someone-1") => Some(Change::RetractFact(fact.id())),
        _ => None,
    });
    let mut withdrawn = Operation::clone(&operation("import", retractions.collect()));
    withdrawn.author = Author::Importer("files".into());
    commit(&store, &mut state, &[Arc::new(withdrawn)]);
    let facts = state.fact_count();
    assert_eq!(facts, 100);
    // The first compaction removes the facts. The second compaction removes the operations that withdrew them.
    assert_eq!(compact(&store, &mut state, 0), 1);
    assert_eq!(compact(&store, &mut state, 0), 1);
    assert_eq!((state.fact_count(), state.operation_count()), (facts, 1));
    let chunks = store.query_blocking("RETURN count(SELECT VALUE id FROM journal_chunk)").unwrap();
    assert_eq!(chunks, 0, "the remaining operation fits into its row");
    store.close().unwrap();
    let opened = open(directory.path());
    assert!(opened.state == state);
    opened.store.close().unwrap();
}

#[test]
fn disk_space_comes_back() {
    let directory = tempfile::tempdir().unwrap();
    let options = || StoreOptions { memtable_bytes: 1 << 20, ..StoreOptions::default() };
    let mut opened = Store::open(directory.path(), options()).unwrap();
    let mut sizes = Vec::new();
    for round in 0..6 {
        let Opened { store, mut state, .. } = opened;
        for n in 0..400 {
            let text = large(1_000 * round + n, 8 << 10);
            commit(&store, &mut state, &[text]);
            let undo = revert(state.position().0);
            commit(&store, &mut state, &[undo]);
        }
        compact(&store, &mut state, 0);
        assert_eq!(state.operation_count(), 0);
        store.close().unwrap();
        sizes.push(size(directory.path()));
        opened = Store::open(directory.path(), options()).unwrap();
    }
    opened.store.close().unwrap();
    let largest = *sizes.iter().max().unwrap();
    assert!(largest < 3 * sizes[0], "the directory grows without bound: {sizes:?}");
}

#[test]
fn a_journal_begins_with_the_compacted_part_of_another_one() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let Opened { store, mut state, .. } = open(from.path());
    commit(&store, &mut state, &[small(0), large(1, 3 << 20), small(1), revert(3)]);
    compact(&store, &mut state, 0);
    let compacted: Vec<_> = state.journal().map(|(at, entry)| (at, Arc::clone(&entry.operation))).collect();
    let copy = open(to.path()).store;
    copy.begin_compacted_blocking(state.compacted_to(), compacted.clone()).unwrap();
    assert!(copy.begin_compacted_blocking(state.compacted_to(), compacted).is_err());
    assert_eq!(copy.position(), Position(4));
    copy.commit_blocking(Position(5), vec![small(1)]).unwrap();
    commit(&store, &mut state, &[small(1)]);
    copy.close().unwrap();
    let opened = open(to.path());
    assert!(opened.state == state);
    opened.store.settle_blocking().unwrap();
    assert_eq!(opened.store.graph_differences_blocking(&state).unwrap(), []);
    opened.store.close().unwrap();
}

#[test]
fn a_compacted_journal_is_checked_and_repaired() {
    let temporary = tempfile::tempdir().unwrap();
    let directory = temporary.path().join("campaign");
    let Opened { store, mut state, .. } = open(&directory);
    commit(&store, &mut state, &[small(0), small(1), large(1, 3 << 20), revert(3)]);
    for n in 0..200 {
        commit(&store, &mut state, &[set_weather(n)]);
    }
    compact(&store, &mut state, 10);
    store.settle_blocking().unwrap();
    store.close().unwrap();
    let found = check_directory(&directory).unwrap();
    assert!(found.is_intact(), "{found:?}");
    let report = repair_directory(&directory, true).unwrap();
    assert_eq!((report.saved, report.found.lost_count()), (state.operation_count() as u64, 0));
    let Opened { store, state: again, .. } = open(&directory);
    assert!(again == state && again.compacted_to() == state.compacted_to());
    store.close().unwrap();

    // If the tables with the beginning of the journal are missing, the check counts the missing operations.
    let mut tables = damage::files(&directory.join("db")).unwrap();
    tables.retain(|file| file.extension().is_some_and(|extension| extension == "sst"));
    std::fs::remove_file(directory.join("snapshot")).unwrap();
    for table in &tables {
        std::fs::remove_file(table).unwrap();
    }
    let found = check_directory(&directory).unwrap();
    assert!(!found.has_intact_database(), "{found:?}");
    assert!(Store::open(directory.as_path(), StoreOptions::default()).is_err());
    let report = repair_directory(&directory, false).unwrap();
    let Opened { store, state: again, .. } = open(&directory);
    assert_eq!(again.position(), state.position());
    assert_eq!(again == state, report.found.lost_count() == 0, "{report:?}");
    store.close().unwrap();
}

#[test]
fn a_transient_value_that_an_operation_replaced_does_not_come_back() {
    let directory = tempfile::tempdir().unwrap();
    let Opened { store, mut state, .. } = open(directory.path());
    commit(&store, &mut state, &[small(0), small(1)]);
    let temporary = Fact::relation(&id("e0"), "LOCATED_AT", &id("e1"), provenance()).unwrap().build().unwrap();
    let (subject, predicate) = (temporary.subject().clone(), temporary.predicate().clone());
    let value = Some(TransientValue { fact: temporary.into(), knowers: vec![id("e0").into()] });
    let values = vec![TransientChange { subject, predicate, value }];
    let update = TransientUpdate { values, clock: Some(GameTime(7)) };
    let first = state.position().next();
    let updates = vec![(state.position(), update.clone())];
    wait(|done| store.commit_with_transients(first, Vec::new(), updates, done)).unwrap();
    state.set_transients(&update);
    // An operation records the transient values as facts. Then this operation is undone.
    let record = operation("record", state.all_transients());
    commit(&store, &mut state, &[record]);
    assert!(!state.has_transients());
    let undo = revert(state.position().0);
    commit(&store, &mut state, &[undo]);
    compact(&store, &mut state, 0);
    assert_eq!(state.operation_count(), 2);
    store.close().unwrap();
    let Opened { store, state: again, .. } = open(directory.path());
    assert!(again == state && !again.has_transients());
    store.close().unwrap();
}

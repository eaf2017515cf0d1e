//! Tests of commits, of opening a campaign again, and of the lock.

use std::{
    fs,
    process::Command,
    sync::{Arc, Mutex, mpsc},
    time::{Duration, Instant},
};

use hearsay_model::{Position, State};
use hearsay_store::{Location, Opened, Store, StoreError, StoreOptions, testing::Faults};

use crate::worlds::*;

#[test]
fn operations_are_there_after_closing() {
    let directory = tempfile::tempdir().unwrap();
    let opened = open(directory.path());
    assert_eq!((opened.report.position, opened.report.schema), (Position(0), 0));
    let (store, mut state) = (opened.store, opened.state);
    commit(&store, &mut state, &[small(0)]);
    commit(&store, &mut state, &[small(1), small(2), large(0, 3000)]);
    assert_eq!(store.position(), Position(4));
    store.close().unwrap();
    assert!(!directory.path().join("owner").exists());

    let opened = open(directory.path());
    assert_eq!((opened.report.position, opened.report.replayed_operations, opened.report.schema), (Position(4), 4, 4));
    assert!(opened.state == state);
    let read: Vec<_> = opened.state.journal().map(|(_, entry)| Arc::clone(&entry.operation)).collect();
    assert_eq!(read, [small(0), small(1), small(2), large(0, 3000)]);
    opened.store.close().unwrap();
}

/// Opening must not write to the database. Each write would become a table when the database is closed, and the engine
/// would merge the tables, which are large after months of play.
#[test]
fn opening_and_closing_write_nothing_to_the_database() {
    let temporary = tempfile::tempdir().unwrap();
    let Opened { store, mut state, .. } = open(temporary.path());
    commit(&store, &mut state, &[small(0)]);
    store.settle_blocking().unwrap();
    store.close().unwrap();
    let files = || {
        let directory = temporary.path().join("db/sstables");
        let tables = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
        let mut files: Vec<_> = tables.map(|file| (file.file_name(), file.metadata().unwrap().len())).collect();
        files.sort();
        files
    };
    let reopen = || {
        let Opened { store, .. } = open(temporary.path());
        store.settle_blocking().unwrap();
        store.close().unwrap();
    };
    // The first opening of a campaign with operations compares the graph tables with the state, and records this.
    reopen();
    let before = files();
    assert!(!before.is_empty());
    for _ in 0..3 {
        reopen();
        assert_eq!(files(), before);
    }
}

#[test]
fn memory_holds_a_campaign_too() {
    let opened = memory();
    let (store, mut state) = (opened.store, opened.state);
    commit(&store, &mut state, &[small(0), small(1)]);
    assert_eq!(store.position(), Position(2));
    assert_eq!(store.query_blocking("RETURN count(SELECT * FROM journal)").unwrap(), 2);
    wait(|done| store.write_snapshot(&state, done)).unwrap();
    store.close().unwrap();
}

#[test]
fn a_large_operation_is_written_in_chunks() {
    let directory = tempfile::tempdir().unwrap();
    let opened = open(directory.path());
    let (store, mut state) = (opened.store, opened.state);
    commit(&store, &mut state, &[small(0)]);
    commit(&store, &mut state, &[large(1, 5 << 20)]);
    // Operations that are together too large for one transaction are still one commit.
    commit(&store, &mut state, &[small(1), large(2, 1 << 20), large(3, 1 << 20), large(4, 1 << 20), small(2)]);
    let chunks = store.query_blocking("RETURN count(SELECT VALUE id FROM journal_chunk)").unwrap();
    assert!(chunks.as_u64().unwrap() >= 6, "{chunks}");
    store.close().unwrap();
    let opened = open(directory.path());
    assert!(opened.state == state);
    assert_eq!((opened.report.position, opened.report.swept_chunks), (Position(7), 0));
}

#[test]
fn commits_keep_their_order_and_are_acknowledged_after_they_are_there() {
    let directory = tempfile::tempdir().unwrap();
    let Opened { store, .. } = open(directory.path());
    let store = Arc::new(store);
    let acknowledged = Arc::new(Mutex::new(Vec::new()));
    let (sender, receiver) = mpsc::channel();
    let mut next = 0;
    for group in [1, 5, 64, 3] {
        let operations = (next..next + group).map(small).collect();
        let (acknowledged, sender, first) = (Arc::clone(&acknowledged), sender.clone(), Position(next as u64 + 1));
        let last = Position((next + group) as u64);
        let store_clone = Arc::clone(&store);
        store.commit(first, operations, move |result| {
            result.unwrap();
            assert!(store_clone.position() >= last);
            acknowledged.lock().unwrap().push(first);
            sender.send(()).unwrap();
        });
        next += group;
    }
    (0..4).for_each(|_| receiver.recv().unwrap());
    assert_eq!(*acknowledged.lock().unwrap(), [Position(1), Position(2), Position(7), Position(71)]);
    let ids = store.query_blocking("SELECT VALUE record::id(id) FROM journal").unwrap();
    let ids: Vec<u64> = ids.as_array().unwrap().iter().map(|id| id.as_u64().unwrap()).collect();
    assert_eq!(ids, (1..=73).collect::<Vec<_>>());
}

#[test]
fn a_gap_is_refused() {
    let Opened { store, .. } = memory();
    store.commit_blocking(Position(1), vec![small(0)]).unwrap();
    for wrong in [0, 1, 3] {
        let error = store.commit_blocking(Position(wrong), vec![small(1)]).unwrap_err();
        let expected = StoreError::OutOfOrder { expected: Position(2), given: Position(wrong) };
        assert_eq!(error.to_string(), expected.to_string());
    }
    assert_eq!(store.position(), Position(1));
    store.commit_blocking(Position(2), vec![small(1)]).unwrap();
}

#[test]
fn a_failed_commit_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let faults = Faults::default();
    let options = StoreOptions { faults: faults.clone(), ..StoreOptions::default() };
    let Opened { store, mut state, .. } = Store::open(directory.path(), options).unwrap();
    faults.fail_after(1);
    commit(&store, &mut state, &[small(0)]);
    let error = store.commit_blocking(Position(2), vec![small(1)]).unwrap_err();
    assert!(matches!(error, StoreError::Injected(Position(2))), "{error}");
    assert_eq!(store.position(), Position(1));
    faults.heal();
    commit(&store, &mut state, &[small(1)]);
    store.close().unwrap();
    assert!(open(directory.path()).state == state);
}

#[test]
fn a_second_opener_is_told_who_has_it() {
    let directory = tempfile::tempdir().unwrap();
    let first = open(directory.path());
    let error = Store::open(directory.path(), StoreOptions::default()).unwrap_err();
    let StoreError::InUse { holder, .. } = &error else { panic!("{error}") };
    assert_eq!(holder.pid, std::process::id());
    assert!(error.to_string().contains("close that program first"), "{error}");
    first.store.close().unwrap();
    // Dropping a store also releases the lock.
    drop(open(directory.path()));
    drop(open(directory.path()));
}

#[test]
fn the_lock_of_a_dead_process_is_taken_over() {
    let directory = tempfile::tempdir().unwrap();
    let dead = Command::new("true").spawn().map(|mut child| {
        child.wait().unwrap();
        child.id()
    });
    let owner = format!(r#"{{"pid":{},"program":"game","host":"here","since":"yesterday"}}"#, dead.unwrap_or(1));
    std::fs::create_dir_all(directory.path()).unwrap();
    std::fs::write(directory.path().join("owner"), owner).unwrap();
    std::fs::write(directory.path().join("owner.lock"), "").unwrap();
    open(directory.path()).store.close().unwrap();
}

#[test]
fn a_directory_that_cannot_be_written_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a-file");
    std::fs::write(&file, "").unwrap();
    let path_below_file = file.join("campaign");
    let error = Store::open(path_below_file.as_path(), StoreOptions::default()).unwrap_err().to_string();
    assert!(error.contains("a-file/campaign") && error.contains("choose a directory"), "{error}");

    let closed = directory.path().join("closed");
    std::fs::create_dir(&closed).unwrap();
    let mut permissions = std::fs::metadata(&closed).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&closed, permissions).unwrap();
    // If the user can write to the directory anyway (root), the test uses a read-only file system.
    let path = if std::fs::write(closed.join("try"), "").is_ok() { "/proc/sys".into() } else { closed };
    let error = Store::open(path.as_path(), StoreOptions::default()).unwrap_err();
    assert!(matches!(error, StoreError::File { .. }), "{error}");
    assert!(error.to_string().contains("owner.lock"), "{error}");

    let error = Store::open("what?", StoreOptions::default()).unwrap_err();
    assert!(matches!(error, StoreError::UnsupportedPath { .. }), "{error}");
}

#[test]
fn a_query_changes_nothing() {
    let Opened { store, .. } = memory();
    assert_eq!(store.query_blocking("CREATE entity:a SET name = 'A'; SELECT VALUE name FROM entity").unwrap()[0], "A");
    assert_eq!(store.query_blocking("RETURN count(SELECT * FROM entity)").unwrap(), 0);
    let error = store.query_blocking("SELECT FROM WHERE").unwrap_err();
    assert!(matches!(error, StoreError::Query(_)), "{error}");
}

/// The operation has 200,000 facts.
#[test]
fn an_operation_larger_than_a_memtable() {
    let directory = tempfile::tempdir().unwrap();
    let operation = world(20_000, 200_000);
    let mut state = State::default();
    let Opened { store, .. } = open(directory.path());
    let started = Instant::now();
    commit(&store, &mut state, &[operation]);
    println!("commit and apply: {:?}", started.elapsed());
    let started = Instant::now();
    store.close().unwrap();
    println!("close: {:?}", started.elapsed());
    let opened = Store::open(Location::from(directory.path()), StoreOptions::default()).unwrap();
    println!("{:?}", opened.report);
    assert!(opened.state == state);
    // Closing does not wait until the outdated graph tables are rewritten.
    assert!(opened.report.catching_up > 200_000);
    let started = Instant::now();
    opened.store.close().unwrap();
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

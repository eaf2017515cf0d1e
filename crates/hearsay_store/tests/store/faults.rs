//! Tests with real storage failures: a full disk and a deleted directory.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use hearsay_model::{Position, State};
use hearsay_store::{
    Opened, Store, StoreError, StoreOptions,
    testing::{Faults, SmallDisk},
};

use crate::worlds::*;

fn open_small(path: &Path) -> Opened {
    Store::open(path, StoreOptions { memtable_bytes: 512 << 10, ..StoreOptions::default() }).unwrap()
}

/// Commits operations until a commit fails. Returns the error.
fn write_until_it_fails(store: &Store, state: &mut State, first: usize) -> StoreError {
    for number in first..first + 5_000 {
        let operation = large(number, 20_000);
        match store.commit_blocking(state.position().next(), vec![operation.clone()]) {
            Ok(()) => apply_all(state, &[operation]),
            Err(error) => return error,
        }
    }
    panic!("the disk is never full");
}

#[test]
fn a_full_disk_is_reported_at_once_and_loses_nothing() {
    let disk = match SmallDisk::new(16 << 20) {
        Ok(disk) => disk,
        Err(error) => return println!("skipped: no disk can be mounted: {error}"),
    };
    let path = disk.path().join("campaign");
    let Opened { store, mut state, .. } = open_small(&path);
    commit(&store, &mut state, &(0..20).map(small).collect::<Vec<_>>());
    store.close().unwrap();
    for (round, left) in [600 << 10, 100 << 10, 0].into_iter().enumerate() {
        let Opened { store, mut state, .. } = open_small(&path);
        disk.fill(left).unwrap();
        let (started, before) = (Instant::now(), state.position());
        let error = write_until_it_fails(&store, &mut state, 1_000 * (round + 1));
        println!("{left} bytes left: {error} after {:.1?}", started.elapsed());
        assert!(error.to_string().contains("the disk is full"), "{error}");
        // Later commits fail immediately.
        let started = Instant::now();
        let error = store.commit_blocking(state.position().next(), vec![small(9_000)]).unwrap_err();
        assert!(error.to_string().contains("the disk is full"), "{error}");
        assert!(store.health().failure.is_some_and(|reason| reason.contains("the disk is full")));
        assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
        let started = Instant::now();
        let closed = store.close();
        println!("closed after {:.1?}: {closed:?}", started.elapsed());
        assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
        // If the storage failed before the first commit, closing has nothing to write and can succeed.
        let has_commits = state.position() > before;
        assert!(matches!(closed, Err(StoreError::DiskFull { .. })) || (closed.is_ok() && !has_commits), "{closed:?}");
        // On the full disk, opening either works or soon fails with an error that names the cause.
        let started = Instant::now();
        match Store::open(disk.path(), StoreOptions::default()) {
            Ok(opened) => drop(opened),
            Err(error) => {
                println!("opening failed after {:.1?}: {error}", started.elapsed());
                assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");
            }
        }
        assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
        disk.free().unwrap();
        let opened = open_small(&path);
        assert!(opened.state.position() >= state.position(), "{} of {}", opened.state.position(), state.position());
        let same = opened.state.journal().zip(state.journal()).all(|((_, a), (_, b))| a.operation == b.operation);
        assert!(same);
        opened.store.settle_blocking().unwrap();
        assert_eq!(opened.store.graph_differences_blocking(&opened.state).unwrap(), []);
        opened.store.close().unwrap();
    }
}

#[test]
fn a_directory_that_is_deleted_takes_no_more_writes() {
    let temporary = tempfile::tempdir().unwrap();
    for made_again in [false, true] {
        let path = temporary.path().join(format!("campaign-{made_again}"));
        let Opened { store, mut state, .. } = open(&path);
        commit(&store, &mut state, &[small(0)]);
        fs::remove_dir_all(&path).unwrap();
        if made_again {
            let other = open(&path);
            assert_eq!(other.state.position(), Position(0));
            other.store.close().unwrap();
        }
        let error = store.commit_blocking(Position(2), vec![small(1)]).unwrap_err();
        assert!(error.to_string().contains("deleted"), "{error}");
        let error = store.commit_blocking(Position(2), vec![small(1)]).unwrap_err();
        assert!(matches!(error, StoreError::Stopped { .. } | StoreError::Uncertain { .. }), "{error}");
        drop(store);
    }
}

fn failure_of(store: &Store) -> String {
    let started = Instant::now();
    loop {
        if let Some(reason) = store.health().failure {
            return reason;
        }
        assert!(started.elapsed() < Duration::from_secs(10), "the failure is not noticed");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn an_idle_store_notices_what_fails_in_the_background() {
    let temporary = tempfile::tempdir().unwrap();
    let faults = Faults::default();
    let options = StoreOptions { faults: faults.clone(), ..StoreOptions::default() };
    let Opened { store, mut state, .. } = Store::open(temporary.path().join("campaign"), options).unwrap();
    commit(&store, &mut state, &[small(0)]);
    std::thread::sleep(Duration::from_millis(1_500));
    assert_eq!(store.health().failure, None);
    let (sender, reported) = std::sync::mpsc::channel();
    let later_sender = sender.clone();
    store.on_failure(move |reason| sender.send(reason).unwrap());
    faults.fail_background("compaction failed: Input/output error");
    assert!(failure_of(&store).contains("compaction failed"), "{:?}", store.health());
    store.on_failure(move |reason| later_sender.send(reason).unwrap());
    for when in ["before the failure", "after the failure"] {
        let reason = reported.recv_timeout(Duration::from_secs(10)).unwrap();
        assert!(reason.contains("compaction failed"), "registered {when}: {reason}");
    }
    faults.heal();
    let error = store.commit_blocking(Position(2), vec![small(1)]).unwrap_err();
    assert!(matches!(error, StoreError::Stopped { .. }) && error.to_string().contains("compaction failed"), "{error}");
    store.close().unwrap();
    assert!(open(&temporary.path().join("campaign")).state == state);
    // A deleted directory is noticed too.
    let path = temporary.path().join("other");
    let Opened { store, .. } = open(&path);
    fs::remove_dir_all(&path).unwrap();
    assert!(failure_of(&store).contains("deleted"));
}

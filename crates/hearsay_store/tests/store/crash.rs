//! Tests with killed programs: every acknowledged operation is stored, and no operation is stored partially.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};

use hearsay_model::{Key, Operation, Position, State};
use hearsay_store::{
    Opened, Store, StoreError, StoreOptions, projection,
    testing::{crash, damage},
};

use crate::worlds::*;

const CHILD: &str = "HEARSAY_STORE_CRASH_DIRECTORY";

/// Returns the operations of the child's commit number `n`: one or several small operations, or a large operation that
/// is stored in chunks.
fn group(n: usize) -> Vec<Arc<Operation>> {
    match n % 7 {
        3 => vec![large(n, 5 << 20)],
        5 => (0..20).map(|k| large(n * 100 + k, 200)).collect(),
        6 => vec![large(n * 100, 300_000), large(n * 100 + 1, 3 << 20), large(n * 100 + 2, 50)],
        _ => vec![large(n, 500)],
    }
}

/// Not a test: the child program that a test kills.
#[test]
fn child() {
    let Ok(directory) = std::env::var(CHILD) else { return };
    let Opened { store, mut state, .. } = open(Path::new(&directory));
    println!("open {}", state.position());
    let first = groups_in(&state);
    for n in first.. {
        let group = group(n);
        store.commit_blocking(state.position().next(), group.clone()).unwrap();
        println!("saved {}", state.position().0 + group.len() as u64);
        for operation in group {
            let applied = state.apply(operation).unwrap();
            store.project(projection::rows(&state, &applied.touched), applied.position, |_| {});
        }
        if n % 11 == 4 {
            store.write_snapshot(&state, |_| {});
        }
    }
}

/// Returns the number of groups in a state. Panics if a group is incomplete, or if the state contains other operations.
fn groups_in(state: &State) -> usize {
    let mut journal = state.journal().map(|(_, entry)| Arc::clone(&entry.operation)).peekable();
    let mut n = 0;
    while journal.peek().is_some() {
        for expected in group(n) {
            assert!(journal.next() == Some(expected), "group {n} is incomplete or was changed");
        }
        n += 1;
    }
    n
}

#[test]
fn nothing_acknowledged_is_lost_when_the_program_is_killed() {
    let directory = tempfile::tempdir().unwrap();
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    let (mut swept, mut before) = (0, Position(0));
    for round in 0..20 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crash::child", "--nocapture", "--test-threads=1"])
            .env(CHILD, directory.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let reader = std::thread::spawn(move || {
            let mut saved = 0;
            for line in lines.map_while(Result::ok) {
                saved = line.strip_prefix("saved ").and_then(|n| n.parse().ok()).unwrap_or(saved);
            }
            saved
        });
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        // Some programs are killed while they open the campaign, most while they commit.
        std::thread::sleep(Duration::from_millis(30 + seed % 700));
        child.kill().unwrap();
        child.wait().unwrap();
        let saved = Position(reader.join().unwrap()).max(before);
        let Opened { store, state, report } = open(directory.path());
        assert!(state.position() >= saved, "round {round}: {} of {saved}", state.position());
        groups_in(&state);
        swept += report.swept_chunks;
        before = state.position();
        store.close().unwrap();
    }
    println!("{before} operations, {swept} chunks swept");
    assert!(before > Position(50), "the child did nothing: {before}");
    // At the end, the graph tables are complete.
    let Opened { store, state, .. } = open(directory.path());
    store.settle_blocking().unwrap();
    assert_eq!(store.projected(), state.position());
    let passages = store.query_blocking("RETURN count(SELECT VALUE id FROM passage)").unwrap();
    assert_eq!(passages, state.passages().count());
}

/// Not a test: the child program that the next test kills.
#[test]
fn mixed_child() {
    crash::child();
}

/// The environment variables `HEARSAY_CRASH_RUNS` and `HEARSAY_CRASH_SEED` set the number of runs and the seed.
#[test]
fn a_mixed_workload_that_is_killed_leaves_everything_acknowledged() {
    let setting = |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok());
    let mut options = crash::CrashOptions::default();
    options.runs = setting("HEARSAY_CRASH_RUNS").unwrap_or(options.runs);
    options.seed = setting("HEARSAY_CRASH_SEED").unwrap_or(options.seed);
    let start = || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "crash::mixed_child", "--nocapture", "--test-threads=1"]);
        command
    };
    let findings = crash::run(&options, &start, |findings| println!("{findings:?}")).unwrap();
    assert!(findings.is_clean(), "{findings:?}");
    assert!(findings.rotations_forced * 2 >= findings.runs, "{findings:?}");
    assert!(findings.damaged_logs > 0 && findings.damaged_logs < findings.damaged_files, "{findings:?}");
}

#[test]
fn chunks_without_an_entry_are_swept() {
    let directory = tempfile::tempdir().unwrap();
    // Starts a program and kills it after the first chunks are on the disk.
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::child_in_chunks", "--nocapture", "--test-threads=1"])
        .env(CHILD, directory.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("writing")));
    let log = |path: &Path| {
        let files = std::fs::read_dir(path.join("db/wal")).into_iter().flatten().flatten();
        files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum::<u64>()
    };
    while log(directory.path()) < 6 << 20 {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let Opened { store, state, report } = open(directory.path());
    assert_eq!(state.position(), Position(1));
    assert!(report.swept_chunks > 0, "{report:?}");
    let left = store.query_blocking("RETURN count(SELECT VALUE id FROM journal_chunk)").unwrap();
    assert_eq!(left, 0);
    store.commit_blocking(Position(2), vec![large(9, 5 << 20)]).unwrap();
    store.close().unwrap();
    assert_eq!(open(directory.path()).report.swept_chunks, 0);
}

/// Not a test: a child program that writes an operation with very many chunks.
#[test]
fn child_in_chunks() {
    let Ok(directory) = std::env::var(CHILD) else { return };
    let Opened { store, .. } = open(Path::new(&directory));
    store.commit_blocking(Position(1), vec![small(0)]).unwrap();
    println!("writing");
    store.commit_blocking(Position(2), vec![large(1, 400 << 20)]).unwrap();
}

/// On a failing disk, no acknowledged operation is lost, and no operation is acknowledged after the failure.
#[test]
fn storage_that_fails_stops_the_writes_and_loses_nothing_acknowledged() {
    use hearsay_store::testing::{Faults, StorageFault};
    for fault in [StorageFault::Refused, StorageFault::Short { missing_bytes: 40 }, StorageFault::NotSynced] {
        let directory = tempfile::tempdir().unwrap();
        let faults = Faults::default();
        let options = StoreOptions { faults: faults.clone(), ..StoreOptions::default() };
        let Opened { store, mut state, .. } = Store::open(directory.path(), options).unwrap();
        commit(&store, &mut state, &[small(0), small(1)]);
        store.settle_blocking().unwrap();
        faults.fail_storage_after(0, fault);
        let error = store.commit_blocking(Position(3), vec![small(2)]).unwrap_err();
        assert!(matches!(error, StoreError::Uncertain { .. }), "{fault:?}: {error}");
        let reason = store.health().failure.unwrap();
        let expected = if fault == StorageFault::Refused { "the disk is full" } else { "a test injected this" };
        assert!(reason.contains(expected), "{fault:?}: {reason}");
        // The storage would accept this operation. The store rejects it, because the contents of the storage are
        // uncertain.
        let error = store.commit_blocking(Position(3), vec![small(2)]).unwrap_err();
        assert!(matches!(error, StoreError::Uncertain { .. }), "{fault:?}: {error}");
        drop(store);
        let opened = open(directory.path());
        assert!(opened.state.position() >= Position(2), "{fault:?}");
        let mut expected = state.clone();
        if opened.state.position() == Position(3) {
            apply_all(&mut expected, &[small(2)]);
        }
        assert!(opened.state == expected, "{fault:?}");
        opened.store.settle_blocking().unwrap();
        assert_eq!(opened.store.graph_differences_blocking(&opened.state).unwrap(), [], "{fault:?}");
    }
}

/// If the first opening after a kill is closed at once, the next opening repeats the comparison of the graph tables.
#[test]
fn an_interrupted_comparison_of_the_graph_is_repeated() {
    let directory = tempfile::tempdir().unwrap();
    // In a large memtable, all rows stay in the log, so that no engine task changes files while they are copied.
    let options = || StoreOptions { memtable_bytes: 64 << 20, ..StoreOptions::default() };
    let Opened { store, mut state, .. } = Store::open(directory.path(), options()).unwrap();
    // Comparing this many records takes much longer than closing the store.
    commit(&store, &mut state, &[world(1_000, 4_000)]);
    store.rebuild_projections_blocking(&state, |_, _| {}).unwrap();
    store.close().unwrap();
    let Opened { store, .. } = Store::open(directory.path(), options()).unwrap();
    store.settle_blocking().unwrap();
    let lost: Vec<_> = (3..6).map(|n| Key::Entity(id(&format!("someone-{n}")))).collect();
    store.project(projection::rows(&State::default(), &lost), state.position(), |_| {});
    store.settle_blocking().unwrap();
    let killed = tempfile::tempdir().unwrap();
    damage::copy(directory.path(), killed.path()).unwrap();
    store.close().unwrap();
    for is_first in [true, false] {
        let Opened { store, report, .. } = open(killed.path());
        assert!(report.verifying, "the comparison is not repeated");
        assert_eq!(store.health().replayed_log, is_first);
        store.close().unwrap();
    }
    let Opened { store, .. } = open(killed.path());
    store.settle_blocking().unwrap();
    assert!(store.health().repaired_records >= 3, "{:?}", store.health());
    assert_eq!(store.graph_differences_blocking(&state).unwrap(), []);
    store.close().unwrap();
    assert!(!open(killed.path()).report.verifying, "compared again");
}

#[test]
fn records_of_the_graph_that_were_lost_come_back_after_a_kill() {
    let directory = tempfile::tempdir().unwrap();
    let Opened { store, mut state, .. } = open(directory.path());
    let operations: Vec<_> = (0..10).map(small).collect();
    commit(&store, &mut state, &operations);
    store.rebuild_projections_blocking(&state, |_, _| {}).unwrap();
    // Deletes three records while the watermark says that the tables are complete, as if the engine had lost a batch.
    let empty = State::default();
    let lost: Vec<_> = (3..6).map(|n| Key::Entity(id(&format!("e{n}")))).collect();
    store.project(projection::rows(&empty, &lost), state.position(), |_| {});
    store.settle_blocking().unwrap();
    assert!(store.graph_differences_blocking(&state).unwrap().len() >= 3);
    let killed = tempfile::tempdir().unwrap();
    damage::copy(directory.path(), killed.path()).unwrap();
    store.close().unwrap();
    let Opened { store, report, .. } = open(killed.path());
    assert!(report.verifying && store.health().replayed_log);
    store.settle_blocking().unwrap();
    assert!(store.health().repaired_records >= 3, "{:?}", store.health());
    assert_eq!(store.graph_differences_blocking(&state).unwrap(), []);
    store.close().unwrap();
    let opened = open(killed.path());
    assert!(!opened.report.verifying && !opened.store.health().replayed_log, "compared again");
}

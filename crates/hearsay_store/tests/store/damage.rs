//! Tests with damaged files: opening a campaign either reports the damage or finds all data. It never panics.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use hearsay_model::{Position, State};
use hearsay_store::{Opened, Store, StoreError, StoreOptions};

use crate::worlds::*;

/// Creates a campaign with small and large operations, graph tables and a snapshot. The first half of the data is in
/// tables, because the campaign was closed once. The second half is in the log.
pub(crate) fn campaign(path: &Path) -> State {
    let Opened { store, mut state, .. } = open(path);
    let operations: Vec<_> = (0..40).map(small).collect();
    commit(&store, &mut state, &operations);
    commit(&store, &mut state, &[large(1, 3 << 20)]);
    store.rebuild_projections_blocking(&state, |_, _| {}).unwrap();
    store.close().unwrap();
    let Opened { store, mut state, .. } = open(path);
    let operations: Vec<_> = (40..80).map(small).collect();
    operations.chunks(5).for_each(|group| commit(&store, &mut state, group));
    commit(&store, &mut state, &[large(2, 3 << 20)]);
    // Copies the open campaign, as if the program had crashed. Most data is in the log.
    copy(path, &path.with_extension("crashed"));
    store.close().unwrap();
    state
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() { copy(&entry.path(), &to) } else { drop(fs::copy(entry.path(), to)) }
    }
}

fn files(path: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(self::files(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

fn edit_file(path: &Path, change: impl Fn(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::write(path, bytes).unwrap();
}

#[test]
fn damage_is_found_or_does_no_harm() {
    let directory = tempfile::tempdir().unwrap();
    let closed = directory.path().join("campaign");
    let state = campaign(&closed);
    let crashed = closed.with_extension("crashed");
    type Damage = (&'static str, fn(&mut Vec<u8>));
    let damages: [Damage; 7] = [
        ("cut to half", |bytes| bytes.truncate(bytes.len() / 2)),
        ("cut by ten", |bytes| bytes.truncate(bytes.len().saturating_sub(10))),
        ("emptied", Vec::clear),
        ("garbage at the start", |bytes| garbage(bytes, 0)),
        ("garbage at a third", |bytes| {
            let at = bytes.len() / 3;
            garbage(bytes, at);
        }),
        ("garbage near the end", |bytes| {
            let at = bytes.len().saturating_sub(200);
            garbage(bytes, at);
        }),
        ("garbage after the end", |bytes| bytes.extend([0xA5; 100])),
    ];
    let (mut errors, mut unaffected) = (0, 0);
    for origin in [&closed, &crashed] {
        for file in files(&origin.join("db")) {
            let name = file.strip_prefix(origin).unwrap();
            if name.ends_with("LOCK") {
                continue;
            }
            for (what, damage) in damages.iter().chain([&("removed", (|_| {}) as fn(&mut Vec<u8>))]) {
                let copied = tempfile::tempdir().unwrap();
                copy(origin, copied.path());
                edit_file(&copied.path().join(name), damage);
                if *what == "removed" {
                    fs::remove_file(copied.path().join(name)).unwrap();
                }
                let case = format!("{} {what}", name.display());
                let started = Instant::now();
                let options = StoreOptions { open_timeout: Duration::from_secs(40), ..StoreOptions::default() };
                match Store::open(copied.path(), options) {
                    Ok(opened) => {
                        assert!(opened.state == state, "{case}: data is missing");
                        assert_eq!(opened.state.position(), state.position(), "{case}");
                        println!("{case}: {:.1?}: no effect", started.elapsed());
                        unaffected += 1;
                    }
                    Err(error @ StoreError::Damaged { .. }) => {
                        println!("{case}: {:.1?}: {error}", started.elapsed());
                        errors += 1;
                    }
                    Err(error) if started.elapsed() > Duration::from_secs(30) => panic!("{case}: {error}"),
                    Err(error) => panic!("{case}: {error}"),
                }
            }
        }
    }
    println!("{errors} reported, {unaffected} without effect");
    assert!(errors > 10 && unaffected > 0);
}

fn garbage(bytes: &mut [u8], at: usize) {
    let end = (at + 64).min(bytes.len());
    bytes[at..end].iter_mut().enumerate().for_each(|(n, byte)| *byte ^= 0x5A + n as u8);
}

#[test]
fn a_database_that_vanished_is_missed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("campaign");
    campaign(&path);
    fs::remove_dir_all(path.join("db")).unwrap();
    let error = Store::open(path.as_path(), StoreOptions::default()).unwrap_err();
    assert!(error.to_string().contains("ends at operation 0, but operation 82 was saved"), "{error}");
    // The user can accept the loss by deleting the file `acknowledged`, as the error message says.
    fs::remove_file(path.join("acknowledged")).unwrap();
    let opened = open(&path);
    assert_eq!(opened.report.position, Position(0));
}

/// Runs statements on the database of a closed campaign, as with SurrealDB's own tools.
fn tamper(path: &Path, statements: &'static str) {
    let url = format!("surrealkv://{}", path.join("db").display());
    let runtime = tokio::runtime::Builder::new_multi_thread().thread_stack_size(10 << 20).enable_all().build().unwrap();
    runtime.block_on(async {
        let db = surrealdb::engine::any::connect(url).await.unwrap();
        db.use_ns("hearsay").use_db("campaign").await.unwrap();
        db.query(statements).await.unwrap().check().unwrap();
        drop(db);
    });
    // Dropping the database does not wait for its shutdown.
    std::thread::sleep(std::time::Duration::from_millis(500));
    runtime.shutdown_timeout(std::time::Duration::from_secs(5));
}

#[test]
fn a_tampered_journal_is_found() {
    let directory = tempfile::tempdir().unwrap();
    let origin = directory.path().join("campaign");
    campaign(&origin);
    let cases: [(&str, &[&str]); 8] = [
        ("DELETE journal:30", &["operation 30 is missing"]),
        ("DELETE journal:82", &["ends at operation 81", "operation 82 was saved"]),
        ("UPDATE journal:30 SET operation = '{'", &["operation 30", "digest"]),
        ("UPDATE journal:30 SET operation = string::replace(operation, 'add', 'sub')", &["operation 30", "digest"]),
        ("DELETE journal_chunk:[41, 1]", &["chunk 1 of operation 41 is missing"]),
        ("UPDATE journal_chunk:[41, 1] SET text = 'x'", &["the text of operation 41 is incomplete"]),
        ("UPDATE schema:current SET version = 99", &["schema version 99", "up to 4"]),
        ("UPDATE schema:current SET version = 3", &["schema version 3", "version 4 and later", "hearsay export"]),
    ];
    for (statements, expected) in cases {
        let copied = tempfile::tempdir().unwrap();
        copy(&origin, copied.path());
        tamper(copied.path(), statements);
        let error = Store::open(copied.path(), StoreOptions::default()).unwrap_err();
        for part in expected {
            assert!(error.to_string().contains(part), "{statements}: {error}");
        }
        if statements.contains("version = 99") {
            assert!(matches!(error, StoreError::SchemaTooNew { found: 99, supported: 4, .. }), "{error}");
            let checked = hearsay_store::check_directory(copied.path()).unwrap_err();
            assert!(matches!(checked, StoreError::SchemaTooNew { .. }), "{checked}");
            let repaired = hearsay_store::repair_directory(copied.path(), true).unwrap_err();
            assert!(matches!(repaired, StoreError::SchemaTooNew { .. }), "{repaired}");
        }
    }
}

#[test]
fn a_snapshot_is_used_or_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let Opened { store, mut state, .. } = open(directory.path());
    let operations: Vec<_> = (0..20).map(small).collect();
    commit(&store, &mut state, &operations);
    let old = state.clone();
    let older_database = directory.path().join("older");
    store.settle_blocking().unwrap();
    copy(&directory.path().join("db"), &older_database);
    commit(&store, &mut state, &[small(20), large(1, 3 << 20)]);
    wait(|done| store.write_snapshot(&state, done)).unwrap();
    commit(&store, &mut state, &[small(21)]);
    store.close().unwrap();

    let opened = open(directory.path());
    assert_eq!((opened.report.snapshot, opened.report.replayed_operations), (Some(Position(22)), 1));
    assert!(opened.state == state);
    opened.store.close().unwrap();

    // If the snapshot is damaged, the journal is used.
    let file = directory.path().join("snapshot");
    let good = fs::read(&file).unwrap();
    for at in [0, 18, 25, 40, 50, 80, 100, good.len() / 2, good.len() - 1] {
        edit_file(&file, |bytes| bytes[at] ^= 1);
        let opened = open(directory.path());
        assert!(opened.report.snapshot.is_none() && opened.report.snapshot_ignored.is_some(), "byte {at}");
        assert!(opened.state == state);
        opened.store.close().unwrap();
        fs::write(&file, &good).unwrap();
    }

    // An older copy of `db` is restored, so the snapshot is newer than the journal. After the file `acknowledged` is
    // deleted, the campaign opens from the journal.
    fs::remove_dir_all(directory.path().join("db")).unwrap();
    copy(&older_database, &directory.path().join("db"));
    assert!(matches!(Store::open(directory.path(), StoreOptions::default()), Err(StoreError::Damaged { .. })));
    fs::remove_file(directory.path().join("acknowledged")).unwrap();
    let opened = open(directory.path());
    let ignored = opened.report.snapshot_ignored.clone().unwrap();
    assert!(ignored.contains("ahead of the journal"), "{ignored}");
    assert!(opened.state == old);

    // The journal has a different operation at the position of the snapshot, so the snapshot is not used.
    let mut state = opened.state;
    let other: Vec<_> = (100..103).map(|n| Arc::clone(&large(n, 100))).collect();
    commit(&opened.store, &mut state, &other);
    opened.store.close().unwrap();
    let opened = open(directory.path());
    assert!(opened.report.snapshot_ignored.unwrap().contains("a different operation"));
    assert!(opened.state == state);
}

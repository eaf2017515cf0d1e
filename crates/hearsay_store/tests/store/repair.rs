//! Tests that check damaged directories and repair them.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use hearsay_model::{Change, Key, Position, State};
use hearsay_store::{
    CheckReport, Opened, RepairReport, Store, StoreError, StoreOptions, check_directory, projection, repair_directory,
    testing::damage::{self, Damage},
};

use crate::{damage::campaign, worlds::*};

fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

/// Returns the files of a database that have the given extension, largest first.
fn files(directory: &Path, expected: &str) -> Vec<PathBuf> {
    let mut files = damage::files(&directory.join("db")).unwrap();
    files.retain(|file| extension(file) == expected);
    files.sort_by_key(|file| std::cmp::Reverse(fs::metadata(file).unwrap().len()));
    files
}

/// Compares a repaired campaign with the original campaign. Every operation that is not reported as lost must be at its
/// original position. Each lost operation must be replaced by an operation that changes nothing.
fn expect_repaired(directory: &Path, before: &State, report: &RepairReport, case: &str) -> State {
    let Opened { store, state, report: opened } = open(directory);
    let CheckReport { lost, inapplicable, newest, .. } = &report.found;
    assert_eq!((*newest, state.position()), (before.position(), before.position()), "{case}");
    let lost_by_position: BTreeMap<Position, String> =
        lost.iter().chain(inapplicable).map(|lost| (lost.position, format!("{lost:?}"))).collect();
    assert_eq!(lost_by_position.len(), lost.len() + inapplicable.len(), "{case}: an operation is reported twice");
    assert_eq!(report.saved, newest.0 - lost_by_position.len() as u64, "{case}");
    for ((position, found), (_, expected)) in state.journal().zip(before.journal()) {
        if lost_by_position.contains_key(&position) {
            assert!(matches!(found.operation.changes[..], [Change::Restore(_)]), "{case}: {position}");
        } else {
            assert_eq!(found.operation, expected.operation, "{case}: {position}");
        }
    }
    assert!(!opened.verifying || opened.snapshot.is_some(), "{case}: {opened:?}");
    store.settle_blocking().unwrap();
    assert_eq!(store.graph_differences_blocking(&state).unwrap(), [], "{case}");
    store.close().unwrap();
    let final_report = check_directory(directory).unwrap();
    assert!(final_report.is_intact(), "{case}: {final_report:?}");
    state
}

/// Checks that the damaged files were moved next to the campaign and are unchanged.
fn expect_damaged_files_saved(directory: &Path, copy: &Path, report: &RepairReport, case: &str) {
    let saved_files = report.damaged_files.as_ref().unwrap_or_else(|| panic!("{case}: nothing was repaired"));
    assert!(saved_files.file_name().unwrap().to_string_lossy().starts_with("campaign.damaged-"), "{case}");
    assert_eq!(saved_files.parent(), directory.canonicalize().unwrap().parent());
    for file in damage::files(&copy.join("db")).unwrap() {
        let name = file.strip_prefix(copy).unwrap();
        assert!(fs::read(&file).unwrap() == fs::read(saved_files.join(name)).unwrap(), "{case}: {}", name.display());
    }
    assert!(!directory.join("repairing").exists(), "{case}");
}

/// Damages a file in a copy of a directory, repairs the copy, and compares it with the original. Returns the number of
/// lost operations and the state after the repair.
fn damage_and_repair(origin: &Path, file: &Path, damage: Damage, before: &State) -> (usize, State) {
    let name = file.strip_prefix(origin).unwrap();
    let case = format!("{} {damage:?}", file.display());
    let temporary = tempfile::tempdir().unwrap();
    let (copy, directory) = (temporary.path().join("copy"), temporary.path().join("campaign"));
    damage::copy(origin, &copy).unwrap();
    damage.apply(&copy.join(name)).unwrap();
    damage::copy(&copy, &directory).unwrap();
    // Opening either reports the damage or finds all data.
    let options = StoreOptions { open_timeout: Duration::from_secs(40), ..StoreOptions::default() };
    match Store::open(directory.as_path(), options) {
        Ok(opened) => {
            assert!(opened.state == *before, "{case}: data is missing");
            opened.store.close().unwrap();
        }
        Err(error) => {
            let text = error.to_string();
            assert!(matches!(error, StoreError::Damaged { .. }), "{case}: {text}");
            assert!(text.contains("hearsay db repair"), "{case}: {text}");
            let named = text.contains(&*file.file_name().unwrap().to_string_lossy());
            assert!(named || text.contains("but operation 82 was saved"), "{case}: {text}");
        }
    }
    fs::remove_dir_all(&directory).unwrap();
    damage::copy(&copy, &directory).unwrap();
    let found = check_directory(&directory).unwrap();
    assert!(!found.has_intact_database(), "{case}: {found:?}");
    let report = repair_directory(&directory, false).unwrap();
    println!("{case}: lost {}, unfit {}", report.found.lost.len(), report.found.inapplicable.len());
    expect_damaged_files_saved(&directory, &copy, &report, &case);
    let state = expect_repaired(&directory, before, &report, &case);
    (report.found.lost.len() + report.found.inapplicable.len(), state)
}

/// Creates a closed campaign, and a copy that looks as if the program had been killed. Returns both directories and the
/// state.
fn campaigns(temporary: &Path) -> (PathBuf, PathBuf, State) {
    let closed = temporary.join("campaign");
    let before = campaign(&closed);
    (closed.clone(), closed.with_extension("crashed"), before)
}

fn largest(origin: &Path, extension: &str) -> (PathBuf, u64) {
    let file = files(origin, extension).swap_remove(0);
    let size = fs::metadata(&file).unwrap().len();
    (file, size)
}

#[test]
fn what_a_damaged_table_still_holds_is_saved() {
    let temporary = tempfile::tempdir().unwrap();
    let (closed, crashed, before) = campaigns(temporary.path());
    let (table, size) = largest(&closed, "sst");
    let lost = |damage| damage_and_repair(&closed, &table, damage, &before).0;
    assert!(lost(Damage::Flip { at: size / 2, mask: 4 }) > 0, "a bit in a block");
    assert_eq!(lost(Damage::Flip { at: size - 40, mask: 1 }), 0, "a bit in its end");
    assert!(lost(Damage::Truncate(size / 2)) > 0);
    assert!(lost(Damage::Remove) > 40);
    let (table, size) = largest(&crashed, "sst");
    assert!(damage_and_repair(&crashed, &table, Damage::Flip { at: size / 2, mask: 4 }, &before).0 > 0);
    // A snapshot contains a second copy of the operations.
    let Opened { store, state, .. } = open(&closed);
    wait(|done| store.write_snapshot(&state, done)).unwrap();
    store.close().unwrap();
    let (table, _) = largest(&closed, "sst");
    let (lost, saved) = damage_and_repair(&closed, &table, Damage::Remove, &before);
    assert_eq!(lost, 0);
    assert!(saved == before);
}

#[test]
fn nothing_is_lost_with_the_manifest() {
    let temporary = tempfile::tempdir().unwrap();
    let (closed, crashed, before) = campaigns(temporary.path());
    for (origin, damage) in [
        (&closed, Damage::Flip { at: 1, mask: 8 }),
        (&closed, Damage::Truncate(9)),
        (&closed, Damage::Remove),
        (&crashed, Damage::Remove),
    ] {
        let (manifest, _) = largest(origin, "manifest");
        let (lost, saved) = damage_and_repair(origin, &manifest, damage, &before);
        assert_eq!(lost, 0);
        assert!(saved == before);
    }
}

#[test]
fn a_wrong_sequence_number_in_the_manifest_names_the_manifest() {
    let temporary = tempfile::tempdir().unwrap();
    let (closed, _, before) = campaigns(temporary.path());
    let (manifest, _) = largest(&closed, "manifest");
    // The bytes 18 to 25 contain the highest sequence number of the tables.
    Damage::Flip { at: 25, mask: 1 }.apply(&manifest).unwrap();
    let error = Store::open(closed.as_path(), StoreOptions::default()).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, StoreError::Damaged { .. }), "{text}");
    for part in ["db/manifest/00000000000000000000.manifest", "sequence number", "hearsay db repair"] {
        assert!(text.contains(part), "{text}");
    }
    let report = repair_directory(&closed, false).unwrap();
    assert_eq!(report.found.lost_count(), 0);
    assert!(expect_repaired(&closed, &before, &report, "sequence number") == before);
}

#[test]
fn what_follows_damage_within_the_log_is_saved() {
    let temporary = tempfile::tempdir().unwrap();
    let (_, crashed, before) = campaigns(temporary.path());
    let (segment, size) = largest(&crashed, "wal");
    // Damages the log near its beginning. The engine would cut off the log there.
    let (lost, state) = damage_and_repair(&crashed, &segment, Damage::Flip { at: size / 400, mask: 32 }, &before);
    assert!((1..40).contains(&lost), "{lost}");
    assert!(state.passages().count() == 2, "the last entries of the log are readable");
    assert!(damage_and_repair(&crashed, &segment, Damage::Remove, &before).0 >= 40);
}

/// An operation that depends on a lost operation is either reported or keeps its effect.
#[test]
fn operations_that_need_a_lost_one_are_reported() {
    let temporary = tempfile::tempdir().unwrap();
    let directory = temporary.path().join("campaign");
    let Opened { store, mut state, .. } = open(&directory);
    let added = vec![Change::AddEntity(hearsay_model::Entity::new(id("e1")))];
    // The operation is stored in chunks, so that it can be lost without other operations.
    let mut passage = hearsay_model::Passage::new("x".repeat(3 << 20));
    passage.mentions.push(id("e1"));
    let large_operation = |mut changes: Vec<Change>| {
        changes.push(Change::AddPassage(passage.clone().into()));
        operation("with a long text", changes)
    };
    commit(&store, &mut state, &[small(0)]);
    commit(&store, &mut state, &[large_operation(added)]);
    commit(&store, &mut state, &[small(2)]);
    commit(&store, &mut state, &[operation("undo", vec![Change::Revert(Position(2))])]);
    commit(&store, &mut state, &[operation("undo the undo", vec![Change::Revert(Position(4))])]);
    store.close().unwrap();
    // Flips a bit in the middle of the text.
    let (table, size) = largest(&directory, "sst");
    Damage::Flip { at: size * 2 / 3, mask: 2 }.apply(&table).unwrap();
    let report = repair_directory(&directory, false).unwrap();
    let positions = |lost: &[hearsay_store::LostOperation]| lost.iter().map(|lost| lost.position.0).collect::<Vec<_>>();
    assert_eq!(positions(&report.found.lost), [2]);
    assert_eq!(report.found.lost[0].summary.as_deref(), Some("with a long text"));
    // Operation 3 depends on an entity of the lost operation, so it cannot be applied. Undoing the lost operation
    // changes nothing.
    assert_eq!(positions(&report.found.inapplicable), [3]);
    assert_eq!(report.saved, 3);
    expect_repaired(&directory, &state, &report, "a chunk");
}

#[test]
fn transient_values_come_through_a_repair() {
    let temporary = tempfile::tempdir().unwrap();
    let directory = temporary.path().join("campaign");
    let Opened { store, mut state, .. } = open(&directory);
    commit(&store, &mut state, &[small(0), small(1)]);
    let update = hearsay_model::TransientUpdate { clock: Some(hearsay_model::GameTime(77)), ..Default::default() };
    let updates = vec![(state.position(), update.clone())];
    wait(|done| store.commit_with_transients(state.position().next(), Vec::new(), updates, done)).unwrap();
    state.set_transients(&update);
    store.close().unwrap();
    assert!(check_directory(&directory).unwrap().is_intact());
    fs::remove_file(&files(&directory, "manifest")[0]).unwrap();
    let report = repair_directory(&directory, false).unwrap();
    assert!(report.found.has_stale_transients);
    assert!(expect_repaired(&directory, &state, &report, "transient") == state);
    // After the repair, no damage is left.
    assert_eq!(repair_directory(&directory, false).unwrap().damaged_files, None);
    let again = repair_directory(&directory, true).unwrap();
    assert!(again.damaged_files.is_some_and(|path| path.ends_with("campaign.damaged-2")));
    assert!(open(&directory).state == state);
}

#[test]
fn derived_files_are_checked_and_another_process_is_respected() {
    let temporary = tempfile::tempdir().unwrap();
    let directory = temporary.path().join("campaign");
    let Opened { store, mut state, .. } = open(&directory);
    assert!(matches!(check_directory(&directory), Err(StoreError::InUse { .. })));
    assert!(matches!(repair_directory(&directory, true), Err(StoreError::InUse { .. })));
    commit(&store, &mut state, &[small(0)]);
    wait(|done| store.write_snapshot(&state, done)).unwrap();
    store.close().unwrap();
    hearsay_store::FrameFile::create(directory.join("terms"), "k", [[1; 40]]).unwrap();
    assert!(check_directory(&directory).unwrap().is_intact());
    for name in ["snapshot", "terms"] {
        let file = directory.join(name);
        let at = fs::metadata(&file).unwrap().len() - 3;
        Damage::Flip { at, mask: 1 }.apply(&file).unwrap();
        let report = check_directory(&directory).unwrap();
        assert!(!report.is_intact() && report.has_intact_database(), "{report:?}");
        assert_eq!(report.derived_damage.iter().map(|damage| &damage.file).collect::<Vec<_>>(), [&file]);
        Damage::Flip { at, mask: 1 }.apply(&file).unwrap();
    }
    assert!(matches!(check_directory(&temporary.path().join("nothing")), Err(StoreError::File { .. })));
}

/// Records that differ after a kill are repaired by every opening. Other records that differ are damage.
#[test]
fn only_differences_that_no_opening_repairs_are_damage() {
    let temporary = tempfile::tempdir().unwrap();
    let directory = temporary.path().join("campaign");
    let Opened { store, mut state, .. } = open(&directory);
    commit(&store, &mut state, &(0..10).map(small).collect::<Vec<_>>());
    store.rebuild_projections_blocking(&state, |_, _| {}).unwrap();
    store.close().unwrap();
    // The second opening compares the tables, so the later openings of a closed campaign do not.
    let Opened { store, .. } = open(&directory);
    store.settle_blocking().unwrap();
    let deleted: Vec<_> = (3..6).map(|n| Key::Entity(id(&format!("e{n}")))).collect();
    store.project(projection::rows(&State::default(), &deleted), state.position(), |_| {});
    store.settle_blocking().unwrap();
    let killed = temporary.path().join("killed");
    damage::copy(&directory, &killed).unwrap();
    store.close().unwrap();

    let report = check_directory(&killed).unwrap();
    assert!(report.is_intact() && report.repaired_records >= 3, "{report:?}");
    assert_eq!(repair_directory(&killed, false).unwrap().damaged_files, None);
    assert_eq!(check_directory(&killed).unwrap().repaired_records, 0);

    let report = check_directory(&directory).unwrap();
    assert!(!report.is_intact() && report.graph_differences >= 3 && report.repaired_records == 0, "{report:?}");
    let report = repair_directory(&directory, false).unwrap();
    expect_repaired(&directory, &state, &report, "tables");
}

const CHILD: &str = "HEARSAY_REPAIR_DIRECTORY";

/// Not a test: the child program that the next test kills.
#[test]
fn child() {
    let Ok(directory) = std::env::var(CHILD) else { return };
    repair_directory(Path::new(&directory), true).unwrap();
}

#[test]
fn a_repair_that_is_killed_leaves_the_campaign_before_or_after_it() {
    let temporary = tempfile::tempdir().unwrap();
    let directory = temporary.path().join("campaign");
    let Opened { store, mut state, .. } = open(&directory);
    commit(&store, &mut state, &(0..200).map(small).collect::<Vec<_>>());
    store.close().unwrap();
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    for round in 0..12 {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "repair::child", "--nocapture", "--test-threads=1"]).env(CHILD, &directory);
        let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        std::thread::sleep(Duration::from_millis(100 + seed % 3_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let opened = open(&directory);
        assert!(opened.state == state, "round {round}");
        opened.store.close().unwrap();
    }
    let final_report = repair_directory(&directory, true).unwrap();
    assert_eq!(final_report.saved, 200);
    assert!(!directory.join("repairing").exists());
}

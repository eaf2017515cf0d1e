use std::fs;

use hearsay_engine::{Memory, MemoryError, MemoryOptions, SETTINGS_FILE, Settings};
use hearsay_store::StoreError;

use crate::support::*;

#[test]
fn everything_is_there_after_reopening() {
    let directory = tempfile::tempdir().unwrap();
    let memory = Memory::open(options_at(directory.path())).unwrap();
    found_town(&memory);
    do_edit(&memory, relate("Mirela Voss", "OWES", "Odo Brandt"));
    let position = do_edit(&memory, set("Pell", "occupation", "potboy")).position;
    memory.undo(hearsay_query::journal::UndoTarget::Last).unwrap().wait().unwrap();
    let before = state(&memory);
    memory.close().unwrap();
    for _ in 0..2 {
        let memory = Memory::open(options_at(directory.path())).unwrap();
        let after = state(&memory);
        assert!(*before == *after);
        assert_eq!(after.position(), before.position());
        assert!(!after.entry(position).unwrap().live);
        let status = memory.status().unwrap().wait().unwrap();
        assert_eq!((status.entities, status.facts), (before.entity_count(), before.fact_count()));
        // When the memory is dropped, it closes.
        drop(memory);
    }
}

#[test]
fn the_status_shows_what_was_recovered_at_the_opening() {
    let directory = tempfile::tempdir().unwrap();
    let memory = Memory::open(options_at(directory.path())).unwrap();
    found_town(&memory);
    // The copy looks as if the program had been killed.
    let parent = tempfile::tempdir().unwrap();
    let killed = parent.path().join("campaign");
    hearsay_store::copy_for_reading(directory.path(), &killed).unwrap();
    memory.close().unwrap();
    fs::write(killed.join("snapshot"), "no snapshot").unwrap();
    for (replayed_log, ignores_snapshot) in [(true, true), (false, false)] {
        let memory = Memory::open(options_at(&killed)).unwrap();
        let status = memory.status().unwrap().wait().unwrap();
        assert_eq!((status.replayed_log, status.snapshot_ignored.is_some()), (replayed_log, ignores_snapshot));
        do_edit(&memory, set("Pell", "lore", &format!("Replayed: {replayed_log}.")));
        memory.close().unwrap();
    }
}

#[test]
fn a_second_process_learns_who_has_the_lock() {
    let directory = tempfile::tempdir().unwrap();
    let memory = Memory::open(options_at(directory.path())).unwrap();
    let error = Memory::open(options_at(directory.path())).unwrap_err();
    assert!(matches!(error, MemoryError::Store(StoreError::InUse { .. })), "{error}");
    assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
    memory.close().unwrap();
    Memory::open(options_at(directory.path())).unwrap().close().unwrap();
}

#[test]
fn a_directory_that_cannot_be_made_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "no directory").unwrap();
    let error = Memory::open(options_at(&file.join("campaign"))).unwrap_err().to_string();
    assert!(error.contains("file") && error.contains("choose a directory"), "{error}");
}

#[test]
fn a_directory_without_settings_has_the_defaults() {
    let directory = tempfile::tempdir().unwrap();
    let options = MemoryOptions::for_campaign(directory.path()).unwrap();
    assert_eq!(options.settings, Settings::default());
    assert_eq!(options.location, directory.path().join(".hearsay").into());
}

#[test]
fn broken_settings_are_an_error_that_names_file_and_line() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join(SETTINGS_FILE), "[policy]\nthreshold = 7\n").unwrap();
    let error = MemoryOptions::for_campaign(directory.path()).unwrap_err().to_string();
    for part in [SETTINGS_FILE, "line 2", "from 0 to 1"] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn paths_in_the_settings_are_relative_to_the_campaign() {
    let directory = tempfile::tempdir().unwrap();
    let text = "[model]\ndirectory = \"minilm\"\n[store]\ndirectory = \"memory\"\n";
    fs::write(directory.path().join(SETTINGS_FILE), text).unwrap();
    let options = MemoryOptions::for_campaign(directory.path()).unwrap();
    assert_eq!(options.location, directory.path().join("memory").into());
    assert_eq!(options.settings.model.directory, Some(directory.path().join("minilm")));
}

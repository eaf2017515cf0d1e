use std::{fmt::Write, fs, time::Duration};

use hearsay_commands::{CommandError, review::Decision};
use hearsay_engine::{Memory, MemoryError};
use hearsay_model::FactStatus;

use crate::support::*;

#[test]
fn a_dry_run_changes_nothing() {
    let memory = empty();
    let outcome = memory.import_dry_run(tiny_tavern()).unwrap().wait().unwrap();
    assert!(outcome.written.is_none() && outcome.report.created_count() > 3);
    assert_eq!(state(&memory).position().0, 0);
    let imported = memory.import(tiny_tavern()).unwrap().wait().unwrap();
    assert_eq!(imported.report, outcome.report);
    assert_eq!(imported.written.unwrap().position.0, 1);
}

#[test]
fn importing_again_writes_nothing_and_edits_between_survive() {
    let memory = empty();
    memory.import(tiny_tavern()).unwrap().wait().unwrap();
    do_edit(&memory, set("Tilda Bun", "lore", "Tilda hums when she lies."));
    let spoon = state(&memory).facts_by_handle("tilda-took-the-spoon").next().unwrap().id();
    memory.decide(spoon, Decision::False).unwrap().wait().unwrap();
    let before = state(&memory);
    for _ in 0..2 {
        let outcome = memory.import(tiny_tavern()).unwrap().wait().unwrap();
        assert!(outcome.written.is_none(), "{:?}", outcome.written);
    }
    let after = state(&memory);
    assert!(*before == *after && before.position() == after.position());
    assert_eq!(after.fact(spoon).unwrap().status(), FactStatus::False);
}

#[test]
fn an_export_makes_an_equal_state() {
    let memory = empty();
    memory.import(tiny_tavern()).unwrap().wait().unwrap();
    // The export then also contains records that refer to a removed entity.
    do_edit(&memory, hearsay_commands::edit::Edit::RemoveEntity { entity: id("rook") });
    let before = state(&memory);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("tavern.jsonl");
    hearsay_campaign::export_jsonl(&before, fs::File::create(&path).unwrap()).unwrap();
    let other = empty();
    let dry = other.import_dry_run(path.clone()).unwrap().wait().unwrap();
    assert_eq!(state(&other).position().0, 0);
    let outcome = other.import(path.clone()).unwrap().wait().unwrap();
    assert_eq!(outcome.report, dry.report);
    assert!(*state(&other) == *before);
    let again = other.import(path.clone()).unwrap().wait().unwrap();
    assert!(again.written.is_none(), "{:?}", again.written);
    // An import into the original memory changes nothing either.
    assert!(memory.import(path).unwrap().wait().unwrap().written.is_none());
}

#[test]
fn an_export_does_not_remove_whom_somebody_added_since() {
    let memory = empty();
    memory.import(tiny_tavern()).unwrap().wait().unwrap();
    do_edit(&memory, hearsay_commands::edit::Edit::RemoveEntity { entity: id("rook") });
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("tavern.jsonl");
    hearsay_campaign::export_jsonl(&state(&memory), fs::File::create(&path).unwrap()).unwrap();
    memory.undo(hearsay_query::journal::UndoTarget::Last).unwrap().wait().unwrap();
    memory.import(path).unwrap().wait().unwrap();
    assert!(state(&memory).entity(&id("rook")).is_some());
}

#[test]
fn bad_files_are_named_and_change_nothing() {
    let memory = town();
    let directory = tempfile::tempdir().unwrap();
    let bad = "entities:\n  - {id: ann, name: Ann, knid: npc}\n  - {id: bob, name: Bob, home: nowhere}\n";
    fs::write(directory.path().join("people.yaml"), bad).unwrap();
    for dry_run in [false, true] {
        let path = directory.path().to_owned();
        let import = |memory: &Memory| match dry_run {
            true => memory.import_dry_run(path).unwrap().wait(),
            false => memory.import(path).unwrap().wait(),
        };
        let before = state(&memory).position();
        let error = import(&memory).unwrap_err();
        assert!(matches!(error, MemoryError::Campaign(_)), "{error}");
        let error = error.to_string();
        assert!(error.contains("people.yaml:2") && error.contains("people.yaml:3"), "{error}");
        assert_eq!(state(&memory).position(), before);
    }
    let lines = directory.path().join("bad.jsonl");
    fs::write(&lines, "{\"type\":\"hearsay\",\"format\":1}\nnonsense\n").unwrap();
    refused(&memory, |memory| memory.import(lines).unwrap().wait(), &["bad.jsonl:2"]);
    let missing = directory.path().join("none.jsonl");
    refused(&memory, |memory| memory.import(missing).unwrap().wait(), &["none.jsonl"]);
    refused(&memory, |memory| memory.import("/no/such/campaign").unwrap().wait(), &["campaign: cannot be read"]);
}

/// Writes a campaign that is large enough for reading and comparing to take some time.
pub(crate) fn large(directory: &std::path::Path, people: usize) {
    let mut yaml = String::from("campaign: {name: Large}\nentities:\n  - {id: town, name: Town, kind: location}\n");
    for n in 0..people {
        writeln!(yaml, "  - {{id: person-{n}, name: Person {n}, kind: npc, home: town}}").unwrap();
    }
    yaml.push_str("facts:\n");
    for n in 0..people * 4 {
        let other = (n * 7919 + 13) % people;
        writeln!(
            yaml,
            "  - {{subject: person-{}, text: \"Person {} told number {n}.\", known_by: [person-{other}]}}",
            n % people,
            n % people
        )
        .unwrap();
    }
    fs::write(directory.join("large.yaml"), yaml).unwrap();
}

#[test]
fn questions_and_edits_go_on_while_much_is_imported() {
    let directory = tempfile::tempdir().unwrap();
    large(directory.path(), 3_000);
    let memory = town();
    do_edit(&memory, set("Pell", "lore", "Pell whittles flutes."));
    let import = memory.import(directory.path()).unwrap();
    let (mut answers, mut edits, mut outcome) = (0, Vec::new(), None);
    while outcome.is_none() {
        let answer = memory.ask(hearsay_query::ask::Ask::new(id("pell"), "Who whittles flutes?")).unwrap();
        let answer = answer.wait_for(Duration::from_secs(10)).unwrap();
        assert!(answer.context.render(hearsay_recall::Form::Prompt, false).contains("whittles"));
        answers += 1;
        if edits.len() < 20 {
            edits.push(memory.edit(set("Pell", "lore", &format!("Lore {}.", edits.len()))).unwrap());
        }
        outcome = import.try_take();
    }
    let outcome = outcome.unwrap().unwrap();
    println!("{answers} answers while {} facts were imported", outcome.report.fact_count());
    assert!(answers > 5, "{answers} answers");
    edits.into_iter().for_each(|edit| drop(edit.wait().unwrap()));
    let state = state(&memory);
    assert_eq!(state.facts_of(&id("pell")).filter(|fact| *fact.predicate() == *"lore").count(), 21);
    assert!(memory.import(directory.path()).unwrap().wait().unwrap().written.is_none());
}

#[test]
fn an_import_considers_writes_made_while_its_files_were_read() {
    let memory = empty();
    // The edit is sent after the import, and may be applied before or after it. In the end, both must be present.
    let import = memory.import(tiny_tavern()).unwrap();
    let edit = memory.edit(add("Rook", hearsay_model::Kind::Npc, None)).unwrap();
    let (outcome, edit) = (import.wait().unwrap(), edit.wait());
    let state = state(&memory);
    assert!(state.entity(&id("rook")).is_some());
    match edit {
        Ok(_) => assert_eq!(outcome.report.matched, 1),
        Err(error) => assert!(matches!(error, MemoryError::Command(CommandError::EntityExists(_))), "{error}"),
    }
    assert!(memory.import(tiny_tavern()).unwrap().wait().unwrap().written.is_none());
}

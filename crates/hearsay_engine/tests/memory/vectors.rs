use hearsay_engine::{Event, Memory, MemoryOptions, ModelStatus};
use hearsay_query::journal::UndoTarget;

use crate::support::*;

fn with_model(directory: &std::path::Path) -> MemoryOptions {
    let model = hearsay_engine::ModelSettings::default();
    MemoryOptions { settings: hearsay_engine::Settings { model, ..settings() }, ..options_at(directory) }
}

/// Returns the number of encoded texts, according to the events.
fn batches(memory: &Memory) -> usize {
    memory.events().try_iter().filter(|event| matches!(event, Event::Vectors { .. })).count()
}

#[test]
fn encoded_texts_are_not_encoded_again() {
    let directory = tempfile::tempdir().unwrap();
    let memory = Memory::open(with_model(directory.path())).unwrap();
    memory.import(tiny_tavern()).unwrap().wait().unwrap();
    let status = memory.wait_for_vectors(|done, all| done <= all).unwrap();
    assert!(matches!(status.model, ModelStatus::Ready { .. }) && status.pending_vectors == 0 && status.texts > 10);
    assert!(batches(&memory) > 0);
    // A text that is equal to an earlier text gets the vector of the earlier text.
    do_edit(&memory, set("Rook", "lore", "Tilda Bun took the silver spoon."));
    let status = memory.status().unwrap().wait().unwrap();
    assert_eq!((status.pending_vectors, batches(&memory)), (0, 0));
    memory.close().unwrap();
    let memory = Memory::open(with_model(directory.path())).unwrap();
    let status = memory.wait_for_vectors(|_, _| true).unwrap();
    assert_eq!(status.pending_vectors, 0);
    assert_eq!(batches(&memory), 0);
}

#[test]
fn vectors_from_before_an_early_close_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let memory = Memory::open(with_model(directory.path())).unwrap();
    memory.import(gullhaven()).unwrap().wait().unwrap();
    let mut reached = 0;
    let stopped = memory.wait_for_vectors(|done, _| {
        reached = done;
        done < 30
    });
    assert!(stopped.is_err());
    memory.close().unwrap();
    let memory = Memory::open(with_model(directory.path())).unwrap();
    // The first event about vectors reports the number of pending texts. Texts with stored vectors are not counted.
    let started_at = std::time::Instant::now();
    let pending = loop {
        match memory.events().recv_timeout(std::time::Duration::from_secs(20)).unwrap() {
            Event::Vectors { pending } => break pending,
            _ => assert!(started_at.elapsed().as_secs() < 20),
        }
    };
    let status = memory.status().unwrap().wait().unwrap();
    assert!(
        reached >= 30 && status.texts - pending >= reached,
        "{pending} of {} pending, {reached} made",
        status.texts
    );
}

#[test]
fn a_text_that_was_undone_and_came_back_has_its_vector() {
    let memory = Memory::open(MemoryOptions::in_memory()).unwrap();
    found_town(&memory);
    memory.wait_for_vectors(|_, _| true).unwrap();
    let blocked = block(&memory);
    // The undo removes the text before it is encoded.
    let edit = memory.edit(set("Pell", "lore", "Pell whittles flutes.")).unwrap();
    let undo = memory.undo(UndoTarget::Last).unwrap();
    drop(blocked);
    let position = edit.wait().unwrap().position;
    let undone = undo.wait().unwrap();
    assert_eq!(undone.summary, format!("undo {position}: set Pell's lore"));
    memory.wait_for_vectors(|_, _| true).unwrap();
    memory.undo(UndoTarget::At(undone.position)).unwrap().wait().unwrap();
    let status = memory.wait_for_vectors(|_, _| true).unwrap();
    assert_eq!(status.pending_vectors, 0);
    let search = hearsay_query::search::Search {
        text: "somebody carves instruments".into(),
        deadline: Some(std::time::Duration::from_secs(20)),
        ..hearsay_query::search::Search::default()
    };
    let hits = memory.search(search).unwrap().wait().unwrap().facts;
    let flute_hit = hits.iter().find(|hit| hit.text.contains("flutes")).unwrap();
    println!("{:?}", flute_hit.channels);
    assert!(hits[0].text.contains("flutes"), "{hits:?}");
}

#[test]
fn the_state_records_which_model_made_the_vectors() {
    let directory = tempfile::tempdir().unwrap();
    let memory = Memory::open(with_model(directory.path())).unwrap();
    memory.import(tiny_tavern()).unwrap().wait().unwrap();
    let ModelStatus::Ready { id } = memory.wait_for_vectors(|_, _| true).unwrap().model else { panic!("no model") };
    let edited = do_edit(&memory, set("Rook", "lore", "Rook whistles at night."));
    assert_eq!(state(&memory).model(), Some(id.as_str()));
    // The operation that records the model is not an edit, so undo does not revert it.
    memory.wait_for_vectors(|_, _| true).unwrap();
    let (position, _) = memory.undo_preview(UndoTarget::Last).unwrap().wait().unwrap();
    assert_eq!(position, edited.position);
    let recorded = state(&memory).position();
    memory.close().unwrap();
    let memory = Memory::open(with_model(directory.path())).unwrap();
    memory.wait_for_vectors(|_, _| true).unwrap();
    assert_eq!(state(&memory).position(), recorded, "recorded once");
    memory.close().unwrap();
}

#[test]
fn a_campaign_answers_the_same_without_its_derived_files() {
    let directory = tempfile::tempdir().unwrap();
    let memory = Memory::open(with_model(directory.path())).unwrap();
    memory.import(tiny_tavern()).unwrap().wait().unwrap();
    memory.wait_for_vectors(|_, _| true).unwrap();
    let search = |memory: &Memory| {
        let deadline = Some(std::time::Duration::from_secs(60));
        let text = "who took the silver spoon?".to_owned();
        let search = hearsay_query::search::Search { text, deadline, ..hearsay_query::search::Search::default() };
        memory.search(search).unwrap().wait().unwrap()
    };
    let expected = search(&memory);
    memory.close().unwrap();
    assert!(expected.facts[0].channels.meaning.is_some() && expected.facts[0].channels.words > 0.0);
    for damaged in [None, Some("terms"), Some("vectors")] {
        for deleted in [false, true] {
            if let Some(path) = damaged.map(|name| directory.path().join(name)) {
                let mut bytes = std::fs::read(&path).unwrap();
                std::fs::remove_file(&path).unwrap();
                if !deleted {
                    let last = bytes.len() - 1;
                    bytes[last] ^= 1;
                    std::fs::write(&path, bytes).unwrap();
                }
            }
            let memory = Memory::open(with_model(directory.path())).unwrap();
            memory.wait_for_vectors(|_, _| true).unwrap();
            assert_eq!(search(&memory), expected, "{damaged:?} {deleted}");
            assert_eq!(batches(&memory) > 0, damaged == Some("vectors"), "{damaged:?} {deleted}");
            memory.close().unwrap();
        }
    }
}

#[test]
fn a_text_that_is_withdrawn_is_searched_no_more() {
    let memory = Memory::open(MemoryOptions::in_memory()).unwrap();
    found_town(&memory);
    let before = memory.wait_for_vectors(|_, _| true).unwrap().texts;
    do_edit(&memory, set("Pell", "lore", "Pell whittles flutes."));
    assert_eq!(memory.wait_for_vectors(|_, _| true).unwrap().texts, before + 1);
    memory.undo(UndoTarget::Last).unwrap().wait().unwrap();
    assert_eq!(memory.status().unwrap().wait().unwrap().texts, before);
}

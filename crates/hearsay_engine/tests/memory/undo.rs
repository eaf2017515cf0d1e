use hearsay_commands::edit::FactOptions;
use hearsay_engine::{Memory, MemoryError};
use hearsay_model::{Author, Change, GameSetting, Key, Operation, Position, Setting};
use hearsay_query::{ask::Ask, journal::UndoTarget, search::Search};
use hearsay_recall::Form;

use crate::support::*;

fn undo(memory: &Memory, target: UndoTarget) -> Result<Position, MemoryError> {
    memory.undo(target).unwrap().wait().map(|written| written.position)
}

fn ages(memory: &Memory) -> Vec<String> {
    let state = state(memory);
    state.values(&id("pell"), &predicate("age")).iter().map(|fact| fact.object().to_string()).collect()
}

#[test]
fn the_last_edit_is_undone_and_the_one_before_surfaces() {
    let memory = town();
    do_edit(&memory, set("Pell", "age", "11"));
    do_edit(&memory, set("Pell", "age", "12"));
    undo(&memory, UndoTarget::Last).unwrap();
    assert_eq!(ages(&memory), ["11"]);
    undo(&memory, UndoTarget::Last).unwrap();
    assert!(ages(&memory).is_empty());
    // Undoing an undo restores its target.
    let position = state(&memory).position();
    undo(&memory, UndoTarget::At(position)).unwrap();
    assert_eq!(ages(&memory), ["11"]);
    // The next undo reverts the newest edit, not the undo.
    undo(&memory, UndoTarget::Last).unwrap();
    assert!(ages(&memory).is_empty());
}

#[test]
fn undo_works_by_author_and_by_position() {
    let memory = town();
    let first = do_edit(&memory, set("Pell", "age", "11")).position;
    set_clock(&memory, DAY);
    do_edit(&memory, set("Odo Brandt", "age", "60"));
    undo(&memory, UndoTarget::LastBy(Author::Game)).unwrap();
    assert_eq!(state(&memory).clock(), None);
    undo(&memory, UndoTarget::At(first)).unwrap();
    assert!(ages(&memory).is_empty() && !facts(&memory, "odo-brandt", "age").is_empty());
    let again = |memory: &Memory| undo(memory, UndoTarget::At(first));
    refused(&memory, again, &["no operation with the number"]);
    let game = |memory: &Memory| undo(memory, UndoTarget::LastBy(Author::Game));
    refused(&memory, game, &["no operation to undo by game"]);
    refused(&memory, |memory| undo(memory, UndoTarget::At(Position(0))), &["no operation"]);
    refused(&memory, |memory| undo(memory, UndoTarget::At(Position(999))), &["no operation"]);
}

#[test]
fn an_empty_journal_has_nothing_to_undo() {
    let memory = empty();
    refused(&memory, |memory| undo(memory, UndoTarget::Last), &["there is no operation to undo"]);
    refused(
        &memory,
        |memory| memory.undo_preview(UndoTarget::Last).unwrap().wait(),
        &["there is no operation to undo"],
    );
}

#[test]
fn the_preview_shows_what_depends() {
    let memory = town();
    let add = do_edit(&memory, add("Bram", hearsay_model::Kind::Npc, None)).position;
    let age = do_edit(&memory, set("Bram", "age", "40")).position;
    let fact = fact(&memory, "bram", "age").id();
    let before = state(&memory);
    let (position, preview) = memory.undo_preview(UndoTarget::At(add)).unwrap().wait().unwrap();
    assert_eq!((position, preview.dependents), (add, vec![age]));
    assert!(preview.lost.contains(&Key::Fact(fact)) && preview.lost.contains(&Key::Entity(id("bram"))));
    assert!(*before == *state(&memory) && before.position() == state(&memory).position());
    let (position, _) = memory.undo_preview(UndoTarget::Last).unwrap().wait().unwrap();
    assert_eq!(position, age);
}

#[test]
fn restoring_leaves_nothing_of_the_abandoned_future() {
    let memory = town();
    do_edit(&memory, set("Pell", "lore", "Pell whittles flutes."));
    let saved = state(&memory);
    let common = FactOptions { common: true, ..FactOptions::default() };
    do_edit(&memory, set_with("Pell", "lore", "Pell found a drowned crown.", common));
    do_edit(&memory, hearsay_commands::edit::Edit::RemoveEntity { entity: id("Odo Brandt") });
    let rules = Operation::new(
        Author::Dm,
        "clock",
        vec![Change::Set(Setting::Game(GameSetting::Clock(hearsay_model::GameTime(7))))],
    );
    memory.write(move |_| Ok(rules.clone())).unwrap().wait().unwrap();
    let asked = |memory: &Memory| {
        let answer = memory.ask(Ask::new(id("pell"), "Who found a drowned crown?")).unwrap().wait().unwrap();
        let search = Search { text: "drowned crown".into(), ..Search::default() };
        let hits = memory.search(search).unwrap().wait().unwrap().facts;
        let found = hits.iter().any(|hit| hit.text.contains("drowned"));
        assert_eq!(answer.context.render(Form::Prompt, true).contains("found a drowned crown."), found);
        found
    };
    assert!(asked(&memory));
    let restored = memory.restore(saved.position()).unwrap().wait().unwrap().position;
    assert!(*state(&memory) == *saved);
    assert!(!asked(&memory));
    // Restoring a position is one operation, and can itself be undone.
    undo(&memory, UndoTarget::At(restored)).unwrap();
    assert!(asked(&memory) && *state(&memory) != *saved);
    let ahead = |memory: &Memory| memory.restore(Position(500)).unwrap().wait();
    refused(&memory, ahead, &["the newest operation has the number"]);
}

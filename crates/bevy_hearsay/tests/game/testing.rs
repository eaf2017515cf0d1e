//! Tests of the module `testing`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bevy_hearsay::{
    WorldEvent,
    testing::{
        RecordedInput, Recording, assert_believes, assert_cannot_learn, assert_does_not_know, assert_knows, known_facts,
    },
};

use super::*;

/// Makes an app in which Ann and Bob are in the inn, and Cid is on the pier.
fn village() -> (SteppingApp, [Entity; 3]) {
    let mut app = SteppingApp::new(HearsayPlugins::empty());
    for place in ["The Inn", "The Pier"] {
        app.world_mut().spawn((MemoryId::new(place), Name::new(place), EntityKind::location()));
    }
    let people = [("Ann", "The Inn"), ("Bob", "The Inn"), ("Cid", "The Pier")].map(|(name, place)| {
        let character = (MemoryId::new(name), Name::new(name), EntityKind::npc(), PlaceId::new(place));
        app.world_mut().spawn(character).id()
    });
    app.settle();
    (app, people)
}

/// Asserts that an assertion fails with a message that contains these parts.
fn assert_fails(parts: &[&str], assertion: impl FnOnce()) {
    let panic = catch_unwind(AssertUnwindSafe(assertion)).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(parts.iter().all(|part| message.contains(part)), "{parts:?} in {message}");
}

#[test]
fn assertions_tell_what_a_character_knows() {
    let (mut app, [ann, bob, cid]) = village();
    let damage = || Statement::lore("the-pier", "The pier is broken.");
    app.world_mut().commands().entity(ann).witness(damage()).tell(bob, damage());
    assert_knows(&mut app, bob, "PIER is broken");
    assert_believes(&mut app, ann, "pier is broken", 0.9..=1.0);
    assert_believes(&mut app, bob, "pier is broken", 0.1..0.9);
    assert_does_not_know(&mut app, cid, "pier is broken");
    assert_fails(&["cid", "pier is broken"], || assert_knows(&mut app, cid, "pier is broken"));
    assert_fails(&["bob", "The pier is broken."], || assert_does_not_know(&mut app, bob, "pier is broken"));
    assert_fails(&["bob", "0.99..", "The pier is broken."], || assert_believes(&mut app, bob, "broken", 0.99..));
    let stranger = app.world_mut().spawn_empty().id();
    assert!(known_facts(&mut app, stranger).is_err());
    assert_fails(&["MemoryId"], || assert_does_not_know(&mut app, stranger, "pier is broken"));
}

#[test]
fn a_fact_can_be_learned_while_somebody_would_tell_it() {
    let (mut app, [ann, bob, _]) = village();
    app.world_mut().commands().entity(ann).witness(Statement::lore("the-pier", "A chest lies under the pier."));
    assert_fails(&["bob", "ann can tell it"], || assert_cannot_learn(&mut app, bob, "chest"));
    assert_fails(&["it knows", "chest"], || assert_cannot_learn(&mut app, ann, "chest"));
    assert_fails(&["no fact"], || assert_cannot_learn(&mut app, bob, "no such words"));
    app.world_mut().commands().entity(ann).die();
    assert_cannot_learn(&mut app, bob, "chest");
}

#[test]
fn generated_ids_are_the_same_in_each_run() {
    let ids = |seed: u64| {
        let mut app = SteppingApp::new(HearsayPlugins::empty());
        app.seed_ids(seed);
        let guards = [0, 1].map(|_| app.world_mut().spawn((Name::new("A Guard"), EntityKind::npc())).id());
        app.settle();
        guards.map(|guard| app.world().get::<MemoryId>(guard).unwrap().clone())
    };
    let first = ids(0);
    assert!(first[0] != first[1] && first[0].as_str().starts_with("a-guard-"), "{first:?}");
    assert_eq!(ids(0), first);
    assert_ne!(ids(1), first);
}

/// Returns the sentences that each character knows.
fn knowledge(app: &mut SteppingApp, people: [Entity; 3]) -> [Vec<String>; 3] {
    people.map(|character| {
        let mut facts: Vec<String> =
            known_facts(app, character).unwrap().into_iter().map(|row| row.statement).collect();
        facts.sort();
        facts
    })
}

#[test]
fn a_recording_replays_the_input_of_a_game() {
    let (mut app, people) = village();
    let [ann, bob, cid] = people;
    app.start_recording();
    app.world_mut().resource_mut::<GameClock>().0 = Some(600);
    let chest = || Statement::lore("the-pier", "A chest lies under the pier.");
    app.world_mut().commands().entity(cid).witness(chest());
    app.step();
    app.step();
    // The move takes effect before the line.
    app.world_mut().commands().entity(cid).move_to("the-inn").say_that("There is a chest!", [chest()]);
    app.step();
    app.world_mut().commands().entity(ann).tell(bob, Statement::lore("the-inn", "The inn is old."));
    app.world_mut().commands().set_flag("no-such-flag", true);
    app.settle();
    let recording = app.stop_recording();
    let frames: Vec<u64> = recording.inputs.iter().map(|(frame, _)| *frame).collect();
    assert_eq!(frames, [0, 0, 2, 2, 3, 3], "{recording:?}");
    assert_eq!(recording.inputs[0].1, RecordedInput::Clock(600));
    let flag = &recording.inputs[5].1;
    assert!(matches!(flag, RecordedInput::World(WorldEvent::SetFlag { .. })), "{flag:?}");
    let expected = knowledge(&mut app, people);
    assert!(expected[0].iter().any(|statement| statement.contains("chest")));

    // The Bevy entities of the other app are different.
    let mut replayed = SteppingApp::new(HearsayPlugins::empty());
    replayed.world_mut().spawn_empty();
    for place in ["The Pier", "The Inn"] {
        replayed.world_mut().spawn((MemoryId::new(place), Name::new(place), EntityKind::location()));
    }
    let people = [("Ann", "The Inn"), ("Bob", "The Inn"), ("Cid", "The Pier")].map(|(name, place)| {
        let character = (MemoryId::new(name), Name::new(name), EntityKind::npc(), PlaceId::new(place));
        replayed.world_mut().spawn(character).id()
    });
    replayed.replay(&recording);
    assert_eq!(knowledge(&mut replayed, people), expected);
    assert_eq!(replayed.take_errors(), app.take_errors());
    assert_eq!(app.stop_recording(), Recording::default(), "no recording is in progress");
    assert_fails(&["ann"], || {
        SteppingApp::new(HearsayPlugins::empty()).replay(&Recording {
            inputs: vec![(
                0,
                RecordedInput::Move { entity: EntityId::new("ann").unwrap(), place: EntityId::new("inn").unwrap() },
            )],
        })
    });
}

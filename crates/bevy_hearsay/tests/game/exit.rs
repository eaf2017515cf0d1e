//! Tests that pending game events are committed at exit, or counted as not committed.

use std::{path::Path, time::Duration};

use bevy::app::AppExit;
use bevy_hearsay::{GameAction, GameEvent, MemoryExit};
use hearsay_engine::{Location, MemoryOptions, Settings};

use super::*;

/// Makes Ann say `count` lines, and exits the game in the same frame.
fn say_and_exit(save: &Path, count: usize, timeout: Duration) -> MemoryExit {
    let mut plugins = HearsayPlugins::open(save);
    plugins.memory.exit_timeout = timeout;
    let mut app = SteppingApp::new(plugins);
    let ann = app.world_mut().spawn((MemoryId::new("ann"), Name::new("Ann"), EntityKind::npc())).id();
    app.settle();
    for n in 0..count {
        let action = GameAction::Say { text: format!("This is line {n}."), states: Vec::new(), lie: false };
        app.world_mut().trigger(GameEvent::new(ann, action));
    }
    app.world_mut().write_message(AppExit::Success);
    app.step();
    assert!(is_closed(app.world()));
    *app.world().resource::<MemoryExit>()
}

fn saved_line_count(save: &Path) -> usize {
    let mut settings = Settings::default();
    settings.model.enabled = false;
    let location = Location::Directory(save.to_owned());
    let memory = Memory::open(MemoryOptions { location, settings, ..MemoryOptions::in_memory() }).unwrap();
    let lines = memory.read(|world| Ok(world.state.passages().count())).unwrap().wait().unwrap();
    memory.close().unwrap();
    lines
}

#[test]
fn pending_events_beyond_the_queue_are_committed_at_exit() {
    let save = tempfile::tempdir().unwrap();
    let exit = say_and_exit(save.path(), 2_500, Duration::from_secs(120));
    assert_eq!((exit.committed, exit.not_committed), (2_500, 0));
    assert_eq!(saved_line_count(save.path()), 2_500);
}

#[test]
fn uncommitted_changes_at_exit_are_counted() {
    let save = tempfile::tempdir().unwrap();
    let exit = say_and_exit(save.path(), 2_500, Duration::ZERO);
    assert_eq!(exit.committed + exit.not_committed, 2_500, "{exit:?}");
    assert!(exit.not_committed > 0, "{exit:?}");
    assert_eq!(saved_line_count(save.path()), exit.committed);
}

#[test]
fn each_changed_entity_counts_at_exit() {
    let save = tempfile::tempdir().unwrap();
    let mut plugins = HearsayPlugins::open(save.path());
    plugins.memory.exit_timeout = Duration::from_secs(120);
    let mut app = SteppingApp::new(plugins);
    let spawn = |n: usize| (MemoryId::new(format!("person-{n}")), Name::new(format!("Person {n}")), EntityKind::npc());
    let people: Vec<Entity> = (0..40).map(|n| app.world_mut().spawn(spawn(n)).id()).collect();
    app.settle();
    for person in people {
        app.world_mut().get_mut::<Name>(person).unwrap().set("Renamed");
    }
    app.world_mut().write_message(AppExit::Success);
    app.step();
    let MemoryExit { committed, not_committed } = *app.world().resource::<MemoryExit>();
    assert_eq!((committed, not_committed), (40, 0));
}

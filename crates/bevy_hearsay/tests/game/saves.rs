//! Tests of saves: slots, continuing a game, and entities that are missing in a loaded slot.

use std::time::Duration;

use bevy::app::AppExit;
use bevy_hearsay::Autosave;
use hearsay_commands::edit::Edit;
use hearsay_engine::Settings;
use hearsay_model::Timestamp;

use super::*;

/// A component that the game mutates in place.
#[derive(Component, Debug, PartialEq)]
struct Gold(u32);

impl SyncedAttribute for Gold {
    const ATTRIBUTE: &'static str = "gold";

    fn to_value(&self) -> Value {
        Value::from(format!("{} coins", self.0))
    }

    fn from_value(value: &Value) -> Option<Self> {
        value.to_string().strip_suffix(" coins")?.parse().ok().map(Self)
    }
}

#[test]
fn a_save_includes_changes_of_the_same_frame() {
    let mut plugins = HearsayPlugins::empty();
    // The interval is so long that only a save causes a check for mutations.
    plugins.sync.poll = Duration::from_secs(3600);
    let mut app = SteppingApp::with(plugins, |app| _ = app.sync_attribute::<Gold>());
    let ann = app.world_mut().spawn((MemoryId::new("ann"), Name::new("Ann"), EntityKind::npc(), Gold(10))).id();
    app.settle();
    for (gold, name, slot) in [(55, "Rich Ann", "rich"), (7, "Poor Ann", "poor")] {
        app.world_mut().get_mut::<Gold>(ann).unwrap().0 = gold;
        app.world_mut().get_mut::<Name>(ann).unwrap().set(name);
        app.world_mut().commands().save_slot(slot);
        app.settle();
    }
    for (gold, name, slot) in [(55, "Rich Ann", "rich"), (7, "Poor Ann", "poor")] {
        app.world_mut().commands().load_slot(slot);
        app.settle();
        assert_eq!(app.world().get::<Gold>(ann), Some(&Gold(gold)));
        assert_eq!(app.world().get::<Name>(ann).map(Name::as_str), Some(name));
    }
    assert_eq!(app.take_errors(), [""; 0]);
}

#[test]
fn a_save_includes_game_events_of_the_same_frame() {
    let mut app = SteppingApp::new(HearsayPlugins::empty());
    // The entity has no id yet, so its line waits until the memory is open and the entity has an id.
    let ann = app.world_mut().spawn((Name::new("Ann"), EntityKind::npc())).id();
    app.world_mut().commands().entity(ann).say("Somebody was in the cellar.");
    app.world_mut().commands().save_slot("after");
    app.settle();
    app.world_mut().commands().entity(ann).say("Never mind.");
    app.settle();
    app.world_mut().commands().load_slot("after");
    app.settle();
    assert_eq!(read(&app, |world| world.state.passages().count()), 1);
    assert_eq!(app.take_errors(), [""; 0]);
}

fn without_model(mut plugins: HearsayPlugins) -> HearsayPlugins {
    let mut settings = Settings::default();
    settings.model.enabled = false;
    plugins.memory.settings = Some(settings);
    plugins
}

fn occupation(app: &mut SteppingApp, id: &str) -> Option<String> {
    let entity = entity(app, id)?;
    Some(app.world().get::<Attributes>(entity)?.get("occupation")?.to_string())
}

fn set_occupation(app: &mut SteppingApp, id: &str, occupation: &str) {
    let entity = entity(app, id).unwrap();
    app.world_mut().commands().entity(entity).set_attribute("occupation", occupation);
    app.settle();
}

#[test]
fn loading_a_slot_leaves_nothing_of_what_came_after() {
    let mut app = SteppingApp::new(HearsayPlugins::unsaved(campaign("tiny-tavern")));
    app.settle();
    set_occupation(&mut app, "rook", "spy");
    app.world_mut().commands().quick_save();
    app.settle();
    set_occupation(&mut app, "rook", "king");
    let ghost = app.world_mut().spawn((MemoryId::new("ghost"), EntityKind::npc())).id();
    app.settle();
    let mut commands = app.world_mut().commands();
    commands.quick_load();
    let rook = entity(&mut app, "rook").unwrap();
    let question = app.world_mut().commands().entity(rook).ask("What are you?").insert(KeepAnswer).id();
    app.settle();
    assert_eq!(occupation(&mut app, "rook").as_deref(), Some("spy"));
    assert!(matches!(app.world().get::<QuestionState>(question), Some(QuestionState::Failed(_))));
    // The game spawned this entity itself, so it stays and is unbound.
    assert!(app.world().get_entity(ghost).is_ok() && app.world().get::<MemoryId>(ghost).is_none());
    assert_eq!(app.take_errors(), [""; 0]);
    app.world_mut().commands().load_slot("none");
    app.settle();
    let errors = app.take_errors();
    assert!(errors.iter().any(|text| text.contains("there is no slot `none`; the slots are `quick`")), "{errors:?}");
    set_occupation(&mut app, "rook", "cook");
    assert_eq!(occupation(&mut app, "rook").as_deref(), Some("cook"), "a failed load changes nothing");
}

#[test]
fn a_failed_load_does_not_disturb_the_next() {
    // The outcome depends on the frame in which each answer arrives, so the test runs many times.
    for _ in 0..20 {
        let mut plugins = HearsayPlugins::empty();
        plugins.sync.interval = std::time::Duration::ZERO;
        let mut app = SteppingApp::new(plugins);
        app.settle();
        app.world_mut().commands().save_slot("empty");
        app.settle();
        let mut commands = app.world_mut().commands();
        commands.load_slot("none");
        commands.load_slot("empty");
        app.world_mut().spawn((MemoryId::new("inn"), EntityKind::location()));
        app.world_mut().spawn((MemoryId::new("ann"), EntityKind::npc(), PlaceId(EntityId::new("inn").unwrap())));
        app.settle();
        let id = EntityId::new("ann").unwrap();
        let record = read(&app, move |world| hearsay_query::records::Record::from_state(&world.state, &id));
        let bound_entity = entity(&mut app, "ann");
        let place = bound_entity.and_then(|ann| app.world().get::<PlaceId>(ann).map(|at| at.0.clone()));
        assert_eq!(bound_entity.is_some(), record.is_some());
        assert_eq!(place, record.and_then(|ann| ann.place));
    }
}

#[test]
fn a_save_can_be_continued() {
    let directory = tempfile::tempdir().unwrap();
    let save = directory.path().join("slot1");
    let start_game = |plugins: HearsayPlugins| {
        let mut app = SteppingApp::new(without_model(plugins));
        app.settle();
        assert_eq!(*app.world().resource::<State<MemoryPhase>>().get(), MemoryPhase::Playable);
        app
    };
    let exit_game = |mut app: SteppingApp| {
        app.world_mut().write_message(AppExit::Success);
        app.step();
        assert!(is_closed(app.world()));
    };
    let mut app = start_game(HearsayPlugins::new_game(campaign("tiny-tavern"), &save));
    let rook = entity(&mut app, "rook").unwrap();
    app.world_mut().commands().entity(rook).set_attribute("occupation", "spy");
    // A change in the last frame of the game is not lost.
    exit_game(app);
    let mut app = start_game(HearsayPlugins::open(&save));
    assert_eq!(occupation(&mut app, "rook").as_deref(), Some("spy"));
    exit_game(app);
    let mut app = start_game(HearsayPlugins::new_or_continue(campaign("tiny-tavern"), &save));
    assert_eq!(occupation(&mut app, "rook").as_deref(), Some("spy"), "an import does not overwrite recorded play");
    app.world_mut().commands().save_slot("before");
    app.settle();
    exit_game(app);
    let mut app = start_game(HearsayPlugins::new_game(campaign("tiny-tavern"), &save));
    assert_ne!(occupation(&mut app, "rook").as_deref(), Some("spy"));
    let new_games = read(&app, |world| {
        let operations = world.state.journal().map(|(_, entry)| &entry.operation);
        let new_games = operations.filter(|operation| operation.summary == "new game");
        new_games.map(|operation| operation.recorded).collect::<Vec<_>>()
    });
    assert!(matches!(new_games[..], [recorded] if recorded > Timestamp::default()), "{new_games:?}");
    app.world_mut().commands().load_slot("before");
    app.settle();
    assert_eq!(occupation(&mut app, "rook").as_deref(), Some("spy"), "a new game keeps the slots");
    let file = directory.path().join("whole.jsonl");
    app.world_mut().commands().export_memory(&file);
    app.settle();
    assert!(std::fs::read_to_string(&file).unwrap().lines().count() > 10);
    exit_game(app);
}

#[test]
fn autosaves_take_turns() {
    let mut app = SteppingApp::new(HearsayPlugins::empty());
    app.settle();
    *app.world_mut().resource_mut::<Autosave>() =
        Autosave { interval: Some(std::time::Duration::from_millis(100)), keep: 2 };
    (0..60).for_each(|_| app.step());
    app.world_mut().resource_mut::<Autosave>().interval = None;
    app.settle();
    let mut names = read(&app, |world| world.state.slots().into_iter().map(|slot| slot.name).collect::<Vec<_>>());
    names.sort();
    assert_eq!(names, ["autosave-1", "autosave-2"]);
}

#[test]
fn a_missing_campaign_is_reported_and_the_game_continues() {
    let mut app = SteppingApp::new(without_model(HearsayPlugins::unsaved("campaigns/of-nowhere")));
    let ann = app.world_mut().spawn((MemoryId::new("ann"), EntityKind::npc())).id();
    app.world_mut().commands().entity(ann).say("Hello?");
    let question = app.world_mut().commands().entity(ann).ask("Who are you?").insert(KeepAnswer).id();
    app.settle();
    (0..5).for_each(|_| app.step());
    assert_eq!(*app.world().resource::<State<MemoryPhase>>().get(), MemoryPhase::Failed);
    let failure = app.world().resource::<MemoryFailure>().0.to_string();
    assert!(failure.contains("of-nowhere"), "{failure}");
    assert!(matches!(app.world().get::<QuestionState>(question), Some(QuestionState::Failed(_))));
}

#[test]
fn slots_work_while_somebody_is_at_a_place_that_was_removed() {
    let mut app = SteppingApp::new(HearsayPlugins::empty());
    app.settle();
    app.world_mut().commands().save_slot("before");
    app.settle();
    app.world_mut().spawn((MemoryId::new("inn"), EntityKind::location()));
    app.world_mut().spawn((MemoryId::new("ann"), EntityKind::npc(), PlaceId(EntityId::new("inn").unwrap())));
    app.settle();
    memory(&app).edit(Edit::RemoveEntity { entity: EntityId::new("inn").unwrap() }).unwrap().wait().unwrap();
    app.world_mut().commands().save_slot("after");
    app.settle();
    assert_eq!(app.take_errors(), [""; 0]);
    app.world_mut().commands().load_slot("before");
    app.settle();
    assert_eq!(read(&app, |world| world.state.entity_count()), 0);
    app.world_mut().commands().load_slot("after");
    app.settle();
    assert_eq!(read(&app, |world| world.state.entity_count()), 1);
    assert_eq!(app.take_errors(), [""; 0]);
}

//! The phases of the memory, and saves that are opened and closed while the game runs.

use std::{path::Path, thread, time::Duration};

use bevy::app::AppExit;
use bevy_hearsay::{MemoryExit, SlotSaved};
use hearsay_engine::{Location, MemoryOptions, Settings};

use super::*;

/// The phases that started.
#[derive(Resource, Default)]
struct StartedPhases(Vec<MemoryPhase>);

/// State of the game when [`MemoryPhase::Playable`] last started: the time, and the number of entities that the plugin
/// had spawned.
#[derive(Resource, Default)]
struct AtStart {
    clock: Option<i64>,
    spawned: usize,
    place_of_ann: Option<EntityId>,
}

fn look_around(
    clock: Res<GameClock>,
    spawned: Query<(), (With<bevy_hearsay::SpawnedByHearsay>, With<Attributes>)>,
    places: Query<(&MemoryId, &PlaceId), With<LocatedIn>>,
    mut at_start: ResMut<AtStart>,
) {
    let place_of_ann = places.iter().find(|(id, _)| id.as_str() == "ann").map(|(_, place)| place.0.clone());
    *at_start = AtStart { clock: clock.0, spawned: spawned.iter().count(), place_of_ann };
}

fn app(plugins: HearsayPlugins) -> SteppingApp {
    SteppingApp::with(plugins, |app| {
        app.init_resource::<StartedPhases>()
            .init_resource::<AtStart>()
            .add_systems(OnEnter(MemoryPhase::Playable), look_around);
        for phase in [
            MemoryPhase::Closed,
            MemoryPhase::Opening,
            MemoryPhase::Loading,
            MemoryPhase::Playable,
            MemoryPhase::Failed,
        ] {
            app.add_systems(OnEnter(phase), move |mut started: ResMut<StartedPhases>| started.0.push(phase));
        }
    })
}

fn take_phases(app: &mut SteppingApp) -> Vec<MemoryPhase> {
    std::mem::take(&mut app.world_mut().resource_mut::<StartedPhases>().0)
}

fn phase(app: &SteppingApp) -> MemoryPhase {
    *app.world().resource::<State<MemoryPhase>>().get()
}

fn open_save(app: &mut SteppingApp, save: &Path) {
    app.world_mut().commands().open_save(save);
    app.settle();
}

/// Writes a save with an inn, Ann at the inn, and a clock.
fn write_save(save: &Path, time: i64) {
    let mut app = SteppingApp::new(HearsayPlugins::open(save));
    app.world_mut().spawn((MemoryId::new("inn"), Name::new("The Inn"), EntityKind::location()));
    let inn = PlaceId(EntityId::new("inn").unwrap());
    app.world_mut().spawn((MemoryId::new("ann"), Name::new("Ann"), EntityKind::npc(), inn));
    app.world_mut().insert_resource(GameClock(Some(time)));
    app.settle();
    app.world_mut().write_message(AppExit::Success);
    app.step();
    assert_eq!(app.world().resource::<MemoryExit>().not_committed, 0);
}

fn passage_texts(save: &Path) -> Vec<String> {
    let mut settings = Settings::default();
    settings.model.enabled = false;
    let location = Location::Directory(save.to_owned());
    let memory = Memory::open(MemoryOptions { location, settings, ..MemoryOptions::in_memory() }).unwrap();
    let texts = memory
        .read(|world| Ok(world.state.passages().map(|(_, passage)| passage.text.clone()).collect::<Vec<_>>()))
        .unwrap()
        .wait()
        .unwrap();
    memory.close().unwrap();
    texts
}

#[test]
fn a_playable_memory_has_its_entities_and_its_clock() {
    let directory = tempfile::tempdir().unwrap();
    let save = directory.path().join("slot1");
    write_save(&save, 1234);
    let mut app = app(HearsayPlugins::open(&save));
    // The game's own entity is bound before the phase starts.
    let ann = app.world_mut().spawn((MemoryId::new("ann"), EntityKind::npc())).id();
    app.settle();
    assert_eq!(take_phases(&mut app), [MemoryPhase::Opening, MemoryPhase::Loading, MemoryPhase::Playable]);
    let at_start = app.world().resource::<AtStart>();
    assert_eq!(at_start.clock, Some(1234));
    assert_eq!(at_start.spawned, 1, "the inn is spawned");
    assert_eq!(at_start.place_of_ann, EntityId::new("inn").ok());
    assert_eq!(app.world().get::<Name>(ann).map(Name::as_str), Some("Ann"));
    assert_eq!(app.take_errors(), [""; 0]);
}

#[test]
fn saves_are_opened_and_closed_at_run_time() {
    let directory = tempfile::tempdir().unwrap();
    let (first, second) = (directory.path().join("first"), directory.path().join("second"));
    write_save(&first, 1000);
    let mut app = app(HearsayPlugins::closed());
    app.settle();
    assert_eq!(take_phases(&mut app), [MemoryPhase::Closed]);
    assert!(is_closed(app.world()));

    open_save(&mut app, &first);
    assert_eq!(take_phases(&mut app), [MemoryPhase::Opening, MemoryPhase::Loading, MemoryPhase::Playable]);
    assert_eq!(app.world().resource::<AtStart>().clock, Some(1000));
    assert_eq!(app.world().resource::<AtStart>().spawned, 2);
    let ann = entity(&mut app, "ann").unwrap();

    app.world_mut().commands().close_memory();
    app.settle();
    assert_eq!(take_phases(&mut app), [MemoryPhase::Closed]);
    assert!(app.world().get_entity(ann).is_err() && entity(&mut app, "inn").is_none());
    assert_eq!(app.world().resource::<GameClock>().0, None);

    app.world_mut().commands().new_game(campaign("tiny-tavern"), &second);
    app.settle();
    assert_eq!(take_phases(&mut app), [MemoryPhase::Opening, MemoryPhase::Loading, MemoryPhase::Playable]);
    assert!(entity(&mut app, "rook").is_some() && entity(&mut app, "ann").is_none());

    // A save can be replaced without closing it first.
    open_save(&mut app, &first);
    assert_eq!(take_phases(&mut app), [MemoryPhase::Opening, MemoryPhase::Loading, MemoryPhase::Playable]);
    assert!(entity(&mut app, "rook").is_none() && entity(&mut app, "ann").is_some());
    assert_eq!(app.world().resource::<GameClock>().0, Some(1000));
    assert_eq!(app.take_errors(), [""; 0]);
}

#[test]
fn each_request_belongs_to_the_memory_that_is_open_or_opened_next() {
    let directory = tempfile::tempdir().unwrap();
    let (first, second) = (directory.path().join("first"), directory.path().join("second"));
    let mut app = app(HearsayPlugins::closed());
    open_save(&mut app, &first);
    let ann = app.world_mut().spawn((MemoryId::new("ann"), Name::new("Ann"), EntityKind::npc())).id();
    app.settle();
    let mut commands = app.world_mut().commands();
    commands.entity(ann).say("Before.");
    commands.save_slot("end");
    commands.open_save(&second);
    commands.entity(ann).say("After.");
    let question = commands.entity(ann).ask("Who are you?").insert(KeepAnswer).id();
    app.world_mut().flush();
    let mut is_saved = false;
    for _ in 0..1_000 {
        app.step();
        thread::sleep(Duration::from_millis(1));
        is_saved |= app.world_mut().resource_mut::<Messages<SlotSaved>>().drain().count() > 0;
        if phase(&app) == MemoryPhase::Playable {
            break;
        }
    }
    app.settle();
    assert!(is_saved, "the slot is saved before the memory closes");
    // The entity is bound again, and the question is answered by the second memory.
    assert!(app.world().get::<Reply<Answer>>(question).is_some());
    assert_eq!(app.take_errors(), [""; 0]);
    app.world_mut().commands().close_memory();
    app.settle();
    assert_eq!(app.take_errors(), [""; 0]);
    assert_eq!(passage_texts(&first), ["Before."]);
    assert_eq!(passage_texts(&second), ["After."]);
}

#[test]
fn unanswered_questions_fail_when_the_memory_closes() {
    let mut app = app(HearsayPlugins::empty());
    let ann = app.world_mut().spawn((MemoryId::new("ann"), Name::new("Ann"), EntityKind::npc())).id();
    app.settle();
    let mut commands = app.world_mut().commands();
    let question = commands.entity(ann).ask("Who are you?").insert(KeepAnswer).id();
    commands.close_memory();
    app.settle();
    assert!(matches!(app.world().get::<QuestionState>(question), Some(QuestionState::Failed(_))));
    assert!(app.world().get_entity(ann).is_ok(), "the game's entities stay");
    let late_question = app.world_mut().commands().entity(ann).ask("Who are you?").insert(KeepAnswer).id();
    app.settle();
    assert!(matches!(app.world().get::<QuestionState>(late_question), Some(QuestionState::Failed(_))));
}

#[test]
fn the_relations_of_a_closed_memory_do_not_reach_the_next_one() {
    let directory = tempfile::tempdir().unwrap();
    let (first, second) = (directory.path().join("first"), directory.path().join("second"));
    let mut app = app(HearsayPlugins::open(&first));
    let ann = app.world_mut().spawn((MemoryId::new("ann"), Name::new("Ann"), EntityKind::npc())).id();
    app.world_mut().spawn((MemoryId::new("watch"), Name::new("The Watch"), EntityKind::faction()));
    app.world_mut().commands().entity(ann).join("watch");
    app.settle();
    assert_eq!(app.world().get::<Relations>(ann).map(|relations| relations.iter().count()), Some(1));
    open_save(&mut app, &second);
    assert!(app.world().get::<Relations>(ann).is_none());
    let id = EntityId::new("ann").unwrap();
    let record = read(&app, move |world| hearsay_query::records::Record::from_state(&world.state, &id)).unwrap();
    assert_eq!(record.name.as_deref(), Some("Ann"), "the game's entity is bound again");
    assert!(record.relations.is_empty());
    open_save(&mut app, &first);
    assert_eq!(app.world().get::<Relations>(ann).map(|relations| relations.iter().count()), Some(1));
    assert_eq!(app.take_errors(), [""; 0]);
}

#[test]
fn the_last_request_counts() {
    let directory = tempfile::tempdir().unwrap();
    let saves = ["first", "second", "third"].map(|name| directory.path().join(name));
    write_save(&saves[2], 77);
    let mut app = app(HearsayPlugins::open(&saves[0]));
    // The first memory is still being opened.
    for save in &saves[1..] {
        app.world_mut().commands().open_save(save);
    }
    app.settle();
    assert_eq!(phase(&app), MemoryPhase::Playable);
    assert_eq!(app.world().resource::<GameClock>().0, Some(77));
    assert!(!saves[1].exists());
    open_save(&mut app, &saves[0]);
    app.world_mut().commands().open_save(&saves[1]);
    app.world_mut().commands().close_memory();
    app.settle();
    assert_eq!(phase(&app), MemoryPhase::Closed);
    assert_eq!(app.take_errors(), [""; 0]);
}

#[test]
fn a_game_can_open_another_save_after_a_failure() {
    let directory = tempfile::tempdir().unwrap();
    let mut app = app(HearsayPlugins::closed());
    app.world_mut().commands().new_game("campaigns/of-nowhere", directory.path().join("first"));
    app.settle();
    assert_eq!(take_phases(&mut app), [MemoryPhase::Opening, MemoryPhase::Failed]);
    let failure = app.world().resource::<MemoryFailure>().0.to_string();
    assert!(failure.contains("of-nowhere"), "{failure}");
    assert_eq!(app.take_errors(), [failure]);
    open_save(&mut app, &directory.path().join("second"));
    assert_eq!(phase(&app), MemoryPhase::Playable);
    assert!(!app.world().contains_resource::<MemoryFailure>());
}

#[test]
fn exit_waits_for_a_memory_that_is_being_closed() {
    let directory = tempfile::tempdir().unwrap();
    let save = directory.path().join("slot1");
    let mut app = app(HearsayPlugins::open(&save));
    let ann = app.world_mut().spawn((MemoryId::new("ann"), Name::new("Ann"), EntityKind::npc())).id();
    app.settle();
    app.world_mut().commands().entity(ann).say("Good night.");
    app.world_mut().commands().close_memory();
    app.world_mut().write_message(AppExit::Success);
    app.step();
    assert_eq!(app.world().resource::<MemoryExit>().not_committed, 0);
    assert_eq!(passage_texts(&save), ["Good night."]);
}

#[test]
fn an_app_without_the_memory_plugin_reports_it() {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, bevy_hearsay::SyncPlugin::default()));
    app.world_mut().commands().open_save("save");
    app.update();
    let messages = app.world_mut().resource_mut::<Messages<MemoryErrorMessage>>().drain().collect::<Vec<_>>();
    assert!(matches!(
        &messages[..],
        [MemoryErrorMessage { error: HearsayError::PluginMissing(bevy_hearsay::PluginName::Memory), .. }]
    ));
}

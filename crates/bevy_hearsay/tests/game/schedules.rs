//! Tests of the schedules and the settings of the plugins.

use std::{collections::HashSet, thread, time::Duration};

use bevy::{
    asset::AssetPlugin, ecs::schedule::Schedules, input::InputPlugin, scene::ScenePlugin, state::app::StatesPlugin,
    transform::TransformPlugin,
};
use bevy_hearsay::{Autosave, GameEventSettings, MemorySettings, SyncSettings};

use super::*;

#[derive(Component)]
struct Mood(String);

impl SyncedAttribute for Mood {
    const ATTRIBUTE: &'static str = "mood";

    fn to_value(&self) -> Value {
        Value::from(self.0.as_str())
    }

    fn from_value(value: &Value) -> Option<Self> {
        Some(Self(value.to_string()))
    }
}

#[derive(Component)]
struct Trade(String);

impl SyncedAttribute for Trade {
    const ATTRIBUTE: &'static str = "occupation";

    fn to_value(&self) -> Value {
        Value::from(self.0.as_str())
    }

    fn from_value(value: &Value) -> Option<Self> {
        Some(Self(value.to_string()))
    }
}

/// Bevy's detector compares all systems of each schedule, also the systems of Bevy's own plugins.
#[test]
fn the_ambiguity_detector_reports_no_system_of_the_plugins() {
    let mut app = SteppingApp::with(HearsayPlugins::empty(), |app| {
        let bevy_plugins = (StatesPlugin, InputPlugin, TransformPlugin, AssetPlugin::default(), ScenePlugin);
        app.add_plugins(bevy_plugins).sync_attribute::<Mood>().sync_attribute::<Trade>();
    });
    // The first frame builds the schedules.
    app.step();
    let sets = [
        HearsaySystems::Receive,
        HearsaySystems::Apply,
        HearsaySystems::Phase,
        HearsaySystems::Collect,
        HearsaySystems::Send,
        HearsaySystems::Close,
    ];
    let mut system_count = 0;
    for (label, schedule) in app.world().resource::<Schedules>().iter() {
        let graph = schedule.graph();
        let systems = sets.iter().filter_map(|set| graph.systems_in_set(set.intern()).ok()).flatten();
        let systems: HashSet<_> = systems.copied().collect();
        let conflicts = graph.conflicting_systems().0.iter();
        let conflicts = conflicts.filter(|(a, b, _)| systems.contains(a) || systems.contains(b));
        assert_eq!(conflicts.count(), 0, "{label:?}");
        system_count += systems.len();
    }
    assert!(system_count > 20, "{system_count}");
}

#[test]
fn the_schedules_can_be_chosen() {
    for plugins in
        [HearsayPlugins::empty().in_schedules(Update, Update), HearsayPlugins::empty().in_schedules(First, Last)]
    {
        let mut app = SteppingApp::new(plugins);
        let ann = app.world_mut().spawn((MemoryId::new("ann"), Name::new("Ann"), EntityKind::npc())).id();
        let question = app.world_mut().commands().entity(ann).ask("Who are you?").insert(KeepAnswer).id();
        app.settle();
        assert!(app.world().get::<Reply<Answer>>(question).is_some());
        assert_eq!(app.take_errors(), [""; 0]);
        app.world_mut().commands().entity(ann).say("Good night.");
        app.world_mut().write_message(AppExit::Success);
        app.step();
        assert!(is_closed(app.world()));
    }
}

#[derive(Resource, Default)]
struct Runs(usize);

fn count_runs(mut runs: ResMut<Runs>) {
    runs.0 += 1;
}

#[test]
fn the_systems_rest_while_there_is_nothing_to_do() {
    let mut plugins = HearsayPlugins::empty();
    plugins.sync.poll = Duration::from_secs(3600);
    let mut app = SteppingApp::with(plugins, |app| {
        app.init_resource::<Runs>()
            .add_systems(PreUpdate, count_runs.in_set(HearsaySystems::Receive))
            .add_systems(PostUpdate, count_runs.in_set(HearsaySystems::Send));
    });
    app.settle();
    // The memory may still send an event.
    let (mut last_runs, mut idle_frames) = (0, 0);
    for _ in 0..2_000 {
        app.step();
        thread::sleep(Duration::from_millis(1));
        let runs = app.world().resource::<Runs>().0;
        idle_frames = if runs == last_runs { idle_frames + 1 } else { 0 };
        last_runs = runs;
        if idle_frames == 50 {
            break;
        }
    }
    assert_eq!(idle_frames, 50);
    app.world_mut().spawn((MemoryId::new("ann"), EntityKind::npc()));
    app.step();
    assert!(app.world().resource::<Runs>().0 > last_runs, "a change wakes the systems");
}

#[test]
fn resources_of_the_game_win() {
    let insert_resources = |app: &mut App| {
        app.insert_resource(SyncSettings { interval: Duration::from_secs(7), ..SyncSettings::default() })
            .insert_resource(MemorySettings { exit_timeout: Duration::from_secs(7), ..MemorySettings::default() })
            .insert_resource(GameEventSettings { queue_capacity: 7 })
            .insert_resource(Autosave { interval: None, keep: 7 })
            .insert_resource(Earshot::Distance(7.0))
            .insert_resource(SpawnPolicy::Nothing);
    };
    for is_before in [true, false] {
        let mut app = App::new();
        if is_before {
            insert_resources(&mut app);
        }
        app.add_plugins((MinimalPlugins, HearsayPlugins::empty()));
        if !is_before {
            insert_resources(&mut app);
        }
        let world = app.world();
        assert_eq!(world.resource::<SyncSettings>().interval, Duration::from_secs(7));
        assert_eq!(world.resource::<MemorySettings>().exit_timeout, Duration::from_secs(7));
        assert_eq!(world.resource::<GameEventSettings>().queue_capacity, 7);
        assert_eq!(world.resource::<Autosave>().keep, 7);
        assert!(matches!(world.resource::<Earshot>(), Earshot::Distance(distance) if *distance == 7.0));
        assert!(matches!(world.resource::<SpawnPolicy>(), SpawnPolicy::Nothing));
    }
}

#[test]
fn settings_change_at_run_time() {
    let mut app = SteppingApp::new(HearsayPlugins::empty());
    let ann = app.world_mut().spawn((MemoryId::new("ann"), Name::new("Ann"), EntityKind::npc())).id();
    app.settle();
    app.world_mut().resource_mut::<GameEventSettings>().queue_capacity = 1;
    app.world_mut().commands().entity(ann).say("One.").say("Two.");
    app.settle();
    let errors = app.take_errors();
    assert!(matches!(&errors[..], [error] if error.contains("GameEventSettings::queue_capacity")), "{errors:?}");
}

#[test]
fn building_an_app_opens_no_save() {
    let directory = tempfile::tempdir().unwrap();
    let save = directory.path().join("slot1");
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, HearsayPlugins::open(&save)));
    thread::sleep(Duration::from_millis(20));
    assert!(!save.exists());
}

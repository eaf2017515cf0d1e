//! Tests that components and facts keep equal values.

use std::{
    thread,
    time::{Duration, Instant},
};

use bevy_hearsay::{HearsayDiagnosticsPlugin, NpcMemory, SyncSettings, testing::describe_pending_work};
use hearsay_commands::edit::Edit;
use hearsay_engine::Settings;
use hearsay_model::PredicateRole;
use hearsay_query::{journal::UndoTarget, records::Record};

use super::*;

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

fn record(app: &SteppingApp, entity_id: &str) -> Option<Record> {
    let id = id(entity_id);
    read(app, move |world| Record::from_state(&world.state, &id))
}

#[test]
fn a_campaign_becomes_entities() {
    let mut app = SteppingApp::new(HearsayPlugins::unsaved(campaign("tiny-tavern")));
    app.settle();
    let entities = read(&app, |world| world.state.entity_count());
    let mut bound = app.world_mut().query::<(&MemoryId, &EntityKind, &Name, &Attributes)>();
    assert_eq!(bound.iter(app.world()).count(), entities);
    let rook = entity(&mut app, "rook").unwrap();
    let saved = record(&app, "rook").unwrap();
    assert_eq!(app.world().get::<Name>(rook).map(Name::as_str), saved.name.as_deref());
    assert_eq!(app.world().get::<PlaceId>(rook).map(|at| &at.0), saved.place.as_ref());
    let edges = app.world().get::<Relations>(rook).map_or(0, |edges| edges.iter().count());
    assert_eq!(edges, saved.relations.len());
    assert_eq!(app.take_errors(), [""; 0]);
}

#[test]
fn spawned_entities_are_added_to_the_memory() {
    let mut app = SteppingApp::new(HearsayPlugins::empty());
    let smithy = app.world_mut().spawn((Name::new("The Smithy"), MemoryId::new("smithy"), EntityKind::location())).id();
    let smith = app
        .world_mut()
        .spawn((Name::new("Grimjaw Ironhand"), MemoryId::new("grimjaw"), EntityKind::npc(), PlaceId(id("smithy"))))
        .id();
    let nameless = app.world_mut().spawn((Name::new("A Guard"), EntityKind::npc())).id();
    app.settle();
    assert_eq!(app.take_errors(), [""; 0]);
    let saved = record(&app, "grimjaw").unwrap();
    assert_eq!(saved.name.as_deref(), Some("Grimjaw Ironhand"));
    assert_eq!(saved.kind, Some(Kind::Npc));
    assert_eq!(saved.place, Some(id("smithy")));
    assert_eq!(app.world().get::<LocatedIn>(smith), Some(&LocatedIn(smithy)));
    assert_eq!(app.world().get::<Occupants>(smithy).unwrap().iter().collect::<Vec<_>>(), [smith]);
    let generated_id = app.world().get::<MemoryId>(nameless).unwrap().as_str().to_owned();
    assert!(generated_id.starts_with("a-guard-"), "{generated_id}");
    assert_eq!(record(&app, &generated_id).unwrap().name.as_deref(), Some("A Guard"));
    assert_eq!(app.take_errors(), [""; 0]);
}

/// Before the plugin adds an entity with an explicit id, it asks the memory whether the entity already exists.
#[test]
fn changes_that_name_a_new_entity_wait_until_it_is_added() {
    let mut app = SteppingApp::new(HearsayPlugins::unsaved(campaign("tiny-tavern")));
    app.settle();
    app.world_mut().resource_mut::<SyncSettings>().interval = Duration::ZERO;
    let rook = entity(&mut app, "rook").unwrap();
    for n in 0..20 {
        let (group, place) = (format!("guild-{n}"), format!("hall-{n}"));
        let mut commands = app.world_mut().commands();
        let guild = commands.spawn((Name::new("A Guild"), MemoryId::new(&group), EntityKind::faction())).id();
        commands.spawn((Name::new("A Hall"), MemoryId::new(&place), EntityKind::location()));
        commands.entity(rook).join(guild).insert(PlaceId(id(&place)));
        app.settle();
        assert_eq!(app.take_errors(), [""; 0]);
        let saved = record(&app, "rook").unwrap();
        assert_eq!(saved.place, Some(id(&place)));
        assert!(saved.relations.keys().any(|(_, object)| *object == id(&group)), "{:?}", saved.relations);
    }
}

#[test]
fn changed_components_are_recorded() {
    let mut app = SteppingApp::new(HearsayPlugins::unsaved(campaign("tiny-tavern")));
    app.settle();
    let rook = entity(&mut app, "rook").unwrap();
    *app.world_mut().get_mut::<Name>(rook).unwrap() = Name::new("Rook the Bold");
    let mut commands = app.world_mut().commands();
    let guild = commands.spawn((Name::new("The Guild"), MemoryId::new("guild"), EntityKind::faction())).id();
    commands.entity(rook).set_attribute("occupation", "thief").join(guild);
    app.settle();
    assert_eq!(app.take_errors(), [""; 0]);
    let saved = record(&app, "rook").unwrap();
    assert_eq!(saved.name.as_deref(), Some("Rook the Bold"));
    assert_eq!(
        saved.attributes.iter().find(|(name, _)| name.as_str() == "occupation").unwrap().1,
        &Value::from("thief")
    );
    assert!(saved.relations.keys().any(|(name, to)| PredicateRole::Membership.is(name) && to.as_str() == "guild"));
    app.world_mut().commands().entity(rook).leave("guild").remove_attribute("occupation");
    app.settle();
    let saved = record(&app, "rook").unwrap();
    assert!(saved.relations.keys().all(|(_, to)| to.as_str() != "guild"));
    assert!(saved.attributes.keys().all(|name| name.as_str() != "occupation"));
    assert_eq!(app.take_errors(), [""; 0]);
}

#[test]
fn changes_from_elsewhere_change_components() {
    let mut app = SteppingApp::new(HearsayPlugins::unsaved(campaign("tiny-tavern")));
    app.settle();
    let rook = entity(&mut app, "rook").unwrap();
    let before = app.world().get::<Attributes>(rook).cloned();
    let set = Edit::Set {
        entity: id("rook"),
        attribute: "occupation".into(),
        value: "spy".into(),
        options: Default::default(),
    };
    let edited = memory(&app).edit(set).unwrap();
    edited.wait().unwrap();
    app.settle();
    assert_eq!(app.world().get::<Attributes>(rook).unwrap().get("occupation"), Some(&Value::from("spy")));
    let undone = memory(&app).undo(UndoTarget::Last).unwrap();
    undone.wait().unwrap();
    app.settle();
    assert_eq!(app.world().get::<Attributes>(rook).cloned(), before);
    let removed = memory(&app).edit(Edit::RemoveEntity { entity: id("rook") }).unwrap();
    removed.wait().unwrap();
    app.settle();
    assert!(app.world().get_entity(rook).is_err(), "the plugin despawns the entity");
}

/// The memory keeps at most 1,024 events that the game has not received, and drops later events.
#[test]
fn dropped_events_are_healed_without_diagnostics() {
    let mut plugins = HearsayPlugins::unsaved(campaign("tiny-tavern"));
    let mut settings = Settings::default();
    (settings.model.enabled, settings.extraction.enabled) = (false, false);
    plugins.memory.settings = Some(settings);
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, plugins.build().disable::<HearsayDiagnosticsPlugin>()));
    app.finish();
    app.cleanup();
    let step_until = |app: &mut App, is_done: &dyn Fn(&App) -> bool| {
        let start = Instant::now();
        while !is_done(app) {
            app.update();
            thread::sleep(Duration::from_millis(1));
            assert!(start.elapsed() < SteppingApp::SETTLE_TIMEOUT, "the app still has pending work");
        }
    };
    step_until(&mut app, &|app| describe_pending_work(app.world()).is_empty());
    let set = |app: &App, entity: &str, value: String| {
        let (entity, attribute, options) = (id(entity), "occupation".into(), Default::default());
        let edit = Edit::Set { entity, attribute, value, options };
        app.world().resource::<NpcMemory>().get().unwrap().edit(edit).unwrap().wait().unwrap();
    };
    for number in 0..1_030 {
        set(&app, "rook", format!("spy {number}"));
    }
    set(&app, "tilda-bun", "spy".into());
    let mut ids = app.world_mut().query::<(Entity, &MemoryId)>();
    let (tilda, _) = ids.iter(app.world()).find(|(_, id)| id.as_str() == "tilda-bun").unwrap();
    let spy = Value::from("spy");
    step_until(&mut app, &|app| app.world().get::<Attributes>(tilda).unwrap().get("occupation") == Some(&spy));
}

#[test]
fn despawning_unloads_and_records_nothing() {
    let mut app = SteppingApp::new(HearsayPlugins::unsaved(campaign("tiny-tavern")).spawn_policy(SpawnPolicy::Nothing));
    let tavern = app.world_mut().spawn(MemoryId::new("tavern-of-nowhere")).id();
    let rook = app.world_mut().spawn(MemoryId::new("rook")).id();
    app.settle();
    app.world_mut().entity_mut(rook).insert(PlaceId(id("tavern-of-nowhere")));
    app.settle();
    let position = read(&app, |world| world.state.position());
    assert_eq!(app.world().get::<LocatedIn>(rook), Some(&LocatedIn(tavern)));
    app.world_mut().despawn(tavern);
    app.settle();
    assert_eq!(app.world().get::<LocatedIn>(rook), None);
    assert_eq!(app.world().get::<PlaceId>(rook), Some(&PlaceId(id("tavern-of-nowhere"))));
    app.world_mut().despawn(rook);
    app.settle();
    assert_eq!(read(&app, |world| world.state.position()), position, "nothing was written");
    // A change in the last frame is saved.
    let rook = app.world_mut().spawn(MemoryId::new("rook")).id();
    app.settle();
    app.world_mut().entity_mut(rook).insert(Name::new("Rook the Gone"));
    app.world_mut().despawn(rook);
    app.settle();
    assert_eq!(record(&app, "rook").unwrap().name.as_deref(), Some("Rook the Gone"));
}

#[test]
fn saved_state_wins_unless_the_game_says_otherwise() {
    let mut app = SteppingApp::new(HearsayPlugins::unsaved(campaign("tiny-tavern")).spawn_policy(SpawnPolicy::Nothing));
    let rook = app.world_mut().spawn((MemoryId::new("rook"), Name::new("Placeholder"))).id();
    let moss = app.world_mut().spawn((MemoryId::new("gaffer-moss"), Name::new("New Moss"), PreferGameState)).id();
    app.settle();
    let saved_name = record(&app, "rook").unwrap().name.unwrap();
    assert_ne!(saved_name, "Placeholder");
    assert_eq!(app.world().get::<Name>(rook).unwrap().as_str(), saved_name);
    assert_eq!(record(&app, "gaffer-moss").unwrap().name.as_deref(), Some("New Moss"));
    assert_eq!(app.world().get::<Name>(moss).unwrap().as_str(), "New Moss");
}

#[test]
fn a_second_entity_with_the_same_id_is_reported() {
    let mut app = SteppingApp::new(HearsayPlugins::empty());
    app.world_mut().spawn((MemoryId::new("ann"), EntityKind::npc()));
    app.settle();
    app.world_mut().spawn((MemoryId::new("ann"), EntityKind::npc(), Name::new("Other Ann")));
    app.step();
    let errors = app.take_errors();
    assert!(errors.iter().any(|text| text.contains("already has the id `ann`")), "{errors:?}");
    app.settle();
    assert_ne!(record(&app, "ann").unwrap().name.as_deref(), Some("Other Ann"));
}

#[test]
fn the_spawn_policy_can_change_at_run_time() {
    let mut app = SteppingApp::new(HearsayPlugins::unsaved(campaign("gullhaven")).spawn_policy(SpawnPolicy::Nothing));
    app.settle();
    let count = |app: &mut SteppingApp| app.world_mut().query::<&MemoryId>().iter(app.world()).count();
    assert_eq!(count(&mut app), 0);
    let mirela = record(&app, "mirela-voss").unwrap();
    *app.world_mut().resource_mut::<SpawnPolicy>() = SpawnPolicy::near([mirela.place.clone().unwrap().as_str()], 0);
    app.settle();
    assert!(entity(&mut app, "mirela-voss").is_some());
    let near = count(&mut app);
    *app.world_mut().resource_mut::<SpawnPolicy>() = SpawnPolicy::All;
    app.settle();
    let all = count(&mut app);
    assert!(near < all, "{near} < {all}");
    assert_eq!(all, read(&app, |world| world.state.entity_count()));
    *app.world_mut().resource_mut::<SpawnPolicy>() =
        SpawnPolicy::matching(|state, id| state.kind(id) == Some(Kind::Faction));
    app.settle();
    let mut kinds = app.world_mut().query::<&EntityKind>();
    assert!(kinds.iter(app.world()).all(|kind| kind.0 == Kind::Faction));
    assert!(kinds.iter(app.world()).count() > 0);
}

#[derive(Component, Debug, PartialEq)]
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

#[test]
fn a_synced_attribute_of_a_game_is_stored() {
    let mut app = SteppingApp::new(HearsayPlugins::empty());
    app.sync_attribute::<Mood>();
    let ann = app.world_mut().spawn((MemoryId::new("ann"), EntityKind::npc(), Mood("merry".into()))).id();
    app.settle();
    let mood = |app: &SteppingApp| {
        let saved = record(app, "ann").unwrap();
        saved.attributes.iter().find(|(name, _)| name.as_str() == "mood").map(|(_, value)| value.to_string())
    };
    assert_eq!(mood(&app).as_deref(), Some("merry"));
    app.world_mut().get_mut::<Mood>(ann).unwrap().0 = "glum".into();
    app.settle();
    assert_eq!(mood(&app).as_deref(), Some("glum"));
    let undone = memory(&app).undo(UndoTarget::Last).unwrap();
    undone.wait().unwrap();
    app.settle();
    assert_eq!(app.world().get::<Mood>(ann), Some(&Mood("merry".into())));
    app.world_mut().entity_mut(ann).remove::<Mood>();
    app.settle();
    assert_eq!(mood(&app), None);
    app.world_mut().entity_mut(ann).insert(Mood("sly".into()));
    app.world_mut().despawn(ann);
    app.settle();
    let ann = app.world_mut().spawn(MemoryId::new("ann")).id();
    app.settle();
    assert_eq!(mood(&app), None, "a component inserted in the frame of the despawn is not recorded");
    assert_eq!(app.world().get::<Mood>(ann), None);
}

//! Tests that components and memory are equal after random changes in the game and in the memory. There must be no echo
//! and no lost update.

use std::collections::BTreeMap;

use hearsay_commands::edit::Edit;
use hearsay_model::Predicate;
use hearsay_query::{journal::UndoTarget, records::Record};
use proptest::prelude::*;

use super::*;

const IDS: [&str; 6] = ["ann", "bob", "cid", "inn", "pier", "guild"];

/// One random step, by the game or by another author.
#[derive(Debug, Clone)]
enum RandomStep {
    Spawn(usize),
    Despawn(usize),
    Rename(usize, u8),
    MoveTo(usize, usize),
    RemovePlace(usize),
    SetAttribute(usize, u8),
    RemoveAttribute(usize),
    Join(usize),
    Leave(usize),
    Erase(usize),
    OtherRename(usize, u8),
    OtherMoveTo(usize, usize),
    OtherSetAttribute(usize, u8),
    OtherJoin(usize),
    OtherRemove(usize),
    Undo,
    SaveSlot(u8),
    LoadSlot(u8),
    SpawnPolicy(u8),
    Steps(u8),
    Settle,
}

fn random_steps() -> impl Strategy<Value = RandomStep> {
    let (index, place) = (0..3_usize, 3..5_usize);
    prop_oneof![
        6 => (0..6_usize).prop_map(RandomStep::Spawn),
        2 => (0..6_usize).prop_map(RandomStep::Despawn),
        4 => (index.clone(), 0..4_u8).prop_map(|(index, name)| RandomStep::Rename(index, name)),
        6 => (index.clone(), place.clone()).prop_map(|(index, place)| RandomStep::MoveTo(index, place)),
        1 => index.clone().prop_map(RandomStep::RemovePlace),
        4 => (index.clone(), 0..4_u8).prop_map(|(index, value)| RandomStep::SetAttribute(index, value)),
        2 => index.clone().prop_map(RandomStep::RemoveAttribute),
        2 => index.clone().prop_map(RandomStep::Join),
        2 => index.clone().prop_map(RandomStep::Leave),
        1 => index.clone().prop_map(RandomStep::Erase),
        3 => (index.clone(), 0..4_u8).prop_map(|(index, name)| RandomStep::OtherRename(index, name)),
        3 => (index.clone(), place).prop_map(|(index, place)| RandomStep::OtherMoveTo(index, place)),
        3 => (index.clone(), 0..4_u8).prop_map(|(index, value)| RandomStep::OtherSetAttribute(index, value)),
        2 => index.clone().prop_map(RandomStep::OtherJoin),
        1 => index.prop_map(RandomStep::OtherRemove),
        2 => Just(RandomStep::Undo),
        2 => (0..2_u8).prop_map(RandomStep::SaveSlot),
        2 => (0..2_u8).prop_map(RandomStep::LoadSlot),
        1 => (0..3_u8).prop_map(RandomStep::SpawnPolicy),
        6 => (1..8_u8).prop_map(RandomStep::Steps),
        1 => Just(RandomStep::Settle),
    ]
}

fn kind(index: usize) -> EntityKind {
    match index {
        0..3 => EntityKind::npc(),
        3..5 => EntityKind::location(),
        _ => EntityKind::faction(),
    }
}

fn value(number: u8) -> String {
    format!("value {number}")
}

fn apply_step(app: &mut SteppingApp, step: &RandomStep) {
    let find_entity = |app: &mut SteppingApp, index: usize| entity(app, IDS[index]);
    // Some edits fail because the entity does not exist. The test ignores the error.
    let edit = |app: &SteppingApp, edit: Edit| drop(memory(app).edit(edit).unwrap().wait());
    let id = |index: usize| EntityId::new(IDS[index]).unwrap();
    match step.clone() {
        RandomStep::Spawn(index) => {
            if find_entity(app, index).is_none() {
                app.world_mut().spawn((MemoryId::new(IDS[index]), kind(index), Name::new(IDS[index])));
            }
        }
        RandomStep::Despawn(index) => {
            if let Some(entity) = find_entity(app, index) {
                app.world_mut().despawn(entity);
            }
        }
        RandomStep::Rename(index, name) => {
            if let Some(entity) = find_entity(app, index) {
                app.world_mut().entity_mut(entity).insert(Name::new(format!("Name {name}")));
            }
        }
        RandomStep::MoveTo(index, place) => {
            if let Some(entity) = find_entity(app, index) {
                app.world_mut().entity_mut(entity).insert(PlaceId(id(place)));
            }
        }
        RandomStep::RemovePlace(index) => {
            if let Some(entity) = find_entity(app, index) {
                app.world_mut().entity_mut(entity).remove::<PlaceId>();
            }
        }
        RandomStep::SetAttribute(index, number) => {
            if let Some(entity) = find_entity(app, index) {
                app.world_mut().commands().entity(entity).set_attribute("occupation", value(number));
                app.world_mut().flush();
            }
        }
        RandomStep::RemoveAttribute(index) => {
            if let Some(entity) = find_entity(app, index) {
                app.world_mut().commands().entity(entity).remove_attribute("occupation");
                app.world_mut().flush();
            }
        }
        RandomStep::Join(index) => {
            if let Some(entity) = find_entity(app, index) {
                app.world_mut().commands().entity(entity).join("guild");
                app.world_mut().flush();
            }
        }
        RandomStep::Leave(index) => {
            if let Some(entity) = find_entity(app, index) {
                app.world_mut().commands().entity(entity).leave("guild");
                app.world_mut().flush();
            }
        }
        RandomStep::Erase(index) => {
            if let Some(entity) = find_entity(app, index) {
                app.world_mut().commands().entity(entity).erase();
                app.world_mut().flush();
            }
        }
        RandomStep::OtherRename(index, name) => {
            let value = format!("Other {name}");
            edit(app, Edit::Set { entity: id(index), attribute: "name".into(), value, options: Default::default() });
        }
        RandomStep::OtherMoveTo(index, place) => {
            let (subject, object) = (id(index), id(place));
            edit(app, Edit::Relate { subject, predicate: "LOCATED_AT".into(), object, options: Default::default() });
        }
        RandomStep::OtherSetAttribute(index, number) => {
            let (entity, attribute) = (id(index), "occupation".into());
            edit(app, Edit::Set { entity, attribute, value: value(number), options: Default::default() });
        }
        RandomStep::OtherJoin(index) => {
            let (subject, object) = (id(index), id(5));
            edit(app, Edit::Relate { subject, predicate: "MEMBER_OF".into(), object, options: Default::default() });
        }
        RandomStep::OtherRemove(index) => edit(app, Edit::RemoveEntity { entity: id(index) }),
        RandomStep::Undo => drop(memory(app).undo(UndoTarget::Last).unwrap().wait()),
        RandomStep::SaveSlot(slot) => app.world_mut().commands().save_slot(format!("slot {slot}")),
        RandomStep::LoadSlot(slot) => app.world_mut().commands().load_slot(format!("slot {slot}")),
        RandomStep::SpawnPolicy(index) => {
            let chosen = match index {
                0 => SpawnPolicy::All,
                1 => SpawnPolicy::Nothing,
                _ => SpawnPolicy::near(["inn"], 0),
            };
            *app.world_mut().resource_mut::<SpawnPolicy>() = chosen;
        }
        RandomStep::Steps(count) => (0..count).for_each(|_| app.step()),
        RandomStep::Settle => app.settle(),
    }
}

/// Returns the record that the components of an entity show.
fn component_record(app: &SteppingApp, entity: Entity) -> Record {
    let world = app.world();
    let relations = world.get::<Relations>(entity).map(|edges| edges.iter().collect::<Vec<_>>()).unwrap_or_default();
    let relations = relations.into_iter().filter_map(|edge| world.get::<Relation>(edge));
    Record {
        id: world.get::<MemoryId>(entity).unwrap().get().unwrap().clone(),
        kind: world.get::<EntityKind>(entity).map(|kind| kind.0.clone()),
        name: world.get::<Name>(entity).map(|name| name.as_str().to_owned()),
        place: world.get::<PlaceId>(entity).map(|at| at.0.clone()),
        attributes: world.get::<Attributes>(entity).map(|shown| shown.0.clone()).unwrap_or_default(),
        relations: relations
            .map(|relation| ((relation.predicate.clone(), relation.object.clone()), relation.attitude))
            .collect::<BTreeMap<(Predicate, EntityId), _>>(),
    }
}

fn check(app: &mut SteppingApp, steps: &[RandomStep]) {
    let mut ids = app.world_mut().query::<(Entity, &MemoryId)>();
    let bound: Vec<(Entity, EntityId)> =
        ids.iter(app.world()).map(|(entity, id)| (entity, id.get().unwrap().clone())).collect();
    let bound_ids: Vec<EntityId> = bound.iter().map(|(_, id)| id.clone()).collect();
    let records: Vec<Option<Record>> =
        read(app, move |world| bound_ids.iter().map(|id| Record::from_state(&world.state, id)).collect());
    for ((entity, id), record) in bound.iter().zip(records) {
        let record = record.unwrap_or_else(|| panic!("`{id}` has a Bevy entity, but is not in the memory: {steps:?}"));
        assert_eq!(component_record(app, *entity), record, "{steps:?}");
        // The entity has a `LocatedIn` component if its place is loaded.
        let place = record.place.as_ref().and_then(|place| bound.iter().find(|(_, id)| id == place));
        assert_eq!(app.world().get::<LocatedIn>(*entity).map(|at| at.0), place.map(|(place, _)| *place), "{steps:?}");
        if let Some((place, _)) = place {
            assert!(
                app.world().get::<Occupants>(*place).unwrap().iter().any(|occupant| occupant == *entity),
                "{steps:?}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 500, max_shrink_time: 60_000, ..ProptestConfig::default() })]

    #[test]
    fn both_sides_converge(steps in prop::collection::vec(random_steps(), 1..60), interval in 0..2_u64) {
        let mut plugins = HearsayPlugins::empty();
        plugins.sync.interval = std::time::Duration::from_millis(interval);
        let mut app = SteppingApp::new(plugins);
        // Edits by the DM need an open memory.
        app.settle();
        for step in &steps {
            apply_step(&mut app, step);
        }
        app.settle();
        check(&mut app, &steps);
        // An entity that the game despawned is not spawned again until the spawn policy changes.
        *app.world_mut().resource_mut::<SpawnPolicy>() = SpawnPolicy::All;
        app.settle();
        check(&mut app, &steps);
        let bound_count = app.world_mut().query::<&MemoryId>().iter(app.world()).count();
        prop_assert_eq!(bound_count, read(&app, |world| world.state.entity_count()), "{:?}", steps);
    }
}

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
enum Move {
    Spawn(usize),
    Despawn(usize),
    Rename(usize, u8),
    Go(usize, usize),
    Lose(usize),
    Set(usize, u8),
    Unset(usize),
    Join(usize),
    Leave(usize),
    Erase(usize),
    ElsewhereRename(usize, u8),
    ElsewhereGo(usize, usize),
    ElsewhereSet(usize, u8),
    ElsewhereJoin(usize),
    ElsewhereRemove(usize),
    Undo,
    SaveSlot(u8),
    LoadSlot(u8),
    SpawnPolicy(u8),
    Steps(u8),
    Settle,
}

fn moves() -> impl Strategy<Value = Move> {
    let (who, place) = (0..3_usize, 3..5_usize);
    prop_oneof![
        6 => (0..6_usize).prop_map(Move::Spawn),
        2 => (0..6_usize).prop_map(Move::Despawn),
        4 => (who.clone(), 0..4_u8).prop_map(|(who, name)| Move::Rename(who, name)),
        6 => (who.clone(), place.clone()).prop_map(|(who, place)| Move::Go(who, place)),
        1 => who.clone().prop_map(Move::Lose),
        4 => (who.clone(), 0..4_u8).prop_map(|(who, value)| Move::Set(who, value)),
        2 => who.clone().prop_map(Move::Unset),
        2 => who.clone().prop_map(Move::Join),
        2 => who.clone().prop_map(Move::Leave),
        1 => who.clone().prop_map(Move::Erase),
        3 => (who.clone(), 0..4_u8).prop_map(|(who, name)| Move::ElsewhereRename(who, name)),
        3 => (who.clone(), place).prop_map(|(who, place)| Move::ElsewhereGo(who, place)),
        3 => (who.clone(), 0..4_u8).prop_map(|(who, value)| Move::ElsewhereSet(who, value)),
        2 => who.clone().prop_map(Move::ElsewhereJoin),
        1 => who.prop_map(Move::ElsewhereRemove),
        2 => Just(Move::Undo),
        2 => (0..2_u8).prop_map(Move::SaveSlot),
        2 => (0..2_u8).prop_map(Move::LoadSlot),
        1 => (0..3_u8).prop_map(Move::SpawnPolicy),
        6 => (1..8_u8).prop_map(Move::Steps),
        1 => Just(Move::Settle),
    ]
}

fn kind(which: usize) -> Remembered {
    match which {
        0..3 => Remembered::npc(),
        3..5 => Remembered::location(),
        _ => Remembered::faction(),
    }
}

fn value(number: u8) -> String {
    format!("value {number}")
}

fn play(app: &mut SteppingApp, step: &Move) {
    let of = |app: &mut SteppingApp, which: usize| entity(app, IDS[which]);
    // Some edits fail because the entity does not exist. The test ignores the error.
    let edit = |app: &SteppingApp, edit: Edit| drop(memory(app).edit(edit).unwrap().wait());
    let id = |which: usize| EntityId::new(IDS[which]).unwrap();
    match step.clone() {
        Move::Spawn(which) => {
            if of(app, which).is_none() {
                app.world_mut().spawn((MemoryId::new(IDS[which]), kind(which), Name::new(IDS[which])));
            }
        }
        Move::Despawn(which) => {
            if let Some(entity) = of(app, which) {
                app.world_mut().despawn(entity);
            }
        }
        Move::Rename(who, name) => {
            if let Some(entity) = of(app, who) {
                app.world_mut().entity_mut(entity).insert(Name::new(format!("Name {name}")));
            }
        }
        Move::Go(who, place) => {
            if let Some(entity) = of(app, who) {
                app.world_mut().entity_mut(entity).insert(PlaceId(id(place)));
            }
        }
        Move::Lose(who) => {
            if let Some(entity) = of(app, who) {
                app.world_mut().entity_mut(entity).remove::<PlaceId>();
            }
        }
        Move::Set(who, number) => {
            if let Some(entity) = of(app, who) {
                app.world_mut().commands().entity(entity).set_attribute("occupation", value(number));
                app.world_mut().flush();
            }
        }
        Move::Unset(who) => {
            if let Some(entity) = of(app, who) {
                app.world_mut().commands().entity(entity).remove_attribute("occupation");
                app.world_mut().flush();
            }
        }
        Move::Join(who) => {
            if let Some(entity) = of(app, who) {
                app.world_mut().commands().entity(entity).join("guild");
                app.world_mut().flush();
            }
        }
        Move::Leave(who) => {
            if let Some(entity) = of(app, who) {
                app.world_mut().commands().entity(entity).leave("guild");
                app.world_mut().flush();
            }
        }
        Move::Erase(who) => {
            if let Some(entity) = of(app, who) {
                app.world_mut().commands().entity(entity).erase();
                app.world_mut().flush();
            }
        }
        Move::ElsewhereRename(who, name) => {
            let value = format!("Other {name}");
            edit(
                app,
                Edit::Set { entity: IDS[who].into(), attribute: "name".into(), value, options: Default::default() },
            );
        }
        Move::ElsewhereGo(who, place) => {
            let (subject, object) = (IDS[who].into(), IDS[place].into());
            edit(app, Edit::Relate { subject, predicate: "LOCATED_AT".into(), object, options: Default::default() });
        }
        Move::ElsewhereSet(who, number) => {
            let (entity, attribute) = (IDS[who].into(), "occupation".into());
            edit(app, Edit::Set { entity, attribute, value: value(number), options: Default::default() });
        }
        Move::ElsewhereJoin(who) => {
            let (subject, object) = (IDS[who].into(), IDS[5].into());
            edit(app, Edit::Relate { subject, predicate: "MEMBER_OF".into(), object, options: Default::default() });
        }
        Move::ElsewhereRemove(who) => edit(app, Edit::RemoveEntity { entity: IDS[who].into() }),
        Move::Undo => drop(memory(app).undo(UndoTarget::Last).unwrap().wait()),
        Move::SaveSlot(slot) => app.world_mut().commands().save_slot(format!("slot {slot}")),
        Move::LoadSlot(slot) => app.world_mut().commands().load_slot(format!("slot {slot}")),
        Move::SpawnPolicy(which) => {
            let chosen = match which {
                0 => SpawnPolicy::All,
                1 => SpawnPolicy::Nothing,
                _ => SpawnPolicy::near(["inn"], 0),
            };
            *app.world_mut().resource_mut::<SpawnPolicy>() = chosen;
        }
        Move::Steps(count) => (0..count).for_each(|_| app.step()),
        Move::Settle => app.settle(),
    }
}

/// Returns the record that the components of an entity show.
fn shown(app: &SteppingApp, entity: Entity) -> Record {
    let world = app.world();
    let relations = world.get::<Relations>(entity).map(|edges| edges.iter().collect::<Vec<_>>()).unwrap_or_default();
    let relations = relations.into_iter().filter_map(|edge| world.get::<Relation>(edge));
    Record {
        id: world.get::<MemoryId>(entity).unwrap().get().unwrap().clone(),
        kind: world.get::<Remembered>(entity).map(|kind| kind.0.clone()),
        name: world.get::<Name>(entity).map(|name| name.as_str().to_owned()),
        place: world.get::<PlaceId>(entity).map(|at| at.0.clone()),
        attributes: world.get::<Attributes>(entity).map(|shown| shown.0.clone()).unwrap_or_default(),
        relations: relations
            .map(|relation| ((relation.predicate.clone(), relation.object.clone()), relation.attitude))
            .collect::<BTreeMap<(Predicate, EntityId), _>>(),
    }
}

fn check(app: &mut SteppingApp, played: &[Move]) {
    let mut ids = app.world_mut().query::<(Entity, &MemoryId)>();
    let bound: Vec<(Entity, EntityId)> =
        ids.iter(app.world()).map(|(entity, id)| (entity, id.get().unwrap().clone())).collect();
    let asked: Vec<EntityId> = bound.iter().map(|(_, id)| id.clone()).collect();
    let kept: Vec<Option<Record>> =
        read(app, move |world| asked.iter().map(|id| Record::of(&world.state, id)).collect());
    for ((entity, id), kept) in bound.iter().zip(kept) {
        let kept = kept.unwrap_or_else(|| panic!("`{id}` is shown and not held: {played:?}"));
        assert_eq!(shown(app, *entity), kept, "{played:?}");
        // The entity has a `LocatedIn` component if its place is loaded.
        let place = kept.place.as_ref().and_then(|place| bound.iter().find(|(_, id)| id == place));
        assert_eq!(app.world().get::<LocatedIn>(*entity).map(|at| at.0), place.map(|(place, _)| *place), "{played:?}");
        if let Some((place, _)) = place {
            assert!(app.world().get::<Occupants>(*place).unwrap().iter().any(|there| there == *entity), "{played:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 500, max_shrink_time: 60_000, ..ProptestConfig::default() })]

    #[test]
    fn both_sides_converge(played in prop::collection::vec(moves(), 1..60), interval in 0..2_u64) {
        let mut plugins = HearsayPlugins::empty();
        plugins.sync.interval = std::time::Duration::from_millis(interval);
        let mut app = SteppingApp::new(plugins);
        // Edits by the DM need an open memory.
        app.settle();
        for step in &played {
            play(&mut app, step);
        }
        app.settle();
        check(&mut app, &played);
        // An entity that the game despawned is not spawned again until the spawn policy changes.
        *app.world_mut().resource_mut::<SpawnPolicy>() = SpawnPolicy::All;
        app.settle();
        check(&mut app, &played);
        let shown = app.world_mut().query::<&MemoryId>().iter(app.world()).count();
        prop_assert_eq!(shown, read(&app, |world| world.state.entity_count()), "{:?}", played);
    }
}

//! Tests of components in scenes: in `bsn!`, by reflection, and serialised.

use bevy::{
    asset::AssetPlugin,
    reflect::{TypeRegistry, serde::TypedReflectSerializer},
    scene::{ScenePlugin, prelude::*},
};

use super::*;

#[derive(Component, Default, Clone)]
#[require(EntityKind::npc())]
struct Blacksmith;

#[test]
fn a_scene_can_contain_remembered_entities() {
    let mut app = SteppingApp::with(HearsayPlugins::empty(), |app| {
        app.add_plugins((AssetPlugin::default(), ScenePlugin));
    });
    app.world_mut()
        .spawn_scene(bsn! {
            #Grimjaw
            Blacksmith
            template_value(MemoryId::new("grimjaw"))
        })
        .unwrap();
    app.settle();
    let grimjaw = entity(&mut app, "grimjaw").unwrap();
    assert_eq!(app.world().get::<EntityKind>(grimjaw), Some(&EntityKind::npc()));
    let name = read(&app, |world| {
        let id = EntityId::new("grimjaw").unwrap();
        world.state.name(&id).map(str::to_owned)
    });
    assert_eq!(name.as_deref(), Some("Grimjaw"));
}

#[test]
fn components_are_registered_and_serialised() {
    let app = SteppingApp::new(HearsayPlugins::empty());
    let registry = app.world().resource::<AppTypeRegistry>().read();
    let check = |registry: &TypeRegistry, value: &dyn PartialReflect, expected: &str| {
        let json = serde_json::to_string(&TypedReflectSerializer::new(value, registry)).unwrap();
        assert_eq!(json, expected);
    };
    check(&registry, &MemoryId::new("Grimjaw Ironhand"), r#""grimjaw-ironhand""#);
    check(&registry, &EntityKind::faction(), r#""faction""#);
    check(&registry, &PlaceId::new("Salt Quay"), r#""salt-quay""#);
    let registration =
        |name: &str| registry.get_with_short_type_path(name).unwrap_or_else(|| panic!("{name} is not registered"));
    for name in
        ["MemoryId", "EntityKind", "PlaceId", "LocatedIn", "Occupants", "Attributes", "Relation", "SpawnedByHearsay"]
    {
        assert!(registration(name).data::<ReflectComponent>().is_some(), "{name} is not reflected as a component");
    }
}

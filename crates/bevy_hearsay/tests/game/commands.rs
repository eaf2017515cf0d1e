//! Tests of commands for relations, lies, flags and gossip, and of the lookup of entities.

use bevy::ecs::system::RunSystemOnce;
use hearsay_commands::edit::Edit;
use hearsay_model::FactStatus;

use super::*;

/// Makes an app with Ann and Bob in the inn.
fn village() -> (SteppingApp, Entity, Entity) {
    let mut app = SteppingApp::new(HearsayPlugins::empty());
    app.world_mut().spawn((MemoryId::new("the-inn"), Name::new("The Inn"), EntityKind::location()));
    let [ann, bob] = [("ann", "Ann"), ("bob", "Bob")].map(|(id, name)| {
        let character = (MemoryId::new(id), Name::new(name), EntityKind::npc(), PlaceId::new("The Inn"));
        app.world_mut().spawn(character).id()
    });
    app.settle();
    (app, ann, bob)
}

/// Returns the attitudes of Ann's relations to Bob, in the memory and in the components.
fn attitudes(app: &SteppingApp, ann: Entity) -> (Vec<Option<i8>>, Vec<Option<i8>>) {
    let saved = read(app, |world| {
        let ann = hearsay_query::records::Record::from_state(&world.state, &EntityId::new("ann").unwrap()).unwrap();
        ann.relations.into_iter().filter(|((_, to), _)| to.as_str() == "bob").map(|(_, attitude)| attitude).collect()
    });
    let relations = app.world().get::<Relations>(ann).map(|relations| relations.iter().collect::<Vec<_>>());
    let relations = relations.unwrap_or_default().into_iter().filter_map(|edge| app.world().get::<Relation>(edge));
    (saved, relations.map(|relation| relation.attitude).collect())
}

#[test]
fn a_relation_has_an_attitude() {
    let (mut app, ann, bob) = village();
    app.world_mut().commands().entity(ann).relate("TRUSTS", bob).attitude(90).set_attribute("strength", 3);
    app.settle();
    assert_eq!(attitudes(&app, ann), (vec![Some(90)], vec![Some(90)]));
    app.world_mut().commands().entity(ann).set_attitude("TRUSTS", EntityId::new("bob").unwrap(), -20);
    app.settle();
    assert_eq!(attitudes(&app, ann), (vec![Some(-20)], vec![Some(-20)]));
    app.world_mut().commands().entity(ann).unrelate("TRUSTS", bob).relate("OWES", bob).set_attribute("strength", 4);
    app.settle();
    assert_eq!(attitudes(&app, ann), (vec![None], vec![None]));
    assert_eq!(app.take_errors(), [""; 0]);
    // A refused attitude does not stay in the component.
    app.world_mut().commands().entity(ann).set_attitude("OWES", bob, 120);
    app.settle();
    assert_eq!(attitudes(&app, ann), (vec![None], vec![None]));
    let errors = app.take_errors();
    assert!(errors.iter().any(|error| error.contains("attitude must be from -100 to 100")), "{errors:?}");
}

#[test]
fn a_lie_is_false_but_its_hearer_learns_it() {
    let (mut app, ann, bob) = village();
    app.world_mut().commands().entity(ann).lie_to(bob, Statement::lore("the-inn", "The inn is haunted."));
    app.settle();
    let (status, knowers) = read(&app, |world| {
        let inn = EntityId::new("the-inn").unwrap();
        let fact = world.state.facts_of(&inn).find(|fact| fact.statement().contains("haunted")).unwrap();
        let knowers = world.state.known_by(fact.id()).filter(|edge| edge.acquisition.gives_knowledge());
        (fact.status(), knowers.map(|edge| edge.knower.as_str().to_owned()).collect::<Vec<_>>())
    });
    assert_eq!((status, knowers), (FactStatus::False, vec!["bob".to_owned()]));
}

#[test]
fn a_game_sets_flags_and_lets_time_pass() {
    let (mut app, ..) = village();
    for (name, value) in [("fire-reported", "no"), ("favour", "0")] {
        let declare = Edit::DeclareFlag { name: name.into(), value: value.into() };
        memory(&app).edit(declare).unwrap().wait().unwrap();
    }
    app.world_mut().resource_mut::<GameClock>().0 = Some(600);
    let mut commands = app.world_mut().commands();
    commands.set_flag("fire-reported", true);
    commands.set_flag("favour", 3);
    commands.gossip(2);
    app.settle();
    assert_eq!(app.take_errors(), [""; 0]);
    let (flags, passed) = read(&app, |world| {
        let flags = ["fire-reported", "favour"].map(|name| world.state.flag(name).cloned());
        (flags, (world.state.clock().unwrap().0 - 600) / world.state.calendar().minutes_per_day())
    });
    assert_eq!(flags, [Some(Value::from(true)), Some(Value::from(3))]);
    assert_eq!(passed, 2);
    app.world_mut().commands().set_flag("no-such-flag", true);
    app.settle();
    let errors = app.take_errors();
    assert!(errors.iter().any(|error| error.contains("no-such-flag")), "{errors:?}");
}

#[test]
fn ids_and_bevy_entities_are_found() {
    let (mut app, ann, _) = village();
    let stranger = app.world_mut().spawn_empty().id();
    let found = app.world_mut().run_system_once(move |entities: MemoryEntities| {
        let ids = [ann, stranger].map(|entity| entities.id(entity).map(EntityId::to_string));
        let entities = ["ann", "nobody"].map(|id| entities.entity(&EntityId::new(id).unwrap()));
        (ids, entities)
    });
    assert_eq!(found.unwrap(), ([Some("ann".to_owned()), None], [Some(ann), None]));
    app.world_mut().despawn(ann);
    let found =
        app.world_mut().run_system_once(|entities: MemoryEntities| entities.entity(&EntityId::new("ann").unwrap()));
    assert_eq!(found.unwrap(), None);
}

#[test]
fn a_place_without_a_name_is_reported() {
    let (mut app, ann, _) = village();
    app.world_mut().entity_mut(ann).insert(PlaceId::new("☠️"));
    app.settle();
    assert_eq!(app.world().get::<PlaceId>(ann), Some(&PlaceId::new("The Inn")), "the memory refused the place");
    let errors = app.take_errors();
    assert!(errors.iter().any(|error| error.contains("there is no entity `unnamed`")), "{errors:?}");
}

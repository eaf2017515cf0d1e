//! Tests that the memory records game events.

use std::f32::consts::SQRT_2;

use hearsay_query as query;

use super::*;

/// Returns the sentences that an entity knows.
fn knows(app: &SteppingApp, character: &str) -> Vec<String> {
    let character = EntityId::new(character).unwrap();
    read(app, move |world| {
        let filter = query::knowledge::KnowsFilter { limit: 1000, ..Default::default() };
        let (rows, _) = query::knowledge::knows(&world.state, &character, &filter, None).unwrap();
        rows.into_iter().map(|row| row.statement).collect()
    })
}

fn knows_about(app: &SteppingApp, character: &str, words: &str) -> bool {
    knows(app, character).iter().any(|statement| statement.contains(words))
}

/// Makes an app in which Ann and Bob are in the inn, and Cid is on the pier.
pub(super) fn village(plugins: HearsayPlugins) -> (SteppingApp, [Entity; 3]) {
    let mut app = SteppingApp::new(plugins);
    for (id, name) in [("inn", "The Inn"), ("pier", "The Pier")] {
        app.world_mut().spawn((MemoryId::new(id), Name::new(name), EntityKind::location()));
    }
    let people = [("ann", "Ann", "inn"), ("bob", "Bob", "inn"), ("cid", "Cid", "pier")].map(|(id, name, place)| {
        let character = (MemoryId::new(id), Name::new(name), EntityKind::npc(), PlaceId::new(place));
        app.world_mut().spawn(character).id()
    });
    app.settle();
    (app, people)
}

#[test]
fn characters_present_hear_spoken_lines() {
    let (mut app, [ann, _, cid]) = village(HearsayPlugins::empty());
    let lore = Statement::lore("inn", "The cellar of the inn is flooded.");
    app.world_mut().commands().entity(ann).say_that("Mind the cellar, it is flooded!", [lore]);
    app.settle();
    assert!(knows_about(&app, "bob", "flooded"));
    assert!(!knows_about(&app, "cid", "flooded"));
    // Cid arrives and hears the next line.
    app.world_mut().commands().entity(cid).move_to("inn");
    app.world_mut().commands().entity(ann).say_that("The beer is sour.", [Statement::lore("inn", "The beer is sour.")]);
    app.settle();
    assert!(knows_about(&app, "cid", "sour"), "a move takes effect before later lines");
    assert_eq!(app.take_errors(), [""; 0]);
}

#[test]
fn told_facts_can_be_passed_on() {
    let (mut app, [ann, bob, cid]) = village(HearsayPlugins::empty());
    app.world_mut().commands().entity(ann).witness(Statement::lore("pier", "A body lies under the pier."));
    app.settle();
    assert!(knows_about(&app, "ann", "body") && !knows_about(&app, "bob", "body"));
    let fact = read(&app, |world| {
        let about = EntityId::new("pier").unwrap();
        world.state.facts_of(&about).find(|fact| fact.statement().contains("body")).unwrap().id()
    });
    app.world_mut().commands().entity(ann).tell(bob, Statement::fact(fact));
    app.settle();
    assert!(knows_about(&app, "bob", "body") && !knows_about(&app, "cid", "body"));
    app.world_mut().commands().entity(bob).tell(cid, Statement::fact(fact));
    app.settle();
    assert!(knows_about(&app, "cid", "body"));
    app.world_mut().commands().entity(ann).forget(fact.to_string());
    app.settle();
    assert!(!knows_about(&app, "cid", "body"), "edges that depend on it are inactive");
    assert_eq!(app.take_errors(), [""; 0]);
}

#[test]
fn earshot_may_be_a_distance_or_a_function() {
    let mut plugins = HearsayPlugins::empty();
    plugins.game_events.earshot = Earshot::Distance(SQRT_2);
    let (mut app, [ann, bob, cid]) = village(plugins);
    for (character, x) in [(ann, 0.0), (bob, 5.0), (cid, 1.0)] {
        let at = Transform::from_xyz(x, 0.0, 0.0);
        app.world_mut().entity_mut(character).insert((at, GlobalTransform::from(at)));
    }
    app.world_mut().commands().entity(ann).say_that("Psst.", [Statement::lore("ann", "Ann is afraid of geese.")]);
    app.settle();
    assert!(knows_about(&app, "cid", "geese") && !knows_about(&app, "bob", "geese"));
    app.insert_resource(Earshot::custom(move |_, _| vec![bob]));
    app.world_mut().commands().entity(ann).say_that("Hm.", [Statement::lore("ann", "Ann likes turnips.")]);
    app.settle();
    assert!(knows_about(&app, "bob", "turnips") && !knows_about(&app, "cid", "turnips"));
}

#[test]
fn nobody_hears_what_is_said_when_earshot_selects_nobody() {
    let (mut app, [ann, ..]) = village(HearsayPlugins::empty());
    app.insert_resource(Earshot::custom(|_, _| Vec::new()));
    app.world_mut()
        .commands()
        .entity(ann)
        .say_that("Alone at last.", [Statement::lore("ann", "Ann talks to herself.")]);
    app.settle();
    assert!(knows_about(&app, "ann", "herself"));
    for other in ["bob", "cid"] {
        assert!(!knows_about(&app, other, "herself"), "{other}");
    }
    // A listener that the game names hears the words, regardless of earshot.
    app.world_mut().commands().entity(ann).tell("bob", Statement::lore("ann", "Ann sings."));
    app.settle();
    assert!(knows_about(&app, "bob", "sings") && !knows_about(&app, "cid", "sings"));
}

#[test]
fn impossible_events_are_reported_and_stop_nothing() {
    let (mut app, [ann, ..]) = village(HearsayPlugins::empty());
    app.world_mut().commands().entity(ann).tell("nobody-of-that-name", Statement::lore("inn", "It burns."));
    app.world_mut().commands().entity(ann).say_that("So.", [Statement::lore("inn", "The inn is old.")]);
    app.world_mut().commands().entity(ann).set_attribute("NOT_AN_ATTRIBUTE", "x");
    let stranger = app.world_mut().spawn_empty().id();
    app.world_mut().commands().entity(stranger).say("Who am I?");
    app.settle();
    assert!(knows_about(&app, "bob", "old"));
    let errors = app.take_errors();
    for part in ["nobody-of-that-name", "NOT_AN_ATTRIBUTE", "MemoryId"] {
        assert!(errors.iter().any(|text| text.contains(part)), "{part} in {errors:?}");
    }
}

#[test]
fn the_dead_hear_nothing_and_the_clock_is_kept() {
    let (mut app, [ann, bob, _]) = village(HearsayPlugins::empty());
    app.world_mut().resource_mut::<GameClock>().0 = Some(600);
    app.world_mut().commands().entity(bob).die();
    app.settle();
    app.world_mut().resource_mut::<GameClock>().0 = Some(660);
    app.world_mut().commands().entity(ann).show(Statement::lore("inn", "The roof falls in."));
    app.settle();
    assert!(knows_about(&app, "ann", "roof") && !knows_about(&app, "bob", "roof"));
    assert_eq!(read(&app, |world| world.state.clock().map(|time| time.0)), Some(660));
    // If another author sets the clock, the game's clock changes too.
    memory(&app).set_clock(hearsay_model::GameTime(900)).unwrap().wait().unwrap();
    app.settle();
    assert_eq!(app.world().resource::<GameClock>().0, Some(900));
}

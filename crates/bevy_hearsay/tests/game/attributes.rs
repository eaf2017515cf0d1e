//! Tests of values that only the game should know, and of values that characters notice.

use super::*;

#[derive(Component)]
struct Gold(i64);

impl SyncedAttribute for Gold {
    const ATTRIBUTE: &'static str = "gold";

    fn to_value(&self) -> Value {
        self.0.into()
    }

    fn from_value(value: &Value) -> Option<Self> {
        Some(Self(value.as_number()? as i64))
    }
}

#[derive(Component)]
struct Limp(bool);

impl SyncedAttribute for Limp {
    const ATTRIBUTE: &'static str = "limp";
    const AUDIENCE: Audience = Audience::Local;
    const IN_PROMPTS: bool = true;

    fn to_value(&self) -> Value {
        self.0.into()
    }

    fn from_value(value: &Value) -> Option<Self> {
        value.as_flag().map(Self)
    }
}

/// Makes an app in which Ann, Bob and Cid live in the inn. Ann has gold and limps.
fn inn() -> SteppingApp {
    let mut app = SteppingApp::new(HearsayPlugins::empty());
    app.sync_attribute::<Gold>().sync_attribute::<Limp>();
    app.world_mut().resource_mut::<GameClock>().0 = Some(0);
    app.world_mut().spawn((MemoryId::new("inn"), Name::new("The Inn"), EntityKind::location()));
    for (id, name) in [("ann", "Ann"), ("bob", "Bob"), ("cid", "Cid")] {
        let character = (MemoryId::new(id), Name::new(name), EntityKind::npc(), PlaceId::new("inn"));
        app.world_mut().commands().spawn(character).relate("RESIDENT_OF", "inn");
    }
    app.settle();
    // With a clock, the values of an existing entity have a start, so gossip could count them as news.
    app.world_mut().resource_mut::<GameClock>().0 = Some(60);
    let ann = entity(&mut app, "ann").unwrap();
    app.world_mut().entity_mut(ann).insert((Gold(3), Limp(true)));
    app.settle();
    assert_eq!(app.take_errors(), [""; 0]);
    app
}

/// Returns the attributes of Ann that a character knows.
fn known_attributes(app: &SteppingApp, knower: &str) -> Vec<String> {
    let knower = EntityId::new(knower).unwrap();
    let mut known = read(app, move |world| {
        let filter = hearsay_query::knowledge::KnowsFilter { limit: 1000, ..Default::default() };
        let (rows, _) = hearsay_query::knowledge::knows(&world.state, &knower, &filter, None).unwrap();
        let names = rows.into_iter().filter(|row| row.subject.as_str() == "ann").map(|row| row.predicate.to_string());
        names.filter(|name| ["gold", "limp"].contains(&name.as_str())).collect::<Vec<_>>()
    });
    known.sort();
    known
}

#[test]
fn a_private_value_is_known_to_its_subject_alone() {
    let mut app = inn();
    assert_eq!(known_attributes(&app, "ann"), ["gold", "limp"]);
    assert_eq!(known_attributes(&app, "bob"), ["limp"]);
    app.world_mut().commands().gossip(10);
    app.settle();
    assert_eq!(known_attributes(&app, "bob"), ["limp"]);
    assert_eq!(known_attributes(&app, "cid"), ["limp"]);
    assert_eq!(app.take_errors(), [""; 0]);
}

#[test]
fn a_private_value_is_in_no_answer() {
    let mut app = inn();
    for speaker in ["ann", "bob"] {
        let speaker = entity(&mut app, speaker).unwrap();
        let mut commands = app.world_mut().commands();
        let question = "How much gold does Ann have, and does she limp?";
        let question = commands.entity(speaker).ask(question).insert(KeepAnswer).id();
        app.settle();
        let Reply(answer) = app.world().get::<Reply<Answer>>(question).unwrap();
        let has_claim = |name: &str| {
            answer.context.lines().any(|line| line.claim.as_ref().is_some_and(|claim| claim.predicate.as_str() == name))
        };
        assert_eq!((has_claim("gold"), has_claim("limp")), (false, true), "{answer:?}");
    }
}

#[test]
fn a_private_value_is_saved_and_read_again() {
    let mut app = inn();
    let ann = entity(&mut app, "ann").unwrap();
    app.world_mut().commands().save_slot("rich");
    app.settle();
    app.world_mut().get_mut::<Gold>(ann).unwrap().0 = 2;
    app.settle();
    app.world_mut().commands().load_slot("rich");
    app.settle();
    assert_eq!(app.world().get::<Gold>(ann).map(|gold| gold.0), Some(3));
    assert_eq!(app.take_errors(), [""; 0]);
}

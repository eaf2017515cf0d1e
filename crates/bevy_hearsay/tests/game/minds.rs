//! Tests of the outcomes of game events, and of the events of watched characters.

use hearsay_commands::edit::{Edit, FactOptions};
use hearsay_model::{Change, Condition, GameSetting, Operation, Reveal, Setting};

use super::{game_events::village, *};

/// The events that the characters of a test received.
#[derive(Resource, Default)]
struct Log {
    committed: Vec<ActionCommitted>,
    failed: Vec<ActionFailed>,
    /// Short descriptions of the events about minds.
    minds: Vec<(Entity, String)>,
    beliefs: Vec<(f64, f64)>,
    revealable: Vec<SecretRevealable>,
}

/// The changed feelings that the characters of a test received.
#[derive(Resource, Default)]
struct Feelings(Vec<FeelingChanged>);

/// Makes the village, and logs all events.
fn logged_village() -> (SteppingApp, [Entity; 3]) {
    let (mut app, people) = village(HearsayPlugins::empty());
    app.init_resource::<Log>()
        .add_observer(|on: On<ActionCommitted>, mut log: ResMut<Log>| log.committed.push(on.event().clone()))
        .add_observer(|on: On<ActionFailed>, mut log: ResMut<Log>| log.failed.push(on.event().clone()))
        .add_observer(|on: On<FactLearned>, mut log: ResMut<Log>| {
            log.minds.push((on.entity, format!("learned {} ({})", on.claim.object, on.credence)));
        })
        .add_observer(|on: On<RumourHeard>, mut log: ResMut<Log>| {
            let teller = on.teller.as_ref().map_or("somebody", EntityId::as_str);
            log.minds.push((on.entity, format!("heard {} from {teller}", on.claim.object)));
        })
        .add_observer(|on: On<PromiseMade>, mut log: ResMut<Log>| {
            log.minds.push((on.entity, format!("{} promised {}", on.by, on.to)));
        })
        .add_observer(|on: On<BeliefChanged>, mut log: ResMut<Log>| {
            log.beliefs.push((on.before.get(), on.after.get()));
        })
        .add_observer(|on: On<SecretRevealable>, mut log: ResMut<Log>| log.revealable.push(on.event().clone()));
    (app, people)
}

fn perform(app: &mut SteppingApp, entity: Entity, action: GameAction, to: &[Entity]) -> ActionId {
    app.world_mut()
        .commands()
        .entity(entity)
        .perform(action, (!to.is_empty()).then(|| to.iter().copied().map(Target::from).collect()))
}

/// Returns the descriptions of the events about minds since the last call.
fn take_minds(app: &mut SteppingApp) -> Vec<(Entity, String)> {
    std::mem::take(&mut app.world_mut().resource_mut::<Log>().minds)
}

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

fn fact(app: &SteppingApp, about: &str, words: &'static str) -> FactId {
    let about = id(about);
    read(app, move |world| world.state.facts_of(&about).find(|fact| fact.statement().contains(words)).unwrap().id())
}

#[test]
fn the_actor_receives_the_facts_and_hearers_of_its_action() {
    let (mut app, [ann, _, cid]) = logged_village();
    let flood = || Statement::lore("inn", "The cellar is flooded.");
    let shown = perform(&mut app, ann, GameAction::Show(vec![flood()]), &[]);
    app.settle();
    let told = perform(&mut app, ann, GameAction::Tell { statement: flood(), lie: false }, &[cid]);
    app.settle();
    let flooded = fact(&app, "inn", "flooded");
    let log = app.world().resource::<Log>();
    let [first, second] = &log.committed[..] else { panic!("{:?}", log.committed) };
    assert_eq!((first.entity, first.action, &first.facts[..]), (ann, shown, &[flooded][..]));
    assert_eq!(first.heard_by, [id("bob")], "the actor is not included");
    assert_eq!((second.entity, second.action, &second.facts[..]), (ann, told, &[flooded][..]));
    assert_eq!(second.heard_by, [id("cid")]);
    assert!(second.position > first.position && log.failed.is_empty());
}

#[test]
fn the_actor_learns_why_its_action_failed() {
    let (mut app, [ann, bob, _]) = logged_village();
    let unknown = GameAction::Tell { statement: Statement::fact("no-such-fact"), lie: false };
    let unknown = perform(&mut app, ann, unknown, &[bob]);
    let stranger = app.world_mut().spawn_empty().id();
    let say = || GameAction::Say { text: "Who am I?".into(), states: Vec::new(), lie: false };
    let nameless = perform(&mut app, stranger, say(), &[]);
    app.settle();
    let failed = &app.world().resource::<Log>().failed;
    let error_of = |action: ActionId| &failed.iter().find(|failed| failed.action == action).unwrap().error;
    assert!(matches!(error_of(unknown), HearsayError::Memory(_)));
    assert!(matches!(error_of(nameless), HearsayError::UnknownEntity(entity) if *entity == stranger));
    assert!(failed.iter().any(|failed| failed.entity == ann) && failed.len() == 2);

    // A line that waits while a slot is loaded belongs to the state before loading, so the line fails.
    app.world_mut().commands().save_slot("one");
    app.settle();
    app.world_mut().commands().load_slot("one");
    app.step();
    let late = perform(&mut app, ann, say(), &[]);
    app.world_mut().flush();
    app.settle();
    let failed = &app.world().resource::<Log>().failed;
    let failed = failed.iter().find(|failed| failed.action == late).unwrap();
    assert!(matches!(failed.error, HearsayError::SlotLoaded), "{}", failed.error);
    assert!(app.world().resource::<Log>().committed.is_empty());
}

#[test]
fn an_observer_may_repeat_an_action_that_always_fails() {
    let (mut app, [ann, ..]) = logged_village();
    let stranger = app.world_mut().spawn_empty().id();
    let say = || GameAction::Say { text: "Who am I?".into(), states: Vec::new(), lie: false };
    app.add_observer(move |on: On<ActionFailed>, mut count: Local<usize>, mut commands: Commands| {
        *count += 1;
        if *count < 5 {
            commands.entity(on.entity).perform(say(), None);
        }
    });
    perform(&mut app, stranger, say(), &[]);
    perform(&mut app, ann, say(), &[]);
    app.settle();
    let log = app.world().resource::<Log>();
    assert_eq!((log.failed.len(), log.committed.len()), (5, 1));
}

#[test]
fn only_watched_characters_receive_events_of_minds() {
    let (mut app, [ann, bob, _]) = logged_village();
    let lore = |about: &str, text: &str| Statement::lore(about, text);
    app.world_mut().entity_mut(bob).insert(WatchMind::default());
    // The filter for watched minds is sent before the game event of the same frame.
    app.world_mut().commands().entity(ann).show(lore("inn", "The cellar is flooded."));
    app.settle();
    assert_eq!(take_minds(&mut app), [(bob, "learned The cellar is flooded. (1.00)".to_owned())]);
    app.world_mut().commands().entity(ann).tell(bob, lore("inn", "The well is dry."));
    app.settle();
    let events = take_minds(&mut app);
    let [(_, learned), (entity, heard)] = &events[..] else { panic!("{events:?}") };
    assert!(learned.starts_with("learned The well is dry. (0."), "{learned}");
    assert_eq!((*entity, heard.as_str()), (bob, "heard The well is dry. from ann"));
    app.world_mut().commands().entity(ann).tell(bob, lore("inn", "The well is dry."));
    app.settle();
    assert!(take_minds(&mut app).is_empty(), "Bob knows it already");

    app.world_mut().entity_mut(bob).insert(WatchMind::about([id("pier")]));
    app.settle();
    app.world_mut().commands().entity(ann).show(lore("inn", "The roof is gone."));
    app.world_mut().commands().entity(ann).show(lore("pier", "A ship has come."));
    app.settle();
    assert_eq!(take_minds(&mut app), [(bob, "learned A ship has come. (1.00)".to_owned())]);

    app.world_mut().entity_mut(bob).remove::<WatchMind>();
    app.settle();
    app.world_mut().commands().entity(ann).show(lore("pier", "The ship has left."));
    app.settle();
    assert!(take_minds(&mut app).is_empty());
    assert_eq!(app.take_errors(), [""; 0]);
}

#[test]
fn an_entity_that_gets_its_id_later_can_be_watched() {
    let (mut app, [ann, ..]) = logged_village();
    let inn = PlaceId::new("inn");
    let dan = (MemoryId::default(), Name::new("Dan"), EntityKind::npc(), inn, WatchMind::default());
    let dan = app.world_mut().spawn(dan).id();
    app.settle();
    take_minds(&mut app);
    app.world_mut().commands().entity(ann).show(Statement::lore("inn", "The cellar is flooded."));
    app.settle();
    assert_eq!(take_minds(&mut app), [(dan, "learned The cellar is flooded. (1.00)".to_owned())]);
}

#[test]
fn a_promise_reaches_those_who_give_and_receive_it() {
    let (mut app, [ann, bob, _]) = logged_village();
    let promise = Statement::parts("ann", "PROMISED", "bob");
    app.world_mut().entity_mut(bob).insert(WatchMind::default());
    app.world_mut().commands().entity(ann).tell(bob, promise);
    app.settle();
    let promised = (bob, "ann promised bob".to_owned());
    let events = take_minds(&mut app);
    assert_eq!(events.iter().filter(|event| **event == promised).count(), 1, "{events:?}");
}

#[test]
fn a_witnessed_deed_changes_feelings() {
    let (mut app, [ann, bob, cid]) = logged_village();
    app.init_resource::<Feelings>()
        .add_observer(|on: On<FeelingChanged>, mut feelings: ResMut<Feelings>| feelings.0.push(on.event().clone()));
    app.world_mut().entity_mut(bob).insert(WatchMind::default());
    app.settle();
    perform(&mut app, cid, GameAction::Show(vec![Statement::parts("ann", "THREATENED", "bob")]), &[bob]);
    app.settle();
    let threat = fact(&app, "ann", "threatened");
    let changed = |feeling: Feeling, after: i8| FeelingChanged {
        entity: bob,
        towards: id("ann"),
        towards_entity: Some(ann),
        feeling,
        before: 0,
        after,
        fact: threat,
    };
    let feelings = std::mem::take(&mut app.world_mut().resource_mut::<Feelings>().0);
    assert_eq!(feelings, [changed(Feeling::Affinity, -20), changed(Feeling::Fear, 30)]);
    // Bob saw the deed already, and Cid is not watched.
    perform(&mut app, cid, GameAction::Show(vec![Statement::fact(threat)]), &[bob]);
    perform(&mut app, ann, GameAction::Show(vec![Statement::parts("ann", "HELPED", "cid")]), &[cid]);
    app.settle();
    assert_eq!(app.world().resource::<Feelings>().0, []);
    assert_eq!(app.take_errors(), [""; 0]);
}

#[test]
fn changed_beliefs_are_reported_on_request() {
    let (mut app, [ann, bob, _]) = logged_village();
    app.world_mut().entity_mut(bob).insert(WatchMind::about([id("inn")]).with_beliefs());
    app.world_mut().commands().entity(ann).tell(bob, Statement::lore("inn", "The well is dry."));
    app.settle();
    let dry = fact(&app, "inn", "well");
    app.world_mut().commands().entity(ann).show(Statement::fact(dry));
    app.settle();
    app.world_mut().commands().entity(bob).forget(dry.to_string());
    app.settle();
    let beliefs = &app.world().resource::<Log>().beliefs;
    let [(before, told), (retold, seen), (remembered, forgotten)] = beliefs[..] else { panic!("{beliefs:?}") };
    assert_eq!((before, retold, seen, remembered, forgotten), (0.0, told, 1.0, 1.0, 0.0));
    assert!(told > 0.0 && told < 1.0, "{told}");
}

#[test]
fn the_holder_of_a_secret_learns_whom_it_may_tell() {
    let (mut app, [ann, ..]) = logged_village();
    let edit = |app: &SteppingApp, edit: Edit| drop(memory(app).edit(edit).unwrap().wait().unwrap());
    edit(&app, Edit::DeclareFlag { name: "fire-reported".into(), value: "no".into() });
    let options = FactOptions { secret: true, ..FactOptions::default() };
    let value = "Ann set the fire.".into();
    edit(&app, Edit::Set { entity: id("ann"), attribute: "lore".into(), value, options });
    let secret = fact(&app, "ann", "set the fire");
    let when = Condition::Flag { name: "fire-reported".into(), is: Value::Flag(true) };
    let reveal = Reveal { id: "fire".into(), fact: secret, holder: Some(id("ann")), when, note: None };
    let change = Change::Set(Setting::Game(GameSetting::Reveal(reveal)));
    let operation = Operation::new(Author::Dm, "write", vec![change]);
    memory(&app).write(move |_| Ok(operation.clone())).unwrap().wait().unwrap();
    app.settle();
    assert!(app.world().resource::<Log>().revealable.is_empty());
    edit(&app, Edit::SetFlag { name: "fire-reported".into(), value: "yes".into() });
    app.settle();
    let expected = SecretRevealable { entity: ann, reveal: "fire".into(), fact: secret, listeners: Vec::new() };
    assert_eq!(app.world().resource::<Log>().revealable, [expected], "there are no player characters");
}

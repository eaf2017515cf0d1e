//! Tests of questions and their replies.

use std::time::Duration;

use bevy_hearsay::{AskedOf, SyncSettings};
use hearsay_query::{beliefs::BeliefReport, graph::NeighbourRow, knowledge::KnowsRow};

use super::*;

fn tavern() -> (SteppingApp, Entity) {
    let mut app = SteppingApp::new(HearsayPlugins::unsaved(campaign("tiny-tavern")));
    app.settle();
    let rook = entity(&mut app, "rook").unwrap();
    (app, rook)
}

#[derive(Resource, Default)]
struct Prompts(Vec<String>);

#[test]
fn an_answer_comes_to_its_question() {
    let (mut app, rook) = tavern();
    app.init_resource::<Prompts>();
    let mut commands = app.world_mut().commands();
    let question = commands
        .entity(rook)
        .ask("Who took the silver spoon?")
        .observe(|on: On<Answered>, replies: Query<&Reply<Answer>>, mut prompts: ResMut<Prompts>| {
            let reply = replies.get(on.entity).unwrap();
            prompts.0.push(reply.0.context.render(Form::Prompt, false));
        })
        .insert(KeepAnswer)
        .id();
    app.step();
    assert_eq!(app.world().get::<QuestionState>(question), Some(&QuestionState::Waiting));
    assert_eq!(app.world().get::<AskedOf>(question), Some(&AskedOf(rook)));
    app.settle();
    assert_eq!(app.world().get::<QuestionState>(question), Some(&QuestionState::Answered));
    let prompts = &app.world().resource::<Prompts>().0;
    assert_eq!(prompts.len(), 1);
    assert!(prompts[0].contains("You are asked: Who took the silver spoon?"), "{}", prompts[0]);
}

/// The observers and their commands still find the entity of the question.
#[test]
fn the_entity_of_a_question_is_despawned_after_its_observers() {
    let (mut app, rook) = tavern();
    app.init_resource::<Prompts>();
    let stranger = app.world_mut().spawn_empty().id();
    let mut commands = app.world_mut().commands();
    let answered = commands
        .entity(rook)
        .ask("Who took the silver spoon?")
        .observe(|on: On<Answered>, mut commands: Commands| {
            let question = on.entity;
            commands.queue(move |world: &mut World| {
                let prompt = world.get::<Reply<Answer>>(question).unwrap().0.context.render(Form::Prompt, false);
                world.resource_mut::<Prompts>().0.push(prompt);
            });
        })
        .id();
    let failed = commands
        .entity(stranger)
        .ask("Who are you?")
        .observe(|on: On<Unanswered>, states: Query<&QuestionState>, mut prompts: ResMut<Prompts>| {
            assert!(matches!(on.error, HearsayError::UnknownEntity(_)), "{}", on.error);
            assert_eq!(states.get(on.entity).unwrap(), &QuestionState::Failed(on.error.to_string()));
            prompts.0.push(on.error.to_string());
        })
        .id();
    // An observer may despawn the question itself.
    let despawned = commands
        .entity(rook)
        .ask("Who are you?")
        .observe(|on: On<Answered>, mut commands: Commands| commands.entity(on.entity).despawn())
        .id();
    app.settle();
    assert_eq!(app.world().resource::<Prompts>().0.len(), 2);
    for question in [answered, failed, despawned] {
        assert!(app.world().get_entity(question).is_err());
    }
}

#[test]
fn changes_of_the_same_frame_are_in_the_answer() {
    let (mut app, rook) = tavern();
    let watch = (MemoryId::new("night-watch"), Name::new("The Night Watch"), EntityKind::faction());
    app.world_mut().spawn(watch);
    app.settle();
    // The interval is so long that only the question causes changes to be sent.
    app.world_mut().resource_mut::<SyncSettings>().interval = Duration::from_secs(3600);
    let mut commands = app.world_mut().commands();
    commands.entity(rook).join("night-watch");
    let question = commands.entity(rook).ask("Are you a member of the Night Watch?").insert(KeepAnswer).id();
    let neighbours = commands.entity(rook).neighbours(1, 50).insert(KeepAnswer).id();
    app.settle();
    let reply = app.world().get::<Reply<Answer>>(question).unwrap();
    let sections = &reply.0.context.sections;
    assert!(
        sections.iter().flat_map(|section| &section.lines).any(|line| line.text.contains("member of The Night Watch"))
    );
    let neighbours = app.world().get::<Reply<Vec<NeighbourRow>>>(neighbours).unwrap();
    assert!(format!("{neighbours:?}").contains("night-watch"), "{neighbours:?}");
}

#[test]
fn despawning_cancels_and_newer_questions_may_supersede() {
    let (mut app, rook) = tavern();
    let ask = |app: &mut SteppingApp, question: Question| {
        app.world_mut().commands().entity(rook).ask(question).insert(KeepAnswer).id()
    };
    let cancelled = ask(&mut app, "Who?".into());
    app.world_mut().flush();
    app.world_mut().despawn(cancelled);
    let older = ask(&mut app, "What?".into());
    let newer = ask(&mut app, Question::new("Why?").superseding());
    app.settle();
    assert!(app.world().get_entity(cancelled).is_err());
    assert!(app.world().get_entity(older).is_err());
    assert!(app.world().get::<Reply<Answer>>(newer).is_some());
    let last = ask(&mut app, "Where?".into());
    app.world_mut().flush();
    app.world_mut().despawn(rook);
    app.settle();
    assert!(app.world().get_entity(last).is_err(), "a despawned character is not asked");
}

#[test]
fn earlier_lines_are_in_the_answer() {
    let (mut app, rook) = tavern();
    let mut commands = app.world_mut().commands();
    commands.entity(rook).witness(Statement::lore("rook", "The moon fell into the well."));
    let question = commands.entity(rook).ask("What fell into the well?").insert(KeepAnswer).id();
    app.settle();
    let reply = app.world().get::<Reply<Answer>>(question).unwrap();
    assert!(reply.0.context.render(Form::Prompt, false).contains("The moon fell into the well"));
}

#[test]
fn a_question_to_an_unknown_entity_fails_with_a_reason() {
    let (mut app, _) = tavern();
    let stranger = app.world_mut().spawn_empty().id();
    let question = app.world_mut().commands().entity(stranger).ask("Who are you?").insert(KeepAnswer).id();
    app.settle();
    let state = app.world().get::<QuestionState>(question).unwrap();
    assert!(matches!(state, QuestionState::Failed(why) if why.contains("MemoryId")), "{state:?}");
}

#[test]
fn searches_neighbours_beliefs_and_reads_are_answered_too() {
    let (mut app, rook) = tavern();
    let mut commands = app.world_mut().commands();
    let search = commands.search_memory(Search::new("silver spoon")).insert(KeepAnswer).id();
    let neighbours = commands.entity(rook).neighbours(1, 20).insert(KeepAnswer).id();
    let knows = commands.entity(rook).knowledge(50).insert(KeepAnswer).id();
    let believes = commands.entity(rook).beliefs_about("gaffer-moss").insert(KeepAnswer).id();
    let count = commands.read_memory(|world| Ok(world.state.fact_count())).insert(KeepAnswer).id();
    app.settle();
    let world = app.world();
    assert!(!world.get::<Reply<SearchResults>>(search).unwrap().0.facts.is_empty());
    assert!(!world.get::<Reply<Vec<NeighbourRow>>>(neighbours).unwrap().0.is_empty());
    assert!(!world.get::<Reply<Vec<KnowsRow>>>(knows).unwrap().0.is_empty());
    assert_eq!(world.get::<Reply<BeliefReport>>(believes).unwrap().0.knower.as_str(), "rook");
    assert!(world.get::<Reply<usize>>(count).unwrap().0 > 0);
}

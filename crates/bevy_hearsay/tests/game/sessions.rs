//! Tests of the sessions of a game.

use bevy_hearsay::SessionEvent;

use super::*;

#[derive(Resource, Default)]
struct SessionMessages {
    started: Vec<SessionStarted>,
    ended: Vec<SessionEnded>,
}

fn collect_messages(
    mut messages: ResMut<SessionMessages>,
    mut started: MessageReader<SessionStarted>,
    mut ended: MessageReader<SessionEnded>,
) {
    messages.started.extend(started.read().cloned());
    messages.ended.extend(ended.read().cloned());
}

/// Makes an app with the player character Ann and the NPC Bob, both in the inn.
fn session_app() -> (SteppingApp, Entity) {
    let mut app = SteppingApp::with(HearsayPlugins::empty(), |app| {
        app.init_resource::<SessionMessages>().add_systems(Update, collect_messages);
    });
    app.world_mut().spawn((MemoryId::new("inn"), Name::new("The Inn"), EntityKind::location()));
    let inn = || PlaceId::new("inn");
    let ann = app.world_mut().spawn((MemoryId::new("ann"), Name::new("Ann"), EntityKind(Kind::Player), inn())).id();
    app.world_mut().spawn((MemoryId::new("bob"), Name::new("Bob"), EntityKind::npc(), inn()));
    app.settle();
    (app, ann)
}

#[test]
fn a_session_starts_is_logged_and_ends_with_a_report() {
    let (mut app, ann) = session_app();
    let mut commands = app.world_mut().commands();
    commands.start_session(NewSession { title: Some("The cellar".into()), ..NewSession::default() });
    commands.log_line("Rain beats on the shutters.");
    commands.log_line_by(ann, "The cellar is flooded.");
    commands.entity(ann).say_that("Bob owes me.", [Statement::parts("bob", "OWES", "ann")]);
    commands.leave_early(ann);
    commands.end_session();
    app.settle();
    assert_eq!(app.take_errors(), [""; 0]);
    let messages = app.world().resource::<SessionMessages>();
    let [started] = &messages.started[..] else { panic!("{:?}", messages.started) };
    let [SessionEnded { report }] = &messages.ended[..] else { panic!("{:?}", messages.ended) };
    assert_eq!((started.session.as_str(), report.session.title.as_str()), ("session-1", "The cellar"));
    assert!(report.promises.iter().any(|promise| promise.description.contains("owes")), "{:?}", report.promises);
    let lines = read(&app, |world| {
        let mut lines: Vec<_> = world.state.passages().map(|(_, line)| (line.line, line.text.clone())).collect();
        lines.sort();
        lines.into_iter().map(|(_, text)| text).collect::<Vec<_>>()
    });
    assert_eq!(lines, ["Rain beats on the shutters.", "The cellar is flooded.", "Bob owes me."]);
    assert!(read(&app, |world| world.state.active_session().is_none()));
}

#[test]
fn impossible_steps_are_errors_and_stop_nothing() {
    let (mut app, _) = session_app();
    let mut commands = app.world_mut().commands();
    commands.end_session();
    commands.log_line("Nobody plays.");
    commands.arrive("nobody");
    let unknown_entity = commands.spawn_empty().id();
    commands.trigger(SessionEvent::Log {
        text: "Hm.".into(),
        speaker: Some(unknown_entity.into()),
        heard_by: Vec::new(),
    });
    commands.start_session(NewSession::default());
    app.settle();
    let errors = app.take_errors();
    assert_eq!(errors.len(), 4, "{errors:?}");
    assert_eq!(app.world().resource::<SessionMessages>().started.len(), 1);
}

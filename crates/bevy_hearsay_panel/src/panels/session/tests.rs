use egui::Key;
use egui_kittest::{Harness, kittest::Queryable};
use hearsay_commands::session::{Log, LogLine, SessionStep};
use hearsay_model::{Author, EditedRecap, EntityId, Kind, RecapReader, TalkKind};

use super::*;
use crate::{
    names::NamedEntity,
    testing::{
        DrawnPanel, draw_panel, empty_memory, gullhaven, open_panel, press_key, settle, shows_text, wait_for,
        wait_until,
    },
};

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

fn named_player(name: &str) -> NamedEntity {
    NamedEntity { id: EntityId::new(hearsay_model::slug(name)).unwrap(), name: name.into(), kind: Some(Kind::Player) }
}

fn session(number: u32, title: &str) -> SessionLine {
    SessionLine {
        id: SessionId::new(format!("session-{number}")).unwrap(),
        number: Some(number),
        title: title.into(),
        date: None,
        time: "3 Rainmoon 412".into(),
        present: vec![named_player("Wren")],
        lines: 12,
        recaps: (false, false),
    }
}

struct Models {
    session: SessionModel,
    part: Option<SessionPartModel>,
}

type SessionHarness = Harness<'static, DrawnPanel<Models, SessionView, SessionAction>>;

fn session_harness(part: Option<SessionPartModel>, is_playing: bool) -> SessionHarness {
    let current_session = CurrentSession {
        id: SessionId::new("session-2").unwrap(),
        title: "The ledger".into(),
        place: None,
        time: None,
        present: vec![named_player("Wren")],
        absent: vec![named_player("Dorric")],
    };
    let next = NextSessionDefaults {
        number: 3,
        players: vec![named_player("Wren"), named_player("Dorric")],
        ..NextSessionDefaults::default()
    };
    let sessions = vec![session(2, "The ledger"), session(1, "The quay")];
    let session = SessionModel { sessions, current: is_playing.then_some(current_session), next };
    draw_panel(Models { session, part }, SessionView::default(), |ui, display, models: &Models, view| {
        session_ui(ui, display, &models.session, models.part.as_ref(), view)
    })
}

fn recap(reader: RecapReader, saved_text: Option<&str>) -> Option<SessionPartModel> {
    Some(SessionPartModel::Recap(RecapModel {
        reader,
        title: "The ledger".into(),
        saved_text: saved_text.map(str::to_owned),
        generated_text: "The clerk was found.".into(),
        counts: (1, 9),
    }))
}

#[test]
fn a_session_starts_with_those_who_are_there() {
    let mut harness = session_harness(None, false);
    harness.get_by_label("Title").focus();
    harness.run_steps(1);
    harness.get_by_label("Title").type_text("Fog");
    harness.run_steps(2);
    harness.get_by_label("Dorric").click();
    harness.run_steps(2);
    harness.get_by_label("Start the session").click();
    harness.run_steps(2);
    let [SessionAction::Step(SessionStep::Start(new_session))] = &harness.state().actions[..] else {
        panic!("{:?}", harness.state().actions)
    };
    assert_eq!((new_session.title.as_deref(), &new_session.present[..]), (Some("Fog"), &[id("wren")][..]));
    press_key(&mut harness, Key::S);
    assert_eq!(harness.state().actions.len(), 2, "the key starts one too");
}

#[test]
fn a_session_does_not_start_at_an_unknown_place() {
    let mut harness = session_harness(None, false);
    harness.state_mut().view.place = "Nowhere".into();
    harness.run_steps(1);
    harness.get_by_label("Start the session").click();
    harness.run_steps(2);
    let error = "no entity is called `Nowhere`; check the spelling, or first add an entity with this name".to_owned();
    assert_eq!(harness.state().actions, [SessionAction::ShowError(error)]);
    assert_eq!(harness.state().view.place, "Nowhere", "the typed text stays");
}

#[test]
fn players_come_and_go_and_the_session_ends() {
    let mut harness = session_harness(None, true);
    harness.get_by_label("Wren").click();
    harness.run_steps(2);
    harness.get_by_label("Dorric").click();
    harness.run_steps(2);
    press_key(&mut harness, Key::E);
    harness.get_by_label("Keep playing").click();
    harness.run_steps(2);
    press_key(&mut harness, Key::E);
    press_key(&mut harness, Key::Enter);
    let attend = |arrive: &[&str], leave: &[&str]| {
        let all = |names: &[&str]| names.iter().map(|name| id(name)).collect();
        SessionAction::Step(SessionStep::Attend { arrive: all(arrive), leave: all(leave) })
    };
    let end = SessionAction::Step(SessionStep::End { time: None });
    assert_eq!(harness.state().actions, [attend(&[], &["wren"]), attend(&["dorric"], &[]), end]);
    assert_eq!(harness.state().view.part, SessionPart::Report, "the report is shown next");
}

#[test]
fn a_recap_is_edited_kept_copied_and_written() {
    let mut harness = session_harness(recap(RecapReader::Dm, None), false);
    press_key(&mut harness, Key::C);
    assert_eq!(harness.state().view.part, SessionPart::Recap);
    harness.get_by_label("Recap text").focus();
    harness.run_steps(2);
    harness.get_by_label("Recap text").type_text(" Nobody wept.");
    harness.run_steps(2);
    let id = SessionId::new("session-2").unwrap();
    let draft = harness.state().view.drafts[&SessionView::draft_key(&id, RecapReader::Dm)].clone();
    assert!(draft.contains("Nobody wept.") && draft.contains("The clerk was found."), "{draft}");
    assert!(shows_text(&harness, "not saved yet"));
    for name in ["Copy the recap", "Save the recap", "Write file"] {
        harness.get_by_label(name).click();
        harness.run_steps(2);
    }
    let [SessionAction::Copy(copied), SessionAction::SaveRecap(saved_recap), SessionAction::WriteFile(file, written)] =
        &harness.state().actions[..]
    else {
        panic!("{:?}", harness.state().actions)
    };
    let expected = EditedRecap { session: id, reader: RecapReader::Dm, text: draft.clone() };
    assert_eq!((copied, saved_recap), (&draft, &expected));
    assert_eq!((file.as_str(), written.lines().next()), ("session-2-recap.md", Some("# The ledger")));
    // The typed text is restored when the DM console opens again.
    let view: SessionView = restore_state(save_state(&harness.state().view).unwrap()).unwrap();
    assert!(view.drafts.values().any(|text| *text == draft));
    harness.get_by_label("Regenerate").click();
    harness.run_steps(2);
    assert!(harness.state().view.drafts.values().all(|text| text == "The clerk was found."));
    harness.get_by_label("For the players").click();
    harness.run_steps(2);
    assert_eq!(harness.state().view.reader, RecapReader::Players);
}

#[test]
fn a_line_that_nobody_hears_is_marked() {
    let line = |line: u32, text: &str, talk_kind: TalkKind| LogLineModel {
        line,
        speaker: None,
        text: text.into(),
        when: None,
        place: None,
        heard_by: String::new(),
        private: false,
        talk_kind: Some(talk_kind),
    };
    let lines = vec![
        line(1, "Rain falls.", TalkKind::Narration),
        line(2, "Pass the crisps.", TalkKind::OutOfCharacter),
        line(3, "Pell hides in the crypt.", TalkKind::Withheld),
    ];
    let mut harness = session_harness(Some(SessionPartModel::Log(lines, 0)), false);
    harness.run_steps(2);
    assert!(shows_text(&harness, "Rain falls.") && shows_text(&harness, "Pass the crisps."));
    for mark in ["out of character", "withheld"] {
        assert!(harness.query_by_label(mark).is_some(), "exactly one line is marked {mark}");
    }
}

#[test]
fn the_example_campaigns_sessions_are_read_and_lead_on() {
    let mut harness = open_panel(SessionPanel::default(), gullhaven());
    wait_for(&mut harness, "Lampday");
    wait_until(&mut harness, |harness| shows_text(harness, "Near midnight all four come back"));
    harness.key_press(Key::R);
    wait_for(&mut harness, "The players learned");
    let request = harness.state().panel.request().unwrap();
    let Some(SessionPartModel::Report(report)) = harness.state().panel.part.model_for(&request) else { panic!() };
    assert!(report.learned.iter().any(|learner| learner.player && !learner.facts.is_empty()));
    assert!(!report.threads.is_empty() && !report.counts.is_empty());
    harness.key_press(Key::C);
    wait_for(&mut harness, "Recap text");
    assert!(harness.state_mut().panel.handle_request(&Request::Session(SessionId::new("session-1").unwrap())));
    settle(&mut harness);
    assert_eq!(harness.state().panel.request().unwrap().session.as_str(), "session-1");
}

#[test]
fn a_session_is_played_from_start_to_recap() {
    let mut harness = open_panel(SessionPanel::default(), gullhaven());
    wait_for(&mut harness, "Start the session");
    harness.key_press(Key::S);
    wait_until(&mut harness, |harness| harness.query_by_label("running").is_some());
    wait_until(&mut harness, |harness| harness.state().context_poller.panel_context().session.is_some());
    let session = harness.state().context_poller.panel_context().session.clone();
    assert_eq!(session.as_ref().map(SessionId::as_str), Some("session-5"));
    let lines = vec![
        LogLine { speaker: Some(id("wren-oake").into()), ..LogLine::new("We have the ledger.") },
        LogLine::new("The bells of the High Ward begin to ring."),
    ];
    harness.state().memory.log(Author::Dm, Log { lines, ..Log::default() }).unwrap().wait().unwrap();
    wait_until(&mut harness, |harness| shows_text(harness, "We have the ledger"));
    harness.get_by_label("Dorric Stane").click();
    settle(&mut harness);
    wait_until(&mut harness, |harness| {
        !harness.state().context_poller.panel_context().present_players.iter().any(|id| id.as_str() == "dorric-stane")
    });
    press_key(&mut harness, Key::E);
    harness.key_press(Key::Enter);
    wait_for(&mut harness, "The players learned");
    harness.key_press(Key::C);
    wait_for(&mut harness, "Recap text");
    harness.get_by_label("For the players").click();
    wait_until(&mut harness, |harness| harness.query_by_label("Recap for the players").is_some());
    harness.get_by_label("Recap text").focus();
    harness.run_steps(2);
    harness.get_by_label("Recap text").type_text("You have it. ");
    harness.run_steps(2);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, Key::S);
    wait_until(&mut harness, |harness| harness.query_by_label("saved").is_some());
    assert!(harness.state().panel.view.drafts.is_empty());
    let session = session.unwrap();
    let saved_recap = harness
        .state()
        .memory
        .read(move |world| Ok(world.state.recap(&session, RecapReader::Players).map(str::to_owned)));
    assert!(saved_recap.unwrap().wait().unwrap().unwrap().contains("You have it."));
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("recap.md");
    for path in harness.state_mut().panel.view.recap_paths.values_mut() {
        *path = file.display().to_string();
    }
    harness.run_steps(2);
    harness.get_by_label("Write file").click();
    let is_written = || std::fs::read_to_string(&file).is_ok_and(|text| text.contains("You have it."));
    wait_until(&mut harness, |_| is_written());
}

#[test]
fn the_file_of_a_recap_is_named_after_the_selected_session() {
    let mut harness = session_harness(recap(RecapReader::Dm, None), false);
    press_key(&mut harness, Key::C);
    for session in ["session-2", "session-1"] {
        harness.state_mut().view.selected = SessionId::new(session).ok();
        harness.run_steps(2);
        harness.get_by_label("Write file").click();
        harness.run_steps(2);
    }
    let files = harness.state().actions.iter().filter_map(|action| match action {
        SessionAction::WriteFile(file, _) => Some(file.as_str()),
        _ => None,
    });
    assert_eq!(files.collect::<Vec<_>>(), ["session-2-recap.md", "session-1-recap.md"]);
}

#[test]
fn an_empty_campaign_says_what_to_do() {
    let mut harness = open_panel(SessionPanel::default(), empty_memory());
    wait_for(&mut harness, "No sessions yet");
    assert!(harness.query_by_label("Start the session").is_some());
}

#[test]
fn a_click_anywhere_on_its_card_selects_a_session() {
    let mut harness = session_harness(None, false);
    harness.get_all_by_label("12 lines").nth(1).unwrap().click();
    harness.run_steps(2);
    assert_eq!(harness.state().view.selected, SessionId::new("session-1").ok());
}

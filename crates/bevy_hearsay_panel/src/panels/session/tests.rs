use egui::Key;
use egui_kittest::{Harness, kittest::Queryable};
use hearsay_commands::session::{Log, LogLine, SessionStep};
use hearsay_model::{Author, EntityId, KeptRecap, Kind};

use super::*;
use crate::{
    names::Named,
    testing::{bench, drawn, empty, gullhaven, settle, shows, wait_for, wait_until},
};

fn named(name: &str) -> Named {
    Named { id: EntityId::new(hearsay_model::slug(name)).unwrap(), name: name.into(), kind: Some(Kind::Player) }
}

fn session(number: u32, title: &str) -> SessionLine {
    SessionLine {
        id: SessionId::new(format!("session-{number}")).unwrap(),
        number: Some(number),
        title: title.into(),
        date: None,
        time: "3 Rainmoon 412".into(),
        present: vec![named("Wren")],
        lines: 12,
        recaps: (false, false),
    }
}

struct Hand {
    model: SessionModel,
    part: Option<PartModel>,
    view: SessionView,
    actions: Vec<SessionAction>,
    screen_safe: bool,
}

fn hand(part: Option<PartModel>, playing: bool) -> Harness<'static, Hand> {
    let play = Playing {
        id: SessionId::new("session-2").unwrap(),
        title: "The ledger".into(),
        place: None,
        time: None,
        here: vec![named("Wren")],
        away: vec![named("Dorric")],
    };
    let next = Next { number: 3, players: vec![named("Wren"), named("Dorric")], ..Next::default() };
    let sessions = vec![session(2, "The ledger"), session(1, "The quay")];
    let model = SessionModel { sessions, playing: playing.then_some(play), next };
    let hand = Hand { model, part, view: SessionView::default(), actions: Vec::new(), screen_safe: false };
    let mut drawn = drawn(hand, |ui, look, hand: &mut Hand| {
        let look = Look { screen_safe: hand.screen_safe, ..look.clone() };
        let actions = session_ui(ui, &look, &hand.model, hand.part.as_ref(), &mut hand.view);
        hand.actions.extend(actions);
    });
    drawn.run_steps(3);
    drawn
}

fn press(harness: &mut Harness<'static, Hand>, key: Key) {
    harness.key_press(key);
    harness.run_steps(2);
}

fn recap(players: bool, kept: Option<&str>) -> Option<PartModel> {
    Some(PartModel::Recap(RecapModel {
        players,
        title: "The ledger".into(),
        kept: kept.map(str::to_owned),
        made: "The clerk was found.".into(),
        of: (1, 9),
    }))
}

#[test]
fn a_session_starts_with_those_who_are_there() {
    let mut harness = hand(None, false);
    harness.get_by_label("Title").focus();
    harness.run_steps(1);
    harness.get_by_label("Title").type_text("Fog");
    harness.run_steps(2);
    harness.get_by_label("Dorric").click();
    harness.run_steps(2);
    harness.get_by_label("Start the session").click();
    harness.run_steps(2);
    let [SessionAction::Step(SessionStep::Start(new))] = &harness.state().actions[..] else {
        panic!("{:?}", harness.state().actions)
    };
    assert_eq!((new.title.as_deref(), &new.present[..]), (Some("Fog"), &["wren".to_owned()][..]));
    press(&mut harness, Key::S);
    assert_eq!(harness.state().actions.len(), 2, "the key starts one too");
}

#[test]
fn players_come_and_go_and_the_session_ends() {
    let mut harness = hand(None, true);
    harness.get_by_label("Wren").click();
    harness.run_steps(2);
    harness.get_by_label("Dorric").click();
    harness.run_steps(2);
    press(&mut harness, Key::E);
    harness.get_by_label("Keep playing").click();
    harness.run_steps(2);
    press(&mut harness, Key::E);
    press(&mut harness, Key::Enter);
    let attend = |arrive: &[&str], leave: &[&str]| {
        let all = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        SessionAction::Step(SessionStep::Attend { arrive: all(arrive), leave: all(leave) })
    };
    let end = SessionAction::Step(SessionStep::End { time: None });
    assert_eq!(harness.state().actions, [attend(&[], &["wren"]), attend(&["dorric"], &[]), end]);
    assert_eq!(harness.state().view.part, Part::Report, "the report is shown next");
}

#[test]
fn a_recap_is_edited_kept_copied_and_written() {
    let mut harness = hand(recap(false, None), false);
    press(&mut harness, Key::C);
    assert_eq!(harness.state().view.part, Part::Recap);
    harness.get_by_label("Recap text").focus();
    harness.run_steps(2);
    harness.get_by_label("Recap text").type_text(" Nobody wept.");
    harness.run_steps(2);
    let id = SessionId::new("session-2").unwrap();
    let draft = harness.state().view.drafts[&SessionView::draft_key(&id, false)].clone();
    assert!(draft.contains("Nobody wept.") && draft.contains("The clerk was found."), "{draft}");
    assert!(shows(&harness, "not saved yet"));
    for name in ["Copy the recap", "Save the recap", "Write file"] {
        harness.get_by_label(name).click();
        harness.run_steps(2);
    }
    let [SessionAction::Copy(copied), SessionAction::Keep(kept), SessionAction::Write(file, written)] =
        &harness.state().actions[..]
    else {
        panic!("{:?}", harness.state().actions)
    };
    assert_eq!((copied, kept), (&draft, &KeptRecap { session: id, players: false, text: draft.clone() }));
    assert_eq!((file.as_str(), written.lines().next()), ("session-2-recap.md", Some("# The ledger")));
    // The typed text is restored when the desk opens again.
    let view: SessionView = restored(saved(&harness.state().view).unwrap()).unwrap();
    assert!(view.drafts.values().any(|text| *text == draft));
    harness.get_by_label("Regenerate").click();
    harness.run_steps(2);
    assert!(harness.state().view.drafts.values().all(|text| text == "The clerk was found."));
    harness.get_by_label("For the players").click();
    harness.run_steps(2);
    assert!(harness.state().view.players);
}

#[test]
fn while_players_look_only_their_recap_is_there() {
    let mut harness = hand(recap(false, Some("Hesper did it.")), false);
    harness.state_mut().view.part = Part::Recap;
    harness.run_steps(2);
    assert!(harness.query_by_label("Recap text").is_some());
    harness.state_mut().screen_safe = true;
    harness.run_steps(2);
    assert!(harness.query_by_label("Recap text").is_none());
    harness.get_by_label("For the players").click();
    harness.state_mut().part = recap(true, None);
    harness.run_steps(3);
    assert!(harness.query_by_label("Recap text").is_some());
}

#[test]
fn the_example_campaigns_sessions_are_read_and_lead_on() {
    let mut bench = bench(SessionPanel::default(), gullhaven());
    wait_for(&mut bench, "Lampday");
    wait_until(&mut bench, |bench| shows(bench, "Near midnight all four come back"));
    bench.state_mut().look.screen_safe = true;
    settle(&mut bench);
    assert!(!shows(&bench, "Cobb Farrow was my father"));
    bench.state_mut().look.screen_safe = false;
    bench.key_press(Key::R);
    wait_for(&mut bench, "The players learned");
    let request = bench.state().panel.request().unwrap();
    let Some(PartModel::Report(report)) = bench.state().panel.part.of(&request) else { panic!() };
    assert!(report.learned.iter().any(|learner| learner.player && !learner.facts.is_empty()));
    assert!(!report.threads.is_empty() && !report.counts.is_empty());
    bench.key_press(Key::C);
    wait_for(&mut bench, "Recap text");
    assert!(bench.state_mut().panel.show(&Request::Session(SessionId::new("session-1").unwrap())));
    settle(&mut bench);
    assert_eq!(bench.state().panel.request().unwrap().session.as_str(), "session-1");
}

#[test]
fn a_session_is_played_from_start_to_recap() {
    let mut bench = bench(SessionPanel::default(), gullhaven());
    wait_for(&mut bench, "Start the session");
    bench.key_press(Key::S);
    wait_until(&mut bench, |bench| bench.query_by_label("running").is_some());
    wait_until(&mut bench, |bench| bench.state().watch.panel_context().session.is_some());
    let session = bench.state().watch.panel_context().session.clone();
    assert_eq!(session.as_ref().map(SessionId::as_str), Some("session-5"));
    let lines = vec![
        LogLine { speaker: Some("wren-oake".into()), ..LogLine::new("We have the ledger.") },
        LogLine::new("The bells of the High Ward begin to ring."),
    ];
    bench.state().memory.log(Author::Dm, Log { lines, ..Log::default() }).unwrap().wait().unwrap();
    wait_until(&mut bench, |bench| shows(bench, "We have the ledger"));
    bench.get_by_label("Dorric Stane").click();
    settle(&mut bench);
    wait_until(&mut bench, |bench| {
        !bench.state().watch.panel_context().here.iter().any(|id| id.as_str() == "dorric-stane")
    });
    bench.key_press(Key::E);
    bench.run_steps(2);
    bench.key_press(Key::Enter);
    wait_for(&mut bench, "The players learned");
    bench.key_press(Key::C);
    wait_for(&mut bench, "Recap text");
    bench.get_by_label("For the players").click();
    wait_until(&mut bench, |bench| bench.query_by_label("Recap for the players").is_some());
    bench.get_by_label("Recap text").focus();
    bench.run_steps(2);
    bench.get_by_label("Recap text").type_text("You have it. ");
    bench.run_steps(2);
    bench.key_press_modifiers(egui::Modifiers::COMMAND, Key::S);
    wait_until(&mut bench, |bench| bench.query_by_label("saved").is_some());
    assert!(bench.state().panel.view.drafts.is_empty());
    let session = session.unwrap();
    let kept = bench.state().memory.read(move |world| Ok(world.state.recap(&session, true).map(str::to_owned)));
    assert!(kept.unwrap().wait().unwrap().unwrap().contains("You have it."));
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("recap.md");
    bench.state_mut().panel.view.file = file.display().to_string();
    bench.run_steps(2);
    bench.get_by_label("Write file").click();
    wait_until(&mut bench, |_| file.is_file());
    assert!(std::fs::read_to_string(&file).unwrap().contains("You have it."));
}

#[test]
fn an_empty_campaign_says_what_to_do() {
    let mut bench = bench(SessionPanel::default(), empty());
    wait_for(&mut bench, "No sessions yet");
    assert!(bench.query_by_label("Start the session").is_some());
}

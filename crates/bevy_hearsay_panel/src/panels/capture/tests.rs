//! Tests of the capture line with the engine.

use egui::Key;
use egui_kittest::kittest::Queryable;

use super::*;
use crate::testing::{PanelHarness, gullhaven, open_panel, settle};

fn capture_harness() -> PanelHarness<CapturePanel> {
    let mut harness = open_panel(CapturePanel::default(), gullhaven());
    harness.state_mut().panel.focus();
    harness.run_steps(2);
    harness
}

fn send(harness: &mut PanelHarness<CapturePanel>, line: &str) -> Result<String, String> {
    harness.state_mut().panel.view.typed = line.into();
    harness.state_mut().panel.view.completion.dismissed = Some(line.into());
    harness.state_mut().panel.focus();
    harness.run_steps(2);
    harness.key_press(Key::Enter);
    settle(harness);
    match harness.state().outcomes.last() {
        Some(outcome) => outcome.result.clone().map(|report| report.summary),
        None => Err("nothing was done".into()),
    }
}

#[test]
fn one_line_adds_a_new_character() {
    let mut harness = capture_harness();
    let place =
        harness.state().display.names.all().iter().find(|entity| entity.kind == Some(Kind::Location)).unwrap().clone();
    let summary = send(&mut harness, &format!("+Bramwell Oarsong, ferryman, {}", place.name));
    assert_eq!(summary, Ok("add Bramwell Oarsong".into()));
    let state = harness.state().memory.read(|world| Ok(std::sync::Arc::clone(&world.state))).unwrap().wait().unwrap();
    let id = EntityId::new("bramwell-oarsong").unwrap();
    assert_eq!(state.kind(&id), Some(Kind::Npc));
    let occupation = state.newest(&id, "occupation").unwrap();
    assert_eq!(occupation.object().text(), Some("ferryman"));
    assert_eq!(occupation.status(), hearsay_model::FactStatus::Canon);
    assert_eq!(harness.state().panel.typed(), "", "the field is empty after sending");
}

#[test]
fn a_line_without_a_session_asks_first_and_is_not_lost() {
    let mut harness = capture_harness();
    if harness.state().context_poller.panel_context().session.is_some() {
        return;
    }
    let _ = send(&mut harness, "Grimjaw told Lyra the shipment is under the chapel");
    assert!(harness.state().panel.typed().contains("shipment"));
    harness.get_by_label("Start a session and log it").click();
    settle(&mut harness);
    let log_request = harness.state_mut().panel.take_due_log();
    let Some(Request::Execute(desk_command)) = log_request else { panic!("{log_request:?}") };
    harness.state_mut().desk_commands.submit(desk_command);
    settle(&mut harness);
    let summary = harness.state().outcomes.last().unwrap().result.as_ref().unwrap().summary.clone();
    assert!(summary.contains("Grimjaw told Lyra"), "{summary}");
    assert_eq!(harness.state().panel.typed(), "");
}

#[test]
fn names_complete_while_typing() {
    let mut harness = capture_harness();
    harness.get_by_label("Capture").type_text("Mire");
    harness.run_steps(3);
    harness.key_press(Key::Tab);
    harness.run_steps(3);
    assert_eq!(harness.state().panel.typed(), "Mirela Voss ");
}

#[test]
fn screen_safe_mode_completes_no_names() {
    let mut harness = capture_harness();
    harness.state_mut().display.screen_safe = true;
    harness.get_by_label("Capture").type_text("Mire");
    harness.run_steps(3);
    harness.key_press(Key::Tab);
    harness.run_steps(3);
    assert_eq!(harness.state().panel.typed(), "Mire");
}

#[test]
fn enter_sends_a_line_that_ends_in_a_part_of_a_name() {
    let mut harness = capture_harness();
    harness.get_by_label("Capture").type_text("!Mirela Voss fears Od");
    harness.run_steps(3);
    assert!(!harness.state().panel.completions(&harness.state().display).is_empty());
    harness.key_press(Key::Enter);
    settle(&mut harness);
    assert!(harness.state().outcomes.last().unwrap().result.is_ok());
    assert_eq!(harness.state().panel.view.history, ["!Mirela Voss fears Od"]);
    assert_eq!(harness.state().panel.typed(), "");
}

#[test]
fn escape_clears_the_line_and_up_recalls_it() {
    let mut harness = capture_harness();
    harness.get_by_label("Capture").type_text("the bells ring");
    harness.run_steps(3);
    harness.key_press(Key::Escape);
    harness.run_steps(3);
    assert_eq!(harness.state().panel.typed(), "");
    harness.key_press(Key::ArrowUp);
    harness.run_steps(3);
    assert_eq!(harness.state().panel.typed(), "the bells ring");
}

#[test]
fn a_secret_is_kept_secret() {
    let mut harness = capture_harness();
    let summary = send(&mut harness, "!Mirela Voss poisoned the well");
    assert!(summary.is_ok(), "{summary:?}");
    let state = harness.state().memory.read(|world| Ok(std::sync::Arc::clone(&world.state))).unwrap().wait().unwrap();
    let id = EntityId::new("mirela-voss").unwrap();
    let secret = state.facts_of(&id).find(|fact| fact.statement() == "Mirela Voss poisoned the well").cloned().unwrap();
    assert_eq!(secret.secrecy(), hearsay_model::Secrecy::Secret);
    let knowers: Vec<_> =
        state.recorded_knowledge(secret.id()).map(|edge| (edge.knower.to_string(), edge.conceals)).collect();
    assert_eq!(knowers, [("mirela-voss".to_owned(), true)]);
}

#[test]
fn only_a_certain_fact_becomes_a_secret_relation() {
    for (line, predicate) in
        [("!Mirela Voss hates Odo Brandt", "HOSTILE_TO"), ("!Maybe Mirela Voss hates Odo Brandt", "secret")]
    {
        let mut harness = capture_harness();
        let draft = Draft { text: line[1..].into(), form: TextType::Narration, ..Draft::default() };
        let extracted = harness.state().memory.draft(draft).unwrap().wait().unwrap();
        assert!(!extracted.extraction.facts.is_empty(), "{line}");
        harness.state_mut().panel.extracted = Some((line.into(), extracted));
        send(&mut harness, line).unwrap();
        let state =
            harness.state().memory.read(|world| Ok(std::sync::Arc::clone(&world.state))).unwrap().wait().unwrap();
        let id = EntityId::new("mirela-voss").unwrap();
        let secret = state.facts_of(&id).find(|fact| fact.statement() == &line[1..]).unwrap();
        assert_eq!(secret.predicate().as_str(), predicate, "{line}");
    }
}

#[test]
fn typed_text_survives_closing_the_window() {
    let mut panel = CapturePanel::default();
    panel.view.typed = "Half a li".into();
    let mut restored_panel = CapturePanel::default();
    restored_panel.restore(panel.save().unwrap());
    assert_eq!(restored_panel.typed(), "Half a li");
}

#[test]
fn the_name_that_is_typed_is_the_last_with_a_capital() {
    assert_eq!(name_start("Grimjaw told Lyr"), (13, false));
    assert_eq!(name_start("the ledger of Mirela Vo"), (14, false));
    assert_eq!(name_start("#Salt"), (1, true));
    assert_eq!(name_start("+Bram, ferryman, Sal"), (17, true));
    assert_eq!(name_start("he went home").0, 12);
}

//! Tests of the capture line with the engine.

use egui::Key;
use egui_kittest::kittest::Queryable;

use super::*;
use crate::testing::{Bench, bench, gullhaven, settle};

fn captured() -> Bench<CapturePanel> {
    let mut bench = bench(CapturePanel::default(), gullhaven());
    bench.state_mut().panel.focus();
    bench.run_steps(2);
    bench
}

fn send(bench: &mut Bench<CapturePanel>, line: &str) -> Result<String, String> {
    bench.state_mut().panel.view.typed = line.into();
    bench.state_mut().panel.view.completion.dismissed = Some(line.into());
    bench.state_mut().panel.focus();
    bench.run_steps(2);
    bench.key_press(Key::Enter);
    settle(bench);
    match bench.state().outcomes.last() {
        Some(outcome) => outcome.done.clone().map(|done| done.summary),
        None => Err("nothing was done".into()),
    }
}

#[test]
fn one_line_adds_a_new_character() {
    let mut bench = captured();
    let place = bench.state().look.names.all().iter().find(|named| named.kind == Some(Kind::Location)).unwrap().clone();
    let summary = send(&mut bench, &format!("+Bramwell Oarsong, ferryman, {}", place.name));
    assert_eq!(summary, Ok("add Bramwell Oarsong".into()));
    let state = bench.state().memory.read(|world| Ok(std::sync::Arc::clone(&world.state))).unwrap().wait().unwrap();
    let id = EntityId::new("bramwell-oarsong").unwrap();
    assert_eq!(state.kind(&id), Some(Kind::Npc));
    let occupation = state.newest(&id, "occupation").unwrap();
    assert_eq!(occupation.object().text(), Some("ferryman"));
    assert_eq!(occupation.status(), hearsay_model::FactStatus::Canon);
    assert_eq!(bench.state().panel.typed(), "", "the field is empty after sending");
}

#[test]
fn a_line_without_a_session_asks_first_and_is_not_lost() {
    let mut bench = captured();
    if bench.state().watch.panel_context().session.is_some() {
        return;
    }
    let _ = send(&mut bench, "Grimjaw told Lyra the shipment is under the chapel");
    assert!(bench.state().panel.typed().contains("shipment"));
    bench.get_by_label("Start a session and log it").click();
    settle(&mut bench);
    let due = bench.state_mut().panel.due();
    let Some(Request::Do(desk_command)) = due else { panic!("{due:?}") };
    bench.state_mut().desk_commands.begin(desk_command);
    settle(&mut bench);
    let said = bench.state().outcomes.last().unwrap().done.as_ref().unwrap().summary.clone();
    assert!(said.contains("Grimjaw told Lyra"), "{said}");
    assert_eq!(bench.state().panel.typed(), "");
}

#[test]
fn names_complete_while_typing() {
    let mut bench = captured();
    bench.get_by_label("Capture").type_text("Mire");
    bench.run_steps(3);
    bench.key_press(Key::Tab);
    bench.run_steps(3);
    assert_eq!(bench.state().panel.typed(), "Mirela Voss ");
}

#[test]
fn a_secret_is_kept_secret() {
    let mut bench = captured();
    let summary = send(&mut bench, "!Mirela Voss poisoned the well");
    assert!(summary.is_ok(), "{summary:?}");
    let state = bench.state().memory.read(|world| Ok(std::sync::Arc::clone(&world.state))).unwrap().wait().unwrap();
    let id = EntityId::new("mirela-voss").unwrap();
    let secret = state.facts_of(&id).find(|fact| fact.statement() == "Mirela Voss poisoned the well").cloned().unwrap();
    assert_eq!(secret.secrecy(), hearsay_model::Secrecy::Secret);
}

#[test]
fn typed_text_survives_closing_the_window() {
    let mut panel = CapturePanel::default();
    panel.view.typed = "Half a li".into();
    let mut again = CapturePanel::default();
    again.restore(panel.save().unwrap());
    assert_eq!(again.typed(), "Half a li");
}

#[test]
fn the_name_that_is_typed_is_the_last_with_a_capital() {
    assert_eq!(name_start("Grimjaw told Lyr"), (13, false));
    assert_eq!(name_start("the ledger of Mirela Vo"), (14, false));
    assert_eq!(name_start("#Salt"), (1, true));
    assert_eq!(name_start("+Bram, ferryman, Sal"), (17, true));
    assert_eq!(name_start("he went home").0, 12);
}

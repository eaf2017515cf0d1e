//! Tests of the desk with all its panels and the engine.

use std::time::{Duration, Instant};

use egui::{Key, Modifiers};
use egui_kittest::{
    Harness,
    kittest::{NodeT, Queryable},
};
use hearsay_commands::edit::{Edit, FactOptions};
use hearsay_query::journal::UndoTarget;

use super::*;
use crate::testing::{PATIENCE, gullhaven};

struct Table {
    desk: Desk,
    memory: Memory,
}

type Sitting = Harness<'static, Table>;

fn sit_at(desk: Desk) -> Sitting {
    let table = Table { desk, memory: gullhaven() };
    let frame = |ui: &mut Ui, table: &mut Table| table.desk.ui(ui, &table.memory);
    let mut sitting = Harness::builder().with_size([1280.0, 720.0]).build_ui_state(frame, table);
    settle(&mut sitting);
    sitting
}

fn sit() -> Sitting {
    sit_at(Desk::default())
}

fn settle(sitting: &mut Sitting) {
    let begun = Instant::now();
    let mut quiet = 0;
    while quiet < 12 {
        sitting.step();
        quiet = if sitting.state().desk.is_busy() { 0 } else { quiet + 1 };
        std::thread::sleep(Duration::from_millis(1));
        assert!(begun.elapsed() < PATIENCE, "the desk still has pending work");
    }
}

fn press(sitting: &mut Sitting, modifiers: Modifiers, key: Key) {
    sitting.key_press_modifiers(modifiers, key);
    settle(sitting);
}

fn note(sitting: &Sitting) -> String {
    sitting.state().desk.status.note().map_or_else(String::new, |note| note.text.clone())
}

fn set_occupation(sitting: &mut Sitting, value: &str) {
    let (entity, attribute, value) = ("mirela-voss".into(), "occupation".into(), value.into());
    let edit = Edit::Set { entity, attribute, value, options: FactOptions::default() };
    sitting.state_mut().desk.desk_commands.begin(crate::DeskCommand::Edit(edit));
    settle(sitting);
}

#[test]
fn a_new_desk_has_every_panel_once() {
    assert!(layout::is_whole(&layout::first()));
}

#[test]
fn keys_open_panels_and_help_lists_them() {
    let mut sitting = sit();
    press(&mut sitting, Modifiers::ALT, Key::Num9);
    assert_eq!(sitting.state().desk.active(), PanelKind::History);
    press(&mut sitting, Modifiers::NONE, Key::F1);
    sitting.get_by_label_contains("Single keys work");
    press(&mut sitting, Modifiers::NONE, Key::Escape);
    assert!(!sitting.state().desk.dialogs.is_open());
}

#[test]
fn the_palette_finds_and_runs_a_command() {
    let mut sitting = sit();
    press(&mut sitting, Modifiers::COMMAND, Key::P);
    sitting.event(egui::Event::Text("open graph".into()));
    settle(&mut sitting);
    press(&mut sitting, Modifiers::NONE, Key::Enter);
    assert_eq!(sitting.state().desk.active(), PanelKind::Graph);
}

#[test]
fn undo_goes_back_step_by_step_and_names_what_it_takes_back() {
    let mut sitting = sit();
    set_occupation(&mut sitting, "smuggler");
    set_occupation(&mut sitting, "spy");
    press(&mut sitting, Modifiers::COMMAND, Key::Z);
    assert!(note(&sitting).contains("undo") && note(&sitting).contains("occupation"), "{}", note(&sitting));
    press(&mut sitting, Modifiers::COMMAND, Key::Z);
    press(&mut sitting, Modifiers::COMMAND, Key::Z);
    assert!(note(&sitting).contains("nothing to undo"), "an import is not by the DM: {}", note(&sitting));
    press(&mut sitting, Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    let value = || {
        let read = |world: &hearsay_engine::ReadSnapshot| {
            let id = hearsay_model::EntityId::new("mirela-voss")?;
            Ok(world.state.newest(&id, "occupation").and_then(|fact| fact.object().text().map(str::to_owned)))
        };
        sitting.state().memory.read(read).unwrap().wait().unwrap()
    };
    assert_eq!(value().as_deref(), Some("smuggler"), "redo restores the last undone change");
}

#[test]
fn undo_asks_first_if_later_changes_depend_on_it() {
    let mut sitting = sit();
    let add = Edit::Add { name: "Zed".into(), kind: hearsay_model::Kind::Npc, id: None, place: None };
    sitting.state_mut().desk.desk_commands.begin(crate::DeskCommand::Edit(add));
    settle(&mut sitting);
    let at = sitting.state().desk.panel_context().version.position;
    let end = crate::DeskCommand::make("accept the name", |world| {
        let id = hearsay_model::EntityId::new("zed")?;
        let name = world.state.newest(&id, "name").map(|fact| fact.id());
        let changes = name.into_iter().map(hearsay_model::Change::Confirm).collect();
        Ok(hearsay_model::Operation::new(hearsay_model::Author::Game, "confirm the name", changes))
    });
    sitting.state_mut().desk.desk_commands.begin(end);
    settle(&mut sitting);
    press(&mut sitting, Modifiers::COMMAND, Key::Z);
    sitting.get_by_label("Undo the later changes too?");
    sitting.get_by_label("Cancel").click();
    settle(&mut sitting);
    assert!(sitting.query_by_label("Undo the later changes too?").is_none());
    press(&mut sitting, Modifiers::COMMAND, Key::Z);
    sitting.get_by_label("Undo all").click();
    settle(&mut sitting);
    let preview = sitting.state().memory.undo_preview(UndoTarget::At(at)).unwrap().wait();
    assert!(preview.is_err(), "it is undone already");
}

#[test]
fn typed_text_and_layout_survive_closing_the_window() {
    let mut sitting = sit();
    press(&mut sitting, Modifiers::COMMAND, Key::L);
    sitting.get_by_label("Capture").type_text("half a li");
    settle(&mut sitting);
    press(&mut sitting, Modifiers::ALT, Key::Num5);
    press(&mut sitting, Modifiers::NONE, Key::F7);
    sitting.state_mut().desk.set_scale(1.25);
    let kept = serde_json::to_value(sitting.state().desk.keep()).unwrap();
    drop(sitting);
    let mut again = Desk::default();
    again.restore(serde_json::from_str(&kept.to_string()).unwrap());
    assert_eq!(again.capture.typed(), "half a li");
    assert_eq!((again.theme().shade(), again.theme().scale()), (Shade::Light, 1.25));
    assert!(layout::visible(&again.tree).contains(&PanelKind::Graph));
    assert_eq!(serde_json::to_value(again.keep()).unwrap(), kept);
}

#[test]
fn a_saved_layout_of_another_version_is_ignored() {
    let mut kept = serde_json::to_value(Desk::default().keep()).unwrap();
    kept["panels"]["review"] = serde_json::json!({ "selected": 7 });
    let mut desk = Desk::default();
    desk.restore(serde_json::from_value(kept).unwrap());
    assert!(layout::is_whole(&desk.tree));
}

#[test]
fn quiet_mode_and_screen_safe_mode_are_switched_by_key_and_button() {
    let mut sitting = sit();
    press(&mut sitting, Modifiers::NONE, Key::F8);
    assert!(sitting.state().desk.screen_safe);
    sitting.get_by_label("Screen-safe mode").click();
    settle(&mut sitting);
    assert!(!sitting.state().desk.screen_safe);
    sitting.get_by_label("Quiet mode").click();
    settle(&mut sitting);
    assert!(sitting.state().desk.quiet && sitting.query_by_label("Quiet mode").is_none());
    press(&mut sitting, Modifiers::NONE, Key::F9);
    assert!(!sitting.state().desk.quiet);
    press(&mut sitting, Modifiers::NONE, Key::F9);
    press(&mut sitting, Modifiers::NONE, Key::Escape);
    assert!(!sitting.state().desk.quiet);
}

#[test]
fn in_combat_and_on_a_small_screen_one_panel_is_shown() {
    let mut sitting = sit();
    let both = |sitting: &Sitting| {
        let shows = |label: &str| sitting.query_by_label(label).is_some();
        (shows("Order"), shows("No entity page is open"))
    };
    assert_eq!(both(&sitting), (true, true));
    press(&mut sitting, Modifiers::NONE, Key::F9);
    assert_eq!(both(&sitting), (true, false), "only the active panel is shown");
    press(&mut sitting, Modifiers::NONE, Key::F9);
    sitting.set_size(egui::vec2(640.0, 360.0));
    settle(&mut sitting);
    assert_eq!(both(&sitting), (true, false));
    sitting.get_by_label("Entity").click();
    settle(&mut sitting);
    assert_eq!(both(&sitting), (false, true));
}

#[test]
#[ignore = "measures"]
#[allow(clippy::print_stdout)]
fn a_frame_of_the_whole_desk() {
    let mut sitting = sit();
    let begun = Instant::now();
    for _ in 0..60 {
        sitting.step();
    }
    println!("the desk over the example campaign: {:?} a frame, with the harness", begun.elapsed() / 60);
}

/// Runs frames until a condition is true.
fn until(sitting: &mut Sitting, what: &str, is_so: impl Fn(&Sitting) -> bool) {
    let begun = Instant::now();
    while !is_so(sitting) {
        sitting.step();
        std::thread::sleep(Duration::from_millis(2));
        assert!(begun.elapsed() < PATIENCE, "timeout while waiting for {what}");
    }
    settle(sitting);
}

#[test]
fn undo_reaches_days_that_passed_the_clock_and_imports_and_names_them() {
    let mut sitting = sit();
    let directory = tempfile::tempdir().unwrap();
    let people = "entities:\n  - {id: ann-of-the-mill, name: Ann of the Mill, kind: npc}\n";
    std::fs::write(directory.path().join("campaign.yaml"), "campaign: {id: mill, name: The Mill}\n").unwrap();
    std::fs::write(directory.path().join("people.yaml"), people).unwrap();
    press(&mut sitting, Modifiers::ALT, Key::Num8);
    press(&mut sitting, Modifiers::NONE, Key::Num3);
    until(&mut sitting, "what people would tell", |sitting| sitting.query_by_label("Let it pass").is_some());
    let before = sitting.state().desk.panel_context().clock_time.unwrap();
    press(&mut sitting, Modifiers::NONE, Key::Enter);
    until(&mut sitting, "three days", |sitting| sitting.state().desk.panel_context().clock_time > Some(before));
    let passed = note(&sitting).replace("Done: ", "");
    let later = hearsay_model::GameTime(before.0 + 30 * 24 * 60);
    sitting.state_mut().desk.desk_commands.begin(crate::DeskCommand::SetClock(later));
    settle(&mut sitting);
    let clock = sitting.state().desk.panel_context().clock.clone().unwrap();
    sitting.state_mut().desk.desk_commands.begin(crate::DeskCommand::Import(directory.path().to_owned()));
    settle(&mut sitting);
    assert!(note(&sitting).contains("import"), "{}", note(&sitting));

    // The desk closes and opens again.
    let kept = serde_json::to_string(&sitting.state().desk.keep()).unwrap();
    sitting.state_mut().desk = Desk::default();
    sitting.state_mut().desk.restore(serde_json::from_str(&kept).unwrap());
    settle(&mut sitting);
    for what in ["import", clock.as_str(), passed.as_str()] {
        press(&mut sitting, Modifiers::COMMAND, Key::Z);
        if sitting.query_by_label("Undo all").is_some() {
            sitting.get_by_label("Undo all").click();
            settle(&mut sitting);
        }
        assert!(note(&sitting).contains("undo") && note(&sitting).contains(what), "{what}: {}", note(&sitting));
    }
    assert_eq!(sitting.state().desk.panel_context().clock_time, Some(before));
    press(&mut sitting, Modifiers::COMMAND, Key::Z);
    assert!(note(&sitting).contains("nothing to undo"), "initial content cannot be undone: {}", note(&sitting));
}

#[test]
fn half_typed_text_in_any_panel_is_restored() {
    let mut sitting = sit();
    let guess = hearsay_commands::proposal::Proposal {
        confidence: hearsay_model::Confidence::new(0.5).unwrap(),
        ..hearsay_commands::proposal::Proposal::new(
            hearsay_model::EntityId::new("mirela-voss").unwrap(),
            hearsay_model::Predicate::new("FEARS").unwrap(),
            hearsay_model::Object::Entity(hearsay_model::EntityId::new("captain-rusk").unwrap()),
        )
    };
    let memory = &sitting.state().memory;
    memory.propose(hearsay_model::Author::Extractor, vec![guess]).unwrap().wait().unwrap();
    let types = |sitting: &mut Sitting, field: &str, text: &str| {
        let fields = |sitting: &Sitting, act: &dyn Fn(&egui_kittest::Node<'_>)| {
            let is_field = |node: &egui_kittest::Node<'_>| {
                use egui::accesskit::Role;
                matches!(node.accesskit_node().role(), Role::TextInput | Role::MultilineTextInput)
            };
            sitting.query_all_by_label(field).find(is_field).inspect(act).is_some()
        };
        until(sitting, field, |sitting| fields(sitting, &|_| {}));
        fields(sitting, &|node| node.focus());
        settle(sitting);
        fields(sitting, &|node| node.type_text(text));
        settle(sitting);
    };
    until(&mut sitting, "cards", |sitting| sitting.query_by_label("Accept").is_some());
    press(&mut sitting, Modifiers::NONE, Key::E);
    types(&mut sitting, "Sentence", "the half sentence ");
    sitting.get_by_label("Capture").focus();
    types(&mut sitting, "Capture", "half a line");
    let (ctx, speaker) = (sitting.ctx.clone(), hearsay_model::EntityId::new("mirela-voss").ok());
    sitting.state_mut().desk.request(&ctx, Request::Scene { place: None, speaker });
    types(&mut sitting, "Question", "half a doubt");
    types(&mut sitting, "Event", "half a fight");
    press(&mut sitting, Modifiers::ALT, Key::Num0);
    types(&mut sitting, "Title", "half a title");
    sitting.get_by_label("Recap").click();
    settle(&mut sitting);
    types(&mut sitting, "Recap text", "half a recap ");
    press(&mut sitting, Modifiers::ALT, Key::Num8);
    types(&mut sitting, "Until", "half a date");
    press(&mut sitting, Modifiers::ALT, Key::I);
    types(&mut sitting, "Folder or file", "half/a/path");
    press(&mut sitting, Modifiers::COMMAND, Key::K);
    types(&mut sitting, "Search", "half a question");

    let kept = serde_json::to_string(&sitting.state().desk.keep()).unwrap();
    drop(sitting);
    let mut desk = Desk::default();
    desk.restore(serde_json::from_str(&kept).unwrap());
    let again = serde_json::to_string(&sit_at(desk).state().desk.keep()).unwrap();
    let typed = ["the half sentence", "half a line", "half a fight", "half a title", "half a recap", "half a date"];
    for words in typed.into_iter().chain(["half/a/path", "half a question", "half a doubt"]) {
        assert!(kept.contains(words), "{words} is kept");
        assert!(again.contains(words), "{words} is restored");
    }
}

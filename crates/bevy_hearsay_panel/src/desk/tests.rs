//! Tests of the DM console with all its panels and the engine.

use std::time::{Duration, Instant};

use egui::{Key, Modifiers};
use egui_kittest::{
    Harness,
    kittest::{NodeT, Queryable},
};
use hearsay_commands::{
    edit::{Edit, FactOptions},
    session::{NewSession, SessionStep},
};
use hearsay_model::{Author, EntityId};
use hearsay_query::journal::UndoTarget;

use super::*;
use crate::testing::{TIMEOUT, gullhaven};

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

struct DeskHost {
    desk: Desk,
    memory: Memory,
}

type DeskHarness = Harness<'static, DeskHost>;

fn open_desk_with(desk: Desk) -> DeskHarness {
    let host = DeskHost { desk, memory: gullhaven() };
    let frame = |ui: &mut Ui, host: &mut DeskHost| host.desk.ui(ui, &host.memory);
    let mut harness = Harness::builder().with_size([1280.0, 720.0]).build_ui_state(frame, host);
    settle(&mut harness);
    harness
}

fn open_desk() -> DeskHarness {
    open_desk_with(Desk::default())
}

fn settle(harness: &mut DeskHarness) {
    let started_at = Instant::now();
    let mut idle_frames = 0;
    while idle_frames < 12 {
        harness.step();
        idle_frames = if harness.state().desk.is_busy() { 0 } else { idle_frames + 1 };
        std::thread::sleep(Duration::from_millis(1));
        assert!(started_at.elapsed() < TIMEOUT, "the desk still has pending work");
    }
}

fn press(harness: &mut DeskHarness, modifiers: Modifiers, key: Key) {
    harness.key_press_modifiers(modifiers, key);
    settle(harness);
}

fn status_text(harness: &DeskHarness) -> String {
    harness.state().desk.status.message().map_or_else(String::new, |message| message.text.clone())
}

fn set_occupation(harness: &mut DeskHarness, value: &str) {
    let (entity, attribute, value) = (id("mirela-voss"), "occupation".into(), value.into());
    let edit = Edit::Set { entity, attribute, value, options: FactOptions::default() };
    harness.state_mut().desk.desk_commands.submit(crate::DeskCommand::Edit(edit));
    settle(harness);
}

#[test]
fn a_new_desk_has_every_panel_once() {
    assert!(layout::is_complete(&layout::default_layout()));
}

#[test]
fn keys_open_panels_and_help_lists_them() {
    let mut harness = open_desk();
    press(&mut harness, Modifiers::ALT, Key::Num9);
    assert_eq!(harness.state().desk.active(), PanelKind::History);
    press(&mut harness, Modifiers::NONE, Key::F1);
    harness.get_by_label_contains("Single keys work");
    press(&mut harness, Modifiers::NONE, Key::Escape);
    assert!(!harness.state().desk.dialogs.is_open());
}

#[test]
fn the_palette_finds_and_runs_a_command() {
    let mut harness = open_desk();
    press(&mut harness, Modifiers::COMMAND, Key::P);
    harness.event(egui::Event::Text("open graph".into()));
    settle(&mut harness);
    press(&mut harness, Modifiers::NONE, Key::Enter);
    assert_eq!(harness.state().desk.active(), PanelKind::Graph);
}

#[test]
fn undo_goes_back_step_by_step_and_names_what_it_takes_back() {
    let mut harness = open_desk();
    set_occupation(&mut harness, "smuggler");
    set_occupation(&mut harness, "spy");
    press(&mut harness, Modifiers::COMMAND, Key::Z);
    assert!(
        status_text(&harness).contains("undo") && status_text(&harness).contains("occupation"),
        "{}",
        status_text(&harness)
    );
    press(&mut harness, Modifiers::COMMAND, Key::Z);
    press(&mut harness, Modifiers::COMMAND, Key::Z);
    assert!(
        status_text(&harness).contains("no operation to undo"),
        "an import is not by the DM: {}",
        status_text(&harness)
    );
    press(&mut harness, Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    let value = || {
        let read = |world: &hearsay_engine::ReadSnapshot| {
            let id = hearsay_model::EntityId::new("mirela-voss")?;
            Ok(world.state.newest(&id, "occupation").and_then(|fact| fact.object().text().map(str::to_owned)))
        };
        harness.state().memory.read(read).unwrap().wait().unwrap()
    };
    assert_eq!(value().as_deref(), Some("smuggler"), "redo restores the last undone change");
}

#[test]
fn undo_asks_first_if_later_changes_depend_on_it() {
    let mut harness = open_desk();
    let add = Edit::Add { name: "Zed".into(), kind: hearsay_model::Kind::Npc, id: None, place: None };
    harness.state_mut().desk.desk_commands.submit(crate::DeskCommand::Edit(add));
    settle(&mut harness);
    let at = harness.state().desk.panel_context().version.position;
    let end = crate::DeskCommand::custom("accept the name", |world| {
        let id = hearsay_model::EntityId::new("zed")?;
        let name = world.state.newest(&id, "name").map(|fact| fact.id());
        let changes = name.into_iter().map(hearsay_model::Change::Confirm).collect();
        Ok(hearsay_model::Operation::new(hearsay_model::Author::Game, "confirm the name", changes))
    });
    harness.state_mut().desk.desk_commands.submit(end);
    settle(&mut harness);
    press(&mut harness, Modifiers::COMMAND, Key::Z);
    harness.get_by_label("Undo the later changes too?");
    harness.get_by_label("Cancel").click();
    settle(&mut harness);
    assert!(harness.query_by_label("Undo the later changes too?").is_none());
    press(&mut harness, Modifiers::COMMAND, Key::Z);
    harness.get_by_label("Undo all").click();
    settle(&mut harness);
    let preview = harness.state().memory.undo_preview(UndoTarget::At(at)).unwrap().wait();
    assert!(preview.is_err(), "it is undone already");
}

#[test]
fn typed_text_and_layout_survive_closing_the_window() {
    let mut harness = open_desk();
    press(&mut harness, Modifiers::COMMAND, Key::L);
    harness.get_by_label("Capture").type_text("half a li");
    settle(&mut harness);
    press(&mut harness, Modifiers::ALT, Key::Num5);
    press(&mut harness, Modifiers::NONE, Key::F7);
    harness.state_mut().desk.set_scale(1.25);
    let saved = serde_json::to_value(harness.state().desk.save()).unwrap();
    drop(harness);
    let mut restored_desk = Desk::default();
    restored_desk.restore(serde_json::from_str(&saved.to_string()).unwrap());
    assert_eq!(restored_desk.capture.typed(), "half a li");
    assert_eq!((restored_desk.theme().shade(), restored_desk.theme().scale()), (Shade::Light, 1.25));
    assert!(layout::visible_panels(&restored_desk.tree).contains(&PanelKind::Graph));
    assert_eq!(serde_json::to_value(restored_desk.save()).unwrap(), saved);
}

#[test]
fn a_saved_layout_of_another_version_is_ignored() {
    let mut saved = serde_json::to_value(Desk::default().save()).unwrap();
    saved["panels"]["review"] = serde_json::json!({ "selected": 7 });
    let mut desk = Desk::default();
    desk.restore(serde_json::from_value(saved).unwrap());
    assert!(layout::is_complete(&desk.tree));
}

#[test]
fn quiet_mode_and_screen_safe_mode_are_switched_by_key_and_button() {
    let mut harness = open_desk();
    press(&mut harness, Modifiers::NONE, Key::F8);
    assert!(harness.state().desk.player_screen.is_some());
    harness.get_by_label("Screen-safe mode").click();
    settle(&mut harness);
    assert!(harness.state().desk.player_screen.is_none());
    harness.get_by_label("Quiet mode").click();
    settle(&mut harness);
    assert!(harness.state().desk.quiet && harness.query_by_label("Quiet mode").is_none());
    press(&mut harness, Modifiers::NONE, Key::F9);
    assert!(!harness.state().desk.quiet);
    press(&mut harness, Modifiers::NONE, Key::F9);
    press(&mut harness, Modifiers::NONE, Key::Escape);
    assert!(!harness.state().desk.quiet);
}

#[test]
fn in_combat_and_on_a_small_screen_one_panel_is_shown() {
    let mut harness = open_desk();
    let shown_panels = |harness: &DeskHarness| {
        let is_shown = |label: &str| harness.query_by_label(label).is_some();
        (is_shown("Order"), is_shown("No entity page is open"))
    };
    assert_eq!(shown_panels(&harness), (true, true));
    press(&mut harness, Modifiers::NONE, Key::F9);
    assert_eq!(shown_panels(&harness), (true, false), "only the active panel is shown");
    press(&mut harness, Modifiers::NONE, Key::F9);
    harness.set_size(egui::vec2(640.0, 360.0));
    settle(&mut harness);
    assert_eq!(shown_panels(&harness), (true, false));
    harness.get_by_label("Entity").click();
    settle(&mut harness);
    assert_eq!(shown_panels(&harness), (false, true));
}

#[test]
#[ignore = "measures"]
#[allow(clippy::print_stdout)]
fn a_frame_of_the_whole_desk() {
    let mut harness = open_desk();
    let started_at = Instant::now();
    for _ in 0..60 {
        harness.step();
    }
    println!("the desk over the example campaign: {:?} a frame, with the harness", started_at.elapsed() / 60);
}

/// Runs frames until a condition is true.
fn wait_until(harness: &mut DeskHarness, description: &str, condition: impl Fn(&DeskHarness) -> bool) {
    let started_at = Instant::now();
    while !condition(harness) {
        harness.step();
        std::thread::sleep(Duration::from_millis(2));
        assert!(started_at.elapsed() < TIMEOUT, "timeout while waiting for {description}: {}", shown_texts(harness));
    }
    settle(harness);
}

#[test]
fn undo_reaches_days_that_passed_the_clock_and_imports_and_names_them() {
    let mut harness = open_desk();
    let directory = tempfile::tempdir().unwrap();
    let people = "entities:\n  - {id: ann-of-the-mill, name: Ann of the Mill, kind: npc}\n";
    std::fs::write(directory.path().join("campaign.yaml"), "campaign: {id: mill, name: The Mill}\n").unwrap();
    std::fs::write(directory.path().join("people.yaml"), people).unwrap();
    press(&mut harness, Modifiers::ALT, Key::Num8);
    press(&mut harness, Modifiers::NONE, Key::Num3);
    wait_until(&mut harness, "what people would tell", |harness| harness.query_by_label("Let it pass").is_some());
    let before = harness.state().desk.panel_context().clock_time.unwrap();
    press(&mut harness, Modifiers::NONE, Key::Enter);
    wait_until(&mut harness, "three days", |harness| harness.state().desk.panel_context().clock_time > Some(before));
    let gossip_summary = status_text(&harness).replace("Done: ", "");
    let later = hearsay_model::GameTime(before.0 + 30 * 24 * 60);
    harness.state_mut().desk.desk_commands.submit(crate::DeskCommand::SetClock(later));
    settle(&mut harness);
    let clock = harness.state().desk.panel_context().clock.clone().unwrap();
    harness.state_mut().desk.desk_commands.submit(crate::DeskCommand::Import(directory.path().to_owned()));
    settle(&mut harness);
    assert!(status_text(&harness).contains("import"), "{}", status_text(&harness));

    // The DM console closes and opens again.
    let saved = serde_json::to_string(&harness.state().desk.save()).unwrap();
    harness.state_mut().desk = Desk::default();
    harness.state_mut().desk.restore(serde_json::from_str(&saved).unwrap());
    settle(&mut harness);
    for what in ["import", clock.as_str(), gossip_summary.as_str()] {
        press(&mut harness, Modifiers::COMMAND, Key::Z);
        if harness.query_by_label("Undo all").is_some() {
            harness.get_by_label("Undo all").click();
            settle(&mut harness);
        }
        assert!(
            status_text(&harness).contains("undo") && status_text(&harness).contains(what),
            "{what}: {}",
            status_text(&harness)
        );
    }
    assert_eq!(harness.state().desk.panel_context().clock_time, Some(before));
    press(&mut harness, Modifiers::COMMAND, Key::Z);
    assert!(
        status_text(&harness).contains("no operation to undo"),
        "initial content cannot be undone: {}",
        status_text(&harness)
    );
}

#[test]
fn a_key_that_leaves_a_text_field_triggers_no_command() {
    let mut harness = open_desk();
    harness.state_mut().desk.quiet = true;
    harness.get_by_label("Capture").focus();
    settle(&mut harness);
    press(&mut harness, Modifiers::NONE, Key::Escape);
    assert!(harness.state().desk.quiet, "the key belongs to the text field");
    press(&mut harness, Modifiers::NONE, Key::Escape);
    assert!(!harness.state().desk.quiet);
}

#[test]
fn half_typed_text_in_any_panel_is_restored() {
    let mut harness = open_desk();
    let proposal = hearsay_commands::proposal::Proposal {
        confidence: hearsay_model::Confidence::new(0.5).unwrap(),
        ..hearsay_commands::proposal::Proposal::new(
            hearsay_model::EntityId::new("mirela-voss").unwrap(),
            hearsay_model::Predicate::new("FEARS").unwrap(),
            hearsay_model::Object::Entity(hearsay_model::EntityId::new("captain-rusk").unwrap()),
        )
    };
    let memory = &harness.state().memory;
    memory.propose(hearsay_model::Author::Extractor, vec![proposal]).unwrap().wait().unwrap();
    let type_into_field = |harness: &mut DeskHarness, field: &str, text: &str| {
        let act_on_field = |harness: &DeskHarness, act: &dyn Fn(&egui_kittest::Node<'_>)| {
            let is_field = |node: &egui_kittest::Node<'_>| {
                use egui::accesskit::Role;
                matches!(node.accesskit_node().role(), Role::TextInput | Role::MultilineTextInput)
            };
            harness.query_all_by_label(field).find(is_field).inspect(act).is_some()
        };
        wait_until(harness, field, |harness| act_on_field(harness, &|_| {}));
        act_on_field(harness, &|node| node.focus());
        settle(harness);
        act_on_field(harness, &|node| node.type_text(text));
        settle(harness);
    };
    wait_until(&mut harness, "cards", |harness| harness.query_by_label("Accept").is_some());
    press(&mut harness, Modifiers::NONE, Key::E);
    type_into_field(&mut harness, "Sentence", "the half sentence ");
    harness.get_by_label("Capture").focus();
    type_into_field(&mut harness, "Capture", "half a line");
    let (ctx, speaker) = (harness.ctx.clone(), hearsay_model::EntityId::new("mirela-voss").ok());
    harness.state_mut().desk.request(&ctx, Request::Scene { place: None, speaker });
    type_into_field(&mut harness, "Question", "half a doubt");
    type_into_field(&mut harness, "Event", "half a fight");
    press(&mut harness, Modifiers::ALT, Key::Num0);
    type_into_field(&mut harness, "Title", "half a title");
    harness.get_by_label("Recap").click();
    settle(&mut harness);
    type_into_field(&mut harness, "Recap text", "half a recap ");
    press(&mut harness, Modifiers::ALT, Key::Num8);
    type_into_field(&mut harness, "Until", "half a date");
    press(&mut harness, Modifiers::ALT, Key::I);
    type_into_field(&mut harness, "Folder or file", "half/a/path");
    press(&mut harness, Modifiers::COMMAND, Key::K);
    type_into_field(&mut harness, "Search", "half a question");

    let saved = serde_json::to_string(&harness.state().desk.save()).unwrap();
    drop(harness);
    let mut desk = Desk::default();
    desk.restore(serde_json::from_str(&saved).unwrap());
    let saved_again = serde_json::to_string(&open_desk_with(desk).state().desk.save()).unwrap();
    let typed = ["the half sentence", "half a line", "half a fight", "half a title", "half a recap", "half a date"];
    for words in typed.into_iter().chain(["half/a/path", "half a question", "half a doubt"]) {
        assert!(saved.contains(words), "{words} is kept");
        assert!(saved_again.contains(words), "{words} is restored");
    }
}

#[test]
fn f2_confirms_the_fact_about_which_the_capture_line_asks() {
    let memory = crate::testing::gullhaven_with_encoder();
    let new = NewSession { place: Some(id("the-gilded-gull")), ..NewSession::default() };
    memory.session(Author::Dm, SessionStep::Start(new)).unwrap().wait().unwrap();
    let frame = |ui: &mut Ui, host: &mut DeskHost| host.desk.ui(ui, &host.memory);
    let host = DeskHost { desk: Desk::default(), memory };
    let mut harness = Harness::builder().with_size([1280.0, 720.0]).build_ui_state(frame, host);
    settle(&mut harness);
    press(&mut harness, Modifiers::COMMAND, Key::L);
    let type_line = |harness: &mut DeskHarness, line: &str| {
        harness.get_by_label("Capture").type_text(line);
        settle(harness);
        press(harness, Modifiers::NONE, Key::Enter);
    };
    type_line(&mut harness, "@Wren Oake Perhaps I am the daughter of Cobb Farrow.");
    harness.get_by_label("Yes, that fact");
    // The focus stays in the text field, so the answer needs no letter, and letters go into the field.
    harness.get_by_label("Capture").type_text("yes");
    settle(&mut harness);
    assert_eq!(harness.state().desk.capture.typed(), "yes");
    harness.get_by_label("Yes, that fact");
    press(&mut harness, Modifiers::NONE, Key::F2);
    assert!(harness.query_by_label("Yes, that fact").is_none());
    assert_eq!(harness.state().desk.capture.typed(), "yes");
    assert!(status_text(&harness).contains("Wren Oake tells"), "{}", status_text(&harness));
}

fn shown_texts(harness: &DeskHarness) -> String {
    let all = harness.query_all_by_label_contains("");
    let texts = all.filter_map(|node| node.accesskit_node().label().or_else(|| node.accesskit_node().value()));
    texts.collect::<Vec<_>>().join("\n")
}

fn request(harness: &mut DeskHarness, request: Request) {
    let ctx = harness.ctx.clone();
    harness.state_mut().desk.request(&ctx, request);
    settle(harness);
}

#[test]
fn players_see_neither_a_secret_name_nor_what_was_on_the_screen() {
    let mut harness = open_desk();
    request(&mut harness, Request::Search("the wick".into()));
    wait_until(&mut harness, "the secret name", |harness| shown_texts(harness).contains("is also called The Wick"));
    press(&mut harness, Modifiers::NONE, Key::F8);
    assert!(!shown_texts(&harness).to_lowercase().contains("wick"), "{}", shown_texts(&harness));
    request(&mut harness, Request::Search("the wick".into()));
    wait_until(&mut harness, "the search", |harness| !shown_texts(harness).contains("Searching"));
    assert!(!shown_texts(&harness).contains("Hesper"), "{}", shown_texts(&harness));
    press(&mut harness, Modifiers::COMMAND, Key::L);
    harness.event(egui::Event::Text("The Wi".into()));
    settle(&mut harness);
    assert!(!shown_texts(&harness).contains("Hesper"), "{}", shown_texts(&harness));
    press(&mut harness, Modifiers::NONE, Key::Escape);
    press(&mut harness, Modifiers::NONE, Key::Escape);
    press(&mut harness, Modifiers::NONE, Key::F8);
    wait_until(&mut harness, "the DM's search", |harness| shown_texts(harness).contains("is also called The Wick"));
}

#[test]
fn panels_without_contents_for_players_say_so_in_one_sentence() {
    let mut harness = open_desk();
    wait_until(&mut harness, "the number of cards", |harness| shown_texts(harness).contains("to review"));
    set_occupation(&mut harness, "spy");
    press(&mut harness, Modifiers::NONE, Key::F8);
    for kind in [PanelKind::Review, PanelKind::Time, PanelKind::History, PanelKind::Import] {
        request(&mut harness, Request::Open(kind));
        let sentence = player_screen::hidden_sentence(kind).unwrap();
        harness.get_by_label(sentence);
        let texts = shown_texts(&harness);
        assert!(!texts.contains("to review") && !texts.contains("spy"), "{kind:?}: {texts}");
    }
    press(&mut harness, Modifiers::COMMAND, Key::Z);
    assert_eq!(status_text(&harness), "Turn screen-safe mode off to undo or redo a change.");
    set_occupation(&mut harness, "innkeeper");
    assert_eq!(status_text(&harness), "Done", "the summary of a change can name a secret");
}

#[test]
fn the_page_stays_open_for_players_who_know_the_entity() {
    let mut harness = open_desk();
    request(&mut harness, Request::ShowEntity(id("mirela-voss")));
    press(&mut harness, Modifiers::NONE, Key::F8);
    wait_until(&mut harness, "the page", |harness| shown_texts(harness).contains("Mirela Voss"));
}

/// Returns the time until egui asks for the next frame.
fn repaint_delay(harness: &DeskHarness) -> Duration {
    harness.output().viewport_output[&egui::ViewportId::ROOT].repaint_delay
}

#[test]
fn an_idle_console_asks_for_no_frames_until_the_memory_changes() {
    let mut harness = open_desk();
    let wait_until_idle = |harness: &mut DeskHarness| {
        wait_until(harness, "an idle console", |harness| repaint_delay(harness) > Duration::from_secs(60));
    };
    wait_until_idle(&mut harness);
    press(&mut harness, Modifiers::NONE, Key::F9);
    assert!(repaint_delay(&harness) < Duration::from_secs(1), "effects of the key may follow");
    wait_until_idle(&mut harness);
    // Another part of the program writes.
    let edit = Edit::Set {
        entity: id("mirela-voss"),
        attribute: "occupation".into(),
        value: "spy".into(),
        options: FactOptions::default(),
    };
    harness.state().memory.edit(edit).unwrap().wait().unwrap();
    harness.step();
    assert!(repaint_delay(&harness) < Duration::from_secs(1), "panels read the change");
    wait_until_idle(&mut harness);
    let position = harness.state().memory.status().unwrap().wait().unwrap().position;
    assert_eq!(harness.state().desk.panel_context().version.position, position);
}

#[test]
fn the_palette_opens_at_its_first_command() {
    let mut harness = open_desk();
    for _ in 0..2 {
        press(&mut harness, Modifiers::COMMAND, Key::P);
        let first = "Everywhere: Open review";
        assert!(harness.query_all_by_label_contains(first).any(|node| {
            let bounds = node.accesskit_node().raw_bounds().unwrap();
            (0.0..720.0).contains(&bounds.y0)
        }));
        for _ in 0..60 {
            harness.key_press(Key::ArrowDown);
            harness.step();
        }
        press(&mut harness, Modifiers::NONE, Key::Escape);
    }
}

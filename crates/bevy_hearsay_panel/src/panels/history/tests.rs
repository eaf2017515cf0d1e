use egui::Key;
use egui_kittest::{Harness, kittest::Queryable};
use hearsay_commands::edit::{Edit, FactOptions};
use hearsay_model::{EntityId, FactId, GameTime, Kind, Position};

use super::*;
use crate::testing::{
    DrawnPanel, draw_panel, gullhaven, open_panel, press_key, settle, shows_text, wait_for, wait_until,
};

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

fn row(position: u64, summary: &str, live: bool) -> OperationModel {
    OperationModel {
        position: Position(position),
        author: "DM".into(),
        age: "2 min ago".into(),
        summary: summary.into(),
        changes: 3,
        live,
        undone_by: (!live).then_some(Position(position + 1)),
        is_undo: false,
    }
}

fn preview() -> UndoModel {
    let fact: FactId = format!("{:032x}", 9).parse().unwrap();
    UndoModel {
        position: Position(3),
        summary: "add Rook".into(),
        is_redo: false,
        removed_counts: vec!["1 entity".into(), "3 facts".into()],
        facts: vec![(fact, "Rook is at the inn.".into()), (fact, "Rook is a spy.".into())],
        omitted_facts: 1,
        changed: 2,
        dependents: vec![(Position(4), "set Rook lore".into())],
        knowledge: vec!["Pell no longer knows: Rook is a spy.".into()],
        omitted_knowledge: 0,
    }
}

struct Models {
    history: HistoryModel,
    preview: Option<UndoModel>,
}

type HistoryHarness = Harness<'static, DrawnPanel<Models, HistoryView, HistoryAction>>;

fn history_harness(preview: Option<UndoModel>) -> HistoryHarness {
    let rows = vec![row(5, "undo 4: set Rook lore", true), row(4, "set Rook lore", false), row(3, "add Rook", true)];
    let authors = vec![("DM".to_owned(), 3), ("import of gullhaven".to_owned(), 1)];
    let history = HistoryModel { total: rows.len(), rows, authors };
    draw_panel(Models { history, preview }, HistoryView::default(), |ui, display, models: &Models, view| {
        let preview = models.preview.as_ref().map_or(UndoPreviewState::None, UndoPreviewState::Ready);
        history_ui(ui, display, &models.history, preview, view)
    })
}

#[test]
fn keys_and_buttons_ask_what_undoing_would_do() {
    let mut harness = history_harness(None);
    for key in [Key::J, Key::J, Key::J, Key::X] {
        press_key(&mut harness, key);
    }
    harness.get_by_label("Redo 4").click();
    harness.run_steps(2);
    harness.get_by_label("Undo 5").click();
    harness.run_steps(2);
    let previews = [Position(3), Position(5), Position(5)].map(HistoryAction::Preview);
    assert_eq!(harness.state().actions, previews, "redo reverts the undo operation");
}

#[test]
fn a_preview_is_applied_or_closed() {
    let mut harness = history_harness(Some(preview()));
    for text in ["3 facts", "Rook is at the inn.", "4: set Rook lore", "and 1 more"] {
        assert!(shows_text(&harness, text), "{text}");
    }
    press_key(&mut harness, Key::Escape);
    press_key(&mut harness, Key::Enter);
    harness.get_by_label("Undo it").click();
    harness.run_steps(2);
    harness.get_by_label("Cancel").click();
    harness.run_steps(2);
    use HistoryAction::{ClosePreview, Undo};
    assert_eq!(harness.state().actions, [ClosePreview, Undo(Position(3)), Undo(Position(3)), ClosePreview]);
    harness.state_mut().model.preview.as_mut().unwrap().is_redo = true;
    harness.run_steps(2);
    harness.get_by_label("Redo it").click();
    harness.run_steps(2);
    assert_eq!(harness.state().actions.last(), Some(&Undo(Position(3))));
}

#[test]
fn an_edit_is_undone_with_its_dependents_and_redone() {
    let memory = gullhaven();
    let add_entity = Edit::Add { name: "Rook".into(), kind: Kind::Npc, id: None, place: Some(id("salt-quay")) };
    memory.edit(add_entity).unwrap().wait().unwrap();
    let (entity, attribute, value) = (id("rook"), "lore".into(), "Rook counts the ships.".into());
    let edit_lore = Edit::Set { entity, attribute, value, options: FactOptions::default() };
    memory.edit(edit_lore).unwrap().wait().unwrap();
    memory.set_clock(GameTime(800_000_000)).unwrap().wait().unwrap();
    let mut harness = open_panel(HistoryPanel::default(), memory);
    wait_for(&mut harness, "Undo 2");
    harness.get_by_label("Undo 2").click();
    wait_for(&mut harness, "Undo it");
    let model = harness.state().panel.preview.model().unwrap().clone();
    assert_eq!(model.dependents.len(), 1);
    assert!(model.removed_counts.contains(&"1 entity".to_owned()), "{:?}", model.removed_counts);
    assert!(model.knowledge.iter().any(|line| line.contains("no longer knows")), "{:?}", model.knowledge);
    harness.get_by_label("Undo it").click();
    wait_for(&mut harness, "Redo 2");
    assert!(harness.query_by_label("Undo it").is_none());
    harness.get_by_label("Redo 2").click();
    wait_for(&mut harness, "Redo it");
    harness.get_by_label("Redo it").click();
    wait_for(&mut harness, "Undo 2");
    let outcome = harness.state().outcomes.last().unwrap();
    assert!(outcome.result.as_ref().unwrap().summary.starts_with("redo 2: "), "{:?}", outcome.result);
    // Filter by author.
    harness.state_mut().panel.view.author = Some("game".into());
    wait_until(&mut harness, |harness| harness.state().panel.loaded.model().is_some_and(|model| model.total == 1));
    settle(&mut harness);
    assert!(harness.query_by_label("Undo 2").is_none() && harness.query_by_label("Undo 4").is_some());
}

#[test]
fn how_long_ago_is_told_in_a_word() {
    let ago = |minutes: i64| model::format_age(minutes * 60_000);
    assert_eq!(
        [ago(-5), ago(0), ago(7), ago(125), ago(1500), ago(4000)],
        ["just now", "just now", "7 min ago", "2 h ago", "1 day ago", "2 days ago"]
    );
}

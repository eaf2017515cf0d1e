use egui::Key;
use egui_kittest::{Harness, kittest::Queryable};
use hearsay_commands::edit::{Edit, FactOptions};
use hearsay_model::{FactId, GameTime, Kind, Position};

use super::*;
use crate::testing::{bench, drawn, gullhaven, settle, shows, wait_for, wait_until};

fn row(position: u64, summary: &str, live: bool) -> OperationModel {
    OperationModel {
        position: Position(position),
        author: "DM".into(),
        ago: "2 min ago".into(),
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
        lost: vec!["1 entity".into(), "3 facts".into()],
        facts: vec![(fact, "Rook is at the inn.".into(), false), (fact, "Rook is a spy.".into(), true)],
        more: 1,
        changed: 2,
        dependents: vec![(Position(4), "set Rook lore".into())],
        knowledge: vec![("Pell no longer knows: Rook is a spy.".into(), true)],
        more_knowledge: 0,
    }
}

struct Hand {
    model: HistoryModel,
    preview: Option<UndoModel>,
    view: HistoryView,
    actions: Vec<HistoryAction>,
    screen_safe: bool,
}

fn hand(preview: Option<UndoModel>) -> Harness<'static, Hand> {
    let rows = vec![row(5, "undo 4: set Rook lore", true), row(4, "set Rook lore", false), row(3, "add Rook", true)];
    let authors = vec![("DM".to_owned(), 3), ("import of gullhaven".to_owned(), 1)];
    let model = HistoryModel { all: rows.len(), rows, authors };
    let hand = Hand { model, preview, view: HistoryView::default(), actions: Vec::new(), screen_safe: false };
    let mut drawn = drawn(hand, |ui, look, hand: &mut Hand| {
        let look = Look { screen_safe: hand.screen_safe, ..look.clone() };
        let preview = hand.preview.as_ref().map_or(Preview::None, Preview::Ready);
        let actions = history_ui(ui, &look, &hand.model, preview, &mut hand.view);
        hand.actions.extend(actions);
    });
    drawn.run_steps(3);
    drawn
}

#[test]
fn keys_and_buttons_ask_what_undoing_would_do() {
    let mut harness = hand(None);
    for key in [Key::J, Key::J, Key::J, Key::X] {
        harness.key_press(key);
        harness.run_steps(2);
    }
    harness.get_by_label("Redo 4").click();
    harness.run_steps(2);
    harness.get_by_label("Undo 5").click();
    harness.run_steps(2);
    let asked = [Position(3), Position(5), Position(5)].map(HistoryAction::Preview);
    assert_eq!(harness.state().actions, asked, "redo reverts the undo operation");
}

#[test]
fn a_preview_is_applied_or_closed() {
    let mut harness = hand(Some(preview()));
    for words in ["3 facts", "Rook is at the inn.", "4: set Rook lore", "and 1 more"] {
        assert!(shows(&harness, words), "{words}");
    }
    harness.key_press(Key::Escape);
    harness.run_steps(2);
    harness.key_press(Key::Enter);
    harness.run_steps(2);
    harness.get_by_label("Undo it").click();
    harness.run_steps(2);
    harness.get_by_label("Cancel").click();
    harness.run_steps(2);
    use HistoryAction::{Keep, Undo};
    assert_eq!(harness.state().actions, [Keep, Undo(Position(3)), Undo(Position(3)), Keep]);
    harness.state_mut().preview.as_mut().unwrap().is_redo = true;
    harness.run_steps(2);
    harness.get_by_label("Redo it").click();
    harness.run_steps(2);
    assert_eq!(harness.state().actions.last(), Some(&Undo(Position(3))));
}

#[test]
fn while_players_look_no_summary_is_there() {
    let mut harness = hand(Some(preview()));
    harness.state_mut().screen_safe = true;
    harness.run_steps(2);
    for words in ["add Rook", "set Rook", "spy"] {
        assert!(!shows(&harness, words), "{words}");
    }
    assert!(harness.query_by_label("Undo 3").is_some());
}

#[test]
fn an_edit_is_undone_with_its_dependents_and_redone() {
    let memory = gullhaven();
    let add = Edit::Add { name: "Rook".into(), kind: Kind::Npc, id: None, place: Some("Salt Quay".into()) };
    memory.edit(add).unwrap().wait().unwrap();
    let (entity, attribute, value) = ("rook".into(), "lore".into(), "Rook counts the ships.".into());
    let told = Edit::Set { entity, attribute, value, options: FactOptions::default() };
    memory.edit(told).unwrap().wait().unwrap();
    memory.set_clock(GameTime(800_000_000)).unwrap().wait().unwrap();
    let mut bench = bench(HistoryPanel::default(), memory);
    wait_for(&mut bench, "Undo 2");
    bench.get_by_label("Undo 2").click();
    wait_for(&mut bench, "Undo it");
    let model = bench.state().panel.preview.model().unwrap().clone();
    assert_eq!(model.dependents.len(), 1);
    assert!(model.lost.contains(&"1 entity".to_owned()), "{:?}", model.lost);
    assert!(model.knowledge.iter().any(|(line, _)| line.contains("no longer knows")), "{:?}", model.knowledge);
    bench.get_by_label("Undo it").click();
    wait_for(&mut bench, "Redo 2");
    assert!(bench.query_by_label("Undo it").is_none());
    bench.get_by_label("Redo 2").click();
    wait_for(&mut bench, "Redo it");
    bench.get_by_label("Redo it").click();
    wait_for(&mut bench, "Undo 2");
    let outcome = bench.state().outcomes.last().unwrap();
    assert!(outcome.done.as_ref().unwrap().summary.starts_with("redo 2: "), "{:?}", outcome.done);
    // Filter by author.
    bench.state_mut().panel.view.author = Some("game".into());
    wait_until(&mut bench, |bench| bench.state().panel.read.model().is_some_and(|model| model.all == 1));
    settle(&mut bench);
    assert!(bench.query_by_label("Undo 2").is_none() && bench.query_by_label("Undo 4").is_some());
}

#[test]
fn how_long_ago_is_told_in_a_word() {
    let ago = |minutes: i64| model::ago(minutes * 60_000);
    assert_eq!(
        [ago(-5), ago(0), ago(7), ago(125), ago(1500), ago(4000)],
        ["just now", "just now", "7 min ago", "2 h ago", "1 day ago", "2 days ago"]
    );
}

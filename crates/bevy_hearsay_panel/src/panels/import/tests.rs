use std::fs;

use egui::Key;
use egui_kittest::{Harness, kittest::Queryable};
use hearsay_engine::ImportStage;

use super::*;
use crate::testing::{GULLHAVEN, bench, drawn, empty, shows, wait_for, wait_until};

struct Hand {
    folder: FolderModel,
    model: ImportModel,
    view: ImportView,
    actions: Vec<ImportAction>,
    screen_safe: bool,
}

fn hand(model: ImportModel) -> Harness<'static, Hand> {
    let entry = |name: &str, folder| EntryModel { name: name.into(), path: PathBuf::from("/c").join(name), folder };
    let folder = FolderModel {
        path: "/c".into(),
        above: Some("/".into()),
        entries: vec![entry("sessions", true), entry("people.yaml", false)],
        importable: true,
        ..FolderModel::default()
    };
    let view = ImportView { path: "/c".into() };
    let hand = Hand { folder, model, view, actions: Vec::new(), screen_safe: false };
    let mut drawn = drawn(hand, |ui, look, hand: &mut Hand| {
        let look = Look { screen_safe: hand.screen_safe, ..look.clone() };
        let actions = import_ui(ui, &look, Some(&hand.folder), &hand.model, &mut hand.view);
        hand.actions.extend(actions);
    });
    drawn.run_steps(3);
    drawn
}

fn problem(at: &str, what: &str) -> ProblemModel {
    ProblemModel { at: at.into(), field: "entities/0".into(), what: what.into(), hint: "write `npc`".into() }
}

#[test]
fn keys_and_buttons_choose_preview_and_import() {
    let mut harness = hand(ImportModel::Idle);
    harness.key_press(Key::L);
    harness.run_steps(2);
    harness.key_press(Key::I);
    harness.run_steps(2);
    for name in ["sessions", "people.yaml", "\u{2191} Up", "Choose this folder", "Preview", "Import"] {
        harness.get_by_label(name).click();
        harness.run_steps(2);
    }
    use ImportAction::{Check, Import, Open};
    let open = |path: &str| Open(path.into());
    let expected = [Check, Import, open("/c/sessions"), Check, open("/"), Check, Check, Import];
    assert_eq!(harness.state().actions, expected);
    assert_eq!(harness.state().view.path, "/c");
}

#[test]
fn problems_name_file_and_line_and_what_to_do() {
    let mut harness = hand(ImportModel::Wrong(vec![problem("people.yaml:12", "`knid` is no field")], 3));
    for words in ["people.yaml:12", "`knid` is no field", "write `npc`", "4 problems", "and 3 more"] {
        assert!(shows(&harness, words), "{words}");
    }
    harness.state_mut().screen_safe = true;
    harness.run_steps(2);
    assert!(!shows(&harness, "knid") && shows(&harness, "people.yaml:12"));
}

#[test]
fn an_import_can_be_stopped_until_it_writes_and_undone_afterwards() {
    let mut harness = hand(ImportModel::Importing(ImportStage::Comparing));
    harness.get_by_label("Stop").click();
    harness.run_steps(2);
    harness.state_mut().model = ImportModel::Importing(ImportStage::Writing);
    harness.run_steps(2);
    assert!(harness.query_by_label("Stop").is_none());
    let counts = vec!["3 new facts (1 relations)".into()];
    let report = ReportModel { source: "inn".into(), counts, anything: true, ..ReportModel::default() };
    harness.state_mut().model = ImportModel::Imported(report, Some(Position(7)));
    harness.run_steps(2);
    assert!(shows(&harness, "3 new facts"));
    harness.get_by_label("Copy report").click();
    harness.run_steps(2);
    harness.get_by_label("Undo the import").click();
    harness.run_steps(2);
    let copied = ImportAction::Copy("Import of inn\n3 new facts (1 relations)".into());
    assert_eq!(harness.state().actions, [ImportAction::Cancel, copied, ImportAction::Undo(Position(7))]);
}

#[test]
fn the_example_campaign_is_previewed_imported_and_undone() {
    let mut bench = bench(ImportPanel::default(), empty());
    bench.state_mut().panel.view.path = GULLHAVEN.into();
    bench.state_mut().panel.open = Some(GULLHAVEN.into());
    wait_for(&mut bench, "secrets-and-rumours.yaml");
    bench.get_by_label("Preview").click();
    wait_until(&mut bench, |bench| matches!(bench.state().panel.model, ImportModel::Checked(_)));
    let ImportModel::Checked(checked) = bench.state().panel.model.clone() else { panic!() };
    assert!(checked.anything && checked.counts[0].contains("npc"), "{:?}", checked.counts);
    assert_eq!(bench.state().watch.panel_context().version.position.0, 0, "nothing is written yet");
    bench.get_by_label("Import").click();
    wait_for(&mut bench, "Undo the import");
    let ImportModel::Imported(report, position) = bench.state().panel.model.clone() else { panic!() };
    assert_eq!(report, checked);
    assert_eq!(position, Some(Position(1)));
    let wrote = bench
        .state()
        .requests
        .iter()
        .any(|request| matches!(request, Request::Wrote(written) if written.position.0 == 1));
    assert!(wrote, "the desk can undo the import");
    bench.get_by_label("Undo the import").click();
    wait_until(&mut bench, |bench| matches!(bench.state().panel.model, ImportModel::Undone(_)));
    let entities = bench.state().memory.read(|world| Ok(world.state.entity_count())).unwrap().wait().unwrap();
    assert_eq!(entities, 0);
}

#[test]
fn what_is_wrong_is_shown_and_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("people.yaml"), "entities:\n  - {id: ann, name: Ann, knid: npc}\n").unwrap();
    let mut bench = bench(ImportPanel::default(), empty());
    bench.state_mut().panel.view.path = directory.path().display().to_string();
    bench.run_steps(2);
    bench.get_by_label("Import").click();
    wait_for(&mut bench, "people.yaml:2");
    bench.state_mut().panel.view.path = "/no/such/place".into();
    bench.run_steps(2);
    bench.get_by_label("Preview").click();
    wait_until(&mut bench, |bench| shows(bench, "cannot be read"));
}

#[test]
fn folders_are_listed_without_what_cannot_be_imported() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for name in ["b.yaml", "A.md", "photo.png", ".hidden.yaml"] {
        fs::write(path.join(name), "").unwrap();
    }
    fs::create_dir(path.join("zoo")).unwrap();
    let names = |folder: &FolderModel| folder.entries.iter().map(|entry| entry.name.clone()).collect::<Vec<_>>();
    let folder = FolderModel::load(path);
    assert_eq!(names(&folder), ["zoo", "A.md", "b.yaml"]);
    assert!(folder.importable && folder.above.as_deref() == path.parent());
    assert_eq!(names(&FolderModel::load(&path.join("b.yaml"))), names(&folder), "a file's folder");
    assert!(FolderModel::load(&path.join("none")).trouble.is_some());
}

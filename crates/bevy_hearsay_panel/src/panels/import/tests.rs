use std::fs;

use egui::Key;
use egui_kittest::{Harness, kittest::Queryable};
use hearsay_engine::ImportStage;

use super::*;
use crate::testing::{
    DrawnPanel, GULLHAVEN, draw_panel, empty_memory, open_panel, press_key, shows_text, wait_for, wait_until,
};

fn import_harness(model: ImportModel) -> Harness<'static, DrawnPanel<ImportModel, ImportView, ImportAction>> {
    let entry = |name: &str, folder| EntryModel { name: name.into(), path: PathBuf::from("/c").join(name), folder };
    let folder = FolderModel {
        path: "/c".into(),
        parent: Some("/".into()),
        entries: vec![entry("sessions", true), entry("people.yaml", false)],
        importable: true,
        ..FolderModel::default()
    };
    let view = ImportView { path: "/c".into() };
    draw_panel(model, view, move |ui, display, model, view| import_ui(ui, display, Some(&folder), model, view))
}

fn problem(location: &str, message: &str) -> ProblemModel {
    ProblemModel {
        location: location.into(),
        field: "entities/0".into(),
        message: message.into(),
        hint: "write `npc`".into(),
    }
}

#[test]
fn keys_and_buttons_choose_preview_and_import() {
    let mut harness = import_harness(ImportModel::Idle);
    press_key(&mut harness, Key::L);
    press_key(&mut harness, Key::I);
    for name in ["sessions", "people.yaml", "\u{2191} Up", "Choose this folder", "Preview", "Import"] {
        harness.get_by_label(name).click();
        harness.run_steps(2);
    }
    use ImportAction::{Import, Open, Preview};
    let open = |path: &str| Open(path.into());
    let expected = [Preview, Import, open("/c/sessions"), Preview, open("/"), Preview, Preview, Import];
    assert_eq!(harness.state().actions, expected);
    assert_eq!(harness.state().view.path, "/c");
}

#[test]
fn problems_name_file_and_line_and_what_to_do() {
    let harness = import_harness(ImportModel::Invalid(vec![problem("people.yaml:12", "`knid` is no field")], 3));
    for words in ["people.yaml:12", "`knid` is no field", "write `npc`", "4 problems", "and 3 more"] {
        assert!(shows_text(&harness, words), "{words}");
    }
}

#[test]
fn an_import_can_be_stopped_until_it_writes_and_undone_afterwards() {
    let mut harness = import_harness(ImportModel::Importing(ImportStage::Comparing));
    harness.get_by_label("Stop").click();
    harness.run_steps(2);
    harness.state_mut().model = ImportModel::Importing(ImportStage::Writing);
    harness.run_steps(2);
    assert!(harness.query_by_label("Stop").is_none());
    let counts = vec!["3 new facts (1 relations)".into()];
    let report = ReportModel { source: "inn".into(), counts, has_changes: true, ..ReportModel::default() };
    harness.state_mut().model = ImportModel::Imported(report, Some(Position(7)));
    harness.run_steps(2);
    assert!(shows_text(&harness, "3 new facts"));
    harness.get_by_label("Copy report").click();
    harness.run_steps(2);
    harness.get_by_label("Undo the import").click();
    harness.run_steps(2);
    let copied = ImportAction::Copy("Import of inn\n3 new facts (1 relations)".into());
    assert_eq!(harness.state().actions, [ImportAction::Cancel, copied, ImportAction::Undo(Position(7))]);
}

#[test]
fn the_example_campaign_is_previewed_imported_and_undone() {
    let mut harness = open_panel(ImportPanel::default(), empty_memory());
    harness.state_mut().panel.view.path = GULLHAVEN.into();
    harness.state_mut().panel.folder_to_open = Some(GULLHAVEN.into());
    wait_for(&mut harness, "secrets-and-rumours.yaml");
    harness.get_by_label("Preview").click();
    wait_until(&mut harness, |harness| matches!(harness.state().panel.model, ImportModel::Checked(_)));
    let ImportModel::Checked(previewed) = harness.state().panel.model.clone() else { panic!() };
    assert!(previewed.has_changes && previewed.counts[0].contains("npc"), "{:?}", previewed.counts);
    assert_eq!(harness.state().context_poller.panel_context().version.position.0, 0, "nothing is written yet");
    harness.get_by_label("Import").click();
    wait_for(&mut harness, "Undo the import");
    let ImportModel::Imported(report, position) = harness.state().panel.model.clone() else { panic!() };
    assert_eq!(report, previewed);
    assert_eq!(position, Some(Position(1)));
    let is_registered = harness
        .state()
        .requests
        .iter()
        .any(|request| matches!(request, Request::RegisterWrite(written) if written.position.0 == 1));
    assert!(is_registered, "the desk can undo the import");
    harness.get_by_label("Undo the import").click();
    wait_until(&mut harness, |harness| matches!(harness.state().panel.model, ImportModel::Undone(_)));
    let entities = harness.state().memory.read(|world| Ok(world.state.entity_count())).unwrap().wait().unwrap();
    assert_eq!(entities, 0);
}

#[test]
fn what_is_wrong_is_shown_and_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("people.yaml"), "entities:\n  - {id: ann, name: Ann, knid: npc}\n").unwrap();
    let mut harness = open_panel(ImportPanel::default(), empty_memory());
    harness.state_mut().panel.view.path = directory.path().display().to_string();
    harness.run_steps(2);
    harness.get_by_label("Import").click();
    wait_for(&mut harness, "people.yaml:2");
    harness.state_mut().panel.view.path = "/no/such/place".into();
    harness.run_steps(2);
    harness.get_by_label("Preview").click();
    wait_until(&mut harness, |harness| shows_text(harness, "cannot be read"));
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
    assert!(folder.importable && folder.parent.as_deref() == path.parent());
    assert_eq!(names(&FolderModel::load(&path.join("b.yaml"))), names(&folder), "a file's folder");
    assert!(FolderModel::load(&path.join("none")).error.is_some());
}

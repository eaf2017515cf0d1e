//! Exports to files for people, and imports of these files.

use std::{fs, path::Path};

use hearsay_model::{Degree, MindRules, State, Timestamp};
use proptest::prelude::*;

use super::{
    HEAD, fact, fixture, imported,
    jsonl::{exported, world},
    known,
};
use crate::{EarlierImports, Limits, Overwrite, ReadOptions, plan, read, read_any};

fn export_yaml(state: &State, folder: &Path) -> std::io::Result<()> {
    crate::export_yaml(state, folder, Overwrite::All)
}

fn export_vault(state: &State, folder: &Path) -> std::io::Result<()> {
    crate::export_vault(state, folder, Overwrite::All)
}

type Write = fn(&State, &Path) -> std::io::Result<()>;
const FORMATS: [Write; 2] = [export_yaml, export_vault];

/// Returns all records except the position of each import.
fn records(state: &State) -> String {
    let lines = exported(state);
    lines.lines().filter(|line| !line.contains("{\"imported\":")).map(|line| format!("{line}\n")).collect()
}

fn back(folder: &Path) -> State {
    let campaign = read_any(folder, &ReadOptions::default(), &Limits::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut state = State::default();
    if let Some(operation) = plan(&state, &campaign, Timestamp(99)).operation {
        state.apply(operation).unwrap();
    }
    assert_eq!(plan(&state, &campaign, Timestamp(100)).operation, None, "the second import is empty");
    state
}

fn check(state: &State) {
    for write in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        write(state, folder.path()).unwrap();
        same(&records(&back(folder.path())), &records(state));
    }
}

fn same(back: &str, all: &str) {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
    let (back, all) = (lines(back), lines(all));
    let (lost, added): (Vec<_>, Vec<_>) = (all.difference(&back).collect(), back.difference(&all).collect());
    assert!(lost.is_empty() && added.is_empty(), "lost {lost:#?}\nmore {added:#?}");
}

fn inn() -> State {
    let mut state = State::default();
    let campaign = read(&fixture("inn"), &Limits::default()).unwrap();
    state.apply(plan(&state, &campaign, Timestamp(7)).operation.unwrap()).unwrap();
    state
}

#[test]
fn a_campaign_comes_back_whole() {
    check(&inn());
}

/// Returns every file of a folder, except the records.
fn pages(folder: &Path) -> Vec<std::path::PathBuf> {
    let files = walkdir::WalkDir::new(folder).into_iter().flatten().filter(|entry| entry.file_type().is_file());
    let mut pages: Vec<_> = files.map(walkdir::DirEntry::into_path).collect();
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md" || extension == "yaml"));
    pages.sort();
    pages
}

#[test]
fn a_line_changed_by_hand_is_read_and_the_rest_stays() {
    let state = inn();
    for write in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        write(&state, folder.path()).unwrap();
        let fact = state.facts().find(|fact| fact.predicate().as_str() == "description").unwrap();
        let words = fact.statement();
        let mut changed = 0;
        for page in pages(folder.path()) {
            let text = fs::read_to_string(&page).unwrap();
            changed += text.matches(words).count();
            fs::write(&page, text.replace(words, "It burned down last winter.")).unwrap();
        }
        assert!(changed > 0, "{words}");
        let after = back(folder.path());
        assert!(after.fact(fact.id()).is_none());
        let has_changed_line = after.facts().any(|fact| fact.statement().contains("burned down last winter"))
            || after.passages().any(|(_, passage)| passage.text.contains("burned down last winter"));
        assert!(has_changed_line, "what was written is read");
        let lost = state.facts().filter(|fact| after.fact(fact.id()).is_none()).count();
        assert_eq!(lost, 1, "everything else is as it was");
    }
}

#[test]
fn a_secret_changed_by_hand_keeps_its_knowers() {
    let secret = "{id: x, subject: ann, text: Ann limps., secret: true, bearer: false, known_by: [bob, {who: eve, conceals: true}]}";
    let state = imported(&format!("{HEAD}facts:\n  - {secret}\n"));
    assert_eq!(known(&state, "x"), ["bob authored 1", "eve authored 1 !"]);
    let folder = tempfile::tempdir().unwrap();
    export_yaml(&state, folder.path()).unwrap();
    for page in pages(folder.path()) {
        let text = fs::read_to_string(&page).unwrap();
        fs::write(&page, text.replace("Ann limps.", "Ann runs.")).unwrap();
    }
    let after = back(folder.path());
    assert_eq!(fact(&after, "x").statement(), "Ann runs.");
    assert_eq!(known(&after, "x"), known(&state, "x"));
}

#[test]
fn settings_that_are_changed_by_hand_are_taken_over() {
    let state = inn();
    let folder = tempfile::tempdir().unwrap();
    export_yaml(&state, folder.path()).unwrap();
    let page = folder.path().join("campaign.yaml");
    let text = fs::read_to_string(&page).unwrap();
    let count = state.calendar().name.clone();
    let name = state.campaign().unwrap().name.clone();
    let mut changed: String = text
        .lines()
        .map(|line| match line.split_once(':') {
            Some(("campaign", _)) => line.replace(&name, "Another Inn") + "\n",
            Some(("calendar", _)) => line.replace(&count, "Gull count") + "\n",
            _ => format!("{line}\n"),
        })
        .collect();
    changed.push_str("audience: {default: private}\nminds: {forgetting: mild}\nflags: {bridge-is-down: true}\n");
    fs::write(&page, changed).unwrap();
    let campaign =
        read_any(folder.path(), &ReadOptions::default(), &Limits::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut after = State::default();
    after.apply(plan(&after, &campaign, Timestamp(9)).operation.unwrap()).unwrap();
    let (info, before) = (after.campaign().unwrap(), state.campaign().unwrap());
    assert_eq!((info.name.as_str(), &info.description), ("Another Inn", &before.description));
    assert_eq!(after.calendar().name, "Gull count");
    assert_eq!(after.flag("bridge-is-down"), Some(&hearsay_model::Value::Flag(true)));
    let rules = after.settings().find_map(|setting| match setting.as_ref() {
        hearsay_model::Setting::World(hearsay_model::WorldSetting::Audience(rules)) => Some(rules.clone()),
        _ => None,
    });
    assert_eq!(rules.unwrap().default, Some(hearsay_model::Audience::Private));
    let expected_minds = MindRules { forgetting: Degree::Mild, ..MindRules::default() };
    assert_eq!(after.mind_rules(), expected_minds);
    assert_eq!(after.clock(), state.clock(), "what was not changed is as it was");
    assert_eq!(plan(&after, &campaign, Timestamp(10)).operation, None, "the second import is empty");
}

#[test]
fn without_its_records_an_export_is_read_as_any_file() {
    let state = inn();
    for write in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        write(&state, folder.path()).unwrap();
        fs::remove_file(folder.path().join("hearsay.records")).unwrap();
        let campaign = read_any(folder.path(), &ReadOptions::default(), &Limits::default()).unwrap();
        assert!(campaign.entities().len() >= state.entity_count(), "{:?}", campaign.entities());
    }
}

#[test]
fn an_export_replaces_an_earlier_one() {
    let state = inn();
    let folder = tempfile::tempdir().unwrap();
    export_vault(&state, folder.path()).unwrap();
    let before = pages(folder.path()).len();
    fs::write(folder.path().join("mine.md"), "A note of mine.").unwrap();
    export_vault(&State::default(), folder.path()).unwrap();
    assert!(before > 3);
    assert_eq!(pages(folder.path()), [folder.path().join("mine.md")]);
}

/// Exports a vault without overwriting edited files. Returns the error, or an empty text.
fn try_export(state: &State, folder: &Path) -> String {
    crate::export_vault(state, folder, Overwrite::Unedited).err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn an_export_does_not_overwrite_the_export_of_another_campaign() {
    let (state, folder) = (inn(), tempfile::tempdir().unwrap());
    let other = imported(&format!("{HEAD}facts: [{{id: limp, subject: ann, text: Ann limps.}}]\n"));
    assert_eq!(try_export(&state, folder.path()), "");
    let before = pages(folder.path());
    let id = &state.campaign().unwrap().id;
    let error = try_export(&other, folder.path());
    assert!(error.contains("another campaign") && error.contains(&format!("`{id}`")), "{error}");
    assert!(try_export(&State::default(), folder.path()).contains("another campaign"));
    assert_eq!(pages(folder.path()), before);
    export_vault(&other, folder.path()).unwrap();
    assert_eq!(try_export(&other, folder.path()), "");
}

#[test]
fn an_export_overwrites_edited_files_only_after_their_import() {
    let (mut state, folder) = (inn(), tempfile::tempdir().unwrap());
    assert_eq!(try_export(&state, folder.path()), "");
    let mut notes = pages(folder.path());
    notes.retain(|note| !note.starts_with(folder.path().join("Sessions")));
    for note in &notes {
        let text = fs::read_to_string(note).unwrap();
        fs::write(note, format!("{text}\nShe sings at night.\n")).unwrap();
    }
    let name = |note: &Path| note.strip_prefix(folder.path()).unwrap().to_str().unwrap().replace('\\', "/");
    let error = try_export(&state, folder.path());
    let listed = notes.iter().filter(|note| error.contains(&name(note))).count();
    assert_eq!(listed, notes.len().min(8), "{error}");
    let more = notes.len().saturating_sub(8);
    assert_eq!(error.contains(&format!(" and {more} other")), more > 0, "{error}");
    assert!(error.contains("--force"), "{error}");
    for note in &notes {
        assert!(fs::read_to_string(note).unwrap().contains("She sings at night."), "nothing was written");
    }
    let options = ReadOptions { earlier: EarlierImports::from_state(&state), ..ReadOptions::default() };
    let campaign = read_any(folder.path(), &options, &Limits::default()).unwrap();
    state.apply(plan(&state, &campaign, Timestamp(9)).operation.unwrap()).unwrap();
    assert_eq!(try_export(&state, folder.path()), "");
}

#[test]
fn an_export_does_not_overwrite_a_file_that_no_export_wrote() {
    let (state, folder) = (inn(), tempfile::tempdir().unwrap());
    assert_eq!(try_export(&state, folder.path()), "");
    let page = pages(folder.path()).remove(0);
    let name = page.file_name().unwrap().to_str().unwrap();
    fs::remove_file(folder.path().join("hearsay.records")).unwrap();
    assert_eq!(try_export(&state, folder.path()), "", "the files already have the new content");
    fs::remove_file(folder.path().join("hearsay.records")).unwrap();
    fs::write(&page, "A note of mine.").unwrap();
    assert!(try_export(&state, folder.path()).contains(name));
    assert_eq!(fs::read_to_string(&page).unwrap(), "A note of mine.");
    export_vault(&state, folder.path()).unwrap();
    assert_eq!(try_export(&state, folder.path()), "");
}

proptest! {
    #[test]
    fn all_that_a_state_holds_comes_back(state in world()) {
        check(&state);
    }
}

#[test]
fn names_that_windows_keeps_to_itself_come_back() {
    use hearsay_model::{Author, Change, Entity, EntityId, Fact, Method, Provenance, Session, SessionId, attribute};
    let mut changes = Vec::new();
    for (n, name) in
        ["CON", "aux", "COM1", "NUL.x", "Mr. ", "Ann", "ANN", "ann", "E\u{301}a", "\u{C9}a", "..."].iter().enumerate()
    {
        let id = EntityId::new(format!("e{n}")).unwrap();
        changes.push(Change::AddEntity(Entity::new(id.clone())));
        for (key, value) in [(attribute::NAME, *name), (attribute::KIND, "npc")] {
            let fact = Fact::attribute(&id, key, value, Provenance::new(Method::Authored, Author::Dm)).unwrap();
            changes.push(Change::AssertFact(fact.build().unwrap().into()));
        }
    }
    for (n, title) in ["LPT1", "lpt1", "The ford", "THE FORD"].iter().enumerate() {
        let id = SessionId::new(format!("s{n}")).unwrap();
        let (title, number) = ((*title).to_owned(), Some(n as u32));
        changes.push(Change::SetSession(Session { number, title, ..Session::new(id) }));
    }
    let mut state = State::default();
    super::apply(&mut state, Author::Dm, changes);
    check(&state);
    let folder = tempfile::tempdir().unwrap();
    export_vault(&state, folder.path()).unwrap();
    let pages = pages(folder.path());
    assert_eq!(pages.len(), 15);
    let mut names = std::collections::BTreeSet::new();
    for page in &pages {
        let stem = page.file_stem().unwrap().to_str().unwrap();
        let base = stem.split('.').next().unwrap().to_lowercase();
        assert!(!["con", "aux", "nul", "com1", "lpt1"].contains(&base.as_str()), "{page:?}");
        assert!(!stem.ends_with(['.', ' ']), "{page:?}");
        assert!(names.insert((page.parent().unwrap().to_owned(), stem.to_lowercase())), "{page:?}");
    }
}

#[cfg(unix)]
#[test]
fn nobody_else_reads_an_export_and_a_killed_one_leaves_nothing() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let state = inn();
    for write in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let export = folder.path().join("export");
        write(&state, &export).unwrap();
        for entry in walkdir::WalkDir::new(&export).into_iter().flatten() {
            let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, if entry.file_type().is_dir() { 0o700 } else { 0o600 }, "{entry:?}");
        }
        let files = |folder: &Path| {
            let all = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().flatten();
            all.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path).collect::<Vec<_>>()
        };
        let complete_files = files(&export);
        // After a kill, the file of records is missing and one page is half written.
        let (records_path, temporary_path) = (export.join("hearsay.records"), export.join("hearsay.records.part"));
        let page = pages(&export).remove(0);
        let list = fs::read_to_string(&records_path).unwrap();
        let deleted_page = "{\"type\":\"page\",\"path\":\"Gone.md\"}";
        let bad = "{\"type\":\"page\",\"path\":\"../kept.md\"}";
        fs::write(&temporary_path, list.replacen('\n', &format!("\n{deleted_page}\n{bad}\n"), 1)).unwrap();
        fs::remove_file(&records_path).unwrap();
        fs::rename(&page, format!("{}.part", page.display())).unwrap();
        fs::write(export.join("Gone.md"), "secret").unwrap();
        fs::write(folder.path().join("kept.md"), "kept").unwrap();
        assert!(crate::is_export_folder(&export), "another export may replace it");
        write(&state, &export).unwrap();
        assert_eq!(files(&export), complete_files);
        assert!(folder.path().join("kept.md").exists(), "nothing outside the folder goes");
        same(&records(&back(&export)), &records(&state));
        // The export does not write through a folder of pages that is a link to another folder.
        let elsewhere = folder.path().join("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        let people = export.join("People");
        if people.is_dir() {
            fs::remove_dir_all(&people).unwrap();
            symlink(&elsewhere, &people).unwrap();
            let error = write(&state, &export).unwrap_err().to_string();
            assert!(error.contains("points outside the folder"), "{error}");
            assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
        }
    }
}

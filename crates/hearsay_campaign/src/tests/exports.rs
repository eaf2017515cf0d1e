//! Exports in files that people read, and back again.

use std::{fs, path::Path};

use hearsay_model::{State, Timestamp};
use proptest::prelude::*;

use super::{
    fixture,
    jsonl::{exported, world},
};
use crate::{Limits, export_vault, export_yaml, notes::Options, plan, read, read_any};

type Write = fn(&State, &Path) -> std::io::Result<()>;
const FORMATS: [Write; 2] = [export_yaml, export_vault];

/// All records but what was imported when.
fn records(state: &State) -> String {
    let lines = exported(state);
    lines.lines().filter(|line| !line.contains("{\"imported\":")).map(|line| format!("{line}\n")).collect()
}

fn back(folder: &Path) -> State {
    let campaign = read_any(folder, &Options::default(), &Limits::default()).unwrap_or_else(|e| panic!("{e}"));
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
    let (lost, more): (Vec<_>, Vec<_>) = (all.difference(&back).collect(), back.difference(&all).collect());
    assert!(lost.is_empty() && more.is_empty(), "lost {lost:#?}\nmore {more:#?}");
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

/// Every file of a folder that people read.
fn pages(folder: &Path) -> Vec<std::path::PathBuf> {
    let files = walkdir::WalkDir::new(folder).into_iter().flatten().filter(|entry| entry.file_type().is_file());
    let mut pages: Vec<_> = files.map(walkdir::DirEntry::into_path).collect();
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md" || extension == "yaml"));
    pages.sort();
    pages
}

#[test]
fn a_line_that_is_changed_by_hand_is_read_and_the_rest_stays() {
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
        let found = after.facts().any(|fact| fact.statement().contains("burned down last winter"))
            || after.passages().any(|(_, passage)| passage.text.contains("burned down last winter"));
        assert!(found, "what was written is read");
        let lost = state.facts().filter(|fact| after.fact(fact.id()).is_none()).count();
        assert_eq!(lost, 1, "everything else is as it was");
    }
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
    changed.push_str("audience: {default: private}\nflags: {bridge-is-down: true}\n");
    fs::write(&page, changed).unwrap();
    let campaign = read_any(folder.path(), &Options::default(), &Limits::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut after = State::default();
    after.apply(plan(&after, &campaign, Timestamp(9)).operation.unwrap()).unwrap();
    let (info, before) = (after.campaign().unwrap(), state.campaign().unwrap());
    assert_eq!((info.name.as_str(), &info.description), ("Another Inn", &before.description));
    assert_eq!(after.calendar().name, "Gull count");
    assert_eq!(after.flag("bridge-is-down"), Some(&hearsay_model::Value::Flag(true)));
    let rules = after.settings().find_map(|setting| match setting.as_ref() {
        hearsay_model::Setting::Audience(rules) => Some(rules.clone()),
        _ => None,
    });
    assert_eq!(rules.unwrap().default, Some(hearsay_model::Audience::Private));
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
        let campaign = read_any(folder.path(), &Options::default(), &Limits::default()).unwrap();
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

proptest! {
    #[test]
    fn all_that_a_state_holds_comes_back(state in world()) {
        check(&state);
    }
}

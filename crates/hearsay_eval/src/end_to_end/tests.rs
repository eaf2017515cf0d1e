use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use super::*;
use crate::{
    extraction,
    mask::{Mask, episode_mask, name_words, shared_name_mask},
    table_talk,
};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the words of names that are no common English words.
fn words_of(names: &BTreeSet<String>) -> BTreeSet<&str> {
    names.iter().flat_map(|name| name_words(name)).collect()
}

#[test]
fn a_mask_replaces_whole_words_and_moves_positions() {
    let mask = Mask::new(["Ilse Brandt", "the Union"], []);
    let text = "Ilse's boat, Brandtson; Brandt owns the Union.";
    let masked = mask.apply(text);
    assert!(!masked.text.contains("Ilse") && masked.text.contains("Brandtson"), "{}", masked.text);
    assert!(masked.text.ends_with("owns the Union."), "common words remain: {}", masked.text);
    for words in ["'s boat", "Brandtson", " owns", "Union", "."] {
        let start = text.find(words).unwrap();
        let (start, end) = (masked.position(start), masked.position(start + words.len()));
        assert_eq!(&masked.text[start..end], words);
    }
    let (start, end) = (text.find("Brandt owns").unwrap(), text.find(" owns").unwrap());
    let name = &masked.text[masked.position(start)..masked.position(end)];
    assert_eq!(mask.apply("Brandt").text, name);
    assert_eq!(Mask::default().apply(text).text, text);
}

#[test]
fn no_name_of_the_test_sentences_is_in_the_training_sentences() {
    let data = repository().join("crates/hearsay_eval/data");
    let files_in = |directory: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl")).collect()
    };
    let is_test = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with("extraction-test");
    let (test_files, mut training_files): (Vec<PathBuf>, Vec<PathBuf>) = files_in(&data).into_iter().partition(is_test);
    training_files.extend(files_in(&data.join("extraction-train")));
    assert!(test_files.len() == 3 && training_files.len() > 7);
    let training_names = extraction::read_names(&training_files).unwrap();
    let names = extraction::read_names(&test_files).unwrap();
    assert!(!words_of(&names).is_disjoint(&words_of(&training_names)), "without a mask, they share names");
    let mask = shared_name_mask(&names, &training_names);
    let masked = extraction::read_masked(&test_files, &mask).unwrap();
    let masked_names: BTreeSet<String> = masked.names().map(str::to_owned).collect();
    let (test_words, training_words) = (words_of(&masked_names), words_of(&training_names));
    let shared: Vec<&&str> = test_words.intersection(&training_words).collect();
    assert!(shared.is_empty(), "{shared:?}");
}

#[test]
fn no_name_of_the_test_episodes_is_in_the_training_episodes() {
    let training = repository().join("training");
    let labels = training.join("labels");
    let entities = extraction::read_cast(&training.join("cast.json")).unwrap().entities;
    let mut cast_names: BTreeSet<String> = entities.iter().flat_map(|entity| entity.names.clone()).collect();
    let episodes_of = |list: &str| table_talk::read_episode_names(&training, list).unwrap();
    let (test, development) = (episodes_of("TEST"), episodes_of("DEVELOPMENT"));
    let mut others = BTreeSet::new();
    for entry in fs::read_dir(&labels).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        others.extend(name.ends_with(".jsonl").then(|| name[..6].to_owned()));
    }
    others.retain(|episode| !test.contains(episode) && !development.contains(episode));
    assert_eq!((test.len(), development.len(), others.len()), (8, 4, 36));
    let others: Vec<String> = others.into_iter().collect();
    let training_names = table_talk::read_label_names(&labels, &others).unwrap();
    for episodes in [test, development] {
        let names = table_talk::read_label_names(&labels, &episodes).unwrap();
        let mask = episode_mask(entities.iter().flat_map(|entity| &entity.names), &names);
        let masked: BTreeSet<String> = names.iter().chain(&cast_names).map(|name| mask.apply(name).text).collect();
        let (test_words, training_words) = (words_of(&masked), words_of(&training_names));
        let shared: Vec<&&str> = test_words.intersection(&training_words).collect();
        assert!(shared.is_empty(), "{shared:?}");
    }
    cast_names.retain(|name| name_words(name).next().is_some());
    assert!(cast_names.len() > 100, "nearly all names of the cast have words to replace");
}

#[test]
fn the_policy_and_the_queue_decide_on_the_facts_of_a_sentence() {
    let scene = r#"{"scene":"s","entities":[{"id":"bram","kind":"npc","names":["Bram"],"pronouns":"he"},{"id":"odo","kind":"npc","names":["Odo"],"pronouns":"he"}]}"#;
    let lore = r#"{"id":"1","scene":"s","form":"lore","text":"Bram works for Odo.","facts":[{"subject":"bram","predicate":"EMPLOYED_BY","object":"odo"}]}"#;
    let missed = r#"{"id":"2","scene":"s","form":"narration","text":"The sea is calm.","facts":[{"subject":"odo","predicate":"OWES","object":"bram","doubt":true}]}"#;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("sentences.jsonl");
    fs::write(&file, [scene, lore, missed].join("\n")).unwrap();
    let labelled = extraction::read(&[file]).unwrap();
    let reader = Reader::new(Engine::Patterns, Models::default(), None).unwrap();
    let figures = measure_sentences(&labelled, &reader).unwrap();
    assert_eq!((figures.texts, figures.labelled, figures.labelled_certain), (2, 2, 1));
    // The patterns alone never make a fact of a campaign text canon.
    assert_eq!((figures.accepted, figures.queued, figures.queued_right), (0, 1, 1), "{figures:?}");
    assert_eq!((figures.labelled_accepted, figures.labelled_shown), (0, 1));
    assert_eq!(figures.bins.iter().map(|bin| bin.n).sum::<usize>(), 1);
    assert!(Reader::new(Engine::Model, Models::default(), None).is_none(), "there is no reading model");
}

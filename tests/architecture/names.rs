//! Tests of the names in the code, in JSON and in the help of the programs.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
};

use super::{crate_directories, directory_name, sources};

/// Declarations whose names do not say what they name. A field of the command line is also the name of a value in the
/// help: `who` becomes `<WHO>`.
const UNCLEAR_NAMES: [&str; 8] = [
    "fn of(",
    "pub what:",
    "pub who:",
    "pub(crate) what:",
    "pub(crate) who:",
    "pub(crate) gone:",
    "value_name = \"NPC\"",
    "value_name = \"WHO\"",
];

/// Names in JSON and in stored files that differ from the names in the code, each with its crate. The format of
/// sentence-transformers, the labelled sentences and the labels of the table talk define these names. A stored setting
/// has the name of the type from which it is made. The reader of a recap is stored as a boolean, which is true for the
/// players.
const OTHER_WRITTEN_NAMES: [(&str, &str); 8] = [
    ("bevy_hearsay_panel", "players"),
    ("hearsay_embed", "type"),
    ("hearsay_eval", "about"),
    ("hearsay_eval", "c"),
    ("hearsay_eval", "n"),
    ("hearsay_eval", "o"),
    ("hearsay_model", "Setting"),
    ("hearsay_model", "players"),
];

/// Public types that have the same name in two crates: the event of a Bevy entity is a game event of the engine, and
/// the engine has a placeholder for the settings of a language model that is not compiled in.
const SHARED_TYPE_NAMES: [&str; 2] = ["GameEvent", "LlmSettings"];

/// A line of code.
struct CodeLine {
    /// Name of the crate.
    crate_name: String,
    file: PathBuf,
    /// The line, without the spaces around it.
    text: String,
}

/// Returns the lines of all crates, except comments and files of tests.
fn code_lines() -> Vec<CodeLine> {
    let mut lines = Vec::new();
    for directory in crate_directories() {
        let mut files = Vec::new();
        sources(&directory.join("src"), &mut files);
        for file in files {
            let code = fs::read_to_string(&file).unwrap();
            let code_texts = code.lines().map(str::trim).filter(|line| !line.starts_with("//"));
            lines.extend(code_texts.map(|text| CodeLine {
                crate_name: directory_name(&directory),
                file: file.clone(),
                text: text.to_owned(),
            }));
        }
    }
    lines
}

#[test]
fn names_say_what_they_name() {
    for line in code_lines() {
        let unclear_name = UNCLEAR_NAMES.iter().find(|name| line.text.contains(**name));
        assert!(unclear_name.is_none(), "{}: {}", line.file.display(), line.text);
    }
}

#[test]
fn written_names_are_the_names_in_the_code() {
    let lines = code_lines();
    let renamed = lines.iter().filter(|line| line.text.starts_with("#[serde("));
    let other_names = renamed.filter_map(|line| {
        let name = line.text.split_once("rename = \"")?.1.split('"').next()?;
        Some((line.crate_name.as_str(), name))
    });
    assert_eq!(other_names.collect::<BTreeSet<_>>(), BTreeSet::from(OTHER_WRITTEN_NAMES));
}

#[test]
fn public_types_of_two_crates_have_different_names() {
    let lines = code_lines();
    let mut crates: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for line in &lines {
        let keywords = ["pub struct ", "pub enum ", "pub trait ", "pub type "];
        let Some(declared) = keywords.iter().find_map(|keyword| line.text.strip_prefix(keyword)) else { continue };
        let name = declared.split(|c: char| !c.is_alphanumeric()).next().unwrap();
        crates.entry(name).or_default().insert(&line.crate_name);
    }
    // A type that a macro declares has no name here.
    crates.remove("");
    crates.retain(|_, names| names.len() > 1);
    assert_eq!(crates.keys().copied().collect::<Vec<_>>(), SHARED_TYPE_NAMES, "{crates:?}");
}

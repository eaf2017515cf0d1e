//! Tests of the rules for crates in `ARCHITECTURE.md`: each crate has only the allowed dependencies, and some crates do
//! no input or output.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use crate::gullhaven::root;

/// Each crate, with the crates of the project that it may depend on.
const ALLOWED: &[(&str, &[&str])] = &[
    ("hearsay_model", &[]),
    ("hearsay_features", &[]),
    ("hearsay_simd", &[]),
    ("hearsay_belief", &["hearsay_model"]),
    ("hearsay_recall", &["hearsay_model", "hearsay_belief", "hearsay_simd"]),
    ("hearsay_files", &[]),
    ("hearsay_campaign", &["hearsay_model", "hearsay_belief", "hearsay_files"]),
    ("hearsay_extract", &["hearsay_model", "hearsay_embed"]),
    ("hearsay_llm", &["hearsay_model", "hearsay_extract"]),
    ("hearsay_embed", &["hearsay_features", "hearsay_simd"]),
    ("hearsay_store", &["hearsay_model", "hearsay_features", "hearsay_files"]),
    ("hearsay_query", &["hearsay_model", "hearsay_belief", "hearsay_recall", "hearsay_campaign"]),
    (
        "hearsay_commands",
        &["hearsay_model", "hearsay_belief", "hearsay_recall", "hearsay_campaign", "hearsay_extract", "hearsay_query"],
    ),
    (
        "hearsay_engine",
        &[
            "hearsay_model",
            "hearsay_belief",
            "hearsay_recall",
            "hearsay_campaign",
            "hearsay_extract",
            "hearsay_llm",
            "hearsay_embed",
            "hearsay_files",
            "hearsay_store",
            "hearsay_query",
            "hearsay_commands",
        ],
    ),
    (
        "hearsay",
        &["hearsay_model", "hearsay_belief", "hearsay_recall", "hearsay_query", "hearsay_commands", "hearsay_engine"],
    ),
    (
        "bevy_hearsay",
        &["hearsay_model", "hearsay_belief", "hearsay_recall", "hearsay_query", "hearsay_commands", "hearsay_engine"],
    ),
    (
        "bevy_hearsay_panel",
        &[
            "hearsay_model",
            "hearsay_belief",
            "hearsay_recall",
            "hearsay_files",
            "hearsay_query",
            "hearsay_commands",
            "hearsay_engine",
            "bevy_hearsay",
        ],
    ),
];

/// External crates, each with the library crates of the project that may depend on it. No other library crate may.
const EXTERNAL: &[(&str, &[&str])] = &[
    ("surrealdb", &["hearsay_store"]),
    ("candle-core", &["hearsay_embed"]),
    ("bevy", &["bevy_hearsay", "bevy_hearsay_panel"]),
    ("egui", &["bevy_hearsay_panel"]),
    ("async-openai", &["hearsay_llm"]),
    ("reqwest", &["hearsay_llm"]),
    ("clap", &[]),
    // `hearsay_store` implements traits of the database engine whose functions return `anyhow` errors.
    ("anyhow", &["hearsay_store"]),
];

/// Programs of the project. They may depend on every crate.
const PROGRAMS: [&str; 3] = ["hearsay_cli", "hearsay_eval", "dm_console"];

/// Returns, for each library crate, the names in the table `[dependencies]` of its `Cargo.toml`.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let mut found = BTreeMap::new();
    for path in crates.filter(|path| path.join("Cargo.toml").is_file()) {
        let manifest = fs::read_to_string(path.join("Cargo.toml")).unwrap();
        let tables = manifest.split("\n[").filter(|table| table.starts_with("dependencies]"));
        let names =
            tables.flat_map(|table| table.lines().skip(1)).filter_map(|line| line.split(['.', ' ', '=']).next());
        let names = names.filter(|name| !name.is_empty() && !name.starts_with('#')).map(str::to_owned).collect();
        found.insert(path.file_name().unwrap().to_string_lossy().into_owned(), names);
    }
    found.retain(|name, _| !PROGRAMS.contains(&name.as_str()));
    found
}

#[test]
fn crates_name_only_the_crates_below_them() {
    let found = dependencies();
    assert_eq!(found.len(), ALLOWED.len(), "every library crate must be listed in `ALLOWED`: {:?}", found.keys());
    for (name, allowed) in ALLOWED {
        for dependency in found[*name].iter().filter(|name| name.contains("hearsay")) {
            assert!(allowed.contains(&dependency.as_str()), "{name} may not depend on {dependency}");
        }
    }
    for (external, users) in EXTERNAL {
        // `hearsay_features` depends on external crates only to enable the same features in every build.
        for (name, names) in found.iter().filter(|(name, _)| *name != "hearsay_features") {
            let uses = names.iter().any(|other| other == external);
            assert!(!uses || users.contains(&name.as_str()), "{name} may not depend on {external}");
        }
    }
}

/// Adds all Rust files below a directory to `into`, except files of tests.
pub(crate) fn sources(directory: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let is_test = path.file_stem().is_some_and(|stem| stem == "tests" || stem == "naive");
        if path.is_dir() && !is_test {
            sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !is_test {
            into.push(path);
        }
    }
}

#[test]
fn model_belief_recall_queries_and_commands_do_no_input_or_output_and_start_no_threads() {
    for name in ["hearsay_model", "hearsay_belief", "hearsay_recall", "hearsay_query", "hearsay_commands"] {
        let mut files = Vec::new();
        sources(&root().join("crates").join(name).join("src"), &mut files);
        assert!(files.len() > 5, "{name}");
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            for line in code {
                for used in ["std::fs", "std::net", "std::thread", "std::process", "tokio::", "crossbeam", "SystemTime"]
                {
                    assert!(!line.contains(used), "{}: {used}: {line}", file.display());
                }
            }
        }
    }
}

/// The code of the ranking must not access the state, so that it cannot read facts that the asker does not know. The
/// index reads texts through [`Corpus`](hearsay_model::Corpus).
#[test]
fn recall_never_sees_the_state() {
    let mut files = Vec::new();
    sources(&root().join("crates/hearsay_recall/src"), &mut files);
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        // Unit tests at the end of a file may use the state, so they are not checked.
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            assert!(!words.any(|word| word == "State"), "{}: {line}", file.display());
            assert!(!line.contains("hearsay_model::*"), "{}: {line}", file.display());
        }
    }
}

/// A long file is split by concept, so that folder and file names tell a reader where code is.
#[test]
fn no_source_file_has_more_than_600_lines() {
    for crate_directory in fs::read_dir(root().join("crates")).unwrap() {
        let mut files = Vec::new();
        let source_directory = crate_directory.unwrap().path().join("src");
        if source_directory.is_dir() {
            sources(&source_directory, &mut files);
        }
        for file in files {
            let lines = fs::read_to_string(&file).unwrap().lines().count();
            assert!(lines <= 600, "{} has {lines} lines", file.display());
        }
    }
}

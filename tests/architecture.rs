//! The rules between crates that `ARCHITECTURE.md` states: who may depend on whom, and which crates do no input or output.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use crate::gullhaven::root;

/// The crates of the project that each crate may name, and external crates that only some crates may name.
const ALLOWED: &[(&str, &[&str])] = &[
    ("hearsay_model", &[]),
    ("hearsay_features", &[]),
    ("hearsay_belief", &["hearsay_model"]),
    ("hearsay_recall", &["hearsay_model", "hearsay_belief"]),
    ("hearsay_campaign", &["hearsay_model", "hearsay_belief"]),
    ("hearsay_extract", &["hearsay_model"]),
    ("hearsay_embed", &["hearsay_features"]),
    ("hearsay_store", &["hearsay_model", "hearsay_features"]),
    (
        "hearsay_memory",
        &[
            "hearsay_model",
            "hearsay_belief",
            "hearsay_recall",
            "hearsay_campaign",
            "hearsay_extract",
            "hearsay_embed",
            "hearsay_store",
        ],
    ),
    ("bevy_hearsay", &["hearsay_model", "hearsay_belief", "hearsay_recall", "hearsay_memory"]),
    ("bevy_hearsay_panel", &["hearsay_model", "hearsay_belief", "hearsay_recall", "hearsay_memory", "bevy_hearsay"]),
];

/// External crates, and the only library crates that may name them.
const EXTERNAL: &[(&str, &[&str])] = &[
    ("surrealdb", &["hearsay_store"]),
    ("candle-core", &["hearsay_embed"]),
    ("bevy", &["bevy_hearsay", "bevy_hearsay_panel"]),
    ("egui", &["bevy_hearsay_panel"]),
    ("clap", &[]),
    // The engine's own traits take its errors.
    ("anyhow", &["hearsay_store"]),
];

/// Programs: they may name every crate.
const PROGRAMS: [&str; 3] = ["hearsay_cli", "hearsay_eval", "dm_console"];

/// The names in the table `[dependencies]` of each library crate.
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
    assert_eq!(found.len(), ALLOWED.len(), "every library crate has its place in the order: {:?}", found.keys());
    for (name, allowed) in ALLOWED {
        for dependency in found[*name].iter().filter(|name| name.contains("hearsay")) {
            assert!(allowed.contains(&dependency.as_str()), "{name} may not depend on {dependency}");
        }
    }
    for (external, users) in EXTERNAL {
        // `hearsay_features` names what others use, so that every build has the same features.
        for (name, names) in found.iter().filter(|(name, _)| *name != "hearsay_features") {
            let uses = names.iter().any(|other| other == external);
            assert!(!uses || users.contains(&name.as_str()), "{name} may not depend on {external}");
        }
    }
}

/// All Rust files below a directory but those of tests.
fn sources(directory: &Path, into: &mut Vec<PathBuf>) {
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
fn the_model_belief_and_recall_do_no_input_or_output_and_start_no_threads() {
    for name in ["hearsay_model", "hearsay_belief", "hearsay_recall"] {
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

//! Tests of the rules for crates, modules and names in `ARCHITECTURE.md`: each crate has only the allowed
//! dependencies, some crates do no input or output, and modules form no circles.

mod modules;
mod names;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use crate::gullhaven::root;
use modules::Modules;

/// Each library crate, with the crates of the project that it depends on.
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
    ("hearsay_query", &["hearsay_model", "hearsay_belief", "hearsay_recall"]),
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
        "hearsay_mcp",
        &["hearsay_model", "hearsay_belief", "hearsay_recall", "hearsay_query", "hearsay_commands", "hearsay_engine"],
    ),
    (
        "hearsay_server",
        &[
            "hearsay_model",
            "hearsay_belief",
            "hearsay_recall",
            "hearsay_features",
            "hearsay_files",
            "hearsay_store",
            "hearsay_query",
            "hearsay_commands",
            "hearsay_engine",
            "hearsay_mcp",
        ],
    ),
    (
        "hearsay_speech",
        &[
            "hearsay_model",
            "hearsay_features",
            "hearsay_llm",
            "hearsay_recall",
            "hearsay_query",
            "hearsay_commands",
            "hearsay_engine",
        ],
    ),
    (
        "bevy_hearsay",
        &[
            "hearsay_model",
            "hearsay_belief",
            "hearsay_recall",
            "hearsay_query",
            "hearsay_commands",
            "hearsay_engine",
            "hearsay_speech",
        ],
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

/// External crates of one concern, with the library crates of the project that may depend on them. No other library
/// crate may. Crates for ordinary data structures and text, such as `serde` and `rustc-hash`, are not listed.
const EXTERNAL: &[(&[&str], &[&str])] = &[
    // The database.
    (
        &[
            "surrealdb",
            "surrealdb-cnf",
            "surrealdb-core",
            "surrealdb-engine-local",
            "surrealdb-kvs",
            "surrealdb-kvs-any",
            "surrealdb-rpc",
        ],
        &["hearsay_store"],
    ),
    // `hearsay_store` implements traits of the database engine whose functions return `anyhow` errors.
    (&["anyhow"], &["hearsay_store"]),
    // Tensors and tokenizers.
    (&["candle-core", "tokenizers"], &["hearsay_embed", "hearsay_speech"]),
    (&["candle-nn", "gemm", "rayon", "safetensors"], &["hearsay_embed"]),
    (&["candle-transformers", "minijinja", "minijinja-contrib"], &["hearsay_speech"]),
    (&["pulp"], &["hearsay_embed", "hearsay_recall", "hearsay_simd"]),
    // Bevy and the panels.
    (&["bevy"], &["bevy_hearsay", "bevy_hearsay_panel"]),
    (&["bevy_egui", "egui", "egui_extras", "egui_tiles"], &["bevy_hearsay_panel"]),
    // The network.
    (&["async-openai", "reqwest"], &["hearsay_llm"]),
    (&["rustls"], &["hearsay_llm", "hearsay_server", "hearsay_store"]),
    (&["axum", "axum-server", "hyper", "hyper-util"], &["hearsay_server"]),
    (&["tokio-tungstenite"], &["hearsay_server", "hearsay_store"]),
    (&["http", "http-body", "http-body-util"], &["hearsay_mcp"]),
    (&["tower-service"], &["hearsay_mcp", "hearsay_server"]),
    // Threads and asynchronous code.
    (&["tokio"], &["hearsay_llm", "hearsay_mcp", "hearsay_server", "hearsay_store"]),
    (&["tokio-util"], &["hearsay_mcp", "hearsay_server", "hearsay_store"]),
    (&["crossbeam-channel"], &["bevy_hearsay", "bevy_hearsay_panel", "hearsay_engine", "hearsay_speech"]),
    (&["thread-priority"], &["hearsay_engine"]),
    // The Model Context Protocol.
    (&["rmcp", "schemars"], &["hearsay_mcp"]),
    // Files of other tools.
    (&["csv", "html5ever", "notify", "pulldown-cmark", "saphyr", "scraper", "walkdir", "zip"], &["hearsay_campaign"]),
    // The command line.
    (&["clap", "clap_complete", "clap_mangen", "ctrlc", "indicatif", "tracing-subscriber"], &[]),
];

/// Programs of the project. They may depend on every crate.
const PROGRAMS: [&str; 3] = ["hearsay_cli", "hearsay_eval", "dm_console"];

/// Returns, for each library crate, the names in the dependency tables of its `Cargo.toml`, including tables for some
/// systems only. Dependencies of tests and build scripts are left out.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    for path in crate_directories() {
        let manifest = fs::read_to_string(path.join("Cargo.toml")).unwrap();
        let tables = manifest.split("\n[").filter(|table| {
            let header = table.lines().next().unwrap();
            header == "dependencies]" || (header.starts_with("target.") && header.ends_with(".dependencies]"))
        });
        let names =
            tables.flat_map(|table| table.lines().skip(1)).filter_map(|line| line.split(['.', ' ', '=']).next());
        let names = names.filter(|name| !name.is_empty() && !name.starts_with('#')).map(str::to_owned).collect();
        found.insert(directory_name(&path), names);
    }
    found.retain(|name, _| !PROGRAMS.contains(&name.as_str()));
    found
}

/// Returns the directories of all crates of the project.
fn crate_directories() -> Vec<PathBuf> {
    let directories = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    directories.filter(|path| path.join("Cargo.toml").is_file()).collect()
}

fn directory_name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

#[test]
fn crates_depend_only_on_the_crates_below_them() {
    let found = dependencies();
    assert_eq!(found.len(), ALLOWED.len(), "every library crate must be listed in `ALLOWED`: {:?}", found.keys());
    for (name, allowed) in ALLOWED {
        let project_crates = found[*name].iter().map(String::as_str).filter(|name| name.contains("hearsay"));
        let allowed: BTreeSet<&str> = allowed.iter().copied().collect();
        assert_eq!(project_crates.collect::<BTreeSet<_>>(), allowed, "the dependencies of {name}");
    }
    for (externals, users) in EXTERNAL {
        // `hearsay_features` depends on external crates only to enable the same features in every build.
        for (name, names) in found.iter().filter(|(name, _)| *name != "hearsay_features") {
            for external in names.iter().filter(|name| externals.contains(&name.as_str())) {
                assert!(users.contains(&name.as_str()), "{name} may not depend on {external}");
            }
        }
        for user in *users {
            let is_used = found[*user].iter().any(|name| externals.contains(&name.as_str()));
            assert!(is_used, "{user} depends on none of {externals:?}");
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

/// Paths and names in code that starts threads, uses the network, starts programs or reads the clock.
const THREADS_AND_SYSTEM: [&str; 8] =
    ["std::net", "std::thread", "std::process", "thread::", "tokio::", "crossbeam", "rayon", "SystemTime"];

/// Returns the lines of a crate's code that contain one of some texts, each with its file.
fn lines_with(name: &str, texts: &[&str]) -> Vec<(PathBuf, String)> {
    let source_directory = root().join("crates").join(name).join("src");
    let mut files = Vec::new();
    sources(&source_directory, &mut files);
    assert!(files.len() > 5, "{name}");
    let mut found = Vec::new();
    for file in files {
        let code = fs::read_to_string(&file).unwrap();
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        let lines = lines.filter(|line| texts.iter().any(|text| line.contains(text)));
        let relative_path = file.strip_prefix(&source_directory).unwrap();
        found.extend(lines.map(|line| (relative_path.to_owned(), line.trim().to_owned())));
    }
    found
}

#[test]
fn model_belief_recall_queries_and_commands_do_no_input_or_output_and_start_no_threads() {
    for name in ["hearsay_model", "hearsay_belief", "hearsay_recall", "hearsay_query", "hearsay_commands"] {
        let found = [lines_with(name, &THREADS_AND_SYSTEM), lines_with(name, &["std::fs"])].concat();
        assert!(found.is_empty(), "{name}: {found:?}");
    }
}

#[test]
fn the_extractor_starts_no_threads_and_reads_only_the_files_of_the_reading_model() {
    let found = lines_with("hearsay_extract", &THREADS_AND_SYSTEM);
    assert!(found.is_empty(), "{found:?}");
    let found = lines_with("hearsay_extract", &["std::fs"]);
    assert!(found.iter().all(|(file, _)| file == Path::new("model/calibration.rs")), "{found:?}");
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

/// Circles of modules, each explained in `ARCHITECTURE.md`.
const CIRCLES: &[(&str, &[&str])] = &[("hearsay_model", &["settings::setting", "settings::stored"])];

/// Modules of one folder can be read and changed one after the other, because they do not import from each other in a
/// circle.
#[test]
fn modules_form_no_circles() {
    let mut circles = BTreeSet::new();
    for directory in crate_directories() {
        let modules = Modules::read(&directory.join("src"));
        circles.extend(modules.circles().into_iter().map(|circle| (directory_name(&directory), circle)));
    }
    let expected = CIRCLES.iter().map(|(name, circle)| {
        ((*name).to_owned(), circle.iter().map(|module| (*module).to_owned()).collect::<Vec<_>>())
    });
    assert_eq!(circles, expected.collect::<BTreeSet<_>>());
}

/// The modules are read correctly: a dependency through a re-export of the crate is found too.
#[test]
fn dependencies_of_modules_are_found() {
    let modules = Modules::read(&root().join("crates/hearsay_extract/src"));
    let dependencies = modules.dependencies(&[]);
    for (module, target) in
        [("statements", "pipeline"), ("pipeline", "sentence_reader"), ("sentence_reader", "language")]
    {
        assert!(dependencies[module].contains(target), "{module} imports from {target}: {dependencies:?}");
    }
}

/// Modules of `bevy_hearsay`, the lowest first, as in the code map of `ARCHITECTURE.md`.
const PLUGIN_LAYERS: [&str; 12] = [
    "schedule",
    "components",
    "bridge",
    "sync",
    "events",
    "minds",
    "questions",
    "speech",
    "saves",
    "diagnostics",
    "plugins",
    "testing",
];

/// Folders of `hearsay_extract`, the lowest first, as in `ARCHITECTURE.md`.
const EXTRACTION_LAYERS: [&str; 13] = [
    "text",
    "language",
    "facts",
    "entities",
    "syntax",
    "sentence_reader",
    "assertion",
    "relations",
    "candidates",
    "pipeline",
    "model",
    "statements",
    "fuzz",
];

/// Asserts that the crate in a folder has exactly these modules, and that each imports only from earlier ones.
fn assert_layers(crate_name: &str, layers: &[&str]) {
    let modules = Modules::read(&root().join("crates").join(crate_name).join("src"));
    let dependencies = modules.dependencies(&[]);
    let listed: BTreeSet<&str> = layers.iter().copied().collect();
    assert_eq!(dependencies.keys().copied().collect::<BTreeSet<_>>(), listed, "every module has a layer");
    let layer = |module: &str| layers.iter().position(|layer| *layer == module).unwrap();
    for (module, targets) in &dependencies {
        for target in targets {
            assert!(layer(target) < layer(module), "{crate_name}: {module} may not import from {target}");
        }
    }
}

/// Returns whether text contains these names in this order, in backquotes or as the beginning of a path in backquotes.
fn lists_in_order(text: &str, names: &[&str]) -> bool {
    names.iter().map(|name| text.find(&format!("`{name}")).unwrap()).is_sorted()
}

#[test]
fn folders_of_the_extraction_depend_on_lower_layers_only() {
    assert_layers("hearsay_extract", &EXTRACTION_LAYERS);
    let architecture = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let rows: String = architecture
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.split_inclusive(" |").next().unwrap_or_default())
        .collect();
    let table = &rows[rows.find("`text/`").unwrap()..];
    assert!(lists_in_order(table, &EXTRACTION_LAYERS), "{table}");
}

#[test]
fn modules_of_the_plugin_depend_on_lower_layers_only() {
    assert_layers("bevy_hearsay", &PLUGIN_LAYERS);
    // The code map lists the layers in the same order.
    let architecture = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let row = architecture.lines().find(|line| line.starts_with("| `crates/bevy_hearsay` |")).unwrap();
    assert!(lists_in_order(row, &PLUGIN_LAYERS), "{row}");
}

//! The command `model fetch`.

use std::fs;

use super::{TestDir, decode_output, repository};

#[test]
fn without_a_source_the_error_says_what_to_do() {
    let test_dir = TestDir::new();
    let fetch = |options: &[&'static str]| [&["model", "fetch", "--to", "models"], options].concat();
    test_dir.fails(&fetch(&[]), 2, &["--from", "HEARSAY_MODEL_MIRROR", "assets/models"]);
    test_dir.fails(&fetch(&["--from", "ftp://models.example.org"]), 2, &["ftp://models.example.org", "http"]);
    let parts = ["mill", "all-MiniLM-L6-v2", "pass the directory that contains"];
    test_dir.fails(&fetch(&["--from", "mill"]), 4, &parts);
    let output = test_dir.command(&fetch(&["--dry-run"])).env("HEARSAY_MODEL_MIRROR", "mill").output().unwrap();
    let output = decode_output(output);
    assert!(output.stdout.contains("would be fetched from mill to"), "{}{}", output.stdout, output.stderr);
    assert!(!test_dir.path("models").exists());
}

#[test]
fn the_models_are_fetched_from_a_directory() {
    let test_dir = TestDir::new();
    let models = repository().join("assets/models");
    let fetch = ["model", "fetch", "--from", models.to_str().unwrap(), "--to", "models"];
    let output = test_dir.run(&fetch);
    assert!(output.code == 0 && output.stdout.contains("17 files (137.5 MB) fetched"), "{}", output.stderr);
    // `HEARSAY_MODEL_DIR` names another directory.
    assert!(output.stderr.contains("to use these models, set HEARSAY_MODEL_DIR to"), "{}", output.stderr);
    let encoder = "models/all-MiniLM-L6-v2";
    assert!(test_dir.ok(&["model", "show", encoder]).contains("from models/all-MiniLM-L6-v2"));
    for file in ["models/hearsay-reader/calibration.json", "models/hearsay-entailment/model.safetensors"] {
        assert!(test_dir.path(file).is_file(), "{file}");
    }
    // A complete directory needs no source; a damaged file is replaced.
    assert!(test_dir.ok(&["model", "fetch", "--to", "models"]).contains("are complete"));
    let config = test_dir.path(encoder).join("config.json");
    let content = fs::read_to_string(&config).unwrap();
    fs::write(&config, content.replace('6', "7")).unwrap();
    let planned = test_dir.json(&[&fetch[..], &["--dry-run"]].concat());
    assert_eq!((planned["fetched"].as_bool(), fs::read_to_string(&config).unwrap() == content), (Some(false), false));
    let fetched = test_dir.json(&fetch);
    assert_eq!(fetched["files"], serde_json::json!(["all-MiniLM-L6-v2/config.json"]));
    assert_eq!((fetched["fetched"].as_bool(), fs::read_to_string(&config).unwrap() == content), (Some(true), true));
}

#[cfg(target_os = "linux")]
#[test]
fn programs_find_the_fetched_models() {
    let test_dir = TestDir::new();
    let models = repository().join("assets/models");
    let line = |words: &[&str]| {
        let mut command = test_dir.command(words);
        command.env("XDG_DATA_HOME", test_dir.path("data")).env_remove("HEARSAY_MODEL_DIR");
        let output = decode_output(command.env_remove("CARGO_MANIFEST_DIR").output().unwrap());
        assert_eq!(output.code, 0, "{words:?}: {}", output.stderr);
        output
    };
    let output = line(&["model", "fetch", "--from", models.to_str().unwrap()]);
    assert_eq!(output.stderr, "", "no other setting is needed");
    let directory = test_dir.path("data/hearsay/models/all-MiniLM-L6-v2");
    assert!(line(&["model", "show"]).stdout.contains(&format!("from {}", directory.display())));
}

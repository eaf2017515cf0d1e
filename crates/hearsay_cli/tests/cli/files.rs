//! Tests of imports and exports: dry runs as JSON, watching a vault, every export format, backups.

use std::io::{BufRead, BufReader, Read};

use super::*;

/// Creates an Obsidian vault with one example for each entry of an import report.
fn vault(place: &Place) {
    place.write("vault/Ada.md", "---\ntags: [npc]\nlocation: \"[[The Mill]]\"\nallies: \"[[Nobody There]]\"\n---\nShe mills.\n\nShe met [[Sam]].\n");
    place.write("vault/The Mill.md", "---\ntags: [location]\n---\nIt turns.\n");
    place.write("vault/North/Sam.md", "---\ntags: [npc]\n---\n");
    place.write("vault/South/Sam.md", "---\ntags: [npc]\n---\n");
    place.write("vault/Broken.md", "---\ntags: [npc\nlocation: \"x\n---\nA text.\n");
    fs::write(place.path("vault/Bytes.md"), [0xFF, 0xFF, 0x80, 0x00]).unwrap();
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap_or_else(|| panic!("{value}")).keys().map(String::as_str).collect()
}

#[test]
fn a_dry_run_answers_as_data_with_the_keys_that_are_promised() {
    let place = Place::new();
    vault(&place);
    let report = place.json(&["-C", "new", "import", "vault", "--dry-run"]);
    assert!(!place.path("new").exists(), "nothing is made");
    for (kind, count) in [("npc", 4), ("location", 1)] {
        assert_eq!(report["created"][kind], count, "{report}");
    }
    for key in ["matched", "changed", "passages", "ambiguous", "dangling"] {
        assert!(report[key].is_u64(), "{key}: {}", report[key]);
    }
    assert_eq!((report["matched"].as_u64(), report["changed"].as_u64()), (Some(0), Some(0)));
    assert_eq!((report["ambiguous"].as_u64(), report["dangling"].as_u64()), (Some(1), Some(1)), "{report}");
    assert_eq!(keys(&report["relations"]), ["high", "low"]);
    assert_eq!(report["relations"]["high"], 2, "{report}");
    assert!(report["audience"].as_object().unwrap().values().all(Value::is_u64));
    let skipped = &report["skipped"][0];
    assert_eq!((keys(skipped), skipped["path"].as_str()), (vec!["path", "why"], Some("Bytes.md")));
    let warning = &report["warnings"][0];
    assert_eq!((keys(warning), warning["path"].as_str()), (vec!["line", "path", "what"], Some("Broken.md")));
    assert!(report["written"].is_null());
    let told = place.ok(&["-C", "new", "import", "vault", "--dry-run"]);
    for part in ["ambiguous: Ada.md", "dangling: Ada.md", "skipped: Bytes.md", "warning: Broken.md", "Dry run"] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
#[cfg(unix)]
fn changes_of_a_watched_vault_are_imported_until_ctrl_c() {
    let place = Place::new();
    place.write("vault/Ada.md", "---\ntags: [npc]\n---\nShe mills.\n");
    let mut child = place.command(&["-C", "new", "import", "vault", "--watch", "--no-meaning"]);
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(child.stdout.take().unwrap());
    let mut noted = BufReader::new(child.stderr.take().unwrap());
    let until = |from: &mut dyn BufRead, part: &str| {
        let mut line = String::new();
        while !line.contains(part) {
            line.clear();
            assert!(from.read_line(&mut line).unwrap() > 0, "it ended before it said {part}");
        }
    };
    until(&mut noted, "watching");
    place.write("vault/Ben.md", "---\ntags: [npc]\nallies: \"[[Ada]]\"\n---\nHe carts.\n");
    until(&mut told, "operation 2");
    // A file that is unreadable for a moment changes nothing. The next readable version is imported.
    place.write("vault/Ben.md", "---\ntags: [npc]\noccupation: carter\n---\nHe carts.\n");
    until(&mut told, "operation 3");
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let status = child.wait().unwrap();
    let mut rest = String::new();
    noted.read_to_string(&mut rest).unwrap();
    assert!(matches!(status.code(), Some(0 | 130)), "{status}: {rest}");
    assert!(!place.path("new/.hearsay/owner").exists(), "the campaign was closed");
    assert_eq!(place.json(&["-C", "new", "db", "stats", "--no-sync"])["entities"]["npc"], 2);
    assert!(place.ok(&["-C", "new", "fact", "list", "--no-sync"]).contains("carter"));
}

#[test]
fn a_backup_brings_everything_back_with_its_history() {
    let place = Place::new();
    place.ok(&["-C", "mill", "entity", "set", "ada", "goals", "Mend the stone.", "--secret"]);
    place.ok(&["-C", "mill", "export", "--format", "backup", "--output", "mill.backup"]);
    let all = place.ok(&["-C", "mill", "export"]);
    let restored = place.json(&["-C", "again", "db", "restore", "mill.backup"]);
    assert_eq!(restored["restored"], 2, "{restored}");
    assert_eq!(place.ok(&["-C", "again", "export", "--no-sync"]), all);
    place.ok(&["-C", "again", "undo"]);
    assert!(!place.ok(&["-C", "again", "export", "--no-sync"]).contains("Mend the stone."), "its history came too");
    place.fails(&["-C", "again", "db", "restore", "mill.backup"], 4, &["again", "hearsay db clear"]);
    place.fails(&["-C", "other", "db", "restore", "none.backup"], 4, &["none.backup"]);
    let text = fs::read_to_string(place.path("mill.backup")).unwrap();
    place.write("half.backup", &text[..text.len() / 2]);
    place.fails(&["-C", "other", "db", "restore", "half.backup"], 4, &["half.backup"]);
    assert!(!place.path("other/.hearsay").exists(), "what is broken changes nothing");
}

#[test]
fn every_format_is_written_and_lossless_ones_are_read_back() {
    let place = Place::new();
    place.ok(&["-C", "mill", "fact", "add", "ada", "OWNS", "the-mill"]);
    let records = |campaign: &str| {
        let all = place.ok(&["-C", campaign, "export", "--no-sync"]);
        let mut lines: Vec<String> =
            all.lines().filter(|line| !line.contains("\"imported\":")).map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let all = records("mill");
    for format in ["yaml", "obsidian"] {
        place.fails(&["-C", "mill", "export", "--format", format], 2, &["--output"]);
        let (folder, copy) = (format!("out-{format}"), format!("copy-{format}"));
        let written = place.json(&["-C", "mill", "export", "--format", format, "--output", &folder]);
        assert_eq!(written["folder"].as_str(), Some(folder.as_str()));
        place.ok(&["-C", &copy, "import", &folder, "--no-meaning"]);
        assert_eq!(records(&copy), all, "{format}");
        // A second export replaces the first, and does not change other files.
        place.ok(&["-C", "mill", "export", "--format", format, "--output", &folder]);
        place.write(&format!("mine-{format}/Note.md"), "Mine.");
        place.fails(
            &["-C", "mill", "export", "--format", format, "--output", &format!("mine-{format}")],
            4,
            &["mine-"],
        );
    }
    let graph = place.ok(&["-C", "mill", "export", "--format", "graphml"]);
    assert!(graph.starts_with("<?xml") && graph.contains("OWNS") && graph.contains("Ada Flint"), "{graph}");
    let dot = place.ok(&["-C", "mill", "export", "--format", "dot"]);
    assert!(dot.trim_start().starts_with("digraph") && dot.contains("OWNS"), "{dot}");
    let handbook = place.ok(&["-C", "mill", "export", "--format", "handbook"]);
    assert!(handbook.starts_with('#') && !handbook.contains("cracked"), "no secret is in it: {handbook}");
}

/// If a restore is killed at any moment, there is no database or a complete one. A second restore succeeds.
#[test]
fn a_restore_that_is_killed_leaves_no_half_memory() {
    let place = Place::new();
    for n in 0..6 {
        let notes: String = (0..40).map(|k| format!("- Person {n} {k}\n")).collect();
        place.write(&format!("mill/notes-{n}.md"), &notes);
        place.ok(&["-C", "mill", "entity", "set", "ada", "goals", &format!("Goal {n}.")]);
    }
    place.ok(&["-C", "mill", "export", "--format", "backup", "--output", "mill.backup"]);
    let all = place.json(&["-C", "whole", "db", "restore", "mill.backup"])["restored"].as_u64().unwrap();
    let history = place.ok(&["-C", "whole", "db", "history", "--no-sync"]);
    let mut stopped = 0;
    for wait in [20, 60, 120, 200, 300, 450, 700] {
        let mut child =
            place.command(&["-C", "again", "db", "restore", "mill.backup"]).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        if place.path("again/.hearsay").exists() {
            assert_eq!(place.ok(&["-C", "again", "db", "history", "--no-sync"]), history, "{wait} ms");
            fs::remove_dir_all(place.path("again/.hearsay")).unwrap();
        } else {
            stopped += 1;
        }
    }
    assert!(stopped > 0, "no restore was stopped");
    assert_eq!(place.json(&["-C", "again", "db", "restore", "mill.backup"])["restored"], all);
    assert_eq!(place.ok(&["-C", "again", "db", "history", "--no-sync"]), history);
    assert!(!place.path("again/.hearsay.restoring").exists());
}

#[test]
fn an_export_comes_back_equal() {
    let place = Place::new();
    place.ok(&["-C", "mill", "entity", "set", "ada", "goals", "Mend the stone.", "--secret"]);
    let written = place.json(&["-C", "mill", "export", "--output", "mill.jsonl"]);
    let first = fs::read_to_string(place.path("mill.jsonl")).unwrap();
    assert_eq!(written["lines"], first.lines().count());
    assert_eq!(place.ok(&["-C", "mill", "export"]), first);
    let before = place.json(&["-C", "copy", "import", "mill.jsonl", "--dry-run"]);
    assert!(before["written"].is_null() && !place.path("copy").exists());
    // With vectors, the result also names the model.
    assert!(!place.json(&["-C", "copy", "import", "mill.jsonl", "--no-meaning"])["written"].is_null());
    assert_eq!(place.ok(&["-C", "copy", "export"]), first);
    assert!(place.json(&["-C", "copy", "import", "mill.jsonl", "--no-meaning"])["written"].is_null());
    // The copy has no campaign files, but answers questions.
    assert!(place.ok(&["-C", "copy", "ask", "--as", "ada", "millstone", "--no-meaning"]).contains("cracked"));
    place.fails(&["-C", "mill", "export", "--output", "nowhere/x"], 4, &["nowhere/x"]);
}

#[test]
fn imports_report_their_changes_and_dry_runs_leave_no_trace() {
    let place = Place::new();
    let told = place.ok(&["-C", "mill", "sync", "--dry-run"]);
    assert!(told.contains("Dry run") && told.contains("occupation"), "{told}");
    assert!(!place.path("mill/.hearsay").exists());
    assert_eq!(place.ok(&["-C", "mill", "sync"]).lines().next().map(|line| line.contains("operation 1")), Some(true));
    assert_eq!(place.ok(&["-C", "mill", "sync"]), "Nothing has changed since the last import.\n");
    let fresh = place.run(&["-C", "mill", "fact", "list", "--no-sync"]);
    assert_eq!((fresh.code, fresh.err.as_str()), (0, ""));
}

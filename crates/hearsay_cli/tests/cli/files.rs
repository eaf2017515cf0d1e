//! Tests of imports and exports: dry runs as JSON, watching a vault, every export format, backups.

use std::io::{BufRead, BufReader, Read};

use super::*;

/// Creates an Obsidian vault with one example for each entry of an import report.
fn vault(test_dir: &TestDir) {
    test_dir.write("vault/Ada.md", "---\ntags: [npc]\nlocation: \"[[The Mill]]\"\nallies: \"[[Nobody There]]\"\n---\nShe mills.\n\nShe met [[Sam]].\n");
    test_dir.write("vault/The Mill.md", "---\ntags: [location]\n---\nIt turns.\n");
    test_dir.write("vault/North/Sam.md", "---\ntags: [npc]\n---\n");
    test_dir.write("vault/South/Sam.md", "---\ntags: [npc]\n---\n");
    test_dir.write("vault/Broken.md", "---\ntags: [npc\nlocation: \"x\n---\nA text.\n");
    fs::write(test_dir.path("vault/Bytes.md"), [0xFF, 0xFF, 0x80, 0x00]).unwrap();
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap_or_else(|| panic!("{value}")).keys().map(String::as_str).collect()
}

#[test]
fn a_dry_run_answers_as_data_with_the_keys_that_are_promised() {
    let test_dir = TestDir::new();
    vault(&test_dir);
    let report = test_dir.json(&["-C", "new", "import", "vault", "--dry-run"]);
    assert!(!test_dir.path("new").exists(), "nothing is made");
    for (kind, count) in [("npc", 4), ("location", 1)] {
        assert_eq!(report["created"][kind], count, "{report}");
    }
    for key in ["matched", "changed", "passages", "ambiguous", "dangling"] {
        assert!(report[key].is_u64(), "{key}: {}", report[key]);
    }
    assert_eq!((report["matched"].as_u64(), report["changed"].as_u64()), (Some(0), Some(0)));
    assert_eq!((report["ambiguous"].as_u64(), report["dangling"].as_u64()), (Some(1), Some(1)), "{report}");
    assert_eq!(keys(&report["relations"]), ["high", "low"]);
    // Ada is at The Mill, lives there because her note states no home, and has an ally.
    assert_eq!(report["relations"]["high"], 3, "{report}");
    assert!(report["audience"].as_object().unwrap().values().all(Value::is_u64));
    let skipped = &report["skipped"][0];
    assert_eq!((keys(skipped), skipped["path"].as_str()), (vec!["path", "reason"], Some("Bytes.md")));
    let warning = &report["warnings"][0];
    assert_eq!((keys(warning), warning["path"].as_str()), (vec!["line", "message", "path"], Some("Broken.md")));
    assert!(report["written"].is_null());
    let output = test_dir.ok(&["-C", "new", "import", "vault", "--dry-run"]);
    for part in ["ambiguous: Ada.md", "dangling: Ada.md", "skipped: Bytes.md", "warning: Broken.md", "Dry run"] {
        assert!(output.contains(part), "{part}: {output}");
    }
}

#[test]
#[cfg(unix)]
fn changes_of_a_watched_vault_are_imported_until_ctrl_c() {
    let test_dir = TestDir::new();
    test_dir.write("vault/Ada.md", "---\ntags: [npc]\n---\nShe mills.\n");
    let mut child = test_dir.command(&["-C", "new", "import", "vault", "--watch", "--no-meaning"]);
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdout_lines = BufReader::new(child.stdout.take().unwrap());
    let mut stderr_lines = BufReader::new(child.stderr.take().unwrap());
    let wait_for_line = |from: &mut dyn BufRead, part: &str| {
        let mut line = String::new();
        while !line.contains(part) {
            line.clear();
            assert!(from.read_line(&mut line).unwrap() > 0, "it ended before it said {part}");
        }
    };
    wait_for_line(&mut stderr_lines, "watching");
    test_dir.write("vault/Ben.md", "---\ntags: [npc]\nallies: \"[[Ada]]\"\n---\nHe carts.\n");
    wait_for_line(&mut stdout_lines, "operation 2");
    // A file that is unreadable for a moment changes nothing. The next readable version is imported.
    test_dir.write("vault/Ben.md", "---\ntags: [npc]\noccupation: carter\n---\nHe carts.\n");
    wait_for_line(&mut stdout_lines, "operation 3");
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let status = child.wait().unwrap();
    let mut rest = String::new();
    stderr_lines.read_to_string(&mut rest).unwrap();
    assert!(matches!(status.code(), Some(0 | 130)), "{status}: {rest}");
    assert!(!test_dir.path("new/.hearsay/owner").exists(), "the campaign was closed");
    assert_eq!(test_dir.json(&["-C", "new", "db", "stats", "--no-sync"])["entities"]["npc"], 2);
    assert!(test_dir.ok(&["-C", "new", "fact", "list", "--no-sync"]).contains("carter"));
}

/// A stream of results is JSON Lines: `--json` prints one document, and `--watch` has no last result.
#[test]
#[cfg(unix)]
fn a_watched_vault_prints_a_line_of_json_for_each_import() {
    let test_dir = TestDir::new();
    test_dir.write("vault/Ada.md", "---\ntags: [npc]\n---\nShe mills.\n");
    let watch = ["-C", "new", "import", "vault", "--watch", "--no-meaning"];
    let refused = test_dir.run(&[&watch[..], &["--json"]].concat());
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""));
    assert!(refused.stderr.contains("use --jsonl instead of --json"), "{}", refused.stderr);
    test_dir.fails(&["-C", "new", "import", "vault", "--jsonl"], 2, &["--watch"]);
    assert!(!test_dir.path("new").exists());
    let mut child = test_dir.command(&[&watch[..], &["--jsonl"]].concat());
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    let first = next();
    assert_eq!((&first["created"]["npc"], &first["written"]["position"]), (&1.into(), &1.into()), "{first}");
    test_dir.write("vault/Ben.md", "---\ntags: [npc]\n---\nHe carts.\n");
    let second = next();
    assert_eq!(second["created"]["npc"], 1, "{second}");
    assert!(second["written"]["position"].as_u64() > Some(1) && second["revealable"].is_array(), "{second}");
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert!(matches!(child.wait().unwrap().code(), Some(0 | 130)));
    assert!(lines.next().is_none(), "each import prints one line");
}

#[test]
fn with_json_a_file_is_a_string_in_one_document() {
    let test_dir = TestDir::new();
    let all = test_dir.ok(&["-C", "mill", "export"]);
    assert!(all.lines().count() > 1);
    assert_eq!(test_dir.json(&["-C", "mill", "export"])["content"], all);
    assert!(test_dir.json(&["completions", "bash"])["content"].as_str().unwrap().contains("COMPLETE"));
}

#[test]
fn a_backup_brings_everything_back_with_its_history() {
    let test_dir = TestDir::new();
    test_dir.ok(&["-C", "mill", "entity", "set", "ada", "goals", "Mend the stone.", "--secret"]);
    test_dir.ok(&["-C", "mill", "export", "--format", "backup", "--output", "mill.backup"]);
    let all = test_dir.ok(&["-C", "mill", "export"]);
    let planned = test_dir.json(&["-C", "again", "db", "restore", "mill.backup", "--dry-run"]);
    assert_eq!((&planned["restored"], &planned["operations"]), (&Value::Null, &2.into()), "{planned}");
    assert!(!test_dir.path("again").exists(), "a dry run creates nothing");
    let restored = test_dir.json(&["-C", "again", "db", "restore", "mill.backup"]);
    assert_eq!(restored["restored"], 2, "{restored}");
    assert_eq!(test_dir.ok(&["-C", "again", "export", "--no-sync"]), all);
    test_dir.ok(&["-C", "again", "undo"]);
    assert!(!test_dir.ok(&["-C", "again", "export", "--no-sync"]).contains("Mend the stone."), "its history came too");
    test_dir.fails(&["-C", "again", "db", "restore", "mill.backup"], 4, &["again", "hearsay db clear"]);
    test_dir.fails(&["-C", "other", "db", "restore", "none.backup"], 4, &["none.backup"]);
    let text = fs::read_to_string(test_dir.path("mill.backup")).unwrap();
    test_dir.write("half.backup", &text[..text.len() / 2]);
    test_dir.fails(&["-C", "other", "db", "restore", "half.backup"], 4, &["half.backup"]);
    assert!(!test_dir.path("other/.hearsay").exists(), "what is broken changes nothing");
}

#[test]
fn every_format_is_written_and_lossless_ones_are_read_back() {
    let test_dir = TestDir::new();
    test_dir.ok(&["-C", "mill", "fact", "add", "ada", "OWNS", "the-mill"]);
    let records = |campaign: &str| {
        let all = test_dir.ok(&["-C", campaign, "export", "--no-sync"]);
        let mut lines: Vec<String> =
            all.lines().filter(|line| !line.contains("\"imported\":")).map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let all = records("mill");
    for format in ["yaml", "obsidian"] {
        test_dir.fails(&["-C", "mill", "export", "--format", format], 2, &["--output"]);
        let (folder, copy) = (format!("out-{format}"), format!("copy-{format}"));
        let written = test_dir.json(&["-C", "mill", "export", "--format", format, "--output", &folder]);
        assert_eq!(written["folder"].as_str(), Some(folder.as_str()));
        test_dir.ok(&["-C", &copy, "import", &folder, "--no-meaning"]);
        assert_eq!(records(&copy), all, "{format}");
        // A second export replaces the first, and does not change other files.
        test_dir.ok(&["-C", "mill", "export", "--format", format, "--output", &folder]);
        test_dir.write(&format!("mine-{format}/Note.md"), "Mine.");
        test_dir.fails(
            &["-C", "mill", "export", "--format", format, "--output", &format!("mine-{format}")],
            4,
            &["mine-"],
        );
    }
    let graph = test_dir.ok(&["-C", "mill", "export", "--format", "graphml"]);
    assert!(graph.starts_with("<?xml") && graph.contains("OWNS") && graph.contains("Ada Flint"), "{graph}");
    let dot = test_dir.ok(&["-C", "mill", "export", "--format", "dot"]);
    assert!(dot.trim_start().starts_with("digraph") && dot.contains("OWNS"), "{dot}");
    let handbook = test_dir.ok(&["-C", "mill", "export", "--format", "handbook"]);
    assert!(handbook.starts_with('#') && !handbook.contains("cracked"), "no secret is in it: {handbook}");
}

#[test]
fn a_line_that_is_changed_in_an_exported_vault_changes_its_fact() {
    let test_dir = TestDir::new();
    test_dir.ok(&["-C", "mill", "export", "--format", "obsidian", "--output", "vault"]);
    let path = test_dir.path("vault/People/Ada Flint.md");
    let note = fs::read_to_string(&path).unwrap();
    let changed = note.replace("The millstone is cracked.", "The millstone is broken.");
    assert_ne!(changed, note);
    let changed: String =
        changed.lines().filter(|line| !line.contains("miller")).map(|line| format!("{line}\n")).collect();
    fs::write(&path, changed).unwrap();
    let export = ["-C", "mill", "export", "--format", "obsidian", "--output", "vault"];
    test_dir.fails(&export, 4, &["People/Ada Flint.md", "--force"]);
    let show = || test_dir.json(&["-C", "mill", "fact", "show", "stone-is-cracked", "--no-sync"])["fact"].clone();
    let old = show();
    let report = test_dir.ok(&["-C", "mill", "import", "vault", "--dry-run"]);
    assert!(report.contains("  changed: The millstone is cracked. \u{2192} The millstone is broken.\n"), "{report}");
    assert!(report.contains("  removed: ") && report.contains("miller"), "{report}");
    test_dir.ok(&["-C", "mill", "import", "vault", "--no-meaning"]);
    let new = show();
    assert_eq!(new["statement"], "The millstone is broken.");
    assert_eq!((&new["known_by"], &new["secrecy"]), (&old["known_by"], &old["secrecy"]), "{new}");
    let again = test_dir.ok(&["-C", "mill", "import", "vault", "--no-meaning"]);
    assert!(again.contains("Nothing has changed since the last import."), "{again}");
    // The changes are in the campaign now, so an export may overwrite them.
    test_dir.ok(&export);
    fs::write(&path, note).unwrap();
    test_dir.fails(&export, 4, &["People/Ada Flint.md"]);
    test_dir.ok(&[&export[..], &["--force"]].concat());
}

/// If a restore is killed at any moment, there is no database or a complete one. A second restore succeeds.
#[test]
fn a_restore_that_is_killed_leaves_no_half_memory() {
    let test_dir = TestDir::new();
    for n in 0..6 {
        let notes: String = (0..40).map(|k| format!("- Person {n} {k}\n")).collect();
        test_dir.write(&format!("mill/notes-{n}.md"), &notes);
        test_dir.ok(&["-C", "mill", "entity", "set", "ada", "goals", &format!("Goal {n}.")]);
    }
    test_dir.ok(&["-C", "mill", "export", "--format", "backup", "--output", "mill.backup"]);
    let all = test_dir.json(&["-C", "whole", "db", "restore", "mill.backup"])["restored"].as_u64().unwrap();
    let history = test_dir.ok(&["-C", "whole", "db", "history", "--no-sync"]);
    let mut stopped = 0;
    for wait in [20, 60, 120, 200, 300, 450, 700] {
        let mut child =
            test_dir.command(&["-C", "again", "db", "restore", "mill.backup"]).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        if test_dir.path("again/.hearsay").exists() {
            assert_eq!(test_dir.ok(&["-C", "again", "db", "history", "--no-sync"]), history, "{wait} ms");
            fs::remove_dir_all(test_dir.path("again/.hearsay")).unwrap();
        } else {
            stopped += 1;
        }
    }
    assert!(stopped > 0, "no restore was stopped");
    assert_eq!(test_dir.json(&["-C", "again", "db", "restore", "mill.backup"])["restored"], all);
    assert_eq!(test_dir.ok(&["-C", "again", "db", "history", "--no-sync"]), history);
    assert!(!test_dir.path("again/.hearsay.restoring").exists());
}

/// The message does not refer to saved operations, because an interrupted restore saves none.
#[test]
#[cfg(unix)]
fn a_restore_that_ctrl_c_stops_says_that_nothing_was_restored() {
    let test_dir = TestDir::new();
    test_dir.ok(&["-C", "mill", "entity", "set", "ada", "goals", "Mend the stone."]);
    test_dir.ok(&["-C", "mill", "export", "--format", "backup", "--output", "mill.backup"]);
    let mut child = test_dir.command(&["-C", "again", "db", "restore", "mill.backup"]);
    let mut child = child.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    while !test_dir.path("again/.hearsay.restoring").exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be stopped");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{err}");
    assert!(err.contains("nothing was restored") && !err.contains("db history"), "{err}");
    assert!(!test_dir.path("again/.hearsay").exists() && !test_dir.path("again/.hearsay.restoring").exists());
    assert_eq!(test_dir.json(&["-C", "again", "db", "restore", "mill.backup"])["restored"], 2);
}

#[test]
fn an_export_comes_back_equal() {
    let test_dir = TestDir::new();
    test_dir.ok(&["-C", "mill", "entity", "set", "ada", "goals", "Mend the stone.", "--secret"]);
    let written = test_dir.json(&["-C", "mill", "export", "--output", "mill.jsonl"]);
    let first = fs::read_to_string(test_dir.path("mill.jsonl")).unwrap();
    assert_eq!(written["lines"], first.lines().count());
    assert_eq!(test_dir.ok(&["-C", "mill", "export"]), first);
    let before = test_dir.json(&["-C", "copy", "import", "mill.jsonl", "--dry-run"]);
    assert!(before["written"].is_null() && !test_dir.path("copy").exists());
    // With vectors, the result also names the model.
    assert!(!test_dir.json(&["-C", "copy", "import", "mill.jsonl", "--no-meaning"])["written"].is_null());
    assert_eq!(test_dir.ok(&["-C", "copy", "export"]), first);
    assert!(test_dir.json(&["-C", "copy", "import", "mill.jsonl", "--no-meaning"])["written"].is_null());
    // The copy has no campaign files, but answers questions.
    assert!(test_dir.ok(&["-C", "copy", "ask", "--as", "ada", "millstone", "--no-meaning"]).contains("cracked"));
    test_dir.fails(&["-C", "mill", "export", "--output", "nowhere/x"], 4, &["nowhere/x"]);
}

#[test]
fn imports_report_their_changes_and_dry_runs_leave_no_trace() {
    let test_dir = TestDir::new();
    let output = test_dir.ok(&["-C", "mill", "sync", "--dry-run"]);
    assert!(output.contains("Dry run") && output.contains("occupation"), "{output}");
    assert!(output.contains(" to the subject and its place"), "{output}");
    assert!(!test_dir.path("mill/.hearsay").exists());
    assert_eq!(
        test_dir.ok(&["-C", "mill", "sync"]).lines().next().map(|line| line.contains("operation 1")),
        Some(true)
    );
    assert_eq!(test_dir.ok(&["-C", "mill", "sync"]), "Nothing has changed since the last import.\n");
    let fresh = test_dir.run(&["-C", "mill", "fact", "list", "--no-sync"]);
    assert_eq!((fresh.code, fresh.stderr.as_str()), (0, ""));
}

#[test]
fn an_import_of_notes_first_imports_the_campaign_files() {
    let test_dir = TestDir::new();
    let note = "---\ntags: [npc]\nallies: Ben\nenemies: Crooked Meg\n---\nShe whistles.\n";
    test_dir.write("vault/Ada Flint.md", note);
    let report = test_dir.json(&["-C", "mill", "import", "vault", "--dry-run"]);
    assert_eq!((report["linked"][0].as_str(), report["created"].as_object().unwrap().len()), (Some("ada"), 0));
    assert_eq!(report["facts"]["ALLIED_WITH"], 1, "{report}");
    assert!(!test_dir.path("mill/.hearsay").exists());
    let printed = test_dir.ok(&["-C", "mill", "import", "vault", "--no-meaning"]);
    for part in ["not understood: Ada Flint.md:", "enemies: Crooked Meg (no entity", "known to its entity"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let read = test_dir.run(&["-C", "mill", "know", "knows", "ben"]);
    assert!(!read.stderr.contains("changed"), "{}", read.stderr);
}

#[test]
fn a_folder_for_the_dm_is_secret_unless_it_is_opened() {
    let test_dir = TestDir::new();
    test_dir.write("vault/Ada.md", "---\ntags: [npc]\n---\nShe mills.\n");
    test_dir.write("vault/DM/Sam.md", "---\ntags: [npc]\noccupation: smuggler\n---\n");
    let audience = |options: &[&str]| {
        let report = test_dir.json(&[&["-C", "new", "import", "vault", "--dry-run"], options].concat());
        report["audience"].as_object().unwrap().clone()
    };
    let (closed, open) = (audience(&[]), audience(&["--open-folders"]));
    assert_ne!(closed, open);
}

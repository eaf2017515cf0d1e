//! Tests of changed campaign files, and of commands that only read.

use super::*;

const MORE: &str = "entities:\n  - {id: cora, name: Cora, kind: npc, home: the-mill}\n";

fn position(test_dir: &TestDir) -> Value {
    test_dir.json(&["-C", "mill", "db", "history", "--verbose"])[0]["position"].clone()
}

#[test]
fn a_command_that_reads_says_that_files_changed_and_writes_nothing() {
    let test_dir = TestDir::new();
    // The first command imports the files, because otherwise it would have nothing to read.
    let first = test_dir.run(&["-C", "mill", "entity", "show", "ada"]);
    assert!(
        first.code == 0 && first.stderr.contains("import The Mill") && first.stdout.contains("Ada Flint"),
        "{}",
        first.stderr
    );
    // The first command that uses the sentence encoder records its model.
    test_dir.ok(&["-C", "mill", "ask", "--as", "ada", "Who is Ben?"]);
    let before = position(&test_dir);
    std::thread::sleep(std::time::Duration::from_millis(20));
    test_dir.write("mill/more.yaml", MORE);
    let notice = "1 campaign file changed; `hearsay -C mill sync` imports the changes";
    for line in [
        &["-C", "mill", "entity", "show", "ada"][..],
        &["-C", "mill", "session", "list"],
        &["-C", "mill", "review"],
        &["-C", "mill", "say", "--by", "ada", "Hm.", "--to", "ben", "--dry-run"],
        &["-C", "mill", "entity", "show", "ada", "--json"],
    ] {
        let output = test_dir.run(line);
        assert_eq!((output.code, output.stderr.trim_end()), (0, notice), "{line:?}");
        assert_eq!(test_dir.run(&[line, &["--no-sync"]].concat()).stderr, "", "{line:?}");
        assert_eq!(test_dir.run(&[line, &["--quiet"]].concat()).stderr, "", "{line:?}");
    }
    test_dir.fails(&["-C", "mill", "entity", "show", "cora"], 3, &["cora"]);
    assert_eq!(position(&test_dir), before);
    // A command that changes the campaign imports the changed files.
    let added = test_dir.run(&["-C", "mill", "fact", "add", "cora", "LIKES", "ben"]);
    assert!(added.code == 0 && added.stderr.contains("import The Mill: 1 entities"), "{}", added.stderr);
    assert_eq!(test_dir.run(&["-C", "mill", "entity", "show", "cora"]).stderr, "");
    // If the working directory is the campaign, the hint contains no path.
    test_dir.write("mill/more.yaml", &MORE.replace("Cora", "Cora Reed"));
    let mut line = test_dir.command(&["session", "list"]);
    let below = decode_output(line.current_dir(test_dir.path("mill")).output().unwrap());
    assert!(below.stderr.contains("`hearsay sync` imports the changes"), "{}", below.stderr);
    test_dir.ok(&["-C", "mill", "sync"]);
    assert_eq!(test_dir.run(&["-C", "mill", "session", "list"]).stderr, "");
}

#[test]
fn without_files_and_database_a_command_that_reads_creates_nothing() {
    let test_dir = TestDir::new();
    test_dir.write("bare/hearsay.toml", "");
    assert!(test_dir.ok(&["-C", "bare", "fact", "list"]).contains("No fact"));
    assert!(test_dir.ok(&["-C", "mill", "fact", "list", "--no-sync"]).contains("No fact"));
    assert!(!test_dir.path("bare/.hearsay").exists() && !test_dir.path("mill/.hearsay").exists());
}

#[test]
fn texts_of_an_import_are_read_for_facts_at_the_import() {
    let test_dir = TestDir::new();
    let session = "sessions:\n  - {id: s1, number: 1, title: One, present: [ben], log: [{speaker: ada, text: \"Ben owes Sam ten \
                   crowns. Ada owes Ben ten crowns.\", heard_by: [ben]}]}\n";
    test_dir.write("mill/session.yaml", session);
    let first = test_dir.run(&["-C", "mill", "session", "list"]);
    assert!(first.stderr.contains("searched 1 text for facts: "), "{}", first.stderr);
    test_dir.ok(&["-C", "mill", "session", "start"]);
    let logged = test_dir.json(&["-C", "mill", "log", "It rains."]);
    assert_eq!(logged["found"]["claimed"], 0, "only the line itself counts: {logged}");
    // If facts were not extracted from imported texts yet, this happens before the next line is recorded. The output
    // distinguishes these facts from the facts of the line.
    let line = "{speaker: ada, text: \"Ben owes Ada six crowns.\", heard_by: [ben]}";
    test_dir.write("other/campaign.yaml", CAMPAIGN);
    test_dir.write(
        "other/session.yaml",
        &format!("sessions:\n  - {{id: s1, number: 1, title: One, present: [ben], log: [{line}]}}\n"),
    );
    test_dir.write("other/hearsay.toml", "[extraction]\nenabled = false\n");
    test_dir.ok(&["-C", "other", "sync"]);
    test_dir.write("other/hearsay.toml", "");
    let said = test_dir.run(&["-C", "other", "say", "--by", "ben", "Hm.", "--to", "ada", "--json"]);
    assert!(said.stderr.contains("searched 1 text for facts: "), "{}", said.stderr);
    assert_eq!(serde_json::from_str::<Value>(&said.stdout).unwrap()["found"]["claimed"], 0, "{}", said.stdout);
}

#[test]
fn broken_files_change_nothing() {
    let test_dir = TestDir::new();
    test_dir.write("mill/more.yaml", "entities:\n  - name: [A\n");
    test_dir.fails(&["-C", "mill", "db", "stats"], 4, &["more.yaml:3"]);
    fs::remove_file(test_dir.path("mill/more.yaml")).unwrap();
    test_dir.ok(&["-C", "mill", "status"]);
    test_dir.write("mill/more.yaml", "entities:\n  - {name: A, kind: npc, knid: x}\n");
    test_dir.fails(&["-C", "mill", "entity", "add", "Cora"], 4, &["more.yaml:2", "knid"]);
    assert!(test_dir.run(&["-C", "mill", "entity", "add", "Cora"]).stderr.contains("--no-sync"));
    let output = test_dir.run(&["-C", "mill", "db", "stats", "--json"]);
    assert!(output.stderr.contains("warning") && output.stderr.contains("more.yaml:2"), "{}", output.stderr);
    assert_eq!(serde_json::from_str::<Value>(&output.stdout).unwrap()["entities"]["npc"], 4);
}

//! Tests of changed campaign files, and of commands that only read.

use super::*;

const MORE: &str = "entities:\n  - {id: cora, name: Cora, kind: npc, home: the-mill}\n";

fn position(place: &Place) -> Value {
    place.json(&["-C", "mill", "db", "history", "--verbose"])[0]["position"].clone()
}

#[test]
fn a_command_that_reads_says_that_files_changed_and_writes_nothing() {
    let place = Place::new();
    // The first command imports the files, because otherwise it would have nothing to read.
    let first = place.run(&["-C", "mill", "entity", "show", "ada"]);
    assert!(
        first.code == 0 && first.err.contains("import The Mill") && first.out.contains("Ada Flint"),
        "{}",
        first.err
    );
    let before = position(&place);
    std::thread::sleep(std::time::Duration::from_millis(20));
    place.write("mill/more.yaml", MORE);
    let notice = "1 campaign file changed; `hearsay -C mill sync` imports the changes";
    for line in [
        &["-C", "mill", "entity", "show", "ada"][..],
        &["-C", "mill", "session", "list"],
        &["-C", "mill", "review"],
        &["-C", "mill", "say", "--by", "ada", "Hm.", "--to", "ben", "--dry-run"],
        &["-C", "mill", "entity", "show", "ada", "--json"],
    ] {
        let told = place.run(line);
        assert_eq!((told.code, told.err.trim_end()), (0, notice), "{line:?}");
        assert_eq!(place.run(&[line, &["--no-sync"]].concat()).err, "", "{line:?}");
        assert_eq!(place.run(&[line, &["--quiet"]].concat()).err, "", "{line:?}");
    }
    place.fails(&["-C", "mill", "entity", "show", "cora"], 3, &["cora"]);
    assert_eq!(position(&place), before);
    // A command that changes the campaign imports the changed files.
    let added = place.run(&["-C", "mill", "fact", "add", "cora", "LIKES", "ben"]);
    assert!(added.code == 0 && added.err.contains("import The Mill: 1 entities"), "{}", added.err);
    assert_eq!(place.run(&["-C", "mill", "entity", "show", "cora"]).err, "");
    // If the working directory is the campaign, the hint contains no path.
    place.write("mill/more.yaml", &MORE.replace("Cora", "Cora Reed"));
    let mut line = place.command(&["session", "list"]);
    let below = told(line.current_dir(place.path("mill")).output().unwrap());
    assert!(below.err.contains("`hearsay sync` imports the changes"), "{}", below.err);
    place.ok(&["-C", "mill", "sync"]);
    assert_eq!(place.run(&["-C", "mill", "session", "list"]).err, "");
}

#[test]
fn without_files_and_database_a_command_that_reads_creates_nothing() {
    let place = Place::new();
    place.write("bare/hearsay.toml", "");
    assert!(place.ok(&["-C", "bare", "fact", "list"]).contains("No fact"));
    assert!(place.ok(&["-C", "mill", "fact", "list", "--no-sync"]).contains("No fact"));
    assert!(!place.path("bare/.hearsay").exists() && !place.path("mill/.hearsay").exists());
}

#[test]
fn texts_of_an_import_are_read_for_facts_at_the_import() {
    let place = Place::new();
    let session = "sessions:\n  - {id: s1, number: 1, title: One, present: [ben], log: [{speaker: ada, text: \"Ben owes Sam ten \
                   crowns. Ada owes Ben ten crowns.\", heard_by: [ben]}]}\n";
    place.write("mill/session.yaml", session);
    let first = place.run(&["-C", "mill", "session", "list"]);
    assert!(first.err.contains("searched 1 text for facts: "), "{}", first.err);
    place.ok(&["-C", "mill", "session", "start"]);
    let logged = place.json(&["-C", "mill", "log", "It rains."]);
    assert_eq!(logged["found"]["claimed"], 0, "only the line itself counts: {logged}");
    // If facts were not extracted from imported texts yet, this happens before the next line is recorded. The output
    // distinguishes these facts from the facts of the line.
    let line = "{speaker: ada, text: \"Ben owes Ada six crowns.\", heard_by: [ben]}";
    place.write("other/campaign.yaml", CAMPAIGN);
    place.write(
        "other/session.yaml",
        &format!("sessions:\n  - {{id: s1, number: 1, title: One, present: [ben], log: [{line}]}}\n"),
    );
    place.write("other/hearsay.toml", "[extraction]\nenabled = false\n");
    place.ok(&["-C", "other", "sync"]);
    place.write("other/hearsay.toml", "");
    let said = place.run(&["-C", "other", "say", "--by", "ben", "Hm.", "--to", "ada", "--json"]);
    assert!(said.err.contains("searched 1 text for facts: "), "{}", said.err);
    assert_eq!(serde_json::from_str::<Value>(&said.out).unwrap()["found"]["claimed"], 0, "{}", said.out);
}

#[test]
fn broken_files_change_nothing() {
    let place = Place::new();
    place.write("mill/more.yaml", "entities:\n  - name: [A\n");
    place.fails(&["-C", "mill", "db", "stats"], 4, &["more.yaml:3"]);
    fs::remove_file(place.path("mill/more.yaml")).unwrap();
    place.ok(&["-C", "mill", "status"]);
    place.write("mill/more.yaml", "entities:\n  - {name: A, kind: npc, knid: x}\n");
    place.fails(&["-C", "mill", "entity", "add", "Cora"], 4, &["more.yaml:2", "knid"]);
    assert!(place.run(&["-C", "mill", "entity", "add", "Cora"]).err.contains("--no-sync"));
    let told = place.run(&["-C", "mill", "db", "stats", "--json"]);
    assert!(told.err.contains("warning") && told.err.contains("more.yaml:2"), "{}", told.err);
    assert_eq!(serde_json::from_str::<Value>(&told.out).unwrap()["entities"]["npc"], 4);
}

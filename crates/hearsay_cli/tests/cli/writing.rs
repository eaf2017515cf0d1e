//! Tests of edits by hand, and of their undo.

use super::*;

#[test]
fn writing_by_hand_and_undoing() {
    let test_dir = TestDir::new();
    let added = test_dir.json(&["-C", "mill", "entity", "add", "Cora", "--at", "the-mill"]);
    assert_eq!((&added["position"], &added["entities"][0]), (&Value::from(2), &Value::from("cora")));
    let set = test_dir.json(&["-C", "mill", "entity", "set", "cora", "occupation", "weaver"]);
    assert_eq!(set["facts"][0]["statement"], "Cora is a weaver.");
    let owes = test_dir.json(&["-C", "mill", "fact", "add", "cora", "OWES", "ben", "--secret", "--attitude", "-20"]);
    let id = owes["facts"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(owes["facts"][0]["attitude"], -20);
    let right = test_dir.json(&["-C", "mill", "fact", "correct", &id[..8], "--object", "ada"]);
    let id = right["facts"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(right["facts"][0]["object"], "ada");
    test_dir.fails(&["-C", "mill", "fact", "remove", &id], 2, &["--never-so", "--until <DATE>", "fact retract"]);
    test_dir.json(&["-C", "mill", "fact", "retract", "--never-so", &id]);
    test_dir.fails(&["-C", "mill", "entity", "show", &id], 3, &[&id]);
    let history = test_dir.json(&["-C", "mill", "db", "history", "--limit", "1"]);
    assert_eq!(history[0]["position"], 6);
    assert_eq!(test_dir.json(&["-C", "mill", "undo", "--dry-run"])["position"], 6);
    assert_eq!(test_dir.json(&["-C", "mill", "undo"])["position"], 7);
    assert_eq!(test_dir.json(&["-C", "mill", "entity", "show", &id])["fact"]["object"], "ada");
    test_dir.json(&["-C", "mill", "entity", "remove", "cora"]);
    test_dir.fails(&["-C", "mill", "entity", "show", "cora"], 3, &["cora"]);
    assert_eq!(test_dir.json(&["-C", "mill", "undo", "--author", "dm"])["position"], 9);
    assert_eq!(test_dir.json(&["-C", "mill", "entity", "show", "cora"])["entity"]["name"], "Cora");
    test_dir.fails(&["-C", "mill", "undo", "99"], 1, &["99"]);
    test_dir.fails(&["-C", "mill", "undo", "--author", "game"], 1, &["no operation to undo"]);
    test_dir.fails(&["-C", "mill", "undo", "1"], 1, &["operation 1", "an import", "depend", "--yes"]);
}

#[test]
fn an_edit_says_who_knows_its_fact_and_a_recorded_fact_becomes_secret() {
    let test_dir = TestDir::new();
    let set = test_dir.ok(&["-C", "mill", "entity", "set", "ada", "occupation", "smuggler"]);
    assert!(set.contains("  known to: Ada Flint, The Mill and its residents\n"), "{set}");
    let make_secret = ["-C", "mill", "fact", "secret", "Ada Flint is a smuggler"];
    let secret = test_dir.ok(&make_secret);
    assert!(secret.contains("make secret") && secret.contains("  known to: Ada Flint\n"), "{secret}");
    let who_knows = test_dir.json(&["-C", "mill", "know", "who-knows", "Ada Flint is a smuggler"]);
    assert_eq!(who_knows["characters"].as_array().unwrap().len(), 1, "{who_knows}");
    let answer = test_dir.ok(&["-C", "mill", "ask", "--as", "ada", "--with", "ben", "Are you a smuggler?"]);
    assert!(answer.contains("you keep it to yourself"), "{answer}");
    test_dir.fails(&make_secret, 1, &["requested secrecy"]);
    let make_open = [&make_secret[..], &["--open"]].concat();
    let open = test_dir.ok(&make_open);
    assert!(open.contains("make open") && open.contains("no longer concealed by Ada Flint"), "{open}");
    let who_knows = test_dir.json(&["-C", "mill", "know", "who-knows", "Ada Flint is a smuggler"]);
    assert_eq!(who_knows["characters"][0]["conceals"], false, "{who_knows}");
    test_dir.fails(&make_open, 1, &["requested secrecy"]);
    // A copy of a secret is recorded as the DM says, with a note.
    let copy = test_dir.run(&["-C", "mill", "entity", "set", "ada", "lore", "The millstone is cracked."]);
    assert!(copy.stderr.contains("has the content of the secret"), "{}{}", copy.stdout, copy.stderr);
}

#[test]
fn a_new_value_ends_the_old_value_only_if_the_field_has_one_value() {
    let test_dir = TestDir::new();
    for (name, kind) in [("Guild", "faction"), ("Watch", "faction"), ("Weir", "location")] {
        test_dir.ok(&["-C", "mill", "entity", "add", name, "--kind", kind]);
    }
    let set = |field: &str, value: &str| test_dir.run(&["-C", "mill", "entity", "set", "ada", field, value]);
    assert!(!set("faction", "guild").stderr.contains("another value"));
    let faction = set("faction", "watch");
    assert!(!faction.stdout.contains("ended:"), "{}", faction.stdout);
    for words in ["another value is still recorded: Ada Flint", "Guild", "fact retract FACT --until DATE"] {
        assert!(faction.stderr.contains(words), "{words}: {}", faction.stderr);
    }
    let home = set("home", "weir");
    assert!(home.stdout.contains("ended:") && !home.stderr.contains("another value"), "{}{}", home.stdout, home.stderr);
}

#[test]
fn an_undeclared_relation_is_known_to_its_two_ends() {
    let test_dir = TestDir::new();
    let output = test_dir.run(&["-C", "mill", "fact", "add", "ada", "COURTS", "sam-a"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    for words in ["COURTS is not in the vocabulary", "`predicates`", "hearsay vocabulary"] {
        assert!(output.stderr.contains(words), "{words}: {}", output.stderr);
    }
    let courts = test_dir.json(&["-C", "mill", "know", "who-knows", "Flint courts"]);
    assert_eq!(courts["characters"].as_array().unwrap().len(), 2, "the other residents of the mill do not: {courts}");
}

#[test]
fn a_synonym_of_a_relation_is_this_relation() {
    let test_dir = TestDir::new();
    let added = test_dir.json(&["-C", "mill", "fact", "add", "ada", "rescued", "ben"]);
    assert_eq!(added["facts"][0]["predicate"], "SAVED", "{added}");
    let output = test_dir.run(&["-C", "mill", "fact", "add", "ada", "threatening", "ben"]);
    assert!(output.stderr.contains("(did you mean THREATENED?)"), "{}", output.stderr);
    let output = test_dir.run(&["-C", "mill", "event", "witness", "--by", "ben", "--that", "ada", "SAVING", "ben"]);
    assert!(output.stderr.contains("SAVING is not in the vocabulary (did you mean SAVED?)"), "{}", output.stderr);
}

#[test]
fn the_vocabulary_is_listed_with_meaning_audience_and_example() {
    let test_dir = TestDir::new();
    let rows = test_dir.json(&["-C", "mill", "vocabulary"]);
    let row = |name: &str| rows.as_array().unwrap().iter().find(|row| row["name"] == name).unwrap().clone();
    for name in ["LEADS", "LOVES", "SUSPECTS", "occupation"] {
        let row = row(name);
        assert!(row["meaning"].as_str().unwrap().contains("{subject}"), "{row}");
        assert!(!row["example"].as_str().unwrap().is_empty(), "{row}");
    }
    assert_eq!(
        (&row("LOVES")["audience"], &row("LEADS")["audience"]),
        (&Value::from("private"), &Value::from("local"))
    );
    let love = test_dir.ok(&["-C", "mill", "vocabulary", "love"]);
    assert!(love.contains("{subject} loves {object}") && !love.contains("LEADS"), "{love}");
    assert!(test_dir.ok(&["-C", "mill", "vocabulary", "no such word"]).contains("No relation or attribute matches."));
    // Without a campaign, the built-in vocabulary is listed.
    assert!(test_dir.ok(&["vocabulary", "love"]).contains("LOVES"));
}

#[test]
fn a_field_has_the_same_meaning_as_in_a_campaign_file() {
    let test_dir = TestDir::new();
    test_dir.ok(&["-C", "mill", "entity", "add", "The Inn", "--kind", "location"]);
    test_dir.ok(&["-C", "mill", "entity", "add", "The Guild", "--kind", "faction"]);
    let moved = test_dir.json(&["-C", "mill", "entity", "set", "ben", "home", "The Inn"]);
    let (new, ended) = (&moved["facts"][0], &moved["ended"][0]);
    assert_eq!((&new["predicate"], &new["object"]), (&"RESIDENT_OF".into(), &"the-inn".into()), "{moved}");
    assert_eq!(ended["object"], "the-mill", "{moved}");
    let seen = ["event", "witness", "--at", "the-inn", "--about", "the-inn", "The roof leaks."];
    let seen = test_dir.json(&[&["-C", "mill"][..], &seen].concat());
    assert_eq!(seen["heard_by"], serde_json::json!(["ben"]), "{seen}");
    let printed = test_dir.ok(&["-C", "mill", "entity", "set", "ben", "home", "none"]);
    assert!(printed.contains("ended: ") && printed.contains("Ben lives in The Inn."), "{printed}");
    test_dir.fails(&["-C", "mill", "entity", "set", "ben", "home", "none"], 3, &["no current value of RESIDENT_OF"]);
    test_dir.fails(&["-C", "mill", "entity", "set", "ben", "location", "Harriers"], 3, &["Harriers"]);
    let member = test_dir.json(&["-C", "mill", "entity", "set", "ben", "faction", "the guild"]);
    assert_eq!(
        (&member["facts"][0]["predicate"], &member["facts"][0]["object"]),
        (&"MEMBER_OF".into(), &"the-guild".into())
    );
    let owned = test_dir.json(&["-C", "mill", "entity", "set", "the-inn", "owner", "ada"]);
    assert_eq!((&owned["facts"][0]["subject"], &owned["facts"][0]["predicate"]), (&"ada".into(), &"OWNS".into()));
    let played = test_dir.json(&["-C", "mill", "entity", "set", "sam-a", "kind", "pc"]);
    assert_eq!(played["facts"][0]["object"], "player", "{played}");
}

#[test]
fn an_unknown_field_is_an_attribute() {
    let test_dir = TestDir::new();
    let output = test_dir.run(&["-C", "mill", "entity", "set", "ben", "occupatin", "baker"]);
    assert!(output.stderr.contains("did you mean `occupation`?"), "{}", output.stderr);
    assert!(output.stdout.contains("occupatin"), "{}", output.stdout);
    let output = test_dir.run(&["-C", "mill", "entity", "set", "ben", "fears", "the dark"]);
    assert!(output.stderr.contains("`fears` is recorded as text"), "{}", output.stderr);
    let mood = test_dir.run(&["-C", "mill", "entity", "set", "ben", "Eye colour", "grey"]);
    assert_eq!((mood.code, mood.stderr.contains("did you mean")), (0, false), "{}", mood.stderr);
}

#[test]
fn new_entities_are_described_in_sentences() {
    let test_dir = TestDir::new();
    let added = test_dir.ok(&["-C", "mill", "entity", "add", "Holm"]);
    assert!(added.contains("Holm is an NPC.") && added.contains("The name is Holm."), "{added}");
    let added = test_dir.ok(&["-C", "mill", "entity", "add", "The Weir", "--kind", "location"]);
    assert!(added.contains("The Weir is a location."), "{added}");
}

/// Runs commands with `--dry-run`, as text and as JSON. Checks that they say what they would do, and write nothing.
fn check_dry_runs(test_dir: &TestDir, lines: &[&[&str]]) {
    let newest = || test_dir.json(&["-C", "mill", "db", "history", "--verbose"])[0]["position"].clone();
    let before = newest();
    for line in lines {
        let line = [&["-C", "mill"][..], *line, &["--dry-run"]].concat();
        let output = test_dir.ok(&line);
        assert!(output.starts_with("Dry run, nothing is changed: "), "{line:?}: {output}");
        let data = test_dir.json(&line);
        assert!(data["written"].is_null() && data.get("position").is_none(), "{line:?}: {data}");
        assert_eq!(newest(), before, "{line:?}");
    }
}

#[test]
fn every_command_that_writes_has_a_dry_run() {
    let test_dir = TestDir::new();
    // The first command with the sentence encoder records the model.
    test_dir.ok(&["-C", "mill", "search", "the mill"]);
    check_dry_runs(
        &test_dir,
        &[
            &["entity", "add", "Cora", "--at", "the-mill"],
            &["entity", "set", "ada", "occupation", "baker"],
            &["entity", "remove", "ben"],
            &["entity", "duplicates", "not-the-same", "sam-a", "sam-b"],
            &["fact", "add", "ada", "OWES", "ben"],
            &["fact", "correct", "stone-is-cracked", "--statement", "The wheel is cracked."],
            &["fact", "retract", "stone-is-cracked", "--never-so"],
            &["review", "reject", "stone-is-cracked"],
            &["simulate", "flag", "bell-rung", "yes", "--declare"],
            &["trust", "off"],
            &["fact", "extract", "--again"],
            &["session", "start", "--title", "The stone"],
        ],
    );
    let effects = test_dir.json(&["-C", "mill", "entity", "add", "Cora", "--at", "the-mill", "--dry-run"]);
    assert_eq!(effects["entities"], serde_json::json!(["cora"]), "{effects}");
    assert_eq!(effects["facts"].as_array().unwrap().len(), 4, "{effects}");
    test_dir.ok(&["-C", "mill", "entity", "set", "ada", "age", "40"]);
    let older = test_dir.json(&["-C", "mill", "entity", "set", "ada", "age", "41", "--dry-run"]);
    assert_eq!((&older["ended"][0]["object"], &older["facts"][0]["object"]), (&"40".into(), &"41".into()), "{older}");
    test_dir.ok(&["-C", "mill", "entity", "merge", "sam-b", "sam-a"]);
    test_dir.ok(&["-C", "mill", "session", "start", "--present", "ada"]);
    check_dry_runs(
        &test_dir,
        &[
            &["entity", "split", "sam-b"],
            &["session", "attend", "--arrive", "ben"],
            &["session", "end"],
            &["log", "It rains."],
        ],
    );
    let logged = test_dir.ok(&["-C", "mill", "log", "It rains.", "--to", "ben", "--dry-run"]);
    assert!(logged.contains("heard by: Ben") && logged.contains("facts: not shown"), "{logged}");
    let aside = test_dir.ok(&["-C", "mill", "log", "((back in five))", "--dry-run"]);
    assert!(!aside.contains("facts: not shown"), "{aside}");
    test_dir.fails(&["-C", "mill", "entity", "set", "adda", "age", "40", "--dry-run"], 3, &["adda"]);
    for line in [&["simulate", "flag"][..], &["review"], &["entity", "duplicates"]] {
        test_dir.fails(&[&["-C", "mill"][..], line, &["--dry-run"]].concat(), 2, &["required"]);
    }
}

#[test]
fn an_import_that_was_undone_stays_undone() {
    let test_dir = TestDir::new();
    test_dir.ok(&["-C", "mill", "status"]);
    test_dir.fails(
        &["-C", "mill", "undo"],
        1,
        &["nothing was undone", "operation 1 is an import", "5 entities", "--yes"],
    );
    let output = test_dir.ok(&["-C", "mill", "undo", "--yes"]);
    assert!(output.contains("hearsay -C mill sync"), "{output}");
    let output = test_dir.run(&["-C", "mill", "db", "stats", "--json"]);
    assert!(output.stderr.contains("hearsay -C mill sync"), "{}", output.stderr);
    assert_eq!(serde_json::from_str::<Value>(&output.stdout).unwrap()["predicates"], serde_json::json!({}));
    test_dir.ok(&["-C", "mill", "sync"]);
    assert_eq!(test_dir.json(&["-C", "mill", "db", "stats"])["entities"]["npc"], 4);
    // Later changes of the files are imported automatically again.
    test_dir.write("mill/campaign.yaml", &CAMPAIGN.replace("carter", "cooper"));
    test_dir.ok(&["-C", "mill", "sync"]);
    assert_eq!(test_dir.json(&["-C", "mill", "fact", "list", "--object", "cooper"])["all"], 1);
    // After the undo is undone, the files are imported automatically again.
    test_dir.ok(&["-C", "mill", "undo", "--author", "import", "--yes"]);
    assert_eq!(test_dir.json(&["-C", "mill", "fact", "list", "--object", "carter"])["all"], 1);
    let newest = test_dir.json(&["-C", "mill", "db", "history"])[0]["position"].to_string();
    test_dir.ok(&["-C", "mill", "undo", &newest]);
    assert_eq!(test_dir.json(&["-C", "mill", "fact", "list", "--object", "cooper"])["all"], 1);
}

#[test]
fn several_operations_are_undone_and_restored_together() {
    let test_dir = TestDir::new();
    for occupation in ["weaver", "baker", "smith"] {
        test_dir.ok(&["-C", "mill", "entity", "set", "ben", "occupation", occupation]);
    }
    let occupation = || test_dir.json(&["-C", "mill", "fact", "list", "--predicate", "occupation", "--subject", "ben"]);
    let current = |object: &str| occupation()["facts"].to_string().contains(object);
    let planned = test_dir.ok(&["-C", "mill", "undo", "--to", "2", "--dry-run"]);
    assert!(planned.contains("all operations after 2: 2 operations") && planned.contains("smith"), "{planned}");
    test_dir.fails(&["-C", "mill", "undo", "--to", "2"], 1, &["2 operations would be undone", "--yes"]);
    assert!(current("smith"));
    let undone = test_dir.json(&["-C", "mill", "undo", "--to", "2", "--yes"]);
    assert_eq!((&undone["position"], current("smith"), current("weaver")), (&5.into(), false, true), "{undone}");
    test_dir.ok(&["-C", "mill", "undo", "5"]);
    assert!(current("smith"));
    test_dir.fails(&["-C", "mill", "undo", "--to", "6", "--yes"], 1, &["no operation after operation 6"]);
    test_dir.fails(&["-C", "mill", "undo", "--to", "60", "--yes"], 1, &["60"]);
    test_dir.fails(&["-C", "mill", "undo", "3", "--to", "2"], 2, &["--to"]);
    // An undo back to the time before the import also undoes the import.
    let output = test_dir.ok(&["-C", "mill", "undo", "--to", "0", "--yes"]);
    assert!(output.contains("hearsay -C mill sync"), "{output}");
}

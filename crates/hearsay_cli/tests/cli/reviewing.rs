//! Tests of the DM's decisions: review, duplicates, trust, pruning.

use super::*;

#[test]
fn review_decides() {
    let test_dir = TestDir::new();
    for (boss, since) in [("ben", "20 Springmonth 9"), ("ada", "1 Springmonth 9")] {
        test_dir.ok(&["-C", "mill", "fact", "add", "sam-a", "EMPLOYED_BY", boss, "--since", since]);
    }
    test_dir.ok(&["-C", "mill", "entity", "duplicates", "not-the-same", "sam-a", "sam-b"]);
    let items = test_dir.json(&["-C", "mill", "review"]);
    assert_eq!((&items["all"], &items["items"][0]["kind"]), (&1.into(), &"contradiction".into()), "{items}");
    let id = items["items"][0]["in_full"][0]["id"].as_str().unwrap();
    assert!(test_dir.ok(&["-C", "mill", "review"]).contains(&id[..8]));
    test_dir.fails(&["-C", "mill", "review", "edit", id], 2, &["--object"]);
    test_dir.fails(&["-C", "mill", "review", "accept", id, "--object", "ben"], 2, &["edit"]);
    test_dir.fails(&["-C", "mill", "review", "accept", "ffffffffff"], 3, &["ffffffffff"]);
    test_dir.json(&["-C", "mill", "review", "reject", id]);
    assert_eq!(test_dir.json(&["-C", "mill", "review"])["all"], 0);
}

#[test]
fn duplicates_are_merged_and_split() {
    let test_dir = TestDir::new();
    let found = test_dir.json(&["-C", "mill", "entity", "duplicates"]);
    assert_eq!(
        (&found["entities"][0]["one"], &found["entities"][0]["band"]),
        (&"sam-a".into(), &"near_certain".into())
    );
    assert_eq!(test_dir.json(&["-C", "mill", "review"])["items"][0]["kind"], "duplicate");
    let printed = test_dir.ok(&["-C", "mill", "entity", "duplicates"]);
    assert!(printed.contains("hearsay -C mill entity merge sam-b sam-a"), "{printed}");
    assert!(test_dir.ok(&["-C", "mill", "review"]).contains("Possible duplicates"));
    test_dir.ok(&["-C", "mill", "fact", "add", "sam-b", "OWES", "ada"]);
    let plan = test_dir.json(&["-C", "mill", "entity", "merge", "sam-b", "sam-a", "--dry-run"]);
    assert_eq!((&plan["gone"], &plan["written"]), (&"sam-b".into(), &Value::Null), "{plan}");
    assert_eq!(test_dir.json(&["-C", "mill", "fact", "list", "--subject", "sam-a", "--predicate", "OWES"])["all"], 0);
    let printed = test_dir.ok(&["-C", "mill", "entity", "merge", "sam-b", "sam-a"]);
    assert!(printed.contains("`hearsay -C mill entity split sam-b` reverts the merge"), "{printed}");
    assert_eq!(test_dir.json(&["-C", "mill", "fact", "list", "--subject", "sam-a", "--predicate", "OWES"])["all"], 1);
    test_dir.fails(&["-C", "mill", "entity", "show", "sam-b"], 3, &["sam-b"]);
    test_dir.fails(&["-C", "mill", "entity", "merge", "sam", "sam-a"], 3, &["both names refer to `sam-a`"]);
    test_dir.fails(&["-C", "mill", "entity", "split", "ada"], 3, &["no entity was merged into `ada`", "history"]);
    // The campaign files still have two entities; in the memory, the two stay merged.
    let files = fs::read_to_string(test_dir.path("mill/campaign.yaml")).unwrap();
    test_dir.write("mill/campaign.yaml", &files.replace("carter", "baker"));
    let output = test_dir.ok(&["-C", "mill", "sync"]);
    assert!(output.contains("merged into `sam-a`"), "{output}");
    test_dir.ok(&["-C", "mill", "entity", "split", "sam-b"]);
    assert_eq!(test_dir.json(&["-C", "mill", "fact", "list", "--subject", "sam-b", "--predicate", "OWES"])["all"], 1);
    assert_eq!(test_dir.json(&["-C", "mill", "entity", "duplicates"])["all"], 0, "they were told apart");
    test_dir.fails(&["-C", "mill", "entity", "duplicates", "not-the-same", "ada"], 2, &["<B>"]);
    test_dir.fails(&["-C", "mill", "entity", "duplicates", "ada", "ben"], 2, &["not-the-same"]);
    assert!(test_dir.json(&["-C", "mill", "entity", "duplicates", "--facts"])["all"].as_u64().is_some());
}

#[test]
fn a_doubtful_merge_needs_confirmation() {
    let test_dir = TestDir::new();
    let merge = ["-C", "mill", "entity", "merge", "the-mill", "ada"];
    let doubt = "The Mill is a location, but Ada Flint is an NPC";
    test_dir.fails(&merge, 1, &["nothing was merged", doubt, "--yes"]);
    let planned = test_dir.ok(&[&merge[..], &["--dry-run"]].concat());
    assert!(planned.contains(doubt) && planned.contains("becomes a claim"), "{planned}");
    let merged = test_dir.ok(&[&merge[..], &["--yes"]].concat());
    assert!(merged.contains("entity split the-mill` reverts the merge"), "{merged}");
    for (sam, age) in [("sam-a", "30"), ("sam-b", "40")] {
        test_dir.ok(&["-C", "mill", "entity", "set", sam, "age", age]);
    }
    test_dir.fails(&["-C", "mill", "entity", "merge", "sam-b", "sam-a"], 1, &["different values of age"]);
}

/// Imports an export with two facts that wait for review, and returns the id of the first.
fn with_doubts(test_dir: &TestDir) -> String {
    let export = test_dir.ok(&["-C", "mill", "export"]);
    let doubt = |subject: &str, sure: f64| {
        let provenance = serde_json::json!({ "method": "stated", "author": "extractor", "session": null,
            "speaker": "ben", "recorded": 1000, "confidence": sure, "confirmed": false, "evidence": [] });
        serde_json::json!({ "type": "fact", "subject": subject, "predicate": "OWES", "object": { "entity": "ben" },
            "statement": format!("{subject} owes Ben."), "mentions": [], "attitude": null, "rank": null,
            "conditions": null, "validity": { "from": null, "until": null }, "status": "proposed",
            "secrecy": "open", "handle": null, "provenance": provenance })
    };
    let doubts = format!("{export}{}\n{}\n", doubt("ada", 0.5), doubt("sam-a", 0.35));
    test_dir.write("doubts.jsonl", &doubts);
    test_dir.ok(&["-C", "mill", "import", "doubts.jsonl"]);
    let items = test_dir.json(&["-C", "mill", "review"]);
    assert_eq!(items["items"][0]["in_full"][0]["subject"], "ada", "{items}");
    items["items"][0]["in_full"][0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn an_accepted_fact_stays_accepted_when_its_note_changes() {
    let test_dir = TestDir::new();
    test_dir.write("mill/hearsay.toml", "[extraction]\nengine = \"patterns\"\n");
    test_dir.write("vault/Runa.md", "---\ntags: [npc]\n---\n");
    let import = |text: &str| {
        test_dir.write("vault/Tilda.md", &format!("---\ntags: [npc]\n---\n{text}\n"));
        test_dir.ok(&["-C", "mill", "import", "vault"]);
    };
    let list = |status: &str| {
        let filter = ["--subject", "tilda", "--predicate", "HOSTILE_TO", "--status", status];
        test_dir.json(&[&["-C", "mill", "fact", "list"][..], &filter].concat())
    };
    import("Maybe Tilda hates Runa. She sleeps late.");
    let proposed = list("proposed");
    test_dir.ok(&["-C", "mill", "review", "accept", proposed["facts"][0]["id"].as_str().unwrap()]);
    import("It rains.\n\nShe sleeps early. Maybe Tilda hates Runa.");
    assert_eq!((&list("canon")["all"], &list("proposed")["all"]), (&1.into(), &0.into()));
}

#[test]
fn a_fact_from_a_text_shows_its_stage_its_assertion_status_and_who_takes_part() {
    let test_dir = TestDir::new();
    let export = test_dir.ok(&["-C", "mill", "export"]);
    let provenance = serde_json::json!({ "method": "inferred", "author": "extractor", "session": null, "speaker": null,
        "recorded": 1000, "confidence": 0.5, "stage": "statements", "confirmed": false, "evidence": [] });
    let fact = serde_json::json!({ "type": "fact", "subject": "ada", "predicate": "lore",
        "object": { "value": { "text": "Ada will meet Ben." } }, "statement": "Ada will meet Ben.", "mentions": ["ben"],
        "attitude": null, "rank": null, "conditions": null, "validity": { "from": null, "until": null },
        "status": "proposed", "secrecy": "open", "handle": null, "provenance": provenance, "factuality": "planned" });
    test_dir.write("meeting.jsonl", &format!("{export}{fact}\n"));
    test_dir.ok(&["-C", "mill", "import", "meeting.jsonl"]);
    let list = |filter: &str| {
        test_dir.json(&["-C", "mill", "fact", "list", filter, "ben", "--predicate", "lore", "--status", "proposed"])
    };
    assert_eq!((&list("--subject")["all"], &list("--about")["all"]), (&0.into(), &1.into()));
    let row = &list("--about")["facts"][0];
    assert_eq!((&row["factuality"], &row["stage"]), (&"planned".into(), &"statements".into()), "{row}");
    assert_eq!(row["mentions"], serde_json::json!(["ben"]), "{row}");
    let review = test_dir.ok(&["-C", "mill", "review"]);
    assert!(review.contains("confidence 0.50, planned:"), "{review}");
    let review = test_dir.ok(&["-C", "mill", "review", "--verbose"]);
    assert!(review.contains("confidence 0.50, planned, found by statements"), "{review}");
    let page = test_dir.ok(&["-C", "mill", "fact", "show", row["id"].as_str().unwrap()]);
    assert!(page.contains("extractor, found by statements") && page.contains("planned"), "{page}");
}

#[test]
fn decisions_change_trust_and_doubtful_facts_are_pruned() {
    let test_dir = TestDir::new();
    let fact = with_doubts(&test_dir);
    assert!(test_dir.ok(&["-C", "mill", "trust"]).contains("You have not decided"));
    // Several decisions are one operation.
    let items = test_dir.json(&["-C", "mill", "review"]);
    let other = items["items"][1]["in_full"][0]["id"].as_str().unwrap();
    test_dir.fails(&["-C", "mill", "review", "edit", &fact, other, "--statement", "x"], 2, &["one fact"]);
    let output = test_dir.ok(&["-C", "mill", "review", "reject", &fact, other, "--reason", "a dream"]);
    assert!(output.contains("and 1 more, because: a dream"), "{output}");
    test_dir.ok(&["-C", "mill", "undo"]);
    // A new sentence also changes the parts of the fact.
    let edit = ["-C", "mill", "review", "edit", &fact, "--statement", "Ben owes Ada."];
    let tried = test_dir.ok(&[&edit[..], &["--dry-run"]].concat());
    assert!(tried.contains("  will be recorded as: Ben OWES Ada Flint\n"), "{tried}");
    let edited = test_dir.ok(&edit);
    assert!(edited.contains("  recorded as: Ben OWES Ada Flint\n"), "{edited}");
    let owes = |subject: &str| {
        test_dir.json(&["-C", "mill", "fact", "list", "--subject", subject, "--predicate", "OWES", "--status", "canon"])
    };
    let corrected = owes("ben");
    assert_eq!((&corrected["all"], &corrected["facts"][0]["object"]), (&1.into(), &"ada".into()), "{corrected}");
    assert_eq!(owes("ada")["all"], 0);
    test_dir.ok(&["-C", "mill", "undo"]);
    test_dir.ok(&["-C", "mill", "review", "accept", &fact]);
    let status = test_dir.json(&["-C", "mill", "trust", "status"]);
    assert_eq!((&status["enabled"], status["trust"].as_array().unwrap().len()), (&true.into(), 3), "{status}");
    assert!(test_dir.ok(&["-C", "mill", "trust"]).contains("speaker ben"));
    assert_eq!(test_dir.json(&["-C", "mill", "trust", "history"])["decisions"][0]["verdict"], "confirmed");
    assert!(test_dir.ok(&["-C", "mill", "trust", "history"]).contains("confirmed"));
    assert!(!test_dir.ok(&["-C", "mill", "review"]).contains("1 of 1"));
    let review = test_dir.ok(&["-C", "mill", "review", "--verbose"]);
    assert!(review.contains("speaker ben: you confirmed 1 of 1") && review.contains("which you confirmed"), "{review}");
    test_dir.ok(&["-C", "mill", "trust", "off"]);
    assert_eq!(test_dir.json(&["-C", "mill", "trust"])["enabled"], false);
    assert!(!test_dir.ok(&["-C", "mill", "review"]).contains("speaker ben"));
    test_dir.ok(&["-C", "mill", "trust", "on"]);
    test_dir.ok(&["-C", "mill", "trust", "reset"]);
    assert_eq!(test_dir.json(&["-C", "mill", "trust"])["trust"].as_array().unwrap().len(), 0);
    test_dir.ok(&["-C", "mill", "undo"]);
    assert_eq!(test_dir.json(&["-C", "mill", "trust"])["trust"].as_array().unwrap().len(), 3);

    test_dir.fails(&["-C", "mill", "fact", "prune", "--dry-run"], 2, &["--below", "--older-than", "--status"]);
    test_dir.fails(&["-C", "mill", "fact", "prune", "--below", "7", "--dry-run"], 2, &["from 0 to 1"]);
    let plan = test_dir.json(&["-C", "mill", "fact", "prune", "--below", "0.4", "--dry-run"]);
    assert_eq!((&plan["all"], &plan["written"]), (&1.into(), &Value::Null), "{plan}");
    assert!(
        test_dir
            .ok(&["-C", "mill", "fact", "prune", "--older-than", "30", "--dry-run"])
            .contains("Dry run: nothing was changed")
    );
    let printed = test_dir.ok(&["-C", "mill", "fact", "prune", "--below", "0.4"]);
    assert!(printed.contains("prune 1 fact") && printed.contains("hearsay -C mill undo"), "{printed}");
    assert!(
        test_dir
            .ok(&["-C", "mill", "fact", "prune", "--below", "0.4", "--dry-run"])
            .contains("No fact would be removed")
    );
    test_dir.ok(&["-C", "mill", "undo"]);
    assert_eq!(test_dir.json(&["-C", "mill", "fact", "prune", "--below", "0.4", "--dry-run"])["all"], 1);

    let health = test_dir.json(&["-C", "mill", "db", "health"]);
    let check = |name: &str| {
        let checks = health["checks"].as_array().unwrap();
        checks.iter().find(|check| check["name"] == name).unwrap()["count"].as_u64().unwrap()
    };
    assert_eq!((check("reviews"), check("no_evidence"), check("contradictions")), (1, 2, 0), "{health}");
    assert_eq!(health["duplicates"]["near_certain"], 1);
    assert!(test_dir.ok(&["-C", "mill", "db", "health"]).contains("hearsay review"));
    let orphans = test_dir.json(&["-C", "mill", "db", "health", "--check", "no_evidence", "--limit", "1"]);
    let checks = orphans["checks"].as_array().unwrap();
    assert_eq!((checks.len(), checks[0]["examples"].as_array().unwrap().len()), (1, 1), "{orphans}");
    let output = test_dir.ok(&["-C", "mill", "db", "health", "--check", "no_evidence", "--limit", "1"]);
    assert!(output.contains("no evidence: 2") && output.contains("and 1 more"), "{output}");
    test_dir.fails(&["-C", "mill", "db", "health", "--check", "weather"], 2, &["weather", "orphans"]);
}

#[test]
fn the_example_campaign_opens_with_few_cards() {
    let test_dir = TestDir::new();
    for folder in ["gullhaven", "gullhaven/sessions"] {
        for entry in fs::read_dir(repository().join("campaigns").join(folder)).unwrap() {
            let entry = entry.unwrap();
            if entry.path().extension().is_some_and(|extension| extension == "yaml") {
                let name = format!("{folder}/{}", entry.file_name().to_str().unwrap());
                test_dir.write(&name, &fs::read_to_string(entry.path()).unwrap());
            }
        }
    }
    let queue = test_dir.json(&["-C", "gullhaven", "review"]);
    let cards = queue["items"].as_array().unwrap();
    assert!(!cards.is_empty() && cards.len() <= 10, "{} cards", cards.len());
    let all = test_dir.json(&["-C", "gullhaven", "review", "--more", "--limit", "1000"]);
    let (all, held_back) = (all["items"].as_array().unwrap().len(), queue["held_back"].as_u64().unwrap() as usize);
    assert_eq!(all, cards.len() + held_back, "the others can be listed");
    assert!(held_back > 0);
    // The campaign states the facts of this line itself: Pell saw Odo with Jory on the quay.
    assert!(!queue.to_string().contains("Old Pell saw the sergeant"), "{queue}");
}

/// Returns the statements of the waiting facts with their ids.
fn waiting(test_dir: &TestDir) -> Vec<(String, String)> {
    let facts = test_dir.json(&["-C", "mill", "fact", "list", "--status", "proposed", "--limit", "50"]);
    let text = |fact: &Value, key: &str| fact[key].as_str().unwrap().to_owned();
    facts["facts"].as_array().unwrap().iter().map(|fact| (text(fact, "statement"), text(fact, "id"))).collect()
}

#[test]
fn an_accepted_fact_from_an_older_text_ends_no_newer_fact() {
    let test_dir = TestDir::new();
    test_dir.ok(&["-C", "mill", "entity", "set", "ben", "condition", "dead"]);
    // A note of unknown age.
    test_dir.write("mill/note.yaml", "passages:\n  - {text: \"Ben is missing.\", about: [ben]}\n");
    test_dir.ok(&["-C", "mill", "sync"]);
    let (_, id) = waiting(&test_dir).into_iter().find(|(statement, _)| statement.contains("missing")).unwrap();
    test_dir.ok(&["-C", "mill", "review", "accept", &id]);
    let condition = |value: &str| {
        let facts = test_dir.json(&["-C", "mill", "fact", "list", "--subject", "ben", "--predicate", "condition"]);
        facts["facts"]
            .as_array()
            .unwrap()
            .iter()
            .find(|fact| fact["statement"].as_str().unwrap().contains(value))
            .unwrap()
            .to_string()
    };
    let ended = |fact: String| fact.contains("\"until\"") && !fact.contains("\"until\":null");
    assert!(!ended(condition("dead")), "{}", condition("dead"));
    // What the session tells later is newer.
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill", "--present", "ada"]);
    test_dir.ok(&["-C", "mill", "log", "Ben is asleep."]);
    if let Some((_, id)) = waiting(&test_dir).into_iter().find(|(statement, _)| statement.contains("asleep")) {
        test_dir.ok(&["-C", "mill", "review", "accept", &id]);
        assert!(ended(condition("dead")), "{}", condition("dead"));
    }
}

#[test]
fn a_plan_that_nobody_knows_is_read_for_facts_only_on_request() {
    let test_dir = TestDir::new();
    test_dir.write("mill/plan.yaml", "passages:\n  - {text: \"Ben is missing.\", secret: true}\n");
    test_dir.ok(&["-C", "mill", "sync"]);
    let has_card = || waiting(&test_dir).iter().any(|(statement, _)| statement.contains("missing"));
    assert!(!has_card());
    test_dir.ok(&["-C", "mill", "fact", "extract", "--again"]);
    assert!(has_card());
}

/// Imports facts about Ada that wait for review, each with its knower; returns their ids in the same order.
fn with_proposals(test_dir: &TestDir, facts: &[(&str, &str, Option<&str>)]) -> Vec<String> {
    let export = test_dir.ok(&["-C", "mill", "export"]);
    let provenance = serde_json::json!({ "method": "inferred", "author": "extractor", "session": null, "speaker": null,
        "recorded": 1000, "confidence": 0.5, "stage": "statements", "confirmed": false, "evidence": [] });
    let mut lines = export;
    for (predicate, statement, handle) in facts {
        let object = match *predicate {
            "lore" => serde_json::json!({ "value": { "text": statement } }),
            _ => serde_json::json!({ "entity": "ben" }),
        };
        let fact = serde_json::json!({ "type": "fact", "subject": "ada", "predicate": predicate, "object": object,
            "statement": statement, "mentions": [], "attitude": null, "rank": null, "conditions": null,
            "validity": { "from": null, "until": null }, "status": "proposed", "secrecy": "open", "handle": handle,
            "provenance": provenance, "factuality": "asserted" });
        lines.push_str(&format!("{fact}\n"));
    }
    test_dir.write("proposals.jsonl", &lines);
    test_dir.ok(&["-C", "mill", "import", "proposals.jsonl"]);
    let listed = test_dir.json(&["-C", "mill", "fact", "list", "--subject", "ada", "--status", "proposed"]);
    let rows = listed["facts"].as_array().unwrap();
    let id = |statement: &str| rows.iter().find(|row| row["statement"] == statement).unwrap()["id"].as_str().unwrap();
    facts.iter().map(|(_, statement, _)| id(statement).to_owned()).collect()
}

fn pending(test_dir: &TestDir) -> Vec<String> {
    let listed = test_dir.json(&["-C", "mill", "fact", "list", "--subject", "ada", "--status", "proposed"]);
    let rows = listed["facts"].as_array().unwrap();
    let mut statements: Vec<String> = rows.iter().map(|row| row["statement"].as_str().unwrap().to_owned()).collect();
    statements.sort();
    statements
}

#[test]
fn a_decision_applies_only_to_the_card_that_is_named() {
    let test_dir = TestDir::new();
    let [crowns, apology, key, cellar] = [
        ("OWES", "Ada owes Ben ten crowns."),
        ("OWES", "Ada owes Ben an apology."),
        ("lore", "Ada carries a silver key."),
        ("lore", "Ada carries a silver key to the cellar."),
    ];
    let facts = [crowns, apology, key, cellar].map(|(predicate, statement)| (predicate, statement, None));
    let ids = with_proposals(&test_dir, &facts);
    // The two debts are the same relation in other words, so each is a card of its own.
    test_dir.ok(&["-C", "mill", "review", "reject", &ids[0]]);
    assert_eq!(pending(&test_dir), [cellar.1, key.1, apology.1]);
    // Words that several cards contain name none of them.
    test_dir.fails(&["-C", "mill", "review", "reject", "Ada carries a silver"], 3, &["Ada carries a silver"]);
    assert_eq!(pending(&test_dir).len(), 3);
    // A whole statement names its own card, even if another statement contains the same words.
    test_dir.ok(&["-C", "mill", "review", "reject", key.1]);
    assert_eq!(pending(&test_dir), [cellar.1, apology.1]);
    // The rejected card is named again, not the card that begins with the same words.
    let again = test_dir.ok(&["-C", "mill", "review", "reject", key.1]);
    assert!(again.contains("already rejected"), "{again}");
    assert_eq!(pending(&test_dir), [cellar.1, apology.1]);
}

#[test]
fn a_corrected_sentence_can_become_a_promise() {
    let test_dir = TestDir::new();
    let proposals = ["Ada will come to the mill.", "Ada sleeps.", "Ada will bring Ben a cask."];
    let ids = with_proposals(&test_dir, &proposals.map(|statement| ("lore", statement, None)));
    let edit = |id: &str, sentence: &str| {
        test_dir.ok(&["-C", "mill", "review", "edit", id, "--statement", sentence]);
        test_dir.json(&["-C", "mill", "fact", "list", "--subject", "ada", "--status", "canon"])
    };
    let listed = edit(&ids[0], "Ada Flint promised Ben to come to the mill.");
    let facts = listed["facts"].as_array().unwrap();
    let promise = facts.iter().find(|fact| fact["predicate"] == "PROMISED").unwrap_or_else(|| panic!("{listed}"));
    assert_eq!(
        (&promise["object"], promise["statement"].as_str()),
        (&"ben".into(), Some("Ada Flint promised Ben to come to the mill."))
    );
    // A sentence that could be said at the table is still a sentence about the world.
    let listed = edit(&ids[2], "Ada Flint promised Ben ten seats in the front row.");
    let facts = listed["facts"].as_array().unwrap();
    let seats = facts.iter().find(|fact| fact["statement"] == "Ada Flint promised Ben ten seats in the front row.");
    assert_eq!(seats.map(|fact| &fact["predicate"]), Some(&"PROMISED".into()), "{listed}");
    // Another relation in a sentence changes only the sentence.
    let listed = edit(&ids[1], "Ada Flint hates Ben.");
    let facts = listed["facts"].as_array().unwrap();
    let corrected = facts.iter().find(|fact| fact["statement"] == "Ada Flint hates Ben.").unwrap();
    assert_eq!(corrected["predicate"], "lore", "{listed}");
}

#[test]
fn a_corrected_sentence_about_a_stranger_records_nothing() {
    let test_dir = TestDir::new();
    let proposals = ["Ada counts the sacks.", "Ada met Quennel Marsh at dawn."];
    let ids = with_proposals(&test_dir, &proposals.map(|statement| ("lore", statement, None)));
    let edit = |id: &str, sentence: &str| {
        let edit = ["-C", "mill", "review", "edit", id, "--statement", sentence];
        edit.map(str::to_owned)
    };
    for (sentence, name) in
        [("Theobald Krumm counts the sacks.", "Theobald Krumm"), ("Ada is married to Ottilie Fahr.", "Ottilie Fahr")]
    {
        let edit = edit(&ids[0], sentence);
        let add = format!("`hearsay -C mill entity add \"{name}\"`");
        let edit: Vec<&str> = edit.iter().map(String::as_str).collect();
        test_dir.fails(&edit, 3, &[&format!("no entity is called `{name}`"), &add]);
        assert_eq!(pending(&test_dir).len(), 2, "{sentence}");
    }
    // A name that the card already contains is no new stranger.
    let known = edit(&ids[1], "Quennel Marsh met Ada at dusk.");
    test_dir.ok(&known.iter().map(String::as_str).collect::<Vec<_>>());
    test_dir.ok(&["-C", "mill", "entity", "add", "Theobald Krumm"]);
    let now_known = edit(&ids[0], "Theobald Krumm counts the sacks.");
    test_dir.ok(&now_known.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(pending(&test_dir).len(), 0);
}

#[test]
fn an_accepted_fact_says_who_knows_it() {
    let test_dir = TestDir::new();
    let ids = with_proposals(&test_dir, &[("lore", "Ada mends the wheel.", None)]);
    let accept = ["-C", "mill", "review", "accept", &ids[0]];
    let tried = [&accept[..], &["--dry-run"]].concat();
    assert!(test_dir.ok(&tried).contains("  nobody learns it; it is canon\n"));
    assert_eq!(test_dir.json(&tried)["decided"][0]["known_to"], serde_json::json!([]));
    test_dir.ok(&accept);
    // A proposal from a line keeps the hearers of the line as its knowers.
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    test_dir.ok(&["-C", "mill", "log", "Perhaps Ada owes Ben ten crowns for the old boat.", "--to", "ada,ben"]);
    let items = test_dir.json(&["-C", "mill", "review", "--more"]);
    let rows = items["items"].as_array().unwrap();
    let row = rows.iter().find(|row| row["kind"] == "doubtful").unwrap_or_else(|| panic!("{items}"));
    let id = row["in_full"][0]["id"].as_str().unwrap();
    let accept = ["-C", "mill", "review", "accept", id];
    let printed = test_dir.ok(&[&accept[..], &["--dry-run"]].concat());
    assert!(printed.contains("  will be known to: Ada Flint, Ben\n"), "{printed}");
    let decided = test_dir.json(&accept);
    assert_eq!(decided["decided"][0]["known_to"], serde_json::json!(["ada", "ben"]), "{decided}");
    test_dir.ok(&["-C", "mill", "undo"]);
    assert!(test_dir.ok(&accept).contains("  known to: Ada Flint, Ben\n"));
}

#[test]
fn a_decision_does_not_copy_a_secret_into_an_open_fact() {
    let test_dir = TestDir::new();
    let secret = "The millstone is cracked.";
    let ids = with_proposals(&test_dir, &[("lore", secret, None), ("lore", "Ada mends the wheel.", None)]);
    let accept = ["review", "accept", &ids[0]];
    let edit = ["review", "edit", &ids[1], "--statement", secret];
    for decision in [&accept[..], &edit[..]] {
        let printed = test_dir.ok(&[&["-C", "mill"][..], decision].concat());
        assert!(printed.contains("stays secret") && printed.contains("  known to: Ada Flint"), "{printed}");
    }
    let listed = test_dir.json(&["-C", "mill", "fact", "list", "--subject", "ada", "--predicate", "lore"]);
    let facts = listed["facts"].as_array().unwrap().iter();
    let canon: Vec<_> = facts.filter(|fact| fact["status"] == "canon").collect();
    assert_eq!((canon.len(), &canon[0]["secrecy"]), (1, &"secret".into()), "{listed}");
}

#[test]
fn undoing_a_line_also_undoes_the_decisions_on_its_facts() {
    let test_dir = TestDir::new();
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    let logged = test_dir.json(&["-C", "mill", "log", "Perhaps Ada owes Ben ten crowns for the old boat."]);
    let line = logged["written"]["position"].to_string();
    let debts = |status: &str| {
        let list = ["-C", "mill", "fact", "list", "--predicate", "OWES", "--object", "ben", "--status", status];
        test_dir.json(&list)["facts"].as_array().unwrap().clone()
    };
    let debt = debts("proposed").remove(0)["id"].as_str().unwrap().to_owned();
    test_dir.ok(&["-C", "mill", "review", "accept", &debt]);
    let planned = test_dir.ok(&["-C", "mill", "undo", &line, "--dry-run"]);
    for part in [&debt[..8], "also undone, because its text is lost", "depends on this operation", "accept \u{201C}"] {
        assert!(planned.contains(part), "{part}: {planned}");
    }
    test_dir.fails(&["-C", "mill", "undo", &line], 1, &["1 later operation depends", "--yes"]);
    let undone = test_dir.json(&["-C", "mill", "undo", &line, "--yes"]);
    assert_eq!((debts("canon").len(), debts("proposed").len()), (0, 0));
    test_dir.ok(&["-C", "mill", "undo", &undone["position"].to_string()]);
    assert_eq!((debts("canon").len(), debts("proposed").len()), (1, 0), "the decision comes back");
}

#[test]
fn the_dm_names_the_knowers_of_an_accepted_fact() {
    let test_dir = TestDir::new();
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill", "--present", "ben"]);
    let logged = test_dir.json(&["-C", "mill", "log", "Ada owes Ben ten crowns."]);
    let mut extracted = logged["extracted"].as_array().unwrap().iter();
    let debt = extracted.find(|fact| fact["status"] == "proposed").unwrap()["fact"].as_str().unwrap();
    test_dir.fails(&["-C", "mill", "review", "reject", debt, "--known-by", "ada"], 2, &["--known-by"]);
    let accept = ["-C", "mill", "review", "accept", debt, "--known-by", "ada"];
    let tried = test_dir.json(&[&accept[..], &["--dry-run"]].concat());
    assert_eq!(tried["decided"][0]["known_to"], serde_json::json!(["ada"]), "{tried}");
    let accepted = test_dir.run(&accept);
    let take_back = "`hearsay -C mill log --line 1 --without ben --session ";
    assert!(accepted.code == 0 && accepted.stderr.contains(take_back), "{}", accepted.stderr);
    let shown = test_dir.json(&["-C", "mill", "fact", "list", "--as", "ben", "--about", "ben"]);
    assert!(!shown.to_string().contains("OWES"), "{shown}");
    let shown = test_dir.json(&["-C", "mill", "fact", "list", "--as", "ada", "--about", "ben"]);
    assert!(shown.to_string().contains("OWES"), "{shown}");
}

#[test]
fn a_rejected_fact_can_be_reopened_in_the_review() {
    let test_dir = TestDir::new();
    let proposals = ["Ada hums at night.", "Ada fears owls.", "Ada likes rain."];
    let ids = with_proposals(&test_dir, &proposals.map(|statement| ("lore", statement, None)));
    test_dir.ok(&["-C", "mill", "review", "reject", &ids[0]]);
    let correct = ["-C", "mill", "fact", "correct", &ids[0], "--statement", "Ada sings at night."];
    test_dir.fails(&correct, 1, &["was rejected", "Ada hums at night.", "review accept"]);
    let edited = ["-C", "mill", "review", "edit", &ids[0], "--statement", "Ada sings at night."];
    assert!(test_dir.ok(&edited).contains("Ada sings at night."));
    // Among several facts, a rejected fact stays rejected.
    test_dir.ok(&["-C", "mill", "review", "reject", &ids[1]]);
    let several = test_dir.run(&["-C", "mill", "review", "accept", &ids[1], &ids[2]]);
    assert!(several.code == 1 && several.stdout.contains("already rejected"), "{}", several.stdout);
    let accepted = test_dir.ok(&["-C", "mill", "review", "accept", &ids[1]]);
    assert!(accepted.contains("accept \u{201C}Ada fears owls.\u{201D}"), "{accepted}");
}

#[test]
fn a_whole_statement_needs_neither_case_nor_articles_nor_a_full_stop() {
    let test_dir = TestDir::new();
    let (at, home) = ("Ada is at The Old Wheel.", "Ada lives at The Old Wheel.");
    with_proposals(&test_dir, &[("lore", at, None), ("lore", home, None)]);
    test_dir.fails(&["-C", "mill", "review", "reject", "ada old wheel"], 3, &["ada old wheel"]);
    test_dir.ok(&["-C", "mill", "review", "reject", "ada is at old wheel"]);
    assert_eq!(pending(&test_dir), [home]);
}

#[test]
fn a_list_of_decisions_skips_facts_that_need_none() {
    let test_dir = TestDir::new();
    let statements = [
        "Ada mends the old wheel of the mill at night.",
        "Ada mends the old wheel of the mill at night now.",
        "Ada sleeps late.",
        "Ada hums.",
        "Ada fears dogs.",
    ];
    let ids = with_proposals(&test_dir, &statements.map(|statement| ("lore", statement, None)));
    test_dir.ok(&["-C", "mill", "review", "accept", &ids[0]]);
    assert!(!pending(&test_dir).contains(&statements[1].to_owned()), "{:?}", pending(&test_dir));
    // The second fact became evidence for the first fact, so it is accepted already.
    let accepted = test_dir.json(&["-C", "mill", "review", "accept", &ids[1], &ids[2]]);
    assert_eq!(accepted["decided"][0]["fact"], ids[2].as_str(), "{accepted}");
    let settled = &accepted["settled"][0];
    assert_eq!(
        (&settled["fact"], &settled["reason"]["evidence_for"]),
        (&ids[1].as_str().into(), &ids[0].as_str().into())
    );
    // A rejection does not change it. The other fact is rejected.
    let rejected = test_dir.run(&["-C", "mill", "review", "reject", &ids[1], &ids[3]]);
    let reason = format!("  already evidence for the accepted fact {}: ", &ids[0][..8]);
    assert!(rejected.code == 1 && rejected.stdout.contains(&reason), "{}{}", rejected.stdout, rejected.stderr);
    assert!(rejected.stderr.contains("1 fact was not changed"), "{}", rejected.stderr);
    assert_eq!(pending(&test_dir), [statements[4]]);
    let again = test_dir.ok(&["-C", "mill", "review", "reject", &ids[3], &ids[4], "--dry-run"]);
    assert!(again.contains("  already rejected: "), "{again}");
    // An unknown fact may be a mistake, so nothing is decided.
    let unknown = ["-C", "mill", "review", "reject", "ffffffff", &ids[4]];
    test_dir.fails(&unknown, 3, &["no decision was recorded", "ffffffff"]);
    assert_eq!(pending(&test_dir), [statements[4]]);
    test_dir.fails(&["-C", "mill", "review", "reject", &ids[1]], 1, &["nothing is left to decide"]);
}

#[test]
fn a_corrected_sentence_without_the_old_value_is_only_a_sentence() {
    let test_dir = TestDir::new();
    test_dir.ok(&["-C", "mill", "entity", "set", "ben", "condition", "missing"]);
    let find = |words: &str| {
        let listed = test_dir.json(&["-C", "mill", "fact", "list", "--subject", "ben", "--status", "canon"]);
        let mut facts = listed["facts"].as_array().unwrap().clone().into_iter();
        facts.find(|fact| fact["statement"].as_str().unwrap().contains(words))
    };
    let missing = find("missing").unwrap()["id"].as_str().unwrap().to_owned();
    let edited = test_dir.ok(&["-C", "mill", "review", "edit", &missing, "--statement", "Ben hums at night."]);
    assert!(edited.contains("  recorded as a sentence; Hearsay took no relation from it\n"), "{edited}");
    assert_eq!(find("Ben hums at night.").unwrap()["predicate"], "lore");
    assert_eq!(find("missing"), None);
}

#[test]
fn a_new_character_that_waits_for_review_is_named_with_the_command_that_accepts_it() {
    let test_dir = TestDir::new();
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    test_dir.ok(&["-C", "mill", "log", "Hilda Grimm owes Ben ten crowns."]);
    let add = ["-C", "mill", "entity", "add", "Hilda Grimm", "--at", "the-mill"];
    test_dir.fails(&add, 1, &["Hilda Grimm waits for review", "hearsay review accept "]);
    let spoken = test_dir.run(&["-C", "mill", "log", "Hylda: I owe nobody anything."]);
    assert!(spoken.stderr.contains("Hilda Grimm waits for review"), "{}", spoken.stderr);
    for command in spoken.stderr.split('`').filter(|command| command.starts_with("hearsay ")) {
        test_dir.ok(&command.split(' ').skip(1).collect::<Vec<_>>());
    }
    let lines = test_dir.json(&["-C", "mill", "session", "show", "--log"]);
    assert_eq!(lines[1]["speaker"], "hilda-grimm", "{lines}");
    test_dir.fails(&add, 1, &["there is already an entity with the id `hilda-grimm`"]);
}

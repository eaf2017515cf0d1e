//! Tests of game events, gossip, story flags, and secrets whose conditions become true.

use super::*;

#[test]
fn a_lie_names_the_truth_that_it_hides() {
    let test_dir = TestDir::new();
    let lie = "{id: stone-is-whole, by: ada, text: The millstone is whole., about: [the-mill], truth_is: stone-is-cracked, told_to: [ben]}";
    test_dir.write("mill/lies.yaml", &format!("lies: [{lie}]\n"));
    for who in ["ada", "ben"] {
        test_dir.ok(&["-C", "mill", "fact", "add", who, "LOCATED_AT", "the-mill"]);
    }
    assert!(test_dir.ok(&["-C", "mill", "fact", "show", "stone-is-whole"]).contains("  contradicts "));
    assert!(test_dir.ok(&["-C", "mill", "fact", "show", "stone-is-cracked"]).contains("  contradicted by "));
    let beliefs = || test_dir.ok(&["-C", "mill", "know", "believes", "ben", "the-mill"]);
    assert!(!beliefs().contains("cracked"), "{}", beliefs());
    test_dir.ok(&["-C", "mill", "event", "tell", "--by", "ada", "stone-is-cracked", "--to", "ben"]);
    assert!(beliefs().contains("contradicted by: The millstone is cracked."), "{}", beliefs());
}

#[test]
fn events_teach_those_present() {
    let test_dir = TestDir::new();
    let stone = "stone-is-cracked";
    for who in ["ada", "ben"] {
        test_dir.ok(&["-C", "mill", "fact", "add", who, "LOCATED_AT", "the-mill"]);
    }
    let tried = test_dir.json(&["-C", "mill", "event", "tell", "--by", "ada", stone, "--to", "ben", "--dry-run"]);
    assert_eq!((&tried["written"], &tried["lessons"][0]["knower"]), (&Value::Null, &"ben".into()), "{tried}");
    assert_eq!(tried["heard_by"], serde_json::json!(["ben"]));
    assert_eq!(test_dir.json(&["-C", "mill", "know", "who-knows", stone])["characters"].as_array().unwrap().len(), 1);
    let output = test_dir.ok(&["-C", "mill", "event", "tell", "--by", "ada", stone, "--to", "ben"]);
    assert!(output.contains("operation 4") && output.contains("Ben: told by Ada Flint, credence 0.54"), "{output}");
    assert!(output.contains("  heard by: Ben\n"), "{output}");
    let retold =
        ["-C", "mill", "event", "tell", "--by", "ben", stone, "--to", "sam-a", "--retold", "The mill fell down."];
    assert_eq!(test_dir.json(&retold)["facts"][0]["fact_relations"][0]["relation"], "distorts");
    assert!(test_dir.ok(&["-C", "mill", "entity", "show", stone]).contains("distorted by"));
    assert!(test_dir.ok(&["-C", "mill", "entity", "show", stone]).contains("passed it on to ben"));
    let versions = test_dir.ok(&["-C", "mill", "fact", "versions", "mill fell"]);
    let lines: Vec<&str> = versions.lines().collect();
    assert_eq!(lines.len(), 2, "{versions}");
    assert!(lines[1].starts_with("  The mill fell down.  [told first by Ben"), "{versions}");
    let seen = test_dir.json(&[
        "-C",
        "mill",
        "event",
        "witness",
        "--at",
        "the-mill",
        "--about",
        "the-mill",
        "A cat sat there.",
        "--time",
        "5 Springmonth 10",
    ]);
    assert_eq!(seen["lessons"].as_array().unwrap().len(), 2, "{seen}");
    assert_eq!(seen["heard_by"], serde_json::json!(["ada", "ben"]));
    let said = [
        "-C",
        "mill",
        "say",
        "--by",
        "ben",
        "Ada likes Sam.",
        "--that",
        "ada",
        "LIKES",
        "sam-b",
        "--to",
        "sam-a",
        "--lie",
    ];
    assert_eq!(test_dir.json(&said)["facts"][0]["status"], "false");
    let likes = test_dir.json(&["-C", "mill", "fact", "list", "--status", "false"])["facts"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    for (line, told) in [
        (&["-C", "mill", "know", "why", "ben", &likes][..], "sam-a"),
        (&["-C", "mill", "know", "chain", "ben", &likes], "Sam"),
        (&["-C", "mill", "know", "who-knows", &likes], "Sam"),
    ] {
        let output = test_dir.ok(line);
        assert!(output.contains(&format!("made it up, and told {told}")), "{output}");
    }
    let forgot = test_dir.ok(&["-C", "mill", "know", "forget", "ben", &likes, "--dry-run"]);
    assert!(
        forgot.contains("never told its invention") && forgot.contains("Sam (sam-a) (told by Ben) loses: "),
        "{forgot}"
    );
    test_dir.fails(
        &["-C", "mill", "fact", "retract", &likes, "--until", "yesterday"],
        2,
        &["has the status false", "only the validity of a true fact can end"],
    );
    let from = [
        "-C",
        "mill",
        "event",
        "deduce",
        "--by",
        "ada",
        "--from",
        stone,
        "--about",
        "the-mill",
        "It will break.",
        "--certainty",
        "0.6",
    ];
    assert_eq!(test_dir.json(&from)["lessons"][0]["credence"], 0.6);
    let shown = test_dir.json(&["-C", "mill", "event", "refute", stone, "--seen-by", "ben"]);
    assert!(shown["facts"][0]["statement"].as_str().unwrap().starts_with("It is not true that"));
    assert_eq!(
        test_dir.json(&["-C", "mill", "event", "tell", "--by", "ada", stone, "--to", "sam-b", "--openly"])["written"]["position"],
        10
    );
    let forgot = test_dir.json(&["-C", "mill", "know", "forget", "ben", stone, "--dry-run"]);
    assert!(forgot["lost"].as_array().unwrap().len() >= 2, "{forgot}");
    let until = test_dir.ok(&["-C", "mill", "fact", "retract", stone, "--until", "6 Springmonth 10", "--dry-run"]);
    assert!(until.contains("still believes it: Ada Flint"), "{until}");
    let retracted = test_dir.ok(&["-C", "mill", "fact", "retract", stone, "--never-so"]);
    assert!(retracted.contains("  Ben (") && retracted.contains(") loses: "), "{retracted}");
    test_dir.fails(&["-C", "mill", "know", "who-knows", stone], 3, &[stone]);
    assert_eq!(test_dir.json(&["-C", "mill", "db", "history"])[0]["position"], 11);
    let cat = test_dir.json(&["-C", "mill", "fact", "list", "--object", "cat sat"])["facts"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    test_dir.fails(
        &["-C", "mill", "event", "tell", "--by", "sam-a", &cat, "--to", "ben"],
        1,
        &["sam-a does not know that", "mark the statement as a lie"],
    );
    test_dir.fails(&["-C", "mill", "event", "tell", "--by", "adda", &cat, "--to", "ben"], 3, &["adda", "ada"]);
    test_dir.fails(&["-C", "mill", "event", "tell", "--by", "ada", &cat, "--to", "benn"], 3, &["benn", "ben"]);
    test_dir.fails(
        &["-C", "mill", "event", "tell", "--by", "ada", &cat, "--to", "ben", "--credence", "2"],
        2,
        &["credence", "not 2"],
    );
    test_dir.fails(
        &["-C", "mill", "event", "tell", "--by", "ada", &cat, "--to", "ben", "--credence", "-0.5"],
        2,
        &["credence", "not -0.5"],
    );
    test_dir.fails(
        &["-C", "mill", "event", "tell", "--by", "ada", &cat, "--to", "ben", "--time", "41 Springmonth 10"],
        2,
        &["from 1 to 40"],
    );
    test_dir.fails(
        &["-C", "mill", "event", "tell", "--by", "ada", &cat, "--to", "ben", "--session", "3"],
        3,
        &["there is no session `3`"],
    );
    test_dir.fails(&["-C", "mill", "event", "tell", "--by", "ada", "--to", "ben"], 2, &["FACT"]);
    test_dir.fails(&["-C", "mill", "event", "witness", &cat], 1, &["nobody would learn the fact"]);
    test_dir.fails(
        &["-C", "mill", "event", "read", "the-mill", "--by", "ben"],
        1,
        &["contains no text of the document the-mill"],
    );
    test_dir.fails(&["-C", "mill", "know", "forget", "sam-a", &cat], 1, &["did not learn", "cannot forget this"]);
    test_dir.fails(&["-C", "mill", "fact", "retract", &cat], 2, &["--never-so"]);
    assert_eq!(test_dir.json(&["-C", "mill", "db", "history"])[0]["position"], 11, "nothing was changed");
    assert_eq!(test_dir.json(&["-C", "mill", "undo"])["position"], 12);
    assert_eq!(test_dir.json(&["-C", "mill", "know", "who-knows", stone])["status"], "canon");
}

#[test]
fn the_game_goes_on_and_secrets_come_due() {
    let test_dir = TestDir::new();
    for who in ["ada", "ben"] {
        test_dir.ok(&["-C", "mill", "fact", "add", who, "LOCATED_AT", "the-mill"]);
    }
    test_dir.fails(&["-C", "mill", "simulate", "flag", "bell-rung", "yes"], 3, &["bell-rung", "declare"]);
    assert!(test_dir.ok(&["-C", "mill", "simulate", "flag"]).contains("No flag is declared"));
    test_dir.ok(&["-C", "mill", "simulate", "flag", "bell-rung", "no", "--declare"]);
    test_dir.fails(&["-C", "mill", "simulate", "flag", "bell-rung", "perhaps"], 2, &["bell-rung"]);
    test_dir.ok(&["-C", "mill", "simulate", "flag", "bell-rung", "yes"]);
    assert_eq!(test_dir.json(&["-C", "mill", "simulate", "flag"])[0]["value"], "yes");
    assert!(test_dir.ok(&["-C", "mill", "know", "conditions"]).contains("No secret"));
    test_dir.fails(&["-C", "mill", "simulate", "gossip", "--days", "0"], 2, &["number of days from 1"]);
    test_dir.fails(&["-C", "mill", "simulate", "gossip", "--seed", "-3"], 2, &["a whole number"]);
    let news = ["--about", "the-mill", "The wheel broke at noon.", "--time", "5 Springmonth 10"];
    test_dir.ok(&[&["-C", "mill", "event", "witness", "--by", "ada"][..], &news].concat());
    let tried = test_dir.json(&["-C", "mill", "simulate", "gossip", "--days", "30", "--dry-run"]);
    assert_eq!(tried["written"], Value::Null);
    assert_eq!(
        tried,
        test_dir.json(&["-C", "mill", "simulate", "gossip", "--days", "30", "--dry-run"]),
        "the same seed, the same talk"
    );
    let talked = test_dir.json(&["-C", "mill", "simulate", "gossip", "--days", "30"]);
    assert_eq!((&talked["news"], &talked["spread"]), (&tried["news"], &tried["spread"]));
    assert_eq!(
        (&talked["news"][0]["teller"], &talked["news"][0]["hearer"]),
        (&"ada".into(), &"ben".into()),
        "{talked}"
    );
    let knows = test_dir.json(&["-C", "mill", "know", "knows", "ben"]).to_string();
    assert!(knows.contains("The wheel broke at noon."), "{knows}");
    let later = test_dir.json(&["-C", "mill", "simulate", "gossip", "--dry-run"]);
    assert_eq!(later["from"], talked["until"], "the clock went on");
}

#[test]
fn the_dm_is_told_when_a_secret_may_be_told() {
    let test_dir = TestDir::new();
    let reveal = "about: [the-mill], reveal: {holder: ada, when: {flag: bell-rung}, note: She whispers it.}}";
    let campaign = CAMPAIGN.replace("about: [the-mill]}", reveal);
    test_dir.write("mill/campaign.yaml", &format!("flags: {{bell-rung: false}}\n{campaign}"));
    assert!(
        test_dir.ok(&["-C", "mill", "know", "conditions"]).contains("ada may not tell yet: The millstone is cracked.")
    );
    assert_eq!(test_dir.json(&["-C", "mill", "know", "conditions"])[0]["reveal"]["note"], "She whispers it.");
    let output = test_dir.ok(&["-C", "mill", "know", "why", "ben", "stone-is-cracked"]);
    assert!(output.contains("before ada tells it") && output.contains("note: She whispers it."), "{output}");
    let opens = |line: &[&str]| test_dir.json(line)["revealable"].as_array().unwrap().len();
    assert_eq!(opens(&["-C", "mill", "entity", "set", "ben", "mood", "glad"]), 0);
    let tried = ["-C", "mill", "simulate", "flag", "bell-rung", "yes", "--dry-run"];
    assert!(test_dir.ok(&tried).contains("ada may tell now: The millstone is cracked. ["));
    assert_eq!(opens(&tried), 1);
    let output = test_dir.ok(&["-C", "mill", "simulate", "flag", "bell-rung", "yes"]);
    assert!(
        output.contains("ada may tell now: The millstone is cracked. [") && output.contains("She whispers"),
        "{output}"
    );
    assert_eq!(opens(&["-C", "mill", "entity", "set", "ben", "mood", "sour"]), 0, "once is enough");
    assert_eq!(opens(&["-C", "mill", "simulate", "flag", "bell-rung", "no"]), 0);
    assert_eq!(opens(&["-C", "mill", "undo"]), 1);
    assert_eq!(opens(&["-C", "mill", "event", "tell", "--by", "ada", "stone-is-cracked", "--to", "ben"]), 0);
    test_dir.write("mill/more.yaml", "entities:\n  - {id: cora, name: Cora, kind: npc}\n");
    assert_eq!(opens(&["-C", "mill", "sync"]), 0);
}

/// A DM writes a rumour, and gossip does not spread it. Each preview says what is missing, until the rumour spreads.
#[test]
fn the_preview_says_why_a_rumour_does_not_spread() {
    let preview = ["-C", "mill", "simulate", "gossip", "--days", "10", "--dry-run"];
    let campaign = |known_by: &str| {
        let test_dir = TestDir::new();
        let rumour = format!("facts: [{{id: bones, subject: sam-b, text: Bones lie under the mill., {known_by}}}]");
        test_dir.write("mill/campaign.yaml", &format!("{CAMPAIGN}{rumour}\n"));
        test_dir
    };
    for (known_by, expected) in [
        ("[ada]", Some(("no_date", serde_json::json!(["ada", "sam-b"])))),
        (
            r#"[{who: sam-a, how: told, when: "1 Springmonth 10"}]"#,
            Some(("no_place", serde_json::json!(["sam-a", "sam-b"]))),
        ),
        (
            r#"[{who: ada, how: told, when: "1 Springmonth 10", conceals: true}]"#,
            Some(("concealed", serde_json::json!(["ada", "sam-b"]))),
        ),
        (
            r#"[{who: the-mill, how: told, when: "1 Springmonth 10"}]"#,
            Some(("hearers_know", serde_json::json!(["ada", "ben", "sam-b"]))),
        ),
        (r#"[{who: ada, how: told, when: "1 Springmonth 10"}]"#, None),
    ] {
        let report = campaign(&format!("known_by: {known_by}")).json(&preview);
        let untold = report["untold"].as_array().unwrap();
        let row = untold.iter().find(|row| row["statement"] == "Bones lie under the mill.");
        let reason = row.map(|row| (row["reason"].as_str().unwrap(), row["knowers"].clone()));
        assert_eq!(reason, expected, "{known_by}");
        assert_eq!(report["news"].as_array().unwrap().is_empty(), row.is_some(), "{known_by}");
    }
    let output = campaign("known_by: [ada]").ok(&[&preview[..], &["--untold"]].concat());
    assert!(
        output.contains("0 tellings")
            && output.contains("it is no news: the campaign has no date at which a knower learned it"),
        "{output}"
    );
    assert!(output.contains("Bones lie under the mill.  [known by ada and 1 more]"), "{output}");
    assert!(output.contains("it is a secret, and secrets are never told as gossip."), "{output}");
}

/// Two characters know a rumour, tell it to each other, and then tell it to nobody any more.
#[test]
fn the_preview_says_that_the_knowers_of_a_rumour_have_lost_interest() {
    let test_dir = TestDir::new();
    let told = |who: &str| format!(r#"{{who: {who}, how: told, when: "1 Springmonth 10", credence: 0.9}}"#);
    let known_by = format!("known_by: [{}, {}]", told("ada"), told("ben"));
    let rumour = format!("facts: [{{id: bones, subject: sam-b, text: Bones lie under the mill., {known_by}}}]");
    let campaign = CAMPAIGN.replace("occupation: miller", "occupation: miller, talkativeness: 1").replace(
        "attributes: {occupation: carter}",
        "attributes: {occupation: carter, talkativeness: 1}, relationships: [{type: LIKES, target: ada}]",
    );
    test_dir.write("mill/campaign.yaml", &format!("{campaign}minds: {{stifling: strong}}\n{rumour}\n"));
    let preview = ["-C", "mill", "simulate", "gossip", "--days", "2", "--dry-run"];
    let reason = || {
        let report = test_dir.json(&preview);
        let untold = report["untold"].as_array().unwrap();
        let row = untold.iter().find(|row| row["statement"] == "Bones lie under the mill.");
        row.unwrap_or_else(|| panic!("{report}"))["reason"].as_str().unwrap().to_owned()
    };
    let before = reason();
    let spread = test_dir.json(&["-C", "mill", "simulate", "gossip", "--days", "10"]);
    assert_eq!(spread["news"], serde_json::json!([]), "{spread}");
    assert_eq!(reason(), "lost_interest");
    let output = test_dir.ok(&preview);
    assert!(output.contains("everybody who knows it has lost interest in telling it."), "{output}");
    test_dir.ok(&["-C", "mill", "undo", "--yes"]);
    assert_eq!(reason(), before);
}

#[test]
fn a_repeated_lie_is_the_same_fact() {
    let test_dir = TestDir::new();
    let lie = |words: &str| {
        let line =
            ["-C", "mill", "say", "--by", "ada", words, "--about", "the-mill", "Rats live in the mill.", "--lie"];
        test_dir.ok(&[&line[..], &["--to", if words.starts_with("No") { "ben" } else { "sam-a" }]].concat())
    };
    lie("There are rats.");
    lie("No, really: rats.");
    let found = test_dir.json(&["-C", "mill", "fact", "list", "--about", "the-mill"]);
    let rats = found.to_string().matches("\"Rats live in the mill.\"").count();
    let facts = found["facts"].as_array().unwrap();
    let rats_facts = facts.iter().filter(|fact| fact["statement"] == "Rats live in the mill.").count();
    assert_eq!(rats_facts, 1, "{rats}: {found}");
    for hearer in ["ben", "sam-a"] {
        let known = test_dir.ok(&["-C", "mill", "know", "knows", hearer]);
        assert!(known.contains("Rats live in the mill."), "{known}");
    }
}

#[test]
fn a_character_is_found_by_its_occupation() {
    let test_dir = TestDir::new();
    let said = test_dir.ok(&["-C", "mill", "say", "--by", "the miller", "Good day.", "--to", "carter"]);
    assert!(said.contains("Ada Flint says") && said.contains("  heard by: Ben\n"), "{said}");
    test_dir.ok(&["-C", "mill", "entity", "set", "sam-a", "occupation", "miller"]);
    let line = ["-C", "mill", "say", "--by", "the miller", "Good day.", "--to", "ben"];
    test_dir.fails(&line, 3, &["`the miller` can mean", "ada", "sam-a"]);
    // Where a character is needed, only characters are suggested.
    let error = test_dir.run(&["-C", "mill", "say", "--by", "the mile", "Good day."]).stderr;
    assert!(!error.contains("the-mill"), "{error}");
}

#[test]
fn feelings_and_trust_show_the_facts_behind_them() {
    let test_dir = TestDir::new();
    let relations =
        "relationships: [{type: FEARS, target: ada, attitude: -40}, {type: TRUSTS, target: sam-a, attitude: 80}]";
    test_dir.write("mill/campaign.yaml", &CAMPAIGN.replace("attributes: {occupation: carter}", relations));
    let output = test_dir.ok(&["-C", "mill", "know", "feelings", "ben", "--towards", "ada"]);
    let line = "\n  baseline: Ben fears Ada Flint.  [affinity -40, fear +50 \u{00B7} campaign.yaml:";
    assert!(output.contains(line), "{output}");
    let feelings = test_dir.json(&["-C", "mill", "know", "feelings", "ben"]);
    assert_eq!(feelings["feelings"][0]["baseline"][0]["change"]["fear"], 50.0, "{feelings}");

    let tell = ["event", "tell", "--by", "ada", "--that", "sam-b", "LOCATED_AT", "the-mill", "--to", "ben", "--lie"];
    test_dir.ok(&[&["-C", "mill"], &tell[..]].concat());
    let trust = || test_dir.json(&["-C", "mill", "know", "trust", "ben"]);
    let before = trust();
    assert_eq!((&before["default"], &before["trust"][0]["towards"]), (&0.6.into(), &"sam-a".into()), "{before}");
    assert_eq!(before["trust"][0]["reasons"][0]["kind"], "declared", "{before}");
    let ada = &before["trust"][1];
    assert_eq!((&ada["towards"], &ada["reasons"][0]["kind"]), (&"ada".into(), &"relation".into()), "{before}");
    assert_eq!(ada["trust"], ada["first_impression"], "{before}");
    let refute = ["event", "refute", "Sam is at the mill", "--seen-by", "ben"];
    test_dir.ok(&[&["-C", "mill"], &refute[..]].concat());
    let output = test_dir.ok(&["-C", "mill", "know", "trust", "ben"]);
    assert!(output.contains("declared: Ben trusts Sam"), "{output}");
    assert!(output.contains("relation: Ben fears Ada Flint."), "{output}");
    assert!(output.contains("found out to be untrue: Sam"), "{output}");
    assert!(output.contains("Ben's trust in all others is 0.60, the default for strangers."), "{output}");
    let after = trust();
    assert!(after["trust"][1]["trust"].as_f64() < ada["trust"].as_f64(), "{after}");
    let output = test_dir.ok(&["-C", "mill", "know", "trust", "sam-a", "--towards", "ben"]);
    assert!(output.contains("0.60   Ben  default for strangers"), "{output}");
}

#[test]
fn deeds_change_feelings_and_rumours_fade() {
    let test_dir = TestDir::new();
    let minds = "minds: {forgetting: strong}\nfacts: [{id: bones, subject: sam-b, text: Bones lie under the mill., \
                 known_by: [{who: ben, how: told, when: \"1 Springmonth 10\"}]}]";
    test_dir.write("mill/campaign.yaml", &format!("{CAMPAIGN}{minds}\n"));
    test_dir.ok(&["-C", "mill", "fact", "add", "ada", "THREATENED", "ben", "--since", "1 Springmonth 10"]);
    let feelings = test_dir.json(&["-C", "mill", "know", "feelings", "ben"]);
    let row = &feelings["feelings"][0];
    assert_eq!((&row["towards"], &row["causes"][0]["change"]["debt"]), (&"ada".into(), &0.0.into()), "{feelings}");
    assert!(row["values"]["fear"].as_f64().unwrap() > 15.0, "{feelings}");
    let output = test_dir.ok(&["-C", "mill", "know", "feelings", "ben", "--towards", "ada"]);
    assert!(output.contains("is afraid of Ada Flint."), "{output}");
    assert!(output.contains("\n  deed: Ada Flint threatened Ben.  [affinity -"), "{output}");
    let output = test_dir.ok(&["-C", "mill", "know", "feelings", "sam-a", "--towards", "ben"]);
    assert!(output.contains("has no noticeable feelings for Ben"), "{output}");

    let memory = |date: &str| test_dir.json(&["-C", "mill", "know", "memory", "ben", "--as-of", date]);
    assert_eq!(memory("2 Springmonth 10")["facts"], serde_json::json!([]));
    let faded = memory("1 Springmonth 11");
    assert_eq!(faded["facts"][0]["statement"], "Bones lie under the mill.", "{faded}");
    assert_eq!((&faded["forgetting"], &faded["facts"][0]["is_faded"]), (&"strong".into(), &true.into()), "{faded}");
}

#[test]
fn a_refutation_reports_the_versions_of_the_rumour() {
    let test_dir = TestDir::new();
    let stone = "stone-is-cracked";
    let tell = ["-C", "mill", "event", "tell", "--by", "ada", stone, "--to", "ben", "--retold"];
    test_dir.ok(&[&tell[..], &["The mill fell down."]].concat());
    let refute = ["-C", "mill", "event", "refute", stone, "--seen-by", "ben"];
    let tried = test_dir.json(&[&refute[..], &["--dry-run"]].concat());
    let believers = |row: usize| (&tried["refuted"][row]["believers_before"], &tried["refuted"][row]["believers"]);
    assert_eq!((believers(0), believers(1)), ((&1.into(), &1.into()), (&1.into(), &0.into())), "{tried}");
    let refuted = test_dir.ok(&refute);
    assert!(refuted.contains("  refuted: The millstone is cracked. ["), "{refuted}");
    assert!(
        refuted.contains("  its version: The mill fell down. [") && refuted.contains("0 knowers believe it, 1 before")
    );
    assert!(refuted.contains("credence of Ben: 0.54 \u{2192} 0.00: The mill fell down."), "{refuted}");
    let versions = test_dir.ok(&["-C", "mill", "fact", "versions", stone]);
    let lines: Vec<&str> = versions.lines().collect();
    assert!(lines[0].contains("1 knower, 1 believe it") && lines[0].contains(" \u{b7} refuted \u{b7} "), "{versions}");
    assert!(lines[1].contains("0 believe it") && lines[1].contains("its origin is refuted"), "{versions}");
    let believes = test_dir.ok(&["-C", "mill", "know", "believes", "ben", "ada", "lore"]);
    assert!(believes.contains("believes otherwise"), "{believes}");
}

#[test]
fn a_deed_in_plain_words_changes_feelings_each_time_it_happens() {
    let test_dir = TestDir::new();
    let respect = || {
        let feelings = test_dir.json(&["-C", "mill", "know", "feelings", "ben", "--towards", "ada"]);
        feelings["feelings"][0]["values"]["respect"].as_f64().unwrap_or_default()
    };
    let witness = |day: &str, sentence: &str| {
        let event = ["-C", "mill", "event", "witness", "--by", "ben", "--time", day, "--about", "ada", sentence];
        test_dir.json(&event)
    };
    let seen = witness("1 Springmonth 10", "Ada Flint helped Ben.");
    assert!(seen.to_string().contains("HELPED"), "{seen}");
    let once = respect();
    assert!(once > 0.0, "{once}");
    for sentence in ["Ada Flint helped Ben.", "Ada Flint aided Ben."] {
        witness("1 Springmonth 10", sentence);
        assert!((respect() - once).abs() < 1e-9, "the same event counts once: {sentence}");
    }
    witness("2 Springmonth 10", "Ada Flint helped Ben.");
    assert!(respect() > 1.5 * once, "the same deed on another day counts again: {}", respect());
    let denied = witness("3 Springmonth 10", "Ada Flint did not help Ben.");
    assert!(!denied.to_string().contains("HELPED"), "{denied}");
}

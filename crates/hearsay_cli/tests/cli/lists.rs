//! Tests of lists and pages: entities, facts, knowledge and beliefs.

use super::*;

#[test]
fn looking_around() {
    let test_dir = TestDir::new();
    let facts = |line: &[&str]| test_dir.json(&[&["-C", "mill", "fact", "list"], line].concat());
    assert_eq!(facts(&["--subject", "Old Ada", "--predicate", "OCCUPATION"])["facts"][0]["object"], "miller");
    assert_eq!(facts(&["--predicate", "LIKES", "--object", "ben"])["all"], 1);
    assert_eq!(facts(&["--status", "false"])["all"], 0);
    assert_eq!(facts(&["--as", "ada", "--limit", "1"])["facts"].as_array().unwrap().len(), 1);
    let page = test_dir.json(&["-C", "mill", "entity", "show", "Old Ada"]);
    assert_eq!(page["entity"]["id"], "ada");
    let fact = test_dir.json(&["-C", "mill", "entity", "show", "stone-is-cracked"]);
    let id = fact["fact"]["id"].as_str().unwrap();
    assert_eq!(fact["fact"]["known_by"][0]["knower"], "ada");
    assert!(test_dir.ok(&["-C", "mill", "entity", "show", &id[..8]]).contains("known by"));
    test_dir.fails(&["-C", "mill", "entity", "show", "stone-is-cracked", "--as", "ben"], 3, &["ben", "does not know"]);
    let around =
        test_dir.json(&["-C", "mill", "entity", "neighbours", "ada", "--direction", "out", "--predicate", "LIKES"]);
    assert_eq!(around[0]["id"], "ben");
    let path = test_dir.json(&["-C", "mill", "entity", "path", "the-mill", "ben"]);
    assert_eq!(path.as_array().unwrap().len(), 1);
    assert_eq!(test_dir.ok(&["-C", "mill", "entity", "path", "ben", "ben"]), "Both names refer to the same entity.\n");
    assert!(test_dir.json(&["-C", "mill", "entity", "path", "ben", "sam-a"]).is_null());
    assert_eq!(test_dir.json(&["-C", "mill", "db", "stats"])["entities"]["npc"], 4);
    let status = test_dir.json(&["-C", "mill", "status"]);
    assert_eq!(status["entities"], 5);
    assert!(status["opened"].as_str().unwrap().starts_with("read "), "{status}");
    let items = test_dir.json(&["-C", "mill", "review"]);
    assert_eq!((&items["all"], &items["items"][0]["kind"]), (&1.into(), &"duplicate".into()), "two are called Sam");
    // If the encoder is loaded in time, a record with the id of its model is added.
    let history = test_dir.json(&["-C", "mill", "db", "history"]);
    assert_eq!(history.as_array().unwrap().last().unwrap()["position"], 1, "nothing was written by looking");
    test_dir.ok(&[
        "-C",
        "mill",
        "fact",
        "add",
        "sam-a",
        "OWES",
        "ben",
        "--since",
        "3 Springmonth 10",
        "--until",
        "5 Springmonth 10",
    ]);
    let owed = |date: &str| facts(&["--predicate", "OWES", "--holds-at", date])["all"].clone();
    assert_eq!(["2 Springmonth 10", "3 Springmonth 10", "5 Springmonth 10"].map(owed), [0, 1, 0].map(Value::from));
}

/// Creates a campaign with a session, in which Ada tells Ben about the stone.
pub(super) fn with_session(test_dir: &TestDir) {
    let session = r#"
sessions:
  - id: session-1
    number: 1
    title: The stone
    start: "3 Springmonth 10, 10:00"
    end: "3 Springmonth 10, 12:00"
    present: [ben]
    log:
      - {speaker: ada, text: "It is cracked.", heard_by: [ben], time: "3 Springmonth 10, 11:00", facts: [{fact: stone-is-cracked}]}
"#;
    test_dir.write("mill/session.yaml", session);
}

#[test]
fn knowledge_and_beliefs_are_listed() {
    let test_dir = TestDir::new();
    with_session(&test_dir);
    let read = |line: &[&str]| test_dir.json(&[&["-C", "mill"], line].concat());
    let knows = read(&["know", "knows", "ben", "--words", "cracking", "--since", "session-1"]);
    assert_eq!((&knows["all"], &knows["facts"][0]["acquisition"]), (&1.into(), &"told by ada".into()), "{knows}");
    let as_of = |date| read(&["know", "knows", "ben", "--words", "cracked", "--as-of", date])["all"].clone();
    assert_eq!(
        (as_of("2 Springmonth 10"), as_of("3 Springmonth 10"), as_of("session-1")),
        (0.into(), 1.into(), 1.into())
    );
    let beliefs = read(&["know", "believes", "ben", "ada"]);
    let stone =
        beliefs["answers"].as_array().unwrap().iter().find(|row| row["statement"] == "The millstone is cracked.");
    assert_eq!((&stone.unwrap()["credence"], &stone.unwrap()["hold"]), (&0.7.into(), &"believed".into()));
    assert_eq!(
        read(&["know", "believes", "ben", "ada", "Occupation", "--truth"])["truth"][0]["statement"],
        "Ada Flint is a miller."
    );
    assert!(beliefs["truth"].is_null() && stone.unwrap()["status"].is_null(), "{beliefs}");
    assert_eq!(read(&["know", "believes", "ben", "ada", "--thinks-of", "ada"])[0]["because"], "ada told it");
    assert_eq!(read(&["know", "chain", "ben", "stone-is-cracked"])["known_edges"][0]["acquisition"], "told by ada");
    let holders = read(&["know", "who-knows", "stone-is-cracked"]);
    assert_eq!(holders["characters"].as_array().unwrap().len(), 2);
    let early = read(&["know", "who-knows", "stone-is-cracked", "--as-of", "2 Springmonth 10"]);
    assert_eq!(early["characters"][0]["knower"], "ada");
    let secrets = read(&["know", "secrets", "ada"]);
    assert_eq!(secrets["secrets"][0]["told"][0]["session"], "session-1", "{secrets}");
    // Ben is no player character.
    assert_eq!(read(&["know", "secrets", "--untold"])["all"], 1);
    assert_eq!(read(&["know", "why", "sam-a", "stone-is-cracked"])["reasons"][0]["kind"], "never_learned");
    let early = read(&["know", "why", "ben", "stone-is-cracked", "--as-of", "2 Springmonth 10"]);
    assert_eq!(early["reasons"][0]["kind"], "too_early");
    assert_eq!(read(&["know", "missed", "sam-a", "1"])["facts"][0]["learned_by"][0], "ben");
    assert_eq!(read(&["know", "knows", "--players"])["all"], 0);
    for line in [
        &["-C", "mill", "know", "knows", "ben"][..],
        &["-C", "mill", "know", "believes", "ben", "ada"],
        &["-C", "mill", "know", "chain", "ben", "stone-is-cracked"],
        &["-C", "mill", "know", "who-knows", "stone-is-cracked"],
        &["-C", "mill", "know", "secrets"],
        &["-C", "mill", "know", "why", "sam-a", "stone-is-cracked"],
        &["-C", "mill", "know", "missed", "sam-a", "session-1"],
    ] {
        assert!(test_dir.ok(line).contains("cracked"), "{line:?}");
    }
    // `--as-of` shows the knowledge of the day before, and `--recorded` the records at an earlier position.
    let yes = |line: &[&str]| test_dir.ok(line).contains("cracked");
    let ask = ["-C", "mill", "ask", "--as", "ben", "--no-meaning", "--with", "ada", "Is the millstone cracked?"];
    assert!(yes(&ask) && test_dir.ok(&ask).contains("Ada Flint told you"), "{}", test_dir.ok(&ask));
    assert!(!yes(&[&ask[..], &["--as-of", "2 Springmonth 10"]].concat()));
    let facts = ["-C", "mill", "fact", "list", "--subject", "ada", "--as", "ben"];
    assert!(yes(&facts) && !yes(&[&facts[..], &["--as-of", "2 Springmonth 10"]].concat()));
    test_dir.ok(&["-C", "mill", "entity", "set", "ben", "goals", "Mend what is cracked."]);
    for line in [
        &["-C", "mill", "fact", "list", "--subject", "ben"][..],
        &["-C", "mill", "search", "mend", "--no-meaning"],
        &ask,
    ] {
        assert!(test_dir.ok(line).contains("Mend what"), "{line:?}");
        assert!(!test_dir.ok(&[line, &["--recorded", "1"]].concat()).contains("Mend what"), "{line:?}");
    }
    assert!(read(&["fact", "list", "--holds-at", "session-1"])["all"].as_i64().unwrap() > 0);
    assert!(!read(&["search", "millstone", "--no-meaning", "--holds-at", "session-1"])["facts"][0].is_null());
    test_dir.fails(&["-C", "mill", "search", "x", "--no-meaning", "--holds-at", "session-7"], 3, &["session-7"]);
    assert_eq!(read(&["know", "knows", "ben", "--words", "millstone", "--as-of", "-5"])["all"], 0, "a year before all");
    assert_eq!(read(&["know", "knows", "ben", "--words", "millstone", "--since", "-5"])["all"], 1);
    test_dir.fails(&["-C", "mill", "know", "knows", "ben", "--as-of", "--json"], 2, &["`--json` is not a date"]);
    test_dir.fails(
        &["-C", "mill", "know", "knows", "ben", "--since", "session-9"],
        3,
        &["there is no session `session-9`"],
    );
    assert!(test_dir.ok(&["-C", "mill", "know", "why", "--help"]).replace("\n", " ").contains("knowledge]"));
    test_dir.fails(&["-C", "mill", "fact", "list", "--as-of", "session-1"], 2, &["--as"]);
    test_dir.fails(
        &["-C", "mill", "know", "knows", "ben", "--recorded", "99"],
        1,
        &["no operation with the number 99"],
    );
    test_dir.fails(
        &["-C", "mill", "know", "knows", "ben", "--as-of", "41 Springmonth 10"],
        2,
        &["41 Springmonth 10", "from 1 to 40"],
    );
    test_dir.fails(&["-C", "mill", "know", "knows", "ben", "--as-of", "session-7"], 3, &["session-7", "`session-1`"]);
    test_dir.fails(&["-C", "mill", "know", "missed", "ben", "7"], 3, &["`7`", "`session-1`"]);
    test_dir.fails(
        &["-C", "mill", "know", "chain", "sam-a", "stone-is-cracked"],
        3,
        &["sam-a does not know", "hearsay know why"],
    );
    test_dir.fails(&["-C", "mill", "know", "believes", "ben", "adda"], 3, &["adda", "ada"]);
    test_dir.fails(&["-C", "mill", "know", "knows"], 2, &["CHARACTER"]);
}

#[test]
fn a_teller_who_always_knew_a_fact_is_listed_once() {
    let test_dir = TestDir::new();
    let campaign = "\
format: 1
campaign: {name: Hale, start: day 1}
entities:
  - {id: hale, name: Hale, kind: location}
  - id: odo
    name: Odo Marsh
    kind: npc
    home: hale
    secrets:
      - {id: burned-mill, text: Odo Marsh burned the old mill.}
  - {id: wren, name: Wren Oake, kind: player, player: Jo, location: hale}
  - {id: tam, name: Tam Reed, kind: player, player: Al}
";
    test_dir.write("hale/campaign.yaml", campaign);
    test_dir.ok(&["-C", "hale", "session", "start", "--at", "hale", "--present", "wren"]);
    test_dir.ok(&["-C", "hale", "log", "Odo Marsh: \"I burned the old mill.\""]);
    let chain = test_dir.ok(&["-C", "hale", "know", "chain", "wren", "burned-mill"]);
    let steps = ["  Wren Oake: told by Odo Marsh", "    Odo Marsh: knows it"];
    assert_eq!(steps.map(|step| chain.matches(step).count()), [1, 1], "{chain}");
    let data = test_dir.json(&["-C", "hale", "know", "chain", "wren", "burned-mill"]);
    assert_eq!(data["known_edges"][0]["acquisition"], "told by odo", "{data}");
    // A line that tells the fact again adds no step without knowledge.
    let again = ["-C", "hale", "log", "--states", "burned-mill", "--to", "wren", "Odo Marsh: Yes, the fire was mine."];
    test_dir.ok(&again);
    let chain = test_dir.ok(&["-C", "hale", "know", "chain", "wren", "burned-mill"]);
    assert!(chain.contains("Odo Marsh: knows it (1.00)") && !chain.contains("(0.00)"), "{chain}");
    let reasons = test_dir.ok(&["-C", "hale", "know", "why", "tam", "burned-mill"]);
    assert!(reasons.contains("Wren Oake (wren): both are player characters\n"), "{reasons}");
    let knowers = test_dir.ok(&["-C", "hale", "know", "who-knows", "old mill"]);
    assert!(knowers.contains("  Odo Marsh: knows it, credence 1.00"), "{knowers}");
    assert!(knowers.contains("  Wren Oake: told by Odo Marsh"), "{knowers}");
    let secrets = test_dir.ok(&["-C", "hale", "know", "secrets"]);
    assert!(
        secrets.contains("Odo Marsh (conceals it)") && secrets.contains("Wren Oake told by Odo Marsh"),
        "{secrets}"
    );
    let missed = test_dir.ok(&["-C", "hale", "know", "missed", "wren", "session-1"]);
    assert!(missed.contains("Wren Oake missed nothing of session-1."), "{missed}");
    // "Will" is no word of the fact.
    test_dir.fails(&["-C", "hale", "know", "who-knows", "old will"], 3, &["no fact matches"]);
}

#[test]
fn a_command_of_a_group_is_suggested_with_its_group() {
    let test_dir = TestDir::new();
    test_dir.fails(&["-C", "mill", "who-knows", "the-ledger"], 2, &["unrecognized subcommand", "know who-knows"]);
    test_dir.fails(&["-C", "mill", "accept"], 2, &["unrecognized subcommand"]);
}

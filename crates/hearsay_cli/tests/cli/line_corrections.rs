//! Tests of corrections of recorded lines: the speaker, the hearers, and what `log` asked about a line.

use super::*;

const PEOPLE: &str = r#"
entities:
  - {id: weir, name: The Weir, kind: location}
  - {id: ford, name: The Ford, kind: location}
  - {id: lyra, name: Lyra Fenn, kind: player, home: none}
  - {id: tamsin-oakley, name: Tamsin Oakley, kind: npc, home: the-mill}
  - {id: cole, name: Cole, kind: npc, home: none}
audience: {attributes: {name: common}}
"#;

fn table() -> TestDir {
    let test_dir = TestDir::new();
    test_dir.write("mill/people.yaml", PEOPLE);
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    test_dir
}

fn log_of(test_dir: &TestDir) -> String {
    test_dir.ok(&["-C", "mill", "session", "show", "--log"])
}

/// Returns whether a knower knows a fact.
fn knows(test_dir: &TestDir, knower: &str, fact: &str) -> bool {
    test_dir.json(&["-C", "mill", "know", "knows", knower, "--limit", "200"]).to_string().contains(fact)
}

#[test]
fn a_misspelled_speaker_is_corrected_in_place() {
    let test_dir = table();
    let logged = test_dir.run(&["-C", "mill", "log", "Tamsyn: Ben owes me forty crowns."]);
    let command = "hearsay -C mill log --line 1 --by tamsin-oakley";
    assert!(logged.stderr.contains(&format!("`{command}`")), "{}", logged.stderr);
    let correct: Vec<&str> = command.split(' ').skip(1).collect();
    let tried = test_dir.ok(&[&correct[..], &["--dry-run"]].concat());
    assert!(tried.contains("Tamsin Oakley says the line"), "{tried}");
    let corrected = test_dir.json(&correct);
    assert_eq!(corrected["talk_kind"], "in_character", "{corrected}");
    assert!(corrected["heard_by"].as_array().unwrap().contains(&"lyra".into()), "{corrected}");
    let claims = corrected["extracted"].as_array().unwrap();
    assert!(claims.iter().any(|fact| fact["status"] == "claimed"), "{corrected}");
    assert!(log_of(&test_dir).contains("   1  Tamsin Oakley: Ben owes me forty crowns.\n"), "{}", log_of(&test_dir));
    let facts = test_dir.ok(&["-C", "mill", "fact", "list", "--about", "ben"]);
    assert!(!facts.contains("Tamsyn"), "{facts}");
    test_dir.fails(&correct, 1, &["already recorded with this speaker"]);
    test_dir.ok(&["-C", "mill", "undo", &corrected["written"]["position"].to_string()]);
    assert!(log_of(&test_dir).contains("   1  Tamsyn: Ben owes me forty crowns.\n"), "{}", log_of(&test_dir));
}

#[test]
fn a_corrected_line_keeps_the_person_and_the_facts_that_the_dm_accepted() {
    let test_dir = table();
    let words = "Captain Ursel the ferrywoman bellows from the landing: the chain is cut and Cole owes me six crowns";
    let logged = test_dir.json(&["-C", "mill", "log", words]);
    let cards: Vec<String> =
        logged["extracted"].as_array().unwrap().iter().map(|fact| fact["fact"].as_str().unwrap().to_owned()).collect();
    let ids: Vec<&str> = cards.iter().map(String::as_str).collect();
    assert!(ids.len() > 2, "{logged}");
    test_dir.ok(&[&["-C", "mill", "review", "accept"], &ids[..]].concat());
    let are_canon = || {
        let status = |id: &&str| test_dir.json(&["-C", "mill", "fact", "show", *id])["fact"]["status"].clone();
        ids.iter().map(status).all(|status| status == "canon")
    };
    let correct = ["-C", "mill", "log", "--line", "1", "--by", "captain-ursel"];
    let tried = test_dir.ok(&[&correct[..], &["--dry-run"]].concat());
    assert!(tried.contains("would be extracted: claim: \"Cole owes Captain Ursel six crowns.\""), "{tried}");
    let corrected = test_dir.ok(&correct);
    assert!(corrected.contains("  said by: Captain Ursel\n"), "{corrected}");
    assert!(corrected.contains("\"Cole owes Captain Ursel six crowns.\""), "{corrected}");
    assert!(are_canon(), "{corrected}");
    assert!(knows(&test_dir, "ben", "Captain Ursel is a ferrywoman."));
    assert!(log_of(&test_dir).contains("   1  Captain Ursel: the chain is cut"), "{}", log_of(&test_dir));
    // Further corrections keep them too.
    test_dir.ok(&["-C", "mill", "log", "--line", "1", "--without", "ben"]);
    assert!(are_canon() && !knows(&test_dir, "ben", "Captain Ursel is a ferrywoman."));
    let again = test_dir.json(&["-C", "mill", "log", "--line", "1", "--by", "ada"]);
    assert!(are_canon() && knows(&test_dir, "lyra", "Captain Ursel is a ferrywoman."), "{again}");
    test_dir.ok(&["-C", "mill", "undo", &again["written"]["position"].to_string()]);
    assert!(are_canon(), "the undo of a correction keeps them");
}

#[test]
fn a_corrected_line_loses_what_the_dm_did_not_accept() {
    let test_dir = table();
    let logged = test_dir.json(&["-C", "mill", "log", "Mother Agna the chandler cries from the loft: the wick is wet"]);
    let name =
        logged["extracted"].as_array().unwrap().iter().find(|fact| fact["statement"] == "The name is Mother Agna.");
    assert!(name.is_some(), "{logged}");
    test_dir.ok(&["-C", "mill", "log", "--line", "1", "--by", "tamsin-oakley"]);
    test_dir.fails(&["-C", "mill", "entity", "show", "mother-agna"], 3, &["mother-agna"]);
}

#[test]
fn the_text_of_a_misspelled_line_names_its_hearers() {
    let test_dir = table();
    test_dir.ok(&["-C", "mill", "log", "Tamsyn whispers to Ben: I hid the stone."]);
    let corrected = test_dir.json(&["-C", "mill", "log", "--line", "1", "--by", "tamsin"]);
    assert_eq!(corrected["heard_by"], serde_json::json!(["ben", "tamsin-oakley"]), "{corrected}");
    // The speaker of a spoken line can change too. Its text stays the same.
    test_dir.ok(&["-C", "mill", "log", "--line", "1", "--by", "ada"]);
    assert!(log_of(&test_dir).contains("   1  Ada Flint: I hid the stone."), "{}", log_of(&test_dir));
}

#[test]
fn the_name_of_the_speaker_and_the_manner_are_no_part_of_the_words() {
    let test_dir = table();
    test_dir.ok(&["-C", "mill", "log", "Tamsin to Ben, ever so slowly: the oar is under my bed"]);
    test_dir.ok(&["-C", "mill", "log", "--line", "1", "--by", "tamsin-oakley"]);
    assert!(log_of(&test_dir).contains("   1  Tamsin Oakley: the oar is under my bed"), "{}", log_of(&test_dir));
    // These words name the speaker, but in the middle of what narration tells.
    test_dir.ok(&["-C", "mill", "log", "Rain. Tamsin looks up. Her words: it is late"]);
    test_dir.ok(&["-C", "mill", "log", "--line", "2", "--by", "tamsin-oakley"]);
    assert!(log_of(&test_dir).contains("Her words: it is late"), "{}", log_of(&test_dir));
}

#[test]
fn hearers_of_a_recorded_line_are_added_and_removed() {
    let test_dir = table();
    for (line, speaker) in [("1", Some("ada")), ("2", None)] {
        let by: Vec<&str> = speaker.into_iter().flat_map(|speaker| ["--by", speaker]).collect();
        if speaker.is_none() {
            test_dir.write("mill/hearsay.toml", "[policy]\ncanon_threshold = 0.5\nthreshold = 0.5\n");
        }
        let words = if speaker.is_some() { "I owe Cole ten crowns." } else { "Ada Flint is wounded." };
        let logged = test_dir.json(&[&["-C", "mill", "log", words, "--to", "ben"][..], &by].concat());
        let mut facts = logged["extracted"].as_array().unwrap().iter();
        let fact = facts.find(|fact| fact["status"] != "proposed").unwrap_or_else(|| panic!("{logged}"));
        let fact = fact["fact"].as_str().unwrap();
        let knowers = || ["ben", "tamsin-oakley"].map(|knower| knows(&test_dir, knower, fact));
        assert_eq!(knowers(), [true, false], "{logged}");
        let change = |options: &[&str]| test_dir.json(&[&["-C", "mill", "log", "--line", line][..], options].concat());
        let added = change(&["--with", "Tamsin"]);
        assert!(added["heard_by"].as_array().unwrap().contains(&"tamsin-oakley".into()), "{added}");
        assert_eq!(knowers(), [true, true], "{added}");
        let removed = change(&["--without", "ben"]);
        assert!(!removed["heard_by"].as_array().unwrap().contains(&"ben".into()), "{removed}");
        assert_eq!(knowers(), [false, true], "{removed}");
        test_dir.ok(&["-C", "mill", "undo", &removed["written"]["position"].to_string()]);
        assert_eq!(knowers(), [true, true]);
    }
}

#[test]
fn the_hearers_of_a_fact_that_two_lines_state_know_it_from_each_line() {
    let test_dir = table();
    for (slip, line, status) in [
        ("Tamsin: Cole owes me nine crowns for the mewl.", "Tamsin: Cole owes me nine crowns for the mule.", "claimed"),
        ("Perhaps Ada owes Cole ten crowns for oats.", "Perhaps Ada owes Cole ten crowns for the oats.", "proposed"),
    ] {
        let log = |text: &str| test_dir.json(&["-C", "mill", "log", text]);
        let undo = |position: &Value| {
            test_dir.json(&["-C", "mill", "undo", &position.to_string(), "--yes"])["position"].clone()
        };
        let (slip, line) = (log(slip), log(line));
        let is_debt =
            |fact: &&Value| fact["status"] == status && fact["statement"].as_str().unwrap().ends_with("crowns.");
        let debt = line["extracted"].as_array().unwrap().iter().find(is_debt).unwrap_or_else(|| panic!("{line}"));
        // Returns the number of lines that state the debt, and who knows or would know it.
        let shown = || {
            let shown = test_dir.json(&["-C", "mill", "fact", "show", debt["fact"].as_str().unwrap()]);
            let rows = shown["fact"]["known_by"].as_array().unwrap().iter();
            let mut knowers: Vec<String> =
                rows.map(|row| format!("{} {}", row["knower"], row["acquisition"])).collect();
            knowers.sort();
            (shown["fact"]["evidence"].as_array().unwrap().len(), knowers)
        };
        let (lines, knowers) = shown();
        assert!(
            lines == 2 && ["ada", "ben", "lyra"].iter().all(|id| format!("{knowers:?}").contains(id)),
            "{knowers:?}"
        );
        let undone = undo(&slip["written"]["position"]);
        assert_eq!(shown(), (1, knowers.clone()), "the second line alone");
        undo(&undone);
        undo(&line["written"]["position"]);
        assert_eq!(shown(), (1, knowers), "the first line alone");
    }
}

#[test]
fn one_word_accepts_an_offered_move() {
    let test_dir = table();
    let walked = test_dir.ok(&["-C", "mill", "log", "Lyra walks to The Weir."]);
    assert!(walked.contains("`hearsay -C mill log --yes`"), "{walked}");
    let confirmed = test_dir.ok(&["-C", "mill", "log", "--yes"]);
    assert!(confirmed.contains("accept"), "{confirmed}");
    let heard = test_dir.json(&["-C", "mill", "log", "Rain falls."]);
    assert!(!heard["heard_by"].as_array().unwrap().contains(&"lyra".into()), "{heard}");
    test_dir.fails(&["-C", "mill", "log", "--line", "1", "--yes"], 1, &["nothing about line 1"]);
}

#[test]
fn a_removed_hearer_loses_the_facts_that_the_dm_confirmed() {
    let test_dir = table();
    let stone = "The millstone is cracked.";
    let log = |line: &[&str]| test_dir.ok(&[&["-C", "mill", "log"][..], line].concat());
    let knowers = || ["ben", "tamsin-oakley"].map(|knower| knows(&test_dir, knower, stone));
    log(&["--by", "ada", "--to", "ben", "--to", "tamsin-oakley", "You know what I mean."]);
    log(&["--line", "1", "--states", "stone-is-cracked"]);
    assert_eq!(knowers(), [true, true]);
    log(&["--line", "1", "--without", "ben"]);
    assert_eq!(knowers(), [false, true]);
    log(&["--to", "ben", "--states", "stone-is-cracked", "There is the stone, under the lamp."]);
    assert_eq!(knowers(), [true, true]);
    // A character keeps a fact that another line also told.
    log(&["--by", "ada", "--to", "ben", "--states", "stone-is-cracked", "You see it too."]);
    log(&["--line", "2", "--without", "ben"]);
    assert_eq!(knowers(), [true, true]);
    log(&["--line", "3", "--without", "ben"]);
    assert_eq!(knowers(), [false, true]);
}

#[test]
fn a_late_hearer_learns_what_a_line_states() {
    let test_dir = TestDir::new();
    test_dir.write("mill/people.yaml", PEOPLE);
    test_dir.write("mill/secret.yaml", SECRET);
    test_dir.ok(&["-C", "mill", "session", "start", "--title", "The stone"]);
    let words = "All right! I hid the tax silver under the millstone.";
    let logged = test_dir.json(&["-C", "mill", "log", "--by", "ada", "--to", "ben", words]);
    assert_eq!(logged["may_state"][0]["handle"], "ada-hid-silver", "{logged}");
    test_dir.ok(&["-C", "mill", "log", "--line", "1", "--with", "cole"]);
    let confirmed = test_dir.json(&["-C", "mill", "log", "--line", "1", "--yes"]);
    assert_eq!(confirmed["states"][0]["learned_by"], serde_json::json!(["ben", "cole"]), "{confirmed}");
    test_dir.fails(&["-C", "mill", "log", "--line", "1", "--yes"], 1, &["nothing about line 1"]);
    test_dir.ok(&["-C", "mill", "log", "--line", "1", "--with", "tamsin-oakley"]);
    assert!(knows(&test_dir, "tamsin-oakley", "Ada Flint hid the tax silver under the millstone of The Mill."));
}

/// Returns the first extracted fact of a logged line that states a move.
fn moved(logged: &Value) -> Value {
    let mut facts = logged["extracted"].as_array().unwrap().iter();
    facts.find(|fact| fact["unconfirmed_move"].is_object()).unwrap_or_else(|| panic!("{logged}")).clone()
}

#[test]
fn a_move_that_is_out_of_date_is_not_accepted() {
    let test_dir = table();
    let card = moved(&test_dir.json(&["-C", "mill", "log", "Lyra walks to The Weir."]));
    test_dir.ok(&["-C", "mill", "fact", "add", "lyra", "LOCATED_AT", "ford"]);
    let accept = ["-C", "mill", "review", "accept", card["fact"].as_str().unwrap()];
    test_dir.fails(&accept, 1, &["is out of date", "`lyra` has moved to `ford`"]);
    test_dir.fails(&["-C", "mill", "log", "--line", "1", "--yes"], 1, &["nothing about line 1"]);
}

#[test]
fn several_decisions_leave_a_move_that_is_out_of_date() {
    let test_dir = table();
    let first = moved(&test_dir.json(&["-C", "mill", "log", "Lyra walks to The Weir."]));
    let second = moved(&test_dir.json(&["-C", "mill", "log", "Cole walks to The Ford."]));
    test_dir.ok(&["-C", "mill", "fact", "add", "lyra", "LOCATED_AT", "ford"]);
    let [first, second] = [&first, &second].map(|card| card["fact"].as_str().unwrap());
    let accept = ["-C", "mill", "review", "accept", first, second];
    for options in [&["--dry-run"][..], &[]] {
        let decided = test_dir.run(&[&accept[..], options].concat());
        let summary = "accept \u{201C}Cole is at The Ford.\u{201D}; still waits, out of date: \u{201C}Lyra Fenn is at";
        assert!(decided.code == 1 && decided.stdout.contains(summary), "{}", decided.stdout);
        assert!(decided.stderr.contains("1 fact was not changed, because of a later move"), "{}", decided.stderr);
    }
    assert!(knows(&test_dir, "cole", "Cole is at The Ford"));
    // The DM can still reject it.
    test_dir.fails(&["-C", "mill", "review", "accept", first], 1, &["is out of date"]);
    test_dir.ok(&["-C", "mill", "review", "reject", first]);
}

#[test]
fn a_rejected_move_is_proposed_again_in_another_session() {
    let test_dir = table();
    let line = ["-C", "mill", "log", "Lyra walks to The Weir."];
    let card = moved(&test_dir.json(&line));
    test_dir.ok(&["-C", "mill", "review", "reject", card["fact"].as_str().unwrap()]);
    let again = test_dir.json(&line);
    assert!(again["extracted"].as_array().unwrap().iter().all(|fact| fact["unconfirmed_move"].is_null()), "{again}");
    test_dir.ok(&["-C", "mill", "session", "end"]);
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill", "--present", "lyra"]);
    assert_ne!(moved(&test_dir.json(&line))["fact"], card["fact"]);
}

#[test]
fn one_word_does_not_accept_the_death_of_a_person_whom_only_a_pronoun_names() {
    let test_dir = table();
    let logged = test_dir.json(&["-C", "mill", "log", "Ben stabs Cole, and he dies.", "--to", "ada"]);
    let extracted = logged["extracted"].as_array().unwrap().iter();
    let deaths: Vec<&Value> = extracted.filter(|fact| fact["unconfirmed_death"].is_string()).collect();
    assert!(deaths.iter().any(|fact| fact["unconfirmed_death"] == "Cole"), "{logged}");
    assert!(deaths.iter().all(|fact| fact["is_pronoun"] == true), "{logged}");
    test_dir.fails(&["-C", "mill", "log", "--yes"], 1, &["nothing about line 1"]);
}

#[test]
fn the_dry_run_of_a_correction_lists_only_what_changes() {
    let test_dir = table();
    test_dir.ok(&["-C", "mill", "log", "--by", "ada", "Ben owes me forty crowns."]);
    let tried = test_dir.ok(&["-C", "mill", "log", "--line", "1", "--without", "tamsin", "--dry-run"]);
    assert!(tried.contains("not heard by Tamsin Oakley") && tried.contains("  Tamsin Oakley ("), "{tried}");
    assert!(tried.contains(") loses: Ben owes"), "{tried}");
    for unchanged in ["Lyra Fenn", "Ben:", "credence 0.00"] {
        assert!(!tried.contains(unchanged), "{unchanged}: {tried}");
    }
}

#[test]
fn a_wrong_number_of_an_operation_is_explained() {
    let test_dir = table();
    let expected = ["expected the number of an operation", "hearsay db history"];
    test_dir.fails(&["-C", "mill", "undo", "list"], 2, &expected);
    test_dir.fails(&["-C", "mill", "undo", "--to", "list"], 2, &expected);
}

#[test]
fn several_characters_join_with_a_plural_verb() {
    let test_dir = table();
    let attended = test_dir.ok(&["-C", "mill", "session", "attend", "--leave", "lyra", "--leave", "ada"]);
    assert!(attended.contains("Lyra Fenn and Ada Flint leave"), "{attended}");
}

//! Tests of corrections of recorded lines: the speaker, the hearers, and what `log` asked about a line.

use super::*;

const PEOPLE: &str = r#"
entities:
  - {id: weir, name: The Weir, kind: location}
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

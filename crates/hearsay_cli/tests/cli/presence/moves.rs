//! Tests of arrivals, departures and moves that narration states, and how the DM records them.

use super::*;

#[test]
fn a_move_that_becomes_canon_without_review_has_the_consequences_of_an_accepted_move() {
    let test_dir = TestDir::new();
    let people = r#"
audience: {attributes: {name: common}}
entities:
  - {id: weir, name: The Old Weir, kind: location, description: A lock on the river.}
  - {id: lyra, name: Lyra Fenn, kind: player, home: none}
  - {id: pike, name: Amos Pike, kind: npc, home: weir}
"#;
    test_dir.write("mill/party.yaml", people);
    test_dir.write("mill/hearsay.toml", "[policy]\ncanon_threshold = 0.5\nthreshold = 0.5\n");
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    // Ben lives at the mill, so no location of him is recorded.
    test_dir.ok(&["-C", "mill", "session", "attend", "--leave", "ben"]);
    let back = test_dir.run(&["-C", "mill", "log", "Ben walks back to the mill."]);
    assert!(back.stdout.contains("canon: ") && back.stdout.contains("\"Ben is at The Mill.\""), "{}", back.stdout);
    assert!(!back.stderr.contains("not in the scene") && !back.stdout.contains("log --yes"), "{}", back.stderr);
    // The location says the same as the line.
    assert!(!back.stdout.contains("\"Ben walks back"), "{}", back.stdout);
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), serde_json::json!(["ada", "ben", "lyra"]));
    let gone = test_dir.run(&["-C", "mill", "log", "Ada Flint walks to the Old Weir."]);
    assert!(gone.stdout.contains("canon: ") && !gone.stderr.contains("fact add"), "{}{}", gone.stdout, gone.stderr);
    assert_eq!(heard_by(&test_dir, &["The rain stops."]), serde_json::json!(["ben", "lyra"]));
    for who in ["ada", "ben", "lyra", "pike"] {
        let known = test_dir.json(&["-C", "mill", "know", "knows", who, "--limit", "200"]).to_string();
        assert!(known.contains("Ada Flint is at The Old Weir"), "{who}: {known}");
    }
}

#[test]
fn a_movement_in_a_direction_waits_for_one_decision() {
    let test_dir = split_party();
    test_dir.ok(&["-C", "mill", "fact", "add", "lyra", "LOCATED_AT", "weir"]);
    let back = test_dir.ok(&["-C", "mill", "log", "Lyra goes back to the mill."]);
    assert!(back.contains("\"Lyra Fenn is at The Mill.\""), "{back}");
    assert!(!back.contains("\"Lyra goes back"), "{back}");
    test_dir.ok(&["-C", "mill", "log", "--yes"]);
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), serde_json::json!(["ada", "ben", "lyra", "tam"]));
}

#[test]
fn a_departure_is_noticed_in_each_clause_and_for_each_person() {
    let test_dir = split_party();
    let notes = |line: &str| test_dir.run(&["-C", "mill", "log", line]).stderr;
    for (line, command) in [
        ("The bell rings and Ben walks out.", "session attend --leave ben`"),
        ("Tam Reed nods. He slips out to the cellar.", "session attend --leave tam`"),
        ("She runs upstairs.", "session attend --leave lyra`"),
        ("They ride back to the old weir.", "`--at weir`"),
        ("The whole party walks down to the old weir.", "`--at weir`"),
        ("Everybody goes over to the lock.", "`--at weir`"),
        ("We walk to the Old Weir.", "`--at weir`"),
        ("The two of them climb out of the cellar.", "`--at PLACE`"),
        ("Ben goes after him while Tam stays here.", "session attend --leave ben`"),
        ("Tam follows the old man out into the rain.", "session attend --leave tam`"),
        ("Ben shrugs and stomps off.", "session attend --leave ben`"),
        ("Ben is led away by two watchmen.", "session attend --leave ben`"),
        ("Ben curses and scurries back inside.", "session attend --leave ben`"),
        ("Lyra yawns and goes up to her room.", "session attend --leave lyra`"),
        ("Tam Reed grins. Lyra Fenn sends him outside.", "session attend --leave tam`"),
    ] {
        assert!(notes(line).contains(command), "{line}: {}", notes(line));
    }
    for line in [
        "Ben is not led away.",
        "If Ben goes upstairs, the dog barks.",
        "Ben could be marched off.",
        "Ben tries to run back inside.",
        "Ben goes to the next table.",
    ] {
        assert!(!notes(line).contains("session attend --leave"), "{line}: {}", notes(line));
    }
    // Each of two persons is offered a move, by the review or by a command.
    let both = test_dir.run(&["-C", "mill", "log", "Ben and Tam go to the lock."]);
    let offers = |name: &str, id: &str| {
        both.stdout.contains(&format!("to move {name} to The Old Weir"))
            || both.stderr.contains(&format!("fact add {id} LOCATED_AT weir`"))
    };
    assert!(offers("Ben", "ben") && offers("Tam Reed", "tam"), "{}{}", both.stdout, both.stderr);
}

#[test]
fn an_npc_who_comes_in_stays_there_unless_it_belongs_to_the_party() {
    let test_dir = split_party();
    let attend = || test_dir.ok(&["-C", "mill", "session", "attend", "--arrive", "sam-a"]);
    let attended = attend();
    let (party, others) = ("  present: Lyra Fenn, Tam Reed\n", "  also there: Ada Flint, Ben, Sam");
    assert!(attended.contains(party) && attended.contains(others), "{attended}");
    assert!(attend().contains("is already here"));
    assert_eq!(heard_by(&test_dir, &["--at", "weir", "Fog lies."]), serde_json::json!(["lyra", "pike", "tam"]));
    let back = heard_by(&test_dir, &["--at", "the-mill", "The fire burns."]);
    assert_eq!(back, serde_json::json!(["ada", "ben", "lyra", "sam-a", "tam"]));
    test_dir.ok(&["-C", "mill", "session", "end"]);
    let start = ["-C", "mill", "session", "start", "--at", "the-mill", "--present", "lyra", "--present", "sam-a"];
    test_dir.ok(&start);
    assert_eq!(heard_by(&test_dir, &["--at", "weir", "Fog lies."]), serde_json::json!(["lyra", "pike", "sam-a"]));
}

#[test]
fn one_command_records_the_arrivals_and_departures_of_a_line() {
    let test_dir = split_party();
    let comes = test_dir.run(&["-C", "mill", "log", "The door opens, and Pike comes in."]);
    assert!(comes.stdout.contains("to bring Amos Pike into the scene: `hearsay "), "{}", comes.stdout);
    let arrived = run_named_command(&test_dir, &comes.stdout, "log --yes");
    assert!(arrived.contains("Amos Pike joins; Amos Pike is now at The Mill"), "{arrived}");
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), serde_json::json!(["ada", "ben", "lyra", "pike", "tam"]));
    test_dir.fails(&["-C", "mill", "log", "--yes"], 1, &["nothing about line 2"]);
    let leaves = test_dir.run(&["-C", "mill", "log", "Pike walks away."]);
    let left = run_named_command(&test_dir, &leaves.stdout, "log --yes");
    assert!(left.contains("Amos Pike leaves; Amos Pike is now at The Old Weir"), "{left}");
    test_dir.fails(&["-C", "mill", "log", "--yes"], 1, &["nothing about line 3"]);
    // After further lines, the scene may be another one.
    test_dir.ok(&["-C", "mill", "log", "Ben goes upstairs."]);
    test_dir.ok(&["-C", "mill", "log", "The rain stops."]);
    let parts = ["nothing about line 4", "to take Ben out of the scene: `hearsay", "session attend --leave ben`"];
    test_dir.fails(&["-C", "mill", "log", "--line", "4", "--yes"], 1, &parts);
    test_dir.ok(&["-C", "mill", "session", "attend", "--leave", "ben"]);
    let again = test_dir.run(&["-C", "mill", "log", "--line", "4", "--yes"]);
    assert!(!again.stderr.contains("--leave ben"), "{}", again.stderr);
}

#[test]
fn the_departure_of_the_whole_party_names_no_place_and_waits_for_it() {
    let test_dir = split_party();
    let gone = test_dir.run(&["-C", "mill", "log", "A bell rings at The Old Weir, so you both hurry out."]);
    assert!(gone.stderr.contains("all player characters leave, so the scene moves"), "{}", gone.stderr);
    assert!(gone.stderr.contains("`--at weir` if the place is The Old Weir"), "{}", gone.stderr);
    assert!(!gone.stdout.contains("log --yes"), "{}", gone.stdout);
    test_dir.fails(&["-C", "mill", "log", "--yes"], 1, &["so the scene moves", "`--at PLACE`"]);
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), serde_json::json!(["ada", "ben", "lyra", "tam"]));
}

#[test]
fn a_group_with_an_exception_or_a_number_moves_exactly_its_members() {
    let test_dir = party_of_three();
    test_dir.write("mill/barn.yaml", "entities:\n  - {id: barn, name: Tithe Barn, kind: location}\n");
    // A dry run imports no files.
    test_dir.ok(&["-C", "mill", "log", "Rain falls."]);
    let moves = |line: &str| {
        let logged = test_dir.run(&["-C", "mill", "log", "--dry-run", line]);
        let is_moved = |id: &&str| logged.stderr.contains(&format!("fact add {id} LOCATED_AT barn`"));
        match logged.stderr.contains("log the next line with `--at barn`") {
            true => vec!["party"],
            false => ["kit", "lyra", "tam"].into_iter().filter(|id| is_moved(id)).collect(),
        }
    };
    for (line, expected) in [
        ("Everyone except Kit heads over to the Tithe Barn.", vec!["lyra", "tam"]),
        ("All but Tam Reed ride to the Tithe Barn.", vec!["kit", "lyra"]),
        ("The party without Kit and Tam walks to the Tithe Barn.", vec!["lyra"]),
        ("Everybody but the falconer walks to the Tithe Barn.", vec![]),
        ("Kit stays by the fire, the others walk to the Tithe Barn.", vec!["lyra", "tam"]),
        ("The others walk to the Tithe Barn.", vec![]),
        ("All three of you go down to the Tithe Barn and wait.", vec!["party"]),
        ("The three of you leave for the Tithe Barn.", vec!["party"]),
        ("The two of you leave for the Tithe Barn.", vec![]),
        ("All four of you go down to the Tithe Barn.", vec![]),
        ("Lyra and Kit set out for the Tithe Barn, Tam stays.", vec!["kit", "lyra"]),
        ("Lyra, Tam and Kit make for the Tithe Barn.", vec!["party"]),
        ("Kit makes her way up to the Tithe Barn.", vec!["kit"]),
    ] {
        assert_eq!(moves(line), expected, "{line}");
    }
    let excepted = test_dir.run(&["-C", "mill", "log", "Everyone except Kit heads over to the Tithe Barn."]);
    assert!(!excepted.stdout.contains("to move Kit"), "{}", excepted.stdout);
    run_named_command(&test_dir, &excepted.stdout, "log --yes");
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), serde_json::json!(["ada", "ben", "kit"]));
}

#[test]
fn a_companion_of_somebody_who_leaves_leaves_too() {
    let test_dir = party_of_three();
    let taken = |line: &str| {
        let logged = test_dir.run(&["-C", "mill", "log", line]);
        let taken = logged.stdout.lines().find_map(|line| line.trim().strip_prefix("to take "));
        taken.and_then(|taken| taken.split(" out of the scene").next()).unwrap_or_default().to_owned()
    };
    for (line, expected) in [
        ("Lyra slips out to feed the goat, Tam tags along.", "Lyra Fenn and Tam Reed"),
        ("Tam walks off, and Kit follows him.", "Tam Reed and Kit"),
        ("Lyra goes outside, Tam stays.", "Lyra Fenn"),
        ("Lyra goes outside. Tam joins her at the table later.", "Lyra Fenn"),
        ("Lyra sits down, Tam joins her.", ""),
        ("Tam walks off, Kit follows her nose.", "Tam Reed"),
    ] {
        assert_eq!(taken(line), expected, "{line}");
    }
}

/// Returns a hall with two player characters and a guest, a lake, and a session in the hall.
fn hall() -> TestDir {
    let test_dir = TestDir::new();
    let people = r#"
entities:
  - {id: hall, name: The Gilded Hall, kind: location, description: A long room.}
  - {id: tarn, name: Cold Tarn, kind: location, description: A lake.}
  - {id: lyra, name: Lyra Fenn, kind: player, home: none, attributes: {pronouns: she/her}}
  - {id: tam, name: Tam Reed, kind: player, home: none, attributes: {pronouns: he/him}}
  - {id: pike, name: Amos Pike, kind: npc, home: hall, attributes: {pronouns: he/him}}
"#;
    test_dir.write("mill/hall.yaml", people);
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "hall"]);
    test_dir
}

#[test]
fn a_person_leaves_the_place_of_the_scene_by_a_part_of_its_name() {
    let test_dir = hall();
    let logged = |line: &str| test_dir.run(&["-C", "mill", "log", line]);
    for line in [
        "Tam leaves the hall.",
        "Tam Reed leaves the Gilded Hall with a grin.",
        "Tam leaves the room.",
        "Tam flees into the fog.",
    ] {
        let notes = logged(line).stderr;
        assert!(notes.contains("session attend --leave tam`"), "{line}: {notes}");
    }
    for line in ["Tam leaves the hall door open.", "Tam leaves the hall key on the table.", "Tam leaves a coin."] {
        let notes = logged(line).stderr;
        assert!(!notes.contains("--leave tam"), "{line}: {notes}");
    }
}

#[test]
fn a_person_with_whom_somebody_leaves_leaves_too() {
    let test_dir = hall();
    let taken = |line: &str| {
        let logged = test_dir.ok(&["-C", "mill", "log", line]);
        let taken = logged.split("to take ").nth(1).and_then(|taken| taken.split(" out of the scene").next());
        taken.unwrap_or_default().to_owned()
    };
    for (line, expected) in [
        ("Tam heads out with Pike.", "Amos Pike and Tam Reed"),
        ("Tam leaves the hall together with Pike.", "Amos Pike and Tam Reed"),
        ("Tam slips out through the kitchen with Pike in tow.", "Amos Pike and Tam Reed"),
        ("Tam goes out to speak with Pike.", "Tam Reed"),
        ("Tam walks out with Pike's lantern.", "Tam Reed"),
        ("Tam argues with Pike and storms off.", "Tam Reed"),
    ] {
        assert_eq!(taken(line), expected, "{line}");
    }
    for line in [
        "Tam goes back to the Cold Tarn with Pike.",
        "Tam goes with Pike to the Cold Tarn.",
        "Tam brings Pike to the Cold Tarn.",
        "Tam helps Pike to the Cold Tarn.",
    ] {
        let test_dir = hall();
        test_dir.ok(&["-C", "mill", "log", line]);
        test_dir.ok(&["-C", "mill", "log", "--yes"]);
        assert_eq!(heard_by(&test_dir, &["Rain falls."]), serde_json::json!(["lyra"]), "{line}");
    }
}

#[test]
fn a_person_with_whom_somebody_comes_in_comes_in_too() {
    let test_dir = split_party();
    let more = "entities:\n  - {id: wick, name: Wick, kind: npc, home: weir}\n";
    test_dir.write("mill/wick.yaml", more);
    let notes = |line: &str| test_dir.run(&["-C", "mill", "log", line]);
    for line in ["Lyra brings Wick in.", "Tam drags Wick in by the ear."] {
        let brought = notes(line);
        assert!(brought.stderr.contains("session attend --arrive wick`"), "{line}: {}", brought.stderr);
        assert!(brought.stdout.contains("Tam Reed, Wick\n"), "{line}: {}", brought.stdout);
    }
    for line in [
        "Pike barges in with Wick at his heels.",
        "Pike comes in from the rain with Wick.",
        "Pike bursts in, mud on his boots, with Wick.",
        "Pike stamps in with that soldier Wick.",
    ] {
        let both = notes(line).stderr;
        let arrives = |who: &str| both.contains(&format!("session attend --arrive {who}`"));
        assert!(arrives("pike") && arrives("wick"), "{line}: {both}");
    }
    for line in [
        "Lyra carries Wick's letter in.",
        "Lyra chimes in with Wick.",
        "Lyra takes the washing in.",
        "Pike comes in, with Wick's coat over his arm.",
        "Pike comes in, sits down, and talks with Wick.",
    ] {
        assert!(!notes(line).stderr.contains("--arrive wick"), "{line}");
    }
}

#[test]
fn one_command_moves_a_character_of_the_other_half_of_the_party() {
    let test_dir = split_party();
    test_dir.write("mill/ford.yaml", "entities:\n  - {id: ford, name: The Ford, kind: location}\n");
    test_dir.write("mill/hearsay.toml", "[policy]\nfloor = 0.999\nthreshold = 1.0\ncanon_threshold = 1.0\n");
    test_dir.ok(&["-C", "mill", "fact", "add", "lyra", "LOCATED_AT", "weir"]);
    let moves = test_dir.run(&["-C", "mill", "log", "Lyra trudges along the bank to the Ford."]);
    assert!(moves.stderr.contains("to move Lyra Fenn to The Ford"), "{}", moves.stderr);
    let confirmed = test_dir.ok(&["-C", "mill", "log", "--yes"]);
    assert!(confirmed.contains("Lyra Fenn is now at The Ford"), "{confirmed}");
}

#[test]
fn a_recorded_move_leaves_no_card_about_the_same_move() {
    let test_dir = split_party();
    test_dir.write("mill/hearsay.toml", "[policy]\nfloor = 0.0\nthreshold = 1.0\ncanon_threshold = 1.0\n");
    let is_waiting = || test_dir.ok(&["-C", "mill", "review"]).contains("The party strolls down to the Old Weir.");
    let gone = test_dir.run(&["-C", "mill", "log", "The party strolls down to the Old Weir."]);
    assert!(is_waiting(), "{}", gone.stdout);
    run_named_command(&test_dir, &gone.stdout, "log --yes");
    assert_eq!(heard_by(&test_dir, &["Fog lies."]), serde_json::json!(["lyra", "pike", "tam"]));
    assert!(!is_waiting());
}

#[test]
fn a_guest_whose_stay_has_a_recorded_end_can_leave_before_it() {
    let test_dir = split_party();
    test_dir.ok(&["-C", "mill", "fact", "add", "pike", "LOCATED_AT", "the-mill", "--until", "9 Springmonth 10"]);
    let with_pike = serde_json::json!(["ada", "ben", "lyra", "pike", "tam"]);
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), with_pike);
    test_dir.ok(&["-C", "mill", "session", "attend", "--leave", "pike"]);
    assert_eq!(heard_by(&test_dir, &["The rain stops."]), serde_json::json!(["ada", "ben", "lyra", "tam"]));
}

#[test]
fn a_corrected_move_ends_the_stay_and_the_scene_knows_it() {
    let test_dir = split_party();
    let place = |id: &str, name: &str| format!("  - {{id: {id}, name: {name}, kind: location}}\n");
    let places = [place("ford", "The Ford"), place("quay", "The Quay"), place("pier", "The Pier")].concat();
    test_dir.write("mill/places.yaml", &format!("audience: {{attributes: {{name: common}}}}\nentities:\n{places}"));
    test_dir.ok(&["-C", "mill", "session", "attend", "--arrive", "pike"]);
    let walked = test_dir.json(&["-C", "mill", "log", "Amos Pike walks to The Old Weir."]);
    let moved = walked["extracted"].as_array().unwrap().iter().find(|fact| fact["unconfirmed_move"].is_object());
    let fact = moved.unwrap_or_else(|| panic!("{walked}"))["fact"].as_str().unwrap().to_owned();
    let edited = test_dir.ok(&["-C", "mill", "review", "edit", &fact, "--object", "ford"]);
    assert!(edited.contains("Amos Pike is at The Ford") && edited.contains("ended: "), "{edited}");
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), serde_json::json!(["ada", "ben", "lyra", "tam"]));
    let end = "it is no longer true that Amos Pike is at The Mill";
    for who in ["ben", "lyra", "pike"] {
        let known = test_dir.json(&["-C", "mill", "know", "knows", who, "--limit", "200"]).to_string();
        assert_eq!(known.contains(end), who != "pike", "{who}: {known}");
        assert!(known.contains("Amos Pike is at The Ford"), "{who}: {known}");
    }
    // The end of the stay is no new value and no new relation.
    test_dir.ok(&["-C", "mill", "session", "attend", "--arrive", "pike"]);
    let set = test_dir.run(&["-C", "mill", "entity", "set", "pike", "location", "quay"]);
    assert!(set.code == 0 && !set.stderr.contains("another value"), "{}", set.stderr);
    test_dir.ok(&["-C", "mill", "session", "attend", "--arrive", "pike"]);
    let added = test_dir.run(&["-C", "mill", "fact", "add", "pike", "LOCATED_AT", "pier"]);
    assert!(added.code == 0 && !added.stderr.contains("vocabulary"), "{}", added.stderr);
}

#[test]
fn a_part_of_the_party_goes_to_a_place_together() {
    let test_dir = party_of_three();
    let gone =
        test_dir.run(&["-C", "mill", "log", "Lyra and Tam slip out and head up the steep hill to the Old Weir."]);
    assert!(
        gone.stderr.contains("to log the next line at The Old Weir, first record who goes there"),
        "{}",
        gone.stderr
    );
    assert!(gone.stderr.contains("log --at weir \""), "{}", gone.stderr);
    run_named_command(&test_dir, &gone.stdout, "log --yes");
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), serde_json::json!(["ada", "ben", "kit"]));
    assert_eq!(heard_by(&test_dir, &["--at", "weir", "Fog lies."]), serde_json::json!(["lyra", "pike", "tam"]));
}

#[test]
fn half_sentences_times_and_carts_do_not_hide_a_move() {
    let offers = |line: &str| {
        let logged = party_of_three().run(&["-C", "mill", "log", line]);
        format!("{}{}", logged.stdout, logged.stderr)
    };
    for (line, part) in [
        ("Lyra and Kit to the Old Weir.", "to log the next line at The Old Weir, first record who goes there"),
        ("Tam, back to the Old Weir.", "to log the next line at The Old Weir, first record who goes there"),
        ("That evening Ben slips out.", "session attend --leave ben`"),
        ("At dusk the door opens and Pike comes in.", "session attend --arrive pike`"),
        ("The next morning Pike steps out of the mist.", "session attend --arrive pike`"),
        ("Kit walks off on the road with Lyra.", "session attend --leave lyra`"),
    ] {
        assert!(offers(line).contains(part), "{line}: {}", offers(line));
    }
    for line in ["Lyra writes to the Old Weir's keeper.", "Lyra, to the Old Weir's honour, drinks."] {
        assert!(!offers(line).contains("The Old Weir, first record"), "{line}: {}", offers(line));
    }
    let test_dir = party_of_three();
    test_dir.ok(&["-C", "mill", "log", "Tam takes Kit along to the Old Weir."]);
    test_dir.ok(&["-C", "mill", "log", "--yes"]);
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), serde_json::json!(["ada", "ben", "lyra"]));
}

#[test]
fn the_scene_moves_with_the_whole_party() {
    let test_dir = split_party();
    let gone = test_dir.run(&["-C", "mill", "log", "Lyra and Tam head up the steep hill to the Old Weir."]);
    assert!(gone.stderr.contains("`--at weir`") && !gone.stderr.contains("first record"), "{}", gone.stderr);
    run_named_command(&test_dir, &gone.stdout, "log --yes");
    assert_eq!(heard_by(&test_dir, &["Fog lies."]), serde_json::json!(["lyra", "pike", "tam"]));
}

#[test]
fn a_scene_that_moves_without_characters_who_left_it_is_noticed() {
    let test_dir = party_of_three();
    let left = test_dir.ok(&["-C", "mill", "session", "attend", "--leave", "lyra", "--leave", "tam"]);
    assert!(left.contains("Lyra Fenn and Tam Reed leave"), "{left}");
    let moved = test_dir.run(&["-C", "mill", "log", "--at", "weir", "Fog lies."]).stderr;
    for part in [
        "Kit moves to The Old Weir. Lyra Fenn and Tam Reed left the scene before for an unknown place.",
        "undo`, and log the line with `--at weir --to lyra --to tam`",
    ] {
        assert!(moved.contains(part), "{part}: {moved}");
    }
    test_dir.ok(&["-C", "mill", "undo"]);
    let there = ["--at", "weir", "--to", "lyra", "--to", "tam", "Fog lies."];
    assert_eq!(heard_by(&test_dir, &there), serde_json::json!(["lyra", "tam"]));
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), serde_json::json!(["ada", "ben", "kit"]));
    assert_eq!(heard_by(&test_dir, &["--at", "weir", "A bell rings."]), serde_json::json!(["lyra", "pike", "tam"]));
}

#[test]
fn a_scene_that_moves_with_characters_whom_the_line_does_not_name_is_noticed() {
    let test_dir = party_of_three();
    let moved = |line: &str| {
        let notes = test_dir.run(&["-C", "mill", "log", "--at", "weir", line]).stderr;
        test_dir.ok(&["-C", "mill", "undo"]);
        notes
    };
    let note = moved("Lyra and Tam march up to the Old Weir.");
    for part in [
        "Kit also moves to The Old Weir, although the line names only others; if Kit stays behind, run `hearsay ",
        "undo`, and log the line with `--at weir --to lyra --to tam`",
    ] {
        assert!(note.contains(part), "{part}: {note}");
    }
    for line in [
        "Lyra, Tam and Kit march up to the Old Weir.",
        "They march up to the Old Weir.",
        "Lyra goes to the Old Weir with Tam and Kit.",
        "Lyra looks at the water.",
        "Lyra opens the gate of the Old Weir.",
    ] {
        assert!(!moved(line).contains("also move"), "{line}");
    }
    let there = ["--at", "weir", "--to", "lyra", "--to", "tam", "Lyra and Tam march up to the Old Weir."];
    assert_eq!(heard_by(&test_dir, &there), serde_json::json!(["lyra", "tam"]));
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), serde_json::json!(["ada", "ben", "kit"]));
}

#[test]
fn the_report_of_a_session_lists_where_npcs_went() {
    let test_dir = split_party();
    test_dir.write("mill/wick.yaml", "entities:\n  - {id: wick, name: Wick, kind: npc, home: weir}\n");
    test_dir.ok(&["-C", "mill", "session", "attend", "--arrive", "pike", "--arrive", "wick"]);
    test_dir.ok(&["-C", "mill", "session", "attend", "--leave", "wick"]);
    let report = test_dir.ok(&["-C", "mill", "session", "end"]);
    assert!(report.contains("Changed:\n") && report.contains("  moved: Amos Pike is at The Mill.  ["), "{report}");
    assert!(!report.contains("moved: Wick") && !report.contains("moved: Lyra"), "{report}");
}

#[test]
fn visitors_whom_everybody_leaves_are_named() {
    let test_dir = split_party();
    test_dir.ok(&["-C", "mill", "session", "attend", "--arrive", "pike"]);
    let notes = |line: &[&str]| {
        let notes = test_dir.run(&[&["-C", "mill", "log"], line].concat()).stderr;
        test_dir.ok(&["-C", "mill", "undo"]);
        notes
    };
    let line = "Everyone rides over to the Old Weir.";
    for line in [&[line][..], &["--at", "weir", line]] {
        let notes = notes(line);
        let note = "Amos Pike does not move with the party; to move Amos Pike to The Old Weir: `hearsay ";
        assert!(notes.contains(note) && notes.contains("fact add pike LOCATED_AT weir`"), "{line:?}: {notes}");
        assert!(!notes.contains("Ben does not move"), "{line:?}: {notes}");
    }
    for line in ["The party rides over to the Old Weir.", "Everyone looks at the Old Weir.", "Everyone sits down."] {
        assert!(!notes(&[line]).contains("does not move with the party"), "{line}");
    }
}

#[test]
fn narration_says_who_comes_who_is_sent_away_and_who_is_addressed() {
    let test_dir = split_party();
    let notes = |line: &str| test_dir.run(&["-C", "mill", "log", line]).stderr;
    for line in [
        "Ben grabs the poker. Pike is going to hang for this.",
        "Ben grabs the poker and says Pike is going to hang.",
        "Ben says, 'Pike comes back tonight.'",
        "Pike will pay for this.",
    ] {
        assert!(!notes(line).contains("--arrive pike"), "{line}: {}", notes(line));
    }
    for (line, part) in [
        ("Pike steps out of the dark, lantern in hand.", "session attend --arrive pike`"),
        ("Ben throws Tam Reed out of the mill.", "session attend --leave tam`"),
        (
            "Jamila the ferrywoman waves.",
            "no character is called \"Jamila\". If Jamila is a new character, run `hearsay ",
        ),
        ("Jamila the ferrywoman calls across the water: Anybody?", "--by jamila`"),
    ] {
        assert!(notes(line).contains(part), "{line}: {}", notes(line));
    }
    assert!(!notes("Ben tells Tam that the mill burns.").contains("does not hear this"));
    assert!(!notes("Ben throws the bucket out.").contains("session attend"));
    // A character outside the scene to whom somebody speaks either learns a fact of the line, or hears nothing.
    let owner_is_known = || test_dir.ok(&["-C", "mill", "know", "knows", "pike"]).contains(" owns ");
    for (policy, learns) in [
        ("floor = 0.999\nthreshold = 1.0\ncanon_threshold = 1.0", false),
        ("threshold = 0.3\ncanon_threshold = 0.3", true),
    ] {
        test_dir.write("mill/hearsay.toml", &format!("[policy]\n{policy}\n"));
        let note = notes("Ben told Pike that Ada Flint owns the Old Weir.");
        let is_noted = note.contains("Amos Pike is not in the scene, and does not hear this");
        assert_eq!((owner_is_known(), is_noted), (learns, !learns), "{note}");
    }
}

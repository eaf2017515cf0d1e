//! Tests of the presence of characters in the scenes of a session: who comes, who leaves, and what `log` says about it.

use super::*;

/// Returns a mill with two player characters, a weir with a keeper, and a session at the mill.
fn split_party() -> TestDir {
    let test_dir = TestDir::new();
    let people = r#"
entities:
  - {id: weir, name: The Old Weir, kind: location, description: A lock on the river.}
  - {id: lyra, name: Lyra Fenn, kind: player, home: none, attributes: {pronouns: she/her}}
  - {id: tam, name: Tam Reed, kind: player, home: none, attributes: {pronouns: he/him}}
  - {id: pike, name: Amos Pike, kind: npc, home: weir, attributes: {pronouns: he/him}}
"#;
    test_dir.write("mill/party.yaml", people);
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    test_dir
}

/// Logs a line, and returns its hearers.
fn heard_by(test_dir: &TestDir, line: &[&str]) -> Value {
    test_dir.json(&[&["-C", "mill", "log"][..], line].concat())["heard_by"].clone()
}

/// Runs the first command that a text names in backticks.
fn run_named_command(test_dir: &TestDir, text: &str, part: &str) -> String {
    let command = text.split('`').find(|command| command.starts_with("hearsay ") && command.contains(part));
    let command = command.unwrap_or_else(|| panic!("no command with {part}: {text}"));
    test_dir.ok(&command.split(' ').skip(1).collect::<Vec<_>>())
}

#[test]
fn a_speaker_is_in_the_scene_from_its_line_on_and_the_output_says_so() {
    let test_dir = split_party();
    let without_pike = serde_json::json!(["ada", "ben", "lyra", "tam"]);
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), without_pike);
    let spoken = test_dir.run(&["-C", "mill", "log", "Pike: Good evening."]);
    assert!(spoken.stdout.contains("  Amos Pike is in the scene from this line on; if not: `"), "{}", spoken.stdout);
    let with_pike = serde_json::json!(["ada", "ben", "lyra", "pike", "tam"]);
    assert_eq!(heard_by(&test_dir, &["The fire burns."]), with_pike);
    // Notes stand below the result, and name the lines that he missed.
    assert!(spoken.stderr.contains("did not hear line 1; if Amos Pike was there: `"), "{}", spoken.stderr);
    run_named_command(&test_dir, &spoken.stderr, "log --line 1 --with pike");
    // He lives at the weir, so he is there again.
    let left = run_named_command(&test_dir, &spoken.stdout, "session attend --leave pike");
    assert!(left.contains("Amos Pike leaves; Amos Pike is now at The Old Weir"), "{left}");
    assert_eq!(heard_by(&test_dir, &["The rain stops."]), without_pike);
    test_dir.ok(&["-C", "mill", "session", "end"]);
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    assert_eq!(heard_by(&test_dir, &["A new day."]), without_pike);
}

#[test]
fn speakers_with_an_attending_character_outside_the_scene_speak_there() {
    let test_dir = split_party();
    test_dir.ok(&["-C", "mill", "fact", "add", "lyra", "LOCATED_AT", "weir"]);
    // The line is said at her place, and the scene stays at the mill.
    let spoken = test_dir.run(&["-C", "mill", "log", "Lyra: I am at the weir."]);
    assert!(spoken.stdout.contains("heard by: Lyra Fenn, Amos Pike\n"), "{}", spoken.stdout);
    assert!(spoken.stderr.contains("so the line is said at The Old Weir"), "{}", spoken.stderr);
    assert!(spoken.stderr.contains("if Lyra Fenn says it at The Mill, run `hearsay"), "{}", spoken.stderr);
    assert!(spoken.stderr.contains("undo`, and log the line with `--at the-mill`"), "{}", spoken.stderr);
    assert!(!spoken.stderr.contains("did not hear"), "{}", spoken.stderr);
    assert!(!spoken.stdout.contains("Lyra Fenn is now at"), "{}", spoken.stdout);
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), serde_json::json!(["ada", "ben", "tam"]));
    // So are the lines of the NPCs who are with her.
    test_dir.ok(&["-C", "mill", "fact", "add", "ben", "LOCATED_AT", "weir"]);
    for (line, name) in [("Ben: Hm.", "Ben"), ("Pike: Hm.", "Amos Pike")] {
        let spoken = test_dir.run(&["-C", "mill", "log", line]);
        assert!(spoken.stdout.contains("heard by: Ben, Lyra Fenn, Amos Pike\n"), "{}", spoken.stdout);
        let note = format!("{name} is at The Old Weir, so the line is said at The Old Weir");
        assert!(spoken.stderr.contains(&note), "{}", spoken.stderr);
    }
    // Without her, Ben comes into the scene.
    test_dir.ok(&["-C", "mill", "session", "attend", "--arrive", "lyra"]);
    let spoken = test_dir.ok(&["-C", "mill", "log", "Ben: I am back."]);
    assert!(spoken.contains("Ben is in the scene from this line on"), "{spoken}");
    assert_eq!(heard_by(&test_dir, &["The rain stops."]), serde_json::json!(["ada", "ben", "lyra", "tam"]));
}

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
fn an_npc_under_a_secret_name_hears_only_its_own_line() {
    let test_dir = split_party();
    let alias = "entities:\n  - {id: dirk, name: Dirk Moss, kind: npc, home: weir, aliases: [{name: Grey Cloak, secret: \
                 true}]}\n";
    test_dir.write("mill/cloak.yaml", alias);
    test_dir.ok(&["-C", "mill", "sync"]);
    let spoken = test_dir.run(&["-C", "mill", "log", "--by", "Grey Cloak", "Nobody moves!"]);
    assert!(spoken.stderr.contains("hears only this line"), "{}", spoken.stderr);
    assert!(spoken.stderr.contains("if Dirk Moss says it there, run `hearsay"), "{}", spoken.stderr);
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), serde_json::json!(["ada", "ben", "lyra", "tam"]));
    run_named_command(&test_dir, &spoken.stderr, "session attend --arrive dirk");
    assert_eq!(heard_by(&test_dir, &["The rain stops."]), serde_json::json!(["ada", "ben", "dirk", "lyra", "tam"]));
}

#[test]
fn several_lines_get_another_hearer_in_one_command() {
    let test_dir = split_party();
    for line in ["Rain falls.", "Lyra whispers to Tam: Not here.", "The fire burns.", "The door creaks."] {
        test_dir.ok(&["-C", "mill", "log", line]);
    }
    // The whisper was not for him.
    let speaks = test_dir.run(&["-C", "mill", "log", "Pike: Good evening."]);
    let added = run_named_command(&test_dir, &speaks.stderr, "log --line 1,3-4 --with pike");
    assert_eq!(added.matches("also heard by Amos Pike").count(), 3, "{added}");
    let line = ["-C", "mill", "log", "--line", "1-3"];
    test_dir.fails(&[&line[..], &["--lie"]].concat(), 2, &["only with --yes, --by, --with or --without"]);
    test_dir.fails(&["-C", "mill", "log", "--line", "3-1", "--with", "pike"], 2, &["such as 7 or 7,9-12"]);
}

#[test]
fn missed_lines_are_offered_only_if_they_were_meant_for_everybody() {
    let test_dir = split_party();
    // Somebody who comes in was outside before.
    test_dir.ok(&["-C", "mill", "log", "Rain falls."]);
    let comes = test_dir.run(&["-C", "mill", "log", "The door opens, and Pike comes in."]);
    assert!(comes.stderr.contains("session attend --arrive pike"), "{}", comes.stderr);
    assert!(!comes.stderr.contains("did not hear"), "{}", comes.stderr);
    let speaks = test_dir.run(&["-C", "mill", "log", "Pike: Good evening."]);
    assert!(!speaks.stderr.contains("did not hear"), "{}", speaks.stderr);
    test_dir.ok(&["-C", "mill", "session", "attend", "--leave", "pike"]);
    // A whisper with a misspelled speaker is narration that only one character hears.
    test_dir.ok(&["-C", "mill", "log", "Lyrra whispers to Tam: Not here."]);
    let speaks = test_dir.run(&["-C", "mill", "log", "Pike: I am back."]);
    assert!(!speaks.stderr.contains("did not hear"), "{}", speaks.stderr);
}

#[test]
fn several_lines_get_another_speaker_in_one_command() {
    let test_dir = split_party();
    test_dir.ok(&["-C", "mill", "log", "Lyrra: Not here."]);
    test_dir.ok(&["-C", "mill", "log", "Lyrra: Come to the weir."]);
    let corrected = test_dir.ok(&["-C", "mill", "log", "--line", "1,2", "--by", "lyra"]);
    assert_eq!(corrected.matches("Lyra Fenn says the line").count(), 2, "{corrected}");
    assert_eq!(corrected.matches("(operation ").count(), 1, "{corrected}");
    let lines = test_dir.json(&["-C", "mill", "session", "show", "--log"]);
    for (line, text) in [(0, "Not here."), (1, "Come to the weir.")] {
        assert_eq!(
            (lines[line]["speaker"].as_str(), lines[line]["text"].as_str()),
            (Some("lyra"), Some(text)),
            "{lines}"
        );
    }
}

#[test]
fn narration_that_begins_with_another_place_is_noticed() {
    let test_dir = split_party();
    let notes = |line: &[&str]| test_dir.run(&[&["-C", "mill", "log"], line].concat()).stderr;
    let told = "if this happens at The Old Weir, run `hearsay";
    for line in ["At the weir, fog lies over the water.", "Meanwhile, back at the Old Weir, a bell rings."] {
        let notes = notes(&[line]);
        assert!(notes.contains(told) && notes.contains("`--at weir`"), "{line}: {notes}");
    }
    for line in ["At the mill, the wheel turns.", "At night, the fire burns low.", "In the end, Ben nods."] {
        assert!(!notes(&[line]).contains("if this happens"), "{line}");
    }
    assert!(!notes(&["--at", "weir", "At the weir, fog lies over the water."]).contains("if this happens"));
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
fn hyphens_in_the_name_of_a_place_mean_spaces() {
    let test_dir = split_party();
    let line = ["-C", "mill", "log", "--at", "old-weir", "Fog lies over the water."];
    assert!(test_dir.ok(&line).contains("now at The Old Weir"));
    test_dir.fails(&["-C", "mill", "entity", "show", "old-weir-lock"], 3, &["old-weir-lock"]);
}

#[test]
fn the_dead_hear_nothing_until_the_dm_decides() {
    let test_dir = split_party();
    let died = test_dir.ok(&["-C", "mill", "log", "Ben dies in the fire."]);
    assert!(died.contains("hears no later lines, until you decide"), "{died}");
    let later = test_dir.run(&["-C", "mill", "log", "Rain falls."]);
    assert!(later.stdout.contains("heard by: Ada Flint, Lyra Fenn, Tam Reed\n"), "{}", later.stdout);
    // A line that does not mention the dead, or only mentions them, repeats no question.
    let note = "Ben hears nothing until you decide on the death";
    assert!(!later.stderr.contains(note), "{}", later.stderr);
    for line in ["Ada Flint kneels beside Ben.", "Ada: Ben was a good man.", "Tam Reed closes Ben's eyes."] {
        let mentioned = test_dir.run(&["-C", "mill", "log", line]);
        assert!(mentioned.code == 0 && !mentioned.stderr.contains(note), "{line}: {}", mentioned.stderr);
    }
    let acting = test_dir.run(&["-C", "mill", "log", "Ben coughs and gets up."]);
    assert!(acting.stderr.contains(note), "{}", acting.stderr);
    run_named_command(&test_dir, &acting.stderr, "review reject");
    assert_eq!(heard_by(&test_dir, &["The rain stops."]), serde_json::json!(["ada", "ben", "lyra", "tam"]));
}

#[test]
fn a_character_at_home_stays_behind_if_the_scene_changes_to_others() {
    let test_dir = TestDir::new();
    let people = "entities:\n  - {id: weir, name: The Old Weir, kind: location}\n  - {id: lyra, name: Lyra Fenn, kind: \
                  player, home: the-mill}\n  - {id: wren, name: Wren Oake, kind: player, home: the-mill}\n";
    test_dir.write("mill/party.yaml", people);
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    test_dir.ok(&["-C", "mill", "fact", "add", "lyra", "LOCATED_AT", "weir"]);
    let there = test_dir.ok(&["-C", "mill", "log", "--at", "weir", "Fog lies over the water."]);
    assert!(there.contains("; Wren Oake stays behind") && !there.contains("now at"), "{there}");
    assert_eq!(heard_by(&test_dir, &["A bell rings."]), serde_json::json!(["lyra"]));
    let back = test_dir.ok(&["-C", "mill", "log", "--at", "the-mill", "The fire burns."]);
    assert!(back.contains("; Lyra Fenn stays behind") && !back.contains("now at"), "{back}");
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), serde_json::json!(["ada", "ben", "wren"]));
    assert_eq!(heard_by(&test_dir, &["--at", "weir", "The fog lifts."]), serde_json::json!(["lyra"]));
}

#[test]
fn the_characters_in_a_scene_know_who_comes_and_who_leaves() {
    let test_dir = TestDir::new();
    let people = r#"
audience: {attributes: {name: common}}
entities:
  - {id: weir, name: The Old Weir, kind: location}
  - {id: lyra, name: Lyra Fenn, kind: player, home: none}
  - {id: pike, name: Amos Pike, kind: npc, home: weir}
"#;
    test_dir.write("mill/party.yaml", people);
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    let knows = |who: &str, text: &str| {
        test_dir.run(&["-C", "mill", "know", "knows", who, "--limit", "100", "--json"]).stdout.contains(text)
    };
    let (place, end) = ("Amos Pike is at The Mill", "it is no longer true that Amos Pike is at The Mill");
    test_dir.ok(&["-C", "mill", "session", "attend", "--arrive", "pike"]);
    assert!(["pike", "lyra", "ben"].iter().all(|who| knows(who, place)));
    assert!(!knows("sam-a", place), "Sam is not there");
    test_dir.ok(&["-C", "mill", "session", "attend", "--leave", "pike"]);
    assert!(["pike", "lyra", "ben"].iter().all(|who| knows(who, end)));
    assert!(!knows("sam-a", end), "Sam is not there");
    // Only the JSON output lists the departure, because it repeats what the past location says.
    for command in [&["know", "knows", "lyra"][..], &["know", "knows", "--players"]] {
        let listed = test_dir.ok(&[&["-C", "mill"][..], command].concat());
        assert!(listed.contains(place) && !listed.contains(end), "{listed}");
    }
    let context = test_dir.ok(&["-C", "mill", "ask", "--as", "ben", "--no-meaning", "Where is Amos Pike?"]);
    assert!(!context.contains(end), "{context}");
    let recap = test_dir.ok(&["-C", "mill", "session", "recap"]);
    assert!(!recap.contains(end), "{recap}");
    // He comes back in the same minute, so his location is the same fact again.
    test_dir.ok(&["-C", "mill", "log", "Pike: I forgot my hat."]);
    assert!(["pike", "lyra", "ben"].iter().all(|who| knows(who, place) && !knows(who, end)));
    // A recorded move out of the scene is a departure too.
    test_dir.ok(&["-C", "mill", "fact", "add", "pike", "LOCATED_AT", "weir"]);
    assert!(["lyra", "ben"].iter().all(|who| knows(who, end)) && !knows("lyra", "Amos Pike is at The Old Weir"));
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
fn a_character_in_the_scene_sees_who_is_there() {
    let test_dir = split_party();
    let scene = |who: &str| test_dir.ok(&["-C", "mill", "ask", "--as", who, "--no-meaning", "Who is here?"]);
    let lyra = scene("lyra");
    assert!(
        ["The miller is there.", "The carter is there.", "Tam Reed is there."].iter().all(|line| lyra.contains(line))
    );
    assert!(!lyra.contains("Ada Flint") && !lyra.contains("stranger"), "{lyra}");
    let ada = scene("ada");
    assert!(ada.contains("Ben is there") && ada.contains("2 strangers are there."), "{ada}");
    test_dir.ok(&["-C", "mill", "session", "attend", "--leave", "ben"]);
    test_dir.ok(&["-C", "mill", "session", "attend", "--arrive", "sam-a"]);
    let lyra = scene("lyra");
    assert!(!lyra.contains("carter") && lyra.contains("A stranger is there."), "{lyra}");
    test_dir.ok(&["-C", "mill", "entity", "set", "sam-a", "condition", "dead"]);
    assert!(!scene("lyra").contains("stranger"), "the dead are not there");
    // After the session, Lyra remembers who was there and whose name she heard.
    test_dir.ok(&["-C", "mill", "log", "Ada: I am Ada Flint."]);
    test_dir.ok(&["-C", "mill", "session", "end"]);
    let lyra = scene("lyra");
    assert!(lyra.contains("Ada Flint is there") && !lyra.contains("carter"), "{lyra}");
}

#[test]
fn a_stranger_who_comes_into_the_scene_stays_a_stranger() {
    let test_dir = split_party();
    test_dir.ok(&["-C", "mill", "session", "attend", "--arrive", "pike"]);
    for who in ["ada", "lyra"] {
        let known = test_dir.ok(&["-C", "mill", "know", "knows", who]);
        assert!(!known.contains("Pike"), "{known}");
    }
    // They hear his name before he comes again.
    test_dir.ok(&["-C", "mill", "session", "attend", "--leave", "pike"]);
    test_dir.ok(&["-C", "mill", "log", "Amos Pike sits in the yard."]);
    test_dir.ok(&["-C", "mill", "session", "attend", "--arrive", "pike"]);
    assert!(test_dir.ok(&["-C", "mill", "know", "knows", "lyra"]).contains("Amos Pike is at The Mill"));
}

#[test]
fn a_character_under_a_secret_name_is_a_stranger_in_the_scene() {
    let test_dir = TestDir::new();
    let people = r#"
entities:
  - {id: lyra, name: Lyra Fenn, kind: player, home: none}
  - {id: pike, name: Amos Pike, kind: npc, home: the-mill, aliases: [{name: Grey Cloak, secret: true, known_by: [ben]}]}
"#;
    test_dir.write("mill/party.yaml", people);
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    let scene = |who: &str| test_dir.ok(&["-C", "mill", "ask", "--as", who, "--no-meaning", "Who is here?"]);
    assert!(scene("ada").contains("Amos Pike is there") && scene("ada").contains("A stranger is there."));
    test_dir.ok(&["-C", "mill", "log", "--by", "Grey Cloak", "Nobody moves!"]);
    // The other stranger is Lyra. Ben knows whose name it is.
    let ada = scene("ada");
    assert!(!ada.contains("Amos Pike is there") && ada.contains("2 strangers are there."), "{ada}");
    assert!(scene("ben").contains("Amos Pike is there"), "{}", scene("ben"));
}

#[test]
fn characters_who_come_back_to_the_scene_hear_of_it() {
    let test_dir = split_party();
    for who in ["lyra", "tam"] {
        test_dir.ok(&["-C", "mill", "fact", "add", who, "LOCATED_AT", "weir"]);
    }
    let residents = serde_json::json!(["ada", "ben"]);
    assert_eq!(heard_by(&test_dir, &["Lyra kicks a stone."]), residents);
    let back = heard_by(&test_dir, &["Lyra and Tam come back to the mill, white with snow."]);
    assert_eq!(back, serde_json::json!(["ada", "ben", "lyra", "tam"]));
    assert_eq!(heard_by(&test_dir, &["Tam returns, and sits down."]), serde_json::json!(["ada", "ben", "tam"]));
    // The DM decides who is in the scene.
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), residents);
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

#[test]
fn narration_about_characters_outside_the_scene_does_not_happen_in_it() {
    let test_dir = party_of_three();
    test_dir.ok(&["-C", "mill", "fact", "add", "lyra", "LOCATED_AT", "weir"]);
    let logged = test_dir.run(&["-C", "mill", "log", "Meanwhile in the cellar Lyra finds a chest."]);
    assert!(logged.stderr.contains("Lyra Fenn is at The Old Weir, and does not hear this"), "{}", logged.stderr);
    // All who are there hear the line, but nobody who only lives elsewhere.
    assert!(logged.stderr.contains("log the line with `--at weir --to lyra --to pike`"), "{}", logged.stderr);
    // The line names the place, so it happens there, and the scene stays at the mill.
    let aside = test_dir.run(&["-C", "mill", "log", "At the Old Weir, Lyra finds a chest."]);
    assert!(aside.stdout.contains("heard by: Lyra Fenn, Amos Pike\n"), "{}", aside.stdout);
    assert!(aside.stderr.contains("so this happens at The Old Weir"), "{}", aside.stderr);
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), serde_json::json!(["ada", "ben", "kit", "tam"]));
    // If a character in the scene acts too, the place is unclear.
    let unclear = test_dir.run(&["-C", "mill", "log", "In the cellar, Lyra finds a chest and Kit laughs."]);
    assert!(!unclear.stderr.contains("--to lyra"), "{}", unclear.stderr);
    // The place of a character who left the scene is unknown.
    test_dir.ok(&["-C", "mill", "session", "attend", "--leave", "kit"]);
    let left = test_dir.run(&["-C", "mill", "log", "In the attic, Kit opens a box."]);
    assert!(left.stderr.contains("log the line with `--at PLACE --to kit`"), "{}", left.stderr);
}

#[test]
fn narration_about_people_at_another_place_is_heard_there() {
    let test_dir = split_party();
    let scene = serde_json::json!(["ada", "ben", "lyra", "tam"]);
    for line in [
        "Meanwhile at the Old Weir Pike mends a net.",
        "Meanwhile, at the weir, Amos Pike opens the sluice and swears at Lyra.",
        "At the Old Weir Pike mends a net.",
        "Elsewhere, at the weir, Pike counts the eels.",
        "At the same time, at the Old Weir, Pike opens a bottle.",
    ] {
        let aside = test_dir.run(&["-C", "mill", "log", line]);
        assert!(aside.stdout.contains("heard by: Amos Pike\n"), "{line}: {}", aside.stdout);
        assert!(aside.stderr.contains("so this happens at The Old Weir"), "{line}: {}", aside.stderr);
        assert!(!aside.stdout.contains("into the scene"), "{line}: {}", aside.stdout);
        assert_eq!(heard_by(&test_dir, &["Rain falls."]), scene, "{line}");
    }
    // The party perhaps arrives there, or the place is not where the line happens.
    for line in [
        "At the Old Weir, Pike waves at you.",
        "At the Old Weir, Pike waves at Lyra.",
        "At the Old Weir Lyra mends a net.",
        "At the weir house Pike mends a net.",
        "In the evening Pike mends a net.",
    ] {
        let logged = test_dir.run(&["-C", "mill", "log", line]);
        assert!(logged.stdout.contains("Lyra Fenn"), "{line}: {}", logged.stdout);
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
    ] {
        let test_dir = hall();
        test_dir.ok(&["-C", "mill", "log", line]);
        test_dir.ok(&["-C", "mill", "log", "--yes"]);
        assert_eq!(heard_by(&test_dir, &["Rain falls."]), serde_json::json!(["lyra"]), "{line}");
    }
}

#[test]
fn narration_can_say_that_nobody_or_only_one_person_notices_it() {
    let test_dir = split_party();
    let scene = serde_json::json!(["ada", "ben", "lyra", "tam"]);
    for (line, expected) in [
        ("Tam slides a knife into his boot. Nobody sees it.", serde_json::json!(["tam"])),
        ("Ben yawns. Tam slides a knife into his boot, and no one else notices.", serde_json::json!(["tam"])),
        ("Tam pockets the seal while nobody is looking.", serde_json::json!(["tam"])),
        ("Tam pockets the seal without being seen.", serde_json::json!(["tam"])),
        ("Tam pockets the seal. Only Lyra sees it.", serde_json::json!(["lyra", "tam"])),
        ("Only Lyra and Ben hear the scratching in the wall.", serde_json::json!(["ben", "lyra"])),
        ("Tam pockets the seal. Nobody but Ben notices.", serde_json::json!(["ben", "tam"])),
        ("Out of Ben's sight, Tam pockets the seal.", serde_json::json!(["ada", "lyra", "tam"])),
    ] {
        assert_eq!(heard_by(&test_dir, &[line]), expected, "{line}");
    }
    for line in [
        "Tam says nobody sees it.",
        "Tam asks around. Nobody saw it.",
        "Tam looks down. Nobody sees why.",
        "Only Lyra goes down to see it.",
        "Tam knocks. Nobody hears the bell over the storm.",
        "The shutter bangs. Nobody notices.",
    ] {
        assert_eq!(heard_by(&test_dir, &[line]), scene, "{line}");
    }
    // A person who leaves unseen still leaves.
    let notes = test_dir.run(&["-C", "mill", "log", "Tam slips out. Nobody notices."]).stderr;
    assert!(notes.contains("session attend --leave tam`"), "{notes}");
}

#[test]
fn only_the_person_who_thinks_notices_its_thoughts() {
    let test_dir = split_party();
    let log = |line: &str| test_dir.run(&["-C", "mill", "log", line]);
    let scene = serde_json::json!(["ada", "ben", "lyra", "tam"]);
    for line in [
        "Tam wonders where the miller hides the tar.",
        "Suddenly Tam remembers the barrel under the stairs.",
        "Tam suspects that Ada Flint lies. He hopes for better days.",
        "Tam decides to trust the ferryman.",
    ] {
        assert_eq!(heard_by(&test_dir, &[line]), serde_json::json!(["tam"]), "{line}");
    }
    for line in [
        "Tam wonders aloud where the tar is.",
        "Tam thinks of the tar and lights a lamp.",
        "Tam thinks of the tar. Lyra yawns.",
        "Tam thinks of the tar, and Lyra yawns.",
        "Tam remembers to bar the gate.",
        "Tam and Lyra wonder where the tar is.",
        "Tam looks at the tar.",
    ] {
        assert_eq!(heard_by(&test_dir, &[line]), scene, "{line}");
    }
    let thought = log("Lyra realizes that the tar is gone.");
    assert!(thought.stderr.contains("heard by: only Lyra Fenn, because thoughts are not heard"), "{}", thought.stderr);
    run_named_command(&test_dir, &thought.stderr, "--with tam");
    let lines = test_dir.json(&["-C", "mill", "session", "show", "--log"]);
    let last = lines.as_array().unwrap().last().unwrap();
    assert_eq!(last["heard_by"], scene, "{last}");
    // A person outside the scene can think too, and stays there.
    let far = log("Pike suspects that the tar is gone.");
    assert!(far.stdout.contains("heard by: Amos Pike\n") && !far.stderr.contains("--arrive pike"), "{}", far.stdout);
}

#[test]
fn a_statement_about_an_absent_person_is_no_deed() {
    let test_dir = split_party();
    for line in [
        "Pike owes Ben nine marks.",
        "Pike is the slowest man on the river.",
        "Pike loves Ada's bread and beer.",
        "Pike has two brothers.",
        "Pike works for the guild.",
    ] {
        let logged = test_dir.run(&["-C", "mill", "log", line]);
        let is_silent = !logged.stdout.contains("into the scene") && !logged.stderr.contains("--arrive pike");
        assert!(is_silent && !logged.stdout.contains("Amos Pike,"), "{line}: {}{}", logged.stdout, logged.stderr);
    }
    for line in ["Pike is shaking the rain off his hat.", "Pike knocks.", "Pike owns the lock and pounds on the door."]
    {
        let notes = test_dir.run(&["-C", "mill", "log", line]).stderr;
        assert!(notes.contains("session attend --arrive pike`"), "{line}: {notes}");
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
    for line in ["Pike barges in with Wick at his heels.", "Pike comes in from the rain with Wick."] {
        let both = notes(line).stderr;
        let arrives = |who: &str| both.contains(&format!("session attend --arrive {who}`"));
        assert!(arrives("pike") && arrives("wick"), "{line}: {both}");
    }
    for line in ["Lyra carries Wick's letter in.", "Lyra chimes in with Wick.", "Lyra takes the washing in."] {
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
fn the_missed_lines_are_complete_although_somebody_else_came_later() {
    let test_dir = split_party();
    test_dir.write("mill/wick.yaml", "entities:\n  - {id: wick, name: Wick, kind: npc, home: weir}\n");
    test_dir.ok(&["-C", "mill", "log", "Rain falls."]);
    test_dir.ok(&["-C", "mill", "log", "Lyra whispers to Tam: Not here."]);
    test_dir.ok(&["-C", "mill", "log", "Wick: Good evening."]);
    test_dir.ok(&["-C", "mill", "log", "The fire burns."]);
    let spoken = test_dir.run(&["-C", "mill", "log", "Pike: What a night."]);
    assert!(spoken.stderr.contains("Amos Pike did not hear lines 1,3-4;"), "{}", spoken.stderr);
}

#[test]
fn a_word_before_a_comma_is_no_new_person() {
    let test_dir = split_party();
    let notes = |line: &str| test_dir.run(&["-C", "mill", "log", line]).stderr;
    for line in ["Meanwhile, the mill wheel stops.", "Overhead, the old bell stops."] {
        assert!(!notes(line).contains("no character is called"), "{line}: {}", notes(line));
    }
    let described = notes("Jorunn, the tollkeeper, waves.");
    assert!(described.contains("no character is called \"Jorunn\""), "{described}");
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
fn a_character_of_whom_narration_only_tells_hears_nothing() {
    let test_dir = split_party();
    let present = serde_json::json!(["ada", "ben", "lyra", "tam"]);
    for line in ["In the letter, Pike accuses the miller.", "According to the ledger, Pike pays the guild."] {
        let logged = test_dir.run(&["-C", "mill", "log", line]);
        assert!(!logged.stdout.contains("Amos Pike,") && !logged.stderr.contains("--arrive pike"), "{}", logged.stdout);
        assert_eq!(heard_by(&test_dir, &["Rain falls."]), present, "{line}");
    }
    let with_pike = serde_json::json!(["ada", "ben", "lyra", "pike", "tam"]);
    assert_eq!(heard_by(&test_dir, &["The door bangs and Pike comes in."]), with_pike);
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

/// Adds the third player character Kit to the scene of [`split_party`].
fn party_of_three() -> TestDir {
    let test_dir = split_party();
    test_dir.write("mill/kit.yaml", "entities:\n  - {id: kit, name: Kit, kind: player, home: none}\n");
    test_dir.ok(&["-C", "mill", "session", "attend", "--arrive", "kit"]);
    test_dir
}

#[test]
fn a_character_who_returns_is_not_gone() {
    let test_dir = TestDir::new();
    let people = r#"
entities:
  - {id: weir, name: The Old Weir, kind: location}
  - {id: lyra, name: Lyra Fenn, kind: player, home: none, location: the-mill}
  - {id: tam, name: Tam Reed, kind: player, home: none, location: the-mill}
"#;
    test_dir.write("mill/party.yaml", people);
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    test_dir.ok(&["-C", "mill", "log", "--at", "weir", "--to", "lyra", "Fog lies over the water."]);
    test_dir.ok(&["-C", "mill", "log", "Lyra comes back to the mill."]);
    test_dir.ok(&["-C", "mill", "session", "attend", "--arrive", "lyra"]);
    for who in ["ada", "tam"] {
        let page = test_dir.ok(&["-C", "mill", "entity", "show", "lyra", "--as", who]);
        assert!(page.contains("Lyra Fenn is at The Mill.") && !page.contains("no longer true"), "{who}: {page}");
        let context = test_dir.ok(&["-C", "mill", "ask", "--as", who, "--no-meaning", "Where is Lyra Fenn?"]);
        assert!(!context.contains("no longer true"), "{who}: {context}");
    }
    // Tam did not know that she was there before.
    let known = test_dir.json(&["-C", "mill", "know", "knows", "tam", "--limit", "200"]).to_string();
    assert!(!known.contains("no longer true"), "{known}");
    test_dir.ok(&["-C", "mill", "session", "end"]);
    let book = test_dir.ok(&["-C", "mill", "export", "--format", "handbook", "--for", "tam"]);
    assert!(!book.contains("no longer true") && !book.contains("This ended"), "{book}");
}

#[test]
fn a_nickname_in_the_scene_does_not_tell_the_whole_name() {
    let test_dir = TestDir::new();
    let people = "entities:\n  - {id: lyra, name: Lyra Fenn, aliases: [Ly], kind: player, home: none}\n";
    test_dir.write("mill/party.yaml", people);
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    test_dir.ok(&["-C", "mill", "log", "Ly warms her hands."]);
    for change in ["--leave", "--arrive", "--leave"] {
        test_dir.ok(&["-C", "mill", "session", "attend", change, "lyra"]);
    }
    let known = test_dir.json(&["-C", "mill", "know", "knows", "ben", "--limit", "200"]).to_string();
    assert!(!known.contains("Fenn"), "{known}");
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

#[test]
fn a_person_whom_no_player_met_is_no_part_of_the_story() {
    let test_dir = TestDir::new();
    let people = "entities:\n  - {id: vale, name: The Vale, kind: location}\n  - {id: lyra, name: Lyra Fenn, kind: player, \
                  home: vale}\n";
    test_dir.write("mill/party.yaml", people);
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    test_dir.ok(&["-C", "mill", "log", "Rain falls."]);
    test_dir.ok(&["-C", "mill", "entity", "add", "Brother Wick", "--at", "vale"]);
    test_dir.ok(&["-C", "mill", "session", "end"]);
    for audience in [&["--players"][..], &["--as", "lyra"]] {
        let recap = test_dir.ok(&[&["-C", "mill", "session", "recap"], audience].concat());
        assert!(recap.contains("Rain falls.") && !recap.contains("Wick"), "{recap}");
    }
    let book = test_dir.ok(&["-C", "mill", "export", "--format", "handbook"]);
    assert!(!book.contains("**Last seen:** The Vale"), "{book}");
}

#[test]
fn npcs_who_are_named_in_a_line_at_another_place_are_there() {
    let test_dir = split_party();
    let line = ["--at", "weir", "--by", "ben", "--to", "lyra", "Keep your voice down."];
    assert_eq!(heard_by(&test_dir, &line), serde_json::json!(["ben", "lyra"]));
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), serde_json::json!(["ada", "tam"]));
    assert_eq!(heard_by(&test_dir, &["Ben: The miller lied."]), serde_json::json!(["ben", "lyra", "pike"]));
    // The hearers can be NPCs too.
    let line = ["--at", "weir", "--by", "lyra", "--to", "ada", "Thank you for coming."];
    assert_eq!(heard_by(&test_dir, &line), serde_json::json!(["ada", "lyra"]));
    assert_eq!(heard_by(&test_dir, &["The wind rises."]), serde_json::json!(["tam"]));
    assert_eq!(heard_by(&test_dir, &["Ada: He did."]), serde_json::json!(["ada", "ben", "lyra", "pike"]));
    assert_eq!(heard_by(&test_dir, &["--at", "weir", "Fog lies."]), serde_json::json!(["ada", "ben", "lyra", "pike"]));
}

#[test]
fn a_dead_character_who_arrives_is_reported_as_dead() {
    let test_dir = split_party();
    test_dir.ok(&["-C", "mill", "entity", "set", "pike", "condition", "drowned"]);
    let arrived = test_dir.ok(&["-C", "mill", "session", "attend", "--arrive", "pike"]);
    assert!(arrived.contains("Amos Pike joins, but is dead and hears nothing"), "{arrived}");
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), serde_json::json!(["ada", "ben", "lyra", "tam"]));
}

#[test]
fn a_character_whose_death_was_a_mistake_can_hear_the_lines_that_it_missed() {
    let test_dir = split_party();
    let died = test_dir.json(&["-C", "mill", "log", "The roof comes down, and Tam Reed is dead."]);
    let death = died["extracted"][0]["fact"].as_str().unwrap();
    assert_eq!(heard_by(&test_dir, &["Dust settles."]), serde_json::json!(["ada", "ben", "lyra"]));
    let edited = test_dir.run(&["-C", "mill", "review", "edit", death, "--statement", "Amos Pike is dead."]);
    assert!(edited.stderr.contains("Tam Reed is alive, but did not hear line 2;"), "{}", edited.stderr);
    let knowers = test_dir.ok(&["-C", "mill", "know", "who-knows", "Amos Pike is dead."]);
    assert!(knowers.contains("  Tam Reed: witnessed"), "{knowers}");
    run_named_command(&test_dir, &edited.stderr, "log --line 2 --with tam");
    assert_eq!(heard_by(&test_dir, &["A beam cracks."]), serde_json::json!(["ada", "ben", "lyra", "tam"]));
}

#[test]
fn a_speaker_that_waits_for_review_is_accepted_before_it_says_a_line() {
    let test_dir = split_party();
    test_dir.ok(&["-C", "mill", "log", "Gwendal Tosh: The Old Weir belongs to my brother."]);
    let by = ["-C", "mill", "log", "--line", "1", "--by", "gwendal-tosh"];
    let refused = test_dir.run(&by);
    assert!(refused.code != 0 && refused.stderr.contains("review accept "), "{}", refused.stderr);
    test_dir.ok(&["-C", "mill", "log", "--line", "1", "--by", "pike"]);
}

#[test]
fn a_lie_after_an_unknown_deed_names_the_option_for_its_speaker() {
    let test_dir = split_party();
    let line = ["-C", "mill", "log", "--lie", "Ben yodels at the ceiling: Never saw a lantern in my life!"];
    test_dir.fails(&line, 1, &["if Ben", "`--by ben`"]);
    let logged = test_dir.run(&["-C", "mill", "log", "Ben harrumphs: Never saw a lantern, did you?"]);
    assert!(logged.stderr.contains("log --line 1 --by ben`"), "{}", logged.stderr);
}

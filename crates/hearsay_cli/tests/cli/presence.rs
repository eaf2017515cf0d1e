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
    assert!(spoken.stderr.contains("did not hear line 1; to change this: `"), "{}", spoken.stderr);
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
fn a_character_that_the_dm_moved_stays_away_when_it_speaks() {
    let test_dir = split_party();
    test_dir.ok(&["-C", "mill", "fact", "add", "lyra", "LOCATED_AT", "weir"]);
    let spoken = test_dir.run(&["-C", "mill", "log", "Lyra: I am at the weir."]);
    assert!(
        spoken.stderr.contains("hears only this line") && spoken.stderr.contains("at The Old Weir"),
        "{}",
        spoken.stderr
    );
    assert!(!spoken.stdout.contains("Lyra Fenn is now at"), "{}", spoken.stdout);
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), serde_json::json!(["ada", "ben", "tam"]));
    run_named_command(&test_dir, &spoken.stderr, "session attend --arrive lyra");
    assert_eq!(heard_by(&test_dir, &["The rain stops."]), serde_json::json!(["ada", "ben", "lyra", "tam"]));
}

#[test]
fn several_lines_get_another_hearer_in_one_command() {
    let test_dir = split_party();
    for line in ["Rain falls.", "Lyra whispers to Tam: Not here.", "The fire burns.", "The door creaks."] {
        test_dir.ok(&["-C", "mill", "log", line]);
    }
    let comes = test_dir.run(&["-C", "mill", "log", "The door opens, and Pike comes in."]);
    // A whisper was not for him.
    let added = run_named_command(&test_dir, &comes.stderr, "log --line 1,3-4 --with pike");
    assert_eq!(added.matches("also heard by Amos Pike").count(), 3, "{added}");
    run_named_command(&test_dir, &comes.stderr, "session attend --arrive pike");
    let line = ["-C", "mill", "log", "--line", "1-3"];
    test_dir.fails(&[&line[..], &["--lie"]].concat(), 2, &["only with --with or --without"]);
    test_dir.fails(&[&line[..], &["--by", "tam"]].concat(), 2, &["--by corrects one line"]);
    test_dir.fails(&["-C", "mill", "log", "--line", "3-1", "--with", "pike"], 2, &["such as 7 or 7,9-12"]);
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
    ] {
        assert!(notes(line).contains(command), "{line}: {}", notes(line));
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
    assert!(later.stderr.contains("Ben hears nothing until you decide on the death"), "{}", later.stderr);
    run_named_command(&test_dir, &later.stderr, "review reject");
    assert_eq!(heard_by(&test_dir, &["The rain stops."]), serde_json::json!(["ada", "ben", "lyra", "tam"]));
}

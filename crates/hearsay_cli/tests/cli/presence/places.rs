//! Tests of the place of a line, and lines at another place than the scene.

use super::*;

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
fn narration_on_the_way_that_others_hear_is_noticed() {
    let test_dir = split_party();
    let notes = |line: &[&str]| test_dir.run(&[&["-C", "mill", "log"], line].concat()).stderr;
    for line in [
        "On the way up to the Old Weir, a wheel breaks.",
        "Along the way, a fox crosses the road.",
        "On their way back Lyra finds a coin.",
    ] {
        let notes = notes(&[line]);
        let told = "Ada Flint and Ben hear this, although it happens on the way; if the scene has moved, run `hearsay ";
        assert!(notes.contains(told) && notes.contains("`--at PLACE`"), "{line}: {notes}");
    }
    for line in ["On the way out, Tam stumbles.", "On the way to the window, Tam stumbles.", "On the wall hangs a key."]
    {
        assert!(!notes(&[line]).contains("on the way"), "{line}");
    }
    // Only the party hears it.
    test_dir.ok(&["-C", "mill", "entity", "add", "The Long Pass", "--kind", "location"]);
    assert!(!notes(&["--at", "the-long-pass", "Snow falls."]).contains("on the way"));
    assert!(!notes(&["Along the way, a fox crosses the road."]).contains("on the way"));
}

#[test]
fn hyphens_in_the_name_of_a_place_mean_spaces() {
    let test_dir = split_party();
    let line = ["-C", "mill", "log", "--at", "old-weir", "Fog lies over the water."];
    assert!(test_dir.ok(&line).contains("now at The Old Weir"));
    test_dir.fails(&["-C", "mill", "entity", "show", "old-weir-lock"], 3, &["old-weir-lock"]);
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

//! Tests of characters who are dead, elsewhere or only mentioned.

use super::*;

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
fn an_npc_who_fled_is_not_at_home_in_the_next_session() {
    let test_dir = split_party();
    let fled = test_dir.run(&["-C", "mill", "log", "Ada Flint escapes through a hatch and over the roofs."]);
    assert!(fled.stderr.contains("to move Ada Flint to an unknown place: `"), "{}", fled.stderr);
    assert!(fled.stderr.contains("session attend --gone ada`"), "{}", fled.stderr);
    assert!(fled.stdout.contains("to move Ada Flint to an unknown place: `"), "{}", fled.stdout);
    // Ben leaves for the evening.
    test_dir.ok(&["-C", "mill", "log", "--yes"]);
    test_dir.ok(&["-C", "mill", "log", "Ben goes out."]);
    test_dir.ok(&["-C", "mill", "log", "--yes"]);
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), serde_json::json!(["lyra", "tam"]));
    test_dir.ok(&["-C", "mill", "session", "end"]);
    let started = test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    assert!(started.contains("  also there: Ben\n"), "{started}");
    let note = started.lines().find(|line| line.starts_with("  not there: ")).unwrap_or_default();
    assert!(note.starts_with("  not there: Ada Flint, who left on 2 Springmonth 10"), "{started}");
    assert!(note.ends_with(" and has not come back"), "{started}");
    assert_eq!(heard_by(&test_dir, &["The rain stops."]), serde_json::json!(["ben", "lyra", "tam"]));
    // She is there again as soon as the DM says where she is.
    test_dir.ok(&["-C", "mill", "fact", "add", "ada", "LOCATED_AT", "the-mill"]);
    assert_eq!(heard_by(&test_dir, &["A door slams."]), serde_json::json!(["ada", "ben", "lyra", "tam"]));
    test_dir.ok(&["-C", "mill", "session", "attend", "--gone", "ada"]);
    assert_eq!(heard_by(&test_dir, &["A cat mews."]), serde_json::json!(["ben", "lyra", "tam"]));
    test_dir.ok(&["-C", "mill", "session", "attend", "--arrive", "ada"]);
    assert_eq!(heard_by(&test_dir, &["A dog barks."]), serde_json::json!(["ada", "ben", "lyra", "tam"]));
}

#[test]
fn a_guest_who_left_for_an_unknown_place_is_not_at_home_either() {
    let test_dir = split_party();
    test_dir.ok(&["-C", "mill", "session", "attend", "--arrive", "pike"]);
    let gone = test_dir.ok(&["-C", "mill", "session", "attend", "--gone", "pike"]);
    assert!(gone.contains("Amos Pike leaves for an unknown place"), "{gone}");
    assert!(!gone.contains("now at"), "{gone}");
    test_dir.fails(&["-C", "mill", "session", "attend", "--gone", "pike"], 1, &["pike cannot leave now"]);
    assert_eq!(heard_by(&test_dir, &["--at", "weir", "Fog lies."]), serde_json::json!(["lyra", "tam"]));
    let spoken = test_dir.ok(&["-C", "mill", "log", "Pike: You found me."]);
    assert!(spoken.contains("Amos Pike is in the scene from this line on"), "{spoken}");
    assert_eq!(heard_by(&test_dir, &["The fog lifts."]), serde_json::json!(["lyra", "pike", "tam"]));
    // An NPC who is elsewhere can leave for an unknown place, too.
    test_dir.ok(&["-C", "mill", "session", "attend", "--gone", "ada"]);
    assert_eq!(
        heard_by(&test_dir, &["--at", "the-mill", "The wheel turns."]),
        serde_json::json!(["ben", "lyra", "tam"])
    );
}

#[test]
fn a_departure_for_the_evening_or_into_another_room_is_no_flight() {
    let test_dir = split_party();
    let notes = |line: &str| test_dir.run(&["-C", "mill", "log", line]).stderr;
    for line in
        ["Ben flees to the cellar.", "Ben leaves the house.", "Ben storms out.", "Ada Flint runs away upstairs."]
    {
        let notes = notes(line);
        assert!(notes.contains("session attend --leave") && !notes.contains("--gone"), "{line}: {notes}");
    }
    for line in [
        "Ben drives off in the cart with Ada Flint.",
        "At dawn, Ben is gone.",
        "Ben grabs the purse and leaves town.",
        "Ben makes off with the lantern.",
    ] {
        assert!(notes(line).contains("session attend --gone ben`"), "{line}: {}", notes(line));
    }
    assert!(notes("Ben rides away on the mare with Ada Flint.").contains("session attend --gone ada`"));
    for line in
        ["Ben has not fled.", "If Ben flees, the dog barks.", "Ben runs away from the goose.", "Ben escapes the ropes."]
    {
        assert!(!notes(line).contains("--gone"), "{line}: {}", notes(line));
    }
    // A player character whose place is unknown only leaves the scene.
    let notes = notes("Tam Reed runs away into the night.");
    assert!(notes.contains("session attend --leave tam`") && !notes.contains("--gone"), "{notes}");
}

#[test]
fn a_line_in_which_the_dead_act_is_recorded_with_a_warning() {
    let test_dir = split_party();
    let died = test_dir.json(&["-C", "mill", "log", "The roof comes down, and Tam Reed is dead."]);
    test_dir.ok(&["-C", "mill", "review", "accept", died["extracted"][0]["fact"].as_str().unwrap()]);
    test_dir.ok(&["-C", "mill", "session", "end"]);
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    let warns = |line: &str| {
        let logged = test_dir.run(&["-C", "mill", "log", line]);
        assert!(logged.code == 0 && logged.stdout.contains("heard by: "), "{line}: {}{}", logged.stdout, logged.stderr);
        logged.stderr.contains("warning: Tam Reed is dead since session ")
    };
    for line in ["Tam Reed pours the wine.", "The rain stops. Tam Reed winks at Lyra Fenn and waves."] {
        assert!(warns(line), "{line}");
    }
    for line in [
        "Lyra Fenn kneels beside Tam Reed.",
        "Tam Reed lies under the beam.",
        "Tam Reed built the wheel of the mill.",
        "Lyra Fenn pours the wine for Tam Reed.",
        "Lyra Fenn closes the eyes of Tam Reed.",
        "In the portrait, Tam Reed smiles.",
        "Tam Reed was a good man.",
    ] {
        assert!(!warns(line), "{line}");
    }
}

#[test]
fn a_pronoun_for_a_person_who_left_the_scene_gets_a_note() {
    let test_dir = split_party();
    test_dir.ok(&["-C", "mill", "log", "Lyra slips out through the back door."]);
    test_dir.ok(&["-C", "mill", "log", "--yes"]);
    let notes = |line: &[&str]| {
        let notes = test_dir.run(&[&["-C", "mill", "log"], line].concat()).stderr;
        test_dir.ok(&["-C", "mill", "undo"]);
        notes
    };
    for line in ["Tam stops her there.", "Tam grabs her and gives up: I burned the mill!"] {
        let note = notes(&[line]);
        for part in ["means Lyra Fenn, who is not in the scene", "log --line 2 --with lyra`", "--arrive lyra`"] {
            assert!(note.contains(part), "{part}: {line}: {note}");
        }
    }
    for line in [
        "Tam takes her lantern.",
        "Tam stops him there.",
        "Tam waves to her.",
        "Ada Flint comes in, and Tam hugs her.",
        "Ben: yesterday, Tam stopped her.",
        "Tam is going to stop her.",
    ] {
        assert!(!notes(&[line]).contains("a pronoun of the line"), "{line}");
    }
    assert!(!notes(&["--with", "lyra", "Tam stops her there."]).contains("a pronoun of the line"));
    // Somebody else acted last.
    test_dir.ok(&["-C", "mill", "log", "Ben sweeps the floor."]);
    assert!(!notes(&["Tam stops her there."]).contains("a pronoun of the line"));
}

#[test]
fn a_death_that_is_not_read_gets_a_note() {
    for line in [
        "Ben lunges at Tam, and Tam tumbles dead across the millstone.",
        "A beam breaks, and Tam Reed sinks dead onto it.",
        "Tam sways and perishes.",
    ] {
        let test_dir = split_party();
        let logged = test_dir.run(&["-C", "mill", "log", line]);
        let is_read = logged.stdout.contains("Tam Reed is dead");
        let note = "found no death in this line; if Tam Reed is dead, run `hearsay -C mill log \"Tam Reed is dead.\"`";
        assert!(is_read != logged.stderr.contains(note), "{line}: {}{}", logged.stdout, logged.stderr);
    }
    let test_dir = split_party();
    for line in [
        "Tam is dead tired.",
        "Lyra kills the lights.",
        "Ben looks at the dead cat.",
        "Tam nearly drops dead.",
        "Lyra finds her uncle dead.",
        "Ben says that Tam is dead.",
        "Is Tam dead?",
        "The storm dies down.",
    ] {
        let logged = test_dir.run(&["-C", "mill", "log", line]);
        assert!(!logged.stderr.contains("found no death"), "{line}: {}", logged.stderr);
    }
}

#[test]
fn a_note_names_a_hearer_who_is_outside_the_scene() {
    let test_dir = split_party();
    let note = |line: &[&str]| test_dir.run(&[&["-C", "mill", "log"][..], line].concat()).stderr;
    let far = note(&["Lyra whispers to Pike: the oar is broken"]);
    assert!(far.contains("Amos Pike is at The Old Weir, but hears this line"), "{far}");
    let removed = run_named_command(&test_dir, &far, "--without pike");
    assert!(removed.contains("not heard by Amos Pike"), "{removed}");
    let reported = note(&["Lyra whispers to Pike that the rope is wet"]);
    assert!(reported.contains("Amos Pike is at The Old Weir, but hears this line"), "{reported}");
    test_dir.ok(&["-C", "mill", "session", "attend", "--gone", "ben"]);
    let gone = note(&["Tam murmurs in Ben's ear: the sack is wet"]);
    assert!(gone.contains("Ben is not in the scene, but hears this line"), "{gone}");
    // These hearers are in the scene, or the DM chose them.
    for line in [&["Lyra whispers to Tam: the sack is dry"][..], &["--by", "lyra", "--to", "pike", "The rope is dry."]]
    {
        let silent = note(line);
        assert!(!silent.contains("but hears this line"), "{line:?}: {silent}");
    }
}

//! Tests of sessions, transcripts, and the extraction of facts from texts.

use super::*;

#[test]
fn a_session_is_played_and_told() {
    let test_dir = TestDir::new();
    test_dir.write("mill/people.yaml", "entities:\n  - {id: lyra, name: Lyra Fenn, kind: player, home: none}\n");
    test_dir.fails(&["-C", "mill", "log", "Rain."], 1, &["no session is running", "session start"]);
    let started = test_dir.ok(&["-C", "mill", "session", "start", "--title", "The stone", "--at", "the-mill"]);
    assert!(started.contains("session-1 begins: The stone") && started.contains("place: The Mill\n"), "{started}");
    assert!(started.contains("present: Lyra Fenn"), "{started}");
    let logged = test_dir.json(&["-C", "mill", "log", "--by", "ada", "Ben broke the millstone in the dark."]);
    // Ada and Ben live in the mill, and have no other location.
    assert_eq!(logged["heard_by"], serde_json::json!(["ada", "ben", "lyra"]));
    test_dir.fails(&["-C", "mill", "log", "--by", "eve", "Hm."], 3, &["no entity is called `eve`"]);
    test_dir.fails(&["-C", "mill", "session", "start"], 1, &["`session-1` is still running"]);
    test_dir.fails(
        &["-C", "mill", "session", "attend", "--leave", "sam-b"],
        1,
        &["sam-b cannot leave now", "not present in the session"],
    );
    test_dir.ok(&["-C", "mill", "fact", "add", "ben", "OWES", "ada"]);
    let ended = test_dir.json(&["-C", "mill", "session", "end"]);
    // The fact that was added, and the statement in the logged line.
    assert_eq!(ended["report"]["counts"]["facts"], 2);
    assert_eq!(ended["report"]["promises"][0]["kind"], "debt");
    assert!(test_dir.ok(&["-C", "mill", "session", "list"]).contains("session-1  The stone  1 line"));
    assert!(test_dir.ok(&["-C", "mill", "session", "show", "1", "--log"]).contains("Ada Flint: Ben broke"));
    let recap = test_dir.ok(&["-C", "mill", "session", "recap", "--players"]);
    // Lyra heard the line, but does not know the name of the speaker.
    assert!(recap.contains("A stranger: \u{201C}Ben broke the millstone"), "{recap}");
    assert!(test_dir.ok(&["-C", "mill", "session", "recap"]).contains("Ada Flint: \u{201C}Ben broke the millstone"));
    assert!(test_dir.ok(&["-C", "mill", "session", "recap", "--prompt"]).contains("[1] Ada Flint"));
    let few = [
        "-C",
        "mill",
        "session",
        "recap",
        "--compress",
        "--question",
        "Who broke the stone?",
        "--budget",
        "64",
        "--no-meaning",
    ];
    assert_eq!(
        test_dir.ok(&few),
        "Ben OWES Ada Flint\nAda Flint: Ben broke the millstone in the dark.\n".replace("Ben OWES", "- Ben OWES")
    );
    assert_eq!(test_dir.json(&["-C", "mill", "session", "threads", "--kind", "debt"])["all"], 1);
    let output = test_dir.ok(&["-C", "mill", "session", "recap", "1", "--as", "sam-b"]);
    assert!(output.contains("sam-b was not there: `hearsay -C mill know missed sam-b session-1`"), "{output}");
    assert_eq!(test_dir.json(&["-C", "mill", "session", "recap", "1", "--as", "sam-b"])["absent"], "sam-b");
    test_dir.fails(&["-C", "mill", "session", "recap", "9"], 3, &["no session `9`", "session-1"]);
}

#[test]
fn recaps_say_who_told_a_fact_and_who_heard_a_lie() {
    let test_dir = TestDir::new();
    test_dir.write(
        "mill/people.yaml",
        "audience: {attributes: {name: common}}\nentities:\n  - {id: lyra, name: Lyra Fenn, kind: player, home: none}\n  \
         - {id: orrin, name: Orrin, kind: player, home: none}\n",
    );
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill", "--present", "lyra"]);
    // A character arrives without an option, too.
    let attended = test_dir.ok(&["-C", "mill", "session", "attend", "orrin"]);
    assert!(attended.contains("Orrin joins") && attended.contains("present: Lyra Fenn, Orrin"), "{attended}");
    let say = |line: &[&str]| test_dir.ok(&[&["-C", "mill", "say"], line].concat());
    say(&["--by", "lyra", "I am a monk.", "--about", "lyra", "Lyra Fenn is a monk.", "--lie", "--to", "ben"]);
    say(&["--by", "ada", "It turns.", "--about", "the-mill", "The mill turns at night."]);
    test_dir.ok(&["-C", "mill", "session", "end"]);
    let recap = test_dir.ok(&["-C", "mill", "session", "recap"]);
    assert!(recap.contains("(a lie; heard only by Ben)"), "{recap}");
    let recap = test_dir.ok(&["-C", "mill", "session", "recap", "--as", "orrin"]);
    assert!(!recap.contains("  The mill turns at night."), "{recap}");
    let recap = test_dir.ok(&["-C", "mill", "session", "recap", "--as", "ben"]);
    assert!(recap.contains("By their own account, Lyra Fenn is a monk.") || recap.contains("I am a monk."), "{recap}");
}

#[test]
fn a_character_at_the_scene_learns_the_names_that_it_hears() {
    let test_dir = TestDir::new();
    test_dir.write("mill/people.yaml", "entities:\n  - {id: lyra, name: Lyra Fenn, kind: player, home: none}\n");
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    test_dir.ok(&["-C", "mill", "log", "--by", "lyra", "I am Lyra. Good evening."]);
    test_dir.ok(&["-C", "mill", "session", "end"]);
    // Ben lives in the mill. He does not attend the session.
    let recap = test_dir.ok(&["-C", "mill", "session", "recap", "--as", "ben"]);
    assert!(recap.contains("Lyra Fenn: \u{201C}I am Lyra."), "{recap}");
}

#[test]
fn a_hearer_learns_a_name_from_its_title_and_surname_and_from_an_alias() {
    let test_dir = TestDir::new();
    test_dir.write(
        "mill/people.yaml",
        "entities:\n  - {id: lyra, name: Lyra Fenn, kind: player, home: none}\n  - {id: grau, name: Doctor Amsel Grau, \
         kind: npc, home: none}\n  - {id: ortega, name: Guadalupe Ortega, kind: npc, home: none, aliases: [Lupe]}\n",
    );
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    test_dir.ok(&["-C", "mill", "log", "--by", "ada", "Doctor Grau saw me."]);
    test_dir.ok(&["-C", "mill", "log", "--by", "ada", "Do not tell Lupe."]);
    let about = |name: &str| ["-C", "mill", "ask", "--as", "lyra", "--about", name, "Who is that?"].map(str::to_owned);
    let fails = about("grau");
    test_dir.fails(&fails.each_ref().map(String::as_str), 3, &["lyra knows no entity called `grau`"]);
    test_dir.ok(&["-C", "mill", "session", "end"]);
    for name in ["grau", "Doctor Grau", "Lupe", "Ortega"] {
        test_dir.ok(&about(name).each_ref().map(String::as_str));
    }
}

#[test]
fn the_attending_characters_move_with_the_scenes_and_stay_there() {
    let test_dir = TestDir::new();
    let weir = "{id: weir, name: The Weir, kind: location}";
    let lyra = "{id: lyra, name: Lyra Fenn, kind: player, home: none, location: weir}";
    let tam = "{id: tam, name: Tam Reed, kind: player, home: none, location: weir}";
    test_dir.write("mill/party.yaml", &format!("entities:\n  - {weir}\n  - {lyra}\n  - {tam}\n"));
    let witnesses = |place: &str| {
        let event =
            ["-C", "mill", "event", "witness", "--at", place, "--about", "weir", "The Weir broke.", "--dry-run"];
        test_dir.ok(&event)
    };
    let start = ["-C", "mill", "session", "start", "--at", "the-mill", "--present", "lyra"];
    let dry_run = test_dir.ok(&[&start[..], &["--dry-run"]].concat());
    assert!(dry_run.contains("; Lyra Fenn is now at The Mill") && dry_run.contains("Lyra Fenn is at"), "{dry_run}");
    assert!(witnesses("weir").contains("Lyra Fenn"));
    test_dir.ok(&start);
    assert!(!witnesses("weir").contains("Lyra Fenn") && witnesses("weir").contains("Tam Reed"));
    let logged = test_dir.ok(&["-C", "mill", "log", "--at", "weir", "Fog lies over the water."]);
    assert!(logged.contains("; Lyra Fenn is now at The Weir"), "{logged}");
    test_dir.ok(&["-C", "mill", "undo", "--yes"]);
    assert!(!witnesses("weir").contains("Lyra Fenn"));
    let report = test_dir.ok(&["-C", "mill", "session", "end"]);
    assert!(!report.contains("is at"), "the locations do not belong to the session: {report}");
    assert!(witnesses("the-mill").contains("Lyra Fenn"));
    assert!(test_dir.ok(&["-C", "mill", "know", "knows", "lyra"]).contains("Lyra Fenn is at"));
    // The undo of the start also restores the locations.
    test_dir.ok(&["-C", "mill", "undo", "--yes"]);
    test_dir.ok(&["-C", "mill", "undo", "--yes"]);
    assert!(witnesses("weir").contains("Lyra Fenn"));
}

#[test]
fn a_session_begins_where_all_attending_characters_are() {
    let start = |place_of_tam: &str| {
        let test_dir = TestDir::new();
        let weir = "{id: weir, name: The Weir, kind: location}";
        let lyra = "{id: lyra, name: Lyra Fenn, kind: player, home: none, location: the-mill}";
        let tam = format!("{{id: tam, name: Tam Reed, kind: player, home: none, location: {place_of_tam}}}");
        test_dir.write("mill/party.yaml", &format!("entities:\n  - {weir}\n  - {lyra}\n  - {tam}\n"));
        let started = test_dir.ok(&["-C", "mill", "session", "start"]);
        (test_dir, started)
    };
    assert!(!start("weir").1.contains("place:"), "they are at two places");
    let (test_dir, started) = start("the-mill");
    assert!(started.contains("  place: The Mill\n") && started.contains("  also there: Ada Flint, Ben\n"), "{started}");
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), serde_json::json!(["ada", "ben", "lyra", "tam"]));
}

/// Returns a mill with two player characters, a weir, and a session at the mill.
fn split_party() -> TestDir {
    let test_dir = TestDir::new();
    let weir = "{id: weir, name: The Weir, kind: location}";
    let lyra = "{id: lyra, name: Lyra Fenn, kind: player, home: none}";
    let tam = "{id: tam, name: Tam Reed, kind: player, home: none}";
    test_dir.write("mill/party.yaml", &format!("entities:\n  - {weir}\n  - {lyra}\n  - {tam}\n"));
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    test_dir
}

/// Logs a line, and returns its hearers.
fn heard_by(test_dir: &TestDir, line: &[&str]) -> Value {
    test_dir.json(&[&["-C", "mill", "log"][..], line].concat())["heard_by"].clone()
}

#[test]
fn recent_talk_is_from_the_session_being_played() {
    let test_dir = split_party();
    let say = |text: &str| test_dir.ok(&["-C", "mill", "log", "--by", "lyra", text]);
    let lately = || -> Vec<String> {
        let answer = test_dir.json(&["-C", "mill", "ask", "--as", "ada", "--no-meaning", "What now?"]);
        let sections = answer["context"]["sections"].as_array().unwrap().clone();
        let lines = sections.iter().filter(|section| section["title"] == "Said lately");
        let lines = lines.flat_map(|section| section["lines"].as_array().unwrap());
        lines.map(|line| line["text"].as_str().unwrap().to_owned()).collect()
    };
    for text in ["The rain is cold.", "The road was long.", "We need a fire.", "The soup is good.", "Good night."] {
        say(text);
    }
    test_dir.ok(&["-C", "mill", "session", "end"]);
    // The next session begins in the same minute of game time. Its lines are numbered from 1.
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    let before = lately();
    assert!(before.len() == 4 && before[3].contains("Good night."), "{before:?}");
    say("The sun is up.");
    let after = lately();
    assert!(after.len() == 1 && after[0].contains("The sun is up."), "{after:?}");
    test_dir.ok(&["-C", "mill", "session", "end"]);
    let ended = lately();
    assert!(ended.len() == 4 && ended[3].contains("The sun is up."), "{ended:?}");
}

#[test]
fn an_accepted_move_takes_a_character_out_of_the_scene() {
    let test_dir = split_party();
    let walked = test_dir.json(&["-C", "mill", "log", "Lyra walks to The Weir."]);
    let moved = &walked["extracted"][0];
    assert_eq!(moved["unconfirmed_move"], serde_json::json!({ "character": "Lyra Fenn", "place": "The Weir" }));
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), serde_json::json!(["ada", "ben", "lyra", "tam"]));
    test_dir.ok(&["-C", "mill", "review", "accept", moved["fact"].as_str().unwrap()]);
    assert_eq!(heard_by(&test_dir, &["The rain stops."]), serde_json::json!(["ada", "ben", "tam"]));
    let scene = |who: &str| test_dir.ok(&["-C", "mill", "ask", "--as", who, "--no-meaning", "Who is here?"]);
    // Ada knows neither name: one person is left.
    assert!(scene("ada").contains("A stranger is there."), "{}", scene("ada"));
    assert!(!scene("tam").contains("Lyra Fenn is there"), "{}", scene("tam"));
    // The scene changes to the character who is already there.
    let there = test_dir.ok(&["-C", "mill", "log", "--at", "weir", "Fog lies over the water."]);
    assert!(there.contains("; Tam Reed stays behind") && !there.contains("now at"), "{there}");
    assert_eq!(heard_by(&test_dir, &["A bell rings."]), serde_json::json!(["lyra"]));
    assert_eq!(heard_by(&test_dir, &["--at", "the-mill", "The fire burns."]), serde_json::json!(["ada", "ben", "tam"]));
    let back = test_dir.ok(&["-C", "mill", "session", "attend", "--arrive", "lyra"]);
    assert!(back.contains("Lyra Fenn is now at The Mill"), "{back}");
    assert_eq!(heard_by(&test_dir, &["The sun rises."]), serde_json::json!(["ada", "ben", "lyra", "tam"]));
}

#[test]
fn a_resident_who_leaves_hears_nothing_until_it_comes_back() {
    let test_dir = split_party();
    let attend = |change: &str, who: &str| test_dir.ok(&["-C", "mill", "session", "attend", change, who]);
    assert!(attend("--leave", "ben").contains("Ben leaves"));
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), serde_json::json!(["ada", "lyra", "tam"]));
    let leave = ["-C", "mill", "session", "attend", "--leave", "ben"];
    test_dir.fails(&leave, 1, &["ben cannot leave now"]);
    // A scene at another place does not bring Ben back.
    heard_by(&test_dir, &["--at", "weir", "Fog lies over the water."]);
    let back = heard_by(&test_dir, &["--at", "the-mill", "The fire burns."]);
    assert_eq!(back, serde_json::json!(["ada", "lyra", "tam"]));
    attend("--arrive", "ben");
    assert_eq!(heard_by(&test_dir, &["The rain stops."]), serde_json::json!(["ada", "ben", "lyra", "tam"]));
    assert!(attend("--arrive", "lyra").contains("Lyra Fenn is already here"));
    // Ben lives here, so he does not travel with the party.
    assert_eq!(heard_by(&test_dir, &["--at", "weir", "The fog lifts."]), serde_json::json!(["lyra", "tam"]));
    // An NPC who came to the mill and leaves does not hear the lines there, although this is its last known location.
    heard_by(&test_dir, &["--at", "the-mill", "The door creaks."]);
    attend("--arrive", "sam-a");
    attend("--leave", "sam-a");
    assert_eq!(heard_by(&test_dir, &["Night falls."]), serde_json::json!(["ada", "ben", "lyra", "tam"]));
    // A recorded move to the place of the scene is a return.
    attend("--leave", "ben");
    test_dir.ok(&["-C", "mill", "fact", "add", "ben", "LOCATED_AT", "the-mill"]);
    assert_eq!(heard_by(&test_dir, &["The sun rises."]), serde_json::json!(["ada", "ben", "lyra", "tam"]));
}

#[test]
fn a_person_who_acts_witnesses_the_line_and_the_command_for_the_attendance_is_named() {
    let test_dir = split_party();
    test_dir.write("mill/guest.yaml", "entities:\n  - {id: pike, name: Amos Pike, kind: npc, home: weir}\n");
    let log = |line: &str| test_dir.run(&["-C", "mill", "log", line]);
    let comes = log("Pike kicks the door open and comes in.");
    assert!(comes.stderr.contains("session attend --arrive pike`"), "{}", comes.stderr);
    let is_heard_by_pike =
        |output: &str| output.lines().any(|line| line.contains("heard by:") && line.contains("Pike"));
    assert!(is_heard_by_pike(&comes.stdout), "{}", comes.stdout);
    // A person who does nothing need not be there.
    let sleeps = log("Pike sleeps in his bed.");
    assert!(sleeps.stderr.contains("--arrive pike`") && !is_heard_by_pike(&sleeps.stdout), "{}", sleeps.stdout);
    // The DM decides who attends.
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), serde_json::json!(["ada", "ben", "lyra", "tam"]));
    for line in ["Ben nods, puts on his hat and shuffles out.", "Ben goes upstairs.", "Ben leaves The Mill."] {
        let leaves = log(line);
        assert!(leaves.stderr.contains("session attend --leave ben`"), "{line}: {}", leaves.stderr);
    }
    for line in ["Ben's cart stands outside.", "Ben leaves a coin on the table.", "Ben looks away."] {
        let stays = log(line);
        assert!(!stays.stderr.contains("session attend"), "{line}: {}", stays.stderr);
    }
}

#[test]
fn a_move_is_found_with_a_particle_and_the_character_knows_its_last_place() {
    let test_dir = split_party();
    test_dir.write("mill/ford.yaml", "entities:\n  - {id: ford, name: The Ford, kind: location}\n");
    let walk = |line: &str| {
        let logged = test_dir.json(&["-C", "mill", "log", line]);
        let found = logged["extracted"].as_array().unwrap().iter().find(|fact| fact["unconfirmed_move"].is_object());
        let fact = found.unwrap_or_else(|| panic!("{logged}"))["fact"].as_str().unwrap().to_owned();
        test_dir.ok(&["-C", "mill", "review", "accept", &fact])
    };
    walk("Lyra runs out to The Weir.");
    // Lyra is not in the scene any more, and does not hear this line.
    walk("Lyra walks to The Ford.");
    let believed = test_dir.ok(&["-C", "mill", "know", "believes", "lyra", "lyra"]);
    let place = believed.lines().find(|line| line.starts_with("Lyra Fenn is at"));
    assert!(place.is_some_and(|line| line.contains("The Ford")), "{believed}");
}

#[test]
fn a_recorded_move_is_known_to_the_mover_and_at_the_new_place() {
    let test_dir = split_party();
    let [pike, cole] = [("pike", "Amos Pike"), ("cole", "Cole")]
        .map(|(id, name)| format!("  - {{id: {id}, name: {name}, kind: npc, home: none, location: weir}}\n"));
    test_dir.write("mill/guest.yaml", &format!("entities:\n{pike}{cole}"));
    // Cole hears Ben's name.
    test_dir.ok(&["-C", "mill", "log", "--to", "cole", "Ben shouts across the water."]);
    let moved = test_dir.ok(&["-C", "mill", "fact", "add", "ben", "LOCATED_AT", "weir"]);
    let known_to = moved.lines().find(|line| line.contains("known to:")).unwrap_or_else(|| panic!("{moved}"));
    assert!(known_to.contains("Cole") && known_to.contains("Ben") && !known_to.contains("Mill"), "{moved}");
    // Ben is a stranger to Pike, and so is Lyra to both of them.
    assert!(!known_to.contains("Pike"), "{moved}");
    let walked = test_dir.json(&["-C", "mill", "log", "Lyra walks to The Weir."]);
    let accept = ["-C", "mill", "review", "accept", walked["extracted"][0]["fact"].as_str().unwrap()];
    test_dir.ok(&accept);
    for who in ["pike", "cole"] {
        let known = test_dir.ok(&["-C", "mill", "know", "knows", who, "--limit", "100"]);
        assert!(!known.contains("Lyra"), "{known}");
    }
}

#[test]
fn a_line_for_named_hearers_moves_only_them() {
    let test_dir = split_party();
    let aside = test_dir.ok(&["-C", "mill", "log", "--by", "ben", "--at", "weir", "--to", "lyra", "Not a word."]);
    assert!(aside.contains("Lyra Fenn is now at The Weir") && !aside.contains("Tam Reed is"), "{aside}");
    // The scene stays at the mill. The speaker is at the weir too.
    assert_eq!(heard_by(&test_dir, &["Rain falls."]), serde_json::json!(["ada", "tam"]));
    // A line for all characters in the scene moves the scene.
    let both = test_dir.ok(&["-C", "mill", "log", "--at", "weir", "--by", "ben", "--to", "tam", "This way."]);
    assert!(both.contains("Tam Reed is now at The Weir"), "{both}");
    assert_eq!(heard_by(&test_dir, &["Fog lies over the water."]), serde_json::json!(["ben", "lyra", "tam"]));
}

#[test]
fn a_recorded_line_tells_a_fact_only_once() {
    let test_dir = split_party();
    test_dir.ok(&["-C", "mill", "log", "--by", "ben", "Look at that stone."]);
    let state = || test_dir.run(&["-C", "mill", "log", "--line", "1", "--states", "stone-is-cracked"]);
    let stated = state();
    assert!(stated.stderr.contains("warning: Ben does not know the fact"), "{}", stated.stderr);
    let shown = test_dir.ok(&["-C", "mill", "fact", "show", "stone-is-cracked"]);
    let repeated = state();
    assert!(repeated.code == 0 && !repeated.stderr.contains("does not know"), "{}", repeated.stderr);
    assert_eq!(test_dir.ok(&["-C", "mill", "fact", "show", "stone-is-cracked"]), shown);
    let line = ["-C", "mill", "log", "--line", "1"];
    test_dir.fails(&[&line[..], &["--lie", "--with", "tam"]].concat(), 2, &["in another command"]);
    let limited = test_dir.ok(&[&line[..], &["--to", "tam"]].concat());
    assert!(limited.contains("not heard by Ada Flint and Lyra Fenn"), "{limited}");
}

#[test]
fn a_repeated_import_keeps_line_numbers_and_refuses_other_attendance() {
    let test_dir = split_party();
    test_dir.ok(&["-C", "mill", "session", "end"]);
    let import = ["-C", "mill", "session", "import", "walk.txt"];
    test_dir.write("walk.txt", "Lyra: Let us go.\nLyra: Hm.\nLyra: I am Lyra.\n");
    test_dir.ok(&import);
    test_dir.write("walk.txt", "Lyra: Let us go.\n[at The Weir]\nLyra: Hm.\nLyra: I am Lyra.\n");
    let again = test_dir.ok(&import);
    assert!(!again.contains("new number"), "{again}");
    let numbers = || -> Vec<Value> {
        let lines = test_dir.json(&["-C", "mill", "session", "show", "2", "--log"]);
        lines.as_array().unwrap().iter().map(|line| line["line"].clone()).collect()
    };
    assert_eq!(numbers(), [1, 2, 3]);
    test_dir.write("walk.txt", "Lyra: Wait!\nLyra: Let us go.\nLyra: Hm.\nLyra: I am Lyra.\n");
    assert!(test_dir.ok(&import).contains("; 3 recorded lines have new numbers"));
    assert_eq!(numbers(), [1, 2, 3, 4]);
    let present = [&import[..], &["--present", "tam"]].concat();
    test_dir.fails(&present, 1, &["session `session-2` already exists, without Tam Reed", "hearsay undo"]);
    test_dir.ok(&[&import[..], &["--present", "lyra"]].concat());
}

#[test]
fn a_place_is_meant_where_a_place_is_needed() {
    let test_dir = split_party();
    let miller = "{id: old-weir-keeper, name: Weir Keeper, kind: npc, home: none}";
    let ford = "{id: the-dry-ford, name: The Dry Ford, kind: location}";
    test_dir.write("mill/keeper.yaml", &format!("entities:\n  - {miller}\n  - {ford}\n"));
    assert_eq!(heard_by(&test_dir, &["--at", "Weir", "Fog."]), serde_json::json!(["lyra", "tam"]));
    // The first words of an id are enough.
    assert!(test_dir.ok(&["-C", "mill", "entity", "show", "old-weir"]).contains("Weir Keeper"));
    // The article of an id may be missing.
    for name in ["dry-ford", "dry ford", "the-dry-ford"] {
        assert!(test_dir.ok(&["-C", "mill", "entity", "show", name]).contains("The Dry Ford"), "{name}");
        assert!(test_dir.ok(&["-C", "mill", "fact", "list", "--about", name]).contains("The Dry Ford"), "{name}");
    }
    assert!(test_dir.ok(&["entity", "--help"]).contains("search \"*\""));
}

#[test]
fn a_mark_in_a_transcript_moves_the_scene_and_the_session_is_over() {
    let test_dir = TestDir::new();
    let weir = "{id: weir, name: The Weir, kind: location}";
    let lyra = "{id: lyra, name: Lyra Fenn, kind: player, home: none}";
    let cole = "{id: cole, name: Cole, kind: npc, home: weir}";
    test_dir.write("mill/people.yaml", &format!("entities:\n  - {weir}\n  - {lyra}\n  - {cole}\n"));
    // Without extraction, the kinds of talk are unknown, so the lines are part of the story.
    test_dir.write("mill/hearsay.toml", "[extraction]\nenabled = false\n");
    test_dir.write(
        "walk.txt",
        "Lyra: Let us go.\nDM: [at The Weir]\nLyra: I am Lyra. Good evening.\n[at Wier]\nLyra: Hm.\n",
    );
    let import = ["-C", "mill", "session", "import", "walk.txt", "--at", "the-mill"];
    let dry_run = test_dir.ok(&[&import[..], &["--dry-run"]].concat());
    for part in
        ["  at weir:\n", "line 4: the scene stays where it is", "no entity is called `Wier`", "did you mean weir"]
    {
        assert!(dry_run.contains(part), "{part}: {dry_run}");
    }
    let imported = test_dir.ok(&import);
    assert!(imported.contains("; Lyra Fenn is now at The Weir") && imported.contains("Next:"), "{imported}");
    let lines = test_dir.json(&["-C", "mill", "session", "show", "--log"]);
    let line = |index: usize| (lines[index]["place"].clone(), lines[index]["heard_by"].clone());
    assert_eq!(line(0), ("the-mill".into(), serde_json::json!(["ada", "ben", "lyra"])));
    assert_eq!(line(1), ("weir".into(), serde_json::json!(["cole", "lyra"])));
    assert_eq!(line(2).0, "weir");
    let sessions = test_dir.json(&["-C", "mill", "session", "list"]);
    assert!(sessions[0]["end"].is_string() && sessions[0]["playing"] == false, "{sessions}");
    // Cole learned the name that he heard.
    let recap = test_dir.ok(&["-C", "mill", "session", "recap", "--as", "cole"]);
    assert!(recap.contains("Lyra Fenn: \u{201C}I am Lyra."), "{recap}");
    assert!(test_dir.ok(&["-C", "mill", "undo", "--yes"]).contains("walk.txt"));
    assert!(test_dir.ok(&["-C", "mill", "session", "list"]).contains("No session"));
}

#[test]
fn the_name_of_a_player_names_the_character() {
    let test_dir = TestDir::new();
    let lyra = "{id: lyra, name: Lyra Fenn, kind: player, player: Nora Blake, home: none}";
    let tam = "{id: tam, name: Tam Reed, kind: player, player: Ben, home: none}";
    test_dir.write("mill/people.yaml", &format!("entities:\n  - {lyra}\n  - {tam}\n"));
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    let heard_by = |to: &str| {
        let logged = test_dir.json(&["-C", "mill", "log", "--by", "ada", "--to", to, "Meet me at the weir."]);
        logged["heard_by"].clone()
    };
    assert_eq!(heard_by("Nora"), serde_json::json!(["ada", "lyra"]));
    // The name of a character comes first.
    assert_eq!(heard_by("Ben"), serde_json::json!(["ada", "ben"]));
    assert!(test_dir.ok(&["-C", "mill", "session", "recap", "--as", "nora blake"]).contains("Meet me at the weir."));
    let knows = |who: &str| test_dir.json(&["-C", "mill", "know", "knows", who]);
    assert_eq!(knows("Nora"), knows("lyra"));
    // Characters do not know the players.
    test_dir.fails(&["-C", "mill", "ask", "--as", "lyra", "--about", "nora", "Who?", "--no-meaning"], 3, &["nora"]);
    test_dir.ok(&["-C", "mill", "entity", "set", "tam", "player", "Nora"]);
    test_dir.fails(&["-C", "mill", "log", "--to", "Nora", "Hm."], 3, &["`Nora` can mean", "lyra", "tam"]);
}

#[test]
fn an_earlier_line_becomes_a_lie_by_its_number() {
    let test_dir = TestDir::new();
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill", "--present", "ben"]);
    test_dir.ok(&["-C", "mill", "log", "Rain falls."]);
    test_dir.ok(&["-C", "mill", "log", "--by", "ada", "I slept all night."]);
    let marked = test_dir.ok(&["-C", "mill", "log", "--line", "2", "--lie"]);
    assert!(marked.contains("I slept all night."), "{marked}");
    let lines = test_dir.json(&["-C", "mill", "session", "show", "--log"]);
    assert_eq!((&lines[1]["lie"], lines.as_array().unwrap().len()), (&true.into(), 2), "{lines}");
    let stated = test_dir.ok(&["-C", "mill", "log", "--line", "2", "--states", "stone-is-cracked"]);
    assert!(stated.contains("states: stone-is-cracked") && stated.contains("learned by: Ben"), "{stated}");
    test_dir.fails(&["-C", "mill", "log", "--line", "9", "--lie"], 1, &["session `session-1` has no line 9"]);
    test_dir.fails(&["-C", "mill", "log", "--line", "2", "--by", "ben", "--lie"], 2, &["--line"]);
}

#[test]
fn a_transcript_is_tried_imported_and_taken_back() {
    let test_dir = TestDir::new();
    test_dir.ok(&["-C", "mill", "status"]);
    test_dir.write("talk.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Anna>Fog over the mill.\n\n00:03.000 --> 00:04.000\n<v Zoe>Crisps?\n\n00:05.000 --> 00:06.000\n<v Old Ada>The stone is cracked.\n");
    let dry = ["-C", "mill", "session", "import", "talk.vtt", "--dm", "anna", "--speaker", "Zoe=ben", "--dry-run"];
    let output = test_dir.ok(&dry);
    assert!(output.contains("Zoe (1 line): ben") && output.contains("Anna (1 line): the DM"), "{output}");
    assert!(output.contains("4  Fog over the mill.") && output.contains("nothing was changed"), "{output}");
    assert!(test_dir.ok(&["-C", "mill", "session", "list"]).contains("No session"));
    let import = ["-C", "mill", "session", "import", "talk.vtt"];
    let first = test_dir.json(&import);
    assert_eq!((first["lines"].as_u64(), first["unchanged"].as_bool()), (Some(3), Some(false)));
    assert_eq!(first["speakers"][2]["is"]["character"], "ada");
    let again = test_dir.json(&import);
    assert!(again["written"].is_null() && again["unchanged"] == true, "{again}");
    let log = test_dir.ok(&["-C", "mill", "session", "show", "--log"]);
    assert!(log.contains("Zoe: Crisps?") && log.contains("Ada Flint: The stone is cracked."), "{log}");
    test_dir.ok(&["-C", "mill", "undo", "--author", "import", "--yes"]);
    assert!(test_dir.ok(&["-C", "mill", "session", "list"]).contains("No session"));
    test_dir.fails(&["-C", "mill", "session", "import", "none.srt"], 4, &["none.srt"]);
    test_dir.write("bad.txt", "a\0b");
    test_dir.fails(&["-C", "mill", "session", "import", "bad.txt"], 4, &["bad.txt:1", "not a text file"]);
    test_dir.fails(
        &["-C", "mill", "session", "import", "talk.vtt", "--speaker", "Eve=ben"],
        3,
        &["no speaker named `Eve`; its speakers are Anna"],
    );
    test_dir.fails(&["-C", "mill", "session", "import", "talk.vtt", "--speaker", "Eve"], 2, &["Anna=lyra"]);
}

/// Matt is the DM, Nora plays Lyra, and Zoe plays Tam. The campaign only knows Nora.
const EVENING: &str = "\
Matt: The mill is dark, and the wheel does not turn in the black water. Tam, what do you do?
Zoe: I knock.
Matt: Nobody answers, Tam.
Zoe: I wait.
Nora: I look through the window.
Crew: (cheering)
";

/// Returns a campaign with two player characters, and the transcript.
fn evening() -> TestDir {
    let test_dir = TestDir::new();
    let lyra = "{id: lyra, name: Lyra Fenn, kind: player, player: Nora, home: none}";
    let tam = "{id: tam, name: Tam Reed, kind: player, home: none}";
    test_dir.write("mill/people.yaml", &format!("entities:\n  - {lyra}\n  - {tam}\n"));
    test_dir.write("evening.txt", EVENING);
    test_dir
}

const IMPORT: [&str; 5] = ["-C", "mill", "session", "import", "evening.txt"];

#[test]
fn unknown_speakers_are_listed_with_the_option_to_add() {
    let test_dir = evening();
    let dry_run = test_dir.ok(&[&IMPORT[..], &["--yes", "--dry-run"]].concat());
    for (speaker, option) in [
        ("Matt (2 lines): no such character, probably the DM (says the most)", "--dm \"Matt\""),
        ("Zoe (2 lines): no such character, probably tam (answers to this name)", "--player \"Zoe=tam\""),
        ("Crew (1 line): no such character", "--player \"Crew=CHARACTER\" or --nobody \"Crew\""),
    ] {
        let line = format!("{speaker}: the name stays part of the text; to change this, add {option}\n");
        assert!(dry_run.contains(&line), "{line}: {dry_run}");
    }
    assert!(dry_run.contains("Nora (1 line): lyra\n") && dry_run.contains("nothing was changed"), "{dry_run}");
    assert!(test_dir.ok(&["-C", "mill", "session", "list"]).contains("No session"));
    // Without a terminal, the command does not ask.
    let imported = test_dir.json(&IMPORT);
    let unidentified = serde_json::json!([
        {"name": "Matt", "option": "--dm \"Matt\""},
        {"name": "Zoe", "option": "--player \"Zoe=tam\""},
        {"name": "Crew", "option": "--player \"Crew=CHARACTER\" or --nobody \"Crew\""},
    ]);
    assert_eq!((&imported["unidentified"], &imported["saved_speakers"]), (&unidentified, &Value::Null));
    let zoe = &imported["speakers"][1]["proposal"];
    assert_eq!((&zoe["is"]["character"], &zoe["evidence"]), (&"tam".into(), &"conversation".into()));
    let log = test_dir.ok(&["-C", "mill", "session", "show", "--log"]);
    assert!(log.contains("Zoe: I knock.") && log.contains("Lyra Fenn: I look through the window."), "{log}");
}

#[test]
fn the_campaign_keeps_who_the_speakers_are() {
    let test_dir = evening();
    // `--speaker` applies to this transcript only.
    let once = test_dir.json(&[&IMPORT[..], &["--speaker", "Zoe=ben"]].concat());
    assert!(once["speakers"][1]["is"]["character"] == "ben" && once["saved_speakers"].is_null(), "{once}");
    let options = ["--dm", "matt", "--player", "Zoe=tam", "--nobody", "Crew"];
    let saved = test_dir.json(&[&IMPORT[..], &options].concat());
    assert_eq!(saved["saved_speakers"]["summary"], "speakers of transcripts: Zoe, Matt, Crew");
    assert_eq!(saved["unidentified"], serde_json::json!([]));
    assert!(test_dir.ok(&["-C", "mill", "entity", "show", "tam"]).contains("Tam Reed is played by Zoe."));
    let again = test_dir.json(&[&IMPORT[..], &options].concat());
    assert!(again["saved_speakers"].is_null() && again["unchanged"] == true, "{again}");
    // The next transcript needs no options.
    test_dir.write("next.txt", "Matt: It rains.\nZoe: I run.\nCrew: (groaning)\n");
    let next = test_dir.ok(&["-C", "mill", "session", "import", "next.txt"]);
    for line in ["Matt (1 line): the DM", "Zoe (1 line): tam", "Crew (1 line): nobody: the name stays"] {
        assert!(next.contains(line), "{line}: {next}");
    }
    let exported = test_dir.ok(&["-C", "mill", "export"]);
    assert!(exported.contains(r#"{"speaker":{"name":"matt","role":"dm"}}"#), "{exported}");
    // One undo reverts an import. The speakers are saved by a separate operation.
    assert!(test_dir.ok(&["-C", "mill", "undo", "--yes"]).contains("next.txt"));
    assert!(test_dir.ok(&["-C", "mill", "undo", "--yes"]).contains("evening.txt"));
    assert!(test_dir.ok(&[&IMPORT[..], &["--dry-run"]].concat()).contains("Zoe (2 lines): tam"));
    assert!(test_dir.ok(&["-C", "mill", "undo"]).contains("speakers of transcripts"));
    assert!(test_dir.ok(&[&IMPORT[..], &["--dry-run"]].concat()).contains("Zoe (2 lines): no such character"));
    // The attribute can also be set directly.
    test_dir.ok(&["-C", "mill", "entity", "set", "tam", "player", "Zoe"]);
    assert!(test_dir.ok(&[&IMPORT[..], &["--dry-run"]].concat()).contains("Zoe (2 lines): tam"));
}

#[test]
fn the_kinds_of_talk_in_a_transcript_are_counted_and_shown() {
    let test_dir = TestDir::new();
    test_dir.ok(&["-C", "mill", "status"]);
    let lines = [
        "DM: Fog lies over the mill, and the wheel stands still.",
        "Ben: Can I roll perception? I got a seventeen plus four.",
        "Ada: Get away from my mill, you thief!",
    ];
    test_dir.write("evening.txt", &lines.join("\n"));
    let import = ["-C", "mill", "session", "import", "evening.txt", "--present", "ben", "--present", "ada"];
    let dry_run = test_dir.json(&[&import[..], &["--dry-run"]].concat());
    assert!(dry_run["talk"].is_null(), "{dry_run}");
    let imported = test_dir.json(&import);
    let counts =
        serde_json::json!({ "narration": 1, "in_character": 1, "out_of_character": 1, "withheld": 0, "unknown": 0 });
    assert_eq!(imported["talk"], counts);
    let counts_line = "lines by kind of talk: 1 narration, 1 in character, 1 out of character\n";
    assert!(test_dir.ok(&import).contains(counts_line), "an import without changes also shows the counts");
    assert!(test_dir.ok(&["-C", "mill", "session", "show"]).contains(counts_line));
    let log = test_dir.ok(&["-C", "mill", "session", "show", "--log"]);
    assert!(log.contains("seventeen plus four.  (out of character)\n") && log.contains("you thief!\n"), "{log}");
    let search = ["-C", "mill", "search", "perception", "--no-meaning"];
    assert!(test_dir.ok(&search).contains("seventeen plus four.  (out of character)"));
    let heard = test_dir.json(&[&search[..], &["--as", "ada"]].concat());
    assert_eq!(heard["passages"], serde_json::json!([]));
    let recap = test_dir.ok(&["-C", "mill", "session", "recap"]);
    assert!(recap.contains("you thief!") && !recap.contains("perception"), "{recap}");
    // With the line, its kind disappears and comes back.
    let undone = test_dir.json(&["-C", "mill", "undo", "--author", "import", "--yes"]);
    test_dir.ok(&["-C", "mill", "undo", &undone["position"].to_string()]);
    assert_eq!(test_dir.json(&["-C", "mill", "session", "show"])["counts"]["talk"], counts);
}

#[test]
fn texts_are_read_for_facts_wherever_they_come_from() {
    let test_dir = TestDir::new();
    let found = || {
        test_dir.json(&["-C", "mill", "fact", "list", "--predicate", "OWES", "--object", "ben"])["all"]
            .as_u64()
            .unwrap()
    };
    let before = found();
    let line = "Ada owes Ben ten crowns.";
    // A preview shows the facts, and records nothing. Narration becomes canon only if it is nearly certain.
    let drafted = test_dir.json(&["-C", "mill", "fact", "extract", "--text", line, "--narration"]);
    assert_eq!((&drafted["facts"][0]["predicate"], &drafted["statuses"][0]), (&"OWES".into(), &"proposed".into()));
    assert!(
        test_dir.ok(&["-C", "mill", "fact", "extract", "--text", line, "--by", "ben"]).contains("nothing was recorded")
    );
    assert_eq!(found(), before);
    // Spoken lines and transcripts are processed automatically.
    let said = test_dir.json(&["-C", "mill", "say", "--by", "ben", line]);
    assert_eq!((&said["found"]["claimed"], found()), (&1.into(), before + 1), "{said}");
    test_dir.write("evening.txt", "Ben: Sam owes Ada twenty crowns.\n");
    let imported = test_dir.json(&["-C", "mill", "session", "import", "evening.txt"]);
    assert!(imported["found"].is_object(), "{imported}");
    // Undoing a text also removes its facts, so the facts do not prevent the undo.
    assert!(test_dir.ok(&["-C", "mill", "undo", "--yes"]).contains("evening.txt"));
    let undone = test_dir.json(&["-C", "mill", "undo"]);
    assert!(undone["summary"].as_str().unwrap().contains("Ada owes Ben"), "{undone}");
    assert_eq!(found(), before);
    let position = undone["position"].to_string();
    test_dir.ok(&["-C", "mill", "undo", &position]);
    assert_eq!(found(), before + 1, "with the line comes back what was read in it");
    // Facts are extracted from texts of other tools too. The review queue contains only some of the doubtful facts.
    test_dir.write("mill/hearsay.toml", "[review]\nmax_per_import = 4\n");
    let names =
        ["Zarael", "Bromwick", "Ysolde", "Tavish", "Quillon", "Hestia", "Orlok", "Fenwick", "Gisela", "Wulfram"];
    for (number, name) in names.iter().enumerate() {
        let notes = format!("# Note {number}\n\nMaybe Ada hates {name}.\n\nPerhaps Ben fears {name}.\n");
        test_dir.write(&format!("notes/note-{number}.md"), &notes);
    }
    let imported = test_dir.json(&["-C", "mill", "import", "notes", "--no-meaning"]);
    let held_back = imported["found"]["held_back"].as_u64().unwrap();
    assert!(held_back >= 10, "{imported}");
    let queue = test_dir.json(&["-C", "mill", "review"]);
    let all = test_dir.json(&["-C", "mill", "review", "--more", "--limit", "1000"]);
    assert_eq!((&queue["held_back"], &all["held_back"]), (&held_back.into(), &held_back.into()), "{queue}");
    assert_eq!(all["all"].as_u64(), queue["all"].as_u64().map(|queued| queued + held_back));
    let doubtful = |listed: &Value| {
        let items = listed["items"].as_array().unwrap().iter();
        // The kinds of the notes, which the import guesses, also wait.
        items.filter(|item| item["kind"] == "doubtful" && item["in_full"][0]["author"] == "extractor").count() as u64
    };
    assert_eq!((doubtful(&queue), doubtful(&all)), (4, 4 + held_back));
    assert!(test_dir.ok(&["-C", "mill", "review"]).contains("hearsay -C mill review --more"));
    assert!(test_dir.ok(&["-C", "mill", "review", "--more", "--limit", "1000"]).contains("Held back:"));
    let status = test_dir.ok(&["-C", "mill", "status"]);
    assert!(status.contains(&format!("{held_back} items are held back")), "{status}");
    test_dir.fails(&["-C", "mill", "review", "--more", "accept", "x"], 2, &["--more"]);
    assert!(test_dir.ok(&["-C", "mill", "fact", "extract", "--again"]).contains("All texts are processed"));
    let waiting = || test_dir.json(&["-C", "mill", "fact", "list", "--status", "proposed"])["all"].as_u64().unwrap();
    assert!(waiting() > 0);
    let undone = test_dir.ok(&["-C", "mill", "undo", "--author", "import", "--yes"]);
    assert!(undone.contains("import notes") && waiting() == 0, "{undone}");
    // An unreadable file gives an error that says what to do.
    test_dir.write("empty.txt", "");
    assert!(test_dir.ok(&["-C", "mill", "fact", "extract", "empty.txt"]).contains("No facts found"));
    fs::write(test_dir.path("picture.bin"), [0x89, b'P', 0xff, 0x00]).unwrap();
    test_dir.fails(&["-C", "mill", "fact", "extract", "picture.bin"], 4, &["picture.bin", "line 1", "UTF-8"]);
    test_dir.fails(&["-C", "mill", "fact", "extract", "nowhere.txt"], 4, &["nowhere.txt"]);
}

#[test]
fn shortened_lists_of_a_report_say_how_to_see_the_rest() {
    let test_dir = TestDir::new();
    let campaign = "\
format: 1
campaign: {name: Dale, start: day 1}
entities:
  - {id: dale, name: Dale, kind: location}
  - {id: odo, name: Odo Marsh, kind: npc, home: dale, secrets: [{id: mill, text: Odo Marsh burned the old mill.}]}
  - {id: ilva, name: Ilva Stone, kind: npc, home: none, secrets: [{id: wells, text: Ilva Stone poisons the wells.}]}
  - {id: wren, name: Wren Oake, kind: player, player: Jo}
";
    test_dir.write("dale/campaign.yaml", campaign);
    test_dir.ok(&["-C", "dale", "session", "start", "--at", "dale"]);
    test_dir.ok(&["-C", "dale", "log", "Odo Marsh: Fine weather."]);
    let ended = test_dir.ok(&["-C", "dale", "session", "end"]);
    let threads = ended.split_once("Open threads:\n").unwrap().1;
    assert!(threads.contains("Odo Marsh burned") && !threads.contains("Ilva Stone"), "{ended}");
    assert!(threads.contains("  and 1 more: `session threads`\n"), "{ended}");
    test_dir.ok(&["-C", "dale", "event", "tell", "--by", "ilva", "wells", "--to", "wren"]);
    let shown = test_dir.ok(&["-C", "dale", "session", "show"]);
    assert!(shown.contains("Open threads:") && !shown.contains(" more: `"), "{shown}");
}

#[test]
fn a_session_without_threads_counts_the_threads_of_the_campaign() {
    let test_dir = TestDir::new();
    let campaign = "\
format: 1
campaign: {name: Fen, start: day 1}
entities:
  - {id: fen, name: Fen, kind: location}
  - {id: hut, name: The Hut, kind: location}
  - {id: ruth, name: Ruth Vane, kind: npc, home: hut, secrets: [{id: silver, text: Ruth Vane hid the silver.}]}
  - {id: wren, name: Wren Oake, kind: player, player: Jo}
";
    test_dir.write("fen/campaign.yaml", campaign);
    test_dir.ok(&["-C", "fen", "session", "start", "--at", "fen"]);
    test_dir.ok(&["-C", "fen", "log", "Mist on the reeds."]);
    let ended = test_dir.ok(&["-C", "fen", "session", "end"]);
    assert!(ended.contains("Open threads:\n  1: see `session threads`\n"), "{ended}");
}

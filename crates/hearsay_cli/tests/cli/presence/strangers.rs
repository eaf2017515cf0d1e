//! Tests of what the characters learn about the presence of others, and to whom they are strangers.

use super::*;

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

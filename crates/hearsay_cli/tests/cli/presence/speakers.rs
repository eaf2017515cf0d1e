//! Tests of the speakers of lines, and the lines that a character missed before it spoke.

use super::*;

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
    test_dir.fails(&[&line[..], &["--lie"]].concat(), 2, &["only with --yes, --by, --to, --with or --without"]);
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

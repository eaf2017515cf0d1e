//! Tests of narration that only some characters in the scene notice.

use super::*;

#[test]
fn narration_can_say_that_nobody_or_only_one_person_notices_it() {
    let test_dir = split_party();
    let scene = serde_json::json!(["ada", "ben", "lyra", "tam"]);
    for (line, expected) in [
        ("Tam slides a knife into his boot. Nobody sees it.", serde_json::json!(["tam"])),
        ("Ben yawns. Tam slides a knife into his boot, and no one else notices.", serde_json::json!(["tam"])),
        ("Tam pockets the seal while nobody is looking.", serde_json::json!(["tam"])),
        ("Tam pockets the seal without being seen.", serde_json::json!(["tam"])),
        ("Tam climbs the shelf unobserved.", serde_json::json!(["tam"])),
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
fn a_line_that_sounds_private_but_is_heard_by_all_gets_a_note() {
    let test_dir = split_party();
    let is_noted = |line: &str| {
        let logged = test_dir.run(&["-C", "mill", "log", line]);
        assert_eq!(logged.code, 0, "{line}: {}", logged.stderr);
        logged.stderr.contains("the words suggest that only some characters notice this")
    };
    for line in ["Lyra hisses at Ben: not a word to the miller", "Tam: look, a king. (shows it to Ben only)"] {
        assert!(is_noted(line), "{line}");
    }
    for line in [
        "Only two sacks are left.",
        "Lyra whispers to Ben: not a word to the miller",
        "Lyra: fetch the rope, but quietly!",
        "Tam pockets the key. Nobody sees it.",
    ] {
        assert!(!is_noted(line), "{line}");
    }
}

#[test]
fn a_recorded_line_can_be_limited_to_its_hearers() {
    let test_dir = split_party();
    test_dir.ok(&["-C", "mill", "log", "Lyra hisses at Ben: Ada Flint owns the quarry."]);
    let by_lyra = ["-C", "mill", "log", "--line", "1", "--by", "lyra", "--to", "ben"];
    let limited = test_dir.json(&by_lyra);
    assert_eq!(limited["heard_by"], serde_json::json!(["ben", "lyra"]), "{limited}");
    // Several lines at once, and a hearer who did not hear the line before.
    test_dir.ok(&["-C", "mill", "log", "--to", "tam", "A coin rolls over the floor."]);
    test_dir.ok(&["-C", "mill", "log", "--line", "1-2", "--to", "ben,ada"]);
    let limited = test_dir.json(&["-C", "mill", "log", "--line", "2", "--to", "lyra"]);
    assert_eq!(limited["heard_by"], serde_json::json!(["lyra"]), "{limited}");
}

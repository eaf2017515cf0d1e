//! Tests of sessions, transcripts, and the extraction of facts from texts.

use super::*;

#[test]
fn a_session_is_played_and_told() {
    let place = Place::new();
    place.write("mill/people.yaml", "entities:\n  - {id: lyra, name: Lyra Fenn, kind: player, home: none}\n");
    place.fails(&["-C", "mill", "log", "Rain."], 1, &["no session is running", "session start"]);
    let started = place.ok(&["-C", "mill", "session", "start", "--title", "The stone", "--at", "the-mill"]);
    assert!(started.contains("session-1 begins: The stone") && started.contains("present: lyra"), "{started}");
    let logged = place.json(&["-C", "mill", "log", "--by", "ada", "Ben broke the millstone in the dark."]);
    assert_eq!(logged["heard_by"], serde_json::json!(["ada", "lyra"]));
    place.fails(&["-C", "mill", "log", "--by", "eve", "Hm."], 3, &["nothing is called `eve`"]);
    place.fails(&["-C", "mill", "session", "start"], 1, &["session-1 is still running"]);
    place.fails(&["-C", "mill", "session", "attend", "--leave", "ben"], 1, &["ben is not present in the session"]);
    place.ok(&["-C", "mill", "fact", "add", "ben", "OWES", "ada"]);
    let ended = place.json(&["-C", "mill", "session", "end"]);
    // The fact that was added, and the statement in the logged line.
    assert_eq!(ended["report"]["counts"]["facts"], 2);
    assert_eq!(ended["report"]["threads"][0]["kind"], "debt");
    assert!(place.ok(&["-C", "mill", "session", "list"]).contains("session-1  The stone  1 line"));
    assert!(place.ok(&["-C", "mill", "session", "show", "1", "--log"]).contains("ada: Ben broke"));
    let recap = place.ok(&["-C", "mill", "session", "recap", "--player-safe"]);
    // Lyra heard the line, but does not know the name of the speaker.
    assert!(recap.contains("Somebody: \u{201C}Ben broke the millstone"), "{recap}");
    assert!(place.ok(&["-C", "mill", "session", "recap"]).contains("Ada Flint: \u{201C}Ben broke the millstone"));
    assert!(place.ok(&["-C", "mill", "session", "recap", "--prompt"]).contains("[1] Ada Flint"));
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
        place.ok(&few),
        "Ben OWES Ada Flint\nAda Flint: Ben broke the millstone in the dark.\n".replace("Ben OWES", "- Ben OWES")
    );
    assert_eq!(place.json(&["-C", "mill", "session", "threads", "--kind", "debt"])["all"], 1);
    let told = place.ok(&["-C", "mill", "session", "recap", "1", "--as", "sam-b"]);
    assert!(told.contains("sam-b was not there: `hearsay -C mill know missed sam-b session-1`"), "{told}");
    assert_eq!(place.json(&["-C", "mill", "session", "recap", "1", "--as", "sam-b"])["absent"], "sam-b");
    place.fails(&["-C", "mill", "session", "recap", "9"], 3, &["no session `9`", "session-1"]);
}

#[test]
fn a_transcript_is_tried_imported_and_taken_back() {
    let place = Place::new();
    place.ok(&["-C", "mill", "status"]);
    place.write("talk.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Anna>Fog over the mill.\n\n00:03.000 --> 00:04.000\n<v Zoe>Crisps?\n\n00:05.000 --> 00:06.000\n<v Old Ada>The stone is cracked.\n");
    let dry = ["-C", "mill", "session", "import", "talk.vtt", "--dm", "anna", "--speaker", "Zoe=ben", "--dry-run"];
    let told = place.ok(&dry);
    assert!(told.contains("Zoe (1 line): ben") && told.contains("Anna (1 line): the DM"), "{told}");
    assert!(told.contains("4  Fog over the mill.") && told.contains("nothing was changed"), "{told}");
    assert!(place.ok(&["-C", "mill", "session", "list"]).contains("No session"));
    let import = ["-C", "mill", "session", "import", "talk.vtt"];
    let first = place.json(&import);
    assert_eq!((first["lines"].as_u64(), first["unchanged"].as_bool()), (Some(3), Some(false)));
    assert_eq!(first["speakers"][2]["is"]["character"], "ada");
    let again = place.json(&import);
    assert!(again["written"].is_null() && again["unchanged"] == true, "{again}");
    let log = place.ok(&["-C", "mill", "session", "show", "--log"]);
    assert!(log.contains("Zoe: Crisps?") && log.contains("ada: The stone is cracked."), "{log}");
    place.ok(&["-C", "mill", "undo", "--author", "import"]);
    assert!(place.ok(&["-C", "mill", "session", "list"]).contains("No session"));
    place.fails(&["-C", "mill", "session", "import", "none.srt"], 4, &["none.srt"]);
    place.write("bad.txt", "a\0b");
    place.fails(&["-C", "mill", "session", "import", "bad.txt"], 4, &["bad.txt:1", "not a text file"]);
    place.fails(
        &["-C", "mill", "session", "import", "talk.vtt", "--speaker", "Eve=ben"],
        3,
        &["no speaker named `eve`"],
    );
    place.fails(&["-C", "mill", "session", "import", "talk.vtt", "--speaker", "Eve"], 2, &["Anna=lyra"]);
}

#[test]
fn texts_are_read_for_facts_wherever_they_come_from() {
    let place = Place::new();
    let found = || {
        place.json(&["-C", "mill", "fact", "list", "--predicate", "OWES", "--object", "ben"])["all"].as_u64().unwrap()
    };
    let before = found();
    let line = "Ada owes Ben ten crowns.";
    // A preview shows the facts, and records nothing.
    let drafted = place.json(&["-C", "mill", "fact", "extract", "--text", line, "--narration"]);
    assert_eq!((&drafted["facts"][0]["predicate"], &drafted["statuses"][0]), (&"OWES".into(), &"canon".into()));
    assert!(
        place.ok(&["-C", "mill", "fact", "extract", "--text", line, "--by", "ben"]).contains("nothing was recorded")
    );
    assert_eq!(found(), before);
    // Spoken lines and transcripts are processed automatically.
    let said = place.json(&["-C", "mill", "say", "--by", "ben", line]);
    assert_eq!((&said["found"]["claimed"], found()), (&1.into(), before + 1), "{said}");
    place.write("evening.txt", "Ben: Sam owes Ada twenty crowns.\n");
    let imported = place.json(&["-C", "mill", "session", "import", "evening.txt"]);
    assert!(imported["found"].is_object(), "{imported}");
    // Undoing a text also removes its facts, so the facts do not prevent the undo.
    assert!(place.ok(&["-C", "mill", "undo"]).contains("evening.txt"));
    let undone = place.json(&["-C", "mill", "undo"]);
    assert!(undone["summary"].as_str().unwrap().contains("Ada owes Ben"), "{undone}");
    assert_eq!(found(), before);
    let position = undone["position"].to_string();
    place.ok(&["-C", "mill", "undo", &position]);
    assert_eq!(found(), before + 1, "with the line comes back what was read in it");
    // Facts are extracted from texts of other tools too. Only a limited number of doubtful facts waits for review.
    place.write("mill/hearsay.toml", "[extraction]\nguesses = 4\n");
    let names =
        ["Zarael", "Bromwick", "Ysolde", "Tavish", "Quillon", "Hestia", "Orlok", "Fenwick", "Gisela", "Wulfram"];
    for (number, name) in names.iter().enumerate() {
        let notes = format!("# Note {number}\n\nMaybe Ada hates {name}.\n\nPerhaps Ben fears {name}.\n");
        place.write(&format!("notes/note-{number}.md"), &notes);
    }
    let imported = place.json(&["-C", "mill", "import", "notes", "--no-meaning"]);
    assert!(imported["found"]["left_out"].as_u64().unwrap() >= 5, "{imported}");
    assert!(place.ok(&["-C", "mill", "fact", "extract", "--again"]).contains("not proposed"));
    let waiting = || place.json(&["-C", "mill", "fact", "list", "--status", "proposed"])["all"].as_u64().unwrap();
    assert!(waiting() > 0);
    let undone = place.ok(&["-C", "mill", "undo", "--author", "import"]);
    assert!(undone.contains("import notes") && waiting() == 0, "{undone}");
    // An unreadable file gives an error that says what to do.
    place.write("empty.txt", "");
    assert!(place.ok(&["-C", "mill", "fact", "extract", "empty.txt"]).contains("No facts found"));
    fs::write(place.path("picture.bin"), [0x89, b'P', 0xff, 0x00]).unwrap();
    place.fails(&["-C", "mill", "fact", "extract", "picture.bin"], 4, &["picture.bin", "line 1", "UTF-8"]);
    place.fails(&["-C", "mill", "fact", "extract", "nowhere.txt"], 4, &["nowhere.txt"]);
}

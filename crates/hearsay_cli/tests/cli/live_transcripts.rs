//! Tests of transcripts that are recorded while another program writes them.

use std::{
    io::{BufRead, BufReader, Write},
    process::Child,
    time::Duration,
};

use super::*;

const PARTY: &str = r#"
entities:
  - {id: lyra, name: Lyra Fenn, kind: player, home: none, attributes: {player: Zoe}}
  - id: tam
    name: Tam Reed
    kind: npc
    home: the-mill
    secrets: [{id: ben-broke-it, text: "Ben broke the millstone.", about: [ben]}]
"#;

fn table() -> TestDir {
    let test_dir = TestDir::new();
    test_dir.write("mill/people.yaml", PARTY);
    test_dir.ok(&["-C", "mill", "session", "start", "--title", "The stone", "--at", "the-mill"]);
    test_dir
}

/// Runs `session follow -` with this standard input. Returns the printed JSON lines.
fn follow_input(test_dir: &TestDir, input: &str, options: &[&str]) -> Vec<Value> {
    let line = ["-C", "mill", "session", "follow", "-", "--jsonl"];
    let mut command = test_dir.command(&[&line, options].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = decode_output(child.wait_with_output().unwrap());
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn each_line_of_standard_input_is_recorded_with_its_effects() {
    let test_dir = table();
    let input = "{\"speaker\": \"Anna\", \"text\": \"Fog lies over the mill.\"}\n\
                 {\"partial\": \"What\"}\n\
                 {\"speaker\": \"Zoe\", \"text\": \"I look at Tam Reed and wait.\"}\n\
                 {\"speaker\": \"Tam\", \"text\": \"Listen to me, Lyra. Ben broke the millstone.\"}\n\
                 {\"speaker\": \"Zoe\", \"text\": \"Does a 17 hit?\"}\n";
    let lines = follow_input(&test_dir, input, &["--dm", "Anna"]);
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert_eq!((lines[0]["line"].as_u64(), &lines[0]["speaker"]), (Some(1), &Value::Null));
    assert_eq!(lines[1]["speaker"], "lyra");
    let tam = lines[1]["cards"].as_array().unwrap().iter().find(|card| card["id"] == "tam").unwrap();
    assert_eq!(tam["secrets"], serde_json::json!(["Ben broke the millstone."]));
    let told = &lines[2];
    assert_eq!((&told["speaker"], told["line"].as_u64()), (&serde_json::json!("tam"), Some(4)));
    assert_eq!(told["heard_by"], serde_json::json!(["ada", "ben", "lyra", "tam"]));
    assert_eq!((&told["talk_kind"], &told["states"][0]["handle"]), (&"in_character".into(), &"ben-broke-it".into()));
    assert_eq!(told["states"][0]["learned_by"], serde_json::json!(["ada", "ben", "lyra"]));
    assert!(told["cards"].as_array().unwrap().iter().all(|card| card["id"] != "tam"), "each card is shown once");
    let knowers = test_dir.json(&["-C", "mill", "know", "who-knows", "ben-broke-it"]).to_string();
    assert!(knowers.contains("lyra"), "{knowers}");
    assert_eq!(lines[3]["talk_kind"], "out_of_character");
    let log = test_dir.ok(&["-C", "mill", "session", "show", "1", "--log"]);
    assert!(log.contains("Tam Reed: Listen to me, Lyra."), "{log}");
}

#[test]
fn a_player_who_talks_about_the_game_does_not_join_the_session() {
    let test_dir = TestDir::new();
    test_dir.write("mill/people.yaml", PARTY);
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill", "--present", "ben"]);
    let present = || test_dir.json(&["-C", "mill", "session", "show"])["session"]["present"].clone();
    let lines = follow_input(&test_dir, "{\"speaker\": \"Zoe\", \"text\": \"Does a 17 hit?\"}\n", &[]);
    assert_eq!(lines[0]["talk_kind"], "out_of_character");
    assert_eq!(present(), serde_json::json!(["ben"]));
    follow_input(&test_dir, "{\"speaker\": \"Zoe\", \"text\": \"Ada, where is the stone?\"}\n", &[]);
    assert_eq!(present(), serde_json::json!(["ben", "lyra"]));
}

#[test]
fn an_out_of_character_line_shows_how_to_correct_it() {
    let test_dir = table();
    test_dir.write("talk.txt", "Zoe: (ooc) Ben broke the millstone.\nTam: Good evening.\n");
    let mut command = test_dir.command(&["-C", "mill", "session", "follow", "-", "--no-pager"]);
    let input = fs::File::open(test_dir.path("talk.txt")).unwrap();
    let output = decode_output(command.stdin(input).output().unwrap());
    let printed = output.stdout;
    assert!(printed.contains("out of character: kept in the log, nobody in the world hears it"), "{printed}");
    assert!(printed.contains("hearsay -C mill session mark 1 in-character"), "{printed}");
    assert!(!printed.contains("states: ") && printed.contains("heard by: "), "{printed}");
}

/// Waits until the program has printed a line that contains this text.
fn wait_for(lines: &mut impl Iterator<Item = std::io::Result<String>>, text: &str) -> String {
    lines.map(Result::unwrap).find(|line| line.contains(text)).unwrap_or_else(|| panic!("no line with {text}"))
}

fn interrupt(child: &mut Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0), "Ctrl-C is the normal end of the command");
}

#[cfg(unix)]
#[test]
fn a_growing_file_is_followed_and_continued() {
    let test_dir = table();
    test_dir.write("talk.txt", "Anna: Fog over the mill.\nOld Ada: Who is th");
    let follow = |first: &str| {
        let line = ["-C", "mill", "session", "follow", "talk.txt", "--dm", "anna", "--no-pager"];
        let mut child = test_dir.command(&line).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        wait_for(&mut lines, first);
        (child, lines)
    };
    let (mut child, mut lines) = follow("Fog over the mill.");
    let append = |text: &str| {
        fs::OpenOptions::new()
            .append(true)
            .open(test_dir.path("talk.txt"))
            .unwrap()
            .write_all(text.as_bytes())
            .unwrap();
    };
    append("ere?\nOld Ada: Ben, the cart!\n");
    wait_for(&mut lines, "Who is there?");
    // The last line counts as finished after a pause.
    wait_for(&mut lines, "Ben, the cart!");
    interrupt(&mut child);
    append("Anna: A light goes out.\n");
    let (mut child, _lines) = follow("A light goes out.");
    interrupt(&mut child);
    let log = test_dir.ok(&["-C", "mill", "session", "show", "1", "--log"]);
    let texts: Vec<&str> = log.lines().map(|line| line.trim_start_matches(|c: char| !c.is_alphabetic())).collect();
    assert_eq!(
        texts,
        ["Fog over the mill.", "Ada Flint: Who is there?", "Ada Flint: Ben, the cart!", "A light goes out."],
        "{log}"
    );
    // The import of the whole file finds nothing new.
    let import = ["-C", "mill", "session", "import", "talk.txt", "--dm", "anna"];
    assert!(test_dir.ok(&import).contains("Nothing has changed"), "the followed lines are those of the file");
}

#[cfg(unix)]
#[test]
fn a_file_that_became_shorter_is_an_error() {
    let test_dir = table();
    test_dir.write("talk.txt", "Anna: Fog over the mill.\nAnna: Rain.\nAnna: Hail.\n");
    let line = ["-C", "mill", "session", "follow", "talk.txt", "--dm", "anna", "--no-pager"];
    let mut child = test_dir.command(&line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    wait_for(&mut lines, "Rain.");
    std::thread::sleep(Duration::from_millis(50));
    test_dir.write("talk.txt", "Anna: Sun.\n");
    let output = decode_output(child.wait_with_output().unwrap());
    assert_eq!(output.code, 4, "{}", output.stderr);
    assert!(output.stderr.contains("talk.txt: the file became shorter"), "{}", output.stderr);
    let output = test_dir.run(&["-C", "mill", "session", "follow", "none.txt"]);
    assert!(output.code == 4 && output.stderr.contains("expected a transcript"), "{}", output.stderr);
    let output = test_dir.run(&["-C", "mill", "session", "follow", "talk.txt", "--json"]);
    assert!(output.code == 2 && output.stderr.contains("--jsonl instead of --json"), "{}", output.stderr);
}

#[test]
fn the_names_of_a_campaign_are_printed_for_speech_recognition() {
    let test_dir = table();
    assert_eq!(test_dir.ok(&["-C", "mill", "vocabulary", "--speech", "--limit", "3"]).matches(", ").count(), 2);
    let names = test_dir.json(&["-C", "mill", "vocabulary", "--speech"]);
    assert_eq!(names[0], "Lyra Fenn");
    assert!(names.as_array().unwrap().contains(&serde_json::json!("Old Ada")), "{names}");
}

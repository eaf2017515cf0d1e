//! Tests of `new`: the questions on a terminal, a page of notes, the example.

#[cfg(target_os = "linux")]
use std::{
    io::{Read, Write},
    process::Child,
};

use super::*;

const PAGE: &str = "\
# Salt and Lies

Players: Wren Oake (Ben), Dorric Stane (Cleo)

The party begins in the Gilded Gull, an inn in Gullhaven. The landlady is Mirela Voss. She is kind.

Odo Brandt is a ferryman who drinks.

Secret: Mirela hid the ledger in the chapel.

Rain falls all week.
";

#[test]
fn a_page_becomes_a_campaign() {
    let test_dir = TestDir::new();
    test_dir.write("page.md", PAGE);
    let printed = test_dir.ok(&["new", "salt", "--from", "page.md"]);
    for part in [
        "2 player characters, 2 NPCs",
        "Secrets, with their knowers; check them in campaign.yaml:\n     9  mirela-voss  Mirela hid the ledger",
        "only you see it:\n    11  Rain falls all week.",
        "Places:\n     5  the-gilded-gull  The Gilded Gull is an inn in Gullhaven.",
        "     5  gullhaven",
        "     5  the-gilded-gull  part of gullhaven",
        "NPCs without a home (they are nowhere",
        "notes.md",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    assert_eq!(fs::read_to_string(test_dir.path("salt/notes.md")).unwrap(), PAGE);
    // The printed commands work as they are printed.
    let commands: Vec<Vec<&str>> =
        printed.lines().filter_map(|line| line.strip_prefix("  hearsay ")).map(split_line).collect();
    assert_eq!(commands.len(), 4, "{printed}");
    let answers: Vec<String> = commands.iter().map(|line| test_dir.ok(line)).collect();
    assert!(answers[0].contains("hid the ledger") && !answers[1].contains("hid the ledger"), "{answers:?}");
    assert!(answers[2].contains("session-1 begins") && answers[3].contains("heard by"), "{answers:?}");
    let data = test_dir.json(&["new", "data", "--from", "page.md", "--name", "Mine"]);
    assert_eq!((&data["name"], &data["secrets"][0]["entity"]), (&"Mine".into(), &"mirela-voss".into()), "{data}");
    assert_eq!(test_dir.ok(&["-C", "salt", "sync", "--dry-run"]).lines().last(), Some("Dry run: nothing was changed."));
}

#[test]
fn short_notes_have_places_people_and_knowers() {
    let test_dir = TestDir::new();
    let page = "\
# The Salt Road

PCs: Tamsel Brook (Ida), Orrin Vale (Max)

## The Broken Wheel

A low inn where the road forks.

## People

- Hanna Pike, the landlady.
- Tobin Reed: the bailiff

## Secrets

- Hanna keeps two sets of books. Known by Hanna and Tobin.
";
    test_dir.write("page.md", page);
    let printed = test_dir.ok(&["new", "salt", "--from", "page.md"]);
    for part in ["2 player characters, 2 NPCs, 1 place", "1 secret", "hanna-pike, tobin-reed  Hanna keeps two sets"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let ask = |who: &str| test_dir.ok(&["-C", "salt", "ask", "--as", who, "What about the books?"]);
    assert!(ask("tobin").contains("two sets of books") && !ask("tamsel").contains("two sets of books"));
    // People are found by their occupation.
    assert!(ask("the bailiff").contains("Tobin Reed") && ask("landlady").contains("Hanna Pike"));
}

#[test]
fn headings_say_what_the_text_is() {
    let test_dir = TestDir::new();
    let page = "\
The Salt Road

PCs: Tamsel Brook (Ida)

PEOPLE
Hanna Pike: the landlady. She waters the ale.
Tobin Reed - the bailiff

PLACES
The Broken Wheel: a low inn

LIES
Tobin says he never drinks.
The mill is empty.

RUMOURS
The Wheel is haunted. (heard by Hanna)

HOUSE RULES
Criticals do maximum damage.
";
    test_dir.write("page.txt", page);
    let printed = test_dir.ok(&["new", "salt", "--from", "page.txt"]);
    for part in [
        "1 player character, 2 NPCs, 1 place",
        "     6  hanna-pike  Hanna Pike: the landlady. She waters the ale.",
        "Lies, with their tellers:\n    13  tobin-reed  Tobin Reed never drinks.",
        "hanna-pike          The Wheel is haunted.",
        "nobody yet (false)  The mill is empty.",
        "    14  nobody tells this lie, so it became a rumour that is false: The mill is empty.",
        "Not about the game world; only you see it:\n    20  Criticals do maximum damage.",
        "add the town as a location, and `part_of: TOWN` to their homes in campaign.yaml): hanna-pike, tobin-reed",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let know = |who: &str| test_dir.ok(&["-C", "salt", "know", "knows", who]);
    assert!(!know("tamsel-brook").contains("haunted") && !know("hanna-pike").contains("never drinks"));
    assert!(!know("hanna-pike").contains("maximum damage"));
    assert!(know("hanna-pike").contains("haunted"));
}

#[test]
fn the_truth_behind_a_lie_and_a_real_name_are_known_to_few() {
    let test_dir = TestDir::new();
    let page = "\
# Quarry

## Places

- Dunholt - a town.
- The Kiln - a tower in Dunholt.

## People

**Ilan Voss** - an actor. Lives in the Kiln. His real name is Jorin Hale.
Cover story: he was ill on the night of the fire.
Truth: he lit the fire.

**Berta Holm** - a mason. Lives in the Kiln.

## Lies

- Berta sold the gate. She tells everybody that thieves took the gate.
";
    test_dir.write("page.md", page);
    let printed = test_dir.ok(&["new", "quarry", "--from", "page.md"]);
    for part in [
        "Secret names, with their knowers:\n    10  ilan-voss  Jorin Hale",
        "berta-holm to dunholt",
        "Lies that nobody believes yet (add `told_to: [ID, ID]` in campaign.yaml): line 11\n",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let know = |who: &str| test_dir.ok(&["-C", "quarry", "know", "knows", who]);
    let (ilan, berta) = (know("ilan-voss"), know("berta-holm"));
    assert!(ilan.contains("lit the fire") && ilan.contains("Jorin Hale"), "{ilan}");
    assert!(!berta.contains("lit the fire") && !berta.contains("Jorin"), "{berta}");
    assert!(ilan.contains("hieves took the gate"), "{ilan}");
    assert!(fs::read_to_string(test_dir.path("quarry/campaign.yaml")).unwrap().contains("truth_is: ilan-voss-truth"));
}

#[test]
fn an_npc_without_a_place_lives_where_it_works() {
    let test_dir = TestDir::new();
    let page = "\
Players: Wren Oake (Ben)

We start in the Gilded Gull, an inn in Gullhaven.

## People

- Mirela Voss, landlady of the Gilded Gull.
- Pell Marrow, former innkeeper of the Gilded Gull.
- Bram Kess, cook at the Gull. Lives in the Mill.
- Tib Hale, a spy from Gullhaven.

## Places

- The Mill, a mill by the river.
";
    test_dir.write("page.md", page);
    let printed = test_dir.ok(&["new", "gull", "--from", "page.md"]);
    assert_eq!(printed.matches("because of the occupation").count(), 1, "{printed}");
    for part in [
        "lives in the-gilded-gull, because of the occupation\n",
        "lives in the-mill\n",
        "add `home: ID` in campaign.yaml): pell-marrow, tib-hale\n",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let campaign = fs::read_to_string(test_dir.path("gull/campaign.yaml")).unwrap();
    assert!(campaign.contains("    home: the-gilded-gull  # works here, so lives here\n"), "{campaign}");
    test_dir.ok(&["-C", "gull", "session", "start", "--at", "the-gilded-gull"]);
    let logged = test_dir.json(&["-C", "gull", "log", "Rain falls."]);
    assert_eq!(logged["heard_by"], serde_json::json!(["mirela-voss", "wren-oake"]), "{logged}");
}

#[test]
fn a_folder_of_pages_becomes_a_campaign() {
    let test_dir = TestDir::new();
    for (file, text) in [
        ("00-overview.md", "# Salt and Lies\n\nPlayers: Wren Oake (Ben)\n\nWe start in the Gilded Gull.\n"),
        ("Odo.md", "---\ntype: npc\nhome: The Gilded Gull\n---\nA ferryman.\n"),
        ("people.md", "# People\n\n## Mirela Voss\n\nThe undertaker. Lives at the Gilded Gull.\n"),
        ("places.md", "- **The Gilded Gull** - an inn\n"),
        (
            "secrets.md",
            "# Secrets\n\n- Mirela hid the ledger. (only Mirela knows)\n\n# Lies\n\n- Mirela says that the ledger burned.\n",
        ),
    ] {
        test_dir.write(&format!("notes/{file}"), text);
    }
    let printed = test_dir.ok(&["new", "salt", "--from", "notes"]);
    for part in [
        "1 player character, 1 NPC, 1 place",
        "your notes, joined into one page",
        "mirela-voss  lives in the-gilded-gull",
        "mirela-voss  Mirela hid the ledger.\n",
        "mirela-voss  The ledger burned.",
        "with the same home as an entity, and the residents of a place, know all of its text",
        "(`hearsay -C salt import notes` reads them): Odo.md",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    assert!(fs::read_to_string(test_dir.path("salt/notes.md")).unwrap().contains("\n# Places\n\n- **The Gilded"));
    // The import reads the note about Odo, and makes no entity of the lists.
    let report = test_dir.json(&["-C", "salt", "import", "notes", "--dry-run"]);
    assert_eq!(report["created"], serde_json::json!({"npc": 1}), "{report}");
    assert_eq!(report["linked"], serde_json::json!(["mirela-voss"]), "{report}");
    let warned = report["warnings"].as_array().unwrap().iter().map(|warning| warning["path"].as_str().unwrap());
    assert_eq!(warned.collect::<Vec<_>>(), ["people.md", "places.md", "secrets.md"], "{report}");
    assert!(!test_dir.path("salt/.hearsay").exists());
}

/// Splits a printed command into words. Only its last word can be in quotes.
fn split_line(line: &str) -> Vec<&str> {
    let (words, quoted) = line.split_once(" \"").unwrap_or((line, ""));
    words.split(' ').chain(Some(quoted.trim_end_matches('"')).filter(|quoted| !quoted.is_empty())).collect()
}

#[test]
fn a_file_that_is_no_page_is_refused() {
    let test_dir = TestDir::new();
    test_dir.write("empty.md", " \n");
    for (file, reason) in [
        ("mill/campaign.yaml", "not a page of notes"),
        ("mill", "the folder contains no notes"),
        ("none.md", "cannot be read"),
        ("empty.md", "no text"),
    ] {
        test_dir.fails(
            &["new", "salt", "--from", file],
            4,
            &[file, reason, "plain text or Markdown", "hearsay import"],
        );
    }
    test_dir.fails(&["new", "salt", "--from", "empty.md", "--template"], 2, &["--from", "--template"]);
    test_dir.fails(&["new", "salt", "--name", "?!"], 2, &["--name", "`?!`", "a letter or a digit"]);
    assert!(!test_dir.path("salt").exists(), "nothing is written");
}

#[test]
fn without_a_terminal_the_campaign_is_an_example() {
    let test_dir = TestDir::new();
    for line in [&["new", "one"][..], &["new", "two", "--template"]] {
        assert!(test_dir.ok(line).contains("Ann knows a secret that Bo does not know."), "{line:?}");
    }
    assert_eq!(test_dir.json(&["new", "three"])["name"], "three");
    // The game clock is set, so gossip can be simulated.
    test_dir.ok(&["-C", "two", "simulate", "gossip", "--days", "1"]);
}

/// Starts a command on a terminal.
#[cfg(target_os = "linux")]
fn start_on_terminal(test_dir: &TestDir, line: &str) -> Child {
    let mut command = Command::new("script");
    command.current_dir(test_dir.directory.path()).args(["-qec", &format!("{HEARSAY} {line}"), "/dev/null"]);
    command.env("HEARSAY_MODEL_DIR", model()).env_remove("RUST_LOG").env_remove("HEARSAY_CAMPAIGN").env("PAGER", "cat");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Runs a command on a terminal, in which the user types a text.
#[cfg(target_os = "linux")]
fn run_on_terminal(test_dir: &TestDir, line: &str, typed: &str) -> CommandOutput {
    let mut child = start_on_terminal(test_dir, line);
    child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
    decode_output(child.wait_with_output().unwrap())
}

#[test]
#[cfg(target_os = "linux")]
fn ctrl_c_ends_the_questions() {
    let test_dir = TestDir::new();
    let rest = press_ctrl_c(&test_dir, "new other", "[Other]");
    assert!(rest.contains("stopped by Ctrl-C; nothing was written"), "{rest}");
    assert!(!test_dir.path("other").exists());
}

#[test]
#[cfg(target_os = "linux")]
fn ctrl_c_at_a_question_ends_the_command_with_nothing_done() {
    let test_dir = TestDir::new();
    let berta = "format: 1\ncampaign: {name: Mill, start: day 1}\nentities:\n  - {id: the-mill, name: The Mill, kind: location}\n  - {id: berta-krull, name: Berta Krull, kind: npc, home: the-mill}\n";
    test_dir.write("mill/campaign.yaml", berta);
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    let rest = press_ctrl_c(&test_dir, "-C mill log 'Bertha: The wheel is broken.'", "[y/N]");
    assert!(rest.contains("stopped by Ctrl-C"), "{rest}");
    let lines = || test_dir.run(&["-C", "mill", "search", "The wheel is broken", "--no-meaning"]).stdout;
    assert!(!lines().contains("wheel"), "{}", lines());
    // The same line is recorded after the answer.
    let output = run_on_terminal(&test_dir, "-C mill log 'Bertha: The wheel is broken.'", "y\n");
    assert_eq!(output.code, 0, "{}", output.stdout);
    assert!(lines().contains("wheel") && output.stdout.contains("said by: Berta Krull"), "{}", output.stdout);
}

/// Runs a command on a terminal, and presses Ctrl-C once when the terminal shows a text. Returns the output after that.
#[cfg(target_os = "linux")]
fn press_ctrl_c(test_dir: &TestDir, line: &str, text: &str) -> String {
    let mut child = start_on_terminal(test_dir, line);
    let mut stdout = child.stdout.take().unwrap();
    let mut shown = Vec::new();
    while !String::from_utf8_lossy(&shown).contains(text) {
        let mut bytes = [0; 1024];
        let length = stdout.read(&mut bytes).unwrap();
        assert!(length > 0, "{}", String::from_utf8_lossy(&shown));
        shown.extend(&bytes[..length]);
    }
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"\x03").unwrap();
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    rest
}

#[test]
#[cfg(target_os = "linux")]
fn on_a_terminal_the_answers_make_the_campaign() {
    let test_dir = TestDir::new();
    let answers = "Salt and Lies\nWren Oake (Ben)\nthe Gilded Gull, an inn in Gullhaven\nMirela Voss, the landlady; Odo\nMirela hid the ledger\n";
    let output = run_on_terminal(&test_dir, "new salt", answers);
    assert_eq!(output.code, 0, "{}", output.stdout);
    assert!(output.stdout.contains("hearsay -C salt ask --as mirela-voss"), "{}", output.stdout);
    let ask =
        |who| test_dir.ok(&["-C", "salt", "ask", "--as", who, "What do you know about the ledger?", "--no-meaning"]);
    assert!(ask("mirela-voss").contains("hid the ledger"));
    assert!(!ask("odo").contains("hid the ledger") && !ask("wren-oake").contains("hid the ledger"));

    let output = run_on_terminal(&test_dir, "new other", "Town\n\u{4}");
    assert_eq!(output.code, 1, "{}", output.stdout);
    assert!(output.stdout.contains("question 2; nothing was written"), "{}", output.stdout);
    assert!(!test_dir.path("other").exists());

    let output = run_on_terminal(&test_dir, "--json new quiet", "");
    assert!(output.code == 0 && !output.stdout.contains("Example:"), "{}", output.stdout);
    let output = run_on_terminal(&test_dir, "new example --template", "");
    assert!(output.code == 0 && output.stdout.contains("Ann knows a secret"), "{}", output.stdout);
}

//! Tests that the commands with a knower show only what the knower knows.
//!
//! Each command runs on a generated campaign, and on the same campaign without everything that the knower does not know.
//! Output, error output and exit code must be equal, byte for byte. A name that the knower does not know is thus told
//! apart from a name that does not exist by nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

mod worlds;

use worlds::{FOLDERS, World};

/// Commands with a knower. `KNOWER` stands for the knower, `KNOWN` for a character that it knows, `NAME` for the name
/// of an entity, `FACT` for a reference to a fact, and `PREDICATE` for a predicate.
const LINES: [&[&str]; 35] = [
    &["ask", "--as", "KNOWER", "--no-meaning", "What do you know about NAME?", "-v"],
    &["ask", "--as", "KNOWER", "--no-meaning", "Who is there?", "--at", "NAME"],
    &["ask", "--as", "KNOWER", "--no-meaning", "Who is there?", "--with", "NAME"],
    &["ask", "--as", "KNOWER", "--no-meaning", "Who is there?", "--about", "NAME"],
    &["ask", "--as", "KNOWER", "--no-meaning", "Who is KNOWN?", "--session", "1", "--form", "prompt", "--citations"],
    &["search", "NAME", "--as", "KNOWER", "--no-meaning", "--verbose"],
    &["search", "boat", "--as", "KNOWER", "--no-meaning", "--about", "NAME"],
    &["search", "KNOWN", "--as", "KNOWER", "--no-meaning", "--predicate", "PREDICATE"],
    &["search", "*", "--as", "KNOWER"],
    &["entity", "show", "NAME", "--as", "KNOWER"],
    &["entity", "show", "FACT", "--as", "KNOWER"],
    &["entity", "neighbours", "NAME", "--as", "KNOWER", "--depth", "3"],
    &["entity", "neighbours", "KNOWN", "--as", "KNOWER", "--predicate", "PREDICATE"],
    &["entity", "path", "NAME", "KNOWN", "--as", "KNOWER"],
    &["entity", "path", "KNOWER", "NAME", "--as", "KNOWER"],
    &["fact", "show", "FACT", "--as", "KNOWER"],
    &["fact", "show", "NAME", "--as", "KNOWER"],
    &["fact", "list", "--as", "KNOWER", "--limit", "3"],
    &["fact", "list", "--as", "KNOWER", "--subject", "NAME"],
    &["fact", "list", "--as", "KNOWER", "--about", "NAME"],
    &["fact", "list", "--as", "KNOWER", "--object", "NAME"],
    &["fact", "list", "--as", "KNOWER", "--predicate", "PREDICATE"],
    &["know", "knows", "KNOWER", "--limit", "5"],
    &["know", "knows", "KNOWER", "--about", "NAME"],
    &["know", "knows", "KNOWER", "--predicate", "PREDICATE"],
    &["know", "believes", "KNOWER", "NAME"],
    &["know", "believes", "KNOWER", "KNOWN", "PREDICATE"],
    &["know", "believes", "KNOWER", "KNOWN", "--thinks-of", "NAME"],
    &["session", "show", "1", "--summary", "--as", "KNOWER"],
    &["session", "show", "--summary", "--as", "KNOWER", "--document", "NAME"],
    &["session", "recap", "1", "--as", "KNOWER", "--citations"],
    &["session", "recap", "1", "--as", "KNOWER", "--prompt"],
    &["session", "recap", "--compress", "--as", "KNOWER", "--document", "NAME"],
    &["export", "--format", "handbook", "--as", "KNOWER"],
    &["export", "--format", "handbook-html", "--as", "KNOWER"],
];

/// Commands with a character that show no knowledge of one character: they record what the DM or a player says, or their
/// answers have a test of their own (`mcp`: `hearsay_eval mcp-leaks`).
const OTHER_COMMANDS: [&str; 18] = [
    "say",
    "log",
    "mcp",
    "serve token add",
    "entity set",
    "fact add",
    "fact extract",
    "event witness",
    "event tell",
    "event read",
    "event deduce",
    "event refute",
    "know forget",
    "session start",
    "session attend",
    "session import",
    "session follow",
    "review",
];

/// Phrase in the help of a command that answers the DM from the whole campaign.
const DM_PHRASE: &str = "for the DM only";

/// Returns the first words of a command line, which name the command.
fn command_name(line: &[&str]) -> String {
    let is_group = ["entity", "fact", "know", "session"].contains(&line[0]);
    line[..if is_group { 2 } else { 1 }].join(" ")
}

/// Returns each command with its help.
pub(super) fn helps(test_dir: &TestDir) -> BTreeMap<String, String> {
    let mut helps = BTreeMap::new();
    let mut waiting: Vec<Vec<String>> = vec![Vec::new()];
    while let Some(path) = waiting.pop() {
        let line: Vec<&str> = path.iter().map(String::as_str).chain(["--help"]).collect();
        let help = test_dir.ok(&line);
        let commands = match path.is_empty() {
            true => help.split_once("Everyday:").unwrap().1.split_once("Options:").unwrap().0,
            false => help.split_once("\nCommands:\n").map_or("", |(_, rest)| rest.split_once("\n\n").unwrap().0),
        };
        for command in commands.lines().filter_map(|line| line.strip_prefix("  ")) {
            let name = command.split(' ').next().unwrap();
            if !name.is_empty() && name != "help" {
                waiting.push(path.iter().cloned().chain([name.to_owned()]).collect());
            }
        }
        helps.insert(path.join(" "), help);
    }
    helps
}

#[test]
fn every_command_with_a_knower_is_tested_for_leaks() {
    let test_dir = TestDir::new();
    let tested: BTreeSet<String> = LINES.iter().map(|line| command_name(line)).collect();
    let helps = helps(&test_dir);
    assert!(helps.len() > 60, "{:?}", helps.keys());
    let mut unclassified: Vec<&str> = Vec::new();
    for (name, help) in &helps {
        let takes_character = help.contains("<CHARACTER>") || help.contains("[CHARACTER]");
        let takes_knower = help.contains("--as <CHARACTER>") && name != "mcp";
        let is_dm_question = help.replace('\n', " ").contains(DM_PHRASE);
        let is_other = !takes_knower && (is_dm_question || OTHER_COMMANDS.contains(&name.as_str()));
        if takes_character && !is_other && !tested.contains(name) {
            unclassified.push(name);
        }
    }
    assert!(
        unclassified.is_empty(),
        "{unclassified:?} take a character: add lines of them to LINES, so that they are tested for leaks; or say \
         \"{DM_PHRASE}\" in their help; or, if they show no knowledge, add them to OTHER_COMMANDS"
    );
    let takes_none = |name: &&str| !helps.get(*name).is_some_and(|help| help.contains("CHARACTER"));
    let superfluous: Vec<&str> = tested.iter().map(String::as_str).chain(OTHER_COMMANDS).filter(takes_none).collect();
    assert!(superfluous.is_empty(), "{superfluous:?} take no character");
}

/// Returns the texts to put in the place of `NAME`, `FACT` and `PREDICATE`.
fn probes(world: &World) -> [(&'static str, Vec<String>); 3] {
    let id = |name: &str| name.to_lowercase().replace(' ', "-");
    let short_id = |handle: &str| {
        let fact = world.test_dir.json(&["-C", "whole", "fact", "show", handle]);
        fact["fact"]["id"].as_str().unwrap()[..8].to_owned()
    };
    let first_name = world.hidden.split(' ').next().unwrap().to_owned();
    let misspelt = world.hidden.replacen(['a', 'b', 'm'], "e", 1);
    let names = vec![
        world.known.clone(),
        world.hidden.clone(),
        id(&world.hidden),
        first_name,
        misspelt,
        world.alias.clone(),
        world.document.clone(),
        "The Ledger".to_owned(),
        "no-such-name".to_owned(),
    ];
    let handles = ["saw-the-boat", "hid-the-crown", "no-boat", "no-such-fact"].map(str::to_owned);
    let words = ["red boat", "red boat dawn", "crown stairs", "hid the crown"].map(str::to_owned);
    let facts = handles.into_iter().chain(words).chain(["saw-the-boat", "hid-the-crown"].map(short_id)).collect();
    let predicates = ["occupation", "HAUNTS_AT_NIGHT", "haunts", "OWES", "NO_SUCH"].map(str::to_owned).to_vec();
    [("NAME", names), ("FACT", facts), ("PREDICATE", predicates)]
}

/// Returns the command lines of a world, alternately with text output and with `--json`.
fn command_lines(world: &World, seed: u64) -> Vec<Vec<String>> {
    let probes = probes(world);
    let mut lines = Vec::new();
    for line in LINES {
        let line: Vec<String> =
            line.iter().map(|word| word.replace("KNOWER", &world.knower).replace("KNOWN", &world.known)).collect();
        let probe = probes.iter().find(|(placeholder, _)| line.iter().any(|word| word.contains(placeholder)));
        match probe {
            Some((placeholder, texts)) => {
                let fill = |text: &String| line.iter().map(|word| word.replace(placeholder, text)).collect();
                lines.extend(texts.iter().map(fill));
            }
            None => lines.push(line),
        }
    }
    for (n, line) in lines.iter_mut().enumerate() {
        if (n as u64 + seed).is_multiple_of(2) {
            line.push("--json".to_owned());
        }
    }
    lines
}

/// Runs all command lines of a world in a folder.
fn outputs(world: &World, folder: &str, lines: &[Vec<String>]) -> Vec<(i32, String, String)> {
    let run = |line: &Vec<String>| {
        let words: Vec<&str> = ["-C", folder].into_iter().chain(line.iter().map(String::as_str)).collect();
        let CommandOutput { code, stdout, stderr } = world.test_dir.run(&words);
        (code, stdout, stderr)
    };
    lines.iter().map(run).collect()
}

fn check_world(seed: u64) {
    let world = World::generate(seed);
    let lines = command_lines(&world, seed);
    let (whole, part) = std::thread::scope(|scope| {
        let whole = scope.spawn(|| outputs(&world, FOLDERS[0], &lines));
        let part = outputs(&world, FOLDERS[1], &lines);
        (whole.join().unwrap(), part)
    });
    let answers = whole.iter().filter(|(code, ..)| *code == 0).count();
    assert!(answers > lines.len() / 4 && answers < lines.len(), "{answers} of {} answers", lines.len());
    let mut differences = String::new();
    for ((line, whole), part) in lines.iter().zip(&whole).zip(&part) {
        let line = line.join(" ");
        assert!([0, 3].contains(&whole.0), "{line}: {whole:?}");
        if whole != part {
            differences.push_str(&format!("{line}\n  whole: {whole:?}\n  part:  {part:?}\n"));
        }
    }
    assert!(differences.is_empty(), "seed {seed}:\n{differences}");
}

#[test]
fn nothing_unknown_changes_a_byte_of_a_command() {
    check_world(1);
}

#[test]
fn nothing_unknown_changes_a_byte_of_a_command_in_another_world() {
    check_world(2);
}

#[test]
fn a_hidden_name_and_a_name_that_does_not_exist_give_the_same_output() {
    let world = World::generate(3);
    let (hidden, invented) = (world.hidden.as_str(), "Gwinbar Lott");
    // A search for a text proposes the known names that are most similar to this text.
    let lines = LINES.iter().filter(|line| !line.starts_with(&["search", "NAME"]));
    for line in lines.filter(|line| line.iter().any(|word| word.contains("NAME"))) {
        let run = |name: &str| {
            let fill = |word: &&str| {
                word.replace("KNOWER", &world.knower).replace("KNOWN", &world.known).replace("NAME", name)
            };
            let words: Vec<String> = line.iter().map(fill).collect();
            let words: Vec<&str> = ["-C", "whole"].into_iter().chain(words.iter().map(String::as_str)).collect();
            let CommandOutput { code, stdout, stderr } = world.test_dir.run(&words);
            (code, stdout.replace(name, "NAME"), stderr.replace(name, "NAME"))
        };
        assert_eq!(run(hidden), run(invented), "{line:?}");
    }
}

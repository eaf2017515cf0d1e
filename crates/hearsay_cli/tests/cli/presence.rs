//! Tests of the presence of characters in the scenes of a session: who comes, who leaves, who hears a line, and what `log` says
//! about it. Each module answers one question.

use super::*;

mod absent;
mod moves;
mod places;
mod speakers;
mod strangers;
mod unnoticed;

/// Returns a mill with two player characters, a weir with a keeper, and a session at the mill.
fn split_party() -> TestDir {
    let test_dir = TestDir::new();
    let people = r#"
entities:
  - {id: weir, name: The Old Weir, kind: location, description: A lock on the river.}
  - {id: lyra, name: Lyra Fenn, kind: player, home: none, attributes: {pronouns: she/her}}
  - {id: tam, name: Tam Reed, kind: player, home: none, attributes: {pronouns: he/him}}
  - {id: pike, name: Amos Pike, kind: npc, home: weir, attributes: {pronouns: he/him}}
"#;
    test_dir.write("mill/party.yaml", people);
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    test_dir
}

/// Logs a line, and returns its hearers.
fn heard_by(test_dir: &TestDir, line: &[&str]) -> Value {
    test_dir.json(&[&["-C", "mill", "log"][..], line].concat())["heard_by"].clone()
}

/// Runs the first command that a text names in backticks.
fn run_named_command(test_dir: &TestDir, text: &str, part: &str) -> String {
    let command = text.split('`').find(|command| command.starts_with("hearsay ") && command.contains(part));
    let command = command.unwrap_or_else(|| panic!("no command with {part}: {text}"));
    test_dir.ok(&command.split(' ').skip(1).collect::<Vec<_>>())
}

/// Adds the third player character Kit to the scene of [`split_party`].
fn party_of_three() -> TestDir {
    let test_dir = split_party();
    test_dir.write("mill/kit.yaml", "entities:\n  - {id: kit, name: Kit, kind: player, home: none}\n");
    test_dir.ok(&["-C", "mill", "session", "attend", "--arrive", "kit"]);
    test_dir
}

//! Tests of the command line itself: errors and exit codes, help, finding the campaign, readers that end early.

use std::io::{BufRead, BufReader};

use super::{knowers::helps, lists::with_session, *};

#[test]
fn errors_name_the_thing_and_have_their_code() {
    let test_dir = TestDir::new();
    test_dir.fails(&["-C", "nowhere", "ask", "--as", "ada", "x"], 4, &["nowhere", "hearsay new"]);
    test_dir.fails(&["-C", "mill/campaign.yaml", "ask", "--as", "ada", "x"], 4, &["this path leads to a file"]);
    fs::create_dir(test_dir.path("empty")).unwrap();
    test_dir.fails(&["-C", "empty", "status"], 4, &["empty", "not a campaign"]);
    test_dir.fails(&["-C", "mill", "ask", "--as", "adda", "x"], 3, &["adda", "ada"]);
    test_dir.fails(&["-C", "mill", "ask", "--as", "Sam", "x"], 3, &["sam-a", "sam-b"]);
    test_dir.fails(&["-C", "mill", "ask", "--as", "ada", "--at", "nowhere", "x"], 3, &["nowhere"]);
    test_dir.fails(&["-C", "mill", "ask", "--as", "ada", "--as-of", "41 Junk", "x"], 2, &["41 Junk"]);
    test_dir.fails(&["-C", "mill", "ask", "--as", "ada", " "], 2, &["QUESTION"]);
    test_dir.fails(&["-C", "mill", "ask", "--as", "ada", "--budget", "3", "x"], 2, &["64"]);
    test_dir.fails(&["-C", "mill", "ask"], 2, &["--as"]);
    test_dir.fails(&["-C", "mill", "askk"], 2, &["askk"]);
    test_dir.fails(&["-C", "mill", "fact", "list", "--predicate", "NO_SUCH"], 3, &["NO_SUCH", "hearsay db stats"]);
    test_dir.fails(&["-C", "mill", "entity", "add", "Ada", "--id", "Bad Id"], 2, &["Bad Id"]);
    test_dir.fails(&["-C", "mill", "entity", "add", "Ada", "--id", "ada"], 1, &["ada"]);
    test_dir.fails(&["-C", "mill", "fact", "add", "ada", "LIKES", "ben", "--attitude", "200"], 2, &["200"]);
    test_dir.fails(&["-C", "mill", "fact", "correct", "ffffffff", "--object", "x"], 3, &["ffffffff"]);
    test_dir.fails(&["-C", "mill", "import", "none.yaml"], 4, &["none.yaml"]);
    test_dir.fails(&["-C", "mill", "import", "none.jsonl"], 4, &["none.jsonl"]);
    test_dir.write("mill/hearsay.toml", "[recall]\nbudgit = 5\n");
    test_dir.fails(&["-C", "mill", "status"], 4, &["hearsay.toml", "budgit", "budget"]);
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let test_dir = TestDir::new();
    for _ in 0..3 {
        test_dir.ok(&["-C", "mill", "sync"]);
        let mut child = test_dir.command(&["-C", "mill", "export", "-q"]);
        let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = String::new();
        BufReader::with_capacity(8, child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(first.starts_with("{\"type\":\"hearsay\""), "{first}");
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    }
    // Without a terminal, there are no colours and no progress bar.
    let output = test_dir.run(&["-C", "mill", "ask", "--as", "ada", "x"]);
    assert!(
        !output.stdout.contains('\u{1b}') && !output.stderr.contains('\u{1b}'),
        "{}{}",
        output.stdout,
        output.stderr
    );
}

#[test]
fn the_headings_and_citations_of_an_answer_have_colours() {
    let test_dir = TestDir::new();
    let answer = |color| test_dir.ok(&["-C", "mill", "--color", color, "ask", "--as", "ada", "Who are you?"]);
    let coloured = answer("always");
    assert!(coloured.contains("\u{1b}[1mAda") && coloured.contains("\u{1b}[2m      ["), "{coloured}");
    let plain = coloured.replace("\u{1b}[1m", "").replace("\u{1b}[2m", "").replace("\u{1b}[0m", "");
    assert_eq!(plain, answer("never"));
}

/// Returns the names of the commands in a help text: lines with two spaces, a name and a description.
fn commands(help: &str) -> Vec<String> {
    let names = help.lines().filter_map(|line| line.strip_prefix("  ")?.split_once("  "));
    let names = names.map(|(name, _)| name.to_owned());
    names.filter(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '-')).collect()
}

#[test]
fn help_teaches_by_example() {
    let test_dir = TestDir::new();
    let help = test_dir.ok(&["help"]);
    let names = commands(&help);
    assert!(names.len() <= 23 && names.iter().any(|name| name == "ask"), "{names:?}");
    let (mut examples, mut leaves) = (0, 0);
    for name in names {
        let text = test_dir.ok(&["help", &name]);
        let subcommands = if text.contains("\nCommands:\n") { commands(&text) } else { Vec::new() };
        let texts = subcommands
            .iter()
            .filter(|subcommand| *subcommand != "help")
            .map(|subcommand| test_dir.ok(&["help", &name, subcommand]));
        for text in texts.chain([text]) {
            leaves += 1;
            for line in text.lines().filter(|line| line.starts_with("  hearsay ")) {
                let line = line.split(" | ").next().unwrap().trim_end_matches('\\');
                examples += 1;
                let words = words(line.trim());
                let mut words: Vec<&str> = words[1..].iter().map(String::as_str).collect();
                if words[0] != "-C" {
                    words.splice(0..0, ["-C", "nowhere"]);
                }
                // In a missing directory, a valid command line fails, but not because the command line is wrong.
                let output = test_dir.run(&words);
                assert_ne!(output.code, 2, "{line}: {}", output.stderr);
            }
        }
    }
    assert!(examples >= 60 && leaves >= 60, "{examples} {leaves}");
    assert!(test_dir.run(&[]).stderr.contains("Exit codes"));
    assert!(test_dir.ok(&["--version"]).starts_with("hearsay "));
}

#[test]
fn every_help_fits_on_one_screen() {
    let test_dir = TestDir::new();
    let mut helps = helps(&test_dir);
    for hidden in ["completions", "licences", "man", "trust"] {
        helps.insert(hidden.to_owned(), test_dir.ok(&[hidden, "--help"]));
    }
    let lines = helps.iter().map(|(name, help)| (name, help.lines().count()));
    let long: Vec<_> = lines.filter(|(_, count)| *count > 50).collect();
    assert!(long.is_empty(), "these screens have more than 50 lines: {long:?}");
    let options = |help: &str| helps[help].contains("--no-pager");
    assert!(options("") && !options("log") && helps["log"].contains("`hearsay help` lists the options"));
}

#[test]
fn the_licences_of_all_dependencies_are_listed() {
    let test_dir = TestDir::new();
    assert!(test_dir.ok(&["--version"]).contains("hearsay licences"));
    let text = test_dir.ok(&["licences"]);
    for part in ["MIT OR Apache-2.0", "BUSL-1.1", "database service", "\nserde ", "THIRD-PARTY-NOTICES.txt"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let data = test_dir.json(&["licences"]);
    assert_eq!(data["surrealdb"]["licence"], "BUSL-1.1");
    let dependencies = data["dependencies"].as_array().unwrap();
    assert!(dependencies.len() > 100 && dependencies.iter().all(|row| row["licence"].is_string()), "{data}");
}

#[test]
fn the_campaign_is_found_from_the_working_directory_upward() {
    let test_dir = TestDir::new();
    let below = test_dir.path("mill/notes/deep");
    std::fs::create_dir_all(&below).unwrap();
    let ask = ["entity", "show", "ada", "--json"];
    let run =
        |set: &dyn Fn(&mut Command) -> &mut Command| decode_output(set(&mut test_dir.command(&ask)).output().unwrap());
    let found = run(&|command| command.current_dir(&below));
    assert!(found.code == 0 && found.stdout.contains("Ada Flint"), "{}", found.stderr);
    let named = run(&|command| command.env("HEARSAY_CAMPAIGN", test_dir.path("mill")));
    assert!(named.code == 0 && named.stdout.contains("Ada Flint"), "{}", named.stderr);
    test_dir.fails(&ask[..3], 2, &["no campaign", "-C DIR", "hearsay new"]);
}

/// Splits a line into words as a shell does, with double quotes only.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (n, part) in line.split('"').enumerate() {
        if n % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// Returns the words that the shell would propose to complete the last of these words.
fn completions_for(test_dir: &TestDir, line: &[&str]) -> Vec<String> {
    let mut command = test_dir.command(&[&["--", "hearsay"], line].concat());
    command.env("COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", line.len().to_string()).env("_CLAP_IFS", "\n");
    let output = decode_output(command.output().unwrap());
    assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{line:?}");
    output.stdout.lines().map(|word| word.trim_end().to_owned()).collect()
}

#[test]
fn the_shell_completes_commands_and_names() {
    let test_dir = TestDir::new();
    assert!(completions_for(&test_dir, &["revie"]).contains(&"review".to_owned()));
    let complete = |line: &[&str]| completions_for(&test_dir, &[&["-C", "mill"], line].concat());
    assert_eq!(complete(&["ask", "--as", "ad"]), Vec::<String>::new());
    assert!(!test_dir.path("mill/.hearsay").exists(), "completing creates nothing");
    with_session(&test_dir);
    test_dir.ok(&["-C", "mill", "status"]);
    assert_eq!(complete(&["ask", "--as", "ad"]), ["ada"]);
    assert_eq!(complete(&["ask", "--as", "Fli"]), ["ada"]);
    assert_eq!(complete(&["entity", "neighbours", "sam"]), ["sam-a", "sam-b"]);
    assert_eq!(complete(&["know", "why", "ada", "stone"]), ["stone-is-cracked"]);
    assert_eq!(complete(&["session", "recap", "ses"]), ["session-1"]);
    assert_eq!(complete(&["fact", "list", "--predicate", "MEMBER"]), ["MEMBER_OF"]);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        assert!(test_dir.ok(&["completions", shell]).contains("COMPLETE"), "{shell}");
    }
}

#[test]
fn manual_pages_are_written() {
    let test_dir = TestDir::new();
    test_dir.ok(&["man", "pages/man1"]);
    assert!(
        fs::read_to_string(test_dir.path("pages/man1/hearsay-session-recap.1"))
            .unwrap()
            .contains("Summarize a session")
    );
}

#[test]
fn colour_is_used_on_request() {
    let test_dir = TestDir::new();
    test_dir.ok(&["-C", "mill", "status"]);
    let show = ["-C", "mill", "entity", "show", "ada"];
    assert!(!test_dir.ok(&show).contains('\u{1b}'));
    assert!(test_dir.ok(&[&show[..], &["--color", "always"]].concat()).contains("\u{1b}[1mAda Flint\u{1b}[0m"));
    assert!(test_dir.run(&["-C", "mill", "entity", "show", "adda", "--color", "always"]).stderr.starts_with("\u{1b}["));
    let stdout_with = |name: &str| decode_output(test_dir.command(&show).env(name, "1").output().unwrap()).stdout;
    assert!(stdout_with("CLICOLOR_FORCE").contains('\u{1b}') && !stdout_with("NO_COLOR").contains('\u{1b}'));
}

#[test]
fn a_name_that_means_several_things_is_listed_with_numbers() {
    let test_dir = TestDir::new();
    test_dir.ok(&["-C", "mill", "status"]);
    let output = test_dir.run(&["-C", "mill", "entity", "show", "sam"]);
    assert_eq!((output.code, output.stdout.as_str()), (3, ""));
    let listed = "error: `sam` can mean 2 things; use the id:\n   1  sam-a  Sam (NPC)\n   2  sam-b  Sam (NPC)\n";
    assert_eq!(output.stderr, listed);
    let output = test_dir.run(&["-C", "mill", "fact", "correct", "lives mill", "--object", "x"]);
    assert_eq!(output.code, 3, "{}", output.stderr);
    assert!(
        output.stderr.starts_with("error: `lives mill` can mean 2 things") && output.stderr.contains("Ben lives"),
        "{}",
        output.stderr
    );
}

#[test]
fn internal_operations_are_listed_on_request() {
    let test_dir = TestDir::new();
    with_session(&test_dir);
    test_dir.ok(&["-C", "mill", "status"]);
    let history = |line: &[&str]| test_dir.ok(&[&["-C", "mill", "db", "history"], line].concat());
    assert!(!history(&[]).contains("progress of fact extraction"), "{}", history(&[]));
    assert!(history(&["-v"]).contains("progress of fact extraction"), "{}", history(&["-v"]));
    // An undo of such an operation would change nothing.
    let rows = test_dir.json(&["-C", "mill", "db", "history", "-v"]);
    let is_progress = |row: &&Value| row["summary"].as_str().unwrap().contains("progress of fact extraction");
    let position = rows.as_array().unwrap().iter().find(is_progress).unwrap()["position"].to_string();
    test_dir.fails(&["-C", "mill", "undo", &position], 1, &["is internal", "the operation before it is"]);
}

#[test]
fn the_model_is_found_from_any_directory() {
    let test_dir = TestDir::new();
    let mut line = test_dir.command(&["model", "show"]);
    let output = decode_output(line.env_remove("HEARSAY_MODEL_DIR").env_remove("CARGO_MANIFEST_DIR").output().unwrap());
    assert!(output.code == 0 && output.stdout.contains("all-MiniLM-L6-v2"), "{}", output.stderr);
}

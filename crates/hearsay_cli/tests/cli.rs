//! The program as a user meets it: what it prints where, and what it exits with.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

#[path = "cli/database.rs"]
mod database;
#[path = "cli/files.rs"]
mod files;
#[path = "cli/hostile.rs"]
mod hostile;

const HEARSAY: &str = env!("CARGO_BIN_EXE_hearsay");

const CAMPAIGN: &str = r#"
campaign: {name: The Mill, start: "2 Springmonth 10, 19:00"}
calendar: {name: Count, months: [{name: Springmonth, days: 40}, {name: Snowmonth, days: 40}]}
entities:
  - {id: the-mill, name: The Mill, kind: location, description: A mill that does not turn.}
  - id: ada
    name: Ada Flint
    kind: npc
    aliases: [Old Ada]
    home: the-mill
    attributes: {occupation: miller}
    relationships: [{type: LIKES, target: ben}]
    secrets:
      - {id: stone-is-cracked, text: "The millstone is cracked.", about: [the-mill]}
  - {id: ben, name: Ben, kind: npc, home: the-mill, attributes: {occupation: carter}}
  - {id: sam-a, name: Sam, kind: npc, home: none}
  - {id: sam-b, name: Sam, kind: npc, home: none}
"#;

/// A directory with the campaign above, or with other files.
struct Place {
    directory: TempDir,
}

struct Told {
    code: i32,
    out: String,
    err: String,
}

impl Place {
    fn new() -> Self {
        let place = Self { directory: tempfile::tempdir().unwrap() };
        place.write("mill/campaign.yaml", CAMPAIGN);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn command(&self, line: &[&str]) -> Command {
        let mut command = Command::new(HEARSAY);
        command.current_dir(self.directory.path()).args(line).stdin(Stdio::null());
        command.env("HEARSAY_MODEL_DIR", model()).env_remove("RUST_LOG").env_remove("HEARSAY_CAMPAIGN");
        command
    }

    fn run(&self, line: &[&str]) -> Told {
        told(self.command(line).output().unwrap())
    }

    /// What a command that succeeds prints.
    fn ok(&self, line: &[&str]) -> String {
        let told = self.run(line);
        assert_eq!(told.code, 0, "{line:?}: {}{}", told.out, told.err);
        told.out
    }

    /// The data that a command prints with `--json`.
    fn json(&self, line: &[&str]) -> Value {
        let out = self.ok(&[line, &["--json"]].concat());
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{line:?}: {error}: {out}"))
    }

    /// An error says these things, as text and as data.
    fn fails(&self, line: &[&str], code: i32, parts: &[&str]) {
        let told = self.run(line);
        assert_eq!((told.code, told.out.as_str()), (code, ""), "{line:?}: {}", told.err);
        for part in parts {
            assert!(told.err.contains(part), "{line:?}: {part} in {}", told.err);
        }
        let told = self.run(&[line, &["--json", "--quiet"]].concat());
        let data: Value = serde_json::from_str(&told.err).unwrap_or_else(|error| panic!("{error}: {}", told.err));
        assert_eq!((told.code, data["exit_code"].as_i64()), (code, Some(code.into())), "{line:?}");
        for part in parts {
            assert!(data["error"].as_str().unwrap().contains(part), "{line:?}: {part} in {data}");
        }
    }
}

fn told(output: Output) -> Told {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Told { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn model() -> PathBuf {
    repository().join("assets/models/all-MiniLM-L6-v2")
}

#[test]
fn the_tiny_tavern_answers() {
    let place = Place::new();
    let campaign = fs::read_to_string(repository().join("campaigns/tiny-tavern/campaign.yaml")).unwrap();
    place.write("tiny-tavern/campaign.yaml", &campaign);
    let answer = place.ok(&["-C", "tiny-tavern", "ask", "--as", "rook", "Who took the silver spoon?"]);
    assert!(answer.contains("Tilda Bun took the silver spoon."), "{answer}");
    let answer =
        place.ok(&["-C", "tiny-tavern", "ask", "--as", "Gaffer Moss", "Where is the spoon?", "--no-citations"]);
    assert!(answer.contains("fell into the well") && !answer.contains("campaign.yaml"), "{answer}");
    let quiet = place.run(&["-C", "tiny-tavern", "ask", "--as", "rook", "spoon", "--quiet"]);
    assert_eq!((quiet.code, quiet.err.as_str()), (0, ""));
}

#[test]
fn a_new_campaign_answers() {
    let place = Place::new();
    let printed = place.ok(&["new", "town", "--name", "It's \"My: Town\""]);
    assert!(printed.contains("hearsay -C town ask --as ann"), "{printed}");
    let ask = |who| place.ok(&["-C", "town", "ask", "--as", who, "What is below the cellar?", "--no-meaning"]);
    assert!(ask("ann").contains("tunnel"));
    assert!(!ask("bo").contains("tunnel"));
    place.fails(&["new", "town"], 4, &["town", "not empty"]);
    assert_eq!(place.json(&["new", "other"])["name"], "other");
}

#[test]
fn ask_and_search_answer_as_data() {
    let place = Place::new();
    let question = "What is the matter with the millstone?";
    let answer = place.json(&["-C", "mill", "ask", "--as", "Old Ada", question]);
    assert_eq!(answer["pending_vectors"], 0);
    assert!(answer.to_string().contains("The millstone is cracked."), "{answer}");
    let line = ["-C", "mill", "ask", "--as", "ben", "--at", "the-mill", "--with", "ada", "--as-of", "1 Springmonth 10"];
    let answer = place.json(&[&line[..], &["--budget", "64", question]].concat());
    assert!(!answer.to_string().contains("cracked"), "{answer}");
    for form in ["text", "markdown", "prompt"] {
        let plain = place.ok(&["-C", "mill", "ask", "--as", "ada", "--form", form, "--no-meaning", question]);
        assert!(plain.contains("The millstone is cracked."), "{plain}");
    }
    let citations = ["-C", "mill", "ask", "--as", "ada", "--form", "prompt", "--no-meaning", "--citations", question];
    assert!(place.ok(&citations).contains("campaign.yaml"));
    let found = place.json(&["-C", "mill", "search", "cracked stone"]);
    assert_eq!(found["facts"][0]["text"], "The millstone is cracked.");
    assert!(found["facts"][0]["explanation"]["cosine"].as_f64().unwrap() > 0.3, "{found}");
    let search = |line: &[&str]| place.json(&[&["-C", "mill", "search", "--no-meaning"], line].concat());
    assert!(!search(&["millstone", "--as", "ben"]).to_string().contains("cracked"));
    assert_eq!(search(&["fli"])["entities"][0]["id"], "ada");
    assert_eq!(search(&["Flynt"])["entities"][0]["by"], "spelling");
    assert_eq!(search(&["*", "--kind", "location"])["entities"].as_array().unwrap().len(), 1);
    assert_eq!(search(&["zzz"])["hints"].as_array().unwrap().len(), 3);
    assert_eq!(search(&["*", "--about", "ben"])["entities"].as_array().unwrap().len(), 3);
    let explained = place.ok(&["-C", "mill", "search", "cracked stone", "--no-meaning", "--verbose", "--as", "ada"]);
    for part in ["score 0.", "words 0.", "own knowledge"] {
        assert!(explained.contains(part), "{part} in {explained}");
    }
    let ask = |line: &[&str]| {
        place.ok(&[&["-C", "mill", "ask", "--as", "ada", "Is the millstone cracked?", "--no-meaning"], line].concat())
    };
    assert!(ask(&["--form", "prompt", "--citations"]).contains("[score 0.") && !ask(&[]).contains("[score"));
    let prompt = ask(&["--form", "prompt"]);
    assert!(!prompt.contains("[score") && !prompt.contains("campaign.yaml"), "{prompt}");
    assert!(!ask(&["--about", "ben"]).contains("What bears on the question\n  The millstone"));
    place.fails(&["-C", "mill", "ask", "--as", "ada", "x", "--about", "nobody"], 3, &["nobody"]);
    place.fails(&["-C", "mill", "ask", "--as", "ada", "x", "--session", "session-9"], 3, &["session-9"]);
    assert!(
        place
            .ok(&["-C", "mill", "search", "adaf", "--no-meaning", "--kind", "faction"])
            .contains("Names like it: Ada Flint")
    );
    place.fails(&["-C", "mill", "search", "x", "--as", "ben", "--status", "canon"], 2, &["--status"]);
}

#[test]
fn without_a_model_words_answer_and_say_so() {
    let place = Place::new();
    let mut line = place.command(&["-C", "mill", "ask", "--as", "ada", "millstone"]);
    let answer = told(line.env("HEARSAY_MODEL_DIR", "nowhere").output().unwrap());
    assert_eq!(answer.code, 0);
    assert!(answer.out.contains("cracked") && answer.out.contains("words and graph alone"), "{}", answer.out);
    assert!(answer.err.contains("nowhere") && answer.err.contains("words and graph alone"), "{}", answer.err);
    place.fails(&["db", "model", "nowhere"], 4, &["nowhere", "model.safetensors"]);
    place.write("damaged/config.json", "{");
    place.fails(&["db", "model", "damaged"], 4, &["damaged"]);
    assert!(place.json(&["db", "model", "--compare", "a mill", "a windmill"])["similarity"].as_f64().unwrap() > 0.3);
}

#[test]
fn looking_around() {
    let place = Place::new();
    let facts = |line: &[&str]| place.json(&[&["-C", "mill", "fact", "list"], line].concat());
    assert_eq!(facts(&["--subject", "Old Ada", "--predicate", "OCCUPATION"])["facts"][0]["object"], "miller");
    assert_eq!(facts(&["--predicate", "LIKES", "--object", "ben"])["all"], 1);
    assert_eq!(facts(&["--status", "false"])["all"], 0);
    assert_eq!(facts(&["--as", "ada", "--limit", "1"])["facts"].as_array().unwrap().len(), 1);
    let page = place.json(&["-C", "mill", "entity", "show", "Old Ada"]);
    assert_eq!(page["entity"]["id"], "ada");
    let fact = place.json(&["-C", "mill", "entity", "show", "stone-is-cracked"]);
    let id = fact["fact"]["id"].as_str().unwrap();
    assert_eq!(fact["fact"]["known_by"][0]["knower"], "ada");
    assert!(place.ok(&["-C", "mill", "entity", "show", &id[..8]]).contains("known by"));
    place.fails(&["-C", "mill", "entity", "show", "stone-is-cracked", "--as", "ben"], 3, &["ben", "does not know"]);
    let around =
        place.json(&["-C", "mill", "entity", "neighbours", "ada", "--direction", "out", "--predicate", "LIKES"]);
    assert_eq!(around[0]["id"], "ben");
    let path = place.json(&["-C", "mill", "entity", "path", "the-mill", "ben"]);
    assert_eq!(path.as_array().unwrap().len(), 1);
    assert_eq!(place.ok(&["-C", "mill", "entity", "path", "ben", "ben"]), "Both are the same.\n");
    assert!(place.json(&["-C", "mill", "entity", "path", "ben", "sam-a"]).is_null());
    assert_eq!(place.json(&["-C", "mill", "db", "stats"])["entities"]["npc"], 4);
    let status = place.json(&["-C", "mill", "status"]);
    assert_eq!(status["entities"], 5);
    let items = place.json(&["-C", "mill", "review"]);
    assert_eq!((&items["all"], &items["items"][0]["why"]), (&1.into(), &"duplicate".into()), "two are called Sam");
    // With the model comes a record of which one it is, when it is there in time.
    let history = place.json(&["-C", "mill", "db", "history"]);
    assert_eq!(history.as_array().unwrap().last().unwrap()["position"], 1, "nothing was written by looking");
    place.ok(&[
        "-C",
        "mill",
        "fact",
        "add",
        "sam-a",
        "OWES",
        "ben",
        "--since",
        "3 Springmonth 10",
        "--until",
        "5 Springmonth 10",
    ]);
    let owed = |date: &str| facts(&["--predicate", "OWES", "--holds-at", date])["all"].clone();
    assert_eq!(["2 Springmonth 10", "3 Springmonth 10", "5 Springmonth 10"].map(owed), [0, 1, 0].map(Value::from));
}

#[test]
fn writing_by_hand_and_undoing() {
    let place = Place::new();
    let added = place.json(&["-C", "mill", "entity", "add", "Cora", "--at", "the-mill"]);
    assert_eq!((&added["position"], &added["entities"][0]), (&Value::from(2), &Value::from("cora")));
    let set = place.json(&["-C", "mill", "entity", "set", "cora", "occupation", "weaver"]);
    assert_eq!(set["facts"][0]["statement"], "Cora works as weaver.");
    let owes = place.json(&["-C", "mill", "fact", "add", "cora", "OWES", "ben", "--secret", "--attitude", "-20"]);
    let id = owes["facts"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(owes["facts"][0]["attitude"], -20);
    let right = place.json(&["-C", "mill", "fact", "correct", &id[..8], "--object", "ada"]);
    let id = right["facts"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(right["facts"][0]["object"], "ada");
    place.json(&["-C", "mill", "fact", "remove", &id]);
    place.fails(&["-C", "mill", "entity", "show", &id], 3, &[&id]);
    let history = place.json(&["-C", "mill", "db", "history", "--limit", "1"]);
    assert_eq!(history[0]["position"], 6);
    assert_eq!(place.json(&["-C", "mill", "undo", "--dry-run"])["position"], 6);
    assert_eq!(place.json(&["-C", "mill", "undo"])["position"], 7);
    assert_eq!(place.json(&["-C", "mill", "entity", "show", &id])["fact"]["object"], "ada");
    place.json(&["-C", "mill", "entity", "remove", "cora"]);
    place.fails(&["-C", "mill", "entity", "show", "cora"], 3, &["cora"]);
    assert_eq!(place.json(&["-C", "mill", "undo", "--author", "dm"])["position"], 9);
    assert_eq!(place.json(&["-C", "mill", "entity", "show", "cora"])["entity"]["name"], "Cora");
    place.fails(&["-C", "mill", "undo", "99"], 1, &["99"]);
    place.fails(&["-C", "mill", "undo", "--author", "game"], 1, &["nothing to undo"]);
    place.fails(&["-C", "mill", "undo", "1"], 1, &["operation 1", "--force"]);
}

#[test]
fn an_import_that_was_undone_stays_undone() {
    let place = Place::new();
    place.ok(&["-C", "mill", "status"]);
    let told = place.ok(&["-C", "mill", "undo"]);
    assert!(told.contains("hearsay -C mill sync"), "{told}");
    let told = place.run(&["-C", "mill", "db", "stats", "--json"]);
    assert!(told.err.contains("hearsay -C mill sync"), "{}", told.err);
    assert_eq!(serde_json::from_str::<Value>(&told.out).unwrap()["predicates"], serde_json::json!({}));
    place.ok(&["-C", "mill", "sync"]);
    assert_eq!(place.json(&["-C", "mill", "db", "stats"])["entities"]["npc"], 4);
    // Changed files are taken over by themselves again.
    place.write("mill/campaign.yaml", &CAMPAIGN.replace("carter", "cooper"));
    assert_eq!(place.json(&["-C", "mill", "fact", "list", "--object", "cooper"])["all"], 1);
    // Undoing the undo counts too.
    place.ok(&["-C", "mill", "undo", "--author", "import"]);
    assert_eq!(place.json(&["-C", "mill", "fact", "list", "--object", "carter"])["all"], 1);
    let newest = place.json(&["-C", "mill", "db", "history"])[0]["position"].to_string();
    place.ok(&["-C", "mill", "undo", &newest]);
    assert_eq!(place.json(&["-C", "mill", "fact", "list", "--object", "cooper"])["all"], 1);
}

/// A campaign with a session, in which Ada tells Ben of the stone.
fn with_session(place: &Place) {
    let session = r#"
sessions:
  - id: session-1
    number: 1
    title: The stone
    start: "3 Springmonth 10, 10:00"
    end: "3 Springmonth 10, 12:00"
    present: [ben]
    log:
      - {speaker: ada, text: "It is cracked.", heard_by: [ben], time: "3 Springmonth 10, 11:00", facts: [{fact: stone-is-cracked}]}
"#;
    place.write("mill/session.yaml", session);
}

#[test]
fn who_knows_and_believes_what() {
    let place = Place::new();
    with_session(&place);
    let read = |line: &[&str]| place.json(&[&["-C", "mill"], line].concat());
    let knows = read(&["know", "knows", "ben", "--words", "cracking", "--since", "session-1"]);
    assert_eq!((&knows["all"], &knows["facts"][0]["acquisition"]), (&1.into(), &"told by ada".into()), "{knows}");
    let as_of = |date| read(&["know", "knows", "ben", "--words", "cracked", "--as-of", date])["all"].clone();
    assert_eq!(
        (as_of("2 Springmonth 10"), as_of("3 Springmonth 10"), as_of("session-1")),
        (0.into(), 1.into(), 1.into())
    );
    let beliefs = read(&["know", "believes", "ben", "ada"]);
    let stone =
        beliefs["answers"].as_array().unwrap().iter().find(|row| row["statement"] == "The millstone is cracked.");
    assert_eq!((&stone.unwrap()["credence"], &stone.unwrap()["hold"]), (&0.7.into(), &"believed".into()));
    assert_eq!(
        read(&["know", "believes", "ben", "ada", "Occupation"])["truth"][0]["statement"],
        "Ada Flint works as miller."
    );
    assert_eq!(read(&["know", "believes", "ben", "ada", "--thinks-of", "ada"])[0]["because"], "ada told it");
    assert_eq!(read(&["know", "chain", "ben", "stone-is-cracked"])["known_edges"][0]["acquisition"], "told by ada");
    let holders = read(&["know", "who-knows", "stone-is-cracked"]);
    assert_eq!(holders["characters"].as_array().unwrap().len(), 2);
    let early = read(&["know", "who-knows", "stone-is-cracked", "--as-of", "2 Springmonth 10"]);
    assert_eq!(early["characters"][0]["knower"], "ada");
    let secrets = read(&["know", "secrets", "ada"]);
    assert_eq!(secrets["secrets"][0]["told"][0]["session"], "session-1", "{secrets}");
    assert_eq!(read(&["know", "secrets", "--untold"])["all"], 0);
    assert_eq!(read(&["know", "why", "sam-a", "stone-is-cracked"])["reasons"][0]["why"], "never_learned");
    let early = read(&["know", "why", "ben", "stone-is-cracked", "--as-of", "2 Springmonth 10"]);
    assert_eq!(early["reasons"][0]["why"], "too_early");
    assert_eq!(read(&["know", "missed", "sam-a", "1"])["facts"][0]["learned_by"][0], "ben");
    assert_eq!(read(&["know", "knows", "--players"])["all"], 0);
    for line in [
        &["-C", "mill", "know", "knows", "ben"][..],
        &["-C", "mill", "know", "believes", "ben", "ada"],
        &["-C", "mill", "know", "chain", "ben", "stone-is-cracked"],
        &["-C", "mill", "know", "who-knows", "stone-is-cracked"],
        &["-C", "mill", "know", "secrets"],
        &["-C", "mill", "know", "why", "sam-a", "stone-is-cracked"],
        &["-C", "mill", "know", "missed", "sam-a", "session-1"],
    ] {
        assert!(place.ok(line).contains("cracked"), "{line:?}");
    }
    // As of the day before, and as it was on record.
    let yes = |line: &[&str]| place.ok(line).contains("cracked");
    let ask = ["-C", "mill", "ask", "--as", "ben", "--no-meaning", "--with", "ada", "Is the millstone cracked?"];
    assert!(yes(&ask) && place.ok(&ask).contains("What the others here know"), "{}", place.ok(&ask));
    assert!(!yes(&[&ask[..], &["--as-of", "2 Springmonth 10"]].concat()));
    let facts = ["-C", "mill", "fact", "list", "--subject", "ada", "--as", "ben"];
    assert!(yes(&facts) && !yes(&[&facts[..], &["--as-of", "2 Springmonth 10"]].concat()));
    place.ok(&["-C", "mill", "entity", "set", "ben", "goals", "Mend what is cracked."]);
    for line in [
        &["-C", "mill", "fact", "list", "--subject", "ben"][..],
        &["-C", "mill", "search", "mend", "--no-meaning"],
        &ask,
    ] {
        assert!(place.ok(line).contains("Mend what"), "{line:?}");
        assert!(!place.ok(&[line, &["--recorded", "1"]].concat()).contains("Mend what"), "{line:?}");
    }
    assert!(read(&["fact", "list", "--holds-at", "session-1"])["all"].as_i64().unwrap() > 0);
    assert!(!read(&["search", "millstone", "--no-meaning", "--holds-at", "session-1"])["facts"][0].is_null());
    place.fails(&["-C", "mill", "search", "x", "--no-meaning", "--holds-at", "session-7"], 3, &["session-7"]);
    assert_eq!(read(&["know", "knows", "ben", "--words", "millstone", "--as-of", "-5"])["all"], 0, "a year before all");
    assert_eq!(read(&["know", "knows", "ben", "--words", "millstone", "--since", "-5"])["all"], 1);
    place.fails(&["-C", "mill", "know", "knows", "ben", "--as-of", "--json"], 2, &["`--json` is not a date"]);
    place.fails(
        &["-C", "mill", "know", "knows", "ben", "--since", "session-9"],
        3,
        &["there is no session `session-9`"],
    );
    assert!(place.ok(&["-C", "mill", "know", "why", "--help"]).replace("\n", " ").contains("[default: now]"));
    place.fails(&["-C", "mill", "fact", "list", "--as-of", "session-1"], 2, &["--as"]);
    place.fails(&["-C", "mill", "know", "knows", "ben", "--recorded", "99"], 1, &["position 99"]);
    place.fails(
        &["-C", "mill", "know", "knows", "ben", "--as-of", "41 Springmonth 10"],
        2,
        &["41 Springmonth 10", "from 1 to 40"],
    );
    place.fails(&["-C", "mill", "know", "knows", "ben", "--as-of", "session-7"], 3, &["session-7", "`session-1`"]);
    place.fails(&["-C", "mill", "know", "missed", "ben", "7"], 3, &["`7`", "`session-1`"]);
    place.fails(
        &["-C", "mill", "know", "chain", "sam-a", "stone-is-cracked"],
        3,
        &["sam-a does not know", "hearsay know why"],
    );
    place.fails(&["-C", "mill", "know", "believes", "ben", "adda"], 3, &["adda", "ada"]);
    place.fails(&["-C", "mill", "know", "knows"], 2, &["WHO"]);
}

#[test]
fn what_happens_is_learned_by_those_who_are_there() {
    let place = Place::new();
    let stone = "stone-is-cracked";
    for who in ["ada", "ben"] {
        place.ok(&["-C", "mill", "fact", "add", who, "LOCATED_AT", "the-mill"]);
    }
    let tried = place.json(&["-C", "mill", "event", "tell", "--by", "ada", stone, "--to", "ben", "--dry-run"]);
    assert_eq!((&tried["written"], &tried["lessons"][0]["knower"]), (&Value::Null, &"ben".into()), "{tried}");
    assert_eq!(place.json(&["-C", "mill", "know", "who-knows", stone])["characters"].as_array().unwrap().len(), 1);
    let told = place.ok(&["-C", "mill", "event", "tell", "--by", "ada", stone, "--to", "ben"]);
    assert!(told.contains("operation 4") && told.contains("ben: told by ada, credence 0.54"), "{told}");
    let retold =
        ["-C", "mill", "event", "tell", "--by", "ben", stone, "--to", "sam-a", "--retold", "The mill fell down."];
    assert_eq!(place.json(&retold)["facts"][0]["bears"][0]["what"], "distorts");
    assert!(place.ok(&["-C", "mill", "entity", "show", stone]).contains("distorted by"));
    assert!(place.ok(&["-C", "mill", "entity", "show", stone]).contains("passed it on to ben"));
    let seen = place.json(&[
        "-C",
        "mill",
        "event",
        "witness",
        "--at",
        "the-mill",
        "--about",
        "the-mill",
        "A cat sat there.",
        "--time",
        "5 Springmonth 10",
    ]);
    assert_eq!(seen["lessons"].as_array().unwrap().len(), 2, "{seen}");
    let said = [
        "-C",
        "mill",
        "say",
        "--by",
        "ben",
        "Ada likes Sam.",
        "--that",
        "ada",
        "LIKES",
        "sam-b",
        "--to",
        "sam-a",
        "--lie",
    ];
    assert_eq!(place.json(&said)["facts"][0]["status"], "false");
    let likes =
        place.json(&["-C", "mill", "fact", "list", "--status", "false"])["facts"][0]["id"].as_str().unwrap().to_owned();
    for line in [
        &["-C", "mill", "know", "why", "ben", &likes][..],
        &["-C", "mill", "know", "chain", "ben", &likes],
        &["-C", "mill", "know", "who-knows", &likes],
    ] {
        assert!(place.ok(line).contains("made it up, and told sam-a"), "{line:?}");
    }
    let forgot = place.ok(&["-C", "mill", "know", "forget", "ben", &likes, "--dry-run"]);
    assert!(forgot.contains("never told what it had made up") && forgot.contains("loses: sam-a"), "{forgot}");
    place.fails(&["-C", "mill", "fact", "retract", &likes, "--until", "yesterday"], 2, &["is false", "never was so"]);
    let from = [
        "-C",
        "mill",
        "event",
        "deduce",
        "--by",
        "ada",
        "--from",
        stone,
        "--about",
        "the-mill",
        "It will break.",
        "--certainty",
        "0.6",
    ];
    assert_eq!(place.json(&from)["lessons"][0]["credence"], 0.6);
    let shown = place.json(&["-C", "mill", "event", "refute", stone, "--seen-by", "ben"]);
    assert!(shown["facts"][0]["statement"].as_str().unwrap().starts_with("It is not so that"));
    assert_eq!(
        place.json(&["-C", "mill", "event", "reveal", "--by", "ada", stone, "--to", "sam-b", "--openly"])["written"]["position"],
        10
    );
    let forgot = place.json(&["-C", "mill", "know", "forget", "ben", stone, "--dry-run"]);
    assert!(forgot["lost"].as_array().unwrap().len() >= 2, "{forgot}");
    let until = place.ok(&["-C", "mill", "fact", "retract", stone, "--until", "6 Springmonth 10", "--dry-run"]);
    assert!(until.contains("still believes it: ada"), "{until}");
    assert!(place.ok(&["-C", "mill", "fact", "retract", stone, "--never-so"]).contains("loses: ben"));
    place.fails(&["-C", "mill", "know", "who-knows", stone], 3, &[stone]);
    assert_eq!(place.json(&["-C", "mill", "db", "history"])[0]["position"], 11);
    let cat = place.json(&["-C", "mill", "fact", "list", "--object", "cat sat"])["facts"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    place.fails(
        &["-C", "mill", "event", "tell", "--by", "sam-a", &cat, "--to", "ben"],
        1,
        &["sam-a does not know that", "say that it lies"],
    );
    place.fails(&["-C", "mill", "event", "tell", "--by", "adda", &cat, "--to", "ben"], 3, &["adda", "ada"]);
    place.fails(&["-C", "mill", "event", "tell", "--by", "ada", &cat, "--to", "the-mil"], 3, &["the-mill"]);
    place.fails(
        &["-C", "mill", "event", "tell", "--by", "ada", &cat, "--to", "ben", "--credence", "2"],
        2,
        &["credence", "not 2"],
    );
    place.fails(
        &["-C", "mill", "event", "tell", "--by", "ada", &cat, "--to", "ben", "--credence", "-0.5"],
        2,
        &["credence", "not -0.5"],
    );
    place.fails(
        &["-C", "mill", "event", "tell", "--by", "ada", &cat, "--to", "ben", "--time", "41 Springmonth 10"],
        2,
        &["from 1 to 40"],
    );
    place.fails(
        &["-C", "mill", "event", "tell", "--by", "ada", &cat, "--to", "ben", "--session", "3"],
        3,
        &["there is no session `3`"],
    );
    place.fails(&["-C", "mill", "event", "tell", "--by", "ada", "--to", "ben"], 2, &["FACT"]);
    place.fails(&["-C", "mill", "event", "witness", &cat], 2, &["--by"]);
    place.fails(&["-C", "mill", "event", "read", "the-mill", "--by", "ben"], 1, &["nothing is written"]);
    place.fails(&["-C", "mill", "know", "forget", "sam-a", &cat], 1, &["never learned"]);
    place.fails(&["-C", "mill", "fact", "retract", &cat], 2, &["--never-so"]);
    assert_eq!(place.json(&["-C", "mill", "db", "history"])[0]["position"], 11, "nothing was changed");
    assert_eq!(place.json(&["-C", "mill", "undo"])["position"], 12);
    assert_eq!(place.json(&["-C", "mill", "know", "who-knows", stone])["status"], "canon");
}

#[test]
fn the_game_goes_on_and_secrets_come_due() {
    let place = Place::new();
    for who in ["ada", "ben"] {
        place.ok(&["-C", "mill", "fact", "add", who, "LOCATED_AT", "the-mill"]);
    }
    place.fails(&["-C", "mill", "simulate", "flag", "bell-rung", "yes"], 3, &["bell-rung", "declare"]);
    assert!(place.ok(&["-C", "mill", "simulate", "flag"]).contains("No flag is declared"));
    place.ok(&["-C", "mill", "simulate", "flag", "bell-rung", "no", "--declare"]);
    place.fails(&["-C", "mill", "simulate", "flag", "bell-rung", "perhaps"], 2, &["bell-rung"]);
    place.ok(&["-C", "mill", "simulate", "flag", "bell-rung", "yes"]);
    assert_eq!(place.json(&["-C", "mill", "simulate", "flag"])[0]["value"], "yes");
    assert!(place.ok(&["-C", "mill", "know", "conditions"]).contains("No secret"));
    place.fails(&["-C", "mill", "simulate", "gossip", "--days", "0"], 2, &["at least one day"]);
    place.fails(&["-C", "mill", "simulate", "gossip", "--seed", "-3"], 2, &["a whole number"]);
    let news = ["--about", "the-mill", "The wheel broke at noon.", "--time", "5 Springmonth 10"];
    place.ok(&[&["-C", "mill", "event", "witness", "--by", "ada"][..], &news].concat());
    let tried = place.json(&["-C", "mill", "simulate", "gossip", "--days", "30", "--dry-run"]);
    assert_eq!(tried["written"], Value::Null);
    assert_eq!(
        tried,
        place.json(&["-C", "mill", "simulate", "gossip", "--days", "30", "--dry-run"]),
        "the same seed, the same talk"
    );
    let talked = place.json(&["-C", "mill", "simulate", "gossip", "--days", "30"]);
    assert_eq!((&talked["news"], &talked["spread"]), (&tried["news"], &tried["spread"]));
    assert_eq!(
        (&talked["news"][0]["teller"], &talked["news"][0]["hearer"]),
        (&"ada".into(), &"ben".into()),
        "{talked}"
    );
    let knows = place.json(&["-C", "mill", "know", "knows", "ben"]).to_string();
    assert!(knows.contains("The wheel broke at noon."), "{knows}");
    let later = place.json(&["-C", "mill", "simulate", "gossip", "--dry-run"]);
    assert_eq!(later["from"], talked["until"], "the clock went on");
}

#[test]
fn the_dm_is_told_when_a_secret_may_be_told() {
    let place = Place::new();
    let reveal = "about: [the-mill], reveal: {holder: ada, when: {flag: bell-rung}, note: She whispers it.}}";
    let campaign = CAMPAIGN.replace("about: [the-mill]}", reveal);
    place.write("mill/campaign.yaml", &format!("flags: {{bell-rung: false}}\n{campaign}"));
    assert!(
        place.ok(&["-C", "mill", "know", "conditions"]).contains("ada may not tell yet: The millstone is cracked.")
    );
    assert_eq!(place.json(&["-C", "mill", "know", "conditions"])[0]["reveal"]["note"], "She whispers it.");
    let told = place.ok(&["-C", "mill", "know", "why", "ben", "stone-is-cracked"]);
    assert!(told.contains("for ada to tell it") && told.contains("note: She whispers it."), "{told}");
    let opens = |line: &[&str]| place.json(line)["revealable"].as_array().unwrap().len();
    assert_eq!(opens(&["-C", "mill", "entity", "set", "ben", "mood", "glad"]), 0);
    let told = place.ok(&["-C", "mill", "simulate", "flag", "bell-rung", "yes"]);
    assert!(told.contains("ada may tell now: The millstone is cracked. [") && told.contains("She whispers"), "{told}");
    assert_eq!(opens(&["-C", "mill", "entity", "set", "ben", "mood", "sour"]), 0, "once is enough");
    assert_eq!(opens(&["-C", "mill", "simulate", "flag", "bell-rung", "no"]), 0);
    assert_eq!(opens(&["-C", "mill", "undo"]), 1);
    assert_eq!(opens(&["-C", "mill", "event", "tell", "--by", "ada", "stone-is-cracked", "--to", "ben"]), 0);
    place.write("mill/more.yaml", "entities:\n  - {id: cora, name: Cora, kind: npc}\n");
    assert_eq!(opens(&["-C", "mill", "sync"]), 0);
}

#[test]
fn review_decides() {
    let place = Place::new();
    for (boss, since) in [("ben", "20 Springmonth 9"), ("ada", "1 Springmonth 9")] {
        place.ok(&["-C", "mill", "fact", "add", "sam-a", "EMPLOYED_BY", boss, "--since", since]);
    }
    place.ok(&["-C", "mill", "entity", "duplicates", "not-the-same", "sam-a", "sam-b"]);
    let items = place.json(&["-C", "mill", "review"]);
    assert_eq!((&items["all"], &items["items"][0]["why"]), (&1.into(), &"contradiction".into()), "{items}");
    let id = items["items"][0]["in_full"][0]["id"].as_str().unwrap();
    assert!(place.ok(&["-C", "mill", "review"]).contains(&id[..8]));
    place.fails(&["-C", "mill", "review", "edit", id], 2, &["--object"]);
    place.fails(&["-C", "mill", "review", "accept", id, "--object", "ben"], 2, &["edit"]);
    place.fails(&["-C", "mill", "review", "accept", "ffffffffff"], 3, &["ffffffffff"]);
    place.json(&["-C", "mill", "review", "reject", id]);
    assert_eq!(place.json(&["-C", "mill", "review"])["all"], 0);
}

#[test]
fn two_that_are_one_are_merged_and_split() {
    let place = Place::new();
    let found = place.json(&["-C", "mill", "entity", "duplicates"]);
    assert_eq!(
        (&found["entities"][0]["one"], &found["entities"][0]["band"]),
        (&"sam-a".into(), &"near_certain".into())
    );
    assert_eq!(place.json(&["-C", "mill", "review"])["items"][0]["why"], "duplicate");
    let printed = place.ok(&["-C", "mill", "entity", "duplicates"]);
    assert!(printed.contains("hearsay -C mill entity merge sam-b sam-a"), "{printed}");
    assert!(place.ok(&["-C", "mill", "review"]).contains("Possible duplicates"));
    place.ok(&["-C", "mill", "fact", "add", "sam-b", "OWES", "ada"]);
    let plan = place.json(&["-C", "mill", "entity", "merge", "sam-b", "sam-a", "--dry-run"]);
    assert_eq!((&plan["gone"], &plan["written"]), (&"sam-b".into(), &Value::Null), "{plan}");
    assert_eq!(place.json(&["-C", "mill", "fact", "list", "--subject", "sam-a", "--predicate", "OWES"])["all"], 0);
    let printed = place.ok(&["-C", "mill", "entity", "merge", "sam-b", "sam-a"]);
    assert!(printed.contains("hearsay -C mill entity split sam-b reverts the merge"), "{printed}");
    assert_eq!(place.json(&["-C", "mill", "fact", "list", "--subject", "sam-a", "--predicate", "OWES"])["all"], 1);
    place.fails(&["-C", "mill", "entity", "show", "sam-b"], 3, &["sam-b"]);
    place.fails(&["-C", "mill", "entity", "merge", "sam", "sam-a"], 3, &["both names mean `sam-a`"]);
    place.fails(&["-C", "mill", "entity", "split", "ada"], 3, &["nothing was merged into `ada`", "history"]);
    // The files still say that there are two; they stay one.
    let files = fs::read_to_string(place.path("mill/campaign.yaml")).unwrap();
    place.write("mill/campaign.yaml", &files.replace("carter", "baker"));
    let told = place.run(&["-C", "mill", "fact", "list", "--subject", "ben"]);
    assert!(told.err.contains("merged into `sam-a`"), "{}", told.err);
    place.ok(&["-C", "mill", "entity", "split", "sam-b"]);
    assert_eq!(place.json(&["-C", "mill", "fact", "list", "--subject", "sam-b", "--predicate", "OWES"])["all"], 1);
    assert_eq!(place.json(&["-C", "mill", "entity", "duplicates"])["all"], 0, "they were told apart");
    place.fails(&["-C", "mill", "entity", "duplicates", "not-the-same", "ada"], 2, &["<B>"]);
    place.fails(&["-C", "mill", "entity", "duplicates", "ada", "ben"], 2, &["not-the-same"]);
    assert!(place.json(&["-C", "mill", "entity", "duplicates", "--facts"])["all"].as_u64().is_some());
}

/// A fact that waits for review, as an export of another memory carries it.
fn with_doubts(place: &Place) -> String {
    let export = place.ok(&["-C", "mill", "export"]);
    let doubt = |subject: &str, sure: f64| {
        let provenance = serde_json::json!({ "method": "stated", "author": "extractor", "session": null,
            "speaker": "ben", "recorded": 1000, "confidence": sure, "confirmed": false, "evidence": [] });
        serde_json::json!({ "type": "fact", "subject": subject, "predicate": "OWES", "object": { "entity": "ben" },
            "statement": format!("{subject} owes Ben."), "mentions": [], "attitude": null, "rank": null,
            "conditions": null, "validity": { "from": null, "until": null }, "status": "proposed",
            "secrecy": "open", "handle": null, "provenance": provenance })
    };
    let doubts = format!("{export}{}\n{}\n", doubt("ada", 0.5), doubt("sam-a", 0.35));
    place.write("doubts.jsonl", &doubts);
    place.ok(&["-C", "mill", "import", "doubts.jsonl"]);
    let items = place.json(&["-C", "mill", "review"]);
    assert_eq!(items["items"][0]["in_full"][0]["subject"], "ada", "{items}");
    items["items"][0]["in_full"][0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn decisions_are_learned_from_and_what_is_doubtful_is_pruned() {
    let place = Place::new();
    let fact = with_doubts(&place);
    assert!(place.ok(&["-C", "mill", "trust"]).contains("You have not decided"));
    // Several at once are one operation.
    let items = place.json(&["-C", "mill", "review"]);
    let other = items["items"][1]["in_full"][0]["id"].as_str().unwrap();
    place.fails(&["-C", "mill", "review", "edit", &fact, other, "--statement", "x"], 2, &["one fact"]);
    let told = place.ok(&["-C", "mill", "review", "reject", &fact, other, "--reason", "a dream"]);
    assert!(told.contains("and 1 more, because: a dream"), "{told}");
    place.ok(&["-C", "mill", "undo"]);
    place.ok(&["-C", "mill", "review", "accept", &fact]);
    let status = place.json(&["-C", "mill", "trust", "status"]);
    assert_eq!((&status["enabled"], status["trust"].as_array().unwrap().len()), (&true.into(), 3), "{status}");
    assert!(place.ok(&["-C", "mill", "trust"]).contains("speaker ben"));
    assert_eq!(place.json(&["-C", "mill", "trust", "history"])["decisions"][0]["verdict"], "confirmed");
    assert!(place.ok(&["-C", "mill", "trust", "history"]).contains("confirmed"));
    let review = place.ok(&["-C", "mill", "review"]);
    assert!(review.contains("speaker ben 1 of 1") && review.contains("which you confirmed"), "{review}");
    place.ok(&["-C", "mill", "trust", "off"]);
    assert_eq!(place.json(&["-C", "mill", "trust"])["enabled"], false);
    assert!(!place.ok(&["-C", "mill", "review"]).contains("speaker ben"));
    place.ok(&["-C", "mill", "trust", "on"]);
    place.ok(&["-C", "mill", "trust", "reset"]);
    assert_eq!(place.json(&["-C", "mill", "trust"])["trust"].as_array().unwrap().len(), 0);
    place.ok(&["-C", "mill", "undo"]);
    assert_eq!(place.json(&["-C", "mill", "trust"])["trust"].as_array().unwrap().len(), 3);

    place.fails(&["-C", "mill", "fact", "prune", "--dry-run"], 2, &["--below", "--older-than", "--status"]);
    place.fails(&["-C", "mill", "fact", "prune", "--below", "7", "--dry-run"], 2, &["from 0 to 1"]);
    let plan = place.json(&["-C", "mill", "fact", "prune", "--below", "0.4", "--dry-run"]);
    assert_eq!((&plan["all"], &plan["written"]), (&1.into(), &Value::Null), "{plan}");
    assert!(
        place
            .ok(&["-C", "mill", "fact", "prune", "--older-than", "30", "--dry-run"])
            .contains("Dry run: nothing was changed")
    );
    let printed = place.ok(&["-C", "mill", "fact", "prune", "--below", "0.4"]);
    assert!(printed.contains("prune 1 fact") && printed.contains("hearsay -C mill undo"), "{printed}");
    assert!(place.ok(&["-C", "mill", "fact", "prune", "--below", "0.4", "--dry-run"]).contains("No fact would go"));
    place.ok(&["-C", "mill", "undo"]);
    assert_eq!(place.json(&["-C", "mill", "fact", "prune", "--below", "0.4", "--dry-run"])["all"], 1);

    let health = place.json(&["-C", "mill", "db", "health"]);
    let check = |name: &str| {
        let checks = health["checks"].as_array().unwrap();
        checks.iter().find(|check| check["name"] == name).unwrap()["count"].as_u64().unwrap()
    };
    assert_eq!((check("reviews"), check("no_evidence"), check("contradictions")), (1, 2, 0), "{health}");
    assert_eq!(health["duplicates"]["near_certain"], 1);
    assert!(place.ok(&["-C", "mill", "db", "health"]).contains("hearsay review"));
    let orphans = place.json(&["-C", "mill", "db", "health", "--check", "no_evidence", "--limit", "1"]);
    let checks = orphans["checks"].as_array().unwrap();
    assert_eq!((checks.len(), checks[0]["examples"].as_array().unwrap().len()), (1, 1), "{orphans}");
    let told = place.ok(&["-C", "mill", "db", "health", "--check", "no_evidence", "--limit", "1"]);
    assert!(told.contains("without evidence: 2") && told.contains("and 1 more"), "{told}");
    place.fails(&["-C", "mill", "db", "health", "--check", "weather"], 2, &["weather", "orphans"]);
}

#[test]
fn an_export_comes_back_equal() {
    let place = Place::new();
    place.ok(&["-C", "mill", "entity", "set", "ada", "goals", "Mend the stone.", "--secret"]);
    let written = place.json(&["-C", "mill", "export", "--output", "mill.jsonl"]);
    let first = fs::read_to_string(place.path("mill.jsonl")).unwrap();
    assert_eq!(written["lines"], first.lines().count());
    assert_eq!(place.ok(&["-C", "mill", "export"]), first);
    let before = place.json(&["-C", "copy", "import", "mill.jsonl", "--dry-run"]);
    assert!(before["written"].is_null() && !place.path("copy").exists());
    // With vectors it would say by which model they are.
    assert!(!place.json(&["-C", "copy", "import", "mill.jsonl", "--no-meaning"])["written"].is_null());
    assert_eq!(place.ok(&["-C", "copy", "export"]), first);
    assert!(place.json(&["-C", "copy", "import", "mill.jsonl", "--no-meaning"])["written"].is_null());
    // It has no files of its own, and answers all the same.
    assert!(place.ok(&["-C", "copy", "ask", "--as", "ada", "millstone", "--no-meaning"]).contains("cracked"));
    place.fails(&["-C", "mill", "export", "--output", "nowhere/x"], 4, &["nowhere/x"]);
}

#[test]
fn importing_says_what_it_does_and_tries_without_a_trace() {
    let place = Place::new();
    let told = place.ok(&["-C", "mill", "sync", "--dry-run"]);
    assert!(told.contains("Dry run") && told.contains("occupation"), "{told}");
    assert!(!place.path("mill/.hearsay").exists());
    assert_eq!(place.ok(&["-C", "mill", "sync"]).lines().next().map(|line| line.contains("operation 1")), Some(true));
    assert_eq!(place.ok(&["-C", "mill", "sync"]), "Nothing has changed since the last import.\n");
    let fresh = place.run(&["-C", "mill", "fact", "list", "--no-sync"]);
    assert_eq!((fresh.code, fresh.err.as_str()), (0, ""));
}

#[test]
fn clearing_needs_force_and_spares_the_files() {
    let place = Place::new();
    place.ok(&["-C", "mill", "status"]);
    place.fails(&["-C", "mill", "db", "clear"], 1, &["--force"]);
    assert_eq!(place.json(&["-C", "mill", "db", "clear", "--force"])["cleared"], true);
    assert!(!place.path("mill/.hearsay").exists() && place.path("mill/campaign.yaml").exists());
    assert_eq!(place.json(&["-C", "mill", "db", "clear", "--force"])["cleared"], false);
    place.fails(&["-C", "nowhere", "db", "clear", "--force"], 4, &["nowhere"]);
    place.write("mill/hearsay.toml", "[store]\ndirectory = \".\"\n");
    place.fails(&["-C", "mill", "db", "clear", "--force"], 1, &["campaign files"]);
    assert!(place.path("mill/campaign.yaml").exists());
}

#[test]
fn errors_name_the_thing_and_have_their_code() {
    let place = Place::new();
    place.fails(&["-C", "nowhere", "ask", "--as", "ada", "x"], 4, &["nowhere", "hearsay new"]);
    place.fails(&["-C", "mill/campaign.yaml", "ask", "--as", "ada", "x"], 4, &["this is a file"]);
    fs::create_dir(place.path("empty")).unwrap();
    place.fails(&["-C", "empty", "status"], 4, &["empty", "no campaign"]);
    place.fails(&["-C", "mill", "ask", "--as", "adda", "x"], 3, &["adda", "ada"]);
    place.fails(&["-C", "mill", "ask", "--as", "Sam", "x"], 3, &["sam-a", "sam-b"]);
    place.fails(&["-C", "mill", "ask", "--as", "ada", "--at", "nowhere", "x"], 3, &["nowhere"]);
    place.fails(&["-C", "mill", "ask", "--as", "ada", "--as-of", "41 Junk", "x"], 2, &["41 Junk"]);
    place.fails(&["-C", "mill", "ask", "--as", "ada", " "], 2, &["QUESTION"]);
    place.fails(&["-C", "mill", "ask", "--as", "ada", "--budget", "3", "x"], 2, &["64"]);
    place.fails(&["-C", "mill", "ask"], 2, &["--as"]);
    place.fails(&["-C", "mill", "askk"], 2, &["askk"]);
    place.fails(&["-C", "mill", "fact", "list", "--predicate", "NO_SUCH"], 3, &["NO_SUCH", "hearsay db stats"]);
    place.fails(&["-C", "mill", "entity", "add", "Ada", "--id", "Bad Id"], 2, &["Bad Id"]);
    place.fails(&["-C", "mill", "entity", "add", "Ada", "--id", "ada"], 1, &["ada"]);
    place.fails(&["-C", "mill", "fact", "add", "ada", "LIKES", "ben", "--attitude", "200"], 2, &["200"]);
    place.fails(&["-C", "mill", "fact", "correct", "ffffffff", "--object", "x"], 3, &["ffffffff"]);
    place.fails(&["-C", "mill", "import", "none.yaml"], 4, &["none.yaml"]);
    place.fails(&["-C", "mill", "import", "none.jsonl"], 4, &["none.jsonl"]);
    place.write("mill/hearsay.toml", "[recall]\nbudgit = 5\n");
    place.fails(&["-C", "mill", "status"], 4, &["hearsay.toml", "budgit", "budget"]);
}

#[test]
fn broken_files_change_nothing() {
    let place = Place::new();
    place.ok(&["-C", "mill", "status"]);
    place.write("mill/more.yaml", "entities:\n  - name: [A\n");
    place.fails(&["-C", "mill", "db", "stats"], 4, &["more.yaml:3"]);
    place.write("mill/more.yaml", "entities:\n  - {name: A, kind: npc, knid: x}\n");
    place.fails(&["-C", "mill", "db", "stats"], 4, &["more.yaml:2", "knid"]);
    assert!(place.run(&["-C", "mill", "db", "stats"]).err.contains("--no-sync"));
    assert_eq!(place.json(&["-C", "mill", "db", "stats", "--no-sync"])["entities"]["npc"], 4);
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let place = Place::new();
    for _ in 0..3 {
        place.ok(&["-C", "mill", "sync"]);
        let mut child = place.command(&["-C", "mill", "export", "-q"]);
        let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = String::new();
        BufReader::with_capacity(8, child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(first.starts_with("{\"type\":\"hearsay\""), "{first}");
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    }
    // No colour, no bar.
    let told = place.run(&["-C", "mill", "ask", "--as", "ada", "x"]);
    assert!(!told.out.contains('\u{1b}') && !told.err.contains('\u{1b}'), "{}{}", told.out, told.err);
}

/// A campaign whose vectors take a while.
fn big_campaign(place: &Place) {
    let mut text = String::from("campaign: {name: Big}\nentities:\n  - {id: ada, name: Ada, kind: npc}\nfacts:\n");
    for n in 0..3_000 {
        text += &format!("  - {{subject: ada, text: \"Ada has counted the sack of number {n} in the long barn.\"}}\n");
    }
    place.write("big/campaign.yaml", &text);
}

#[test]
#[cfg(unix)]
fn one_process_at_a_time_and_ctrl_c_stops_cleanly() {
    let place = Place::new();
    big_campaign(&place);
    place.ok(&["-C", "big", "sync", "-q", "--no-meaning"]);
    let mut child = place.command(&["-C", "big", "db", "embed"]);
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let owner = place.path("big/.hearsay/owner");
    let start = Instant::now();
    while !owner.exists() && start.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(300));
    place.fails(&["-C", "big", "status"], 5, &["big", &child.id().to_string(), "close that program"]);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let status = child.wait().unwrap();
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!(status.code(), Some(130), "{err}");
    assert!(err.contains("stopped"), "{err}");
    assert!(!owner.exists(), "the campaign was closed");
    assert_eq!(place.json(&["-C", "big", "db", "stats"])["entities"]["npc"], 1);
}

#[test]
#[cfg(unix)]
fn vectors_of_a_backlog_are_made_where_it_stopped() {
    let place = Place::new();
    big_campaign(&place);
    place.ok(&["-C", "big", "sync", "-q", "--no-meaning"]);
    // A question does not wait for so many.
    let told = place.run(&["-C", "big", "ask", "--as", "ada", "sacks"]);
    assert!(told.code == 0 && told.err.contains("db embed"), "{} {}", told.code, told.err);
    let all = place.json(&["-C", "big", "status"])["pending_vectors"].as_u64().unwrap();
    assert!(all > 2_000, "{all}");
    let vectors = place.path("big/.hearsay/vectors");
    let before = std::fs::metadata(&vectors).map_or(0, |file| file.len());
    let mut child = place.command(&["-C", "big", "db", "embed"]).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while std::fs::metadata(&vectors).map_or(0, |file| file.len()) < before + (400 << 10) {
        assert!(start.elapsed() < Duration::from_secs(60) && child.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert!(child.wait().unwrap().code() == Some(130) && err.contains("continues from here"), "{err}");
    let left = place.json(&["-C", "big", "status"])["pending_vectors"].as_u64().unwrap();
    assert!(0 < left && left <= all - 256, "{left} of {all}");
    assert_eq!(place.json(&["-C", "big", "status", "--wait"])["pending_vectors"], 0);
    let told = place.json(&["-C", "big", "db", "embed"]);
    assert_eq!((&told["embedded"], &told["pending_vectors"]), (&0.into(), &0.into()));
    assert_eq!(place.json(&["-C", "big", "ask", "--as", "ada", "sacks"])["pending_vectors"], 0);
}

/// The names of the commands in a help text: lines of two spaces, a name, and what it does.
fn commands(help: &str) -> Vec<String> {
    let names = help.lines().filter_map(|line| line.strip_prefix("  ")?.split_once("  "));
    let names = names.map(|(name, _)| name.to_owned());
    names.filter(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '-')).collect()
}

#[test]
fn help_teaches_by_example() {
    let place = Place::new();
    let help = place.ok(&["help"]);
    assert!(help.lines().count() <= 50, "the help fits on one screen");
    let names = commands(&help);
    assert!(names.len() <= 20 && names.iter().any(|name| name == "ask"), "{names:?}");
    let (mut examples, mut leaves) = (0, 0);
    for name in names {
        let text = place.ok(&["help", &name]);
        let below = if text.contains("\nCommands:\n") { commands(&text) } else { Vec::new() };
        let texts = below.iter().filter(|below| *below != "help").map(|below| place.ok(&["help", &name, below]));
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
                // In a directory that does not exist, a command line that parses fails in another way.
                let told = place.run(&words);
                assert_ne!(told.code, 2, "{line}: {}", told.err);
            }
        }
    }
    assert!(examples >= 60 && leaves >= 60, "{examples} {leaves}");
    assert!(place.run(&[]).err.contains("Exit codes"));
    assert!(place.ok(&["--version"]).starts_with("hearsay "));
}

#[test]
fn the_campaign_is_found_from_the_working_directory_upward() {
    let place = Place::new();
    let below = place.path("mill/notes/deep");
    std::fs::create_dir_all(&below).unwrap();
    let ask = ["entity", "show", "ada", "--json"];
    let run = |set: &dyn Fn(&mut Command) -> &mut Command| told(set(&mut place.command(&ask)).output().unwrap());
    let found = run(&|command| command.current_dir(&below));
    assert!(found.code == 0 && found.out.contains("Ada Flint"), "{}", found.err);
    let named = run(&|command| command.env("HEARSAY_CAMPAIGN", place.path("mill")));
    assert!(named.code == 0 && named.out.contains("Ada Flint"), "{}", named.err);
    place.fails(&ask[..3], 2, &["no campaign", "-C DIR", "hearsay new"]);
}

/// The words of a line, as a shell takes them; double quotes only.
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

#[test]
fn a_session_is_played_and_told() {
    let place = Place::new();
    place.write("mill/people.yaml", "entities:\n  - {id: lyra, name: Lyra Fenn, kind: player, home: none}\n");
    place.fails(&["-C", "mill", "log", "Rain."], 1, &["no session is being played", "session start"]);
    let started = place.ok(&["-C", "mill", "session", "start", "--title", "The stone", "--at", "the-mill"]);
    assert!(started.contains("session-1 begins: The stone") && started.contains("there: lyra"), "{started}");
    let logged = place.json(&["-C", "mill", "log", "--by", "ada", "Ben broke the millstone in the dark."]);
    assert_eq!(logged["heard_by"], serde_json::json!(["ada", "lyra"]));
    place.fails(&["-C", "mill", "log", "--by", "eve", "Hm."], 3, &["nothing is called `eve`"]);
    place.fails(&["-C", "mill", "session", "start"], 1, &["session-1 is being played"]);
    place.fails(&["-C", "mill", "session", "attend", "--leave", "ben"], 1, &["ben is not at the table"]);
    place.ok(&["-C", "mill", "fact", "add", "ben", "OWES", "ada"]);
    let ended = place.json(&["-C", "mill", "session", "end"]);
    assert_eq!(ended["report"]["counts"]["facts"], 1);
    assert_eq!(ended["report"]["threads"][0]["kind"], "debt");
    assert!(place.ok(&["-C", "mill", "session", "list"]).contains("session-1  The stone  1 line"));
    assert!(place.ok(&["-C", "mill", "session", "show", "1", "--log"]).contains("ada: Ben broke"));
    let recap = place.ok(&["-C", "mill", "session", "recap", "--player-safe"]);
    // Lyra heard it, and was never told who that is.
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
    place.fails(&["-C", "mill", "session", "import", "bad.txt"], 4, &["bad.txt:1", "no text"]);
    place.fails(&["-C", "mill", "session", "import", "talk.vtt", "--speaker", "Eve=ben"], 3, &["nobody called `eve`"]);
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
    // A draft shows what would be found, and records nothing.
    let drafted = place.json(&["-C", "mill", "fact", "extract", "--text", line, "--narration"]);
    assert_eq!((&drafted["facts"][0]["predicate"], &drafted["statuses"][0]), (&"OWES".into(), &"canon".into()));
    assert!(
        place.ok(&["-C", "mill", "fact", "extract", "--text", line, "--by", "ben"]).contains("nothing was recorded")
    );
    assert_eq!(found(), before);
    // What is said, and what a transcript says, is read by itself.
    let said = place.json(&["-C", "mill", "say", "--by", "ben", line]);
    assert_eq!((&said["found"]["claimed"], found()), (&1.into(), before + 1), "{said}");
    place.write("evening.txt", "Ben: Sam owes Ada twenty crowns.\n");
    let imported = place.json(&["-C", "mill", "session", "import", "evening.txt"]);
    assert!(imported["found"].is_object(), "{imported}");
    // What was read goes with its text: that is no reason not to undo it.
    assert!(place.ok(&["-C", "mill", "undo"]).contains("evening.txt"));
    let undone = place.json(&["-C", "mill", "undo"]);
    assert!(undone["summary"].as_str().unwrap().contains("Ada owes Ben"), "{undone}");
    assert_eq!(found(), before);
    let position = undone["position"].to_string();
    place.ok(&["-C", "mill", "undo", &position]);
    assert_eq!(found(), before + 1, "with the line comes back what was read in it");
    // Notes from elsewhere too; of what is doubtful in them, no more waits than there is room for.
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
    // What cannot be read is said, with what to do.
    place.write("empty.txt", "");
    assert!(place.ok(&["-C", "mill", "fact", "extract", "empty.txt"]).contains("Nothing is stated"));
    fs::write(place.path("picture.bin"), [0x89, b'P', 0xff, 0x00]).unwrap();
    place.fails(&["-C", "mill", "fact", "extract", "picture.bin"], 4, &["picture.bin", "line 1", "UTF-8"]);
    place.fails(&["-C", "mill", "fact", "extract", "nowhere.txt"], 4, &["nowhere.txt"]);
}

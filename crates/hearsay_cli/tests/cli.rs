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
        command.env("HEARSAY_MODEL_DIR", model()).env_remove("RUST_LOG");
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
    let answer = place.ok(&["ask", "tiny-tavern", "--as", "rook", "Who took the silver spoon?"]);
    assert!(answer.contains("Tilda Bun took the silver spoon."), "{answer}");
    let answer = place.ok(&["ask", "tiny-tavern", "--as", "Gaffer Moss", "Where is the spoon?", "--no-receipts"]);
    assert!(answer.contains("fell into the well") && !answer.contains("campaign.yaml"), "{answer}");
    let quiet = place.run(&["ask", "tiny-tavern", "--as", "rook", "spoon", "--quiet"]);
    assert_eq!((quiet.code, quiet.err.as_str()), (0, ""));
}

#[test]
fn a_new_campaign_answers() {
    let place = Place::new();
    let printed = place.ok(&["new", "town", "--name", "It's \"My: Town\""]);
    assert!(printed.contains("hearsay ask town --as ann"), "{printed}");
    let ask = |who| place.ok(&["ask", "town", "--as", who, "What is below the cellar?", "--no-meaning"]);
    assert!(ask("ann").contains("tunnel"));
    assert!(!ask("bo").contains("tunnel"));
    place.fails(&["new", "town"], 4, &["town", "not empty"]);
    assert_eq!(place.json(&["new", "other"])["name"], "other");
}

#[test]
fn ask_and_search_answer_as_data() {
    let place = Place::new();
    let question = "What is the matter with the millstone?";
    let answer = place.json(&["ask", "mill", "--as", "Old Ada", question]);
    assert_eq!(answer["pending_vectors"], 0);
    assert!(answer.to_string().contains("The millstone is cracked."), "{answer}");
    let line = ["ask", "mill", "--as", "ben", "--at", "the-mill", "--with", "ada", "--as-of", "1 Springmonth 10"];
    let answer = place.json(&[&line[..], &["--budget", "64", question]].concat());
    assert!(!answer.to_string().contains("cracked"), "{answer}");
    for form in ["text", "markdown", "prompt"] {
        let plain = place.ok(&["ask", "mill", "--as", "ada", "--form", form, "--no-meaning", question]);
        assert!(plain.contains("The millstone is cracked."), "{plain}");
    }
    let receipts = ["ask", "mill", "--as", "ada", "--form", "prompt", "--no-meaning", "--receipts", question];
    assert!(place.ok(&receipts).contains("campaign.yaml"));
    let found = place.json(&["search", "mill", "cracked stone"]);
    assert_eq!(found["facts"][0]["text"], "The millstone is cracked.");
    assert!(found["facts"][0]["explanation"]["cosine"].as_f64().unwrap() > 0.3, "{found}");
    let search = |line: &[&str]| place.json(&[&["search", "mill", "--no-meaning"], line].concat());
    assert!(!search(&["millstone", "--knower", "ben"]).to_string().contains("cracked"));
    assert_eq!(search(&["fli"])["entities"][0]["id"], "ada");
    assert_eq!(search(&["Flynt"])["entities"][0]["by"], "spelling");
    assert_eq!(search(&["*", "--kind", "location"])["entities"].as_array().unwrap().len(), 1);
    assert_eq!(search(&["zzz"])["hints"].as_array().unwrap().len(), 3);
    assert_eq!(search(&["*", "--about", "ben"])["entities"].as_array().unwrap().len(), 3);
    let explained = place.ok(&["search", "mill", "cracked stone", "--no-meaning", "--explain", "--knower", "ada"]);
    for part in ["score 0.", "words 0.", "own knowledge"] {
        assert!(explained.contains(part), "{part} in {explained}");
    }
    let ask = |line: &[&str]| {
        place.ok(&[&["ask", "mill", "--as", "ada", "Is the millstone cracked?", "--no-meaning"], line].concat())
    };
    assert!(ask(&["--form", "prompt", "--receipts"]).contains("[score 0.") && !ask(&[]).contains("[score"));
    let prompt = ask(&["--form", "prompt"]);
    assert!(!prompt.contains("[score") && !prompt.contains("campaign.yaml"), "{prompt}");
    assert!(!ask(&["--about", "ben"]).contains("What bears on the question\n  The millstone"));
    place.fails(&["ask", "mill", "--as", "ada", "x", "--about", "nobody"], 3, &["nobody"]);
    place.fails(&["ask", "mill", "--as", "ada", "x", "--session", "session-9"], 3, &["session-9"]);
    assert!(
        place.ok(&["search", "mill", "adaf", "--no-meaning", "--kind", "faction"]).contains("Names like it: Ada Flint")
    );
    place.fails(&["search", "mill", "x", "--knower", "ben", "--standing", "canon"], 2, &["--standing"]);
}

#[test]
fn without_a_model_words_answer_and_say_so() {
    let place = Place::new();
    let mut line = place.command(&["ask", "mill", "--as", "ada", "millstone"]);
    let answer = told(line.env("HEARSAY_MODEL_DIR", "nowhere").output().unwrap());
    assert_eq!(answer.code, 0);
    assert!(answer.out.contains("cracked") && answer.out.contains("words and graph alone"), "{}", answer.out);
    assert!(answer.err.contains("nowhere") && answer.err.contains("words and graph alone"), "{}", answer.err);
    place.fails(&["model", "nowhere"], 4, &["nowhere", "model.safetensors"]);
    place.write("damaged/config.json", "{");
    place.fails(&["model", "damaged"], 4, &["damaged"]);
    assert!(place.json(&["model", "--compare", "a mill", "a windmill"])["similarity"].as_f64().unwrap() > 0.3);
}

#[test]
fn looking_around() {
    let place = Place::new();
    let facts = |line: &[&str]| place.json(&[&["facts", "mill"], line].concat());
    assert_eq!(facts(&["--subject", "Old Ada", "--predicate", "OCCUPATION"])["facts"][0]["object"], "miller");
    assert_eq!(facts(&["--predicate", "LIKES", "--object", "ben"])["all"], 1);
    assert_eq!(facts(&["--standing", "false"])["all"], 0);
    assert_eq!(facts(&["--knower", "ada", "--limit", "1"])["facts"].as_array().unwrap().len(), 1);
    let page = place.json(&["show", "mill", "Old Ada"]);
    assert_eq!(page["entity"]["id"], "ada");
    let fact = place.json(&["show", "mill", "stone-is-cracked"]);
    let id = fact["fact"]["id"].as_str().unwrap();
    assert_eq!(fact["fact"]["known_by"][0]["knower"], "ada");
    assert!(place.ok(&["show", "mill", &id[..8]]).contains("known by"));
    place.fails(&["show", "mill", "stone-is-cracked", "--knower", "ben"], 3, &["ben", "does not know"]);
    let around = place.json(&["neighbours", "mill", "ada", "--direction", "out", "--predicate", "LIKES"]);
    assert_eq!(around[0]["id"], "ben");
    let path = place.json(&["path", "mill", "the-mill", "ben"]);
    assert_eq!(path.as_array().unwrap().len(), 1);
    assert_eq!(place.ok(&["path", "mill", "ben", "ben"]), "Both are the same.\n");
    assert!(place.json(&["path", "mill", "ben", "sam-a"]).is_null());
    assert_eq!(place.json(&["stats", "mill"])["entities"]["npc"], 4);
    let status = place.json(&["status", "mill"]);
    assert_eq!(status["entities"], 5);
    let items = place.json(&["review", "mill"]);
    assert_eq!((&items["all"], &items["items"][0]["why"]), (&1.into(), &"duplicate".into()), "two are called Sam");
    // With the model comes a record of which one it is, when it is there in time.
    let history = place.json(&["history", "mill"]);
    assert_eq!(history.as_array().unwrap().last().unwrap()["position"], 1, "nothing was written by looking");
    place.ok(&["relate", "mill", "sam-a", "OWES", "ben", "--since", "3 Springmonth 10", "--until", "5 Springmonth 10"]);
    let owed = |date: &str| facts(&["--predicate", "OWES", "--holds-at", date])["all"].clone();
    assert_eq!(["2 Springmonth 10", "3 Springmonth 10", "5 Springmonth 10"].map(owed), [0, 1, 0].map(Value::from));
}

#[test]
fn writing_by_hand_and_undoing() {
    let place = Place::new();
    let added = place.json(&["add", "mill", "Cora", "--at", "the-mill"]);
    assert_eq!((&added["position"], &added["entities"][0]), (&Value::from(2), &Value::from("cora")));
    let set = place.json(&["set", "mill", "cora", "occupation", "weaver"]);
    assert_eq!(set["facts"][0]["statement"], "Cora works as weaver.");
    let owes = place.json(&["relate", "mill", "cora", "OWES", "ben", "--secret", "--attitude", "-20"]);
    let id = owes["facts"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(owes["facts"][0]["attitude"], -20);
    let right = place.json(&["correct", "mill", &id[..8], "--object", "ada"]);
    let id = right["facts"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(right["facts"][0]["object"], "ada");
    place.json(&["remove", "mill", "--fact", &id]);
    place.fails(&["show", "mill", &id], 3, &[&id]);
    let history = place.json(&["history", "mill", "--limit", "1"]);
    assert_eq!(history[0]["position"], 6);
    assert_eq!(place.json(&["undo", "mill", "--preview"])["position"], 6);
    assert_eq!(place.json(&["undo", "mill"])["position"], 7);
    assert_eq!(place.json(&["show", "mill", &id])["fact"]["object"], "ada");
    place.json(&["remove", "mill", "--entity", "cora"]);
    place.fails(&["show", "mill", "cora"], 3, &["cora"]);
    assert_eq!(place.json(&["undo", "mill", "--author", "dm"])["position"], 9);
    assert_eq!(place.json(&["show", "mill", "cora"])["entity"]["name"], "Cora");
    place.fails(&["undo", "mill", "99"], 1, &["99"]);
    place.fails(&["undo", "mill", "--author", "game"], 1, &["nothing to undo"]);
    place.fails(&["undo", "mill", "1"], 1, &["operation 1", "--force"]);
}

#[test]
fn an_import_that_was_undone_stays_undone() {
    let place = Place::new();
    place.ok(&["status", "mill"]);
    let told = place.ok(&["undo", "mill"]);
    assert!(told.contains("hearsay import mill"), "{told}");
    let told = place.run(&["stats", "mill", "--json"]);
    assert!(told.err.contains("hearsay import mill"), "{}", told.err);
    assert_eq!(serde_json::from_str::<Value>(&told.out).unwrap()["predicates"], serde_json::json!({}));
    place.ok(&["import", "mill"]);
    assert_eq!(place.json(&["stats", "mill"])["entities"]["npc"], 4);
    // Changed files are taken over by themselves again.
    place.write("mill/campaign.yaml", &CAMPAIGN.replace("carter", "cooper"));
    assert_eq!(place.json(&["facts", "mill", "--object", "cooper"])["all"], 1);
    // Undoing the undo counts too.
    place.ok(&["undo", "mill", "--author", "import"]);
    assert_eq!(place.json(&["facts", "mill", "--object", "carter"])["all"], 1);
    let newest = place.json(&["history", "mill"])[0]["position"].to_string();
    place.ok(&["undo", "mill", &newest]);
    assert_eq!(place.json(&["facts", "mill", "--object", "cooper"])["all"], 1);
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
    let read = |line: &[&str]| place.json(&[&[line[0], "mill"], &line[1..]].concat());
    let knows = read(&["knows", "ben", "--words", "cracking", "--since", "session-1"]);
    assert_eq!((&knows["all"], &knows["facts"][0]["how"]), (&1.into(), &"told by ada".into()), "{knows}");
    let as_of = |date| read(&["knows", "ben", "--words", "cracked", "--as-of", date])["all"].clone();
    assert_eq!(
        (as_of("2 Springmonth 10"), as_of("3 Springmonth 10"), as_of("session-1")),
        (0.into(), 1.into(), 1.into())
    );
    let beliefs = read(&["believes", "ben", "ada"]);
    let stone =
        beliefs["answers"].as_array().unwrap().iter().find(|row| row["statement"] == "The millstone is cracked.");
    assert_eq!((&stone.unwrap()["credence"], &stone.unwrap()["hold"]), (&0.7.into(), &"believed".into()));
    assert_eq!(read(&["believes", "ben", "ada", "Occupation"])["truth"][0]["statement"], "Ada Flint works as miller.");
    assert_eq!(read(&["believes", "ben", "ada", "--thinks-of", "ada"])[0]["because"], "ada told it");
    assert_eq!(read(&["chain", "ben", "stone-is-cracked"])["ways"][0]["how"], "told by ada");
    let holders = read(&["who-knows", "stone-is-cracked"]);
    assert_eq!(holders["characters"].as_array().unwrap().len(), 2);
    let early = read(&["who-knows", "stone-is-cracked", "--as-of", "2 Springmonth 10"]);
    assert_eq!(early["characters"][0]["knower"], "ada");
    let secrets = read(&["secrets", "ada"]);
    assert_eq!(secrets["secrets"][0]["told"][0]["session"], "session-1", "{secrets}");
    assert_eq!(read(&["secrets", "--untold"])["all"], 0);
    assert_eq!(read(&["why-not", "sam-a", "stone-is-cracked"])["reasons"][0]["why"], "never_learned");
    let early = read(&["why-not", "ben", "stone-is-cracked", "--as-of", "2 Springmonth 10"]);
    assert_eq!(early["reasons"][0]["why"], "too_early");
    assert_eq!(read(&["missed", "sam-a", "1"])["facts"][0]["learned_by"][0], "ben");
    assert_eq!(read(&["knows", "--players"])["all"], 0);
    for line in [
        &["knows", "mill", "ben"][..],
        &["believes", "mill", "ben", "ada"],
        &["chain", "mill", "ben", "stone-is-cracked"],
        &["who-knows", "mill", "stone-is-cracked"],
        &["secrets", "mill"],
        &["why-not", "mill", "sam-a", "stone-is-cracked"],
        &["missed", "mill", "sam-a", "session-1"],
    ] {
        assert!(place.ok(line).contains("cracked"), "{line:?}");
    }
    // As of the day before, and as it was on record.
    let yes = |line: &[&str]| place.ok(line).contains("cracked");
    let ask = ["ask", "mill", "--as", "ben", "--no-meaning", "--with", "ada", "Is the millstone cracked?"];
    assert!(yes(&ask) && place.ok(&ask).contains("What the others here know"), "{}", place.ok(&ask));
    assert!(!yes(&[&ask[..], &["--as-of", "2 Springmonth 10"]].concat()));
    let facts = ["facts", "mill", "--subject", "ada", "--knower", "ben"];
    assert!(yes(&facts) && !yes(&[&facts[..], &["--as-of", "2 Springmonth 10"]].concat()));
    place.ok(&["set", "mill", "ben", "goals", "Mend what is cracked."]);
    for line in [&["facts", "mill", "--subject", "ben"][..], &["search", "mill", "mend", "--no-meaning"], &ask] {
        assert!(place.ok(line).contains("Mend what"), "{line:?}");
        assert!(!place.ok(&[line, &["--recorded", "1"]].concat()).contains("Mend what"), "{line:?}");
    }
    assert!(read(&["facts", "--holds-at", "session-1"])["all"].as_i64().unwrap() > 0);
    assert!(!read(&["search", "millstone", "--no-meaning", "--holds-at", "session-1"])["facts"][0].is_null());
    place.fails(&["search", "mill", "x", "--no-meaning", "--holds-at", "session-7"], 3, &["session-7"]);
    assert_eq!(read(&["knows", "ben", "--words", "millstone", "--as-of", "-5"])["all"], 0, "a year before all");
    assert_eq!(read(&["knows", "ben", "--words", "millstone", "--since", "-5"])["all"], 1);
    place.fails(&["knows", "mill", "ben", "--as-of", "--json"], 2, &["`--json` is not a date"]);
    place.fails(&["knows", "mill", "ben", "--since", "session-9"], 3, &["there is no session `session-9`"]);
    assert!(place.ok(&["why-not", "mill", "--help"]).replace("\n", " ").contains("all that is on"));
    place.fails(&["facts", "mill", "--as-of", "session-1"], 2, &["--knower"]);
    place.fails(&["knows", "mill", "ben", "--recorded", "99"], 1, &["position 99"]);
    place.fails(&["knows", "mill", "ben", "--as-of", "41 Springmonth 10"], 2, &["41 Springmonth 10", "from 1 to 40"]);
    place.fails(&["knows", "mill", "ben", "--as-of", "session-7"], 3, &["session-7", "`session-1`"]);
    place.fails(&["missed", "mill", "ben", "7"], 3, &["`7`", "`session-1`"]);
    place.fails(&["chain", "mill", "sam-a", "stone-is-cracked"], 3, &["sam-a does not know", "why-not"]);
    place.fails(&["believes", "mill", "ben", "adda"], 3, &["adda", "ada"]);
    place.fails(&["knows", "mill"], 2, &["WHO"]);
}

#[test]
fn what_happens_is_learned_by_those_who_are_there() {
    let place = Place::new();
    let stone = "stone-is-cracked";
    for who in ["ada", "ben"] {
        place.ok(&["relate", "mill", who, "LOCATED_AT", "the-mill"]);
    }
    let tried = place.json(&["tell", "mill", "ada", stone, "--to", "ben", "--dry-run"]);
    assert_eq!((&tried["written"], &tried["lessons"][0]["knower"]), (&Value::Null, &"ben".into()), "{tried}");
    assert_eq!(place.json(&["who-knows", "mill", stone])["characters"].as_array().unwrap().len(), 1);
    let told = place.ok(&["tell", "mill", "ada", stone, "--to", "ben"]);
    assert!(told.contains("operation 4") && told.contains("ben: told by ada, credence 0.54"), "{told}");
    let retold = ["tell", "mill", "ben", stone, "--to", "sam-a", "--retold", "The mill fell down."];
    assert_eq!(place.json(&retold)["facts"][0]["bears"][0]["what"], "distorts");
    assert!(place.ok(&["show", "mill", stone]).contains("distorted by"));
    assert!(place.ok(&["show", "mill", stone]).contains("passed it on to ben"));
    let seen = place.json(&[
        "witness",
        "mill",
        "--at",
        "the-mill",
        "--about",
        "the-mill",
        "A cat sat there.",
        "--time",
        "5 Springmonth 10",
    ]);
    assert_eq!(seen["lessons"].as_array().unwrap().len(), 2, "{seen}");
    let said = ["say", "mill", "ben", "Ada likes Sam.", "--that", "ada", "LIKES", "sam-b", "--to", "sam-a", "--lie"];
    assert_eq!(place.json(&said)["facts"][0]["standing"], "false");
    let likes = place.json(&["facts", "mill", "--standing", "false"])["facts"][0]["id"].as_str().unwrap().to_owned();
    for line in
        [&["why-not", "mill", "ben", &likes][..], &["chain", "mill", "ben", &likes], &["who-knows", "mill", &likes]]
    {
        assert!(place.ok(line).contains("made it up, and told sam-a"), "{line:?}");
    }
    let forgot = place.ok(&["forget", "mill", "ben", &likes, "--dry-run"]);
    assert!(forgot.contains("never told what it had made up") && forgot.contains("loses: sam-a"), "{forgot}");
    place.fails(&["retcon", "mill", &likes, "--until", "yesterday"], 2, &["is false", "never was so"]);
    let from =
        ["deduce", "mill", "ada", "--from", stone, "--about", "the-mill", "It will break.", "--certainty", "0.6"];
    assert_eq!(place.json(&from)["lessons"][0]["credence"], 0.6);
    let shown = place.json(&["refute", "mill", stone, "--seen-by", "ben"]);
    assert!(shown["facts"][0]["statement"].as_str().unwrap().starts_with("It is not so that"));
    assert_eq!(place.json(&["reveal", "mill", "ada", stone, "--to", "sam-b", "--openly"])["written"]["position"], 10);
    let forgot = place.json(&["forget", "mill", "ben", stone, "--dry-run"]);
    assert!(forgot["lost"].as_array().unwrap().len() >= 2, "{forgot}");
    let until = place.ok(&["retcon", "mill", stone, "--until", "6 Springmonth 10", "--dry-run"]);
    assert!(until.contains("still believes it: ada"), "{until}");
    assert!(place.ok(&["retcon", "mill", stone, "--never-so"]).contains("loses: ben"));
    place.fails(&["who-knows", "mill", stone], 3, &[stone]);
    assert_eq!(place.json(&["history", "mill"])[0]["position"], 11);
    let cat = place.json(&["facts", "mill", "--object", "cat sat"])["facts"][0]["id"].as_str().unwrap().to_owned();
    place.fails(&["tell", "mill", "sam-a", &cat, "--to", "ben"], 1, &["sam-a does not know that", "say that it lies"]);
    place.fails(&["tell", "mill", "adda", &cat, "--to", "ben"], 3, &["adda", "ada"]);
    place.fails(&["tell", "mill", "ada", &cat, "--to", "the-mil"], 3, &["the-mill"]);
    place.fails(&["tell", "mill", "ada", &cat, "--to", "ben", "--credence", "2"], 2, &["credence", "not 2"]);
    place.fails(&["tell", "mill", "ada", &cat, "--to", "ben", "--credence", "-0.5"], 2, &["credence", "not -0.5"]);
    place.fails(&["tell", "mill", "ada", &cat, "--to", "ben", "--time", "41 Springmonth 10"], 2, &["from 1 to 40"]);
    place.fails(&["tell", "mill", "ada", &cat, "--to", "ben", "--session", "3"], 3, &["there is no session `3`"]);
    place.fails(&["tell", "mill", "ada", "--to", "ben"], 2, &["FACT"]);
    place.fails(&["witness", "mill", &cat], 2, &["--by"]);
    place.fails(&["read", "mill", "the-mill", "--by", "ben"], 1, &["nothing is written"]);
    place.fails(&["forget", "mill", "sam-a", &cat], 1, &["never learned"]);
    place.fails(&["retcon", "mill", &cat], 2, &["--never-so"]);
    assert_eq!(place.json(&["history", "mill"])[0]["position"], 11, "nothing was changed");
    assert_eq!(place.json(&["undo", "mill"])["position"], 12);
    assert_eq!(place.json(&["who-knows", "mill", stone])["standing"], "canon");
}

#[test]
fn the_game_goes_on_and_secrets_come_due() {
    let place = Place::new();
    for who in ["ada", "ben"] {
        place.ok(&["relate", "mill", who, "LOCATED_AT", "the-mill"]);
    }
    place.fails(&["flag", "mill", "bell-rung", "yes"], 3, &["bell-rung", "declare"]);
    assert!(place.ok(&["flag", "mill"]).contains("No flag is declared"));
    place.ok(&["flag", "mill", "bell-rung", "no", "--declare"]);
    place.fails(&["flag", "mill", "bell-rung", "perhaps"], 2, &["bell-rung"]);
    place.ok(&["flag", "mill", "bell-rung", "yes"]);
    assert_eq!(place.json(&["flag", "mill"])[0]["value"], "yes");
    assert!(place.ok(&["reveals", "mill"]).contains("No secret"));
    place.fails(&["gossip", "mill", "--days", "0"], 2, &["at least one day"]);
    place.fails(&["gossip", "mill", "--seed", "-3"], 2, &["a whole number"]);
    let news = ["--about", "the-mill", "The wheel broke at noon.", "--time", "5 Springmonth 10"];
    place.ok(&[&["witness", "mill", "--by", "ada"][..], &news].concat());
    let tried = place.json(&["gossip", "mill", "--days", "30", "--dry-run"]);
    assert_eq!(tried["written"], Value::Null);
    assert_eq!(tried, place.json(&["gossip", "mill", "--days", "30", "--dry-run"]), "the same seed, the same talk");
    let talked = place.json(&["gossip", "mill", "--days", "30"]);
    assert_eq!((&talked["news"], &talked["spread"]), (&tried["news"], &tried["spread"]));
    assert_eq!(
        (&talked["news"][0]["teller"], &talked["news"][0]["hearer"]),
        (&"ada".into(), &"ben".into()),
        "{talked}"
    );
    let knows = place.json(&["knows", "mill", "ben"]).to_string();
    assert!(knows.contains("The wheel broke at noon."), "{knows}");
    let later = place.json(&["gossip", "mill", "--dry-run"]);
    assert_eq!(later["from"], talked["until"], "the clock went on");
}

#[test]
fn the_dm_is_told_when_a_secret_may_be_told() {
    let place = Place::new();
    let reveal = "about: [the-mill], reveal: {holder: ada, when: {flag: bell-rung}, note: She whispers it.}}";
    let campaign = CAMPAIGN.replace("about: [the-mill]}", reveal);
    place.write("mill/campaign.yaml", &format!("flags: {{bell-rung: false}}\n{campaign}"));
    assert!(place.ok(&["reveals", "mill"]).contains("ada may not tell yet: The millstone is cracked."));
    assert_eq!(place.json(&["reveals", "mill"])[0]["reveal"]["note"], "She whispers it.");
    let told = place.ok(&["why-not", "mill", "ben", "stone-is-cracked"]);
    assert!(told.contains("for ada to tell it") && told.contains("note: She whispers it."), "{told}");
    let opens = |line: &[&str]| place.json(line)["revealable"].as_array().unwrap().len();
    assert_eq!(opens(&["set", "mill", "ben", "mood", "glad"]), 0);
    let told = place.ok(&["flag", "mill", "bell-rung", "yes"]);
    assert!(told.contains("ada may tell now: The millstone is cracked. [") && told.contains("She whispers"), "{told}");
    assert_eq!(opens(&["set", "mill", "ben", "mood", "sour"]), 0, "once is enough");
    assert_eq!(opens(&["flag", "mill", "bell-rung", "no"]), 0);
    assert_eq!(opens(&["undo", "mill"]), 1);
    assert_eq!(opens(&["tell", "mill", "ada", "stone-is-cracked", "--to", "ben"]), 0);
    place.write("mill/more.yaml", "entities:\n  - {id: cora, name: Cora, kind: npc}\n");
    assert_eq!(opens(&["import", "mill"]), 0);
}

#[test]
fn review_decides() {
    let place = Place::new();
    for (boss, since) in [("ben", "20 Springmonth 9"), ("ada", "1 Springmonth 9")] {
        place.ok(&["relate", "mill", "sam-a", "EMPLOYED_BY", boss, "--since", since]);
    }
    place.ok(&["duplicates", "mill", "not-the-same", "sam-a", "sam-b"]);
    let items = place.json(&["review", "mill"]);
    assert_eq!((&items["all"], &items["items"][0]["why"]), (&1.into(), &"contradiction".into()), "{items}");
    let id = items["items"][0]["in_full"][0]["id"].as_str().unwrap();
    assert!(place.ok(&["review", "mill"]).contains(&id[..8]));
    place.fails(&["review", "mill", "edit", id], 2, &["--object"]);
    place.fails(&["review", "mill", "accept", id, "--object", "ben"], 2, &["edit"]);
    place.fails(&["review", "mill", "accept", "ffffffffff"], 3, &["ffffffffff"]);
    place.json(&["review", "mill", "reject", id]);
    assert_eq!(place.json(&["review", "mill"])["all"], 0);
}

#[test]
fn two_that_are_one_are_merged_and_split() {
    let place = Place::new();
    let found = place.json(&["duplicates", "mill"]);
    assert_eq!(
        (&found["entities"][0]["one"], &found["entities"][0]["band"]),
        (&"sam-a".into(), &"near_certain".into())
    );
    assert_eq!(place.json(&["review", "mill"])["items"][0]["why"], "duplicate");
    let printed = place.ok(&["duplicates", "mill"]);
    assert!(printed.contains("hearsay merge mill sam-b sam-a"), "{printed}");
    assert!(place.ok(&["review", "mill"]).contains("may be one"));
    place.ok(&["relate", "mill", "sam-b", "OWES", "ada"]);
    let plan = place.json(&["merge", "mill", "sam-b", "sam-a", "--dry-run"]);
    assert_eq!((&plan["gone"], &plan["written"]), (&"sam-b".into(), &Value::Null), "{plan}");
    assert_eq!(place.json(&["facts", "mill", "--subject", "sam-a", "--predicate", "OWES"])["all"], 0);
    let printed = place.ok(&["merge", "mill", "sam-b", "sam-a"]);
    assert!(printed.contains("hearsay split mill sam-b takes it back"), "{printed}");
    assert_eq!(place.json(&["facts", "mill", "--subject", "sam-a", "--predicate", "OWES"])["all"], 1);
    place.fails(&["show", "mill", "sam-b"], 3, &["sam-b"]);
    place.fails(&["merge", "mill", "sam", "sam-a"], 3, &["both names mean `sam-a`"]);
    place.fails(&["split", "mill", "ada"], 3, &["nothing was merged into `ada`", "history"]);
    // The files still say that there are two; they stay one.
    let files = fs::read_to_string(place.path("mill/campaign.yaml")).unwrap();
    place.write("mill/campaign.yaml", &files.replace("carter", "baker"));
    let told = place.run(&["facts", "mill", "--subject", "ben"]);
    assert!(told.err.contains("merged into `sam-a`"), "{}", told.err);
    place.ok(&["split", "mill", "sam-b"]);
    assert_eq!(place.json(&["facts", "mill", "--subject", "sam-b", "--predicate", "OWES"])["all"], 1);
    assert_eq!(place.json(&["duplicates", "mill"])["all"], 0, "they were told apart");
    place.fails(&["duplicates", "mill", "not-the-same", "ada"], 2, &["<B>"]);
    place.fails(&["duplicates", "mill", "ada", "ben"], 2, &["not-the-same"]);
    assert!(place.json(&["duplicates", "mill", "--facts"])["all"].as_u64().is_some());
}

/// A fact that waits for review, as an export of another memory carries it.
fn with_doubts(place: &Place) -> String {
    let export = place.ok(&["export", "mill"]);
    let doubt = |subject: &str, sure: f64| {
        let provenance = serde_json::json!({ "method": "stated", "author": "extractor", "session": null,
            "speaker": "ben", "recorded": 1000, "confidence": sure, "confirmed": false, "evidence": [] });
        serde_json::json!({ "type": "fact", "subject": subject, "predicate": "OWES", "object": { "entity": "ben" },
            "statement": format!("{subject} owes Ben."), "mentions": [], "attitude": null, "rank": null,
            "conditions": null, "validity": { "from": null, "until": null }, "standing": "proposed",
            "secrecy": "open", "handle": null, "provenance": provenance })
    };
    let doubts = format!("{export}{}\n{}\n", doubt("ada", 0.5), doubt("sam-a", 0.35));
    place.write("doubts.jsonl", &doubts);
    place.ok(&["import", "mill", "doubts.jsonl"]);
    let items = place.json(&["review", "mill"]);
    assert_eq!(items["items"][0]["in_full"][0]["subject"], "ada", "{items}");
    items["items"][0]["in_full"][0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn decisions_are_learned_from_and_what_is_doubtful_is_pruned() {
    let place = Place::new();
    let fact = with_doubts(&place);
    assert!(place.ok(&["learn", "mill"]).contains("Nothing was decided yet"));
    // Several at once are one operation.
    let items = place.json(&["review", "mill"]);
    let other = items["items"][1]["in_full"][0]["id"].as_str().unwrap();
    place.fails(&["review", "mill", "edit", &fact, other, "--statement", "x"], 2, &["one fact"]);
    let told = place.ok(&["review", "mill", "reject", &fact, other, "--reason", "a dream"]);
    assert!(told.contains("and 1 more, because: a dream"), "{told}");
    place.ok(&["undo", "mill"]);
    place.ok(&["review", "mill", "accept", &fact]);
    let status = place.json(&["learn", "mill", "status"]);
    assert_eq!((&status["enabled"], status["trust"].as_array().unwrap().len()), (&true.into(), 3), "{status}");
    assert!(place.ok(&["learn", "mill"]).contains("speaker ben"));
    assert_eq!(place.json(&["learn", "mill", "history"])["decisions"][0]["verdict"], "confirmed");
    assert!(place.ok(&["learn", "mill", "history"]).contains("confirmed"));
    let review = place.ok(&["review", "mill"]);
    assert!(review.contains("speaker ben 1 of 1") && review.contains("which you confirmed"), "{review}");
    place.ok(&["learn", "mill", "off"]);
    assert_eq!(place.json(&["learn", "mill"])["enabled"], false);
    assert!(!place.ok(&["review", "mill"]).contains("speaker ben"));
    place.ok(&["learn", "mill", "on"]);
    place.ok(&["learn", "mill", "reset"]);
    assert_eq!(place.json(&["learn", "mill"])["trust"].as_array().unwrap().len(), 0);
    place.ok(&["undo", "mill"]);
    assert_eq!(place.json(&["learn", "mill"])["trust"].as_array().unwrap().len(), 3);

    place.fails(&["prune", "mill"], 2, &["--below", "--older-than", "--standing"]);
    place.fails(&["prune", "mill", "--below", "7"], 2, &["from 0 to 1"]);
    let plan = place.json(&["prune", "mill", "--below", "0.4"]);
    assert_eq!((&plan["all"], &plan["written"]), (&1.into(), &Value::Null), "{plan}");
    assert!(place.ok(&["prune", "mill", "--older-than", "30"]).contains("--apply"));
    let printed = place.ok(&["prune", "mill", "--below", "0.4", "--apply"]);
    assert!(printed.contains("prune 1 fact") && printed.contains("hearsay undo mill"), "{printed}");
    assert!(place.ok(&["prune", "mill", "--below", "0.4"]).contains("No fact would go"));
    place.ok(&["undo", "mill"]);
    assert_eq!(place.json(&["prune", "mill", "--below", "0.4"])["all"], 1);

    let health = place.json(&["health", "mill"]);
    let check = |name: &str| {
        let checks = health["checks"].as_array().unwrap();
        checks.iter().find(|check| check["name"] == name).unwrap()["count"].as_u64().unwrap()
    };
    assert_eq!((check("reviews"), check("no_evidence"), check("contradictions")), (1, 2, 0), "{health}");
    assert_eq!(health["duplicates"]["near_certain"], 1);
    assert!(place.ok(&["health", "mill"]).contains("hearsay review"));
    let orphans = place.json(&["health", "mill", "--check", "no_evidence", "--limit", "1"]);
    let checks = orphans["checks"].as_array().unwrap();
    assert_eq!((checks.len(), checks[0]["examples"].as_array().unwrap().len()), (1, 1), "{orphans}");
    let told = place.ok(&["health", "mill", "--check", "no_evidence", "--limit", "1"]);
    assert!(told.contains("without evidence: 2") && told.contains("and 1 more"), "{told}");
    place.fails(&["health", "mill", "--check", "weather"], 2, &["weather", "orphans"]);
}

#[test]
fn an_export_comes_back_equal() {
    let place = Place::new();
    place.ok(&["set", "mill", "ada", "goals", "Mend the stone.", "--secret"]);
    let written = place.json(&["export", "mill", "--output", "mill.jsonl"]);
    let first = fs::read_to_string(place.path("mill.jsonl")).unwrap();
    assert_eq!(written["lines"], first.lines().count());
    assert_eq!(place.ok(&["export", "mill"]), first);
    let before = place.json(&["import", "copy", "mill.jsonl", "--dry-run"]);
    assert!(before["written"].is_null() && !place.path("copy").exists());
    // With vectors it would say by which model they are.
    assert!(!place.json(&["import", "copy", "mill.jsonl", "--no-meaning"])["written"].is_null());
    assert_eq!(place.ok(&["export", "copy"]), first);
    assert!(place.json(&["import", "copy", "mill.jsonl", "--no-meaning"])["written"].is_null());
    // It has no files of its own, and answers all the same.
    assert!(place.ok(&["ask", "copy", "--as", "ada", "millstone", "--no-meaning"]).contains("cracked"));
    place.fails(&["export", "mill", "--output", "nowhere/x"], 4, &["nowhere/x"]);
}

#[test]
fn importing_says_what_it_does_and_tries_without_a_trace() {
    let place = Place::new();
    let told = place.ok(&["import", "mill", "--dry-run"]);
    assert!(told.contains("Dry run") && told.contains("occupation"), "{told}");
    assert!(!place.path("mill/.hearsay").exists());
    assert_eq!(place.ok(&["import", "mill"]).lines().next().map(|line| line.contains("operation 1")), Some(true));
    assert_eq!(place.ok(&["import", "mill"]), "Nothing has changed since the last import.\n");
    let fresh = place.run(&["facts", "mill", "--no-import"]);
    assert_eq!((fresh.code, fresh.err.as_str()), (0, ""));
}

#[test]
fn clearing_needs_force_and_spares_the_files() {
    let place = Place::new();
    place.ok(&["status", "mill"]);
    place.fails(&["clear", "mill"], 1, &["--force"]);
    assert_eq!(place.json(&["clear", "mill", "--force"])["cleared"], true);
    assert!(!place.path("mill/.hearsay").exists() && place.path("mill/campaign.yaml").exists());
    assert_eq!(place.json(&["clear", "mill", "--force"])["cleared"], false);
    place.fails(&["clear", "nowhere", "--force"], 4, &["nowhere"]);
    place.write("mill/hearsay.toml", "[store]\ndirectory = \".\"\n");
    place.fails(&["clear", "mill", "--force"], 1, &["campaign files"]);
    assert!(place.path("mill/campaign.yaml").exists());
}

#[test]
fn errors_name_the_thing_and_have_their_code() {
    let place = Place::new();
    place.fails(&["ask", "nowhere", "--as", "ada", "x"], 4, &["nowhere", "hearsay new"]);
    place.fails(&["ask", "mill/campaign.yaml", "--as", "ada", "x"], 4, &["this is a file"]);
    fs::create_dir(place.path("empty")).unwrap();
    place.fails(&["status", "empty"], 4, &["empty", "no campaign"]);
    place.fails(&["ask", "mill", "--as", "adda", "x"], 3, &["adda", "ada"]);
    place.fails(&["ask", "mill", "--as", "Sam", "x"], 3, &["sam-a", "sam-b"]);
    place.fails(&["ask", "mill", "--as", "ada", "--at", "nowhere", "x"], 3, &["nowhere"]);
    place.fails(&["ask", "mill", "--as", "ada", "--as-of", "41 Junk", "x"], 2, &["41 Junk"]);
    place.fails(&["ask", "mill", "--as", "ada", " "], 2, &["QUESTION"]);
    place.fails(&["ask", "mill", "--as", "ada", "--budget", "3", "x"], 2, &["64"]);
    place.fails(&["ask", "mill"], 2, &["--as"]);
    place.fails(&["askk", "mill"], 2, &["askk"]);
    place.fails(&["facts", "mill", "--predicate", "NO_SUCH"], 3, &["NO_SUCH", "hearsay stats"]);
    place.fails(&["add", "mill", "Ada", "--id", "Bad Id"], 2, &["Bad Id"]);
    place.fails(&["add", "mill", "Ada", "--id", "ada"], 1, &["ada"]);
    place.fails(&["relate", "mill", "ada", "LIKES", "ben", "--attitude", "200"], 2, &["200"]);
    place.fails(&["correct", "mill", "ffffffff", "--object", "x"], 3, &["ffffffff"]);
    place.fails(&["import", "mill", "none.yaml"], 4, &["none.yaml"]);
    place.fails(&["import", "mill", "none.jsonl"], 4, &["none.jsonl"]);
    place.write("mill/hearsay.toml", "[recall]\nbudgit = 5\n");
    place.fails(&["status", "mill"], 4, &["hearsay.toml", "budgit", "budget"]);
}

#[test]
fn broken_files_change_nothing() {
    let place = Place::new();
    place.ok(&["status", "mill"]);
    place.write("mill/more.yaml", "entities:\n  - name: [A\n");
    place.fails(&["stats", "mill"], 4, &["more.yaml:3"]);
    place.write("mill/more.yaml", "entities:\n  - {name: A, kind: npc, knid: x}\n");
    place.fails(&["stats", "mill"], 4, &["more.yaml:2", "knid"]);
    assert!(place.run(&["stats", "mill"]).err.contains("--no-import"));
    assert_eq!(place.json(&["stats", "mill", "--no-import"])["entities"]["npc"], 4);
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let place = Place::new();
    for _ in 0..3 {
        place.ok(&["import", "mill"]);
        let mut child = place.command(&["export", "mill", "-q"]);
        let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = String::new();
        BufReader::with_capacity(8, child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(first.starts_with("{\"type\":\"hearsay\""), "{first}");
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    }
    // No colour, no bar.
    let told = place.run(&["ask", "mill", "--as", "ada", "x"]);
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
    place.ok(&["import", "big", "-q", "--no-meaning"]);
    let mut child = place.command(&["db", "embed", "big"]);
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let owner = place.path("big/.hearsay/owner");
    let start = Instant::now();
    while !owner.exists() && start.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(300));
    place.fails(&["status", "big"], 5, &["big", &child.id().to_string(), "close that program"]);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let status = child.wait().unwrap();
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!(status.code(), Some(130), "{err}");
    assert!(err.contains("stopped"), "{err}");
    assert!(!owner.exists(), "the campaign was closed");
    assert_eq!(place.json(&["stats", "big"])["entities"]["npc"], 1);
}

#[test]
#[cfg(unix)]
fn vectors_of_a_backlog_are_made_where_it_stopped() {
    let place = Place::new();
    big_campaign(&place);
    place.ok(&["import", "big", "-q", "--no-meaning"]);
    // A question does not wait for so many.
    let told = place.run(&["ask", "big", "--as", "ada", "sacks"]);
    assert!(told.code == 0 && told.err.contains("db embed"), "{} {}", told.code, told.err);
    let all = place.json(&["status", "big"])["pending_vectors"].as_u64().unwrap();
    assert!(all > 2_000, "{all}");
    let vectors = place.path("big/.hearsay/vectors");
    let before = std::fs::metadata(&vectors).map_or(0, |file| file.len());
    let mut child = place.command(&["db", "embed", "big"]).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while std::fs::metadata(&vectors).map_or(0, |file| file.len()) < before + (400 << 10) {
        assert!(start.elapsed() < Duration::from_secs(60) && child.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert!(child.wait().unwrap().code() == Some(130) && err.contains("goes on from here"), "{err}");
    let left = place.json(&["status", "big"])["pending_vectors"].as_u64().unwrap();
    assert!(0 < left && left <= all - 256, "{left} of {all}");
    assert_eq!(place.json(&["status", "big", "--wait"])["pending_vectors"], 0);
    let told = place.json(&["db", "embed", "big"]);
    assert_eq!((&told["embedded"], &told["pending_vectors"]), (&0.into(), &0.into()));
    assert_eq!(place.json(&["ask", "big", "--as", "ada", "sacks"])["pending_vectors"], 0);
}

#[test]
fn help_teaches_by_example() {
    let place = Place::new();
    let help = place.ok(&["help"]);
    let commands = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = commands.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let mut examples = 0;
    for name in names.filter(|name| !name.is_empty() && *name != "help") {
        let text = place.ok(&["help", name]);
        let lines = text.split("Example").nth(1).unwrap_or_else(|| panic!("{name} has no example"));
        let own: Vec<_> = lines.lines().filter(|line| line.trim_start().starts_with("hearsay ")).collect();
        assert!(!own.is_empty(), "{name}");
        for line in own {
            let line = line.split(" | ").next().unwrap();
            examples += 1;
            let words = words(line.trim());
            assert!(words.contains(&name.to_owned()), "{line}");
            // In a directory that has nothing, whatever parses fails in another way; `new` and `model` succeed.
            let told = place.run(&words[1..].iter().map(String::as_str).collect::<Vec<_>>());
            assert_ne!(told.code, 2, "{line}: {}", told.err);
        }
    }
    assert!(examples >= 30, "{examples}");
    assert!(place.run(&[]).err.contains("Exit codes"));
    assert!(place.ok(&["--version"]).starts_with("hearsay "));
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
    place.fails(&["session", "log", "mill", "Rain."], 1, &["no session is being played", "session start"]);
    let started = place.ok(&["session", "start", "mill", "--title", "The stone", "--at", "the-mill"]);
    assert!(started.contains("session-1 begins: The stone") && started.contains("there: lyra"), "{started}");
    let logged = place.json(&["session", "log", "mill", "--by", "ada", "Ben broke the millstone in the dark."]);
    assert_eq!(logged["heard_by"], serde_json::json!(["ada", "lyra"]));
    place.fails(&["session", "log", "mill", "--by", "eve", "Hm."], 3, &["nothing is called `eve`"]);
    place.fails(&["session", "start", "mill"], 1, &["session-1 is being played"]);
    place.fails(&["session", "attend", "mill", "--leave", "ben"], 1, &["ben is not at the table"]);
    place.ok(&["relate", "mill", "ben", "OWES", "ada"]);
    let ended = place.json(&["session", "end", "mill"]);
    assert_eq!(ended["report"]["counts"]["facts"], 1);
    assert_eq!(ended["report"]["threads"][0]["kind"], "debt");
    assert!(place.ok(&["session", "list", "mill"]).contains("session-1  The stone  1 line"));
    assert!(place.ok(&["session", "show", "mill", "1", "--log"]).contains("ada: Ben broke"));
    let recap = place.ok(&["recap", "mill", "--player-safe"]);
    // Lyra heard it, and was never told who that is.
    assert!(recap.contains("Somebody: \u{201C}Ben broke the millstone"), "{recap}");
    assert!(place.ok(&["recap", "mill"]).contains("Ada Flint: \u{201C}Ben broke the millstone"));
    assert!(place.ok(&["recap", "mill", "--prompt"]).contains("[1] Ada Flint"));
    let few = ["recap", "mill", "--compress", "--question", "Who broke the stone?", "--budget", "64", "--no-meaning"];
    assert_eq!(
        place.ok(&few),
        "Ben OWES Ada Flint\nAda Flint: Ben broke the millstone in the dark.\n".replace("Ben OWES", "- Ben OWES")
    );
    assert_eq!(place.json(&["threads", "mill", "--kind", "debt"])["all"], 1);
    place.fails(&["recap", "mill", "9"], 3, &["no session `9`", "session-1"]);
}

#[test]
fn a_transcript_is_tried_imported_and_taken_back() {
    let place = Place::new();
    place.ok(&["status", "mill"]);
    place.write("talk.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Anna>Fog over the mill.\n\n00:03.000 --> 00:04.000\n<v Zoe>Crisps?\n\n00:05.000 --> 00:06.000\n<v Old Ada>The stone is cracked.\n");
    let dry = ["session", "import", "mill", "talk.vtt", "--dm", "anna", "--speaker", "Zoe=ben", "--dry-run"];
    let told = place.ok(&dry);
    assert!(told.contains("Zoe (1 line): ben") && told.contains("Anna (1 line): the DM"), "{told}");
    assert!(told.contains("4  Fog over the mill.") && told.contains("nothing was changed"), "{told}");
    assert!(place.ok(&["session", "list", "mill"]).contains("No session"));
    let import = ["session", "import", "mill", "talk.vtt"];
    let first = place.json(&import);
    assert_eq!((first["lines"].as_u64(), first["unchanged"].as_bool()), (Some(3), Some(false)));
    assert_eq!(first["speakers"][2]["is"]["character"], "ada");
    let again = place.json(&import);
    assert!(again["written"].is_null() && again["unchanged"] == true, "{again}");
    let log = place.ok(&["session", "show", "mill", "--log"]);
    assert!(log.contains("Zoe: Crisps?") && log.contains("ada: The stone is cracked."), "{log}");
    place.ok(&["undo", "mill", "--author", "import"]);
    assert!(place.ok(&["session", "list", "mill"]).contains("No session"));
    place.fails(&["session", "import", "mill", "none.srt"], 4, &["none.srt"]);
    place.write("bad.txt", "a\0b");
    place.fails(&["session", "import", "mill", "bad.txt"], 4, &["bad.txt:1", "no text"]);
    place.fails(&["session", "import", "mill", "talk.vtt", "--speaker", "Eve=ben"], 3, &["nobody called `eve`"]);
    place.fails(&["session", "import", "mill", "talk.vtt", "--speaker", "Eve"], 2, &["Anna=lyra"]);
}

#[test]
fn texts_are_read_for_facts_wherever_they_come_from() {
    let place = Place::new();
    let found = || place.json(&["facts", "mill", "--predicate", "OWES", "--object", "ben"])["all"].as_u64().unwrap();
    let before = found();
    let line = "Ada owes Ben ten crowns.";
    // A draft shows what would be found, and records nothing.
    let drafted = place.json(&["extract", "mill", "--text", line, "--narration"]);
    assert_eq!((&drafted["facts"][0]["predicate"], &drafted["standings"][0]), (&"OWES".into(), &"canon".into()));
    assert!(place.ok(&["extract", "mill", "--text", line, "--by", "ben"]).contains("nothing was recorded"));
    assert_eq!(found(), before);
    // What is said, and what a transcript says, is read by itself.
    let said = place.json(&["say", "mill", "ben", line]);
    assert_eq!((&said["found"]["claimed"], found()), (&1.into(), before + 1), "{said}");
    place.write("evening.txt", "Ben: Sam owes Ada twenty crowns.\n");
    let imported = place.json(&["session", "import", "mill", "evening.txt"]);
    assert!(imported["found"].is_object(), "{imported}");
    // What was read goes with its text: that is no reason not to undo it.
    assert!(place.ok(&["undo", "mill"]).contains("evening.txt"));
    let undone = place.json(&["undo", "mill"]);
    assert!(undone["summary"].as_str().unwrap().contains("Ada owes Ben"), "{undone}");
    assert_eq!(found(), before);
    let position = undone["position"].to_string();
    place.ok(&["undo", "mill", &position]);
    assert_eq!(found(), before + 1, "with the line comes back what was read in it");
    // Notes from elsewhere too; of what is doubtful in them, no more waits than there is room for.
    place.write("mill/hearsay.toml", "[extraction]\nguesses = 4\n");
    let names =
        ["Zarael", "Bromwick", "Ysolde", "Tavish", "Quillon", "Hestia", "Orlok", "Fenwick", "Gisela", "Wulfram"];
    for (number, name) in names.iter().enumerate() {
        let notes = format!("# Note {number}\n\nMaybe Ada hates {name}.\n\nPerhaps Ben fears {name}.\n");
        place.write(&format!("notes/note-{number}.md"), &notes);
    }
    let imported = place.json(&["import", "mill", "notes", "--no-meaning"]);
    assert!(imported["found"]["left_out"].as_u64().unwrap() >= 5, "{imported}");
    assert!(place.ok(&["extract", "mill", "--again"]).contains("left out"));
    let waiting = || place.json(&["facts", "mill", "--standing", "proposed"])["all"].as_u64().unwrap();
    assert!(waiting() > 0);
    let undone = place.ok(&["undo", "mill", "--author", "import"]);
    assert!(undone.contains("import notes") && waiting() == 0, "{undone}");
    // What cannot be read is said, with what to do.
    place.write("empty.txt", "");
    assert!(place.ok(&["extract", "mill", "empty.txt"]).contains("Nothing is stated"));
    fs::write(place.path("picture.bin"), [0x89, b'P', 0xff, 0x00]).unwrap();
    place.fails(&["extract", "mill", "picture.bin"], 4, &["picture.bin", "line 1", "UTF-8"]);
    place.fails(&["extract", "mill", "nowhere.txt"], 4, &["nowhere.txt"]);
}

//! Tests of spoken lines that state facts which are already on file.

use super::*;

/// A night guard in Gullhaven, and a secret about him that only Kestrel Vane knows.
const NIGHT_GUARD: &str = r#"
entities:
  - {id: tobin-marsh, name: Tobin Marsh, kind: npc, home: customs-house, attributes: {occupation: night guard}}
facts:
  - id: tobin-sold-key
    subject: tobin-marsh
    text: "Tobin Marsh sold Kestrel Vane a print of his key."
    about: [kestrel-vane]
    secret: true
    bearer: false
    known_by: [{who: kestrel-vane, conceals: true}]
"#;

const HEARERS: [&str; 4] = ["--to", "wren-oake", "--to", "sister-ilva"];

/// Creates a copy of the example campaign with the night guard.
fn gullhaven() -> TestDir {
    let test_dir = TestDir::new();
    let campaign = repository().join("campaigns/gullhaven");
    for directory in ["", "sessions"] {
        for entry in fs::read_dir(campaign.join(directory)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "yaml") {
                let name = path.strip_prefix(&campaign).unwrap().to_string_lossy().into_owned();
                test_dir.write(&format!("gull/{name}"), &fs::read_to_string(&path).unwrap());
            }
        }
    }
    test_dir.write("gull/night-guard.yaml", NIGHT_GUARD);
    test_dir
}

fn knowers(test_dir: &TestDir, fact: &str) -> Vec<String> {
    let data = test_dir.json(&["-C", "gull", "know", "who-knows", fact]);
    let knowers = data["characters"].as_array().unwrap().iter();
    knowers.map(|row| row["knower"].as_str().unwrap_or_else(|| panic!("{row}")).to_owned()).collect()
}

fn say<'a>(speaker: &'a str, words: &'a str) -> Vec<&'a str> {
    [&["-C", "gull", "say", "--by", speaker, words][..], &HEARERS].concat()
}

#[test]
fn a_character_talks_and_keeps_its_secrets() {
    let test_dir = gullhaven();
    let talk = |options: &[&str]| {
        test_dir.json(&[&["-C", "gull", "talk", "mirela-voss", "--by", "wren-oake"][..], options].concat())
    };
    let reply = talk(&["Who owns the Gilded Gull?", "--record"]);
    assert_eq!((reply["reply"].as_str(), reply["writer"].as_str()), (Some("I own the Gilded Gull."), Some("template")));
    assert_eq!(reply["findings"][0]["kind"], "supported");
    let lines = test_dir.json(&["-C", "gull", "search", "I own the Gilded Gull", "--as", "wren-oake", "--no-meaning"]);
    assert!(lines.to_string().contains("I own the Gilded Gull."), "{lines}");
    let secret = talk(&["Where did you hide the harbour ledger?"]);
    assert!(!secret["reply"].as_str().unwrap().contains("Chapel"), "{secret}");

    // The dead answer with a warning.
    let pell = ["-C", "gull", "talk", "pell", "--by", "wren-oake", "Hello."];
    assert!(!test_dir.run(&pell).stderr.contains("is dead"));
    test_dir.ok(&["-C", "gull", "entity", "set", "pell", "condition", "dead"]);
    let dead = test_dir.run(&pell);
    assert!(dead.code == 0 && dead.stderr.contains("is dead (fact "), "{}", dead.stderr);

    let unknown = test_dir.run(&["-C", "gull", "talk", "mirela-voss", "--by", "nobody-at-all", "Hello."]);
    assert_eq!(unknown.code, 3);
    let model = ["-C", "gull", "talk", "pell", "--by", "wren-oake", "--model", "none.gguf", "Hello."];
    let missing = test_dir.run(&model);
    assert_eq!(missing.code, 4);
    assert!(missing.stderr.contains("none.gguf cannot be read"), "{}", missing.stderr);
}

#[test]
fn a_secret_said_aloud_is_recognized_and_its_hearers_learn_it() {
    let test_dir = gullhaven();
    assert_eq!(knowers(&test_dir, "tobin-sold-key"), ["kestrel-vane"]);
    // The line says more than the fact, so the DM decides.
    let asked = test_dir
        .json(&[&say("kestrel-vane", "Tobin, the night guard, sold me the print.")[..], &["--dry-run"]].concat());
    assert_eq!(asked["may_state"][0]["handle"], "tobin-sold-key", "{asked}");
    let line = "Tobin sold me a print of his key.";
    // A dry run shows the fact, and teaches nobody.
    let tried = test_dir.json(&[&say("kestrel-vane", line)[..], &["--dry-run"]].concat());
    assert_eq!(tried["states"][0]["handle"], "tobin-sold-key", "{tried}");
    assert_eq!(knowers(&test_dir, "tobin-sold-key"), ["kestrel-vane"]);
    let said = test_dir.ok(&say("kestrel-vane", line));
    let states = "  states: tobin-sold-key: \"Tobin Marsh sold Kestrel Vane a print of his key.\"; learned by: Sister Ilva, Wren Oake\n";
    assert!(said.contains(states), "{said}");
    assert!(said.contains("Wren Oake: told by Kestrel Vane"), "{said}");
    assert_eq!(knowers(&test_dir, "tobin-sold-key"), ["kestrel-vane", "sister-ilva", "wren-oake"]);
    assert!(test_dir.ok(&["-C", "gull", "know", "chain", "wren-oake", "tobin-sold-key"]).contains("Kestrel Vane"));
    // Wren now knows the secret, so Kestrel does not conceal it from Wren. Pell does not know it.
    let answer = |listener: &str| {
        let question = ["-C", "gull", "ask", "--as", "kestrel-vane", "--with", listener, "--form", "prompt"];
        test_dir.ok(&[&question[..], &["Who sold you the print of the key?"]].concat())
    };
    let permission = "you may tell Wren Oake, but nobody else";
    assert!(answer("wren-oake").contains(permission), "{}", answer("wren-oake"));
    assert!(!answer("pell").contains(permission), "{}", answer("pell"));
}

/// A secret about two persons, and a lie about one of them. Nessa knows both.
const FERRY: &str = r#"
format: 1
campaign: {name: Ferry, start: day 1}
entities:
  - {id: landing, name: The Landing, kind: location}
  - {id: captain-dorn, name: Captain Dorn, kind: npc, home: landing}
  - {id: harl-wick, name: Harl Wick, kind: npc, home: landing}
  - {id: ada-sol, name: Ada Sol, kind: player, player: Ben}
  - id: nessa-pike
    name: Nessa Pike
    kind: npc
    home: landing
    secrets: [{text: Captain Dorn sank the ferry while Harl Wick slept aboard., about: [captain-dorn, harl-wick]}]
lies:
  - {by: nessa-pike, text: Harl Wick choked on a fish bone., about: [harl-wick]}
"#;

#[test]
fn the_dm_is_asked_about_a_secret_or_lie_that_its_knower_tells_in_other_words() {
    let test_dir = TestDir::new();
    test_dir.write("ferry/campaign.yaml", FERRY);
    for (speaker, words, asked) in [
        ("nessa-pike", "It was the captain, he drowned Harl with the ferry.", "Captain Dorn sank the ferry"),
        ("nessa-pike", "Harl? A fish bone, poor man.", "Harl Wick choked on a fish bone."),
        ("nessa-pike", "The captain bought Harl a beer.", ""),
        ("nessa-pike", "The ferry is late.", ""),
        ("captain-dorn", "Harl? A fish bone, poor man.", ""),
    ] {
        let said = test_dir.json(&["-C", "ferry", "say", "--by", speaker, "--to", "ada-sol", words, "--dry-run"]);
        assert_eq!(said["states"], serde_json::json!([]), "{words}: {said}");
        let found = said["may_state"].as_array().unwrap();
        let statement = found.first().map_or("", |fact| fact["statement"].as_str().unwrap());
        assert!(statement.starts_with(asked) && statement.is_empty() == asked.is_empty(), "{words}: {said}");
    }
}

const HALL: &str = r#"
format: 1
campaign: {name: Hall, start: day 1}
entities:
  - {id: hall, name: The Long Hall, kind: location}
  - {id: imre, name: Imre Vasko, kind: npc, home: hall}
  - {id: sabine, name: Sabine Lorrain, kind: npc, home: hall}
  - {id: gerta, name: Gerta Blum, kind: npc, home: hall}
  - {id: fitch, name: Fitch, kind: npc, home: hall}
  - {id: una, name: Una, kind: player, player: Eva, location: hall}
facts:
  - {id: wedding, text: "Imre Vasko is secretly married to Sabine Lorrain.", about: [imre, sabine], secret: true, known_by: [imre, sabine]}
  - {id: well, text: "Gerta Blum poisoned the well of the monastery.", about: [gerta], secret: true, known_by: [gerta]}
"#;

/// Returns the handles of the secrets that a line of the campaign in the directory `hall` may state.
fn asked_in_hall(test_dir: &TestDir, list: &str, line: &[&str]) -> Vec<String> {
    let logged = test_dir.json(&[&["-C", "hall", "log", "--dry-run"][..], line].concat());
    let facts = logged[list].as_array().unwrap_or_else(|| panic!("{line:?}: {logged}"));
    facts.iter().map(|fact| fact["handle"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn the_report_of_an_ended_session_contains_a_secret_that_is_confirmed_later() {
    let test_dir = TestDir::new();
    test_dir.write("hall/campaign.yaml", HALL);
    test_dir.ok(&["-C", "hall", "session", "start", "--at", "hall"]);
    test_dir.ok(&["-C", "hall", "log", "--by", "gerta", "Perhaps I poisoned that well at the monastery."]);
    test_dir.ok(&["-C", "hall", "log", "--by", "una", "Good night."]);
    let ended = test_dir.ok(&["-C", "hall", "session", "end"]);
    let secret = "  Gerta Blum poisoned the well of the monastery.  [Una, told by Gerta Blum";
    assert!(!ended.contains(secret), "{ended}");
    test_dir.ok(&["-C", "hall", "log", "--line", "1", "--yes"]);
    let report = test_dir.ok(&["-C", "hall", "session", "show"]);
    let secrets = report.split_once("Secrets that came out:").map_or("", |(_, secrets)| secrets);
    assert!(secrets.contains(secret), "{report}");
}

/// Secrets about two persons, of which each names who acts first.
const QUARRY: &str = r#"
format: 1
campaign: {name: The Quarry, start: day 1}
entities:
  - {id: quarry, name: The Quarry, kind: location}
  - {id: brannoc, name: Brannoc, kind: npc, home: quarry}
  - {id: ysolde, name: Ysolde Marr, kind: npc, home: quarry}
  - {id: teague, name: Teague, kind: npc, home: quarry}
  - {id: vesna, name: Vesna, kind: player, player: Eva, location: quarry}
facts:
  - {id: strangling, text: "Brannoc strangled Teague.", about: [brannoc, teague], secret: true, known_by: [brannoc]}
  - {id: dice, text: "Ysolde Marr cheated Brannoc at dice.", about: [ysolde, brannoc], secret: true, known_by: [ysolde]}
"#;

#[test]
fn a_line_does_not_state_what_other_persons_did() {
    let test_dir = TestDir::new();
    test_dir.write("hall/campaign.yaml", QUARRY);
    test_dir.ok(&["-C", "hall", "session", "start", "--at", "quarry"]);
    let found = |speaker: &str, words: &str| {
        let line = ["--by", speaker, words];
        [asked_in_hall(&test_dir, "states", &line), asked_in_hall(&test_dir, "may_state", &line)].concat()
    };
    for (speaker, words, secret) in [
        ("brannoc", "I strangled Teague.", "strangling"),
        ("brannoc", "Teague was strangled by me.", "strangling"),
        ("ysolde", "I cheated Brannoc at dice.", "dice"),
        ("ysolde", "I cheated Brannoc and Teague at dice.", "dice"),
    ] {
        assert_eq!(found(speaker, words), [secret], "{speaker}: {words}");
    }
    for (speaker, words) in [
        ("brannoc", "Teague strangled Ysolde Marr."),
        ("brannoc", "Ysolde was strangled by Teague."),
        ("brannoc", "Teague strangled me."),
        ("brannoc", "Ysolde strangled Teague."),
        ("ysolde", "Brannoc cheated Teague at dice."),
        ("ysolde", "Teague cheated Brannoc at dice."),
    ] {
        assert!(found(speaker, words).is_empty(), "{speaker}: {words}: {:?}", found(speaker, words));
    }
}

/// Secrets of three persons, and open facts about the same persons.
const WEIR: &str = r#"
format: 1
campaign: {name: The Weir, start: day 1}
entities:
  - {id: boathouse, name: The Boathouse, kind: location}
  - {id: crypt, name: The Low Crypt, kind: location}
  - {id: mirko, name: Mirko, kind: npc, home: boathouse}
  - {id: agata, name: Agata, kind: npc, home: boathouse}
  - {id: oskar, name: Oskar, kind: npc, home: boathouse}
  - {id: wilma, name: Wilma, kind: player, player: Eva, location: crypt}
facts:
  - {id: lamp, text: "There is no ghost: Mirko swings a lantern on a fishing rod.", about: [mirko], secret: true, known_by: [mirko, agata]}
  - {id: saltpetre, text: "The saltpetre is hidden in the Low Crypt.", about: [crypt], secret: true, known_by: [agata]}
  - {id: purse, text: "Oskar hid the church silver under the weir.", about: [oskar], secret: true, known_by: [oskar]}
  - {text: "A ghost walks on the weir at night.", about: [boathouse]}
  - {text: "Mirko sells eels on the market.", about: [mirko]}
  - {text: "Oskar keeps the keys of the church.", about: [oskar]}
"#;

#[test]
fn the_dm_is_asked_about_a_line_that_hints_at_a_secret() {
    let test_dir = TestDir::new();
    test_dir.write("hall/campaign.yaml", WEIR);
    test_dir.ok(&["-C", "hall", "session", "start", "--at", "crypt"]);
    for (speaker, words, secret) in [
        ("agata", "The saltpetre is behind the coffins.", "saltpetre"),
        ("agata", "It's Mirko with a lantern on a rod.", "lamp"),
        ("oskar", "The silver lies at the bottom of the weir.", "purse"),
    ] {
        assert_eq!(asked_in_hall(&test_dir, "may_state", &["--by", speaker, words]), [secret], "{speaker}: {words}");
    }
    for (speaker, words) in [
        ("oskar", "The saltpetre is behind the coffins."),
        ("oskar", "The silver never lay at the bottom of the weir."),
        ("oskar", "I hid my purse in the boat."),
        ("oskar", "I pay in silver."),
        ("mirko", "I lost a lantern in the storm."),
        ("mirko", "I saw the ghost last night."),
    ] {
        assert_eq!(asked_in_hall(&test_dir, "may_state", &["--by", speaker, words]), [""; 0], "{speaker}: {words}");
    }
    // The narrator need not name the place where the session is played.
    for words in ["Behind the coffins lies saltpetre.", "Behind the coffins stand barrels full of saltpetre."] {
        assert_eq!(asked_in_hall(&test_dir, "withheld", &[words]), ["saltpetre"], "{words}");
    }
    // At another place, one shared word is not enough.
    let elsewhere = ["--at", "boathouse", "Behind the nets lies saltpetre."];
    assert_eq!(asked_in_hall(&test_dir, "withheld", &elsewhere), [""; 0]);
    for words in ["The Low Crypt is cold, and water drips from the stones.", "Mirko hangs a lantern on the wall."] {
        assert_eq!(asked_in_hall(&test_dir, "withheld", &[words]), [""; 0], "{words}");
    }
}

/// Secrets about hidden things, and travellers who do not know them.
const BAKEHOUSE: &str = r#"
format: 1
campaign: {name: The Quarry, start: day 1}
entities:
  - {id: quarry, name: The Old Quarry, kind: location}
  - {id: bakehouse, name: The Bakehouse, kind: location}
  - {id: dietlind, name: Dietlind, kind: npc, home: bakehouse}
  - {id: ruprecht, name: Ruprecht, kind: npc, home: quarry}
  - {id: oda, name: Oda, kind: player, player: Eva, location: quarry}
facts:
  - {id: dies, text: "Ruprecht hides the counterfeit dies behind the winch in the Old Quarry.", about: [ruprecht, quarry], secret: true, known_by: [ruprecht]}
  - {id: cradle, text: "Dietlind stole the silver cradle and buried it under the kneading trough.", about: [dietlind], secret: true, known_by: [dietlind]}
  - {text: "Dietlind bakes rye bread.", about: [dietlind]}
  - {text: "Ruprecht mends the winch.", about: [ruprecht]}
"#;

#[test]
fn narration_that_finds_a_hidden_thing_is_withheld_without_the_name_of_the_hider() {
    let test_dir = TestDir::new();
    test_dir.write("hall/campaign.yaml", BAKEHOUSE);
    test_dir.ok(&["-C", "hall", "session", "start", "--at", "quarry"]);
    for (place, words, secret) in [
        ("quarry", "Oda finds the counterfeit dies behind the winch in the Old Quarry.", "dies"),
        ("quarry", "Behind the winch, wrapped in a rag, lie dies for counterfeit crowns.", "dies"),
        ("bakehouse", "Oda pushes the kneading trough aside and digs up a silver cradle.", "cradle"),
        ("bakehouse", "Under the kneading trough Oda discovers the cradle.", "cradle"),
    ] {
        assert_eq!(asked_in_hall(&test_dir, "withheld", &["--at", place, words]), [secret], "{words}");
    }
    for (place, words) in [
        ("quarry", "Oda finds a dead crow behind the winch in the Old Quarry."),
        ("quarry", "Oda hides behind the winch."),
        ("bakehouse", "Oda searches the floor under the kneading trough for the silver cradle."),
        ("bakehouse", "Under the kneading trough Oda finds no cradle."),
        ("bakehouse", "A cat sleeps under the kneading trough."),
        ("bakehouse", "Oda rocks the baby in a cradle."),
    ] {
        assert_eq!(asked_in_hall(&test_dir, "withheld", &["--at", place, words]), [""; 0], "{words}");
    }
}

#[test]
fn the_dm_is_asked_about_a_short_confession_and_about_an_accusation() {
    let test_dir = TestDir::new();
    test_dir.write("hall/campaign.yaml", HALL);
    test_dir.ok(&["-C", "hall", "session", "start", "--at", "hall"]);
    let asked = |speaker: &str, words: &str| asked_in_hall(&test_dir, "may_state", &["--by", speaker, words]);
    for (speaker, words, secret) in [
        ("imre", "Sabine is my wife.", "wedding"),
        ("fitch", "Sabine is Imre's wife.", "wedding"),
        ("fitch", "I know that Gerta poisoned the well.", "well"),
    ] {
        assert_eq!(asked(speaker, words), [secret], "{speaker}: {words}");
    }
    for (speaker, words) in [
        ("imre", "Sabine is not my wife."),
        ("imre", "Sabine is my friend."),
        ("imre", "Sabine sings for me."),
        ("fitch", "Imre and Sabine sang together at the feast."),
        ("fitch", "I know that Gerta drinks from the well."),
        ("fitch", "I don't know that Gerta poisoned the well."),
    ] {
        assert_eq!(asked(speaker, words), [""; 0], "{speaker}: {words}");
    }
    // A relation that everybody may know is no secret.
    let open = "facts: [{subject: imre, type: MARRIED_TO, target: sabine, text: \"Imre is married to Sabine.\"}]";
    test_dir.write("hall/open.yaml", open);
    test_dir.ok(&["-C", "hall", "log", "It rains."]);
    assert_eq!(asked("fitch", "Sabine is Imre's wife."), [""; 0]);
}

#[test]
fn a_reason_that_denies_something_does_not_hide_a_confession() {
    let test_dir = TestDir::new();
    test_dir.write("hall/campaign.yaml", HALL);
    let drowned = r#"
entities: [{id: marlow, name: Marlow Reck, kind: npc, home: none}]
facts:
  - {id: drowned, text: "Fitch held Marlow Reck under the ice because he would not sell the ferry.", about: [fitch, marlow], secret: true, known_by: [fitch]}
"#;
    test_dir.write("hall/drowned.yaml", drowned);
    test_dir.ok(&["-C", "hall", "session", "start", "--at", "hall"]);
    let asked = |words: &str| asked_in_hall(&test_dir, "may_state", &["--by", "fitch", words]);
    assert_eq!(asked("I held Marlow under the ice."), ["drowned"]);
    for words in ["I never held Marlow under the ice.", "I sold the ferry.", "Marlow fell into the ice."] {
        assert_eq!(asked(words), [""; 0], "{words}");
    }
}

#[test]
fn narration_is_compared_with_secrets_clause_by_clause() {
    let test_dir = TestDir::new();
    test_dir.write("hall/campaign.yaml", HALL);
    test_dir.ok(&["-C", "hall", "session", "start", "--at", "hall"]);
    let withheld = |words: &str| asked_in_hall(&test_dir, "withheld", &[words]);
    for (words, secret) in [
        ("Nobody moves: Gerta poisoned the well.", "well"),
        ("Nobody speaks, and Gerta poisoned the well.", "well"),
        ("The whole hall sees the letter: Sabine is Imre's wife.", "wedding"),
    ] {
        assert_eq!(withheld(words), [secret], "{words}");
    }
    for words in [
        "Nobody sings, and Gerta draws water from the well.",
        "Imre pours Sabine a glass, and she laughs.",
        "Una looks into the well, and Gerta shrugs.",
    ] {
        assert_eq!(withheld(words), [""; 0], "{words}");
    }
}

#[test]
fn words_are_checked_for_the_characters_present_or_an_unknown_listener() {
    let test_dir = gullhaven();
    let check = |options: &[&str]| {
        let words = ["say", "--check", "--by", "kestrel-vane", "Tobin sold me a print of his key."];
        let output = test_dir.run(&[&["-C", "gull"][..], &words, options].concat());
        assert!(output.stdout.contains("problem: reveals secret"), "{}{}", output.stdout, output.stderr);
        output
    };
    let present = check(&["--at", "customs-house"]);
    let listeners = "checked for the characters present: Oswin Pike, Tobin Marsh";
    assert!(present.stderr.contains(listeners), "{}", present.stderr);
    assert!(present.stdout.contains("must not be told to: Oswin Pike, Tobin Marsh"), "{}", present.stdout);
    test_dir.ok(&["-C", "gull", "entity", "add", "The Old Well", "--kind", "location"]);
    let alone = check(&["--at", "the-old-well"]);
    assert!(alone.stderr.contains("name the listeners with --to"), "{}", alone.stderr);
}

#[test]
fn a_denial_a_question_a_lie_and_a_stranger_state_nothing() {
    let test_dir = gullhaven();
    for (speaker, words) in [
        ("kestrel-vane", "Tobin never sold me the print."),
        ("kestrel-vane", "Did Tobin sell you the print?"),
        ("kestrel-vane", "Tobin sold me the print?"),
        ("kestrel-vane", "If Tobin had sold me the print, I would have said so."),
        ("kestrel-vane", "Pell sold me a print of the Gilded Gull."),
        ("mirela-voss", "Tobin, the night guard, sold Kestrel the print."),
    ] {
        let said = test_dir.json(&say(speaker, words));
        assert_eq!(said["states"], serde_json::json!([]), "{words}: {said}");
        assert_eq!(said["may_state"], serde_json::json!([]), "{words}: {said}");
    }
    let lie = test_dir.json(&[&say("kestrel-vane", "Tobin sold me the print.")[..], &["--lie"]].concat());
    assert_eq!(lie["states"], serde_json::json!([]), "{lie}");
    assert_eq!(knowers(&test_dir, "tobin-sold-key"), ["kestrel-vane"]);
}

#[test]
fn without_a_terminal_a_doubtful_fact_is_named_and_not_taught() {
    let test_dir = gullhaven();
    let line = "Perhaps Tobin sold me a print of the key.";
    let said = test_dir.ok(&say("kestrel-vane", line));
    assert!(said.contains("  may state: tobin-sold-key: \"Tobin Marsh sold"), "{said}");
    let confirmation = "(to confirm, run `hearsay -C gull event tell --by kestrel-vane tobin-sold-key --to sister-ilva --to \
                        wren-oake`)\n";
    assert!(said.contains(confirmation), "{said}");
    let tried = test_dir.ok(&[&say("kestrel-vane", line)[..], &["--dry-run"]].concat());
    assert!(tried.contains("(to confirm, repeat the command with --states tobin-sold-key)\n"), "{tried}");
    assert_eq!(knowers(&test_dir, "tobin-sold-key"), ["kestrel-vane"]);
    let said = test_dir.json(&say("kestrel-vane", line));
    let asked = &said["may_state"][0];
    assert_eq!((&asked["handle"], &said["states"]), (&"tobin-sold-key".into(), &serde_json::json!([])), "{said}");
    assert!(asked["fact"].is_string() && asked["statement"].is_string() && asked["score"].is_number(), "{asked}");
    // The facts on the command line say completely what the line states.
    let said = test_dir.json(&[&say("kestrel-vane", line)[..], &["--states", "tobin-sold-key"]].concat());
    assert!(said["may_state"].is_null(), "{said}");
    assert_eq!(knowers(&test_dir, "tobin-sold-key").len(), 3);
}

#[test]
fn one_word_confirms_what_a_logged_line_may_state() {
    let test_dir = gullhaven();
    test_dir.ok(&["-C", "gull", "session", "start", "--at", "the-gilded-gull"]);
    let line = "Perhaps Tobin sold me a print of the key.";
    let logged = test_dir.ok(&["-C", "gull", "log", "--by", "kestrel-vane", line]);
    assert!(logged.contains("  may state: tobin-sold-key: "), "{logged}");
    assert!(logged.contains("`hearsay -C gull log --yes`") && logged.contains("log --line 1 --yes`"), "{logged}");
    assert_eq!(knowers(&test_dir, "tobin-sold-key"), ["kestrel-vane"]);
    let confirmed = test_dir.json(&["-C", "gull", "log", "--yes"]);
    assert_eq!((&confirmed["line"], &confirmed["states"][0]["handle"]), (&1.into(), &"tobin-sold-key".into()));
    assert!(knowers(&test_dir, "tobin-sold-key").len() > 3, "{confirmed}");
    test_dir.fails(&["-C", "gull", "log", "--line", "99", "--yes"], 1, &["no line 99"]);
    test_dir.fails(&["-C", "gull", "log", "--yes", "It rains."], 2, &["--yes"]);
}

#[test]
fn a_logged_line_teaches_those_at_the_table() {
    let test_dir = gullhaven();
    test_dir.ok(&["-C", "gull", "session", "start", "--at", "the-gilded-gull"]);
    let log = ["-C", "gull", "log", "--by", "kestrel-vane", "Tobin sold me a print of his key."];
    let narrated = test_dir.json(&["-C", "gull", "log", "Tobin, the night guard, sold Kestrel the print."]);
    assert_eq!(narrated["states"], serde_json::json!([]), "narration has no speaker: {narrated}");
    let tried = test_dir.json(&[&log[..], &["--dry-run"]].concat());
    assert_eq!((&tried["written"], &tried["states"][0]["handle"]), (&Value::Null, &"tobin-sold-key".into()), "{tried}");
    let logged = test_dir.json(&log);
    let learned_by = logged["states"][0]["learned_by"].as_array().unwrap();
    for hearer in ["wren-oake", "dorric-stane", "sister-ilva"] {
        assert!(learned_by.contains(&hearer.into()), "{logged}");
    }
    let knowers = knowers(&test_dir, "tobin-sold-key");
    assert!(knowers.iter().any(|knower| knower == "dorric-stane"), "{knowers:?}");
    // Undoing the line takes the knowledge back.
    let position = logged["written"]["position"].to_string();
    test_dir.ok(&["-C", "gull", "undo", &position]);
    assert_eq!(self::knowers(&test_dir, "tobin-sold-key"), ["kestrel-vane"]);
    test_dir.fails(&["-C", "gull", "log", "It rains.", "--lie"], 1, &["no speaker"]);
    let stated =
        [&["-C", "gull", "log", "--by", "kestrel-vane", "You know the guard."], &["--states", "tobin-sold-key"][..]];
    let stated = test_dir.ok(&stated.concat());
    assert!(stated.contains("heard by:"), "{stated}");
    assert!(self::knowers(&test_dir, "tobin-sold-key").len() > 3);
}

#[test]
fn a_recognized_line_is_not_recorded_as_a_second_fact() {
    let test_dir = gullhaven();
    let facts = |test_dir: &TestDir| {
        let listed = test_dir.json(&["-C", "gull", "fact", "list", "--about", "tobin-marsh"]);
        let facts = listed["facts"].as_array().unwrap().iter();
        let mut facts: Vec<String> = facts.map(|fact| fact["statement"].as_str().unwrap().to_owned()).collect();
        facts.sort();
        facts
    };
    let before = facts(&test_dir);
    test_dir.ok(&["-C", "gull", "session", "start", "--at", "the-gilded-gull"]);
    let logged = test_dir.json(&["-C", "gull", "log", "--by", "kestrel-vane", "Tobin sold me a print of his key."]);
    assert_eq!(logged["states"][0]["handle"], "tobin-sold-key", "{logged}");
    assert_eq!(facts(&test_dir), before);
    // A line that says something else about the same two people is recorded.
    test_dir.ok(&["-C", "gull", "log", "--by", "kestrel-vane", "I owe Tobin ten crowns."]);
    assert!(facts(&test_dir).len() > before.len(), "{before:?}");
}

#[test]
fn talk_moves_nobody() {
    let test_dir = gullhaven();
    let scene = |speaker: &str, options: &[&str]| -> Vec<String> {
        let answer = test_dir.ok(&[&["-C", "gull", "ask", "--as", speaker, "Who is here?"][..], options].concat());
        let is_scene = |line: &&str| line.contains("The place is ") || line.contains(" is there");
        answer.lines().filter(is_scene).map(str::to_owned).collect()
    };
    let everybody = || {
        let chapel = ["--at", "drowned-chapel"];
        [scene("odo-brandt", &[]), scene("mirela-voss", &[]), scene("mirela-voss", &chapel)]
    };
    let before = everybody();
    assert!(before.iter().flatten().any(|line| line.contains("The place is ")), "{before:?}");
    let lines = [
        "I spent the whole night at the Drowned Chapel.",
        "I was at the Drowned Chapel.",
        "I am at the Drowned Chapel.",
        "Mirela Voss is at the Drowned Chapel.",
    ];
    for (line, lie) in lines.into_iter().flat_map(|line| [(line, true), (line, false)]) {
        let said = ["-C", "gull", "say", "--by", "odo-brandt", "--to", "mirela-voss", line];
        test_dir.ok(&[&said[..], if lie { &["--lie"] } else { &[] }].concat());
        assert_eq!(everybody(), before, "{line} (a lie: {lie})");
    }
}

#[test]
fn the_party_is_where_its_session_is() {
    let test_dir = gullhaven();
    let scene = |speaker: &str| test_dir.ok(&["-C", "gull", "ask", "--as", speaker, "Who is here?"]);
    let start = ["-C", "gull", "session", "start", "--present", "wren-oake", "--present", "dorric-stane"];
    test_dir.ok(&[&start[..], &["--at", "the-gilded-gull"]].concat());
    test_dir.ok(&["-C", "gull", "log", "--by", "wren-oake", "--at", "drowned-chapel", "So this is the chapel."]);
    let wren = scene("wren-oake");
    assert!(
        wren.contains("The place is The Drowned Chapel.") || wren.contains("The place is the Drowned Chapel."),
        "{wren}"
    );
    assert!(wren.contains("Dorric Stane is there"), "{wren}");
    // Kestrel does not attend, and stays where she is.
    assert!(!wren.contains("Kestrel Vane is there"), "{wren}");
    assert!(!scene("kestrel-vane").contains("Dorric Stane is there"));
    // Mirela saw Dorric at the Gull, but he is not there any more.
    let mirela = scene("mirela-voss");
    assert!(mirela.contains("Kestrel Vane is there") && !mirela.contains("Dorric Stane is there"), "{mirela}");
}

#[test]
fn a_confession_need_not_name_the_place_where_it_is_made() {
    let test_dir = TestDir::new();
    test_dir.write("mill/secret.yaml", SECRET);
    let dry_run = |words: &str| test_dir.json(&["-C", "mill", "log", "--by", "ada", words, "--dry-run"]);
    let possible = |log: &Value| log["may_state"][0]["handle"] == "ada-hid-silver";
    // Away from a session, the place is unknown, so the DM is asked.
    test_dir.ok(&["-C", "mill", "session", "start", "--title", "The stone"]);
    let asked = dry_run("All right! I hid the tax silver under the millstone.");
    assert!(possible(&asked), "{asked}");
    let other = dry_run("I hid my purse in the cart.");
    assert!(other["may_state"].as_array().unwrap().is_empty(), "{other}");
    test_dir.ok(&["-C", "mill", "session", "end"]);
    test_dir.ok(&["-C", "mill", "session", "start", "--title", "The stone again", "--at", "the-mill"]);
    let stated = dry_run("All right! I hid the tax silver under the millstone.");
    assert!(stated["states"][0]["handle"] == "ada-hid-silver", "{stated}");
}

#[test]
fn a_line_that_is_repeated_with_the_same_hearers_is_not_logged_again() {
    let test_dir = gullhaven();
    test_dir.ok(&["-C", "gull", "session", "start", "--title", "Again", "--at", "the-gilded-gull"]);
    let line = [&["-C", "gull", "log", "--by", "kestrel-vane", "I bought a print of a key."][..], &HEARERS].concat();
    test_dir.ok(&line);
    let confirmed = test_dir.ok(&[&line[..], &["--states", "tobin-sold-key"]].concat());
    assert!(confirmed.contains("the line is already in the log") && !confirmed.contains("heard by"), "{confirmed}");
    assert_eq!(knowers(&test_dir, "tobin-sold-key"), ["kestrel-vane", "sister-ilva", "wren-oake"]);
    // Other hearers make another line.
    test_dir.ok(&[&line[..6], &["--to", "dorric-stane", "--states", "tobin-sold-key"]].concat());
    let log = test_dir.ok(&["-C", "gull", "session", "show", "--log"]);
    assert_eq!(log.matches("I bought a print of a key.").count(), 2, "{log}");
}

/// A lie that hides the secret of the campaign [`LOCK`], and its hearer.
const LOCK_LIE: &str = r#"
entities:
  - {id: brannoc, name: Brannoc Reed, kind: player, location: heron}
lies:
  - id: gate-broke
    by: lotti
    text: "The sluice gate broke by itself on the night the Merrow sank."
    about: [merrow]
    told_to: [{who: brannoc}]
    truth_is: lotti-opened
"#;

#[test]
fn a_lie_about_another_matter_hides_no_revealed_secret() {
    let test_dir = TestDir::new();
    test_dir.write("lock/campaign.yaml", LOCK);
    test_dir.write("lock/lie.yaml", LOCK_LIE);
    test_dir.ok(&["-C", "lock", "session", "start", "--at", "heron"]);
    let revealed = |words: &str| {
        let check = test_dir.json(&["-C", "lock", "say", "--check", "--by", "lotti", "--to", "tamsin", words]);
        let findings = check["findings"].as_array().unwrap().iter();
        findings.filter(|finding| finding["kind"] == "reveals_secret").cloned().collect::<Vec<_>>()
    };
    let secret = "I opened the gate that night.";
    assert_eq!(revealed(secret).len(), 1);
    test_dir.ok(&["-C", "lock", "log", "--by", "lotti", "--lie", "I slept at the lock all night."]);
    let found = revealed(secret);
    assert_eq!(found.len(), 1, "{found:?}");
    // The condition is explained for the listener, not for another player character.
    let conditions = found[0]["for_dm"].as_array().unwrap();
    assert_eq!(conditions.len(), 1, "{found:?}");
    assert!(conditions[0].as_str().unwrap().starts_with("Lotti Ames trusts Tamsin Holloway 0."), "{found:?}");
    for lie in ["I slept at the lock all night.", "The sluice gate broke by itself on the night the Merrow sank."] {
        assert!(revealed(lie).is_empty(), "{lie}");
    }
}

#[test]
fn a_lie_in_other_words_leads_to_the_recorded_lie() {
    let test_dir = TestDir::new();
    test_dir.write("lock/campaign.yaml", LOCK);
    test_dir.write("lock/lie.yaml", LOCK_LIE);
    test_dir.ok(&["-C", "lock", "session", "start", "--at", "heron"]);
    let lie = ["-C", "lock", "log", "--by", "lotti", "--lie", "Old wood, it broke like a twig."];
    let logged = test_dir.run(&lie);
    assert_eq!(logged.code, 0, "{}", logged.stderr);
    assert!(logged.stdout.contains("broke by itself") && logged.stdout.contains("a lie"), "{}", logged.stdout);
    assert!(!logged.stderr.contains("found no fact"), "{}", logged.stderr);
}

#[test]
fn a_promise_to_one_hearer_is_no_promise_to_another() {
    let test_dir = TestDir::new();
    test_dir.write("lock/campaign.yaml", LOCK);
    let promise = "facts:\n  - {subject: lotti, text: \"Lotti Ames promised Tamsin Holloway to get her off the island.\", \
                   about: [tamsin], known_by: [lotti]}\naudience: {attributes: {name: common}}\n";
    test_dir.write("lock/promise.yaml", promise);
    for (hearer, is_meant) in [("Tamsin", true), ("Ysolde", false)] {
        let line = format!("I promise to get you off the island, {hearer}.");
        let said = ["-C", "lock", "say", "--by", "lotti", "--to", "tamsin", "--to", "ysolde", &line, "--dry-run"];
        let said = test_dir.json(&said);
        let found = said["states"].to_string() + &said["may_state"].to_string();
        assert_eq!(found.contains("off the island"), is_meant, "{hearer}: {said}");
    }
}

/// Returns the credence of Lucan Fairweather in a fact about an entity.
fn credence_of_lucan(test_dir: &TestDir, subject: &str, statement: &str) -> f64 {
    let beliefs = ["-C", "gull", "know", "believes", "lucan-fairweather", subject, "lore", "--truth"];
    let beliefs = test_dir.json(&beliefs);
    let answers = beliefs["answers"].as_array().unwrap();
    let answer = answers.iter().find(|row| row["statement"] == statement).unwrap_or_else(|| panic!("{beliefs}"));
    answer["credence"].as_f64().unwrap()
}

#[test]
fn a_line_with_the_words_of_a_recorded_lie_is_this_lie() {
    let test_dir = gullhaven();
    let alibi = "Lucan Fairweather sat at the club dinner from eight until midnight.";
    test_dir.ok(&["-C", "gull", "session", "start", "--at", "the-gilded-gull"]);
    let words = "I sat at the club dinner from eight until midnight.";
    let logged = test_dir.ok(&["-C", "gull", "log", "--by", "lucan-fairweather", words]);
    let states = format!("  states: club-alibi: \"{alibi}\", which the speaker does not believe: a lie; learned by: ");
    assert!(logged.contains(&states) && !logged.contains("claim: "), "{logged}");
    assert!(knowers(&test_dir, "club-alibi").contains(&"wren-oake".to_owned()), "{logged}");
    assert_eq!(credence_of_lucan(&test_dir, "lucan-fairweather", alibi), 0.0);
    // With an option, the line is the same lie.
    let said = ["-C", "gull", "log", "--by", "lucan-fairweather", "You know where I was.", "--states", "club-alibi"];
    assert_eq!(test_dir.json(&said)["states"][0]["lie"], true);
    assert_eq!(credence_of_lucan(&test_dir, "lucan-fairweather", alibi), 0.0);
}

#[test]
fn a_recorded_lie_stays_a_lie_when_a_fact_is_added() {
    let test_dir = gullhaven();
    test_dir.ok(&["-C", "gull", "session", "start", "--at", "the-gilded-gull"]);
    let lie = ["-C", "gull", "log", "--by", "lucan-fairweather", "--lie", "You know what Tobin did."];
    let line = test_dir.json(&lie)["line"].to_string();
    let stated = test_dir.run(&["-C", "gull", "log", "--line", &line, "--states", "tobin-sold-key"]);
    assert_eq!(stated.code, 0, "{}", stated.stderr);
    assert!(!stated.stderr.contains("learns it too"), "{}", stated.stderr);
    let sale = "Tobin Marsh sold Kestrel Vane a print of his key.";
    assert_eq!(credence_of_lucan(&test_dir, "tobin-marsh", sale), 0.0);
    assert!(knowers(&test_dir, "tobin-sold-key").contains(&"wren-oake".to_owned()), "{}", stated.stdout);
}

const SHAFT: &str = r#"
campaign: {name: The Shaft, start: day 1}
entities:
  - {id: inn, name: The Lantern, kind: location}
  - {id: shaft-nine, name: Shaft Nine, kind: location}
  - {id: dunmoor, name: Dunmoor, kind: location}
  - {id: korrin, name: Korrin Ashdown, kind: player, location: inn}
  - {id: fen, name: Fen Dell, kind: player, location: inn}
  - {id: hilda, name: Hilda Brock, kind: npc, home: inn}
  - id: osric
    name: Osric Vane
    kind: npc
    home: inn
    secrets:
      - id: gallery
        text: Osric sealed the lower gallery of Shaft Nine while eleven miners were still alive inside.
        about: [shaft-nine]
  - id: lotte
    name: Lotte Krall
    kind: npc
    home: inn
    secrets:
      - {id: payroll, text: Lotte Krall buried the payroll chest behind the forge.}
lies:
  - id: alibi
    by: lotte
    text: Lotte Krall was visiting her sister in Dunmoor on the night the payroll vanished.
    about: [dunmoor]
    told_to: [hilda]
    truth_is: payroll
audience: {attributes: {name: common}}
"#;

/// Starts a session in the campaign [`SHAFT`].
fn shaft() -> TestDir {
    let test_dir = TestDir::new();
    test_dir.write("shaft/campaign.yaml", SHAFT);
    test_dir.ok(&["-C", "shaft", "session", "start", "--at", "inn"]);
    test_dir
}

/// Logs a line of a character in the campaign [`SHAFT`], and checks that it states nothing for certain. Returns the handles
/// of the facts that it may state.
fn may_state(test_dir: &TestDir, speaker: &str, words: &str) -> Vec<String> {
    let logged = test_dir.json(&["-C", "shaft", "log", "--by", speaker, words]);
    assert_eq!(logged["states"], serde_json::json!([]), "{logged}");
    let facts = logged["may_state"].as_array().unwrap().iter();
    facts.map(|fact| fact["handle"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_confession_in_other_words_and_its_retellings_are_noticed() {
    let test_dir = shaft();
    let confession = "God forgive me. I walled up the lower gallery myself with eleven men still breathing behind it.";
    let retelling = "Aye. Osric sealed the lower gallery while eleven miners were still alive inside.";
    let in_parts = "Hilda, it was Osric. He sealed them in. Eleven of them, and they were still alive.";
    let accusation = "Osric, you sealed the lower gallery of Shaft Nine.";
    for (speaker, words) in [("osric", confession), ("fen", retelling), ("korrin", in_parts), ("fen", accusation)] {
        assert_eq!(may_state(&test_dir, speaker, words), ["gallery"], "{words}");
    }
    for (speaker, words) in [
        ("osric", "I never sealed the lower gallery."),
        ("fen", "Did Osric seal the lower gallery while eleven miners were still alive inside?"),
        ("fen", "Osric is a hard man, and the lower gallery is closed."),
    ] {
        assert_eq!(may_state(&test_dir, speaker, words), [""; 0], "{words}");
    }
}

#[test]
fn a_secret_that_is_told_at_second_hand_or_as_a_warning_is_noticed() {
    // Each line is the first, because a claim of an earlier line could be recognized instead of the secret.
    for words in [
        "My cousin says that Lotte buried the payroll chest behind the forge.",
        "I heard that Lotte buried the payroll chest behind the forge.",
        "Don't dig behind the forge, Lotte buried the payroll chest there.",
    ] {
        assert_eq!(may_state(&shaft(), "fen", words), ["payroll"], "{words}");
    }
    for words in [
        "My cousin says that Lotte never buried the payroll chest behind the forge.",
        "My cousin says that the forge is closed.",
        "Don't go to the forge, Lotte is angry.",
    ] {
        assert_eq!(may_state(&shaft(), "fen", words), [""; 0], "{words}");
    }
}

#[test]
fn a_speaker_who_did_not_know_a_secret_learns_it_if_the_dm_says_yes() {
    let test_dir = shaft();
    let knows = |knower: &str| {
        test_dir.json(&["-C", "shaft", "know", "knows", knower, "--limit", "200"]).to_string().contains("eleven miners")
    };
    let words = "Osric sealed the lower gallery while eleven miners were still alive inside.";
    let logged = test_dir.ok(&["-C", "shaft", "log", "--by", "fen", "--to", "hilda", words]);
    let hint = "inside.\", which the speaker does not know yet (to confirm, run `hearsay -C shaft log --line 1 --states gallery`)";
    assert!(logged.contains(hint), "{logged}");
    assert!(!knows("fen") && !knows("hilda"));
    let confirmed = test_dir.json(&["-C", "shaft", "log", "--line", "1", "--yes"]);
    assert_eq!(confirmed["states"][0]["learned_by"], serde_json::json!(["fen", "hilda"]), "{confirmed}");
    assert!(knows("fen") && knows("hilda") && !knows("korrin"));
}

#[test]
fn a_remark_after_a_recorded_lie_does_not_hide_the_lie() {
    let test_dir = shaft();
    let remark = "Lotte was visiting her sister in Dunmoor the night the payroll vanished, so it can't have been her.";
    assert_eq!(may_state(&test_dir, "hilda", remark), ["alibi"]);
    let denial = "Lotte never visited her sister in Dunmoor on the night the payroll vanished.";
    assert_eq!(may_state(&test_dir, "hilda", denial), [""; 0]);
}

#[test]
fn several_lines_are_confirmed_at_once() {
    let test_dir = shaft();
    let confession = "I walled up the lower gallery myself with eleven men still breathing behind it.";
    test_dir.ok(&["-C", "shaft", "log", "--by", "osric", "--to", "fen", confession]);
    test_dir.ok(&["-C", "shaft", "log", "--by", "fen", "Another round!"]);
    let retelling = "Osric sealed the lower gallery while eleven miners were still alive inside.";
    test_dir.ok(&["-C", "shaft", "log", "--by", "korrin", "--to", "hilda", retelling]);
    let confirmed = test_dir.run(&["-C", "shaft", "log", "--line", "1-3", "--yes", "--json"]);
    assert_eq!(confirmed.code, 0, "{}", confirmed.stderr);
    assert!(confirmed.stderr.contains("nothing about line 2"), "{}", confirmed.stderr);
    let confirmed: Value = serde_json::from_str(&confirmed.stdout).unwrap();
    let lines: Vec<&Value> = confirmed["lines"].as_array().unwrap().iter().map(|line| &line["line"]).collect();
    assert_eq!(lines, [1, 3], "{confirmed}");
    let knowers = test_dir.json(&["-C", "shaft", "know", "who-knows", "gallery"]).to_string();
    assert!(["fen", "korrin", "hilda"].iter().all(|knower| knowers.contains(&format!("\"{knower}\""))), "{knowers}");
    test_dir.fails(&["-C", "shaft", "log", "--line", "1-3", "--yes"], 1, &["nothing about these lines"]);
}

#[test]
fn a_line_that_was_doubtful_is_confirmed_in_another_place() {
    let test_dir = TestDir::new();
    test_dir.write("mill/secret.yaml", SECRET);
    test_dir.ok(&["-C", "mill", "session", "start", "--title", "The stone"]);
    let words = "All right! I hid the tax silver under the millstone.";
    let logged = test_dir.json(&["-C", "mill", "log", "--by", "ada", "--to", "ben", words]);
    assert_eq!(logged["may_state"][0]["handle"], "ada-hid-silver", "{logged}");
    // In the mill, the speaker need not name the mill, so the line is certain there.
    test_dir.ok(&["-C", "mill", "log", "--at", "the-mill", "Rain falls."]);
    let confirmed = test_dir.json(&["-C", "mill", "log", "--line", "1", "--yes"]);
    assert_eq!(confirmed["states"][0]["learned_by"], serde_json::json!(["ben"]), "{confirmed}");
    test_dir.fails(&["-C", "mill", "log", "--line", "1", "--yes"], 1, &["nothing about line 1"]);
}

const KILN: &str = r#"
campaign: {name: The Kiln, start: day 1}
entities:
  - {id: yard, name: The Brick Yard, kind: location}
  - {id: ash-hands, name: The Ash Hands, kind: faction}
  - {id: mossop, name: Mossop Wray, kind: player, location: yard}
  - id: nessa
    name: Nessa Thorn
    kind: npc
    home: yard
    relationships: [{type: MEMBER_OF, target: ash-hands}]
    secrets:
      - {id: barge, text: "Nessa Thorn sank the grain barge for a purse of silver."}
facts:
  - id: kiln-fire
    subject: ash-hands
    text: "The Ash Hands burned the kiln of the potter."
    secret: true
    bearer: false
    known_by: [{who: nessa, conceals: true}]
"#;

#[test]
fn a_short_confession_reveals_a_secret_of_the_speaker_or_of_its_group() {
    let test_dir = TestDir::new();
    test_dir.write("kiln/campaign.yaml", KILN);
    let revealed = |words: &str| {
        let check = test_dir.json(&["-C", "kiln", "say", "--check", "--by", "nessa", "--to", "mossop", words]);
        let findings = check["findings"].as_array().unwrap().iter();
        let secrets = findings.filter(|finding| finding["kind"] == "reveals_secret");
        secrets.map(|finding| finding["facts"][0]["handle"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for words in ["I sank it.", "It was me who sank it.", "We sank it.", "My own hands sank that barge."] {
        assert_eq!(revealed(words), ["barge"], "{words}");
    }
    assert_eq!(revealed("We burned it."), ["kiln-fire"]);
    for words in ["I know.", "I live at the yard.", "We live at the yard.", "I carry bricks all day."] {
        assert_eq!(revealed(words), [""; 0], "{words}");
    }
}

/// A murderer who was never told the occupation of the dead man.
const TANNERY: &str = r#"
format: 1
campaign: {name: The Tannery, start: day 1}
entities:
  - {id: tannery, name: The Tannery, kind: location}
  - {id: ludolf, name: Ludolf Hess, kind: npc, home: tannery}
  - {id: berengar, name: Berengar Moll, kind: npc, home: none, attributes: {occupation: tithe collector}}
  - {id: sanne, name: Sanne, kind: player, player: Eva, location: tannery}
facts:
  - {id: drowning, text: "Ludolf Hess drowned Berengar Moll in the tanning vat.", about: [ludolf, berengar], secret: true, known_by: [ludolf]}
  - {text: "Ludolf Hess mends the roof.", about: [ludolf], known_by: [ludolf]}
"#;

#[test]
fn a_confession_describes_a_person_or_answers_a_question() {
    let test_dir = TestDir::new();
    test_dir.write("tannery/campaign.yaml", TANNERY);
    let is_revealed = |question: &str, words: &str| {
        let check =
            ["-C", "tannery", "say", "--check", "--by", "ludolf", "--to", "sanne", "--question", question, words];
        test_dir.ok(&check).contains("problem: reveals secret: ")
    };
    for (question, words) in [
        ("What is it?", "I drowned the tithe collector."),
        ("Who drowned Berengar?", "I did."),
        ("Tell me: who drowned the tithe collector?", "It was me."),
    ] {
        assert!(is_revealed(question, words), "{question} {words}");
    }
    for (question, words) in [
        ("What is it?", "I paid the tithe collector in hides."),
        ("What is it?", "I never met the tithe collector."),
        ("Who drowned Berengar?", "I did not."),
        ("Who mends the roof?", "I do."),
    ] {
        assert!(!is_revealed(question, words), "{question} {words}");
    }
}

/// A lie about a night, which the tanner was told.
const NIGHT_WORK: &str = r#"
format: 1
campaign: {name: Night work, start: day 1}
entities:
  - {id: yard, name: The Yard, kind: location}
  - {id: ada-sol, name: Ada Sol, kind: player, player: Ben}
  - {id: gerda-lohm, name: Gerda Lohm, kind: npc, home: yard}
  - {id: pim-hask, name: Pim Hask, kind: npc, home: yard}
lies:
  - {by: pim-hask, text: Pim Hask mended nets at the harbour last night., about: [pim-hask], told_to: [{who: gerda-lohm}]}
"#;

#[test]
fn a_check_names_the_lie_that_the_words_repeat() {
    let test_dir = TestDir::new();
    test_dir.write("night/campaign.yaml", NIGHT_WORK);
    let check = |speaker: &str, words: &str| {
        test_dir.ok(&["-C", "night", "say", "--check", "--by", speaker, "--to", "ada-sol", words])
    };
    for words in [
        "I mended nets at the harbour last night.",
        "Last night? I mended nets at the harbour last night.",
        "I mended nets at the harbour.",
    ] {
        let found = check("pim-hask", words);
        assert!(found.contains("ok: repeats lie: ") && found.contains("The check found no problem."), "{found}");
        assert!(found.contains("Pim Hask mended nets at the harbour last night."), "{found}");
    }
    for words in ["I did not mend nets at the harbour last night.", "I mended nets.", "I sold nets at the harbour."] {
        assert!(!check("pim-hask", words).contains("repeats lie"), "{words}");
    }
    // Somebody else who was told the lie does not lie.
    assert!(!check("gerda-lohm", "Pim Hask mended nets at the harbour last night.").contains("repeats lie"));
}

#[test]
fn a_misspelt_part_of_a_name_in_an_option_suggests_the_character() {
    let test_dir = TestDir::new();
    test_dir.write("night/campaign.yaml", NIGHT_WORK);
    for (line, suggestion) in [
        (&["ask", "--as", "Hasc", "Who works here?"][..], "did you mean pim-hask?"),
        (&["say", "--by", "Lohmm", "--to", "ada-sol", "Good day."], "did you mean gerda-lohm?"),
        (&["talk", "pim-hask", "--by", "ada-sol", "--with", "Lomh", "Good day."], "did you mean gerda-lohm?"),
    ] {
        test_dir.fails(&[&["-C", "night"][..], line].concat(), 3, &[suggestion]);
    }
    test_dir.fails(&["-C", "night", "ask", "--as", "Quorl", "Who works here?"], 3, &["check the spelling"]);
}

/// Two men who meet at a mill.
const TOLL: &str = r#"
format: 1
campaign: {name: Toll, start: day 1}
entities:
  - {id: mill, name: The Mill, kind: location}
  - {id: ashford, name: Ashford, kind: location}
  - {id: bero-tall, name: Bero Tall, kind: npc, home: mill, attributes: {pronouns: he}}
  - {id: karl-munk, name: Karl Munk, kind: npc, home: mill, attributes: {pronouns: he}}
"#;

#[test]
fn a_lie_in_reported_speech_is_about_the_liar() {
    let test_dir = TestDir::new();
    test_dir.write("toll/campaign.yaml", TOLL);
    test_dir.ok(&["-C", "toll", "session", "start", "--at", "mill"]);
    for (line, liar, hearer) in [
        ("Bero tells Karl that he lives in Ashford.", "Bero Tall", "Karl Munk"),
        ("Karl swears to Bero that he lives in Ashford.", "Karl Munk", "Bero Tall"),
    ] {
        let logged = test_dir.ok(&["-C", "toll", "log", "--by", liar, "--lie", line]);
        assert!(logged.contains(&format!("\"{liar} lives in Ashford.\"")), "{logged}");
        assert!(!logged.contains(&format!("\"{hearer} lives in Ashford.\"")), "{logged}");
    }
}

//! Tests of the documents for players: handbooks, and recaps to read aloud.

use super::*;

const PARTY: &str = r#"
entities:
  - {id: kessa, name: Kessa Thorn, kind: player, home: none, location: the-mill}
  - {id: bram, name: Bram Hale, kind: player, home: none, location: the-mill}
audience: {attributes: {name: common}}
"#;

/// Plays an evening with one public line, one whisper to Kessa, and the start of a second one that Bram misses.
fn play() -> TestDir {
    let test_dir = TestDir::new();
    test_dir.write("mill/party.yaml", PARTY);
    test_dir.ok(&["-C", "mill", "session", "start", "--title", "The stone", "--at", "the-mill"]);
    test_dir.ok(&["-C", "mill", "log", "The wheel of the Mill stands still in the rain."]);
    test_dir.ok(&["-C", "mill", "log", "--by", "ada", "Ben broke the millstone in the dark."]);
    test_dir.ok(&["-C", "mill", "log", "--by", "ada", "--to", "kessa", "Ben owes me forty crowns."]);
    test_dir.ok(&["-C", "mill", "session", "end"]);
    test_dir
}

#[test]
fn a_recap_to_read_aloud_has_no_whisper_and_no_marks() {
    let test_dir = play();
    let recap = test_dir.ok(&["-C", "mill", "session", "recap", "--players"]);
    assert!(
        recap.contains("The wheel of the Mill stands still") && recap.contains("Ben broke the millstone"),
        "{recap}"
    );
    assert!(!recap.contains("crowns") && !recap.contains("(only") && !recap.contains("kessa"), "{recap}");
    // It says when it was, who was there, and where.
    assert!(recap.contains("Session 1, 2 Springmonth 10. Bram Hale and Kessa Thorn were there."), "{recap}");
    assert!(recap.contains("At the Mill: The wheel of the Mill"), "{recap}");
    let own = test_dir.ok(&["-C", "mill", "session", "recap", "--as", "kessa"]);
    assert!(own.contains("forty crowns"), "{own}");
    // A session of which nobody has everything in common says so.
    test_dir.ok(&["-C", "mill", "session", "start", "--title", "Alone"]);
    test_dir.ok(&["-C", "mill", "log", "--by", "ada", "--to", "bram", "Meet me at the weir."]);
    test_dir.ok(&["-C", "mill", "session", "end"]);
    let recap = test_dir.ok(&["-C", "mill", "session", "recap", "--players"]);
    assert!(recap.contains("no line or fact of the session is known to all characters who were present"), "{recap}");
}

#[test]
fn a_recap_says_how_many_lines_it_leaves_out() {
    let test_dir = play();
    let recap = |words: &str| test_dir.run(&["-C", "mill", "session", "recap", "--players", "--words", words]);
    let log = "`hearsay -C mill session show session-1 --log` prints all";
    let short = recap("12");
    // The heading is followed by one of the two lines that both heard, and nothing else, because the text is for the players.
    assert!(short.stderr.contains("1 line is left out: ") && short.stderr.contains(log), "{}", short.stderr);
    assert!(!short.stdout.contains("left out"), "{}", short.stdout);
    let full = recap("200");
    assert!(!full.stderr.contains("left out"), "{}", full.stderr);
    let data = test_dir.json(&["-C", "mill", "session", "recap", "--words", "1"]);
    assert_eq!(data["omitted_lines"], 3, "{data}");
}

#[test]
fn a_recap_to_read_aloud_states_what_somebody_who_also_spoke_told_to_all() {
    let test_dir = play();
    test_dir.ok(&["-C", "mill", "session", "start", "--title", "The loft", "--at", "the-mill"]);
    test_dir.ok(&["-C", "mill", "log", "--by", "ada", "Good morning to you both."]);
    let tell = |hearers: &[&str], about: &str| {
        let hearers: Vec<&str> = hearers.iter().flat_map(|hearer| ["--to", *hearer]).collect();
        let line = ["-C", "mill", "event", "tell", "--by", "ada", "--about", "ben", about];
        test_dir.ok(&[&line[..], &hearers].concat())
    };
    tell(&["kessa", "bram"], "Ben sleeps in the loft.");
    tell(&["kessa"], "Ben fears the heron.");
    test_dir.ok(&["-C", "mill", "session", "end"]);
    let recap = test_dir.ok(&["-C", "mill", "session", "recap", "--players"]);
    assert!(recap.contains("Good morning to you both.") && recap.contains("Ben sleeps in the loft"), "{recap}");
    assert!(recap.contains("Ada Flint says that Ben"), "{recap}");
    assert!(!recap.contains("heron"), "{recap}");
}

#[test]
fn handbooks_are_for_all_players_or_for_one() {
    let test_dir = play();
    let common = test_dir.ok(&["-C", "mill", "export", "--format", "handbook"]);
    assert!(common.starts_with("# The Mill\n") && common.contains("### Session 1: The stone"), "{common}");
    assert!(common.contains("### Ada Flint") && !common.contains("crowns"), "{common}");
    let kessa = test_dir.ok(&["-C", "mill", "export", "--format", "handbook", "--as", "Kessa"]);
    assert!(kessa.contains("*What Kessa Thorn knows as of ") && kessa.contains("crowns"), "{kessa}");
    let bram = test_dir.ok(&["-C", "mill", "export", "--format", "handbook", "--as", "bram"]);
    assert!(!bram.contains("crowns"), "{bram}");
    // The earlier names of the options are still accepted.
    assert_eq!(test_dir.ok(&["-C", "mill", "export", "--format", "handbook", "--for", "bram"]), bram);
    assert!(!test_dir.ok(&["-C", "mill", "session", "recap", "--player-safe"]).contains("crowns"));
    let page = test_dir.ok(&["-C", "mill", "export", "--format", "handbook-html"]);
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<nav>") && !page.contains("crowns"), "{page}");
    let each = ["-C", "mill", "export", "--format", "handbook", "--each", "--output", "books"];
    let written = test_dir.ok(&each);
    assert!(written.contains("3 handbooks written to books"), "{written}");
    assert_eq!(test_dir.json(&each)["files"].as_array().unwrap().len(), 3);
    assert_eq!(fs::read_to_string(test_dir.path("books/Handbook.md")).unwrap(), common);
    assert_eq!(fs::read_to_string(test_dir.path("books/Kessa Thorn.md")).unwrap(), kessa);
}

#[test]
fn the_handbook_of_a_character_lists_what_only_that_character_knows() {
    let test_dir = play();
    test_dir.ok(&["-C", "mill", "session", "start", "--title", "The weir", "--at", "the-mill"]);
    test_dir.ok(&["-C", "mill", "log", "--by", "ada", "--to", "bram", "Hm. Not here."]);
    test_dir.ok(&["-C", "mill", "session", "end"]);
    let list = |who: &str| {
        let book = test_dir.ok(&["-C", "mill", "export", "--format", "handbook", "--as", who]);
        let list = book.split("\n## ").find(|chapter| chapter.starts_with("What only you know\n"));
        list.unwrap_or_else(|| panic!("{book}")).to_owned()
    };
    let (kessa, bram) = (list("kessa"), list("bram"));
    assert!(kessa.contains("*As far as you know, no one else in the party knows this:*"), "{kessa}");
    assert!(kessa.contains("crowns") && !kessa.contains("millstone") && !kessa.contains("Not here"), "{kessa}");
    // Nothing was found in this whisper, so the list quotes it.
    assert!(bram.contains("\u{201C}Hm. Not here.\u{201D}") && !bram.contains("crowns"), "{bram}");
    let common = test_dir.ok(&["-C", "mill", "export", "--format", "handbook"]);
    assert!(!common.contains("What only you know"), "{common}");
}

#[test]
fn wrong_options_of_handbooks_are_explained() {
    let test_dir = play();
    test_dir.fails(&["-C", "mill", "export", "--as", "kessa"], 2, &["--format handbook"]);
    test_dir.fails(&["-C", "mill", "export", "--format", "handbook", "--as", "ada"], 2, &["bram, kessa"]);
    test_dir.fails(&["-C", "mill", "export", "--format", "handbook", "--as", "zz"], 3, &["zz"]);
    let output = test_dir.run(&["-C", "mill", "export", "--format", "handbook", "--each"]);
    assert!(output.code == 2 && output.stderr.contains("--output"), "{}", output.stderr);
}

#[test]
fn a_new_handbook_lists_what_changed() {
    let test_dir = play();
    let export = ["-C", "mill", "export", "--format", "handbook", "--output", "book.md"];
    assert!(!test_dir.ok(&export).contains("earlier handbook"));
    assert!(test_dir.ok(&export).contains("nothing changed since the earlier handbook"));
    test_dir.ok(&["-C", "mill", "session", "start", "--title", "The weir", "--at", "the-mill"]);
    test_dir.ok(&["-C", "mill", "log", "--by", "ben", "I did not break it."]);
    test_dir.ok(&["-C", "mill", "session", "end"]);
    let written = test_dir.ok(&export);
    let new = "new since the earlier handbook: The story so far: Session 2: The weir";
    assert!(written.contains(new) && written.contains("People: Ben"), "{written}");
    let data = test_dir.json(&export);
    assert_eq!(data["changes"], serde_json::json!({ "added": [], "changed": [], "removed": [] }));
}

#[test]
fn a_handbook_has_what_everybody_perceives_of_people_and_places() {
    let test_dir = TestDir::new();
    test_dir.write("town/town.yaml", PEOPLE);
    let secret = "    secrets: [{text: Hanna Pike poisons the ale.}]\n";
    test_dir.write("without/town.yaml", &PEOPLE.replace(secret, ""));
    let book = |town: &str| {
        test_dir.ok(&["-C", town, "session", "start", "--at", "the-wheel"]);
        test_dir.ok(&["-C", town, "log", "--by", "hanna", "Welcome. I am Hanna."]);
        test_dir.ok(&["-C", town, "log", "--by", "stranger", "Mind the step."]);
        test_dir.ok(&["-C", town, "session", "end"]);
        test_dir.ok(&["-C", town, "export", "--format", "handbook", "--output", "book.md"]);
        fs::read_to_string(test_dir.path("book.md")).unwrap()
    };
    let with = book("town");
    for part in [
        "### The Broken Wheel\n\n*First visited in session 1.*",
        "### Hanna Pike\n\n*Met in session 1.*\n\n**Occupation:** landlady",
        "Tamsel Brook and Wren Oake were there.",
    ] {
        assert!(with.contains(part), "{part}: {with}");
    }
    // The party does not know the name of the stranger, and not what somebody conceals.
    for part in ["Dov", "smuggler", "poisons", "scar"] {
        assert!(!with.contains(part), "{part}: {with}");
    }
    assert_eq!(with, book("without"));
}

#[test]
fn somebody_whom_narration_shows_in_the_scene_is_met_with_an_occupation() {
    let test_dir = TestDir::new();
    test_dir.write("mill/party.yaml", PARTY);
    let away = "entities: [{id: nell, name: Nell Crane, kind: npc, home: none, attributes: {occupation: ferrier}}]\n";
    test_dir.write("mill/away.yaml", away);
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    test_dir.ok(&["-C", "mill", "log", "Ada Flint sets four bowls on the table and speaks of Nell Crane."]);
    test_dir.ok(&["-C", "mill", "session", "end"]);
    let book = test_dir.ok(&["-C", "mill", "export", "--format", "handbook"]);
    let met = "### Ada Flint\n\n*Met in session 1.*\n\n**Occupation:** miller";
    assert!(book.contains(met) && !book.contains("ferrier"), "{book}");
}

#[test]
fn a_place_that_a_witnessed_fact_names_is_not_visited() {
    let test_dir = TestDir::new();
    test_dir.write("town/town.yaml", PEOPLE);
    test_dir.write("town/weir.yaml", "entities: [{id: weir, name: The Weir, kind: location}]\n");
    test_dir.ok(&["-C", "town", "session", "start", "--at", "the-wheel"]);
    test_dir.ok(&["-C", "town", "log", "Rain falls."]);
    test_dir.ok(&["-C", "town", "event", "witness", "--about", "weir", "The Weir broke."]);
    test_dir.ok(&["-C", "town", "session", "end"]);
    let book = test_dir.ok(&["-C", "town", "export", "--format", "handbook"]);
    assert!(book.contains("**First visited:** The Broken Wheel\n"), "{book}");
    assert!(book.contains("### The Weir\n\n*Heard of in session 1.*"), "{book}");
}

#[test]
fn a_move_is_no_contradiction_and_does_not_change_the_first_visit() {
    let test_dir = TestDir::new();
    test_dir.write("town/town.yaml", PEOPLE);
    test_dir.write("town/weir.yaml", "entities: [{id: weir, name: The Weir, kind: location}]\n");
    let town = |line: &[&str]| test_dir.ok(&[&["-C", "town"], line].concat());
    town(&["session", "start", "--at", "the-wheel"]);
    town(&["log", "Rain falls."]);
    for character in ["tamsel", "wren"] {
        town(&["fact", "add", character, "LOCATED_AT", "weir"]);
    }
    town(&["log", "--at", "weir", "The weir is loud."]);
    town(&["session", "end"]);
    let recap = town(&["session", "recap", "--as", "tamsel"]);
    assert!(recap.contains("Tamsel Brook was at The Weir.\n") && !recap.contains("another version"), "{recap}");
    // The line takes the place of the fact that it states.
    assert_eq!(recap.matches("loud").count(), 1, "{recap}");
    // The second session is on the same day.
    town(&["session", "start", "--at", "the-wheel"]);
    town(&["log", "It still rains."]);
    town(&["session", "end"]);
    let book = town(&["export", "--format", "handbook"]);
    assert_eq!(book.matches("First visited").count(), 3, "{book}");
    assert!(!book.contains("First visited in session 2"), "{book}");
}

const PEOPLE: &str = "\
campaign: {name: Town, start: 1 Month1 1}
entities:
  - {id: the-wheel, name: The Broken Wheel, kind: location}
  - {id: tamsel, name: Tamsel Brook, kind: player, player: Ida, location: the-wheel}
  - {id: wren, name: Wren Oake, kind: player, player: Ben, location: the-wheel}
  - id: hanna
    name: Hanna Pike
    kind: npc
    home: the-wheel
    attributes: {occupation: landlady, appearance: {value: a scar under her collar, secret: true}}
    secrets: [{text: Hanna Pike poisons the ale.}]
  - {id: stranger, name: Dov Reed, kind: npc, attributes: {occupation: smuggler}}
";

const THEATRE: &str = "\
campaign: {name: Players, start: 1 Month1 1}
entities:
  - {id: theatre, name: Heron Theatre, kind: location}
  - {id: tamsel, name: Tamsel Brook, kind: player, player: Ida, home: theatre}
  - id: aurelio
    name: Aurelio Vance
    kind: npc
    home: theatre
    pronouns: he/him
    description: The manager of the Heron Players.
";

#[test]
fn a_description_stands_under_the_person_that_it_describes() {
    let test_dir = TestDir::new();
    test_dir.write("town/town.yaml", THEATRE);
    let town = |line: &[&str]| test_dir.ok(&[&["-C", "town"], line].concat());
    town(&["session", "start", "--at", "theatre"]);
    town(&["log", "Rain falls on the roof."]);
    town(&["log", "--by", "aurelio", "I was robbed on the bridge."]);
    town(&["entity", "set", "aurelio", "personality", "cannot keep a secret"]);
    town(&["session", "end"]);
    let book = town(&["export", "--format", "handbook", "--as", "tamsel"]);
    let start = book.find("### Aurelio Vance\n").unwrap();
    assert!(book[start..].starts_with("### Aurelio Vance\n\nThe manager of the Heron Players.\n"), "{book}");
    assert_eq!(book.matches("manager of the Heron").count(), 1, "{book}");
    let answer = town(&["ask", "--as", "aurelio", "--no-meaning", "Who is the manager of the Heron Players?"]);
    assert_eq!(answer.matches("manager of the Heron Players.").count(), 1, "{answer}");
    assert!(answer.contains("  Description: The manager of the Heron Players."), "{answer}");
    // An attribute that the DM sets is no event of the session.
    for reader in [&["session", "recap"][..], &["session", "recap", "--as", "tamsel"]] {
        let recap = town(reader);
        assert!(recap.contains("Rain falls on the roof.") && !recap.contains("keep a secret"), "{recap}");
    }
    // Names and kinds are in the JSON output, and in the text only on request.
    let known = town(&["know", "knows", "tamsel"]);
    assert!(known.contains("manager of the Heron") && !known.contains("is a location"), "{known}");
    assert!(!known.contains("The name is"), "{known}");
    assert!(town(&["know", "knows", "tamsel", "--predicate", "kind"]).contains("is a location"));
    assert!(test_dir.json(&["-C", "town", "know", "knows", "tamsel"]).to_string().contains("is a location"));
}

const SECRETS: &str = r#"
entities: [{id: crypt, name: the Crypt, kind: location}]
facts:
  - {id: ben-in-crypt, subject: ben, type: LOCATED_AT, target: crypt, text: "Ben is hiding in the Crypt.", secret: true, known_by: [ben]}
  - {id: ben-crown, text: "Ben stole the crown of Olm.", about: [ben], secret: true, known_by: [ben, ada]}
"#;

#[test]
fn narration_that_states_a_secret_is_heard_only_after_the_dm_lets_the_secret_come_out() {
    let test_dir = TestDir::new();
    test_dir.write("mill/party.yaml", PARTY);
    test_dir.write("mill/secrets.yaml", SECRETS);
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    test_dir.ok(&["-C", "mill", "log", "The rain does not stop."]);
    let output = test_dir.run(&["-C", "mill", "log", "Ben is hiding in the Crypt."]);
    assert!(
        output.stdout.contains("nobody hears it, because it may state the secret ben-in-crypt"),
        "{}",
        output.stdout
    );
    assert!(output.stdout.contains("  withheld: no character hears the line"), "{}", output.stdout);
    let row = "  secret: ben-in-crypt: \"Ben is hiding in the Crypt.\"; not known to: ";
    assert!(output.stdout.contains(row) && output.stdout.contains("Kessa Thorn"), "{}", output.stdout);
    assert!(output.stderr.contains("`hearsay -C mill log --line 2 --yes`"), "{}", output.stderr);
    assert!(output.stderr.contains("`hearsay -C mill session mark 2 narration`"), "{}", output.stderr);
    let logged = test_dir.json(&["-C", "mill", "log", "Everybody hears that Ben stole the crown of Olm."]);
    assert_eq!(logged["withheld"][0]["handle"], "ben-crown", "{logged}");
    assert_eq!((&logged["talk_kind"], &logged["heard_by"]), (&"withheld".into(), &serde_json::json!([])), "{logged}");
    let report = test_dir.json(&["-C", "mill", "session", "show"]);
    assert_eq!((&report["withheld"][1]["line"], &report["counts"]["talk"]["withheld"]), (&3.into(), &2.into()));
    let report = test_dir.ok(&["-C", "mill", "session", "show"]);
    assert!(report.contains("the secret comes out: `log --line 2 --yes --session session-1`"), "{report}");
    let unknown_to = logged["withheld"][0]["unknown_to"].as_array().unwrap();
    assert!(unknown_to.contains(&"kessa".into()) && !unknown_to.contains(&"ada".into()), "{logged}");

    let documents = || {
        let handbook = ["-C", "mill", "export", "--format", "handbook"];
        let recap = ["-C", "mill", "session", "recap"];
        [
            test_dir.ok(&[&recap[..], &["--players"]].concat()),
            test_dir.ok(&[&recap[..], &["--as", "kessa"]].concat()),
            test_dir.ok(&handbook),
            test_dir.ok(&[&handbook[..], &["--as", "kessa"]].concat()),
            test_dir.ok(&[&handbook[..], &["--as", "bram"]].concat()),
        ]
    };
    for document in documents() {
        assert!(!document.contains("hiding") && !document.contains("crown"), "{document}");
    }
    let knows = |fact: &str| test_dir.ok(&["-C", "mill", "know", "who-knows", fact]).contains("Kessa");
    assert!(!knows("ben-in-crypt") && !knows("ben-crown"));

    test_dir.ok(&["-C", "mill", "log", "--line", "2", "--states", "ben-in-crypt"]);
    assert!(knows("ben-in-crypt") && !knows("ben-crown"));
    for document in documents() {
        assert!(document.contains("hiding in the Crypt") && !document.contains("crown"), "{document}");
    }
    // A secret that all hearers know is no reason to withhold a line.
    let again = test_dir.json(&["-C", "mill", "log", "Ben is still hiding in the Crypt.", "--to", "kessa,bram"]);
    assert_eq!(
        (&again["withheld"], again["heard_by"].as_array().unwrap().len()),
        (&serde_json::json!([]), 2),
        "{again}"
    );
    // The secret comes out with the line, or the DM says that the line states no secret.
    test_dir.ok(&["-C", "mill", "session", "mark", "3", "narration"]);
    assert!(documents()[0].contains("stole the crown"));
    test_dir.ok(&["-C", "mill", "log", "Ben stole the crown of Olm.", "--states", "ben-crown"]);
    assert!(knows("ben-crown"));
}

#[test]
fn a_withheld_line_is_freed_after_its_hearers_have_learned_the_secret() {
    let test_dir = TestDir::new();
    test_dir.write("mill/party.yaml", PARTY);
    test_dir.write("mill/secrets.yaml", SECRETS);
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    test_dir.ok(&["-C", "mill", "log", "Ben is hiding in the Crypt."]);
    test_dir.ok(&["-C", "mill", "log", "Everybody finds out.", "--states", "ben-in-crypt"]);
    let log = || test_dir.ok(&["-C", "mill", "session", "show", "--log"]);
    assert!(log().contains("(withheld)"), "{}", log());
    test_dir.ok(&["-C", "mill", "log", "--line", "1", "--yes"]);
    assert!(!log().contains("(withheld)"), "{}", log());
    // A withheld line is also freed if its secret is no secret any more.
    test_dir.ok(&["-C", "mill", "log", "Ben stole the crown of Olm."]);
    assert!(log().contains("(withheld)"), "{}", log());
    test_dir.ok(&["-C", "mill", "fact", "secret", "ben-crown", "--open"]);
    test_dir.ok(&["-C", "mill", "log", "--line", "3", "--yes"]);
    assert!(!log().contains("(withheld)"), "{}", log());
}

#[test]
fn narration_that_states_a_secret_in_its_own_words_is_withheld() {
    let test_dir = TestDir::new();
    test_dir.write("lock/campaign.yaml", LOCK);
    test_dir.ok(&["-C", "lock", "session", "start", "--at", "heron"]);
    let withheld = |line: &str| {
        let logged = test_dir.json(&["-C", "lock", "log", "--dry-run", line]);
        logged["withheld"].as_array().unwrap().iter().map(|fact| fact["handle"].to_string()).collect::<Vec<_>>()
    };
    for line in [
        "Lotti is the one who opened the sluice gate, everyone can see it in her face.",
        "Ysolde finds out that Lotti opened the gate",
    ] {
        assert_eq!(withheld(line), ["\"lotti-opened\""], "{line}");
    }
    for line in [
        "Lotti opens the door and brings in the beer.",
        "Tamsin asks Lotti about the sluice gate.",
        "Everyone talks about the night the Merrow sank.",
        "Ysolde opens the sluice gate.",
    ] {
        assert_eq!(withheld(line), [""; 0], "{line}");
    }
}

#[test]
fn the_story_has_confessions_and_open_questions_but_no_intentions() {
    let test_dir = TestDir::new();
    test_dir.write("mill/party.yaml", PARTY);
    test_dir.write("mill/secrets.yaml", SECRETS);
    let mill = |line: &[&str]| test_dir.ok(&[&["-C", "mill"], line].concat());
    mill(&["session", "start", "--at", "the-mill"]);
    mill(&["log", "--by", "ben", "I took it with my own hands, the crown of Olm.", "--states", "ben-crown"]);
    mill(&["log", "Kessa thinks about going to the Crypt with Bram."]);
    mill(&["log", "--by", "ada", "A man in grey asked for somebody called Harrow."]);
    for number in 1..14 {
        mill(&["log", &format!("Ada and Ben carry sack {number} into the Mill.")]);
    }
    mill(&["session", "end"]);
    let recap = mill(&["session", "recap"]);
    assert!(recap.contains("with my own hands"), "{recap}");
    for reader in [&[][..], &["--as", "kessa"]] {
        let book = mill(&[&["export", "--format", "handbook"], reader].concat());
        let story = book.split("\n## ").find(|chapter| chapter.starts_with("The story so far")).unwrap();
        assert!(story.contains("with my own hands") && story.contains("called Harrow"), "{story}");
        assert!(!book.contains("thinks about"), "{book}");
    }
}

const CLAIMS: &str = r#"
campaign: {name: Claims, start: 1 Month1 1}
entities:
  - {id: weir, name: The Weir, kind: location}
  - {id: kessa, name: Kessa Thorn, kind: player, home: none}
  - {id: lotte, name: Lotte Krall, kind: npc, home: weir, pronouns: she/her}
  - {id: jory, name: Jory Penn, kind: npc, home: none, attributes: {condition: {value: dead, known_by: [kessa]}}}
audience: {attributes: {name: common, pronouns: common}}
facts:
  - {id: short, subject: lotte, text: "Lotte Krall was at the Weir that night.", known_by: [lotte, {who: kessa, how: told, from: lotte}]}
  - {id: long, subject: lotte, text: "Lotte Krall was at the Weir with Lotte Krall's sister that night.", known_by: [lotte, {who: kessa, how: told, from: lotte}]}
  - {id: denied, subject: lotte, text: "Lotte Krall was not at the Weir that night.", known_by: [{who: kessa, how: told}]}
  - {id: renamed, subject: jory, text: "Jory Penn is a false name. The real name is Rafe.", known_by: [kessa]}
  - {id: bell, subject: weir, text: "The Weir has a bell.", known_by: [kessa]}
  - {id: bell-gone, ends: bell, known_by: [kessa]}
"#;

#[test]
fn a_handbook_states_a_claim_once_and_ended_facts_in_the_past() {
    let test_dir = TestDir::new();
    test_dir.write("town/town.yaml", CLAIMS);
    let book = test_dir.ok(&["-C", "town", "export", "--format", "handbook", "--as", "kessa"]);
    assert!(book.contains("- By her own account, Lotte Krall was at the Weir with her sister that night.\n"), "{book}");
    assert!(book.contains("not at the Weir that night"), "{book}");
    assert_eq!(book.matches("By her own account").count(), 1, "{book}");
    assert!(book.contains("Jory Penn is a false name."), "{book}");
    assert!(!book.contains("no longer true") && book.contains("The Weir had a bell. This "), "{book}");
}

#[test]
fn the_handbook_of_the_party_dates_an_end_only_if_all_know_the_date() {
    let test_dir = TestDir::new();
    let sluice = r#"
campaign: {name: Sluice, start: 9 Month1 1}
entities:
  - {id: sluice, name: The Sluice, kind: location}
  - {id: orla, name: Orla Vane, kind: player, home: none}
  - {id: dirk, name: Dirk Holm, kind: player, home: none}
audience: {attributes: {name: common, pronouns: common}}
facts:
  - {id: gate, subject: sluice, text: "The Sluice has a gate.", known_by: [orla, dirk]}
  - {ends: gate, since: 4 Month1 1, known_by: [orla]}
  - {ends: gate, text: "The gate is gone.", known_by: [dirk]}
  - {id: keeper, subject: sluice, text: "The Sluice has a keeper.", known_by: [orla, dirk]}
  - {ends: keeper, since: 5 Month1 1, known_by: [dirk]}
  - {ends: keeper, text: "The keeper is gone.", known_by: [orla]}
"#;
    test_dir.write("town/sluice.yaml", sluice);
    let book = |reader: &[&str]| test_dir.ok(&[&["-C", "town", "export", "--format", "handbook"], reader].concat());
    let orla = book(&["--as", "orla"]);
    assert!(orla.contains("The Sluice had a gate. This ended on day 4."), "{orla}");
    assert!(orla.contains("The Sluice had a keeper. This has ended."), "{orla}");
    let party = book(&[]);
    assert!(party.contains("The Sluice had a gate. This has ended."), "{party}");
    assert!(party.contains("The Sluice had a keeper. This has ended."), "{party}");
}

#[test]
fn actions_and_promises_are_narrated() {
    let test_dir = TestDir::new();
    let campaign = "\
format: 1
campaign: {name: Dale, start: day 1}
entities:
  - {id: dale, name: Dale, kind: location}
  - {id: odo, name: Odo Marsh, kind: npc, home: dale}
  - {id: wren, name: Wren Oake, kind: player, player: Jo}
";
    test_dir.write("dale/campaign.yaml", campaign);
    test_dir.ok(&["-C", "dale", "session", "start", "--at", "dale"]);
    for line in [
        "Odo Marsh enters, drenched.",
        "Jo: I open the chest and take my lamp",
        "Wren: I know you, Odo.",
        "Odo Marsh: I open the gate at dawn.",
        "Wren: I promise Odo Marsh to feed the goats.",
    ] {
        test_dir.ok(&["-C", "dale", "log", line]);
    }
    test_dir.ok(&["-C", "dale", "session", "end"]);
    test_dir.ok(&["-C", "dale", "export", "--format", "handbook", "--output", "book.md"]);
    let book = fs::read_to_string(test_dir.path("book.md")).unwrap();
    let recaps = [&["--players"][..], &[]].map(|options| {
        let command = ["-C", "dale", "session", "recap", "--words", "500"];
        test_dir.ok(&[&command[..], options].concat())
    });
    for text in recaps.iter().chain([&book]) {
        assert!(text.contains("Wren Oake opens the chest and takes their lamp."), "{text}");
        assert!(text.contains("Wren Oake: \u{201C}I know you, Odo.\u{201D}"), "{text}");
        assert!(text.contains("Odo Marsh: \u{201C}I open the gate at dawn.\u{201D}"), "{text}");
    }
    assert!(book.contains("- Wren Oake promised Odo Marsh to feed the goats.\n"), "{book}");
}

const FERRY: &str = "\
format: 1
campaign: {name: Ferry, start: day 1}
entities:
  - {id: ferry, name: The Ferry, kind: location}
  - {id: odo, name: Odo Marsh, kind: npc, home: ferry}
  - {id: pell, name: Pell Dunn, kind: npc, home: ferry}
  - {id: wren, name: Wren Oake, kind: player, home: none, location: ferry}
  - {id: tam, name: Tam Reed, kind: player, home: none, location: ferry}
audience: {attributes: {name: common}}
";

#[test]
fn recaps_have_sentences_and_name_the_fewest_characters() {
    let test_dir = TestDir::new();
    test_dir.write("ferry/campaign.yaml", FERRY);
    let ferry = |line: &[&str]| test_dir.ok(&[&["-C", "ferry"], line].concat());
    ferry(&["session", "start", "--at", "ferry"]);
    ferry(&["log", "dusk on the water, no lamp lit"]);
    ferry(&["log", "--by", "odo", "so where is the tow rope"]);
    ferry(&["log", "--by", "odo", "--without", "tam", "the rope was cut with a fish knife"]);
    ferry(&["log", "--by", "odo", "--to", "wren", "Pell owes me nine crowns."]);
    let log = ferry(&["session", "show", "--log"]);
    ferry(&["session", "end"]);
    let aloud = ferry(&["session", "recap", "--players"]);
    assert!(aloud.contains("Dusk on the water, no lamp lit."), "{aloud}");
    assert!(aloud.contains("Odo Marsh: \u{201C}So where is the tow rope?\u{201D}"), "{aloud}");
    let recap = ferry(&["session", "recap", "--words", "400"]);
    for text in [&recap, &log] {
        assert!(text.contains("(not heard by Tam Reed)"), "{text}");
        assert!(text.contains("(heard only by Wren Oake)"), "{text}");
        assert_eq!(text.matches("heard").count(), 2, "{text}");
    }
    // The log keeps the words as they were typed.
    assert!(log.contains("so where is the tow rope\n"), "{log}");
}

#[test]
fn own_characters_without_an_entry_share_a_list() {
    let test_dir = play();
    for reader in [&[][..], &["--as", "kessa"], &["--as", "bram"]] {
        let book = test_dir.ok(&[&["-C", "mill", "export", "--format", "handbook"], reader].concat());
        let lines: Vec<&str> = book.lines().filter(|line| !line.is_empty()).collect();
        let is_empty = |pair: &[&str]| pair[0].starts_with("### ") && pair[1].starts_with('#');
        assert!(!lines.windows(2).any(is_empty), "{book}");
        assert!(book.contains("Bram Hale") && book.contains("Kessa Thorn"), "{book}");
    }
}

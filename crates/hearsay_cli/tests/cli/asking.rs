//! Tests of `ask` and `search`, with and without the sentence encoder.

use super::*;

#[test]
fn the_tiny_tavern_answers() {
    let test_dir = TestDir::new();
    let campaign = fs::read_to_string(repository().join("campaigns/tiny-tavern/campaign.yaml")).unwrap();
    test_dir.write("tiny-tavern/campaign.yaml", &campaign);
    let answer = test_dir.ok(&["-C", "tiny-tavern", "ask", "--as", "rook", "Who took the silver spoon?"]);
    assert!(answer.contains("Tilda Bun took the silver spoon."), "{answer}");
    let answer =
        test_dir.ok(&["-C", "tiny-tavern", "ask", "--as", "Gaffer Moss", "Where is the spoon?", "--no-citations"]);
    assert!(answer.contains("fell into the well") && !answer.contains("campaign.yaml"), "{answer}");
    let quiet = test_dir.run(&["-C", "tiny-tavern", "ask", "--as", "rook", "spoon", "--quiet"]);
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""));
}

#[test]
fn a_new_campaign_answers() {
    let test_dir = TestDir::new();
    let printed = test_dir.ok(&["new", "town", "--name", "It's \"My: Town\""]);
    assert!(printed.contains("hearsay -C town ask --as ann"), "{printed}");
    let ask = |who| test_dir.ok(&["-C", "town", "ask", "--as", who, "What is below the cellar?", "--no-meaning"]);
    assert!(ask("ann").contains("tunnel"));
    assert!(!ask("bo").contains("tunnel"));
    test_dir.fails(&["new", "town"], 4, &["town", "not empty"]);
    assert_eq!(test_dir.json(&["new", "other"])["name"], "other");
}

#[test]
fn ask_and_search_answer_as_data() {
    let test_dir = TestDir::new();
    let question = "What is the matter with the millstone?";
    let answer = test_dir.json(&["-C", "mill", "ask", "--as", "Old Ada", question]);
    assert!(answer.to_string().contains("The millstone is cracked."), "{answer}");
    let line = ["-C", "mill", "ask", "--as", "ben", "--at", "the-mill", "--with", "ada", "--as-of", "1 Springmonth 10"];
    let answer = test_dir.json(&[&line[..], &["--budget", "64", question]].concat());
    assert!(!answer.to_string().contains("cracked"), "{answer}");
    for form in ["text", "markdown", "prompt"] {
        let plain = test_dir.ok(&["-C", "mill", "ask", "--as", "ada", "--form", form, "--no-meaning", question]);
        assert!(plain.contains("The millstone is cracked."), "{plain}");
    }
    let citations = ["-C", "mill", "ask", "--as", "ada", "--form", "prompt", "--no-meaning", "--citations", question];
    assert!(test_dir.ok(&citations).contains("campaign.yaml"));
    let found = test_dir.json(&["-C", "mill", "search", "cracked stone"]);
    assert_eq!(found["facts"][0]["text"], "The millstone is cracked.");
    assert!(found["facts"][0]["explanation"]["cosine"].as_f64().unwrap() > 0.3, "{found}");
    let search = |line: &[&str]| test_dir.json(&[&["-C", "mill", "search", "--no-meaning"], line].concat());
    assert!(!search(&["millstone", "--as", "ben"]).to_string().contains("cracked"));
    assert_eq!(search(&["fli"])["entities"][0]["id"], "ada");
    assert_eq!(search(&["Flynt"])["entities"][0]["by"], "spelling");
    assert_eq!(search(&["*", "--kind", "location"])["entities"].as_array().unwrap().len(), 1);
    assert_eq!(search(&["zzz"])["hints"].as_array().unwrap().len(), 3);
    assert_eq!(search(&["*", "--about", "ben"])["entities"].as_array().unwrap().len(), 3);
    let explained = test_dir.ok(&["-C", "mill", "search", "cracked stone", "--no-meaning", "--verbose", "--as", "ada"]);
    for part in ["score 0.", "words 0.", "own knowledge"] {
        assert!(explained.contains(part), "{part} in {explained}");
    }
    let ask = |line: &[&str]| {
        test_dir
            .ok(&[&["-C", "mill", "ask", "--as", "ada", "Is the millstone cracked?", "--no-meaning"], line].concat())
    };
    assert!(ask(&["--form", "prompt", "-v"]).contains("[score 0.") && !ask(&[]).contains("[score"));
    let cited = ask(&["--form", "prompt", "--citations"]);
    assert!(cited.contains("campaign.yaml") && !cited.contains("[score"), "{cited}");
    let prompt = ask(&["--form", "prompt"]);
    assert!(!prompt.contains("[score") && !prompt.contains("campaign.yaml"), "{prompt}");
    assert!(!ask(&["--about", "ben"]).contains("Relevant to the question\n  The millstone"));
    test_dir.fails(&["-C", "mill", "ask", "--as", "ada", "x", "--about", "nobody"], 3, &["nobody"]);
    test_dir.fails(&["-C", "mill", "ask", "--as", "ada", "x", "--session", "session-9"], 3, &["session-9"]);
    assert!(
        test_dir
            .ok(&["-C", "mill", "search", "adaf", "--no-meaning", "--kind", "faction"])
            .contains("Similar names: Ada Flint")
    );
    test_dir.fails(&["-C", "mill", "search", "x", "--as", "ben", "--status", "canon"], 2, &["--status"]);
}

#[test]
fn a_repeated_deed_is_one_line_that_cites_all_days() {
    let test_dir = TestDir::new();
    for day in 1..=5 {
        let since = format!("{day} Springmonth 9");
        let deed = ["-C", "mill", "fact", "add", "ben", "HELPED", "ada", "--since", &since, "--known-by", "ada"];
        test_dir.ok(&deed);
    }
    let ask = ["-C", "mill", "ask", "--as", "ada", "--no-meaning", "Whom did Ben help?"];
    let answer = test_dir.ok(&ask);
    assert!(answer.contains("on 5 days since 1 Springmonth 9, last on 5 Springmonth 9"), "{answer}");
    assert_eq!(answer.matches("Ben helped Ada Flint").count(), 1, "{answer}");
    let answer = test_dir.json(&ask).to_string();
    let facts = test_dir.json(&["-C", "mill", "fact", "list", "--predicate", "HELPED"]);
    let facts = facts["facts"].as_array().unwrap();
    assert_eq!(facts.len(), 5, "the DM sees all facts");
    for fact in facts {
        assert!(answer.contains(fact["id"].as_str().unwrap()), "{fact} in {answer}");
    }
    test_dir.write("mill/hearsay.toml", "[recall]\nmin_episodes = 0\n");
    assert!(!test_dir.ok(&ask).contains("on 5 days"));
}

#[test]
fn without_a_model_words_answer_and_say_so() {
    let test_dir = TestDir::new();
    let mut line = test_dir.command(&["-C", "mill", "ask", "--as", "ada", "millstone"]);
    let answer = decode_output(line.env("HEARSAY_MODEL_DIR", "nowhere").output().unwrap());
    assert_eq!(answer.code, 0);
    assert!(
        answer.stdout.contains("cracked") && answer.stdout.contains("words and the graph only"),
        "{}",
        answer.stdout
    );
    assert!(
        answer.stderr.contains("nowhere") && answer.stderr.contains("words and relations only"),
        "{}",
        answer.stderr
    );
    test_dir.fails(&["model", "show", "nowhere"], 4, &["nowhere", "model.safetensors"]);
    test_dir.write("damaged/config.json", "{");
    test_dir.fails(&["model", "show", "damaged"], 4, &["damaged"]);
    assert!(
        test_dir.json(&["model", "show", "--compare", "a mill", "a windmill"])["similarity"].as_f64().unwrap() > 0.3
    );
}

#[test]
fn a_character_with_only_a_home_is_at_home() {
    let test_dir = TestDir::new();
    let ask = |who| test_dir.ok(&["-C", "mill", "ask", "--as", who, "Who are you?", "--no-meaning"]);
    let answer = ask("ada");
    assert!(answer.contains("The place is The Mill."), "{answer}");
    assert!(!ask("sam-a").contains("The place is"), "Sam has no home");
    let quay = "  - {id: quay, name: The Quay, kind: location}\n  - {id: ben,";
    test_dir.write("mill/campaign.yaml", &CAMPAIGN.replace("  - {id: ben,", quay));
    test_dir.ok(&["-C", "mill", "fact", "add", "ada", "LOCATED_AT", "quay"]);
    let answer = ask("ada");
    assert!(!answer.contains("The place is The Mill."), "Ada is elsewhere: {answer}");
}

#[test]
fn a_player_character_is_a_guest_where_it_is() {
    let test_dir = TestDir::new();
    let people = "  - {id: wren, name: Wren, kind: player, location: the-mill, description: Wren hides a map.}\n  - {id: tam, name: Tam, kind: npc, location: the-mill}\n";
    test_dir.write("mill/campaign.yaml", &format!("{CAMPAIGN}{people}"));
    let facts = |who| test_dir.ok(&["-C", "mill", "fact", "list", "--subject", who]);
    let wren = facts("wren");
    assert!(wren.contains("Wren is at The Mill") && !wren.contains("lives in"), "{wren}");
    assert!(facts("tam").contains("Tam lives in The Mill"), "{}", facts("tam"));
    let known = |who| test_dir.ok(&["-C", "mill", "know", "knows", who]);
    assert!(known("wren").contains("hides a map") && !known("tam").contains("hides a map"), "{}", known("tam"));
    assert!(known("tam").contains("Wren is at The Mill"), "{}", known("tam"));
}

#[test]
fn the_dead_are_not_described_as_if_they_lived() {
    let test_dir = TestDir::new();
    let jory = r#"  - id: jory
    name: Jory
    kind: npc
    home: none
    location: the-mill
    attributes: {condition: {value: dead, audience: private, known_by: [ada]}, occupation: clerk}
"#;
    test_dir.write("mill/campaign.yaml", &format!("{CAMPAIGN}{jory}"));
    let ask = |who| {
        let line = ["-C", "mill", "ask", "--as", who, "--at", "the-mill", "--with", "jory", "What does Jory do?"];
        test_dir.ok(&[&line[..], &["--no-meaning"]].concat())
    };
    let of_ada = ask("ada");
    assert!(of_ada.contains("Jory is there, dead.") && !of_ada.contains("Jory is there, clerk."), "{of_ada}");
    assert!(of_ada.contains("Jory is a clerk. [Jory is dead]"), "{of_ada}");
    let of_ben = ask("ben");
    assert!(of_ben.contains("Jory is there, clerk.") && !of_ben.contains("dead"), "{of_ben}");
}

#[test]
fn a_listener_that_the_character_does_not_know_is_a_stranger() {
    let test_dir = TestDir::new();
    let hidden = "  - {id: sly-fox, name: Sly Fox, kind: npc, home: none}\n";
    test_dir.write("mill/campaign.yaml", &format!("{CAMPAIGN}{hidden}"));
    test_dir.ok(&["-C", "mill", "sync"]);
    let ask = |with: &[&str]| {
        let listeners: Vec<&str> = with.iter().flat_map(|name| ["--with", name]).collect();
        let line = ["-C", "mill", "ask", "--as", "ben", "--at", "the-mill", "--no-meaning", "Who is there?"];
        test_dir.run(&[&line[..], &listeners[..]].concat())
    };
    let [hidden, unknown] = ["Sly Fox", "Nobody"].map(|name| ask(&[name]));
    assert_eq!(hidden.code, 0, "{}", hidden.stderr);
    assert!(hidden.stdout.contains("A stranger is there."), "{}", hidden.stdout);
    assert!(!hidden.stdout.contains("Fox") && !hidden.stdout.contains("Ada Flint is there"), "{}", hidden.stdout);
    assert!(
        hidden.stderr.contains("whom the character does not know: ben knows no entity called `Sly Fox`"),
        "{}",
        hidden.stderr
    );
    assert_eq!(hidden.stdout, unknown.stdout);
    assert_eq!(hidden.stderr.replace("Sly Fox", "Nobody"), unknown.stderr);
    let several = ask(&["Sly Fox, ada", "sly fox", "Nobody"]).stdout;
    assert!(several.contains("2 strangers are there.") && several.contains("Ada Flint is there"), "{several}");
}

#[test]
fn no_fact_is_stated_twice_in_an_answer() {
    let test_dir = TestDir::new();
    for question in ["Whom do you like?", "Is the millstone cracked?", "What do you do?", "Where is Ben?"] {
        let line = ["-C", "mill", "ask", "--as", "ada", "--no-meaning", question];
        let answer = test_dir.json(&line);
        let mut stated = std::collections::BTreeSet::new();
        for line in
            answer["context"]["sections"].as_array().unwrap().iter().flat_map(|s| s["lines"].as_array().unwrap())
        {
            let source = line["citation"]["source"].to_string();
            assert!(source == "\"scene\"" || stated.insert(source.clone()), "{source} twice in {answer}");
        }
        for form in ["text", "markdown", "prompt"] {
            let answer = test_dir.ok(&[&line[..], &["--form", form, "--no-citations"]].concat());
            let lines: Vec<&str> = answer.lines().filter(|line| !line.trim().is_empty()).collect();
            for line in &lines {
                assert_eq!(lines.iter().filter(|other| *other == line).count(), 1, "{line} twice in {answer}");
            }
        }
    }
    let answer = test_dir.ok(&["-C", "mill", "ask", "--as", "ada", "--no-meaning", "Whom do you like?"]);
    let (_, relevant) = answer.split_once("Relevant to the question").unwrap();
    assert!(relevant.contains("Ada Flint likes Ben"), "the answers stand together: {answer}");
}

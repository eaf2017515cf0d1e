//! Tests of the lines that a DM records during an evening: whispers, lies, shouts, and the names in the options.

use super::*;

const PEOPLE: &str = r#"
entities:
  - {id: lyra, name: Lyra Fenn, kind: player, home: none, attributes: {player: Zoe}}
  - {id: tamsin-oakley, name: Tamsin Oakley, kind: npc, home: the-mill}
  - {id: cole, name: Cole, kind: npc, home: none}
  - {id: wheel, name: The Wheel, kind: item}
facts:
  - id: ada-robbed-cole
    subject: ada
    text: "Ada Flint took the purse of Cole in the night."
    about: [cole]
    secret: true
    known_by: [{who: ada, conceals: true}]
audience: {attributes: {name: common}}
"#;

fn table() -> TestDir {
    let test_dir = TestDir::new();
    test_dir.write("mill/people.yaml", PEOPLE);
    test_dir.ok(&["-C", "mill", "session", "start", "--title", "The stone", "--at", "the-mill"]);
    test_dir
}

/// Adds a line to the log, and returns the only fact that was extracted from it and needs no review.
fn extracted_fact(test_dir: &TestDir, line: &[&str]) -> String {
    let logged = test_dir.json(&[&["-C", "mill", "log"], line].concat());
    let facts = logged["extracted"].as_array().unwrap().iter();
    let facts: Vec<&str> =
        facts.filter(|fact| fact["status"] != "proposed").map(|fact| fact["fact"].as_str().unwrap()).collect();
    assert_eq!(facts.len(), 1, "{logged}");
    facts[0].to_owned()
}

fn status_of(test_dir: &TestDir, fact: &str) -> String {
    test_dir.json(&["-C", "mill", "fact", "show", fact])["fact"]["status"].as_str().unwrap().to_owned()
}

fn known_by(test_dir: &TestDir, knower: &str, fact: &str) -> String {
    let known = test_dir.json(&["-C", "mill", "know", "knows", knower, "--limit", "200"]).to_string();
    known.split('{').find(|row| row.contains(fact)).unwrap_or_default().to_owned()
}

#[test]
fn a_whispered_confession_stays_between_the_two() {
    let test_dir = table();
    let whisper = extracted_fact(&test_dir, &["--by", "ada", "--to", "ben", "I owe Cole ten crowns."]);
    let knowers = test_dir.ok(&["-C", "mill", "know", "who-knows", &whisper]);
    assert_eq!(knowers.matches("conceals it").count(), 2, "{knowers}");
    let gossip = test_dir.json(&["-C", "mill", "simulate", "gossip", "--days", "6", "--dry-run"]);
    assert!(!gossip["news"].to_string().contains(&whisper), "{gossip}");
    // What the same speaker says before everybody is no confidence, and neither is a whisper about something else.
    test_dir.ok(&["-C", "mill", "session", "attend", "--arrive", "tamsin-oakley", "--arrive", "ada"]);
    let aloud = extracted_fact(&test_dir, &["--by", "ada", "I fear Cole."]);
    let other = extracted_fact(&test_dir, &["--by", "ada", "--to", "ben", "Tamsin Oakley owes Lyra Fenn a boat."]);
    for fact in [aloud, other] {
        let knowers = test_dir.ok(&["-C", "mill", "know", "who-knows", &fact]);
        assert!(!knowers.contains("conceals it"), "{knowers}");
    }
    // The absence of a character who attended the session does not make words confidential.
    test_dir.ok(&["-C", "mill", "session", "attend", "--leave", "tamsin-oakley"]);
    let aloud = extracted_fact(&test_dir, &["--by", "ada", "I hate Cole."]);
    let knowers = test_dir.ok(&["-C", "mill", "know", "who-knows", &aloud]);
    assert!(!knowers.contains("conceals it"), "{knowers}");
}

#[test]
fn a_logged_claim_is_printed_with_its_id() {
    let test_dir = table();
    let logged = test_dir.ok(&["-C", "mill", "log", "--by", "ada", "Ben owes me forty crowns."]);
    let line = logged.lines().find_map(|line| line.strip_prefix("  claim: ")).unwrap_or_else(|| panic!("{logged}"));
    let (id, statement) = line.split_once(": ").unwrap();
    assert!(
        statement.contains("Ben") && test_dir.ok(&["-C", "mill", "fact", "show", id]).contains("claimed"),
        "{line}"
    );
}

#[test]
fn a_statement_that_is_dropped_is_not_printed() {
    let test_dir = table();
    let logged = test_dir.ok(&["-C", "mill", "log", "--by", "ada", "Ben owes Cole ten crowns."]);
    assert!(logged.contains("facts found in the text: "), "{logged}");
    test_dir.write("mill/hearsay.toml", "[policy]\nfloor = 0.999\nthreshold = 1.0\ncanon_threshold = 1.0\n");
    let logged = test_dir.ok(&["-C", "mill", "log", "--by", "ada", "Cole owes Ben twelve crowns."]);
    assert!(logged.contains("  line: ") && !logged.contains("too uncertain"), "{logged}");
    // The preview of the extraction shows what was dropped.
    let preview =
        test_dir.ok(&["-C", "mill", "fact", "extract", "--by", "ada", "--text", "Cole owes Ben twelve crowns."]);
    assert!(preview.contains("dropped") && preview.contains("Cole owes Ben"), "{preview}");
}

#[test]
fn an_act_that_passes_in_the_scene_is_no_question_for_the_dm() {
    let test_dir = table();
    let logged = test_dir.json(&["-C", "mill", "log", "Ben is peeling turnips into a bucket."]);
    assert_eq!(logged["extracted"], serde_json::json!([]), "{logged}");
    let logged = test_dir.json(&["-C", "mill", "log", "Ben is planning to marry Ada Flint."]);
    assert_ne!(logged["extracted"], serde_json::json!([]), "{logged}");
}

#[test]
fn a_fact_that_was_rejected_earlier_is_named() {
    let test_dir = table();
    let reject_death = |line: &[&str]| {
        let logged = test_dir.json(&[&["-C", "mill", "log"], line].concat());
        let facts = logged["extracted"].as_array().unwrap();
        let death = facts.iter().find(|fact| fact["statement"] == "Cole is dead.");
        let death = death.unwrap_or_else(|| panic!("{logged}"))["fact"].as_str().unwrap().to_owned();
        test_dir.ok(&["-C", "mill", "review", "reject", &death]);
        death
    };
    let claimed = reject_death(&["--by", "ada", "Cole is dead."]);
    // A rejected claim of a character does not hide what the DM tells.
    let told = reject_death(&["Cole drowns."]);
    assert_ne!(claimed, told);
    let again = test_dir.ok(&["-C", "mill", "log", "Cole drowns."]);
    assert!(again.contains("1 rejected earlier"), "{again}");
    assert!(again.contains("    rejected earlier: ") && again.contains(": Cole is dead."), "{again}");
}

#[test]
fn a_promise_is_made_to_the_person_whom_the_line_addresses() {
    let test_dir = table();
    for (line, name) in [
        ("I will pay you, Ben, on my honour. I promise.", "Ben"),
        ("Lyra, I promise to pay at first light.", "Lyra Fenn"),
    ] {
        let logged = test_dir.ok(&["-C", "mill", "log", "--by", "ada", line]);
        assert!(logged.contains(&format!("made a promise to {name}")), "{line}: {logged}");
    }
}

#[test]
fn a_speaker_does_not_believe_what_is_marked_as_a_lie_later() {
    let test_dir = table();
    let line = ["--by", "ada", "Ben owes me forty crowns."];
    let fact = extracted_fact(&test_dir, &line);
    let believes = |knower: &str| -> Vec<String> {
        let known = test_dir.ok(&["-C", "mill", "know", "believes", knower, "ben"]);
        let is_belief = |line: &&str| line.contains("owes") && !line.contains("credence 0.00");
        known.lines().filter(is_belief).map(str::to_owned).collect()
    };
    assert_eq!((status_of(&test_dir, &fact), believes("ada").len(), believes("lyra").len()), ("claimed".into(), 1, 1));
    let logged = test_dir.json(&[&["-C", "mill", "log", "--lie"], &line[..]].concat());
    // The claim, and a second reading of the line that waited for review.
    for fact in logged["extracted"].as_array().unwrap() {
        assert_eq!(fact["status"], "false", "{logged}");
    }
    assert_eq!(status_of(&test_dir, &fact), "false");
    let log = test_dir.ok(&["-C", "mill", "session", "show", "--log"]);
    assert_eq!(log.matches("forty crowns").count(), 1, "the line is not logged again: {log}");
    assert_eq!(believes("ada"), Vec::<String>::new());
    assert!(!believes("lyra").is_empty());
    // The same words to another hearer, as a lie: the first hearers still believe them.
    let fact = extracted_fact(&test_dir, &["--by", "tamsin-oakley", "Ben fears Cole."]);
    let before = known_by(&test_dir, "lyra", &fact);
    test_dir.ok(&["-C", "mill", "say", "--by", "tamsin-oakley", "--to", "cole", "--lie", "Ben fears Cole."]);
    assert_eq!(status_of(&test_dir, &fact), "false");
    assert!(!before.is_empty() && !known_by(&test_dir, "lyra", &fact).is_empty(), "{before}");
    test_dir.fails(&["-C", "mill", "log", "--lie", "It rains."], 1, &["the line has no speaker"]);
}

#[test]
fn a_shout_is_in_character_and_one_line_can_be_corrected() {
    let test_dir = table();
    test_dir.write(
        "talk.txt",
        "Ada: Ben, the wheel! Stop the wheel!\nZoe: Does a 17 hit? I roll damage!\nAda: Ben owes Cole ten crowns.\n",
    );
    test_dir.ok(&["-C", "mill", "session", "import", "talk.txt", "--session", "1"]);
    let log = || test_dir.ok(&["-C", "mill", "session", "show", "--log"]);
    let line = |text: &str| log().lines().find(|line| line.contains(text)).unwrap().to_owned();
    assert!(!line("Stop the wheel").contains("out of character"), "{}", log());
    assert!(line("Does a 17 hit").contains("out of character"), "{}", log());
    let number = |text: &str| line(text).split_whitespace().next().unwrap().to_owned();
    test_dir.ok(&["-C", "mill", "session", "mark", &number("Does a 17"), "in-character"]);
    assert!(!line("Does a 17 hit").contains("out of character"), "{}", log());
    // The facts of an out-of-character line go.
    let facts = || test_dir.ok(&["-C", "mill", "fact", "list", "--about", "cole"]);
    assert!(facts().contains("crowns") || facts().contains("owes"), "{}", facts());
    test_dir.ok(&["-C", "mill", "session", "mark", &number("ten crowns"), "out-of-character"]);
    assert!(!facts().contains("crowns") && !facts().contains("owes"), "{}", facts());
    let mark = |number: &str| {
        vec!["-C".to_owned(), "mill".into(), "session".into(), "mark".into(), number.into(), "narration".into()]
    };
    let line: Vec<String> = mark("99");
    test_dir.fails(&line.iter().map(String::as_str).collect::<Vec<_>>(), 1, &["no line 99", "session show --log"]);
}

#[test]
fn a_player_who_talks_about_the_game_is_out_of_character() {
    for engine in ["model", "patterns"] {
        let test_dir = table();
        test_dir.write("mill/hearsay.toml", &format!("[extraction]\nengine = \"{engine}\"\n"));
        let log = |line: &[&str]| test_dir.ok(&[&["-C", "mill", "log"], line].concat());
        for line in [
            &["Zoe: Can I roll for that?"][..],
            &["--by", "Zoe", "Does a 17 hit?"],
            &["Zoe: (ooc) brb"],
            &["(out of character) who wants pizza"],
            &["OOC: Ben owes Cole ten crowns."],
        ] {
            let printed = log(line);
            assert!(printed.contains("out of character: kept in the log, nobody in the world hears it"), "{printed}");
            assert!(printed.contains("--in-character") && !printed.contains("heard by"), "{printed}");
        }
        assert!(!test_dir.ok(&["-C", "mill", "fact", "list", "--about", "cole"]).contains("crowns"));
        let printed = log(&["Zoe: Ada, where is the stone?"]);
        assert!(printed.contains("said by: Lyra Fenn") && printed.contains("heard by: "), "{printed}");
        let printed = log(&["--in-character", "Zoe: Can I roll for that?"]);
        assert!(printed.contains("said by: Lyra Fenn") && printed.contains("heard by: "), "{printed}");
        let lines = test_dir.ok(&["-C", "mill", "session", "show", "--log"]);
        assert_eq!(lines.matches("(out of character)").count(), 6, "five lines, one of them with the mark: {lines}");
        let dry_run = test_dir.json(&["-C", "mill", "log", "--dry-run", "Zoe: Can I roll for that?"]);
        assert_eq!((&dry_run["talk_kind"], &dry_run["heard_by"]), (&"out_of_character".into(), &serde_json::json!([])));
        // A marked line becomes part of the story.
        let number = lines.lines().find(|line| line.contains("OOC: Ben")).unwrap().split_whitespace().next().unwrap();
        test_dir.ok(&["-C", "mill", "session", "mark", number, "in-character"]);
        let lines = test_dir.ok(&["-C", "mill", "session", "show", "--log"]);
        assert_eq!(lines.matches("(out of character)").count(), 5, "{lines}");
    }
}

#[test]
fn names_can_be_started_and_listed() {
    let test_dir = table();
    let heard_by = |to: &[&str]| {
        let line = [&["-C", "mill", "log", "--by", "ada", "The rain falls.", "--dry-run"], to].concat();
        test_dir.json(&line)["heard_by"].as_array().unwrap().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    for to in
        [&["--to", "tam, ben"][..], &["--to", "Tam,Ben"], &["--to", "tam", "--to", "ben"], &["--to", "Tamsin Oak,ben,"]]
    {
        assert_eq!(heard_by(to), ["\"ada\"", "\"ben\"", "\"tamsin-oakley\""], "{to:?}");
    }
    test_dir.fails(
        &["-C", "mill", "log", "--by", "ada", "--to", "tam, nobody", "Hm."],
        3,
        &["no entity is called `nobody`"],
    );
    // The name of a speaker in a transcript must be complete.
    test_dir.write("talk.txt", "Tams: The stone is cracked.\n");
    let tried = test_dir.json(&["-C", "mill", "session", "import", "talk.txt", "--dry-run"]);
    assert!(!tried["speakers"][0]["is"].to_string().contains("tamsin"), "{tried}");
}

#[test]
fn brackets_after_the_speaker_name_the_hearers() {
    let test_dir = table();
    let logged = |line: &str| test_dir.json(&["-C", "mill", "log", line, "--dry-run"]);
    assert_eq!(logged("Ada (whispers to Ben): Hm.")["heard_by"], serde_json::json!(["ada", "ben"]));
    let expected = serde_json::json!(["ada", "ben", "tamsin-oakley"]);
    assert_eq!(logged("The miller [to Ben and Tamsin]: Hm.")["heard_by"], expected);
    test_dir.fails(
        &["-C", "mill", "log", "Ada (to Tamsyn): Hm."],
        3,
        &["no entity is called `Tamsyn`", "did you mean tamsin-oakley"],
    );
    assert!(logged("Ada (laughing): Hm.")["heard_by"].as_array().unwrap().contains(&"lyra".into()));
}

#[test]
fn only_the_named_hearers_hear_a_whisper_without_brackets() {
    let test_dir = table();
    let heard_by = |line: &str| test_dir.json(&["-C", "mill", "log", line, "--dry-run"])["heard_by"].clone();
    for line in ["Ada whispers to Ben: I hid the stone.", "Ada leans over and whispers in Ben's ear: I hid the stone."]
    {
        assert_eq!(heard_by(line), serde_json::json!(["ada", "ben"]), "{line}");
    }
    assert!(heard_by("Ada shouts across the mill: Ben!").as_array().unwrap().contains(&"lyra".into()));
    test_dir.fails(
        &["-C", "mill", "log", "Ada whispers to Tamsyn: Hm."],
        3,
        &["no entity is called `Tamsyn`", "did you mean tamsin-oakley"],
    );
    let unnoticed = heard_by("Ben hides a ring behind the wheel. Ada doesn't notice.");
    let unnoticed = unnoticed.as_array().unwrap();
    assert!(unnoticed.contains(&"ben".into()) && !unnoticed.contains(&"ada".into()), "{unnoticed:?}");
}

#[test]
fn a_reported_whisper_is_heard_by_two_and_its_secret_does_not_come_out() {
    let test_dir = table();
    let secret = "that Ada Flint took the purse of Cole in the night.";
    for reported in ["whispers to Tamsin", "tells Tamsin quietly, so nobody else hears,"] {
        let line = format!("Ada {reported} {secret}");
        let logged = test_dir.json(&["-C", "mill", "log", &line, "--dry-run"]);
        assert_eq!(logged["talk_kind"], "withheld", "{line}: {logged}");
        assert_eq!(logged["withheld"][0]["unknown_to"], serde_json::json!(["tamsin-oakley"]), "{line}: {logged}");
    }
    let logged = test_dir.json(&["-C", "mill", "log", "Ada whispers to Tamsin about the weather.", "--dry-run"]);
    assert_eq!(logged["heard_by"], serde_json::json!(["ada", "tamsin-oakley"]), "{logged}");
}

#[test]
fn a_note_says_how_to_record_doubtful_words() {
    let test_dir = table();
    let note = |line: &str| test_dir.run(&["-C", "mill", "log", line]).stderr;
    let doubtful = note("Tamsin throws the sack down: you carry it");
    assert!(doubtful.contains("`hearsay -C mill log --line 1 --by tamsin-oakley`"), "{doubtful}");
    test_dir.ok(&["-C", "mill", "log", "--line", "1", "--by", "tamsin-oakley"]);
    let log = test_dir.ok(&["-C", "mill", "session", "show", "--log"]);
    assert!(log.contains("Tamsin Oakley: you carry it\n"), "{log}");
    let open = note("Tamsin whispers: The sack is empty.");
    assert!(open.contains("everybody in the scene hears them") && open.contains("`--to CHARACTER`"), "{open}");
    assert!(!note("Tamsin whispers to Ada: The sack is empty.").contains("--to"));
}

#[test]
fn a_named_speaker_can_lie_and_the_line_has_a_number() {
    let test_dir = table();
    let logged = test_dir.ok(&["-C", "mill", "log", "Ada: I was in all night.", "--lie"]);
    assert!(logged.contains("  line: 1\n  said by: Ada Flint\n"), "{logged}");
    let logged = test_dir.json(&["-C", "mill", "log", "--by", "ada", "Ada: The rain falls."]);
    assert_eq!(logged["line"], 2, "{logged}");
    let log = test_dir.ok(&["-C", "mill", "session", "show", "--log"]);
    assert!(log.contains("   2  Ada Flint: The rain falls.\n"), "{log}");
    test_dir.ok(&["-C", "mill", "session", "mark", "2", "ooc"]);
    let log = test_dir.ok(&["-C", "mill", "session", "show", "--log"]);
    assert!(log.contains("The rain falls.  (out of character)\n"), "{log}");
}

#[test]
fn talk_about_the_game_without_a_speaker_is_out_of_character() {
    let test_dir = table();
    for line in ["nat 20! ha", "Zoe: got a 17", "did we level up", "pizza is here", "ooc I need to go at ten"] {
        let logged = test_dir.json(&["-C", "mill", "log", line, "--dry-run"]);
        assert_eq!(logged["talk_kind"], "out_of_character", "{line}: {logged}");
    }
    let logged = test_dir.json(&["-C", "mill", "log", "pizza is here", "--in-character", "--dry-run"]);
    assert_eq!(logged["talk_kind"], "narration", "{logged}");
}

#[test]
fn a_line_without_words_is_explained() {
    let test_dir = table();
    for words in [&[""][..], &[" \t"], &[], &["--by", "ada"]] {
        let expected = ["expected the words of the line", "`hearsay -C mill log \"Odo: The ferry is late.\"`"];
        test_dir.fails(&[&["-C", "mill", "log"], words].concat(), 2, &expected);
    }
}

#[test]
fn the_output_names_a_speaker_that_an_option_names() {
    let test_dir = table();
    let logged = test_dir.ok(&["-C", "mill", "log", "--by", "ben", "The cart is loaded."]);
    assert!(logged.contains("  said by: Ben\n"), "{logged}");
}

#[test]
fn a_misspelled_speaker_is_narration_with_a_note() {
    let test_dir = table();
    let note = |line: &[&str]| {
        let logged = test_dir.run(&[&["-C", "mill", "log"], line].concat());
        assert_eq!(logged.code, 0, "{}", logged.stderr);
        logged.stderr
    };
    let misspelled = note(&["Tamsyn: Good evening."]);
    assert!(misspelled.contains("did you mean \"Tamsin Oakley: \u{2026}\"?"), "{misspelled}");
    assert!(misspelled.contains("`hearsay -C mill log --line 1 --by tamsin-oakley`"), "{misspelled}");
    for line in ["Benn: Good evening.", "Tamsim whispers to Ada: Hm."] {
        assert!(note(&[line]).contains("did you mean"), "{line}");
    }
    assert!(note(&["Tamsyn: Good evening.", "--dry-run"]).contains("repeat the command"));
    for line in ["Rain: it pours.", "The miller: Good evening.", "Tamsin: Good evening."] {
        assert!(!note(&[line]).contains("did you mean"), "{line}");
    }
}

#[test]
fn a_name_before_the_colon_that_nobody_has_gets_a_note() {
    let test_dir = table();
    let note = |line: &[&str]| test_dir.run(&[&["-C", "mill", "log"], line].concat()).stderr;
    let unknown = note(&["Jamila: Drinks, anyone?"]);
    for part in [
        "no character is called \"Jamila\"",
        "`hearsay -C mill log --line 1 --by NAME`",
        "`hearsay -C mill entity add \"Jamila\"",
        "log --line 1 --by jamila`",
    ] {
        assert!(unknown.contains(part), "{part}: {unknown}");
    }
    assert!(note(&["the old monk: Hush."]).contains("no character is called \"the old monk\""));
    assert!(note(&["Tamsyn opens the window."]).contains("If you mean Tamsin Oakley"));
    for line in ["Rain: it pours.", "The Mill: a fire.", "Tamsin: Good evening.", "Tamsin opens the window."] {
        assert!(!note(&[line]).contains("no character is called"), "{line}");
    }
    let report = test_dir.ok(&["-C", "mill", "session", "end"]);
    assert!(report.contains("Names before a colon that no entity has:"), "{report}");
    assert!(report.contains("Jamila (line 1)") && report.contains("the old monk (line 2)"), "{report}");
}

#[test]
fn only_characters_and_groups_speak() {
    let test_dir = table();
    for (speaker, kind) in [("wheel", "an item"), ("the-mill", "a location")] {
        for command in [&["log"][..], &["say"]] {
            let line = [&["-C", "mill"], command, &["--by", speaker, "I turn."]].concat();
            test_dir.fails(&line, 1, &[kind, "cannot speak", "a character or a group"]);
        }
    }
}

#[test]
fn a_narrated_death_waits_for_review_and_the_log_says_how_to_accept_it() {
    let test_dir = table();
    let logged = test_dir.ok(&["-C", "mill", "log", "Cole dies in the fire."]);
    let warning = logged.lines().find(|line| line.starts_with("warning:")).unwrap_or_default();
    let accept = warning.split('`').nth(1).unwrap_or_default();
    assert!(
        warning.contains("Cole counts as alive") && accept.starts_with("hearsay -C mill review accept "),
        "{logged}"
    );
    test_dir.ok(&["-C", "mill", "log", "--by", "cole", "I am still here."]);
    let accept: Vec<&str> = accept.split(' ').skip(1).collect();
    test_dir.ok(&accept);
    let said = test_dir.run(&["-C", "mill", "say", "--by", "cole", "I am still here, friends."]);
    assert!(said.code != 0 && said.stderr.contains("cole is dead"), "{}", said.stderr);
    // A ghost can speak in the log, but nobody can speak to the dead.
    let logged = test_dir.run(&["-C", "mill", "log", "Cole: I knock on the wall."]);
    let warning = logged.stderr.lines().find(|line| line.starts_with("warning: Cole is dead")).unwrap_or_default();
    assert!(warning.contains("fact retract") && logged.code == 0, "{}", logged.stderr);
    assert!(!logged.stderr.contains("session attend"), "{}", logged.stderr);
    for line in [&["--by", "ada", "--to", "cole", "Hello?"][..], &["Ada (to Cole): Hello?"]] {
        test_dir.fails(&[&["-C", "mill", "log"], line].concat(), 1, &["cole is dead"]);
    }
    // If a character says that somebody is dead, this person need not be dead, so there is no warning.
    test_dir.ok(&["-C", "mill", "session", "attend", "--arrive", "tamsin-oakley"]);
    let claimed = test_dir.ok(&["-C", "mill", "log", "--by", "tamsin-oakley", "Old Ada died last night."]);
    assert!(!claimed.contains("counts as alive"), "{claimed}");
    // The victim of a killing is dead too.
    let killed = test_dir.ok(&["-C", "mill", "log", "Ada Flint was killed by Tamsin Oakley."]);
    let warning = killed.lines().find(|line| line.starts_with("warning:")).unwrap_or_default();
    assert!(warning.contains("Ada Flint counts as alive"), "{killed}");
    test_dir.ok(&warning.split('`').nth(1).unwrap_or_default().split(' ').skip(1).collect::<Vec<_>>());
    let said = test_dir.run(&["-C", "mill", "say", "--by", "ada", "I am still here, friends."]);
    assert!(said.code != 0 && said.stderr.contains("ada is dead"), "{}", said.stderr);
}

#[test]
fn every_death_from_a_text_waits_for_review_at_any_threshold() {
    let test_dir = table();
    test_dir.write("mill/hearsay.toml", "[policy]\ncanon_threshold = 0.5\nthreshold = 0.5\n");
    let status = |line: &[&str], statement: &str| {
        let logged = test_dir.json(&[&["-C", "mill", "log"], line].concat());
        let row = logged["extracted"].as_array().unwrap().iter().find(|row| row["statement"] == statement).cloned();
        row.unwrap_or_else(|| panic!("{statement}: {logged}"))["status"].as_str().unwrap().to_owned()
    };
    let (killed, dead) = ("Ada Flint killed Cole.", "Ada Flint is dead.");
    let wounded = "Ada Flint is wounded.";
    assert_eq!(status(&["Cole was killed by Ada Flint."], killed), "proposed");
    assert_eq!(status(&["Ada Flint is wounded."], wounded), "canon");
    assert_eq!(status(&["--by", "tamsin-oakley", "Ada Flint is dead."], dead), "proposed");
    let wounded = "Ben is wounded.";
    assert_eq!(status(&["--by", "tamsin-oakley", "Ben is wounded."], wounded), "claimed");
    for (text, expected) in [("Cole was killed by Ada Flint.", "proposed"), ("Cole is wounded.", "canon")] {
        let notes = test_dir.json(&["-C", "mill", "fact", "extract", "--lore", "--text", text]);
        assert_eq!(notes["statuses"][0], expected, "{notes}");
    }
    // The DM's own data needs no review.
    test_dir.ok(&["-C", "mill", "entity", "set", "ben", "condition", "dead"]);
    test_dir.fails(&["-C", "mill", "say", "--by", "ben", "I am still here."], 1, &["ben is dead"]);
}

#[test]
fn a_promise_is_known_to_the_one_to_whom_it_was_made() {
    let test_dir = table();
    // Cole is not there.
    test_dir.ok(&["-C", "mill", "log", "Tamsin Oakley promised Cole to guard the cellar."]);
    let listed = test_dir.json(&["-C", "mill", "fact", "list", "--predicate", "PROMISED"]);
    let promise = &listed["facts"][0];
    let fact = promise["id"].as_str().unwrap();
    if promise["status"] == "proposed" {
        test_dir.ok(&["-C", "mill", "review", "accept", fact]);
    }
    assert!(!known_by(&test_dir, "cole", &fact[..8]).is_empty(), "{listed}");
}

#[test]
fn a_kept_promise_closes_its_thread() {
    let test_dir = table();
    test_dir.ok(&["-C", "mill", "log", "Tamsin Oakley promised Cole to guard the cellar."]);
    let threads = || test_dir.ok(&["-C", "mill", "session", "threads", "--kind", "promise"]);
    assert!(threads().contains("\u{201C}Tamsin Oakley promised Cole to guard the cellar.\u{201D}"), "{}", threads());
    let other = test_dir.ok(&["-C", "mill", "log", "Cole kept his promise to Ada Flint."]);
    assert!(other.contains("no open promise matches"), "{other}");
    let broken = test_dir.ok(&["-C", "mill", "log", "Ben broke his oath to Ada Flint."]);
    assert!(broken.contains("no open promise matches") && !broken.contains("made a promise"), "{broken}");
    let kept = test_dir.ok(&["-C", "mill", "log", "Tamsin Oakley kept her promise to Cole."]);
    let line = kept.lines().find(|line| line.contains("the promise")).unwrap_or_default();
    if let Some(accept) = line.split('`').nth(1) {
        assert!(threads().contains("guard the cellar"), "a fact that waits for review closes nothing: {kept}");
        test_dir.ok(&accept.split(' ').skip(1).collect::<Vec<_>>());
    }
    assert!(line.contains("Tamsin Oakley made a promise to Cole."), "{kept}");
    assert!(threads().contains("No matching open threads."), "{}", threads());
    // A promise that is given again is open again.
    test_dir.ok(&["-C", "mill", "log", "Tamsin Oakley promised Cole to mend the roof."]);
    assert!(threads().contains("mend the roof"), "{}", threads());
}

#[test]
fn a_thread_says_what_was_promised_until_the_promiser_is_dead() {
    let test_dir = table();
    let promised = test_dir.ok(&["-C", "mill", "log", "--by", "ada", "Lyra, I promise to mend the sluice by noon."]);
    let promise = "Ada Flint made a promise to Lyra Fenn: \u{201C}to mend the sluice by noon.\u{201D}";
    assert!(promised.contains(promise), "{promised}");
    let listed = test_dir.json(&["-C", "mill", "fact", "list", "--predicate", "PROMISED"]);
    if listed["facts"][0]["status"] == "proposed" {
        test_dir.ok(&["-C", "mill", "review", "accept", listed["facts"][0]["id"].as_str().unwrap()]);
    }
    let threads = || test_dir.ok(&["-C", "mill", "session", "threads", "--kind", "promise"]);
    assert!(threads().contains(promise), "{}", threads());
    test_dir.ok(&["-C", "mill", "entity", "set", "ada", "condition", "dead"]);
    assert!(!threads().contains(promise), "{}", threads());
}

#[test]
fn a_speaker_is_found_among_those_who_can_speak() {
    let test_dir = TestDir::new();
    test_dir.write(
        "mill/town.yaml",
        "entities:\n  - {id: parlour, name: Finch's Parlour, kind: location}\n  - {id: finch, name: Cornelius Finch, kind: \
         npc, home: the-mill}\n  - {id: lyra, name: Lyra Fenn, kind: player, home: none}\n  - {id: old-marr, name: Old \
         Marr, kind: npc, home: none}\n  - {id: young-marr, name: Young Marr, kind: npc, home: none}\n",
    );
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    let logged = test_dir.ok(&["-C", "mill", "log", "Finch: We are closed."]);
    assert!(logged.contains("said by: Cornelius Finch"), "{logged}");
    test_dir.ok(&["-C", "mill", "ask", "--as", "finch", "--with", "lyra", "Who is here?"]);
    let heard = test_dir.json(&["-C", "mill", "log", "--by", "lyra", "--to", "finch", "Not here."])["heard_by"].clone();
    assert_eq!(heard, serde_json::json!(["finch", "lyra"]));
    // Two characters have the name, so the line is not recorded as narration.
    test_dir.fails(
        &["-C", "mill", "log", "Marr: I saw nothing."],
        3,
        &["`Marr` can mean several entities", "`old-marr`, `young-marr`"],
    );
    test_dir.write("talk.txt", "Finch: We are closed.\nMarr: Hm.\n");
    let preview = test_dir.json(&["-C", "mill", "session", "import", "talk.txt", "--dry-run"]);
    assert_eq!(preview["speakers"][0]["is"]["character"], "finch");
    assert_eq!(preview["speakers"][1]["is"]["ambiguous"], serde_json::json!(["old-marr", "young-marr"]));
}

#[test]
fn a_logged_line_does_not_end_concealment() {
    let test_dir = TestDir::new();
    // Without a clock, the line has the same game time as the secret.
    let campaign = r#"
campaign: {name: The Heron Players}
entities:
  - {id: stage, name: The Stage, kind: location}
  - {id: ysolde, name: Ysolde Marrick, kind: player, home: stage}
  - {id: sabine, name: Sabine Kohl, kind: npc, home: stage}
  - id: odette
    name: Odette Farrow
    kind: npc
    home: stage
    secrets:
      - {id: will-in-moon, text: "Odette Farrow hid the will of Baron Lisk inside the paper moon."}
"#;
    test_dir.write("heron/campaign.yaml", campaign);
    test_dir.ok(&["-C", "heron", "session", "start", "--at", "stage"]);
    let tell = |speaker: &str, hearer: &str, words: &str| {
        test_dir.ok(&["-C", "heron", "log", "--by", speaker, "--to", hearer, "--states", "will-in-moon", words])
    };
    let knowers = |only_concealing: bool| -> Vec<String> {
        let known = test_dir.json(&["-C", "heron", "know", "who-knows", "will-in-moon"]);
        let rows = known["characters"].as_array().unwrap().iter();
        let rows = rows.filter(|row| !only_concealing || row["conceals"] == true);
        rows.map(|row| row["knower"].as_str().unwrap().to_owned()).collect()
    };
    tell("odette", "ysolde", "I hid the will of Baron Lisk inside the paper moon.");
    assert_eq!((knowers(true), knowers(false)), (vec!["odette".to_owned()], vec!["odette".into(), "ysolde".into()]));
    tell("odette", "sabine", "I hid the will of Baron Lisk inside the paper moon.");
    assert_eq!(knowers(true), ["odette"]);
    // Ysolde heard of it from Odette first, and Odette has always known it.
    tell("sabine", "ysolde", "Odette hid the will of Baron Lisk inside the paper moon.");
    let report = test_dir.json(&["-C", "heron", "session", "show", "session-1"]);
    let learned_by = |knower: &str| {
        let rows = report["learned"].as_array().unwrap().iter().filter(|row| row["knower"] == knower);
        let mut facts = rows.flat_map(|row| row["facts"].as_array().unwrap());
        facts.find(|fact| fact["statement"].as_str().unwrap().contains("paper moon")).cloned()
    };
    let of_ysolde = learned_by("ysolde").unwrap_or_else(|| panic!("{report}"));
    assert_eq!((&of_ysolde["acquisition"], learned_by("odette")), (&"told by Odette Farrow".into(), None), "{report}");
    test_dir.ok(&["-C", "heron", "event", "tell", "--by", "odette", "will-in-moon", "--to", "ysolde", "--openly"]);
    assert!(knowers(true).is_empty());
}

#[test]
fn a_secret_that_a_player_character_knows_is_no_longer_untold() {
    let test_dir = table();
    let is_untold = || {
        let secrets = test_dir.json(&["-C", "mill", "know", "secrets", "--untold"])["secrets"].to_string();
        let threads = test_dir.ok(&["-C", "mill", "session", "threads", "--kind", "secret"]);
        [secrets, threads].map(|list| list.contains("took the purse of Cole"))
    };
    assert_eq!(is_untold(), [true, true]);
    // Ben is no player character.
    test_dir.ok(&["-C", "mill", "log", "--by", "ada", "--to", "ben", "--states", "ada-robbed-cole", "I robbed Cole."]);
    assert_eq!(is_untold(), [true, true]);
    let narration = "Ada Flint took the purse of Cole in the night.";
    test_dir.ok(&["-C", "mill", "log", "--states", "ada-robbed-cole", narration]);
    assert_eq!(is_untold(), [false, false]);
}

#[test]
fn a_player_who_asks_about_the_own_character_by_name_is_out_of_character() {
    let test_dir = table();
    let kind = |line: &str| test_dir.json(&["-C", "mill", "log", line])["talk_kind"].clone();
    assert_eq!(kind("Zoe: where is Lyra, can i be there too?"), "out_of_character");
    // The character says the words, or the player tells what the character does.
    assert_eq!(kind("Lyra: Where is Lyra Fenn?"), "in_character");
    assert_ne!(kind("Zoe: I am Lyra Fenn. Who are you?"), "out_of_character");
}

#[test]
fn a_secret_is_told_if_a_player_character_knows_another_fact_with_the_same_content() {
    let test_dir = TestDir::new();
    let people = r#"
entities:
  - {id: ysa, name: Ysa Marr, aliases: [{name: Lucia Thorn, secret: true}], kind: npc, home: the-mill}
  - {id: lyra, name: Lyra Fenn, kind: player, location: the-mill}
facts:
  - {id: robbed, subject: ysa, text: "Ysa Marr took the purse of Cole in the night.", secret: true, known_by: [ysa]}
  - {id: rumoured, subject: ysa, text: "In the night, Ysa Marr took Cole's purse.", known_by: [lyra]}
audience: {attributes: {name: common}}
"#;
    test_dir.write("mill/people.yaml", people);
    let untold = || test_dir.json(&["-C", "mill", "know", "secrets", "--untold"])["secrets"].to_string();
    assert!(untold().contains("Lucia Thorn") && !untold().contains("purse"), "{}", untold());
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    test_dir.ok(&["-C", "mill", "log", "--by", "ysa", "My real name is Lucia Thorn."]);
    assert!(!untold().contains("Lucia Thorn"), "{}", untold());
    let shown = test_dir.ok(&["-C", "mill", "entity", "show", "ysa"]);
    assert!(shown.contains("also called Lucia Thorn\n"), "{shown}");
}

/// Returns a mill with the player characters Kessa (she) and Jorn (he), a ford, and a session at the mill.
fn pair_at_the_mill() -> TestDir {
    let test_dir = TestDir::new();
    let people = r#"
entities:
  - {id: ford, name: The Ford, kind: location}
  - {id: kessa, name: Kessa Dray, kind: player, home: none, attributes: {pronouns: she/her}}
  - {id: jorn, name: Jorn, kind: player, home: none, attributes: {pronouns: he/him}}
"#;
    test_dir.write("mill/pair.yaml", people);
    test_dir.ok(&["-C", "mill", "session", "start", "--at", "the-mill"]);
    test_dir
}

#[test]
fn a_pronoun_before_the_colon_is_the_last_speaker_whom_it_fits() {
    let test_dir = pair_at_the_mill();
    let log = |line: &str| test_dir.ok(&["-C", "mill", "log", line]);
    log("Kessa: The ford is deep.");
    log("Jorn looks up.");
    for (line, name) in [
        ("She: Deeper than last year.", "Kessa Dray"),
        ("He: Then we swim.", "Jorn"),
        ("He whispers to Kessa: I cannot swim.", "Jorn"),
        ("She (laughing): Nor can I.", "Kessa Dray"),
    ] {
        let printed = log(line);
        assert!(printed.contains(&format!("said by: {name}\n")), "{line}: {printed}");
    }
    let lines = test_dir.json(&["-C", "mill", "session", "show", "--log"]);
    let texts: Vec<&str> = lines.as_array().unwrap().iter().map(|line| line["text"].as_str().unwrap()).collect();
    assert_eq!(texts[2..], ["Deeper than last year.", "Then we swim.", "I cannot swim.", "Nor can I."]);
    // Narration about the person stays narration.
    assert!(!log("She says nothing: she waits.").contains("said by"));
    // "They" is no person whose pronouns are unknown, such as Ben.
    test_dir.ok(&["-C", "mill", "session", "attend", "--leave", "ada"]);
    assert!(!log("They shouted: Not a step further!").contains("said by"));
    // The pronoun of nobody in the scene.
    test_dir.ok(&["-C", "mill", "session", "attend", "--leave", "kessa", "--leave", "ben"]);
    test_dir.fails(&["-C", "mill", "log", "She: Hm."], 3, &["nobody in the scene", "write the name of the speaker"]);
}

#[test]
fn a_pronoun_before_the_colon_is_a_guess_about_those_who_acted_last() {
    let test_dir = pair_at_the_mill();
    let people = "entities:\n  - {id: nell, name: Nell, kind: player, home: none}\n  - {id: wat, name: Wat, kind: player, \
                  home: none}\n";
    test_dir.write("mill/more.yaml", people);
    test_dir.ok(&["-C", "mill", "session", "attend", "--arrive", "nell", "--arrive", "wat"]);
    let log = |line: &str| test_dir.run(&["-C", "mill", "log", line]);
    let ambiguous = |line: &str, names: &str| {
        test_dir.fails(&["-C", "mill", "log", line], 3, &[format!("can refer to {names}").as_str(), "write the name"]);
    };
    // The pronouns of Nell and Wat are not recorded, and Kessa only listens.
    log("Nell winks at Jorn.");
    let guess = log("She: One more song.");
    assert!(guess.stdout.contains("said by: Nell\n"), "{}", guess.stdout);
    assert!(
        guess.stderr.contains("the speaker is a guess") && guess.stderr.contains("--by CHARACTER`"),
        "{}",
        guess.stderr
    );
    log("Wat winks at Nell.");
    ambiguous("She: Agreed.", "Wat and Nell");
    // The lines use a pronoun for Wat.
    log("Wat polishes his spyglass.");
    log("Wat winks at Nell.");
    let guess = log("She: Agreed.");
    assert!(guess.stdout.contains("said by: Nell\n"), "{}", guess.stdout);
    log("Jorn bows to Kessa and Nell.");
    ambiguous("She: How kind.", "Kessa Dray and Nell");
    // A name is no guess.
    let named = log("Nell: Thank you.");
    assert!(!named.stderr.contains("a guess"), "{}", named.stderr);
}

#[test]
fn a_whisper_at_another_place_moves_the_whole_scene() {
    let test_dir = pair_at_the_mill();
    let heard_by = |line: &[&str]| test_dir.json(&[&["-C", "mill", "log"][..], line].concat())["heard_by"].clone();
    let both = serde_json::json!(["jorn", "kessa"]);
    let three = "entities:\n  - {id: wick, name: Wick, kind: player, home: none}\n";
    test_dir.write("mill/wick.yaml", three);
    test_dir.ok(&["-C", "mill", "session", "attend", "--arrive", "wick"]);
    assert_eq!(heard_by(&["--at", "ford", "Kessa whispers to Jorn: Not a sound."]), both);
    assert_eq!(heard_by(&["Water splashes."]), serde_json::json!(["jorn", "kessa", "wick"]));
    // With `--to`, only the speaker and the hearers go there.
    assert_eq!(heard_by(&["--at", "the-mill", "--by", "kessa", "--to", "jorn", "Here we are safe."]), both);
    assert_eq!(heard_by(&["A heron flies up."]), serde_json::json!(["wick"]));
}

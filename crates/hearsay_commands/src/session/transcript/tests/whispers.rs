//! Tests of reported whispers, and of words after a deed.

use super::*;

const EVERYBODY: [&str; 3] = ["dorric-stane", "mirela-voss", "wren-oake"];

fn hearers(state: &State, line: &str) -> Vec<String> {
    heard(state, line, &EVERYBODY).unwrap().2
}

#[test]
fn narration_can_report_a_whisper() {
    let state = table();
    for line in [
        "Mirela whispers to Wren that the ferry leaves at dawn.",
        "Mirela Voss murmured in Wren's ear that the ferry leaves at dawn.",
        "Mirela leans over the table and whispers to Wren what the ferry costs.",
        "Mirela then whispers to Wren about the ferry.",
        "Mirela tells Wren in private that Dorric sold the ferry.",
        "Mirela tells Wren, so that nobody else hears, that Dorric sold the ferry.",
        "Mirela pulls Wren aside and whispers that Dorric sold the ferry.",
        "Mirela whispers to Wren: Dorric sold the ferry.",
        "Mirela whispers to Wren, \u{201C}Dorric sold the ferry.\u{201D}",
        "Mirela whispers to Wren that the ferry is gone. Wren nods.",
    ] {
        assert_eq!(hearers(&state, line), EVERYBODY[1..], "{line}");
    }
    assert_eq!(hearers(&state, "Mirela mutters to herself that the ferry is late."), EVERYBODY[1..2]);
    for line in [
        "Mirela tells Wren that the ferry leaves at dawn.",
        "Mirela tells Wren that Dorric quietly sold the ferry.",
        "Mirela whispers that the ferry leaves at dawn.",
        "Mirela whispers to Wren's brother that the ferry leaves at dawn.",
        "Mirela whispers to Wren and leaves.",
        "Mirela never whispers to Wren about the ferry.",
        "Mirela listens as the guard nods and whispers to Wren that the ferry leaves.",
        "Mirela whispers to Wren that the ferry is gone. Dorric storms in.",
    ] {
        assert_eq!(hearers(&state, line), EVERYBODY, "{line}");
    }
}

#[test]
fn the_dead_hear_no_reported_whisper() {
    let mut state = table();
    set(&mut state, "Dorric Stane", "condition", "dead");
    let line = "Mirela whispers to Dorric that the ferry is gone.";
    let present = ["mirela-voss", "wren-oake"];
    assert_eq!(heard(&state, line, &present).unwrap().2, present, "{line}");
    let line = "Mirela bends over Dorric's body and whispers: The ferry is gone.";
    assert_eq!(heard(&state, line, &present).unwrap().2, present, "{line}");
    // A ghost can whisper.
    let line = "Dorric whispers to Wren that the ferry is gone.";
    assert_eq!(heard(&state, line, &present).unwrap().2, present[1..], "{line}");
}

#[test]
fn the_hearer_of_a_whisper_can_be_named_before_the_verb() {
    let state = table();
    for line in [
        "Mirela grabs Wren's arm and whispers: The ferry is gone.",
        "Mirela bends down to Wren and whispers in her ear: The ferry is gone.",
        "Mirela pulls Wren aside and says: The ferry is gone.",
        "Mirela pulls Wren into the pantry and tells her: The ferry is gone.",
        "Mirela draws Wren behind the bar and says: The ferry is gone.",
    ] {
        let expected = (Some("mirela-voss".to_owned()), "The ferry is gone.".to_owned());
        let (speaker, text, hearers) = heard(&state, line, &EVERYBODY).unwrap();
        assert_eq!((speaker, text), expected, "{line}");
        assert_eq!(hearers, EVERYBODY[1..], "{line}");
        assert!(!LogLine::typed(line).has_open_whisper(&state), "{line}");
    }
    for line in [
        "Mirela whispers: The ferry is gone.",
        "Mirela points at Wren and whispers: The ferry is gone.",
        "Mirela steps between Wren and Dorric and whispers: The ferry is gone.",
    ] {
        assert_eq!(hearers(&state, line), EVERYBODY, "{line}");
        assert!(LogLine::typed(line).has_open_whisper(&state), "{line}");
    }
    assert!(!LogLine::typed("Mirela says: The ferry is gone.").has_open_whisper(&state));
}

#[test]
fn words_can_be_whispered_without_a_verb_of_whispering() {
    let state = table();
    for line in [
        "Mirela takes Wren aside: The ferry is gone.",
        "Mirela pulls Wren behind the bar: The ferry is gone.",
        "Mirela to Wren, very quietly: The ferry is gone.",
        "Mirela grins and draws Wren aside: The ferry is gone.",
        "Mirela leans in close to Wren: The ferry is gone.",
        "Mirela, low voice, to Wren: The ferry is gone.",
        "Mirela, voice low, to Wren Oake: The ferry is gone.",
        "Mirela to Wren, under her breath: The ferry is gone.",
        "Mirela hisses to Wren: The ferry is gone.",
    ] {
        let expected = (Some("mirela-voss".to_owned()), "The ferry is gone.".to_owned());
        let (speaker, text, hearers) = heard(&state, line, &EVERYBODY).unwrap();
        assert_eq!((speaker, text), expected, "{line}");
        assert_eq!(hearers, EVERYBODY[1..], "{line}");
    }
    assert_eq!(hearers(&state, "Mirela hisses to Wren that the ferry is gone."), EVERYBODY[1..]);
    // Nobody is named, so everybody hears the words, and a note asks for the hearer.
    let open = "Mirela, under her breath: The ferry is gone.";
    assert_eq!(heard(&state, open, &EVERYBODY).unwrap().0.as_deref(), Some("mirela-voss"));
    assert_eq!(hearers(&state, open), EVERYBODY);
    assert!(LogLine::typed(open).has_open_whisper(&state));
    for line in [
        "Mirela hisses: The ferry is gone.",
        "Mirela hisses to the crowd: The ferry is gone.",
        "Mirela hisses at Wren: The ferry is gone.",
        "Mirela takes the oar aside: The ferry is gone.",
        "Mirela pulls the chest into the hall and says: The ferry is gone.",
        "Mirela pulls Wren into the boat and shouts: The ferry is gone.",
        "Mirela pulls the lever, Wren stumbles into the pit and says: The ferry is gone.",
        "Mirela leans back: The ferry is gone.",
    ] {
        assert_eq!(hearers(&state, line), EVERYBODY, "{line}");
    }
}

#[test]
fn words_in_the_first_person_can_follow_a_deed() {
    let state = table();
    for (line, said) in [
        ("Mirela kicks the bucket over: fine, I took it", "fine, I took it"),
        ("Mirela sits down - I'm the one who sold the boat", "I'm the one who sold the boat"),
        ("Mirela throws the rope at Dorric \u{2013} don't let go", "don't let go"),
        ("Mirela opens the door: \u{201C}The ferry is gone.\u{201D}", "\u{201C}The ferry is gone.\u{201D}"),
        ("Mirela to Wren: the ferry is gone", "the ferry is gone"),
        ("Mirela bellows at the crew: Nobody touched the boat", "Nobody touched the boat"),
    ] {
        let expected = (Some("mirela-voss".to_owned()), said.to_owned(), EVERYBODY.map(str::to_owned).to_vec());
        assert_eq!(heard(&state, line, &EVERYBODY), Ok(expected), "{line}");
    }
    for line in [
        "Mirela opens the letter: I sold the boat.",
        "Mirela remembers: I sold the boat.",
        "Mirela is sure of it: I sold the boat.",
        "Mirela sits down, and Wren shouts: I sold the boat.",
        "Mirela opens the door: you see a hall.",
        "Mirela opens the chest: three coins.",
        "Mirela opens the chest - it is empty.",
        "Mirela - I mean Wren - sits down.",
        "Mirela arrives at 7:30 and I am late.",
        "The road to Wren: I walked it.",
    ] {
        assert_eq!(typed(&state, line).0, None, "{line}");
    }
    let possible = |line: &str| LogLine::typed(line).possible_speaker(&state);
    for line in [
        "Mirela slams the lid: you knew it",
        "Mirela slams the lid: enough!",
        "Mirela slams the lid: and the boat?",
        "Mirela reads: I sold the boat.",
        "Mirela yodels over the water: Ahoy!",
        "Mirela harrumphs: I sold the boat.",
    ] {
        assert_eq!(possible(line), Some(id("mirela-voss")), "{line}");
    }
    for line in [
        "Mirela opens the door: you see a hall.",
        "Mirela opens the chest: three coins.",
        "Mirela says no.",
        "Mirela yodels over the water: three notes.",
    ] {
        assert_eq!(possible(line), None, "{line}");
    }
    let speaker = id("mirela-voss").into();
    let corrected = LogLine::spoken_by(&speaker, "Mirela slams the lid: you knew it", &state).unwrap();
    assert_eq!(corrected.text, "you knew it");
}

#[test]
fn a_short_form_of_a_title_and_a_last_name_refer_to_a_character() {
    let mut state = table();
    add(&mut state, "Captain Osgrim Tull", Kind::Npc);
    for line in ["Capt Tull: Halt.", "Cap Osgrim: Halt.", "Captain Tull: Halt."] {
        assert_eq!(typed(&state, line).0.as_deref(), Some("captain-osgrim-tull"), "{line}");
    }
    assert_eq!(typed(&state, "Doc Tull: Halt.").0, None);
    add(&mut state, "Captain Berin Tull", Kind::Npc);
    assert_eq!(typed(&state, "Capt Tull: Halt.").0, None, "two captains have the name");
    add(&mut state, "Doctor Ilse Krantz", Kind::Npc);
    let similar = |line: &str| LogLine::typed(line).similar_speaker(&state);
    assert_eq!(similar("Krants: Sit down."), Some(id("doctor-ilse-krantz")));
    assert_eq!(similar("Doctor Krants: Sit down."), Some(id("doctor-ilse-krantz")));
    assert_eq!(similar("Tulle: Halt."), None);
}

#[test]
fn words_can_suggest_that_only_some_characters_notice_a_line() {
    let state = table();
    for line in [
        "Dorric hisses at Wren: not a word to the abbot",
        "Look at this card. (only Wren sees it)",
        "A king of hearts (shows it to Dorric only)",
        "Mirela: a key (only to Wren)",
        "Dorric creeps down. Behind the altar: sacks of salt. Nobody sees him.",
        "Dorric, only to Wren: not a word",
        "Wren hands Dorric the letter under the table.",
    ] {
        assert!(LogLine::typed(line).sounds_private(&state), "{line}");
    }
    for line in [
        "Only three coins are left.",
        "He came only to drink.",
        "The door closes quietly.",
        "Dorric: only Mirela knows how to row.",
        "Wren sees only fog.",
        "Mirela softly closes the chest.",
        "Dorric takes Wren into his service.",
        "Wren: I told you, quietly now!",
        "Mirela pulls the boat into the shed: it leaks.",
        "Nobody knows the way.",
        "The table breaks. Under it lies a cat.",
        "Dorric says to Wren: the ferry is late.",
        "The dog sleeps under the table.",
        "The guild meets in secret every week.",
        "Nobody sees the point of it.",
        "Mirela: nobody sees the abbot before noon",
        "Mirela: Dorric hides the salt from Wren in secret",
        "(ooc) only Wren sees pizza",
    ] {
        assert!(!LogLine::typed(line).sounds_private(&state), "{line}");
    }
}

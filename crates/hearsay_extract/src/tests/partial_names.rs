//! Tests which words refer to an entity by a part of its name.

use super::*;

const NAMES: [(&str, &str, &str, &[&str]); 8] = [
    ("delilah", "npc", "she", &["Delilah Briarwood"]),
    ("hunter", "npc", "she", &["Marla Hunter"]),
    ("tam", "player", "he", &["Tam of the Nine Camels"]),
    ("gentleman", "npc", "he", &["The Gentleman"]),
    ("cult", "faction", "", &["the Cult of the Whispered One"]),
    ("nine-swords", "faction", "", &["the Order of the Nine Swords"]),
    ("signet-wall", "location", "", &["the Signet Wall"]),
    ("dock-four", "location", "", &["Dock Four"]),
];

#[test]
fn numbers_and_first_words_are_no_evidence_for_a_part_of_a_name() {
    let cases: [(&str, &[&str]); 16] = [
        ("One of the guards owes Delilah money.", &["delilah"]),
        ("One of the guards hit the wall. Delilah killed one of the guards.", &["delilah"]),
        ("One by one, the guards fled from Delilah.", &["delilah"]),
        ("Delilah spoke to the cult. One of the guards fled, and one stayed.", &["delilah"]),
        ("Nine of the soldiers follow Delilah.", &["delilah"]),
        ("Delilah paid nine crowns and four pence.", &["delilah"]),
        ("Four guards saw Delilah.", &["delilah"]),
        ("Hunter after hunter fears Delilah.", &["delilah"]),
        ("The gentleman smiled at Delilah.", &["delilah"]),
        ("Delilah hit the wall.", &["delilah"]),
        ("The Whispered One speaks to Delilah.", &["cult", "delilah"]),
        ("The Cult of the Whispered One pays Delilah.", &["cult", "delilah"]),
        ("Delilah leads the Order of the Nine Swords.", &["delilah", "nine-swords"]),
        ("Delilah waits at Dock Four.", &["delilah", "dock-four"]),
        ("Hunter fears Delilah.", &["hunter", "delilah"]),
        ("Delilah fears Marla Hunter.", &["delilah", "hunter"]),
    ];
    for (text, expected) in cases {
        let found = extractor().extract(&lexicon(&NAMES), &Text::new(text, TextType::Narration));
        let entities: Vec<&str> = found.mentions.iter().map(|mention| mention.entity.as_str()).collect();
        assert_eq!(entities, expected, "{text}");
    }
}

#[test]
fn a_word_before_the_noun_of_a_name_is_no_name_in_lowercase() {
    let names: [(&str, &str, &str, &[&str]); 3] = [
        ("corvin", "npc", "he", &["Corvin Aalst"]),
        ("sluice-hall", "location", "", &["Sluice Hall"]),
        ("candle-wharf", "location", "", &["Candle Wharf"]),
    ];
    for (text, expected) in [
        ("Corvin lives in Sluice Hall. The north sluice is open.", &["corvin", "sluice-hall"][..]),
        ("Corvin lives in Sluice Hall. The sluice is open.", &["corvin", "sluice-hall"]),
        ("Corvin went to the wharf.", &["corvin", "candle-wharf"]),
    ] {
        let found = extractor().extract(&lexicon(&names), &Text::new(text, TextType::Narration));
        let entities: Vec<&str> = found.mentions.iter().map(|mention| mention.entity.as_str()).collect();
        assert_eq!(entities, expected, "{text}");
    }
}

#[test]
fn a_person_can_be_addressed_by_the_beginning_of_a_name() {
    let names: [(&str, &str, &str, &[&str]); 4] = [
        ("brannoch", "player", "", &["Brannoch Teel"]),
        ("sefa", "player", "she", &["Sefa Marrow"]),
        ("tamsin", "npc", "she", &["Tamsin Oak"]),
        ("tamlin", "npc", "he", &["Tamlin Reed"]),
    ];
    let sefa = id("sefa");
    let read = |text: &str| {
        let text = Text { speaker: Some(&sefa), ..Text::new(text, TextType::Talk) };
        extractor().extract(&lexicon(&names), &text)
    };
    for text in ["The doctor is dead, Bran.", "Bran, I have the key.", "The doctor is dead, Brannoch."] {
        let found = read(text);
        assert!(found.entities.is_empty(), "{text}: {:?}", found.entities);
        assert!(found.mentions.iter().any(|mention| mention.entity == id("brannoch")), "{text}");
    }
    for text in ["The doctor is dead, Bran.", "The doctor is dead, Brannoch."] {
        let facts = read(text).facts;
        assert!(facts.iter().all(|fact| fact.subject != Mention::Known(id("brannoch"))), "{text}: {facts:?}");
    }
    // Two persons have such a name.
    assert!(read("The doctor is dead, Tam.").mentions.is_empty());
}

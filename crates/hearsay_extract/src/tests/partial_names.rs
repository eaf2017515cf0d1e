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

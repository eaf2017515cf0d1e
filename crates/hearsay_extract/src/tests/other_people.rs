//! Tests that a fact about the relatives of a person is not recorded as a fact about that person.

use super::*;

const VALLEY: [(&str, &str, &str, &[&str]); 4] = [
    ("percival", "npc", "he", &["Percival de Rolo"]),
    ("delilah", "npc", "she", &["Delilah Briarwood"]),
    ("gideon", "npc", "he", &["Gideon Mott"]),
    ("mill", "location", "", &["the Mill"]),
];

#[test]
fn what_happens_to_relatives_is_no_fact_about_their_owner() {
    for (owner, text) in [
        ("percival", "Percival came home. His parents were killed by Delilah Briarwood."),
        ("percival", "Percival's parents were killed by Delilah Briarwood."),
        ("percival", "Percival's parents are dead."),
        ("percival", "Percival's father was killed by Delilah."),
        ("percival", "Percival's sister was betrayed by Delilah."),
        ("percival", "Percival's brother works for Delilah."),
        ("percival", "Percival's brother lives at the Mill."),
        ("percival", "Percival's father owns the Mill."),
        ("percival", "Percival's mother is a smith."),
        ("percival", "Percival's wife fears Gideon."),
        ("percival", "Percival's sister is married to Gideon Mott."),
        ("percival", "Percival's wife and children live at the Mill."),
        ("percival", "Percival's brother, who hates Gideon, lives at the Mill."),
        ("percival", "Percival's mother-in-law owns the Mill."),
        ("percival", "The father of Percival lives at the Mill."),
        ("percival", "Percival sat down. His wife was betrayed by Gideon Mott."),
        ("delilah", "Delilah Briarwood entered the hall. Her sister was murdered by Gideon."),
        ("delilah", "The Briarwood family was killed by Percival."),
        ("gideon", "The Mott family owns the Mill."),
    ] {
        let found = extractor().extract(&lexicon(&VALLEY), &Text::new(text, TextType::Narration));
        let owner = Mention::Known(id(owner));
        let is_about_owner =
            |fact: &&ExtractedFact| fact.subject == owner || fact.object == FactObject::Entity(owner.clone());
        let facts: Vec<_> = found.facts.iter().filter(is_about_owner).collect();
        assert!(facts.is_empty(), "{text}: {facts:?}");
    }
}

#[test]
fn a_relative_with_a_name_is_related_to_the_owner() {
    for (text, expected) in [
        ("Percival's mother is Ansa.", "Percival de Rolo is a child of Ansa."),
        ("Percival's mother is called Ansa.", "Percival de Rolo is a child of Ansa."),
        ("Percival's brother Pell owns the Mill.", "Pell is the brother of Percival de Rolo."),
        ("Percival's brother Pell owns the Mill.", "Pell owns the Mill."),
        ("Percival's wife, a woman called Sabine, owns the Mill.", "Sabine owns the Mill."),
    ] {
        let found = extractor().extract(&lexicon(&VALLEY), &Text::new(text, TextType::Narration));
        let is_expected = |fact: &ExtractedFact| fact.statement == expected && fact.confidence.get() >= 0.7;
        assert!(found.facts.iter().any(is_expected), "{text}: {:?}", found.facts);
    }
}

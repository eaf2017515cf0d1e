//! Tests of who is dead according to a text: the person of whom the words say so, and nobody else.

use std::collections::BTreeSet;

use super::*;

const PEOPLE: [(&str, &str, &str, &[&str]); 8] = [
    ("grimjaw", "npc", "he", &["Grimjaw Ironhand"]),
    ("mirela", "npc", "she", &["Mirela Voss"]),
    ("odo", "npc", "he", &["Odo Brandt"]),
    ("tobin", "npc", "he", &["Tobin"]),
    ("hesper", "npc", "she", &["Hesper Dunmore"]),
    ("pell", "npc", "he", &["Pell"]),
    ("guild", "faction", "", &["the Ferrymen's Guild"]),
    ("mill", "location", "", &["the Mill"]),
];

/// Returns the facts of a text that are likely enough for the review and that state a death, each with the dead entity.
fn deaths(text: &str) -> Vec<(Mention, ExtractedFact)> {
    let (extractor, lexicon) = (extractor(), lexicon(&PEOPLE));
    let facts = extractor.extract(&lexicon, &Text::new(text, TextType::Narration)).facts;
    let death = |fact: ExtractedFact| {
        let dead = fact.dead_entity(extractor.vocabulary()).cloned();
        Some((dead.filter(|_| fact.confidence.get() >= 0.3)?, fact))
    };
    facts.into_iter().filter_map(death).collect()
}

#[track_caller]
fn check_dead(text: &str, expected: &[&str]) {
    let found = deaths(text);
    let dead: BTreeSet<&Mention> = found.iter().map(|(dead, _)| dead).collect();
    let expected: Vec<Mention> = expected.iter().map(|name| Mention::Known(id(name))).collect();
    assert_eq!(dead, expected.iter().collect(), "{text}: {found:?}");
}

#[test]
fn nobody_is_dead_because_of_the_death_of_another() {
    for text in [
        "After Mirela's brother died, she took over the guild.",
        "The night Odo's dog died Odo wept.",
        "Odo's dog died.",
        "Odo's dog is dead.",
        "Odo's brother was murdered.",
        "Odo's horse was killed by Grimjaw.",
        "The horse of Odo was killed by Grimjaw.",
        "Odo's men were killed by Grimjaw.",
        "Grimjaw killed Odo's horse.",
        "Mirela wept. Her servant was murdered.",
        "Odo's killer is dead.",
        "The clerk who killed Odo is dead.",
        "Odo's love for Mirela is dead.",
        "Odo has a dead brother.",
        "A dead man's chest belongs to Odo.",
        "Tobin found the miller dead.",
        "Hesper mourns the death of Pell's father.",
        "Hesper is responsible for the death of Pell's brother.",
    ] {
        check_dead(text, &[]);
    }
}

#[test]
fn nobody_is_dead_who_nearly_died() {
    for text in [
        "Odo was nearly killed.",
        "Odo was almost killed by Grimjaw.",
        "Odo nearly died.",
        "Odo left her for dead.",
        "Odo was left for dead.",
        "Odo is dead tired.",
        "Odo is dead wrong.",
    ] {
        check_dead(text, &[]);
    }
}

#[test]
fn the_person_of_whom_the_words_say_so_is_dead() {
    for (text, dead) in [
        ("Odo is dead.", "odo"),
        ("Odo is dead due to a fever.", "odo"),
        ("Tobin lies dead.", "tobin"),
        ("Odo was killed by Grimjaw.", "odo"),
        ("Odo shot Grimjaw dead.", "grimjaw"),
        ("Tobin found Pell dead.", "pell"),
        ("Odo's son, Pell, is dead.", "pell"),
        ("Odo's brother Pell was killed by Grimjaw.", "pell"),
        ("Odo stabs Pell, and he dies.", "pell"),
        ("Mirela stabs Hesper and she dies.", "hesper"),
        ("Odo stabs Mirela, and he dies.", "odo"),
    ] {
        check_dead(text, &[dead]);
    }
    let found = deaths("Tobin was killed.");
    assert_eq!(found.len(), 1, "one death is one fact: {found:?}");
}

#[test]
fn the_object_of_a_relative_clause_is_not_the_subject_of_the_sentence() {
    let text = Text::new("The clerk who hates Mirela lives at the Mill.", TextType::Narration);
    let facts = extractor().extract(&lexicon(&PEOPLE), &text).facts;
    let mirela = Mention::Known(id("mirela"));
    assert!(facts.iter().all(|fact| fact.subject != mirela || fact.confidence.get() < 0.9), "{facts:?}");
}

#[test]
fn an_unnamed_person_or_thing_can_kill() {
    for text in ["A spear kills Odo.", "The spear hits Odo in the chest and kills him.", "A guard killed Odo."] {
        check_dead(text, &["odo"]);
    }
    for text in ["A spear can kill Odo.", "A spear did not kill Odo.", "A spear kills Odo's horse."] {
        check_dead(text, &[]);
    }
    let facts = extractor().extract(&lexicon(&PEOPLE), &Text::new("Odo dies of poison.", TextType::Narration)).facts;
    assert!(!facts.iter().any(|fact| fact.object == FactObject::Value("poison".to_owned())), "{facts:?}");
}

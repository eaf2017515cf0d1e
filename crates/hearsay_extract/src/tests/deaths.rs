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
        "The sailor falls from the mast. Dead before Odo reaches him.",
        "Odo kicks the sailor. Dead before Pell looks up.",
        "Tobin asks Hesper how Pell died.",
        "Tobin asks Hesper who killed Pell.",
        "Grimjaw wonders why Odo killed Pell.",
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
        "Grimjaw could break his neck on those stairs.",
        "Tobin did not break his neck.",
        "Tobin nearly broke his neck.",
        "Pell breaks his neck to please Mirela.",
        "The watch found Pell dead drunk.",
        "They find Tobin dead on his feet.",
        "They did not find Tobin dead.",
        "If they find Tobin dead, the guild will pay.",
        "Hesper slips to the floor.",
        "Odo is trampled.",
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
        ("The watch finds Pell dead in the mill.", "pell"),
        ("At dawn, they found Hesper murdered in her bed.", "hesper"),
        ("The blast leaves Tobin dead.", "tobin"),
        ("Grimjaw slips on the ice and breaks his neck.", "grimjaw"),
        ("Tobin snaps Pell's neck.", "pell"),
        ("Hesper plunges to her death.", "hesper"),
        ("Mirela bleeds out on the deck.", "mirela"),
        ("Tobin is found strangled behind the mill.", "tobin"),
        ("Pell was trampled to death by a horse.", "pell"),
        ("Tobin is stone dead.", "tobin"),
        ("Hesper is dead of the marsh fever.", "hesper"),
        ("Pell is dead and gone.", "pell"),
        ("Grimjaw is as dead as a stone.", "grimjaw"),
        ("Odo falls from the wall, dead.", "odo"),
        ("Odo falls dead across the bar.", "odo"),
        ("Tobin lunges at Pell with a poker, and Pell falls dead across the hearth.", "pell"),
        ("Hesper does not wake up again, stone dead.", "hesper"),
        ("Tobin falls from the mast. Dead before Odo reaches him.", "tobin"),
    ] {
        check_dead(text, &[dead]);
    }
    let found = deaths("Tobin was killed.");
    assert_eq!(found.len(), 1, "one death is one fact: {found:?}");
}

#[test]
fn the_victim_of_the_previous_sentence_is_dead() {
    for (text, dead) in [
        ("Grimjaw stabs Tobin in the chest; he's dead before anybody moves.", "tobin"),
        ("Odo shoots Pell. He dies on the stairs.", "pell"),
        ("Mirela poisons Hesper. She is dead.", "hesper"),
        ("Odo stabs Hesper. She dies.", "hesper"),
        ("Odo stabs Hesper. He dies.", "odo"),
        ("Odo greets Pell. He dies.", "odo"),
    ] {
        check_dead(text, &[dead]);
    }
}

#[test]
fn a_man_of_whom_somebody_speaks_is_not_the_speaker() {
    for text in
        ["Tobin says the boy drowned.", "Pell shouts: \u{201C}The boy is dead!\u{201D}", "Odo says the man is dead."]
    {
        check_dead(text, &[]);
    }
}

#[test]
fn a_death_does_not_spread_to_the_clause_before_it() {
    for (text, dead) in [
        ("Odo and Tobin fight. Steel between them, and Pell is stabbed and dies.", "pell"),
        ("Mirela and Odo run. A shot at them, and Grimjaw is dead.", "grimjaw"),
        ("A scream from Hesper, and Tobin is dead.", "tobin"),
    ] {
        check_dead(text, &[dead]);
    }
    check_dead("Odo, Tobin, and Pell are killed.", &["odo", "pell", "tobin"]);
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

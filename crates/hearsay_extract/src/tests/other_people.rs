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

#[test]
fn a_relation_to_the_relative_or_boss_of_a_person_is_none_to_the_person() {
    for text in [
        "Mirela is the daughter of Odo's boss.",
        "Odo is the brother of Mirela's husband.",
        "Mirela is the sister of Grimjaw's cook.",
        "Grimjaw is a cousin of Odo's wife.",
    ] {
        let facts = extractor().extract(&town(), &Text::new(text, TextType::Narration)).facts;
        let relations = facts.iter().filter(|fact| matches!(fact.object, FactObject::Entity(_)));
        assert_eq!(relations.count(), 0, "{text}: {facts:?}");
    }
    let text = Text::new("Mirela is the daughter of Odo.", TextType::Narration);
    let facts = extractor().extract(&town(), &text).facts;
    assert!(facts.iter().any(|fact| fact.predicate == *"CHILD_OF"), "{facts:?}");
}

#[test]
fn an_act_on_a_relative_is_no_relation_to_its_owner() {
    let relations = |text: &str| {
        let facts = extractor().extract(&town(), &Text::new(text, TextType::Narration)).facts;
        let mirela = FactObject::Entity(Mention::Known(id("mirela-voss")));
        // "Owes the sisters of Mirela" is no relation to Mirela.
        let is_own = |fact: &ExtractedFact| {
            let names_relative = fact.relation.as_ref().is_some_and(|relation| relation.ends_with("sisters of"));
            fact.object == mirela && fact.confidence.get() >= 0.3 && !names_relative
        };
        facts.into_iter().filter(is_own).collect::<Vec<_>>()
    };
    for text in [
        "Grimjaw hates Mirela's brother.",
        "Grimjaw loves Mirela's daughter.",
        "Grimjaw owes Mirela's sisters ten crowns.",
    ] {
        assert!(relations(text).is_empty(), "{text}: {:?}", relations(text));
    }
    assert!(relations("Grimjaw hates Mirela.").iter().any(|fact| fact.predicate == *"HOSTILE_TO"));
}

#[test]
fn a_pronoun_after_the_words_of_an_npc_is_nobody_else_with_unknown_pronouns() {
    let people = lexicon(&[
        ("pia", "npc", "", &["Pia Grohe"]),
        ("captain", "npc", "", &["Captain Veller"]),
        ("runa", "player", "", &["Runa Falk"]),
        ("mill", "location", "", &["the Mill"]),
    ]);
    let has_fact = |speaker: &str| {
        let speaker = id(speaker);
        let preceding = ["Pia sings.", "Come here."];
        let narration = Text::new("He owns the Mill.", TextType::Narration);
        let text = Text { preceding: &preceding, previous_speaker: Some(&speaker), ..narration };
        let facts = extractor().extract(&people, &text).facts;
        facts.iter().any(|fact| fact.subject == Mention::Known(id("pia")))
    };
    assert!(!has_fact("captain"));
    assert!(has_fact("pia") && has_fact("runa"), "narration seldom tells more about a player's character");
}

#[test]
fn a_title_of_address_is_no_name() {
    for text in ["Odo goes to Her Grace.", "Mirela bows before His Majesty.", "Lyra thanks Your Honour and leaves."] {
        let found = extractor().extract(&town(), &Text::new(text, TextType::Narration));
        assert!(found.entities.is_empty(), "{text}: {:?}", found.entities);
    }
}

#[test]
fn an_amount_is_no_age_and_a_manner_is_no_character() {
    let values = |text: &str, predicate: &str| {
        let facts = extractor().extract(&town(), &Text::new(text, TextType::Narration)).facts;
        facts.iter().filter(|fact| fact.predicate == *predicate).count()
    };
    for text in ["Grimjaw in debt to Odo, sixty", "Mirela owes Odo, thirty."] {
        assert_eq!(values(text, "age"), 0, "{text}");
    }
    assert_eq!(values("Odo, forty, owes Mirela ten crowns.", "age"), 1);
    for text in ["Cold, Odo turns away.", "Quiet, Mirela sits down."] {
        assert_eq!(values(text, "personality"), 0, "{text}");
    }
    assert_ne!(values("Greedy and cruel, Odo speaks in questions.", "personality"), 0);
}

#[test]
fn a_speaker_swears_to_do_something() {
    let promisees = |text: &str, present: &[&str]| {
        let (speaker, present) = (id("lyra"), present.iter().map(|name| id(name)).collect::<Vec<_>>());
        let text = Text { speaker: Some(&speaker), present: &present, ..Text::new(text, TextType::Talk) };
        let facts = extractor().extract(&titled_town(), &text).facts;
        let promises = facts.into_iter().filter(|fact| fact.predicate == *"PROMISED" && fact.confidence.get() >= 0.3);
        promises.map(|fact| fact.object).collect::<Vec<_>>()
    };
    let rusk = [FactObject::Entity(Mention::Known(id("rusk")))];
    for text in ["I swear I'll find the map.", "I swear I will pay you by noon.", "I swear to find the map."] {
        assert_eq!(promisees(text, &["lyra", "rusk"]), rusk, "{text}");
    }
    for text in ["I swear I saw nothing.", "I swear you will hang.", "I swear it was Odo.", "I swear!"] {
        assert!(promisees(text, &["lyra", "rusk"]).is_empty(), "{text}");
    }
    let text = "I promise you, captain, I'll bring the map by noon.";
    assert_eq!(promisees(text, &["lyra", "odo", "rusk"]), rusk);
    assert!(promisees(text, &["hale", "lyra", "odo", "rusk"]).is_empty(), "two captains are present");
}

/// Returns the names of a harbour with two captains.
fn titled_town() -> Lexicon {
    lexicon(&[
        ("lyra", "player", "she", &["Lyra"]),
        ("odo", "npc", "he", &["Odo Brandt"]),
        ("rusk", "npc", "he", &["Rusk Oakley", "Captain Oakley"]),
        ("hale", "npc", "he", &["Captain Hale"]),
    ])
}

//! Tests of names that are not new, and of facts that say too little alone.

use super::*;

/// Returns the line `text` of Odo, heard by Pell and Sabine.
fn line(text: &str) -> Passage {
    Passage {
        session: Some(SessionId::new("s1").unwrap()),
        line: 1,
        speaker: Some(id("odo")),
        heard_by: ["odo", "pell", "sabine"].map(|name| Knower::Entity(id(name))).to_vec(),
        ..Passage::new(text)
    }
}

/// Returns the state after a line was read, and the number of dropped facts.
fn after_reading(state: &State, passage: Passage, extraction: Extraction) -> (State, usize) {
    let (mut state, passage) = (state.clone(), Arc::new(passage));
    apply(&mut state, Author::Dm, vec![Change::AddPassage(Arc::clone(&passage))]);
    let findings = Findings { passage, extraction, model: None, talk_kind: None };
    let (policy, learned) = (Policy::default(), TrustCalibration::from_state(&state));
    let rules = ProposalRules { policy: &policy, learned: &learned };
    let (read, counts) = operation(&state, &rules, &findings, Timestamp(0)).unwrap();
    if let Some(read) = read {
        state.apply(read).unwrap();
    }
    (state, counts.dropped)
}

fn new_name(name: &str, text: &str) -> NewEntity {
    let start = text.find(name).unwrap();
    let confidence = Confidence::new(0.8).unwrap();
    NewEntity { name: name.to_owned(), kind: None, span: Span { start, end: start + name.len() }, confidence }
}

/// Returns the promise of Odo in the words of a line, to the first new name of the line or to Pell.
fn promise(text: &str, words: &str, promisee: Mention, statement: &str) -> ExtractedFact {
    let (subject, object) = (Mention::Known(id("odo")), FactObject::Entity(promisee));
    let start = text.find(words).unwrap();
    ExtractedFact { statement: statement.to_owned(), ..extracted(subject, "PROMISED", object, start, words) }
}

fn extracted_facts(state: &State) -> Vec<&Fact> {
    let facts = state.facts().map(AsRef::as_ref);
    facts.filter(|fact: &&Fact| fact.provenance().author == Author::Extractor).collect()
}

#[test]
fn a_misspelled_hearer_is_no_new_person() {
    let (state, _) = world(&[], &[]);
    for (text, name, is_hearer) in [
        ("Sabyne, I promise you four seats.", "Sabyne", true),
        ("I promise Sabyne of the hill four seats.", "Sabyne", false),
        ("Corvin, I promise you four seats.", "Corvin", false),
    ] {
        let found = promise(text, "I promise", Mention::New(0), &format!("Odo Brandt made a promise to {name}."));
        let entities = vec![new_name(name, text)];
        let extraction = Extraction { facts: vec![found], entities, ..Extraction::default() };
        let (read, _) = after_reading(&state, line(text), extraction);
        assert_eq!(read.entities().count() == state.entities().count(), is_hearer, "{text}");
        if is_hearer {
            let facts = extracted_facts(&read);
            let parts = facts.iter().map(|fact| (fact.statement(), fact.object().entity(), fact.status()));
            let expected = "Odo Brandt made a promise to Sabine Orrin.";
            assert!(parts.eq([(expected, Some(&id("sabine")), FactStatus::Proposed)]), "{facts:?}");
        }
    }
}

#[test]
fn a_misspelled_alias_does_not_tell_a_secret_name() {
    let (mut state, _) = world(&[], &[]);
    let fact = |predicate: &str, value: &str, secrecy: Secrecy| {
        let source = Provenance::new(Method::Authored, Author::Dm);
        let fact = Fact::attribute(&id("stranger"), predicate, value, source).unwrap().secrecy(secrecy);
        Change::AssertFact(Arc::new(fact.build().unwrap()))
    };
    let changes = vec![
        Change::AddEntity(Entity::new(id("stranger"))),
        fact("kind", "npc", Secrecy::Open),
        fact("name", "Lucas Thorne", Secrecy::Secret),
        fact("alias", "Hollin", Secrecy::Open),
    ];
    apply(&mut state, Author::Dm, changes);
    let text = "Hollyn, I promise you four seats.";
    let found = promise(text, "I promise", Mention::New(0), "Odo Brandt made a promise to Hollyn.");
    let extraction =
        Extraction { facts: vec![found], entities: vec![new_name("Hollyn", text)], ..Extraction::default() };
    let heard_by = ["odo", "pell", "stranger"].map(|name| Knower::Entity(id(name))).to_vec();
    let (read, _) = after_reading(&state, Passage { heard_by, ..line(text) }, extraction);
    let statements: Vec<&str> = extracted_facts(&read).into_iter().map(Fact::statement).collect();
    assert_eq!(statements, ["Odo Brandt made a promise to Hollin."]);
}

#[test]
fn a_part_of_a_secret_name_is_no_new_person() {
    let (mut state, _) = world(&[], &[]);
    let source = Provenance::new(Method::Authored, Author::Dm);
    let alias = Fact::attribute(&id("pell"), "alias", "Lucas Thorne", source).unwrap().secrecy(Secrecy::Secret);
    apply(&mut state, Author::Dm, vec![Change::AssertFact(Arc::new(alias.build().unwrap()))]);
    for (name, is_new) in [("Thorne", false), ("Lucas Thorne", false), ("Lucas Bell", true)] {
        let text = format!("{name} owes me ten crowns.");
        let found = promise(&text, name, Mention::New(0), &text);
        let extraction =
            Extraction { facts: vec![found], entities: vec![new_name(name, &text)], ..Extraction::default() };
        let (read, _) = after_reading(&state, line(&text), extraction);
        assert_eq!(read.entities().count() > state.entities().count(), is_new, "{name}");
        assert_eq!(extracted_facts(&read).is_empty(), !is_new, "{name}");
    }
}

#[test]
fn a_promise_contains_the_words_of_its_clause() {
    let (state, _) = world(&[], &[]);
    let text = "I promise you, Pell, I will find the key. I will find the ring.";
    let pell = Mention::Known(id("pell"));
    let found = promise(text, "I promise you", pell, "Odo Brandt made a promise to Pell Marrow.");
    let statement = |words: &str, sentence: &str| {
        let (odo, value) = (Mention::Known(id("odo")), FactObject::Value(sentence.to_owned()));
        let fact = extracted(odo, "lore", value, text.find(words).unwrap(), words);
        ExtractedFact { statement: sentence.to_owned(), stage: ExtractionStage::Statements, ..fact }
    };
    let key = statement("I will find the key", "Odo Brandt will find the key.");
    let ring = statement("I will find the ring", "Odo Brandt will find the ring.");
    let extraction = Extraction { facts: vec![found, key, ring], ..Extraction::default() };
    let (read, _) = after_reading(&state, line(text), extraction);
    let mut statements: Vec<&str> = extracted_facts(&read).into_iter().map(Fact::statement).collect();
    statements.sort_unstable();
    let promised = "Odo Brandt made a promise to Pell Marrow: \u{201C}I will find the key.\u{201D}";
    assert_eq!(statements, [promised, "Odo Brandt will find the ring."]);
}

#[test]
fn a_promise_contains_its_infinitive_or_the_act_before_the_assurance() {
    let (state, _) = world(&[], &[]);
    let pell = || Mention::Known(id("pell"));
    let read = |text: &str, words: &str, other: Option<ExtractedFact>| {
        let found = promise(text, words, pell(), "Odo Brandt made a promise to Pell Marrow.");
        let facts = [Some(found), other].into_iter().flatten().collect();
        let (read, _) = after_reading(&state, line(text), Extraction { facts, ..Extraction::default() });
        extracted_facts(&read).into_iter().map(|fact| fact.statement().to_owned()).collect::<Vec<_>>()
    };
    for (text, words, act) in [
        ("I promise to row you over at dawn, Pell.", "I promise", "to row you over at dawn"),
        ("I vow, Pell, to burn the letters. Good night.", "I vow", "to burn the letters"),
    ] {
        let promised = format!("Odo Brandt made a promise to Pell Marrow: \u{201C}{act}.\u{201D}");
        assert_eq!(read(text, words, None), [promised], "{text}");
    }
    for (text, words) in [
        ("I swear to Pell, the letters burn.", "I swear"),
        ("I promise that nobody comes to read them.", "I promise"),
        ("I promise. Nobody is going to come.", "I promise"),
    ] {
        assert_eq!(read(text, words, None), ["Odo Brandt made a promise to Pell Marrow."], "{text}");
    }
    let text = "I will burn the letters, you have my word.";
    let statement = ExtractedFact {
        statement: "Odo Brandt will burn the letters.".to_owned(),
        ..odo_statement(text, "I will burn the letters", &[])
    };
    let promised = "Odo Brandt made a promise to Pell Marrow: \u{201C}I will burn the letters.\u{201D}";
    assert_eq!(read(text, "I will burn the letters, you have my word", Some(statement)), [promised]);
}

/// Returns a statement of the reading model about Odo in words of a text.
fn odo_statement(text: &str, words: &str, participants: &[&str]) -> ExtractedFact {
    let sentence = format!("{words}.");
    let (odo, value) = (Mention::Known(id("odo")), FactObject::Value(sentence.clone()));
    let fact = extracted(odo, "lore", value, text.find(words).unwrap(), words);
    let participants = participants.iter().map(|name| id(name)).collect();
    ExtractedFact { statement: sentence, stage: ExtractionStage::Statements, participants, ..fact }
}

/// Returns the statements of the facts that are recorded from narration, sorted.
fn narrated(text: &str, facts: Vec<ExtractedFact>) -> Vec<String> {
    let (state, _) = world(&[], &[]);
    let passage = Passage { speaker: None, ..line(text) };
    let (read, _) = after_reading(&state, passage, Extraction { facts, ..Extraction::default() });
    let mut statements: Vec<String> =
        extracted_facts(&read).into_iter().map(|fact| fact.statement().to_owned()).collect();
    statements.sort_unstable();
    statements
}

#[test]
fn a_deed_and_a_statement_of_it_are_one_fact() {
    let text = "Odo robs Pell on the bridge, and laughs.";
    let pell = FactObject::Entity(Mention::Known(id("pell")));
    let deed = extracted(Mention::Known(id("odo")), "STOLE_FROM", pell, 0, "Odo robs Pell");
    let statement = odo_statement(text, "Odo robs Pell on the bridge", &["pell"]);
    assert_eq!(narrated(text, vec![deed.clone(), statement.clone()]), ["Odo robs Pell on the bridge."]);
    // A statement about somebody else, or with another certainty, is another fact.
    let other = ExtractedFact { participants: vec![id("sabine")], ..statement.clone() };
    let hedged = ExtractedFact { factuality: Factuality::Hedged, ..statement };
    for statement in [other, hedged] {
        assert_eq!(narrated(text, vec![deed.clone(), statement]).len(), 2);
    }
}

#[test]
fn a_feeling_and_a_statement_of_it_are_one_fact() {
    let text = "Odo is smitten with Pell, and yawns.";
    let pell = FactObject::Entity(Mention::Known(id("pell")));
    let feeling = extracted(Mention::Known(id("odo")), "LIKES", pell, 0, "Odo is smitten with Pell");
    let statement = odo_statement(text, "Odo is smitten with Pell", &["pell"]);
    assert_eq!(narrated(text, vec![feeling.clone(), statement.clone()]), ["Odo is smitten with Pell."]);
    let about_sabine = ExtractedFact { participants: vec![id("sabine")], ..statement };
    assert_eq!(narrated(text, vec![feeling, about_sabine]).len(), 2);
}

#[test]
fn a_gift_and_a_statement_of_it_are_one_fact() {
    let text = "Odo signs the Harbour over to Pell and weeps.";
    let words = "Odo signs the Harbour over to Pell";
    let harbour = FactObject::Entity(Mention::Known(id("harbour")));
    let owned = ExtractedFact {
        statement: "Pell Marrow owns the Harbour.".to_owned(),
        ..extracted(Mention::Known(id("pell")), "OWNS", harbour, 0, words)
    };
    let gift = odo_statement(text, words, &["harbour", "pell"]);
    assert_eq!(narrated(text, vec![owned.clone(), gift.clone()]), ["Pell Marrow owns the Harbour."]);
    // A statement that says more, or names another receiver, is another fact.
    let longer = odo_statement(text, "Odo signs the Harbour over to Pell and weeps", &["harbour", "pell"]);
    let other = ExtractedFact { participants: vec![id("harbour"), id("sabine")], ..gift };
    for statement in [longer, other] {
        assert_eq!(narrated(text, vec![owned.clone(), statement]).len(), 2);
    }
}

#[test]
fn only_the_clause_of_a_promise_is_promised() {
    let text = "Odo promises Pell to free Sabine, hands him a ring.";
    let found =
        promise(text, "Odo promises Pell", Mention::Known(id("pell")), "Odo Brandt made a promise to Pell Marrow.");
    let whole = odo_statement(text, "Odo promises Pell to free Sabine", &["pell", "sabine"]);
    let gift = odo_statement(text, "hands him a ring", &["pell"]);
    assert_eq!(narrated(text, vec![found, whole, gift]), ["Odo promises Pell to free Sabine.", "hands him a ring."]);
}

#[test]
fn a_relation_without_words_is_no_fact_of_play() {
    let (state, _) = world(&[], &[]);
    let text = "Pell and Sabine go home.";
    let related = |relation: &str| {
        let sabine = FactObject::Entity(Mention::Known(id("sabine")));
        let fact = extracted(Mention::Known(id("pell")), "RELATED_TO", sabine, 0, "Pell and Sabine");
        ExtractedFact { relation: Some(relation.to_owned()), ..fact }
    };
    for (relation, dropped) in [("has to do with", 1), ("go home with", 0)] {
        let extraction = Extraction { facts: vec![related(relation)], ..Extraction::default() };
        assert_eq!(after_reading(&state, line(text), extraction).1, dropped, "{relation}");
    }
}

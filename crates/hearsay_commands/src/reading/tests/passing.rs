//! Tests of narration that only says what passes in the scene.

use super::*;

/// Returns narration in the harbour, heard by Pell and Sabine.
fn narration(text: &str) -> Passage {
    Passage {
        session: Some(SessionId::new("s1").unwrap()),
        line: 1,
        place: Some(id("harbour")),
        heard_by: ["pell", "sabine"].map(|name| Knower::Entity(id(name))).to_vec(),
        ..Passage::new(text)
    }
}

/// Returns the number of facts that are dropped from a passage whose words state a fact about Pell or Odo.
fn dropped(
    state: &State,
    passage: Passage,
    subject: &str,
    predicate: &str,
    value: &str,
    stage: ExtractionStage,
) -> usize {
    let value = FactObject::Value(value.to_owned());
    let fact = extracted(Mention::Known(id(subject)), predicate, value, 0, &passage.text);
    let confidence = Confidence::new(0.8).unwrap();
    dropped_facts(state, passage, vec![ExtractedFact { stage, confidence, ..fact }])
}

/// Returns the number of facts that are dropped from a passage.
fn dropped_facts(state: &State, passage: Passage, facts: Vec<ExtractedFact>) -> usize {
    let (mut state, passage) = (state.clone(), Arc::new(passage));
    apply(&mut state, Author::Dm, vec![Change::AddPassage(Arc::clone(&passage))]);
    let extraction = Extraction { facts, ..Extraction::default() };
    let findings = Findings { passage, extraction, model: None, talk_kind: None };
    let (policy, learned) = (Policy::default(), TrustCalibration::from_state(&state));
    let rules = ProposalRules { policy: &policy, learned: &learned };
    operation(&state, &rules, &findings, Timestamp(0)).unwrap().1.dropped
}

#[test]
fn an_act_of_somebody_in_the_scene_is_not_proposed() {
    let (mut state, _) = world(&[], &[]);
    let statement = |state: &State, passage: Passage, subject: &str| {
        let text = passage.text.clone();
        dropped(state, passage, subject, "lore", &text, ExtractionStage::Statements)
    };
    for (text, expected) in [
        ("Pell Marrow is coiling a wet rope.", 1),
        ("Pell Marrow is idly drumming on a barrel.", 1),
        ("Pell Marrow is planning to sell the boat.", 0),
        ("Pell Marrow is missing.", 0),
        ("Pell Marrow is the last heir of the pilots.", 0),
        ("Pell Marrow coils a wet rope.", 0),
        ("Nobody sees Pell Marrow.", 1),
        ("Nobody owns Pell Marrow.", 0),
    ] {
        assert_eq!(statement(&state, narration(text), "pell"), expected, "{text}");
    }
    // What a character says, and what a file tells, is not narrated in the scene.
    let text = "Pell Marrow is coiling a wet rope.";
    assert_eq!(statement(&state, Passage { speaker: Some(id("sabine")), ..narration(text) }, "pell"), 0);
    let file = Evidence::File { path: "talk.txt".into(), line: 1, field: "transcript".into() };
    assert_eq!(statement(&state, Passage { evidence: vec![file], ..narration(text) }, "pell"), 0);
    // The patterns know what their facts say.
    assert_eq!(dropped(&state, narration(text), "pell", "lore", text, ExtractionStage::Clauses), 0);
    // Nothing says that Odo is elsewhere, until he is.
    let far_away = "Odo Brandt is hoarding grain in a cellar.";
    assert_eq!(statement(&state, narration(far_away), "odo"), 1);
    let source = Provenance::new(Method::Authored, Author::Dm);
    let elsewhere = Fact::relation(&id("odo"), "LOCATED_AT", &id("hill"), source).unwrap().build().unwrap();
    let changes = vec![Change::AddEntity(Entity::new(id("hill"))), Change::AssertFact(elsewhere.into())];
    apply(&mut state, Author::Dm, changes);
    assert_eq!(statement(&state, narration(far_away), "odo"), 0);
}

#[test]
fn a_doubtful_mood_is_not_proposed() {
    let (state, _) = world(&[], &[]);
    let text = "Pell Marrow seems weary.";
    let value = |predicate| dropped(&state, narration(text), "pell", predicate, "weary", ExtractionStage::Clauses);
    assert_eq!((value("emotional_state"), value("personality")), (1, 0));
}

#[test]
fn a_relation_that_is_only_an_act_is_not_proposed() {
    use ExtractionStage::{Clauses, RelationCandidates};
    let (state, _) = world(&[], &[]);
    for (text, statement, stage, expected) in [
        ("Pell Marrow jostles Sabine Orrin", "Pell Marrow jostles Sabine Orrin.", RelationCandidates, 1),
        ("Pell Marrow envies Sabine Orrin", "Pell Marrow envies Sabine Orrin.", RelationCandidates, 0),
        // The past can be long ago.
        ("Pell Marrow jostled Sabine Orrin", "Pell Marrow jostles Sabine Orrin.", RelationCandidates, 0),
        // The patterns know verbs for a lasting relation.
        ("Pell Marrow blackmails Sabine Orrin", "Pell Marrow blackmails Sabine Orrin.", Clauses, 0),
    ] {
        let sabine = FactObject::Entity(Mention::Known(id("sabine")));
        let fact = extracted(Mention::Known(id("pell")), "RELATED_TO", sabine, 0, text);
        let (relation, statement) = (text.split(' ').nth(2).map(str::to_owned), statement.to_owned());
        let fact = ExtractedFact { relation, statement, stage, ..fact };
        assert_eq!(dropped_facts(&state, narration(text), vec![fact]), expected, "{text}");
    }
}

#[test]
fn a_dead_character_comes_to_no_place() {
    let (mut state, _) = world(&[], &[]);
    let text = "Pell Marrow lies dead in the Harbour.";
    let harbour = FactObject::Entity(Mention::Known(id("harbour")));
    let place = extracted(Mention::Known(id("pell")), "LOCATED_AT", harbour, 0, text);
    let dead = |subject: &str| {
        let value = FactObject::Value("dead".to_owned());
        extracted(Mention::Known(id(subject)), "condition", value, 0, text)
    };
    let dropped = |state: &State, facts: Vec<ExtractedFact>| dropped_facts(state, narration(text), facts);
    assert_eq!(dropped(&state, vec![place.clone(), dead("pell")]), 1);
    assert_eq!(dropped(&state, vec![place.clone(), dead("sabine")]), 0);
    let doubted = ExtractedFact { factuality: Factuality::Hedged, ..dead("pell") };
    assert_eq!(dropped(&state, vec![place.clone(), doubted]), 0);
    assert_eq!(dropped(&state, vec![place.clone()]), 0);
    let source = Provenance::new(Method::Authored, Author::Dm);
    let death = Fact::attribute(&id("pell"), "condition", "dead", source).unwrap().build().unwrap();
    apply(&mut state, Author::Dm, vec![Change::AssertFact(death.into())]);
    assert_eq!(dropped(&state, vec![place]), 1);
}

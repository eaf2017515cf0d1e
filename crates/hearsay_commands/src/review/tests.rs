use std::sync::Arc;

use hearsay_model::{
    Acquisition, Author, Change, Entity, EntityId, Evidence, Fact, FactBuilder, FactStatus, Kind, Knower,
    KnowledgeEdge, Method, Object, Operation, Passage, Provenance, Secrecy, Session, SessionId, Span, State, Timestamp,
};

use super::Decision;

fn id(id: &str) -> EntityId {
    EntityId::new(id).unwrap()
}

/// Returns a waiting fact that was found in a passage.
fn found(passage: &Passage, predicate: &str, statement: &str) -> Arc<Fact> {
    let span = Span { start: 0, end: passage.text.len() };
    let evidence = vec![Evidence::Passage { passage: passage.id(), span, quote: passage.text.clone() }];
    let provenance = Provenance { evidence, ..Provenance::new(Method::Inferred, Author::Extractor) };
    let builder = match predicate {
        "lore" => Fact::attribute(&id("odo"), predicate, statement, provenance).unwrap().mentions([id("guild")]),
        _ => Fact::relation(&id("odo"), predicate, &id("guild"), provenance).unwrap(),
    };
    Arc::new(builder.statement(statement).status(FactStatus::Proposed).build().unwrap())
}

#[test]
fn duplicates_of_an_accepted_fact_become_its_evidence() {
    let [first, second] = ["Odo works for the Guild.", "Yes, Odo works for the Guild."].map(Passage::new);
    let accepted = found(&first, "EMPLOYED_BY", "Odo works for the Guild.");
    let duplicate = found(&second, "lore", "Odo works for the guild.");
    let denial = found(&second, "lore", "Odo never works for the Guild.");
    let other = found(&second, "lore", "Odo owes the Guild two boats.");
    let edge = KnowledgeEdge::authored(Knower::from(id("pell")), duplicate.id());
    let mut changes: Vec<Change> = ["odo", "guild", "pell"].map(|name| Change::AddEntity(Entity::new(id(name)))).into();
    changes.extend([first.clone(), second.clone()].map(|passage| Change::AddPassage(Arc::new(passage))));
    changes.extend([&accepted, &duplicate, &denial, &other].map(|fact| Change::AssertFact(Arc::clone(fact))));
    changes.push(Change::Learn(Arc::new(edge)));
    let mut state = State::fold([Operation::new(Author::Extractor, "read", changes)]).unwrap();
    let operation = Decision::Accept.operation(&state, accepted.id(), Timestamp(1)).unwrap();
    state.apply(operation).unwrap();
    let now = state.fact(accepted.id()).unwrap();
    assert_eq!((now.status(), now.provenance().evidence.len()), (FactStatus::Canon, 2));
    assert!(state.fact(duplicate.id()).is_none());
    assert!(state.known_by(accepted.id()).any(|edge| edge.knower == Knower::from(id("pell"))));
    for fact in [denial, other] {
        assert_eq!(state.fact(fact.id()).unwrap().status(), FactStatus::Proposed, "{fact:?}");
    }
}

#[test]
fn the_doer_of_an_accepted_deed_knows_it_at_first_hand() {
    let passage = Passage::new("You killed him, Odo.");
    let deed = found(&passage, "KILLED", "Odo killed the guildmaster.");
    let employment = found(&passage, "EMPLOYED_BY", "Odo works for the Guild.");
    let told = |knower: &str, fact: &Fact| KnowledgeEdge {
        acquisition: Acquisition::told(Some(id("bram"))),
        ..KnowledgeEdge::authored(Knower::from(id(knower)), fact.id())
    };
    let edges = [told("odo", &deed), told("pell", &deed), told("odo", &employment)];
    let mut changes: Vec<Change> =
        ["odo", "guild", "pell", "bram"].map(|name| Change::AddEntity(Entity::new(id(name)))).into();
    changes.push(Change::AddPassage(Arc::new(passage)));
    changes.extend([&deed, &employment].map(|fact| Change::AssertFact(Arc::clone(fact))));
    changes.extend(edges.map(|edge| Change::Learn(Arc::new(edge))));
    let mut state = State::fold([Operation::new(Author::Extractor, "read", changes)]).unwrap();
    for fact in [&deed, &employment] {
        state.apply(Decision::Accept.operation(&state, fact.id(), Timestamp(1)).unwrap()).unwrap();
    }
    let is_witness = |knower: &str, fact: &Fact| {
        let knower = Knower::from(id(knower));
        state.known_by(fact.id()).any(|edge| edge.knower == knower && edge.acquisition.is_witnessed())
    };
    assert!(is_witness("odo", &deed));
    assert!(!is_witness("pell", &deed) && !is_witness("odo", &employment));
}

/// Returns a state in which the name, the kind and a relation of the new entity `alwin` wait for a decision. Also
/// returns these facts.
fn state_with_new_entity() -> (State, [Arc<Fact>; 3]) {
    let provenance = || Provenance::new(Method::Inferred, Author::Extractor);
    let build = |builder: FactBuilder| Arc::new(builder.status(FactStatus::Proposed).build().unwrap());
    let facts = [
        build(Fact::attribute(&id("alwin"), "name", "Alwin", provenance()).unwrap()),
        build(Fact::attribute(&id("alwin"), "kind", "npc", provenance()).unwrap()),
        build(Fact::relation(&id("alwin"), "SIBLING_OF", &id("gerda"), provenance()).unwrap()),
    ];
    let mut changes: Vec<Change> = ["alwin", "gerda"].map(|name| Change::AddEntity(Entity::new(id(name)))).into();
    changes.extend(facts.iter().cloned().map(Change::AssertFact));
    (State::fold([Operation::new(Author::Extractor, "read", changes)]).unwrap(), facts)
}

#[test]
fn a_corrected_fact_confirms_the_name_and_the_kind_of_a_new_entity() {
    for (index, object, statement, name, kind) in [
        (0, Some("Alwin Pike"), "The name is Alwin Pike.", "Alwin Pike", Kind::Npc),
        (1, Some("player"), "Alwin is a player character.", "Alwin", Kind::Player),
        (2, None, "Alwin is the brother of Gerda.", "Alwin", Kind::Npc),
    ] {
        let (mut state, facts) = state_with_new_entity();
        let object = object.map(|value| Object::Value(value.into()));
        let edit = Decision::Edit { subject: None, predicate: None, object, statement: Some(statement.to_owned()) };
        let operation = edit.operation(&state, facts[index].id(), Timestamp(1)).unwrap();
        state.apply(operation).unwrap();
        assert_eq!(state.open_name(&id("alwin")), Some(name), "{statement}");
        assert_eq!(state.kind(&id("alwin")), Some(kind), "{statement}");
        assert!(state.facts().all(|fact| fact.status() != FactStatus::Proposed || fact.predicate() == "SIBLING_OF"));
    }
}

#[test]
fn a_fact_that_was_rejected_with_a_name_comes_back_with_it() {
    let (mut state, [name, kind, relation]) = state_with_new_entity();
    state.apply(Decision::Reject.operation(&state, name.id(), Timestamp(1)).unwrap()).unwrap();
    let status = |state: &State, fact: &Fact| state.fact(fact.id()).map(|fact| fact.status());
    for fact in [&name, &kind, &relation] {
        assert_eq!(status(&state, fact), Some(FactStatus::Rejected), "{fact:?}");
    }
    state.apply(Decision::Accept.operation(&state, relation.id(), Timestamp(2)).unwrap()).unwrap();
    for fact in [&name, &kind, &relation] {
        assert_eq!(status(&state, fact), Some(FactStatus::Canon), "{fact:?}");
    }
    assert_eq!(state.open_name(&id("alwin")), Some("Alwin"));
}

#[test]
fn a_character_knows_of_the_death_that_was_first_taken_for_its_own() {
    let session = SessionId::new("session-1").unwrap();
    let passage = Passage {
        session: Some(session.clone()),
        line: 1,
        heard_by: vec![Knower::from(id("odo")), Knower::from(id("pell"))],
        ..Passage::new("The beam falls, and he is dead.")
    };
    let span = Span { start: 0, end: passage.text.len() };
    let evidence = vec![Evidence::Passage { passage: passage.id(), span, quote: passage.text.clone() }];
    let source = Provenance { evidence, ..Provenance::new(Method::Inferred, Author::Extractor) };
    let death = Fact::attribute(&id("odo"), "condition", "dead", source).unwrap().status(FactStatus::Proposed);
    let death = Arc::new(death.build().unwrap());
    let mut state = State::fold([Operation::new(
        Author::Extractor,
        "read",
        vec![
            Change::AddEntity(Entity::new(id("odo"))),
            Change::AddEntity(Entity::new(id("pell"))),
            Change::AddEntity(Entity::new(id("gerda"))),
            Change::SetSession(Session::new(session)),
            Change::AddPassage(Arc::new(passage)),
            Change::AssertFact(Arc::clone(&death)),
        ],
    )])
    .unwrap();
    let edit = Decision::Edit {
        subject: Some(id("gerda")),
        predicate: None,
        object: None,
        statement: Some("Gerda is dead.".to_owned()),
    };
    state.apply(edit.operation(&state, death.id(), Timestamp(1)).unwrap()).unwrap();
    let corrected = state.facts().find(|fact| *fact.subject() == id("gerda")).unwrap();
    assert!(state.known_by(corrected.id()).any(|edge| edge.knower == Knower::from(id("odo"))));
}

/// Returns a waiting promise that was found in a passage.
fn promise(passage: &Passage, subject: &str, object: &str, status: FactStatus) -> Arc<Fact> {
    let span = Span { start: 0, end: passage.text.len() };
    let evidence = vec![Evidence::Passage { passage: passage.id(), span, quote: passage.text.clone() }];
    let provenance = Provenance { evidence, ..Provenance::new(Method::Inferred, Author::Extractor) };
    let statement = format!("{subject} made a promise to {object}.");
    let builder = Fact::relation(&id(subject), "PROMISED", &id(object), provenance).unwrap().statement(statement);
    Arc::new(builder.status(status).build().unwrap())
}

/// Returns a state with the entities Odo, the Guild and Pell, a passage, and facts that were found in the passage.
fn state_with(passage: &Passage, facts: &[&Arc<Fact>]) -> State {
    let mut changes: Vec<Change> = ["odo", "guild", "pell"].map(|name| Change::AddEntity(Entity::new(id(name)))).into();
    changes.push(Change::AddPassage(Arc::new(passage.clone())));
    changes.extend(facts.iter().map(|fact| Change::AssertFact(Arc::clone(fact))));
    State::fold([Operation::new(Author::Extractor, "read", changes)]).unwrap()
}

#[test]
fn a_promise_in_the_other_direction_is_another_promise() {
    let passage = Passage::new("Odo and Pell promise each other to come.");
    let accepted = promise(&passage, "odo", "pell", FactStatus::Proposed);
    let other = promise(&passage, "pell", "odo", FactStatus::Proposed);
    let mut state = state_with(&passage, &[&accepted, &other]);
    state.apply(Decision::Accept.operation(&state, accepted.id(), Timestamp(1)).unwrap()).unwrap();
    assert_eq!(state.fact(other.id()).map(|fact| fact.status()), Some(FactStatus::Proposed));
}

#[test]
fn a_corrected_promise_replaces_the_vague_promise_from_the_same_text() {
    let passage = Passage::new("I promise you, Pell, I will bring you the name of the thief.");
    let vague = promise(&passage, "odo", "pell", FactStatus::Claimed);
    let words = found(&passage, "lore", "Odo will bring Pell the name of the thief.");
    let mut state = state_with(&passage, &[&vague, &words]);
    let edit = Decision::Edit {
        subject: None,
        predicate: Some("PROMISED".to_owned()),
        object: Some(Object::Entity(id("pell"))),
        statement: Some("Odo promised Pell the name of the thief.".to_owned()),
    };
    state.apply(edit.operation(&state, words.id(), Timestamp(1)).unwrap()).unwrap();
    let promises = state.facts().filter(|fact| fact.predicate() == "PROMISED" && fact.is_in_effect());
    let promises: Vec<&str> = promises.map(|fact| fact.statement()).collect();
    assert_eq!(promises, ["Odo promised Pell the name of the thief."]);
}

#[test]
fn a_part_of_a_secret_from_a_text_that_states_the_secret_becomes_its_evidence() {
    let passage = Passage::new("In the ash lies a letter: Odo stole the seal of the Guild with a wax copy of the key.");
    let span = Span { start: 0, end: passage.text.len() };
    let evidence = vec![Evidence::Passage { passage: passage.id(), span, quote: passage.text.clone() }];
    let source = Provenance { evidence, ..Provenance::new(Method::Authored, Author::Dm) };
    let statement = "Odo stole the seal of the Guild with a wax copy of the key.";
    let secret = Fact::attribute(&id("odo"), "lore", statement, source).unwrap().statement(statement);
    let secret = Arc::new(secret.secrecy(Secrecy::Secret).build().unwrap());
    let part = found(&passage, "lore", "Odo stole the seal with a wax copy of the key.");
    let other = found(&passage, "lore", "Odo read the letter of the Guild.");
    let mut state = state_with(&passage, &[&secret, &part, &other]);
    for fact in [&part, &other] {
        state.apply(Decision::Accept.operation(&state, fact.id(), Timestamp(1)).unwrap()).unwrap();
    }
    assert!(state.fact(part.id()).is_none());
    assert_eq!(state.fact(secret.id()).map(|fact| fact.secrecy()), Some(Secrecy::Secret));
    assert_eq!(state.fact(other.id()).map(|fact| fact.status()), Some(FactStatus::Canon));
}

use std::sync::Arc;

use hearsay_model::{
    Author, Change, Entity, EntityId, Evidence, Fact, FactBuilder, FactStatus, Kind, Knower, KnowledgeEdge, Method,
    Object, Operation, Passage, Provenance, Span, State, Timestamp,
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

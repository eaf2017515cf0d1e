use std::sync::Arc;

use hearsay_model::{
    Author, Change, Entity, EntityId, Evidence, Fact, FactStatus, Knower, KnowledgeEdge, Method, Operation, Passage,
    Provenance, Span, State, Timestamp,
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

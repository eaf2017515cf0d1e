//! Tests of transient values, which a game replaces often. They are read like facts but have no history.

use std::sync::Arc;

use hearsay_commands::{
    patches::{Patch, Patches},
    review::Decision,
};
use hearsay_engine::Memory;
use hearsay_model::{Author, EntityId, FactStatus, GameTime, Knower, PredicateRole, State};
use hearsay_query::{
    journal::UndoTarget,
    records::Record,
    search::{Search, SearchHit},
};

use super::support::{found_town, options_at, state, town};

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

fn go(memory: &Memory, who: &str, to: Option<&str>, clock: i64) {
    let patch = Patch { place: to.map(id).into(), ..Patch::default() };
    let (entities, clock) = (vec![(id(who), patch)], Some(GameTime(clock)));
    let patches = Patches { entities, clock, ..Patches::default() };
    let patched = memory.patch(Author::Game, Arc::new(patches)).unwrap().wait().unwrap();
    assert_eq!(patched.refused, []);
}

fn place(state: &State, who: &str) -> Option<String> {
    Record::from_state(state, &id(who))?.place.map(|place| place.to_string())
}

fn positions(state: &State, who: &str) -> usize {
    let name = PredicateRole::Location.predicate().clone();
    state.facts_of(&id(who)).filter(|fact| *fact.subject() == id(who) && *fact.predicate() == name).count()
}

#[test]
fn moves_of_a_game_leave_neither_operations_nor_facts() {
    let memory = town();
    let counted = || memory.status().unwrap().wait().unwrap().facts;
    assert_eq!(counted(), state(&memory).fact_count());
    go(&memory, "odo-brandt", Some("harbour"), 5);
    assert_eq!(counted(), state(&memory).fact_count(), "values that are no operations are counted too");
    go(&memory, "pell", Some("harbour"), 10);
    let before = state(&memory);
    let facts = before.fact_count();
    for step in 0..50 {
        go(&memory, "pell", Some(if step % 2 == 0 { "the-gull" } else { "harbour" }), 20 + step);
    }
    let after = state(&memory);
    assert_eq!(after.position(), before.position());
    assert_eq!(after.fact_count(), facts);
    assert_eq!(place(&after, "pell").as_deref(), Some("harbour"));
    assert_eq!(after.clock(), Some(GameTime(69)));
    let knows =
        after.known_facts(&Knower::Entity(id("pell"))).filter(|known| after.is_transient(known.fact.id())).count();
    assert_eq!(knows, 1, "Pell knows where Pell is");
    assert_eq!(memory.status().unwrap().wait().unwrap().waiting_writes, 0);
}

#[test]
fn positions_are_there_again_after_reopening() {
    let directory = tempfile::tempdir().unwrap();
    let memory = Memory::open(options_at(directory.path())).unwrap();
    found_town(&memory);
    for step in 0..200 {
        go(&memory, "pell", Some(if step % 2 == 0 { "the-gull" } else { "harbour" }), step);
        go(&memory, "odo-brandt", Some("harbour"), step);
    }
    go(&memory, "odo-brandt", None, 300);
    let closed = state(&memory);
    memory.close().unwrap();
    let memory = Memory::open(options_at(directory.path())).unwrap();
    let opened = state(&memory);
    assert_eq!(*opened, *closed);
    assert_eq!((place(&opened, "pell").as_deref(), place(&opened, "odo-brandt")), (Some("harbour"), None));
    go(&memory, "pell", Some("the-gull"), 400);
    assert_eq!(place(&state(&memory), "pell").as_deref(), Some("the-gull"));
}

#[test]
fn the_graph_tables_show_the_latest_value_once() {
    let directory = tempfile::tempdir().unwrap();
    let memory = Memory::open(options_at(directory.path())).unwrap();
    found_town(&memory);
    for step in 0..9 {
        go(&memory, "odo-brandt", Some(if step % 2 == 0 { "the-gull" } else { "harbour" }), step);
    }
    memory.close().unwrap();
    let opened = hearsay_store::Store::open(directory.path(), hearsay_store::StoreOptions::default()).unwrap();
    let query = "SELECT VALUE out.name FROM fact WHERE in = entity:⟨odo-brandt⟩ AND predicate = 'LOCATED_AT'";
    assert_eq!(opened.store.query_blocking(query).unwrap(), serde_json::json!(["The Gull"]));
    let edges =
        "SELECT VALUE count() FROM knows WHERE out.predicate = 'LOCATED_AT' AND out.in = entity:⟨odo-brandt⟩ GROUP ALL";
    let expected = opened.state.transients().map(|value| value.knowers.len()).sum::<usize>();
    assert_eq!(opened.store.query_blocking(edges).unwrap(), serde_json::json!([expected]));
    opened.store.close().unwrap();
}

#[test]
fn a_slot_brings_positions_back() {
    let memory = town();
    go(&memory, "pell", Some("harbour"), 10);
    memory.save_slot("here").unwrap().wait().unwrap();
    go(&memory, "pell", Some("the-gull"), 20);
    go(&memory, "pell", None, 30);
    memory.load_slot("here").unwrap().wait().unwrap();
    let loaded = state(&memory);
    assert_eq!((place(&loaded, "pell").as_deref(), loaded.clock()), (Some("harbour"), Some(GameTime(10))));
    // Undoing the load restores the state before the load.
    let load = loaded.position();
    memory.undo(UndoTarget::At(load)).unwrap().wait().unwrap();
    let undone = state(&memory);
    assert_eq!((place(&undone, "pell"), undone.clock()), (None, Some(GameTime(30))));
}

#[test]
fn a_transient_value_with_references_becomes_a_fact() {
    let memory = town();
    go(&memory, "odo-brandt", Some("the-gull"), 10);
    let before = state(&memory);
    let fact = before.transients().find(|value| *value.fact.subject() == id("odo-brandt")).unwrap().fact.clone();
    memory.decide(fact.id(), Decision::False).unwrap().wait().unwrap();
    let after = state(&memory);
    assert!(!after.is_transient(fact.id()));
    assert_eq!(after.fact(fact.id()).unwrap().status(), FactStatus::False);
    go(&memory, "odo-brandt", Some("harbour"), 20);
    let after = state(&memory);
    assert_eq!(place(&after, "odo-brandt").as_deref(), Some("harbour"));
    assert_eq!(positions(&after, "odo-brandt"), 2, "what was judged stays on record");
    assert!(after.position() > before.position());
}

#[test]
fn answers_follow_a_move() {
    let memory = town();
    for (clock, at) in [(10, "the-gull"), (20, "harbour"), (30, "the-gull")] {
        go(&memory, "odo-brandt", Some(at), clock);
        let now = state(&memory);
        let fact = now.transients().find(|value| *value.fact.subject() == id("odo-brandt")).unwrap().fact.id();
        let search = Search { knower: Some(id("odo-brandt")), ..Search::new("Odo Brandt is at") };
        let found = memory.search(search).unwrap().wait().unwrap();
        let mentions = |hit: &SearchHit| hit.id == fact.to_string();
        assert!(found.facts.iter().any(mentions), "{at}: {:?}", found.facts);
    }
}

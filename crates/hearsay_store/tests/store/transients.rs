//! Tests of transient values: they are stored in compacted rows, folded together with the journal, and written to the
//! graph tables.

use std::sync::{Arc, mpsc};

use hearsay_model::{
    Author, Change, Entity, EntityId, Fact, GameTime, Knower, Method, Operation, Position, PredicateRole, Provenance,
    State, TransientChange, TransientUpdate, TransientValue,
};
use hearsay_store::{Opened, Store, StoreError, StoreOptions, TransientUpdates, Watermark, projection};

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

fn begin(store: &Store, state: &mut State) {
    let add = ["ann", "bob", "inn", "mill", "pier"].map(|name| Change::AddEntity(Entity::new(id(name))));
    let operation = Arc::new(Operation::new(Author::Game, "begin", add.into()));
    store.commit_blocking(Position(1), vec![Arc::clone(&operation)]).unwrap();
    state.apply(operation).unwrap();
}

fn at(who: &str, place: Option<&str>) -> TransientChange {
    let predicate = PredicateRole::Location.predicate().clone();
    let value = place.map(|place| {
        let provenance = Provenance::new(Method::Witnessed, Author::Game);
        let fact = Fact::relation(&id(who), predicate.clone(), &id(place), provenance).unwrap().build().unwrap();
        TransientValue { fact: Arc::new(fact), knowers: vec![Knower::Entity(id(who))] }
    });
    TransientChange { subject: id(who), predicate, value }
}

fn commit(store: &Store, state: &mut State, values: Vec<TransientChange>, clock: Option<i64>) {
    let update = TransientUpdate { values, clock: clock.map(GameTime) };
    let updates: TransientUpdates = vec![(state.position(), update.clone())];
    let (sender, receiver) = mpsc::channel::<Result<(), StoreError>>();
    store.commit_with_transients(state.position().next(), Vec::new(), updates, move |result| {
        sender.send(result).unwrap();
    });
    receiver.recv().unwrap().unwrap();
    state.set_transients(&update);
}

fn rows(store: &Store) -> u64 {
    let count = store.query_blocking("RETURN array::len(SELECT VALUE id FROM transient)").unwrap();
    count.as_u64().unwrap()
}

#[test]
fn rows_are_compacted_and_give_the_latest_values() {
    let directory = tempfile::tempdir().unwrap();
    let Opened { store, mut state, .. } = Store::open(directory.path(), StoreOptions::default()).unwrap();
    begin(&store, &mut state);
    let places = ["inn", "mill", "pier"];
    for step in 0..600_usize {
        commit(&store, &mut state, vec![at("ann", Some(places[step % 3])), at("bob", Some("inn"))], Some(step as i64));
    }
    commit(&store, &mut state, vec![at("bob", None)], None);
    assert!(rows(&store) < 400, "{} rows", rows(&store));
    store.close().unwrap();
    let reopened = Store::open(directory.path(), StoreOptions::default()).unwrap();
    assert_eq!(reopened.state, state);
    assert_eq!(reopened.state.clock(), Some(GameTime(599)));
    assert_eq!(reopened.report.transient_batch, 601);
    reopened.store.close().unwrap();
}

#[test]
fn values_are_set_where_the_journal_was_when_they_were_set() {
    let directory = tempfile::tempdir().unwrap();
    let Opened { store, mut state, .. } = Store::open(directory.path(), StoreOptions::default()).unwrap();
    begin(&store, &mut state);
    commit(&store, &mut state, vec![at("ann", Some("inn")), at("bob", Some("mill"))], Some(5));
    // The DM records where Ann is. Then the game moves Bob.
    let provenance = Provenance::new(Method::Authored, Author::Dm);
    let fact =
        Fact::relation(&id("ann"), PredicateRole::Location.name(), &id("pier"), provenance).unwrap().build().unwrap();
    let operation =
        Arc::new(Operation::new(Author::Dm, "Ann is at the pier", vec![Change::AssertFact(Arc::new(fact))]));
    store.commit_blocking(Position(2), vec![Arc::clone(&operation)]).unwrap();
    state.apply(operation).unwrap();
    assert_eq!(state.transients().count(), 1, "the DM's value replaces the game's value");
    commit(&store, &mut state, vec![at("bob", Some("inn"))], None);
    store.close().unwrap();
    let reopened = Store::open(directory.path(), StoreOptions::default()).unwrap();
    assert_eq!(reopened.state, state);
    reopened.store.close().unwrap();
}

#[test]
fn the_graph_forgets_values_that_were_replaced_before_it_was_told() {
    let directory = tempfile::tempdir().unwrap();
    let Opened { store, mut state, .. } = Store::open(directory.path(), StoreOptions::default()).unwrap();
    begin(&store, &mut state);
    commit(&store, &mut state, vec![at("ann", Some("inn"))], None);
    let keys: Vec<_> = state.entities().map(|entity| hearsay_model::Key::Entity(entity.id.clone())).collect();
    let keys: Vec<_> = state.transients().flat_map(TransientValue::keys).chain(keys).collect();
    store.project(projection::rows(&state, &keys), Watermark { position: Position(1), batch: 1 }, |_| {});
    store.settle_blocking().unwrap();
    commit(&store, &mut state, vec![at("ann", Some("mill"))], None);
    store.close().unwrap();
    let reopened = Store::open(directory.path(), StoreOptions::default()).unwrap();
    reopened.store.settle_blocking().unwrap();
    let shown = reopened.store.query_blocking("SELECT VALUE record::id(out) FROM fact").unwrap();
    assert_eq!(shown, serde_json::json!(["mill"]));
    let edges = reopened.store.query_blocking("SELECT VALUE record::id(out.out) FROM knows").unwrap();
    assert_eq!(edges, serde_json::json!(["mill"]));
    reopened.store.close().unwrap();
    let again = Store::open(directory.path(), StoreOptions::default()).unwrap();
    assert_eq!(again.report.catching_up, 0);
    again.store.close().unwrap();
}

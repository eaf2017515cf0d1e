//! Builds operations for the tests of the store.

use std::{path::Path, sync::Arc};

use hearsay_model::*;
use hearsay_store::{Location, Opened, Store, StoreOptions};

pub(crate) fn open(path: &Path) -> Opened {
    Store::open(path, StoreOptions::default()).unwrap()
}

pub(crate) fn memory() -> Opened {
    Store::open(Location::Memory, StoreOptions::default()).unwrap()
}

pub(crate) fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

pub(crate) fn provenance() -> Provenance {
    Provenance::new(Method::Authored, Author::Dm)
}

pub(crate) fn operation(summary: &str, changes: Vec<Change>) -> Arc<Operation> {
    let mut operation = Operation::new(Author::Game, summary, changes);
    operation.recorded = Timestamp(1_700_000_000_000);
    Arc::new(operation)
}

/// Returns an operation that adds entity number `n`, with a name and a relation to the previous entity.
pub(crate) fn small(n: usize) -> Arc<Operation> {
    let this = id(&format!("e{n}"));
    let name = Fact::attribute(&this, "name", format!("Number {n}"), provenance()).unwrap().build().unwrap();
    let mut changes = vec![Change::AddEntity(Entity::new(this.clone())), Change::AssertFact(name.into())];
    if n > 0 {
        let before = id(&format!("e{}", n - 1));
        let knows = Fact::relation(&this, "KNOWS", &before, provenance()).unwrap();
        let knows = knows.statement(format!("Number {n} knows number {}.", n - 1)).build().unwrap();
        changes.push(Change::AssertFact(knows.into()));
    }
    operation(&format!("add {n}"), changes)
}

/// Returns an operation that adds a passage of about `bytes` bytes.
pub(crate) fn large(n: usize, bytes: usize) -> Arc<Operation> {
    let mut passage = Passage::new("ß—x".repeat(bytes / 6));
    passage.line = n as u32;
    operation(&format!("passage {n}"), vec![Change::AddPassage(passage.into())])
}

/// Returns one operation that adds a whole campaign of the given size, like an import: entities, facts about
/// neighbouring entities, and knowledge edges.
pub(crate) fn world(entities: usize, facts: usize) -> Arc<Operation> {
    let ids: Vec<EntityId> = (0..entities).map(|n| id(&format!("someone-{n}"))).collect();
    let mut changes: Vec<Change> = ids.iter().map(|id| Change::AddEntity(Entity::new(id.clone()))).collect();
    for n in 0..facts {
        let (subject, object) = (&ids[n % entities], &ids[(n * 7 + 1 + n / entities) % entities]);
        let mut provenance = Provenance::new(Method::Imported, Author::Importer("files".into()));
        provenance.evidence.push(Evidence::File {
            path: "npcs/everyone.toml".into(),
            line: n as u32,
            field: format!("entities/{subject}/relations"),
        });
        let fact = if n < entities {
            Fact::attribute(subject, "name", format!("Someone the {n}th"), provenance).unwrap()
        } else {
            let predicate = ["KNOWS", "OWES", "MEMBER_OF", "TRUSTS"][n % 4];
            let fact = Fact::relation(subject, predicate, object, provenance).unwrap();
            fact.statement(format!("{subject} has had dealings with {object} since the winter of the year {n}."))
        };
        changes.push(Change::AssertFact(fact.build().unwrap().into()));
    }
    operation("import", changes)
}

pub(crate) fn apply_all(state: &mut State, operations: &[Arc<Operation>]) {
    for operation in operations {
        state.apply(Arc::clone(operation)).unwrap();
    }
}

/// Commits operations at the end of the journal, and applies them to the state.
pub(crate) fn commit(store: &Store, state: &mut State, operations: &[Arc<Operation>]) {
    store.commit_blocking(state.position().next(), operations.to_vec()).unwrap();
    apply_all(state, operations);
}

/// Calls `start` with a callback, waits until the callback is called, and returns its result.
pub(crate) fn wait<E: Send + 'static>(
    start: impl FnOnce(Box<dyn FnOnce(Result<(), E>) + Send + 'static>),
) -> Result<(), E> {
    let (sender, receiver) = std::sync::mpsc::channel();
    start(Box::new(move |result| sender.send(result).unwrap()));
    receiver.recv().unwrap()
}

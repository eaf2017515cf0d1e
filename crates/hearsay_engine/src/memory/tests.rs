use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hearsay_model::{Author, Change, Operation, Position};

use super::*;
use crate::{ModelSettings, ModelStatus};

#[test]
fn a_clock_before_1970_is_an_error() {
    assert!(check_clock(SystemTime::now()).is_ok() && check_clock(UNIX_EPOCH).is_ok());
    let error = check_clock(UNIX_EPOCH - Duration::from_secs(1)).unwrap_err().to_string();
    assert!(error.contains("before 1970"), "{error}");
}

#[test]
fn no_request_waits_forever_after_a_panic_of_the_worker() {
    let model = ModelSettings { enabled: false, ..ModelSettings::default() };
    let settings = Settings { model, ..Settings::default() };
    let memory = Memory::open(MemoryOptions { settings, ..MemoryOptions::in_memory() }).unwrap();
    // Panics in closures of callers are caught. This job is not guarded, so that its panic ends the worker like a bug
    // of the worker would.
    let (release, released) = bounded::<()>(0);
    let bug: crate::worker::ReadJob = Box::new(move |_| {
        let _ = released.recv();
        panic!("a test");
    });
    memory.running.as_ref().unwrap().reads.send(Command::Read(bug)).unwrap();
    let read = memory.status().unwrap();
    let write = memory.set_clock(hearsay_model::GameTime(1)).unwrap();
    let import = memory.import("nowhere").unwrap();
    drop(release);
    let timeout = Duration::from_secs(20);
    assert!(matches!(read.wait_for(timeout), Err(MemoryError::Closed)));
    assert!(matches!(write.wait_for(timeout), Err(MemoryError::Closed)));
    assert!(matches!(import.wait_for(timeout), Err(MemoryError::Closed)));
    assert!(matches!(memory.status().map(drop), Err(MemoryError::Closed)));
    assert!(matches!(memory.close(), Err(MemoryError::Panicked)));
}

#[test]
fn a_state_that_does_not_fit_the_journal_is_made_anew() {
    use hearsay_model::{Entity, EntityId, Fact, Method, Provenance, attribute};
    let model = ModelSettings { enabled: false, ..ModelSettings::default() };
    let settings = Settings { model, ..Settings::default() };
    let options = MemoryOptions { settings, ..MemoryOptions::in_memory() };
    let faults = options.store.faults.clone();
    let memory = Memory::open(options).unwrap();
    let ann = EntityId::new("ann").unwrap();
    let write = |changes: Vec<Change>| {
        memory.write(move |_| Ok(Operation::new(Author::Dm, "a test", changes.clone()))).unwrap()
    };
    write(vec![Change::AddEntity(Entity::new(ann.clone()))]).wait().unwrap();
    let provenance = Provenance::new(Method::Authored, Author::Dm);
    let name = Fact::attribute(&ann, attribute::NAME, "Ann", provenance).unwrap().build().unwrap();
    let name = std::sync::Arc::new(name);
    faults.hold();
    let ticket = write(vec![Change::AssertFact(std::sync::Arc::clone(&name))]);
    while !faults.is_holding() {
        std::thread::yield_now();
    }
    // The subject is removed while the fact is being committed. The fact is then in the journal but cannot be
    // applied.
    let spoil = Operation::new(Author::Dm, "a bug", vec![Change::RemoveEntity(ann.clone())]);
    memory.running.as_ref().unwrap().reads.send(Command::ApplyUnrecorded(spoil)).unwrap();
    let lost = ann.clone();
    assert!(memory.read(move |snapshot| Ok(snapshot.state.entity(&lost).is_none())).unwrap().wait().unwrap());
    faults.heal();
    assert_eq!(ticket.wait().unwrap().position, Position(2));
    let state = memory.read(|snapshot| Ok(Arc::clone(&snapshot.state))).unwrap().wait().unwrap();
    assert_eq!((state.position(), state.name(&ann)), (Position(2), Some("Ann")));
    assert!(memory.events().try_iter().any(|event| matches!(event, Event::Reloaded { .. })));
    write(vec![Change::RetractFact(name.id())]).wait().unwrap();
    memory.close().unwrap();
}

#[test]
fn waiting_for_vectors_ends_without_a_model() {
    let model = ModelSettings { enabled: false, ..ModelSettings::default() };
    let settings = Settings { model, ..Settings::default() };
    let memory = Memory::open(MemoryOptions { settings, ..MemoryOptions::in_memory() }).unwrap();
    let status = memory.wait_for_vectors(|_, _| true).unwrap();
    assert!(matches!(status.model, ModelStatus::None { .. }));
    assert!(matches!(memory.wait_for_vectors(|_, _| false), Err(MemoryError::Cancelled)));
}

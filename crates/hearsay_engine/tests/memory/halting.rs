//! Fail-stop: if the outcome of a commit is unknown, writing stops until the journal has been read again.

use hearsay_engine::{Closed, Event, Memory, MemoryError, MemoryOptions};
use hearsay_store::{StoreOptions, testing::Faults};

use super::support::*;

/// Returns a memory with the small town in a directory. Its commits can be made to fail.
fn town_with_faults(directory: &std::path::Path) -> (Memory, Faults) {
    let faults = Faults::default();
    let store = StoreOptions { faults: faults.clone(), ..StoreOptions::default() };
    let memory = Memory::open(MemoryOptions { store, ..options_at(directory) }).unwrap();
    found_town(&memory);
    while memory.events().try_recv().is_ok() {}
    (memory, faults)
}

fn lore(memory: &Memory) -> usize {
    facts(memory, "pell", "lore").len()
}

#[test]
fn an_uncertain_commit_is_looked_up_in_the_journal_and_writing_continues() {
    for written in [true, false] {
        let directory = tempfile::tempdir().unwrap();
        let (memory, faults) = town_with_faults(directory.path());
        let before = state(&memory).position();
        faults.make_next_uncertain(written);
        let answer = try_edit(&memory, set("Pell", "lore", "In doubt."));
        if written {
            assert_eq!(answer.unwrap().position, before.next());
        } else {
            assert!(matches!(answer, Err(MemoryError::NotCommitted(_))), "{answer:?}");
        }
        assert_eq!(lore(&memory), usize::from(written));
        let mut events = memory.events().try_iter();
        let at = before.0 + u64::from(written);
        assert!(events.any(|event| matches!(event, Event::Reloaded { position, .. } if position.0 == at)));
        do_edit(&memory, set("Pell", "lore", "Afterwards."));
        assert_eq!(lore(&memory), 1 + usize::from(written));
        // Reviews, projections and index agree with the state that was read again.
        let status = memory.status().unwrap().wait().unwrap();
        assert_eq!((status.position, status.waiting_writes), (state(&memory).position(), 0));
        let ends = state(&memory);
        memory.close().unwrap();
        let memory = Memory::open(options_at(directory.path())).unwrap();
        assert!(*ends == *state(&memory));
    }
}

#[test]
fn where_the_journal_cannot_be_read_nothing_is_written_any_more() {
    let directory = tempfile::tempdir().unwrap();
    let (memory, faults) = town_with_faults(directory.path());
    faults.refuse_reload();
    faults.make_next_uncertain(true);
    let blocked = block(&memory);
    let first = memory.edit(set("Pell", "lore", "In doubt.")).unwrap();
    // An operation with a new name has a commit of its own, because other operations may use the name.
    let second = memory.edit(set("Pell", "alias", "Pip")).unwrap();
    drop(blocked);
    let error = first.wait().unwrap_err();
    assert!(matches!(error, MemoryError::Uncertain(_)), "{error}");
    let error = second.wait().unwrap_err();
    assert!(matches!(error, MemoryError::Halted(_)), "{error}");
    let later = try_edit(&memory, set("Pell", "lore", "Later.")).unwrap_err();
    assert!(matches!(later, MemoryError::Halted(_)), "{later}");
    assert!(later.to_string().contains("open it again"), "{later}");
    assert_eq!(lore(&memory), 0, "reads are answered from the state as it was");
    memory.close().unwrap();
    let memory = Memory::open(options_at(directory.path())).unwrap();
    assert_eq!(lore(&memory), 1, "the journal has it");
}

#[test]
fn a_failure_of_the_storage_is_reported_before_the_next_write() {
    let directory = tempfile::tempdir().unwrap();
    let (memory, faults) = town_with_faults(directory.path());
    let failure = || memory.status().unwrap().wait().unwrap().storage_failure;
    assert_eq!(failure(), None);
    faults.fail_background("the disk is gone");
    let text = loop {
        match memory.events().recv_timeout(std::time::Duration::from_secs(10)).unwrap() {
            Event::Failed(text) if text.contains("the storage failed") => break text,
            _ => {}
        }
    };
    assert!(text.contains("the disk is gone") && text.contains("opened again"), "{text}");
    assert!(failure().is_some_and(|reason| reason.contains("the disk is gone")));
    faults.heal();
}

#[test]
fn closing_returns_changes_that_it_cannot_commit_in_time() {
    let directory = tempfile::tempdir().unwrap();
    let (memory, faults) = town_with_faults(directory.path());
    faults.hold();
    let tickets: Vec<_> = (0..200).map(|n| memory.edit(set("Pell", "lore", &format!("Lore {n}."))).unwrap()).collect();
    while !faults.is_holding() {
        std::thread::yield_now();
    }
    let closing = std::thread::spawn(move || memory.close_within(std::time::Duration::ZERO).unwrap());
    // The time for closing runs out before the first commit is finished.
    std::thread::sleep(std::time::Duration::from_millis(200));
    faults.heal();
    let Closed { committed, not_committed } = closing.join().unwrap();
    let answers: Vec<_> = tickets.into_iter().map(|ticket| ticket.wait()).collect();
    let committed_count = answers.iter().filter(|answer| answer.is_ok()).count();
    let given_back = answers.iter().filter(|answer| matches!(answer, Err(MemoryError::NotCommittedInTime))).count();
    assert_eq!((committed_count, given_back), (committed, not_committed));
    assert_eq!(committed + not_committed, 200);
    assert!(committed > 0 && not_committed > 0, "{committed} and {not_committed}");
    let memory = Memory::open(options_at(directory.path())).unwrap();
    assert_eq!(lore(&memory), committed_count);
}

#[test]
fn closing_says_that_not_all_was_committed() {
    let directory = tempfile::tempdir().unwrap();
    let (memory, faults) = town_with_faults(directory.path());
    faults.fail_after(0);
    let blocked = block(&memory);
    let ticket = memory.edit(set("Pell", "lore", "Lost.")).unwrap();
    let closing = std::thread::spawn(move || memory.close());
    std::thread::sleep(std::time::Duration::from_millis(50));
    drop(blocked);
    let closed = closing.join().unwrap();
    assert!(matches!(closed, Err(MemoryError::ClosedEarly { committed: 0, not_committed: 1 })), "{closed:?}");
    assert!(matches!(ticket.wait(), Err(MemoryError::NotCommitted(_))));
}

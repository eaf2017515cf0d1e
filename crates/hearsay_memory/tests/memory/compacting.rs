//! The journal stays as long as it is useful, while a memory is open and when it is opened again.

use std::time::{Duration, Instant};

use hearsay_memory::{Memory, MemoryOptions, Status, Ticket, UndoTarget, Written, query::AsOf};
use hearsay_model::{Author, Change, Operation, Position, Setting, Value};

use crate::support::*;

fn kept(directory: &std::path::Path) -> MemoryOptions {
    let mut settings = settings();
    (settings.store.undo_operations, settings.store.undo_sessions) = (100, 1);
    MemoryOptions { queue: 10_000, settings, ..options_at(directory) }
}

fn declare(memory: &Memory, n: usize) -> Ticket<Written> {
    let flag = Setting::Flag { name: "weather".into(), value: Value::from(format!("weather {n}").as_str()) };
    memory.write(move |_| Ok(Operation::new(Author::Game, "weather", vec![Change::Set(flag.clone())]))).unwrap()
}

/// Waits until no more than so many operations are kept.
fn settled(memory: &Memory, operations: usize) -> Status {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let status = memory.status().unwrap().wait().unwrap();
        if status.operations <= operations || Instant::now() > until {
            return status;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn what_was_replaced_leaves_the_journal_and_undo_says_how_far_it_reaches() {
    let directory = tempfile::tempdir().unwrap();
    let memory = Memory::open(kept(directory.path())).unwrap();
    let tickets: Vec<_> = (0..3_000).map(|n| declare(&memory, n)).collect();
    tickets.into_iter().for_each(|ticket| _ = ticket.wait().unwrap());
    let status = settled(&memory, 1_000);
    assert_eq!(status.position, Position(3_000));
    assert!(status.operations < 1_000, "{status:?}");
    assert!((2_600..=2_900).contains(&status.compacted_to.0), "{status:?}");
    let refused = memory.undo(UndoTarget::At(Position(5))).unwrap().wait().unwrap_err().to_string();
    assert!(refused.contains(&format!("undo reaches back to operation {}", status.compacted_to.next())), "{refused}");
    let then = AsOf { recorded: Some(Position(5)), ..AsOf::default() };
    let refused = memory.read(move |world| then.state(&world.state).map(drop)).unwrap().wait().unwrap_err();
    assert!(refused.to_string().contains("undo reaches back"), "{refused}");
    memory.undo(UndoTarget::Last).unwrap().wait().unwrap();
    let before = state(&memory);
    assert_eq!(before.flag("weather"), Some(&Value::from("weather 2998")));
    memory.close().unwrap();

    let memory = Memory::open(kept(directory.path())).unwrap();
    let after = state(&memory);
    assert!(after == before && after.operation_count() == before.operation_count());
    assert_eq!(after.compacted_to(), before.compacted_to());
    memory.close().unwrap();
}

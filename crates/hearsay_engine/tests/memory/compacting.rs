//! Tests that compaction limits the size of the journal, both while a memory is open and after it is opened again.

use std::time::{Duration, Instant};

use hearsay_engine::{Memory, MemoryOptions, Status, Ticket, Written};
use hearsay_model::{Author, Change, GameSetting, Operation, Position, Setting, Value};
use hearsay_query::{as_of::AsOf, journal::UndoTarget};

use crate::support::*;

fn kept(directory: &std::path::Path) -> MemoryOptions {
    let mut settings = settings();
    (settings.store.undo_operations, settings.store.undo_sessions) = (100, 1);
    MemoryOptions { queue: 10_000, settings, ..options_at(directory) }
}

fn declare(memory: &Memory, n: usize) -> Ticket<Written> {
    let flag = Setting::Game(GameSetting::Flag {
        name: "weather".into(),
        value: Value::from(format!("weather {n}").as_str()),
    });
    memory.write(move |_| Ok(Operation::new(Author::Game, "weather", vec![Change::Set(flag.clone())]))).unwrap()
}

/// Waits until the journal has at most this number of operations.
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
fn replaced_values_leave_the_journal_and_undo_reports_its_limit() {
    let directory = tempfile::tempdir().unwrap();
    let memory = Memory::open(kept(directory.path())).unwrap();
    let tickets: Vec<_> = (0..3_000).map(|n| declare(&memory, n)).collect();
    tickets.into_iter().for_each(|ticket| _ = ticket.wait().unwrap());
    let status = settled(&memory, 1_000);
    assert_eq!(status.position, Position(3_000));
    assert!(status.operations < 1_000, "{status:?}");
    assert!((2_600..=2_900).contains(&status.compacted_to.0), "{status:?}");
    let refused = memory.undo(UndoTarget::At(Position(5))).unwrap().wait().unwrap_err().to_string();
    assert!(
        refused
            .contains(&format!("the undo history of the campaign begins at operation {}", status.compacted_to.next())),
        "{refused}"
    );
    let then = AsOf { recorded: Some(Position(5)), ..AsOf::default() };
    let refused = memory.read(move |snapshot| Ok(then.state(&snapshot.state).map(drop)?)).unwrap().wait().unwrap_err();
    assert!(refused.to_string().contains("is too old"), "{refused}");
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

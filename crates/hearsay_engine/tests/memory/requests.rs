use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use hearsay_engine::{Event, Memory, MemoryError, MemoryOptions, Waker};
use hearsay_model::Key;
use hearsay_query as query;

use crate::support::*;

#[test]
fn an_answer_is_taken_once() {
    let memory = town();
    let ticket = memory.status().unwrap();
    let started_at = Instant::now();
    let status = loop {
        match ticket.try_take() {
            Some(status) => break status.unwrap(),
            None => std::thread::yield_now(),
        }
        assert!(started_at.elapsed().as_secs() < 10);
    };
    assert_eq!(status.entities, 7);
    assert!(ticket.try_take().is_none() && ticket.try_take().is_none());
}

#[test]
fn every_request_has_a_number_of_its_own() {
    let memory = town();
    let ids: Vec<_> = (0..20).map(|_| memory.status().unwrap().id()).collect();
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "{ids:?}");
}

#[test]
fn patience_ends_and_cancels_the_request() {
    let memory = town();
    let blocked = block(&memory);
    let started_at = Instant::now();
    let error = memory.edit(set("Pell", "age", "11")).unwrap().wait_for(Duration::from_millis(30)).unwrap_err();
    assert!(matches!(error, MemoryError::TimedOut(_)), "{error}");
    assert!(started_at.elapsed() < Duration::from_secs(5));
    drop(blocked);
    do_edit(&memory, set("Odo Brandt", "age", "60"));
    assert!(facts(&memory, "pell", "age").is_empty());
}

#[test]
fn a_cancelled_write_is_not_written() {
    let memory = town();
    let before = state(&memory).position();
    let blocked = block(&memory);
    let ticket_not_cancelled = memory.edit(set("Pell", "age", "12")).unwrap();
    let cancelled = memory.edit(set("Pell", "age", "13")).unwrap();
    let read = memory.read(|_| Ok(())).unwrap();
    let import = memory.import(tiny_tavern()).unwrap();
    let ask = memory.ask(hearsay_query::ask::Ask::new(id("pell"), "Who are you?")).unwrap();
    cancelled.cancel();
    read.cancel();
    import.cancel();
    ask.cancel();
    drop(blocked);
    assert_eq!(ticket_not_cancelled.wait().unwrap().position, before.next());
    assert!(matches!(cancelled.wait(), Err(MemoryError::Cancelled)));
    assert!(matches!(read.wait(), Err(MemoryError::Cancelled)));
    assert!(matches!(import.wait(), Err(MemoryError::Cancelled)));
    assert!(matches!(ask.wait(), Err(MemoryError::Cancelled)));
    assert_eq!(state(&memory).position(), before.next());
}

#[test]
fn dropping_a_ticket_cancels_reads_but_not_writes() {
    let memory = town();
    let blocked = block(&memory);
    let read_count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&read_count);
    drop(memory.read(move |_| Ok(counter.fetch_add(1, Ordering::Relaxed))).unwrap());
    drop(memory.edit(set("Pell", "age", "11")).unwrap());
    drop(blocked);
    do_edit(&memory, set("Odo Brandt", "age", "60"));
    assert_eq!(facts(&memory, "pell", "age").len(), 1);
    assert_eq!(read_count.load(Ordering::Relaxed), 0);
}

#[test]
fn a_full_channel_is_said_at_once() {
    let memory = Memory::open(MemoryOptions { queue: 1, ..options() }).unwrap();
    let blocked = block(&memory);
    let started_at = Instant::now();
    let (read, write) = (memory.status().unwrap(), memory.edit(add("Bram", hearsay_model::Kind::Npc, None)).unwrap());
    let full = |error: MemoryError| assert!(matches!(error, MemoryError::Full { waiting: 1 }), "{error}");
    full(memory.status().unwrap_err());
    full(memory.edit(add("Odo", hearsay_model::Kind::Npc, None)).unwrap_err());
    full(memory.ask(hearsay_query::ask::Ask::new(id("bram"), "?")).unwrap_err());
    assert!(started_at.elapsed() < Duration::from_millis(500));
    drop(blocked);
    read.wait().unwrap();
    write.wait().unwrap();
    memory.status().unwrap().wait().unwrap();
}

#[test]
fn reads_pass_by_a_queue_full_of_writes() {
    let memory = Memory::open(MemoryOptions { queue: 4, ..options() }).unwrap();
    let (release, released) = crossbeam_channel::bounded::<()>(0);
    // A long read does not delay the writes. A pending commit delays the writes after it.
    let slow_read = memory
        .read_in_background(move |_| {
            let _ = released.recv_timeout(Duration::from_secs(10));
            Ok(())
        })
        .unwrap();
    let mut tickets = Vec::new();
    let started_at = Instant::now();
    while started_at.elapsed() < Duration::from_millis(300) {
        match memory.edit(add(&format!("E {}", tickets.len()), hearsay_model::Kind::Npc, None)) {
            Ok(ticket) => tickets.push(ticket),
            Err(MemoryError::Full { .. }) => {
                memory.status().unwrap().wait_for(Duration::from_secs(5)).unwrap();
            }
            Err(error) => panic!("{error}"),
        }
    }
    release.send(()).unwrap();
    slow_read.wait().unwrap();
    for ticket in tickets {
        ticket.wait().unwrap();
    }
}

#[test]
fn long_reads_leave_a_processor_to_writes_and_are_all_answered() {
    let memory = town();
    let max_running = std::thread::available_parallelism().map_or(1, usize::from).saturating_sub(1).max(1);
    let (release, released) = crossbeam_channel::bounded::<()>(0);
    let (running, most_at_once) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let read = |_| {
        let (released, running, most_at_once) = (released.clone(), Arc::clone(&running), Arc::clone(&most_at_once));
        let read = move |snapshot: &hearsay_engine::ReadSnapshot| {
            most_at_once.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            let _ = released.recv_timeout(Duration::from_secs(10));
            running.fetch_sub(1, Ordering::SeqCst);
            Ok(snapshot.state.position())
        };
        memory.read_in_background(read).unwrap()
    };
    let reads: Vec<_> = (0..max_running + 3).map(read).collect();
    do_edit(&memory, set("Pell", "age", "11"));
    let position = state(&memory).position();
    drop(release);
    let read: Vec<_> = reads.into_iter().map(|read| read.wait().unwrap()).collect();
    assert!(most_at_once.load(Ordering::SeqCst) <= max_running);
    assert_eq!(read.last(), Some(&position), "a read that waited sees what was written meanwhile");
}

#[test]
fn closing_finishes_what_was_sent_before() {
    let directory = tempfile::tempdir().unwrap();
    let memory = Memory::open(options_at(directory.path())).unwrap();
    found_town(&memory);
    let blocked = block(&memory);
    let edits: Vec<_> = (0..100).map(|n| memory.edit(set("Pell", "lore", &format!("Lore {n}."))).unwrap()).collect();
    let import = memory.import(tiny_tavern()).unwrap();
    let ask = memory.ask(hearsay_query::ask::Ask::new(id("pell"), "Who are you?")).unwrap();
    let background_read = memory
        .read_in_background(|snapshot| {
            std::thread::sleep(Duration::from_millis(100));
            Ok(query::stats::stats(&snapshot.state).passages)
        })
        .unwrap();
    let closing = std::thread::spawn(move || memory.close());
    std::thread::sleep(Duration::from_millis(50));
    drop(blocked);
    for (n, edit) in edits.into_iter().enumerate() {
        assert!(edit.wait().is_ok(), "{n}");
    }
    let written = import.wait().unwrap().written.unwrap();
    assert!(ask.wait().is_ok());
    assert!(background_read.wait().is_ok());
    closing.join().unwrap().unwrap();
    let memory = Memory::open(options_at(directory.path())).unwrap();
    assert_eq!(facts(&memory, "pell", "lore").len(), 100);
    assert!(state(&memory).position() >= written.position);
}

#[test]
fn a_panic_in_a_callers_function_ends_that_request_alone() {
    let memory = town();
    let crashed = |error: MemoryError| assert!(matches!(error, MemoryError::Panicked), "{error}");
    crashed(memory.read(|_| -> Result<(), _> { panic!("a test") }).unwrap().wait().unwrap_err());
    crashed(memory.read_in_background(|_| -> Result<(), _> { panic!("a test") }).unwrap().wait().unwrap_err());
    crashed(memory.write(|_| panic!("a test")).unwrap().wait().unwrap_err());
    struct Broken;
    impl hearsay_recall::TokenCounter for Broken {
        fn count(&self, _: &str) -> usize {
            panic!("a test")
        }
    }
    let ask =
        hearsay_query::ask::Ask { counter: Some(Box::new(Broken)), ..hearsay_query::ask::Ask::new(id("pell"), "Who?") };
    crashed(memory.ask(ask).unwrap().wait().unwrap_err());
    do_edit(&memory, set("Pell", "age", "11"));
    memory.close().unwrap();
}

#[test]
fn each_operation_is_reported_once_and_missed_reports_are_counted() {
    let memory = town();
    let received_events = || memory.events().try_iter().collect::<Vec<_>>();
    assert_eq!(received_events().iter().filter(|event| matches!(event, Event::Applied { .. })).count(), 7);
    let position = do_edit(&memory, set("Pell", "age", "11")).position;
    let age = fact(&memory, "pell", "age").id();
    let events = received_events();
    let [Event::Applied { position: at, touched, .. }] = &events[..] else { panic!("{events:?}") };
    assert!(*at == position && touched.contains(&Key::Fact(age)));
    let write = |n: usize| memory.edit(set("Pell", "lore", &format!("Lore {n}."))).unwrap();
    for _ in 0..11 {
        let tickets: Vec<_> = (0..100).map(write).collect();
        tickets.into_iter().for_each(|ticket| drop(ticket.wait().unwrap()));
    }
    assert_eq!(received_events().len(), 1024);
    assert_eq!(memory.status().unwrap().wait().unwrap().events_dropped, 1100 - 1024);
}

#[test]
fn status_says_how_the_memory_stands() {
    let memory = town();
    let status = memory.status().unwrap().wait().unwrap();
    assert_eq!(status.position, state(&memory).position());
    assert_eq!((status.entities, status.facts), (7, state(&memory).fact_count()));
    assert_eq!((status.waiting_writes, status.reviews, status.events_dropped), (0, 0, 0));
    assert!(matches!(status.model, hearsay_engine::ModelStatus::None { .. }));
    do_edit(&memory, add("Bram", hearsay_model::Kind::Npc, None));
    assert_eq!(memory.status().unwrap().wait().unwrap().entities, 8);
    let blocked = block(&memory);
    let tickets: Vec<_> = (0..5).map(|n| memory.edit(set("Pell", "lore", &format!("Lore {n}."))).unwrap()).collect();
    let status = memory.status().unwrap();
    drop(blocked);
    assert!(status.wait().unwrap().waiting_writes <= 5);
    tickets.into_iter().for_each(|ticket| drop(ticket.wait().unwrap()));
}

#[test]
fn threads_may_share_a_memory() {
    let memory = town();
    let answered = Arc::new(AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (memory, answered) = (&memory, Arc::clone(&answered));
            scope.spawn(move || {
                for n in 0..25 {
                    do_edit(memory, set("Pell", "lore", &format!("Lore {thread}.{n}.")));
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(answered.load(Ordering::Relaxed), 100);
    assert_eq!(facts(&memory, "pell", "lore").len(), 100);
}

#[test]
fn the_waker_is_called_for_each_answer_and_each_event() {
    let (sender, woken) = std::sync::mpsc::channel();
    let sender = std::sync::Mutex::new(sender);
    let waker = Waker::new(move || sender.lock().unwrap().send(()).unwrap_or_default());
    let memory = Memory::open(MemoryOptions { waker: Some(waker), ..options() }).unwrap();
    let wait = || woken.recv_timeout(Duration::from_secs(10)).expect("the waker is called");
    let ticket = memory.status().unwrap();
    loop {
        wait();
        if ticket.try_take().is_some() {
            break;
        }
    }
    let before = memory.event_count();
    memory.set_clock(hearsay_model::GameTime(7)).unwrap().wait().unwrap();
    while memory.event_count() == before {
        wait();
    }
    // A request that gets no answer wakes its owner too.
    let ticket = memory.read_in_background(|_| -> Result<(), MemoryError> { Err(MemoryError::Cancelled) }).unwrap();
    loop {
        wait();
        if ticket.try_take().is_some() {
            break;
        }
    }
}

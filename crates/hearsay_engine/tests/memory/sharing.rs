//! Tests of several memories that have the same campaign open.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    path::Path,
    sync::{Arc, Barrier},
    thread,
    time::{Duration, Instant},
};

use hearsay_commands::{
    game_event::{Circumstances, GameEvent, Hearers},
    patches::{Patch, Patches},
};
use hearsay_engine::{Event, ExtractionSettings, Memory, MemoryError, MemoryOptions, Settings, SharingStatus, Status};
use hearsay_model::{Author, Change, Fact, Method, Operation, Position, Provenance, State};
use hearsay_query::{journal::UndoTarget, records::Record};
use hearsay_store::{StoreError, StoreOptions, testing::Faults};

use super::support::*;

fn shared_options(directory: &Path) -> MemoryOptions {
    MemoryOptions { share: true, ..options_at(directory) }
}

fn open(directory: &Path) -> Memory {
    Memory::open(shared_options(directory)).unwrap()
}

pub(crate) fn status(memory: &Memory) -> Status {
    memory.status().unwrap().wait().unwrap()
}

/// Waits until a condition holds, for at most 20 seconds.
pub(crate) fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < Duration::from_secs(20), "{what}");
        thread::sleep(Duration::from_millis(2));
    }
}

pub(crate) fn wait_for_position(memory: &Memory, position: Position) {
    wait_until("the memory gets the operation", || state(memory).position() >= position);
}

fn is_owner(memory: &Memory) -> bool {
    matches!(status(memory).sharing, SharingStatus::Owner { .. })
}

pub(crate) fn lore(state: &State, entity: &str) -> Vec<String> {
    let facts = state.facts().filter(|fact| fact.subject().as_str() == entity && *fact.predicate() == *"lore");
    let mut lore: Vec<String> = facts.map(|fact| fact.object().to_string()).collect();
    lore.sort_unstable();
    lore
}

#[test]
fn each_program_sees_the_writes_of_the_others() {
    let directory = tempfile::tempdir().unwrap();
    let owner = open(directory.path());
    found_town(&owner);
    let attached = open(directory.path());
    assert!(*state(&owner) == *state(&attached));
    let programs = |memory: &Memory| match status(memory).sharing {
        SharingStatus::Owner { programs } => programs.len(),
        other => panic!("{other:?}"),
    };
    assert_eq!(programs(&owner), 1);
    let SharingStatus::Attached { owner: description } = status(&attached).sharing else { panic!("attached") };
    assert!(description.contains(&format!("process {}", std::process::id())), "{description}");

    let position = do_edit(&attached, set("Pell", "lore", "By the attached program.")).position;
    wait_for_position(&owner, position);
    let position = do_edit(&owner, set("Odo Brandt", "lore", "By the owner.")).position;
    wait_for_position(&attached, position);
    for memory in [&owner, &attached] {
        assert_eq!(lore(&state(memory), "pell"), ["By the attached program."]);
        assert_eq!(lore(&state(memory), "odo-brandt"), ["By the owner."]);
        assert!(
            memory
                .events()
                .try_iter()
                .any(|event| matches!(event, Event::Applied { position: at, .. } if at == position))
        );
    }
    // Undo works across programs.
    attached.undo(UndoTarget::Last).unwrap().wait().unwrap();
    wait_until("the owner undoes", || lore(&state(&owner), "odo-brandt").is_empty());
    let ends = state(&owner);
    assert!(*ends == *state(&attached));
    attached.close().unwrap();
    wait_until("the owner notices", || programs(&owner) == 0);
    owner.close().unwrap();
    assert!(*state(&open(directory.path())) == *ends);
}

/// Returns the number of facts about the counter. Each of them is a different number.
fn counted(state: &State) -> usize {
    lore(state, "counter").len()
}

#[test]
fn writes_of_many_programs_are_all_kept_and_computed_from_the_newest_state() {
    const PROGRAMS: usize = 4;
    const WRITES: usize = 40;
    let directory = tempfile::tempdir().unwrap();
    let owner = open(directory.path());
    do_edit(&owner, add("Counter", hearsay_model::Kind::Item, None));
    let memories: Vec<Memory> = (1..PROGRAMS).map(|_| open(directory.path())).chain([owner]).collect();
    let barrier = Arc::new(Barrier::new(PROGRAMS));
    thread::scope(|scope| {
        for memory in &memories {
            let barrier = Arc::clone(&barrier);
            scope.spawn(move || {
                barrier.wait();
                for _ in 0..WRITES {
                    // Each write replaces the number that it reads, so a lost or outdated write would be visible.
                    let count = memory.write(|snapshot| {
                        let next = counted(&snapshot.state) + 1;
                        let provenance = Provenance::new(Method::Authored, Author::Game);
                        let fact = Fact::attribute(&id("Counter"), "lore", next.to_string(), provenance)?.build()?;
                        let set = Change::AssertFact(fact.into());
                        Ok(Operation::new(Author::Game, format!("count {next}"), vec![set]))
                    });
                    count.unwrap().wait().unwrap();
                }
            });
        }
    });
    let end = Position((PROGRAMS * WRITES + 1) as u64);
    for memory in &memories {
        wait_for_position(memory, end);
        let state = state(memory);
        assert_eq!(state.position(), end);
        assert_eq!(counted(&state), PROGRAMS * WRITES);
        assert!(*state == *self::state(&memories[0]));
    }
}

#[test]
fn when_the_owner_closes_another_program_takes_over_and_no_write_is_lost_or_doubled() {
    let directory = tempfile::tempdir().unwrap();
    let owner = open(directory.path());
    found_town(&owner);
    let memories = [open(directory.path()), open(directory.path())];
    let closing = thread::spawn(move || {
        thread::sleep(Duration::from_millis(30));
        owner.close().unwrap();
    });
    thread::scope(|scope| {
        for (program, memory) in memories.iter().enumerate() {
            scope.spawn(move || {
                for number in 0..60 {
                    do_edit(memory, set("Pell", "lore", &format!("Line {number} of program {program}.")));
                }
            });
        }
    });
    closing.join().unwrap();
    wait_until("one program is the owner", || memories.iter().any(is_owner));
    let end = memories.iter().map(|memory| state(memory).position()).max().unwrap();
    for memory in &memories {
        wait_for_position(memory, end);
        assert_eq!(lore(&state(memory), "pell").len(), 120);
        assert!(memory.events().try_iter().any(|event| matches!(event, Event::Reloaded { .. })));
    }
    assert_eq!(end.0, state(&memories[0]).operation_count() as u64);
    let summaries = state(&memories[0]);
    let count = summaries.journal().filter(|(_, entry)| entry.operation.summary.contains("lore")).count();
    assert!(count <= 120, "no write was committed twice: {count}");
    let ends = state(&memories[0]);
    memories.into_iter().for_each(|memory| memory.close().unwrap());
    assert!(*state(&open(directory.path())) == *ends);
}

#[test]
fn a_write_of_an_attached_program_has_the_outcome_that_the_owner_finds_in_its_journal() {
    let directory = tempfile::tempdir().unwrap();
    let faults = Faults::default();
    let store = StoreOptions { faults: faults.clone(), ..StoreOptions::default() };
    let owner = Memory::open(MemoryOptions { store, ..shared_options(directory.path()) }).unwrap();
    found_town(&owner);
    let attached = open(directory.path());
    for written in [true, false] {
        faults.make_next_uncertain(written);
        let answer = try_edit(&attached, set("Pell", "lore", &format!("In doubt: {written}.")));
        assert_eq!(answer.is_ok(), written, "{answer:?}");
    }
    do_edit(&attached, set("Pell", "lore", "Afterwards."));
    wait_until("both have the writes", || {
        [&owner, &attached].iter().all(|memory| lore(&state(memory), "pell") == ["Afterwards.", "In doubt: true."])
    });
    assert!(*state(&owner) == *state(&attached));
}

#[test]
fn transient_values_reach_the_other_programs() {
    let directory = tempfile::tempdir().unwrap();
    let owner = open(directory.path());
    found_town(&owner);
    let go = |memory: &Memory, to: &str| {
        let patch = Patch { place: Some(id(to)).into(), ..Patch::default() };
        let patches = Patches { entities: vec![(id("Pell"), patch)], ..Patches::default() };
        memory.patch(Author::Game, Arc::new(patches)).unwrap().wait().unwrap();
    };
    let place =
        |memory: &Memory| Record::from_state(&state(memory), &id("Pell")).unwrap().place.map(|id| id.to_string());
    go(&owner, "Harbour");
    // The transient value is part of the state that an attaching program receives.
    let attached = open(directory.path());
    assert_eq!(place(&attached).as_deref(), Some("harbour"));
    go(&attached, "The Gull");
    wait_until("the owner sees the move", || place(&owner).as_deref() == Some("the-gull"));
    go(&owner, "Harbour");
    wait_until("the attached program sees the move", || place(&attached).as_deref() == Some("harbour"));
    assert!(*state(&owner) == *state(&attached));
}

/// Options with which facts are extracted by the patterns.
fn reading_options(directory: &Path) -> MemoryOptions {
    let extraction =
        ExtractionSettings { engine: hearsay_engine::ExtractionEngine::Patterns, ..ExtractionSettings::default() };
    MemoryOptions { settings: Settings { extraction, ..settings() }, ..shared_options(directory) }
}

pub(crate) fn say(memory: &Memory, text: &str) {
    let speaker = id("Mirela Voss").into();
    let (hearers, circumstances) = (Hearers::AtPlace, Circumstances::default());
    let say = GameEvent::Say { speaker, text: text.into(), states: Vec::new(), hearers, lie: false, circumstances };
    memory.learn(Author::Game, say).unwrap().wait().unwrap();
}

#[test]
fn the_facts_of_a_text_are_extracted_once_by_the_program_that_added_it() {
    let directory = tempfile::tempdir().unwrap();
    let owner = Memory::open(reading_options(directory.path())).unwrap();
    found_town(&owner);
    let attached = Memory::open(reading_options(directory.path())).unwrap();
    say(&attached, "Odo owes Pell forty crowns.");
    let status = attached.wait_for_reading(|_| true).unwrap();
    assert_eq!(status.found.claimed, 1);
    let position = state(&attached).position();
    wait_for_position(&owner, position);
    assert_eq!(self::status(&owner).found.claimed, 0, "the owner leaves the text to the other program");
    let findings = |memory: &Memory| {
        let state = state(memory);
        state.journal().filter(|(_, entry)| entry.live && entry.operation.summary.starts_with("read ")).count()
    };
    assert_eq!((findings(&owner), findings(&attached)), (1, 1));
    // When the line is undone, its findings go too, and only one program withdraws them.
    let line = state(&attached)
        .journal()
        .find(|(_, entry)| entry.operation.changes.iter().any(|change| matches!(change, Change::AddPassage(_))))
        .map(|(at, _)| at)
        .unwrap();
    attached.undo(UndoTarget::At(line)).unwrap().wait().unwrap();
    wait_until("the findings are withdrawn", || findings(&owner) == 0 && findings(&attached) == 0);
}

#[test]
fn the_owner_reads_what_a_program_left_unread() {
    let directory = tempfile::tempdir().unwrap();
    let owner = Memory::open(reading_options(directory.path())).unwrap();
    found_town(&owner);
    // This program does not extract facts.
    let attached = open(directory.path());
    say(&attached, "Odo owes Pell forty crowns.");
    let position = state(&attached).position();
    wait_for_position(&owner, position);
    attached.close().unwrap();
    wait_until("the owner reads the line", || status(&owner).found.claimed == 1);
}

#[test]
fn a_program_that_does_not_share_keeps_the_campaign_for_itself() {
    let directory = tempfile::tempdir().unwrap();
    let alone = Memory::open(options_at(directory.path())).unwrap();
    assert_eq!(status(&alone).sharing, SharingStatus::NotShared);
    for share in [true, false] {
        let error = Memory::open(MemoryOptions { share, ..options_at(directory.path()) }).unwrap_err();
        assert!(matches!(error, MemoryError::Store(StoreError::InUse { .. })), "{error}");
    }
    alone.close().unwrap();
    let owner = open(directory.path());
    let error = Memory::open(options_at(directory.path())).unwrap_err();
    assert!(matches!(error, MemoryError::Store(StoreError::InUse { .. })), "{error}");
    // The graph tables can be rebuilt only by the owner.
    let attached = open(directory.path());
    let error = attached.rebuild().unwrap().wait().unwrap_err();
    assert!(matches!(error, MemoryError::NotOwner { .. }), "{error}");
    owner.rebuild().unwrap().wait().unwrap();
}

#[test]
fn a_connection_without_the_token_gets_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let owner = open(directory.path());
    found_town(&owner);
    let text = std::fs::read_to_string(directory.path().join("sharing")).unwrap();
    let address: serde_json::Value = serde_json::from_str(&text).unwrap();
    let address: SocketAddr = address["address"].as_str().unwrap().parse().unwrap();
    assert!(address.ip().is_loopback());
    let frame = |content: &[u8]| [&(content.len() as u64).to_le_bytes()[..], content].concat();
    let mut wrong_token = vec![0, 1, 5];
    wrong_token.extend(b"0.1.0");
    wrong_token.push(32);
    wrong_token.extend([b'0'; 32]);
    wrong_token.extend([1, b'x']);
    for sent in
        [frame(&wrong_token), frame(&[9; 40]), u64::MAX.to_le_bytes().to_vec(), b"GET / HTTP/1.1\r\n\r\n".to_vec()]
    {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(&sent).unwrap();
        let mut answer = Vec::new();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        // The owner closes the connection without an answer.
        let _ = stream.read_to_end(&mut answer);
        assert_eq!(answer, b"");
    }
    assert_eq!(status(&owner).sharing, SharingStatus::Owner { programs: Vec::new() });
    do_edit(&owner, set("Pell", "lore", "Unharmed."));
}

#[test]
fn many_programs_open_a_campaign_at_the_same_moment() {
    let directory = tempfile::tempdir().unwrap();
    let barrier = Arc::new(Barrier::new(6));
    thread::scope(|scope| {
        let opened: Vec<_> = (0..6)
            .map(|number| {
                let (barrier, directory) = (Arc::clone(&barrier), directory.path());
                scope.spawn(move || {
                    barrier.wait();
                    let memory = open(directory);
                    do_edit(&memory, add(&format!("Person {number}"), hearsay_model::Kind::Npc, None));
                    memory.close().unwrap();
                })
            })
            .collect();
        opened.into_iter().for_each(|thread| thread.join().unwrap());
    });
    assert_eq!(state(&open(directory.path())).entity_count(), 6);
}

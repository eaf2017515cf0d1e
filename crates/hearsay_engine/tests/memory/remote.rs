//! Tests of memories whose campaign is in a server.

use std::{
    path::Path,
    sync::{Arc, Barrier},
    thread,
    time::Duration,
};

use hearsay_commands::patches::{Patch, Patches};
use hearsay_engine::{
    ExtractionEngine, ExtractionSettings, Memory, MemoryError, MemoryOptions, OfflineWrites, Settings, SharingStatus,
    StoreSettings,
};
use hearsay_model::{Author, Change, Fact, GameTime, Kind, Method, Operation, Provenance};
use hearsay_query::records::Record;
use hearsay_store::{Opened, ServerFile, Store, StoreError, StoreOptions, testing::LocalServer};

use super::{
    sharing::{lore, say, status, wait_for_position, wait_until},
    support::*,
};

fn open_with(server: &LocalServer, settings: Settings) -> Memory {
    Memory::open(MemoryOptions::with_endpoint(settings, server.endpoint())).unwrap()
}

fn open(server: &LocalServer) -> Memory {
    open_with(server, settings())
}

fn is_connected(memory: &Memory) -> bool {
    matches!(status(memory).sharing, SharingStatus::Server { connected: true, .. })
}

fn encoded(memory: &Memory) -> Vec<u8> {
    hearsay_store::encode_state(&state(memory)).unwrap()
}

fn go(memory: &Memory, place: &str, minute: i64) {
    let patch = Patch { place: Some(Some(id(place))), ..Patch::default() };
    let clock = Some(GameTime(minute));
    let patches = Patches { entities: vec![(id("Pell"), patch)], clock, ..Patches::default() };
    memory.patch(Author::Game, Arc::new(patches)).unwrap().wait().unwrap();
}

fn place(memory: &Memory) -> Option<String> {
    Record::from_state(&state(memory), &id("Pell"))?.place.map(|place| place.to_string())
}

#[test]
fn writes_at_the_same_time_are_all_kept_and_computed_from_the_newest_state() {
    const PROGRAMS: usize = 3;
    const WRITES: usize = 20;
    let directory = tempfile::tempdir().unwrap();
    let server = LocalServer::start(directory.path()).unwrap();
    let memories: Vec<Memory> = (0..PROGRAMS).map(|_| open(&server)).collect();
    let created = do_edit(&memories[0], add("Counter", Kind::Item, None)).position;
    memories.iter().for_each(|memory| wait_for_position(memory, created));
    let barrier = Barrier::new(PROGRAMS);
    thread::scope(|scope| {
        for memory in &memories {
            let barrier = &barrier;
            scope.spawn(move || {
                barrier.wait();
                for _ in 0..WRITES {
                    // Each write adds the number of earlier writes, so a lost or outdated write would be visible.
                    let count = memory.write(|snapshot| {
                        let next = lore(&snapshot.state, "counter").len() + 1;
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
    let end = hearsay_model::Position(created.0 + (PROGRAMS * WRITES) as u64);
    for memory in &memories {
        wait_for_position(memory, end);
        assert_eq!(lore(&state(memory), "counter").len(), PROGRAMS * WRITES);
        assert_eq!(encoded(memory), encoded(&memories[0]));
    }
    memories.into_iter().for_each(|memory| memory.close().unwrap());
    server.stop().unwrap();
}

#[test]
fn transient_values_reach_other_programs_and_survive_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let server = LocalServer::start(directory.path()).unwrap();
    let (game, console) = (open(&server), open(&server));
    found_town(&game);
    // Replaces the place that the DM gave to the character, which is an operation.
    go(&game, "Harbour", 5);
    let operations = state(&game).position();
    wait_until("the other program sees the move", || place(&console).as_deref() == Some("harbour"));
    go(&console, "The Gull", 10);
    wait_until("the game sees the move", || place(&game).as_deref() == Some("the-gull"));
    let summaries: Vec<String> = state(&game).journal().map(|(_, entry)| entry.operation.summary.clone()).collect();
    assert_eq!(state(&game).position(), operations, "a move is no operation: {summaries:?}");
    game.close().unwrap();
    let game = open(&server);
    assert_eq!(place(&game).as_deref(), Some("the-gull"));
    assert_eq!(state(&game).clock(), Some(GameTime(10)));
    assert!(*state(&game) == *state(&console));
}

#[test]
fn without_a_connection_reads_continue_and_writes_wait() {
    let directory = tempfile::tempdir().unwrap();
    let server = LocalServer::start(directory.path()).unwrap();
    let address = server.address();
    let memory = open(&server);
    found_town(&memory);
    server.stop().unwrap();
    wait_until("the connection is lost", || !is_connected(&memory));
    assert!(state(&memory).entity(&id("Pell")).is_some());
    let ticket = memory.edit(set("Pell", "lore", "Written without a connection.")).unwrap();
    wait_until("the write waits", || status(&memory).waiting_writes == 1);
    let server = LocalServer::start_at(directory.path(), address).unwrap();
    ticket.wait().unwrap();
    wait_until("the connection works", || is_connected(&memory));
    assert_eq!(lore(&state(&open(&server)), "pell"), ["Written without a connection."]);
}

#[test]
fn without_a_connection_writes_fail_if_the_settings_say_so() {
    let directory = tempfile::tempdir().unwrap();
    let server = LocalServer::start(directory.path()).unwrap();
    let store = StoreSettings { offline_writes: OfflineWrites::Fail, ..StoreSettings::default() };
    let memory = open_with(&server, Settings { store, ..settings() });
    found_town(&memory);
    server.stop().unwrap();
    wait_until("the connection is lost", || !is_connected(&memory));
    let error = try_edit(&memory, set("Pell", "lore", "Lost.")).unwrap_err();
    assert!(matches!(error, MemoryError::NotCommitted(_)), "{error}");
    assert!(error.to_string().contains("there is no connection to the server ws://127.0.0.1:"), "{error}");
}

#[test]
fn closing_without_a_connection_ends_and_returns_the_waiting_writes() {
    let directory = tempfile::tempdir().unwrap();
    let server = LocalServer::start(directory.path()).unwrap();
    let memory = open(&server);
    found_town(&memory);
    server.stop().unwrap();
    wait_until("the connection is lost", || !is_connected(&memory));
    let ticket = memory.edit(set("Pell", "lore", "Not saved.")).unwrap();
    let closed = memory.close_within(Duration::from_millis(200)).unwrap();
    assert_eq!((closed.committed, closed.not_committed), (0, 1));
    assert!(matches!(ticket.wait(), Err(MemoryError::NotCommittedInTime)));
}

#[test]
fn the_graph_tables_are_complete_after_the_programs_have_left() {
    let directory = tempfile::tempdir().unwrap();
    let server = LocalServer::start(directory.path()).unwrap();
    for round in 0..2 {
        let memory = open(&server);
        if round == 0 {
            found_town(&memory);
        }
        do_edit(&memory, set("Pell", "lore", &format!("Round {round}.")));
        // No other program has the right to write the tables, so this program gets it at once.
        thread::sleep(Duration::from_secs(1));
        memory.close().unwrap();
    }
    server.stop().unwrap();
    let Opened { store, state, report } = Store::open(directory.path(), StoreOptions::default()).unwrap();
    assert_eq!((report.catching_up, report.position), (0, store.projected()));
    store.settle_blocking().unwrap();
    assert_eq!(store.graph_differences_blocking(&state).unwrap(), []);
    store.close().unwrap();
}

#[test]
fn another_program_reads_what_a_program_left_unread() {
    let directory = tempfile::tempdir().unwrap();
    let server = LocalServer::start(directory.path()).unwrap();
    // This program does not extract facts.
    let writer = open(&server);
    found_town(&writer);
    say(&writer, "Odo owes Pell forty crowns.");
    writer.close().unwrap();
    let extraction = ExtractionSettings { engine: ExtractionEngine::Patterns, ..ExtractionSettings::default() };
    let reader = open_with(&server, Settings { extraction, ..settings() });
    wait_until("the line is read", || status(&reader).found.claimed == 1);
}

#[test]
fn a_program_on_the_machine_of_the_server_finds_the_server_and_takes_over_after_its_end() {
    let directory = tempfile::tempdir().unwrap();
    let open_directory = |path: &Path| Memory::open(MemoryOptions { share: true, ..options_at(path) }).unwrap();
    let server = LocalServer::start(directory.path()).unwrap();
    let public_url = "ws://tower:4801".to_owned();
    let file = ServerFile { pid: std::process::id(), public_url, endpoint: server.endpoint() };
    let file = ServerFile::write(directory.path(), &file).unwrap();
    let memory = open_directory(directory.path());
    assert!(is_connected(&memory));
    found_town(&memory);
    let error = memory.rebuild().unwrap().wait().unwrap_err();
    let place = "ws://tower:4801 (on this machine)";
    assert!(matches!(&error, MemoryError::InServer { server } if server == place), "{error}");
    drop(file);
    server.stop().unwrap();
    wait_until("the memory is the owner", || matches!(status(&memory).sharing, SharingStatus::Owner { .. }));
    do_edit(&memory, set("Pell", "lore", "After the end of the server."));
    let ends = state(&memory);
    memory.close().unwrap();
    assert!(*state(&open_directory(directory.path())) == *ends);
}

#[test]
fn a_server_that_cannot_be_used_is_an_error_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let server = LocalServer::start(directory.path()).unwrap();
    let mut endpoint = server.endpoint();
    if let Some(credentials) = &mut endpoint.credentials {
        credentials.password = "a wrong password".into();
    }
    let error = Memory::open(MemoryOptions::with_endpoint(settings(), endpoint)).unwrap_err();
    assert!(matches!(error, MemoryError::Store(StoreError::LoginRefused { .. })), "{error}");
    assert!(!error.to_string().contains("a wrong password"), "{error}");
    let endpoint = server.endpoint();
    server.stop().unwrap();
    let error = Memory::open(MemoryOptions::with_endpoint(settings(), endpoint)).unwrap_err();
    assert!(matches!(error, MemoryError::Store(StoreError::ServerUnreachable { .. })), "{error}");
}

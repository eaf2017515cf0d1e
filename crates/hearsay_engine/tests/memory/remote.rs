//! Tests of memories whose campaign is in a server.

use std::{
    io::{Read, Write},
    net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream},
    path::Path,
    sync::{
        Arc, Barrier,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use hearsay_commands::patches::{Patch, Patches};
use hearsay_engine::{
    ExtractionEngine, ExtractionSettings, Memory, MemoryError, MemoryOptions, OfflineWrites, Settings, SharingStatus,
    StoreSettings,
};
use hearsay_model::{Author, Change, Fact, GameTime, Kind, Method, Operation, Position, Provenance};
use hearsay_query::records::Record;
use hearsay_store::{
    Endpoint, HostedUsers, Opened, ServerFile, Store, StoreError, StoreOptions, UserAccess, testing::LocalServer,
};

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

/// Returns the reason why there is no connection.
fn reason(memory: &Memory) -> Option<String> {
    match status(memory).sharing {
        SharingStatus::Server { reason, .. } => reason,
        other => panic!("{other:?}"),
    }
}

fn encoded(memory: &Memory) -> Vec<u8> {
    hearsay_store::encode_state(&state(memory)).unwrap()
}

fn go(memory: &Memory, place: &str, minute: i64) {
    let patch = Patch { place: Some(id(place)).into(), ..Patch::default() };
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
fn the_writes_of_one_program_keep_their_order_while_another_program_writes() {
    const WRITES: usize = 40;
    let directory = tempfile::tempdir().unwrap();
    let server = LocalServer::start(directory.path()).unwrap();
    let (fast, other) = (open(&server), open(&server));
    found_town(&fast);
    wait_for_position(&other, state(&fast).position());
    thread::scope(|scope| {
        scope.spawn(|| {
            (0..WRITES).for_each(|number| _ = do_edit(&other, set("Odo Brandt", "lore", &format!("Other {number}."))))
        });
        // The program does not wait for the answer to a write before it sends the next one.
        let line = |number: usize| fast.edit(set("Pell", "lore", &format!("Line {number}."))).unwrap();
        let tickets: Vec<_> = (0..WRITES).map(line).collect();
        let positions: Vec<Position> = tickets.into_iter().map(|ticket| ticket.wait().unwrap().position).collect();
        assert!(positions.is_sorted(), "{positions:?}");
    });
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

/// Forwards connections to a server. While it is cut, the answers of the server are lost, and there are no new
/// connections.
struct Network {
    address: SocketAddr,
    is_cut: Arc<AtomicBool>,
}

impl Network {
    fn to(server: SocketAddr) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let (address, is_cut) = (listener.local_addr().unwrap(), Arc::<AtomicBool>::default());
        let network = Self { address, is_cut: Arc::clone(&is_cut) };
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Some(remote) = TcpStream::connect(server).ok().filter(|_| !is_cut.load(Ordering::SeqCst)) else {
                    continue;
                };
                let (from_client, from_server) = (client.try_clone().unwrap(), remote.try_clone().unwrap());
                thread::spawn(move || forward(from_client, remote, || true));
                let is_cut = Arc::clone(&is_cut);
                thread::spawn(move || forward(from_server, client, move || !is_cut.load(Ordering::SeqCst)));
            }
        });
        network
    }

    fn cut(&self, is_cut: bool) {
        self.is_cut.store(is_cut, Ordering::SeqCst);
    }

    fn endpoint(&self, server: &LocalServer) -> Endpoint {
        Endpoint { url: format!("ws://{}", self.address), ..server.endpoint() }
    }
}

/// Forwards bytes until the connection ends. Drops bytes while `is_open` returns `false`.
fn forward(mut from: TcpStream, mut to: TcpStream, is_open: impl Fn() -> bool) {
    let mut buffer = [0; 4_096];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        if is_open() && to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}

#[test]
fn a_change_whose_answer_is_lost_fails_as_uncertain_and_appears_once() {
    let directory = tempfile::tempdir().unwrap();
    let server = LocalServer::start(directory.path()).unwrap();
    let network = Network::to(server.address());
    let store = StoreSettings { offline_writes: OfflineWrites::Fail, ..StoreSettings::default() };
    let settings = Settings { store, ..settings() };
    let memory = Memory::open(MemoryOptions::with_endpoint(settings, network.endpoint(&server))).unwrap();
    found_town(&memory);
    network.cut(true);
    let sent = memory.edit(set("Pell", "lore", "Stored without an answer.")).unwrap();
    let queued = memory.edit(set("Pell", "lore", "Never sent.")).unwrap();
    let error = sent.wait_for(Duration::from_secs(20)).unwrap_err();
    assert!(matches!(error, MemoryError::Uncertain(_)), "{error}");
    let text = error.to_string();
    assert!(text.contains("the connection to the server ws://") && text.contains("uncertain whether"), "{text}");
    // Later changes do not wait for the change that is still in flight.
    let later = memory.edit(set("Pell", "lore", "Later.")).unwrap();
    for ticket in [queued, later] {
        let error = ticket.wait_for(Duration::from_secs(5)).unwrap_err();
        assert!(matches!(error, MemoryError::NotCommitted(_)), "{error}");
    }
    assert_eq!((lore(&state(&memory), "pell"), status(&memory).waiting_writes), (Vec::new(), 0));
    network.cut(false);
    wait_until("the change appears", || lore(&state(&memory), "pell") == ["Stored without an answer."]);
    wait_until("the connection works", || is_connected(&memory));
    do_edit(&memory, set("Odo Brandt", "lore", "After the connection works again."));
    assert_eq!(lore(&state(&open(&server)), "pell"), ["Stored without an answer."]);
    assert_eq!(encoded(&memory), encoded(&open(&server)));
}

fn users(server: &LocalServer) -> HostedUsers {
    HostedUsers::new(Arc::clone(server.database().unwrap()))
}

#[test]
fn a_program_reports_that_the_server_refuses_its_login_and_continues_when_the_user_is_there_again() {
    let directory = tempfile::tempdir().unwrap();
    let server = LocalServer::start(directory.path()).unwrap();
    let address = server.address();
    users(&server).set("anna", "a good password", UserAccess::Full).unwrap();
    let endpoint = Endpoint::hosted(server.endpoint().url, "anna", "a good password");
    // The settings say that changes wait for the connection.
    let memory = Memory::open(MemoryOptions::with_endpoint(settings(), endpoint)).unwrap();
    found_town(&memory);
    assert!(users(&server).remove("anna").unwrap());
    server.stop().unwrap();
    let server = LocalServer::start_at(directory.path(), address).unwrap();
    let refusal = "the server refuses the login of the user `anna`";
    wait_until("the refusal is reported", || reason(&memory).is_some_and(|reason| reason.contains(refusal)));
    let error = try_edit(&memory, set("Pell", "lore", "Refused.")).unwrap_err();
    assert!(matches!(error, MemoryError::NotCommitted(_)), "{error}");
    assert!(error.to_string().contains(refusal), "{error}");
    assert!(!error.to_string().contains("a good password"), "{error}");
    users(&server).set("anna", "a good password", UserAccess::Full).unwrap();
    wait_until("the connection works", || is_connected(&memory));
    do_edit(&memory, set("Pell", "lore", "Accepted."));
    assert_eq!(lore(&state(&open(&server)), "pell"), ["Accepted."]);
}

#[test]
fn values_that_an_operation_replaced_stay_replaced_when_the_transient_values_are_compacted() {
    let directory = tempfile::tempdir().unwrap();
    let server = LocalServer::start(directory.path()).unwrap();
    let game = open(&server);
    found_town(&game);
    // No other program has the right to write the tables, so this program gets it at once. It then also compacts.
    thread::sleep(Duration::from_secs(1));
    let console = open(&server);
    for minute in 0..150 {
        go(&game, if minute % 2 == 0 { "Harbour" } else { "The Gull" }, minute);
    }
    do_edit(&game, relate("Pell", "LOCATED_AT", "Harbour"));
    for minute in 150..300 {
        let patches = Patches { clock: Some(GameTime(minute)), ..Patches::default() };
        game.patch(Author::Game, Arc::new(patches)).unwrap().wait().unwrap();
    }
    wait_until("the console sees the time", || state(&console).clock() == Some(GameTime(299)));
    let opened = open(&server);
    for memory in [&game, &console, &opened] {
        assert_eq!(place(memory).as_deref(), Some("harbour"));
    }
    assert!(*state(&game) == *state(&console) && *state(&game) == *state(&opened));
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

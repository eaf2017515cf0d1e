//! Campaigns in a server: several programs append to one journal.

use std::{
    sync::{Arc, mpsc},
    time::{Duration, Instant},
};

use hearsay_model::*;
use hearsay_store::{
    AppendRefusal, Credentials, Endpoint, HostedDatabase, HostedUsers, RemoteEvent, RemoteOpened, RemoteStore, Store,
    StoreError, StoreOptions, UserAccess, WireFormat, encode_state, projection, testing::LocalServer,
};

/// Time limit of each wait.
const PATIENCE: Duration = Duration::from_secs(30);

/// A program that uses a campaign in a server: its store, and the state that follows the journal.
struct Program {
    store: RemoteStore,
    state: State,
    events: mpsc::Receiver<RemoteEvent>,
    may_project: bool,
    disconnected: bool,
    /// Number of the newest batch of transient values of another program.
    batch: u64,
}

impl Program {
    fn start(endpoint: &Endpoint) -> Self {
        Self::listen(RemoteStore::open(endpoint, &StoreOptions::default()).unwrap())
    }

    fn listen(RemoteOpened { mut store, state, report }: RemoteOpened) -> Self {
        let (sender, events) = mpsc::channel();
        store.listen(move |event| drop(sender.send(event)));
        Self { store, state, events, may_project: false, disconnected: false, batch: report.transient_batch }
    }

    /// Handles the next event. Returns the answer to an append, if it is one.
    fn step(&mut self) -> Option<Result<(), AppendRefusal>> {
        match self.events.recv_timeout(PATIENCE).expect("an event") {
            RemoteEvent::Committed { operation, transients, batch } => {
                self.batch = batch;
                if let Some(operation) = operation {
                    self.state.apply(operation).unwrap();
                }
                self.state.set_transients(&transients);
            }
            RemoteEvent::Appended(answer) => return Some(answer),
            RemoteEvent::MayProject(watermark) => self.may_project = watermark.is_some(),
            RemoteEvent::Disconnected(_) => self.disconnected = true,
            RemoteEvent::Connected => self.disconnected = false,
            RemoteEvent::Lost(reason) => panic!("lost: {reason}"),
        }
        None
    }

    fn step_until(&mut self, mut is_reached: impl FnMut(&Self) -> bool) {
        let started = Instant::now();
        while !is_reached(self) {
            assert!(started.elapsed() < PATIENCE, "not reached");
            self.step();
        }
    }

    /// Appends an operation, again after each conflict. Returns the number of conflicts.
    fn append(&mut self, operation: &Arc<Operation>) -> usize {
        self.append_with(Some(operation), &TransientUpdate::default())
    }

    fn append_with(&mut self, operation: Option<&Arc<Operation>>, transients: &TransientUpdate) -> usize {
        for conflicts in 0.. {
            self.store.append(self.state.position().next(), operation.cloned(), transients.clone());
            let answer = loop {
                if let Some(answer) = self.step() {
                    break answer;
                }
            };
            match answer {
                Ok(()) => {
                    if let Some(operation) = operation {
                        self.state.apply(Arc::clone(operation)).unwrap();
                    }
                    self.state.set_transients(transients);
                    return conflicts;
                }
                Err(AppendRefusal::Conflict) => {}
                Err(AppendRefusal::Rejected(reason)) => panic!("rejected: {reason}"),
            }
        }
        unreachable!()
    }
}

fn entity(name: &str) -> Arc<Operation> {
    let id = EntityId::new(name).unwrap();
    let fact = Fact::attribute(&id, "name", name, Provenance::new(Method::Authored, Author::Dm)).unwrap();
    let changes = vec![Change::AddEntity(Entity::new(id)), Change::AssertFact(fact.build().unwrap().into())];
    Arc::new(Operation::new(Author::Dm, format!("add {name}"), changes))
}

#[test]
fn programs_append_to_one_journal_and_end_with_the_same_state() {
    let directory = tempfile::tempdir().unwrap();
    let server = LocalServer::start(directory.path()).unwrap();
    let endpoint = server.endpoint();
    let writers: Vec<_> = (0..3)
        .map(|writer| {
            let endpoint = endpoint.clone();
            std::thread::spawn(move || {
                let mut program = Program::start(&endpoint);
                for number in 0..20 {
                    program.append(&entity(&format!("e-{writer}-{number}")));
                }
                program
            })
        })
        .collect();
    let mut programs: Vec<_> = writers.into_iter().map(|writer| writer.join().unwrap()).collect();
    programs.push(Program::start(&endpoint));
    let states: Vec<_> = programs
        .iter_mut()
        .map(|program| {
            program.step_until(|program| program.state.position() == Position(60));
            encode_state(&program.state).unwrap()
        })
        .collect();
    assert!(states.iter().all(|state| *state == states[0]), "the states differ");
    drop(programs);
    server.stop().unwrap();
    // The database is an ordinary campaign afterwards.
    let opened = Store::open(directory.path(), StoreOptions::default()).unwrap();
    assert_eq!(encode_state(&opened.state).unwrap(), states[0]);
    opened.store.close().unwrap();
}

#[test]
fn an_append_that_waits_for_the_server_is_stored_once() {
    let directory = tempfile::tempdir().unwrap();
    let server = LocalServer::start(directory.path()).unwrap();
    let (endpoint, address) = (server.endpoint(), server.address());
    let mut program = Program::start(&endpoint);
    program.append(&entity("first"));
    server.stop().unwrap();
    program.store.append(Position(2), Some(entity("second")), TransientUpdate::default());
    program.step_until(|program| program.disconnected);
    assert!(!program.store.connection().connected);
    let server = LocalServer::start_at(directory.path(), address).unwrap();
    while program.step().is_none() {}
    let mut other = Program::start(&endpoint);
    other.step_until(|other| other.state.position() == Position(2));
    other.append(&entity("third"));
    drop((program, other));
    server.stop().unwrap();
}

#[test]
fn logins_are_checked_and_readers_cannot_write() {
    let directory = tempfile::tempdir().unwrap();
    let server = LocalServer::start(directory.path()).unwrap();
    Program::start(&server.endpoint()).append(&entity("first"));
    let users = HostedUsers::new(Arc::clone(server.database().unwrap()));
    users.set("reader", "it's a `secret`", UserAccess::ReadOnly).unwrap();
    assert_eq!(
        users.list().unwrap().iter().map(|(_, access)| *access).collect::<Vec<_>>(),
        [UserAccess::ReadOnly, UserAccess::Full]
    );
    let with = |user: &str, password: &str| {
        let mut endpoint = server.endpoint();
        let level = endpoint.credentials.as_ref().unwrap().level;
        endpoint.credentials = Some(Credentials { user: user.into(), password: password.into(), level });
        endpoint
    };
    let refused = RemoteStore::open(&with("reader", "wrong"), &StoreOptions::default()).unwrap_err();
    assert!(matches!(refused, StoreError::LoginRefused { .. }), "{refused}");
    let anonymous = Endpoint { credentials: None, ..server.endpoint() };
    let refused = RemoteStore::open(&anonymous, &StoreOptions::default()).unwrap_err();
    assert!(matches!(refused, StoreError::LoginRefused { .. }), "{refused}");
    let mut reader = Program::start(&with("reader", "it's a `secret`"));
    assert_eq!(reader.state.position(), Position(1));
    reader.store.append(Position(2), Some(entity("second")), TransientUpdate::default());
    let answer = loop {
        if let Some(answer) = reader.step() {
            break answer;
        }
    };
    let Err(AppendRefusal::Rejected(reason)) = answer else { panic!("{answer:?}") };
    assert!(reason.contains("may only read"), "{reason}");
    assert!(users.remove("reader").unwrap());
    drop((reader, users));
    server.stop().unwrap();
}

#[test]
fn a_session_notices_every_change_of_its_user() {
    let directory = tempfile::tempdir().unwrap();
    let database = Arc::new(HostedDatabase::open(directory.path(), &StoreOptions::default()).unwrap());
    let users = HostedUsers::new(Arc::clone(&database));
    let (first, second) = ("a long password", "another password");
    let change = |change: &str| match change {
        "nothing" => {}
        "another user" => users.set("bert", second, UserAccess::Full).unwrap(),
        "password" => users.set("anna", second, UserAccess::Full).unwrap(),
        "rights" => users.set("anna", first, UserAccess::ReadOnly).unwrap(),
        _ => assert!(users.remove("anna").unwrap()),
    };
    for (what, is_current) in
        [("nothing", true), ("another user", true), ("password", false), ("rights", false), ("removal", false)]
    {
        users.set("anna", first, UserAccess::Full).unwrap();
        let session = Arc::new(database.session());
        let message = format!(
            r#"{{"id": 1, "method": "signin",
                "params": [{{"ns": "hearsay", "db": "campaign", "user": "anna", "pass": "{first}"}}]}}"#
        );
        let signing_in = Arc::clone(&session);
        let task = database.handle().spawn(async move {
            let answer = signing_in.request(WireFormat::Json, message.as_bytes()).await;
            (answer, signing_in.has_current_users().await)
        });
        let (answer, was_current) = futures_executor::block_on(task).unwrap();
        let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap();
        assert!(answer["error"].is_null() && was_current, "{answer}");
        change(what);
        let checked = Arc::clone(&session);
        let task = database.handle().spawn(async move { checked.has_current_users().await });
        assert_eq!(futures_executor::block_on(task).unwrap(), is_current, "{what}");
        let task = database.handle().spawn(async move { session.close().await });
        futures_executor::block_on(task).unwrap();
    }
    drop(users);
    database.close().unwrap();
}

#[test]
fn transient_values_and_large_operations_reach_every_program() {
    let directory = tempfile::tempdir().unwrap();
    let server = LocalServer::start(directory.path()).unwrap();
    let (mut one, mut two) = (Program::start(&server.endpoint()), Program::start(&server.endpoint()));
    one.append(&entity("pell"));
    let text = Passage::new("x".repeat(5 << 20));
    one.append(&Arc::new(Operation::new(Author::Game, "a long text", vec![Change::AddPassage(text.into())])));
    let pell = EntityId::new("pell").unwrap();
    for hour in 0..400 {
        let update = TransientUpdate { values: Vec::new(), clock: Some(GameTime(hour)) };
        one.append_with(None, &update);
        if hour % 100 == 0 {
            two.step_until(|two| two.state.clock() == Some(GameTime(hour)));
            two.append(&entity(&format!("e-{hour}")));
        }
    }
    let position = Position(2 + 4);
    one.step_until(|one| one.state.position() == position);
    two.step_until(|two| two.state.clock() == Some(GameTime(399)) && two.state.position() == position);
    let three = Program::start(&server.endpoint());
    assert_eq!(three.state.clock(), Some(GameTime(399)));
    assert!(three.state.entity(&pell).is_some());
    assert_eq!(encode_state(&one.state).unwrap(), encode_state(&two.state).unwrap());
    assert_eq!(encode_state(&one.state).unwrap(), encode_state(&three.state).unwrap());
    drop((one, two, three));
    server.stop().unwrap();
}

#[test]
fn one_program_at_a_time_writes_the_graph_tables() {
    let directory = tempfile::tempdir().unwrap();
    let server = LocalServer::start(directory.path()).unwrap();
    let mut one = Program::start(&server.endpoint());
    one.step_until(|one| one.may_project);
    let mut two = Program::start(&server.endpoint());
    two.append(&entity("pell"));
    one.step_until(|one| one.state.position() == Position(1));
    let keys: Vec<Key> = one.state.facts().map(|fact| Key::Fact(fact.id())).collect();
    let write = |program: &Program| {
        let (sender, done) = mpsc::channel();
        let rows = projection::rows(&program.state, &keys);
        program.store.project(rows, program.state.position(), move |result| drop(sender.send(result)));
        done.recv_timeout(PATIENCE).unwrap()
    };
    assert!(matches!(write(&two), Err(StoreError::Projection { .. })));
    write(&one).unwrap();
    assert_eq!(one.store.backlog(), 0);
    one.store.close(PATIENCE);
    two.step_until(|two| two.may_project);
    write(&two).unwrap();
    drop(two);
    server.stop().unwrap();
}

/// Sets the game clock without an operation.
fn tick(program: &mut Program, time: i64) {
    program.append_with(None, &TransientUpdate { values: Vec::new(), clock: Some(GameTime(time)) });
}

#[test]
fn a_compaction_of_transient_values_reaches_every_program_and_keeps_the_numbers_of_the_batches() {
    const TICKS: i64 = 300;
    let directory = tempfile::tempdir().unwrap();
    let server = LocalServer::start(directory.path()).unwrap();
    let mut one = Program::start(&server.endpoint());
    one.step_until(|one| one.may_project);
    let mut two = Program::start(&server.endpoint());
    let opened = RemoteStore::open(&server.endpoint(), &StoreOptions::default()).unwrap();
    (0..TICKS).for_each(|time| tick(&mut one, time));
    two.step_until(|two| two.state.clock() == Some(GameTime(TICKS - 1)));
    // This program has not read the rows that the compaction replaced.
    let mut late = Program::listen(opened);
    late.step_until(|late| late.state.clock() == Some(GameTime(TICKS - 1)));
    let report = RemoteStore::open(&server.endpoint(), &StoreOptions::default()).unwrap().report;
    assert_eq!((two.batch, late.batch, report.transient_batch), (TICKS as u64, TICKS as u64, TICKS as u64));
    tick(&mut late, 1_000);
    for program in [&mut one, &mut two] {
        program.step_until(|program| program.state.clock() == Some(GameTime(1_000)));
        assert_eq!(program.batch, TICKS as u64 + 1);
    }
    drop((one, two, late));
    server.stop().unwrap();
}

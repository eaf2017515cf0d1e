//! Tests of a server with its clients.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::{
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use futures_util::{SinkExt, StreamExt};
use hearsay_engine::{ExtractionSettings, Memory, MemoryError, MemoryOptions, ModelSettings, Settings, SharingStatus};
use hearsay_model::{Author, Change, Entity, EntityId, GameSetting, Operation, Position, Setting};
use hearsay_server::{CertificateFiles, ServeOptions, Server, UserAccess, Users};
use hearsay_store::{Endpoint, RemoteStore, StoreOptions, read_server_file};
use rustls::pki_types::{CertificateDer, pem::PemObject};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{Message, client::IntoClientRequest, http::HeaderValue},
};

const CAMPAIGN: &str = r#"
campaign: {name: The Mill, start: "2 Springmonth 10, 19:00"}
calendar: {name: Count, months: [{name: Springmonth, days: 40}, {name: Snowmonth, days: 40}]}
entities:
  - {id: ada, name: Ada Flint, kind: npc}
  - {id: ben, name: Ben Carter, kind: npc}
"#;

/// Names and passwords of the users.
const ANNA: (&str, &str) = ("anna", "a long password");
const ARCHIVE: (&str, &str) = ("archive", "another password");

/// Maximum time until a change arrives or a connection works again.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A campaign directory with two users: Anna can write, and the archive can only read.
struct Campaign {
    directory: TempDir,
}

impl Campaign {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("mill.yaml"), CAMPAIGN).unwrap();
        fs::write(directory.path().join("hearsay.toml"), "[model]\nenabled = false\n[extraction]\nenabled = false\n")
            .unwrap();
        let memory = Memory::open(MemoryOptions::for_campaign(directory.path()).unwrap()).unwrap();
        memory.import(directory.path()).unwrap().wait().unwrap();
        memory.close().unwrap();
        let campaign = Self { directory };
        let users = Users::open(&campaign.database()).unwrap();
        users.set(ANNA.0, ANNA.1, UserAccess::Full).unwrap();
        users.set(ARCHIVE.0, ARCHIVE.1, UserAccess::ReadOnly).unwrap();
        users.close().unwrap();
        campaign
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn database(&self) -> PathBuf {
        self.path().join(".hearsay")
    }

    fn start(&self) -> Server {
        self.start_at("127.0.0.1:0".parse().unwrap())
    }

    fn start_at(&self, address: SocketAddr) -> Server {
        Server::start(ServeOptions { address, ..ServeOptions::new(self.path()) }).unwrap()
    }
}

fn endpoint(server: &Server, (user, password): (&str, &str)) -> Endpoint {
    Endpoint::hosted(server.url(), user, password)
}

fn open(endpoint: Endpoint) -> Result<Memory, MemoryError> {
    let model = ModelSettings { enabled: false, ..ModelSettings::default() };
    let extraction = ExtractionSettings { enabled: false, ..ExtractionSettings::default() };
    Memory::open(MemoryOptions::with_endpoint(Settings { model, extraction, ..Settings::default() }, endpoint))
}

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

/// Adds an entity, and returns the result of the write.
fn add(memory: &Memory, name: &str) -> Result<(), MemoryError> {
    let changes = vec![Change::AddEntity(Entity::new(id(name)))];
    let write = memory.write(move |_| Ok(Operation::new(Author::Dm, "add an entity", changes.clone())))?;
    write.wait_for(TIMEOUT).map(drop)
}

fn has(memory: &Memory, name: &str) -> bool {
    let id = id(name);
    memory.read(move |world| Ok(world.state.entity(&id).is_some())).unwrap().wait().unwrap()
}

fn wait_until(what_happens: &str, mut is_true: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_true() {
        assert!(started.elapsed() < TIMEOUT, "{what_happens}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Sends a request without a body over a stream, and returns the whole response.
fn get(mut stream: impl Read + Write, path: &str, headers: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}Connection: close\r\n\r\n");
    let mut response = Vec::new();
    // A server may refuse a request before it has read it, and end an encrypted connection without a message. Both are
    // errors here.
    let _ = stream.write_all(request.as_bytes());
    let _ = stream.read_to_end(&mut response);
    String::from_utf8_lossy(&response).into_owned()
}

#[test]
fn the_start_removes_old_changes() {
    let campaign = Campaign::new();
    let settings = campaign.path().join("hearsay.toml");
    let text = fs::read_to_string(&settings).unwrap() + "[store]\nundo_operations = 100\nundo_sessions = 1\n";
    fs::write(&settings, text).unwrap();
    let server = campaign.start();
    let anna = open(endpoint(&server, ANNA)).unwrap();
    let set = |n: usize| {
        let flag = GameSetting::Flag { name: "weather".into(), value: format!("weather {n}").as_str().into() };
        let change = Change::Set(Setting::Game(flag));
        anna.write(move |_| Ok(Operation::new(Author::Game, "weather", vec![change.clone()]))).unwrap()
    };
    for numbers in (0..600).collect::<Vec<_>>().chunks(100) {
        let writes: Vec<_> = numbers.iter().map(|n| set(*n)).collect();
        writes.into_iter().for_each(|write| drop(write.wait_for(TIMEOUT).unwrap()));
    }
    let before = anna.status().unwrap().wait().unwrap();
    assert_eq!(before.compacted_to, Position(0));
    anna.close().unwrap();
    server.stop().unwrap();

    let server = campaign.start();
    let anna = open(endpoint(&server, ANNA)).unwrap();
    let after = anna.status().unwrap().wait().unwrap();
    assert_eq!(after.position, before.position);
    assert!(after.compacted_to > Position(256) && after.operations < 300, "{after:?}");
    add(&anna, "cid").unwrap();
    assert!(has(&anna, "ada") && has(&anna, "cid"));
    anna.close().unwrap();
    server.stop().unwrap();
}

#[test]
fn programs_see_the_changes_of_each_other() {
    let campaign = Campaign::new();
    let server = campaign.start();
    let anna = open(endpoint(&server, ANNA)).unwrap();
    let other = open(endpoint(&server, ANNA)).unwrap();
    assert!(has(&anna, "ada") && has(&other, "ben"));
    add(&anna, "cid").unwrap();
    wait_until("the change of the first program arrives", || has(&other, "cid"));
    add(&other, "dora").unwrap();
    wait_until("the change of the second program arrives", || has(&anna, "dora"));
    // A program on the same machine finds the server in the campaign directory.
    let local = Memory::open(MemoryOptions::for_campaign(campaign.path()).unwrap()).unwrap();
    assert!(has(&local, "dora"));
    let SharingStatus::Server { endpoint, .. } = local.status().unwrap().wait().unwrap().sharing else {
        panic!("the program does not use the server")
    };
    assert_eq!(endpoint, format!("{} (on this machine)", server.url()));
    add(&local, "edda").unwrap();
    wait_until("the change of the local program arrives", || has(&anna, "edda"));
    for memory in [anna, other, local] {
        memory.close().unwrap();
    }
    server.stop().unwrap();
    assert_eq!(read_server_file(&campaign.database()), None);
    // Without a server, the program opens the database itself.
    let memory = Memory::open(MemoryOptions::for_campaign(campaign.path()).unwrap()).unwrap();
    assert!(["ada", "cid", "dora", "edda"].iter().all(|name| has(&memory, name)));
    memory.close().unwrap();
}

#[test]
fn a_wrong_password_gives_no_access() {
    let campaign = Campaign::new();
    let server = campaign.start();
    for login in [(ANNA.0, "a wrong password"), ("nobody", ANNA.1), (ANNA.0, "")] {
        let error = open(endpoint(&server, login)).unwrap_err().to_string();
        assert!(!error.contains(login.1) || login.1.is_empty(), "{error}");
        assert!(RemoteStore::open(&endpoint(&server, login), &StoreOptions::default()).is_err());
    }
    let anonymous = Endpoint { credentials: None, ..endpoint(&server, ANNA) };
    assert!(open(anonymous).is_err());
    open(endpoint(&server, ANNA)).unwrap().close().unwrap();
    server.stop().unwrap();
}

#[test]
fn a_read_only_user_reads_and_cannot_write() {
    let campaign = Campaign::new();
    let server = campaign.start();
    let archive = open(endpoint(&server, ARCHIVE)).unwrap();
    assert!(has(&archive, "ada"));
    add(&archive, "cid").unwrap_err();
    let anna = open(endpoint(&server, ANNA)).unwrap();
    assert!(!has(&anna, "cid"));
    add(&anna, "dora").unwrap();
    wait_until("the change arrives", || has(&archive, "dora"));
    drop(archive);
    anna.close().unwrap();
    server.stop().unwrap();
}

#[test]
fn a_program_goes_on_after_the_server_was_restarted() {
    let campaign = Campaign::new();
    let server = campaign.start();
    let address = server.address();
    let anna = open(endpoint(&server, ANNA)).unwrap();
    add(&anna, "cid").unwrap();
    server.stop().unwrap();
    // Reading goes on, and the write waits for the server.
    assert!(has(&anna, "cid"));
    let changes = vec![Change::AddEntity(Entity::new(id("dora")))];
    let waiting = anna.write(move |_| Ok(Operation::new(Author::Dm, "add an entity", changes.clone()))).unwrap();
    let server = campaign.start_at(address);
    waiting.wait_for(TIMEOUT).unwrap();
    add(&anna, "edda").unwrap();
    anna.close().unwrap();
    let other = open(endpoint(&server, ANNA)).unwrap();
    assert!(["ada", "cid", "dora", "edda"].iter().all(|name| has(&other, name)));
    other.close().unwrap();
    server.stop().unwrap();
}

/// Sends a request of SurrealDB's protocol in JSON, and returns the answer.
async fn request(
    socket: &mut WebSocketStream<tokio::net::TcpStream>,
    id: u64,
    method: &str,
    parameters: Value,
) -> Value {
    let message = json!({"id": id, "method": method, "params": parameters}).to_string();
    socket.send(Message::text(message)).await.unwrap();
    loop {
        let message = socket.next().await.unwrap().unwrap();
        let Message::Text(text) = message else { continue };
        let answer: Value = serde_json::from_str(&text).unwrap();
        if answer["id"] == id {
            return answer;
        }
    }
}

#[test]
fn a_client_without_a_login_reads_nothing() {
    let campaign = Campaign::new();
    let server = campaign.start();
    let address = server.address();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let stream = tokio::net::TcpStream::connect(address).await.unwrap();
        let mut handshake = format!("ws://{address}/rpc").into_client_request().unwrap();
        handshake.headers_mut().insert("sec-websocket-protocol", HeaderValue::from_static("unknown, json"));
        let (mut socket, response) = tokio_tungstenite::client_async(handshake, stream).await.unwrap();
        assert_eq!(response.headers()["sec-websocket-protocol"], "json");
        let query = json!(["SELECT * FROM entity; SELECT * FROM fact; SELECT * FROM journal; INFO FOR DATABASE"]);
        request(&mut socket, 1, "use", json!(["hearsay", "campaign"])).await;
        let answer = request(&mut socket, 2, "query", query.clone()).await.to_string();
        assert!(!answer.contains("Ada Flint") && !answer.contains("anna"), "{answer}");
        let login = json!([{"ns": "hearsay", "db": "campaign", "user": ANNA.0, "pass": ANNA.1}]);
        let answer = request(&mut socket, 3, "signin", login).await;
        assert!(answer["error"].is_null(), "{answer}");
        let answer = request(&mut socket, 4, "query", query).await.to_string();
        assert!(answer.contains("Ada Flint"), "{answer}");
        // Even a user who may write cannot change users.
        let statements = "DEFINE USER mallory ON DATABASE PASSWORD 'a long password' ROLES OWNER; \
                          ALTER USER anna ON DATABASE ROLES OWNER; REMOVE USER archive ON DATABASE; \
                          REMOVE USER `hearsay-host` ON DATABASE";
        for (id, statement) in (5..).zip(statements.split("; ")) {
            request(&mut socket, id, "query", json!([statement])).await;
        }
        socket.close(None).await.unwrap();
    });
    let users = Users::open(&campaign.database()).unwrap();
    let expected = [(ANNA.0.to_owned(), UserAccess::Full), (ARCHIVE.0.to_owned(), UserAccess::ReadOnly)];
    assert_eq!(users.list().unwrap(), expected);
    users.close().unwrap();
    server.stop().unwrap();
}

#[test]
fn plain_requests_are_answered() {
    let campaign = Campaign::new();
    let server = campaign.start();
    let get = |path: &str, headers: &str| get(TcpStream::connect(server.address()).unwrap(), path, headers);
    let health = get("/health", "");
    assert!(health.starts_with("HTTP/1.1 200") && health.contains(r#"{"status":"ok","version":""#), "{health}");
    assert!(get("/rpc", "").starts_with("HTTP/1.1 426"));
    let index = get("/", "");
    assert!(index.starts_with("HTTP/1.1 200") && index.contains("text/plain"), "{index}");
    for path in ["/rpc", "/mcp/IDENTITY", "/api/", "/health", "docs/src/servers.md"] {
        assert!(index.contains(path), "{path} in {index}");
    }
    for path in ["/nothing", "/mcp", "/mcp/", "/mcp/ada/"] {
        let unknown = get(path, "");
        assert!(unknown.starts_with("HTTP/1.1 404") && unknown.contains("/mcp/IDENTITY"), "{unknown}");
    }
    for path in ["/api/tools", "/mcp/ada", "/mcp/nobody"] {
        assert!(get(path, "").starts_with("HTTP/1.1 401"), "{path}");
    }
    let overview = get("/api", "");
    assert!(overview.starts_with("HTTP/1.1 200") && overview.contains("/api/openapi.json"), "{overview}");
    let unknown = get("/api/nothing", "");
    assert!(unknown.starts_with("HTTP/1.1 404") && unknown.contains("/api/openapi.json"), "{unknown}");
    let stream = TcpStream::connect(server.address()).unwrap();
    let handshake = "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
                     Sec-WebSocket-Protocol: soap\r\nConnection: upgrade\r\n";
    let refused = self::get(stream, "/rpc", handshake);
    assert!(refused.starts_with("HTTP/1.1 400") && refused.contains("flatbuffers"), "{refused}");
    server.stop().unwrap();
}

#[test]
fn a_certificate_encrypts_the_connections() {
    let campaign = Campaign::new();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/server/data");
    let certificate =
        CertificateFiles { certificate: data.join("localhost.cert.pem"), key: data.join("localhost.key.pem") };
    let wrong = CertificateFiles { key: data.join("localhost.cert.pem"), ..certificate.clone() };
    let options = ServeOptions { address: "127.0.0.1:0".parse().unwrap(), ..ServeOptions::new(campaign.path()) };
    let error = Server::start(ServeOptions { certificate: Some(wrong), ..options.clone() }).unwrap_err().to_string();
    assert!(error.contains("localhost.cert.pem") && error.contains("PEM"), "{error}");
    let server = Server::start(ServeOptions { certificate: Some(certificate.clone()), ..options }).unwrap();
    assert!(server.url().starts_with("wss://127.0.0.1:"), "{}", server.url());
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(&certificate.certificate).unwrap()).unwrap();
    let config = rustls::ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let connection = rustls::ClientConnection::new(Arc::new(config), "localhost".try_into().unwrap()).unwrap();
    let stream = rustls::StreamOwned::new(connection, TcpStream::connect(server.address()).unwrap());
    assert!(get(stream, "/health", "").contains(r#"{"status":"ok""#));
    // A client that does not encrypt gets no answer.
    let unencrypted = get(TcpStream::connect(server.address()).unwrap(), "/health", "");
    assert!(!unencrypted.contains("HTTP/1.1"), "{unencrypted}");
    server.stop().unwrap();
}

#[test]
fn a_server_does_not_send_secrets_unencrypted_without_permission() {
    let campaign = Campaign::new();
    let options = ServeOptions { address: "0.0.0.0:0".parse().unwrap(), ..ServeOptions::new(campaign.path()) };
    let error = Server::start(options.clone()).unwrap_err().to_string();
    assert!(error.contains("0.0.0.0:0") && error.contains("--tls-cert") && error.contains("--insecure"), "{error}");
    Server::start(ServeOptions { allow_unencrypted: true, ..options }).unwrap().stop().unwrap();
}

#[test]
fn users_change_with_and_without_a_server() {
    let campaign = Campaign::new();
    let server = campaign.start();
    let names = |users: &Users| users.list().unwrap().into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    let anna = open(endpoint(&server, ANNA)).unwrap();
    let users = Users::open(&campaign.database()).unwrap();
    assert_eq!(names(&users), [ANNA.0, ARCHIVE.0]);
    // A new user can connect at once.
    let bert = ("bert", "it's a \\ `password`");
    users.set(bert.0, bert.1, UserAccess::ReadOnly).unwrap();
    open(endpoint(&server, bert)).unwrap().close().unwrap();
    assert!(users.remove(bert.0).unwrap() && !users.remove(bert.0).unwrap());
    assert!(open(endpoint(&server, bert)).is_err());
    // The connection of a removed user ends, but no other connection.
    let archive = open(endpoint(&server, ARCHIVE)).unwrap();
    let is_connected = |memory: &Memory| {
        let status = memory.status().unwrap().wait().unwrap();
        matches!(status.sharing, SharingStatus::Server { connected: true, .. })
    };
    assert!(users.remove(ARCHIVE.0).unwrap());
    wait_until("the connection of the removed user ends", || !is_connected(&archive));
    add(&anna, "cid").unwrap();
    assert!(is_connected(&anna) && !has(&archive, "cid"));
    users.close().unwrap();
    anna.close().unwrap();
    drop(archive);
    server.stop().unwrap();
    // The changes are in the database.
    let users = Users::open(&campaign.database()).unwrap();
    assert_eq!(names(&users), [ANNA.0]);
    let error = |result: Result<(), hearsay_server::ServeError>| result.unwrap_err().to_string();
    assert!(error(users.set("a b", ANNA.1, UserAccess::Full)).contains("`a b` is not a valid name"));
    for reserved in ["hearsay-host", "hearsay-local"] {
        assert!(error(users.set(reserved, ANNA.1, UserAccess::Full)).contains("reserved"));
        assert!(error(users.remove(reserved).map(drop)).contains("reserved"));
    }
    assert!(error(users.set("bert", "short", UserAccess::Full)).contains("fewer than 8 characters"));
    users.close().unwrap();
}

#[test]
fn a_program_that_has_the_campaign_open_is_named() {
    let campaign = Campaign::new();
    let options = ServeOptions { address: "127.0.0.1:0".parse().unwrap(), ..ServeOptions::new(campaign.path()) };
    let process = format!("(process {} on ", std::process::id());
    let memory = Memory::open(MemoryOptions::for_campaign(campaign.path()).unwrap()).unwrap();
    let error = Server::start(options.clone()).unwrap_err().to_string();
    assert!(error.contains(&process) && error.contains("close that program, start the server"), "{error}");
    let error = Users::open(&campaign.database()).unwrap_err().to_string();
    assert!(error.contains(&process) && error.contains("close that program"), "{error}");
    memory.close().unwrap();
    let server = campaign.start();
    let error = Server::start(options).unwrap_err().to_string();
    assert!(error.contains(&process) && error.contains(&server.url()), "{error}");
    server.stop().unwrap();
}

#[test]
fn a_wrong_scheme_is_named() {
    let campaign = Campaign::new();
    let server = campaign.start();
    let with = |url: String| open(Endpoint::hosted(url, ANNA.0, ANNA.1)).unwrap_err().to_string();
    let error = with(server.url().replacen("ws:", "wss:", 1));
    assert!(error.contains("write `ws://` instead of `wss://`"), "{error}");
    let no_server = with("ws://127.0.0.1:9".to_owned());
    assert!(no_server.contains("cannot be reached") && !no_server.contains("instead"), "{no_server}");
    server.stop().unwrap();
}

#[test]
fn the_settings_must_not_name_another_server() {
    let campaign = Campaign::new();
    fs::write(campaign.path().join("hearsay.toml"), "[store]\nendpoint = \"ws://127.0.0.1:1\"\n").unwrap();
    let error = Server::start(ServeOptions::new(campaign.path())).unwrap_err().to_string();
    assert!(error.contains("ws://127.0.0.1:1") && error.contains("remove `endpoint`"), "{error}");
}

//! Tests of `hearsay serve`.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdout},
    time::{Duration, Instant},
};

use super::*;

const PASSWORD: &str = "a long password";

/// A running server.
struct Serving {
    child: Child,
    /// What the server printed with `--json`.
    printed: Value,
    _output: BufReader<ChildStdout>,
}

impl Serving {
    fn start(test_dir: &TestDir, options: &[&str]) -> Self {
        let line = [&["-C", "mill", "serve", "--listen", "127.0.0.1:0", "--json"], options].concat();
        let mut child = test_dir.command(&line).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut text = String::new();
        while serde_json::from_str::<Value>(&text).is_err() {
            assert_ne!(output.read_line(&mut text).unwrap(), 0, "the server ended: {text}");
        }
        let printed = serde_json::from_str(&text).unwrap();
        Self { child, printed, _output: output }
    }

    fn endpoint(&self) -> &str {
        self.printed["endpoint"].as_str().unwrap()
    }

    /// Stops the server with Ctrl-C.
    #[cfg(unix)]
    fn stop(mut self) {
        let interrupted = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(interrupted.success());
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                assert!(status.success(), "{status}");
                return;
            }
            assert!(started.elapsed() < Duration::from_secs(60), "the server does not stop");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Adds a user with the password above.
fn add_user(test_dir: &TestDir, options: &[&str]) {
    let line = [&["-C", "mill", "serve", "user", "add"], options].concat();
    let output = decode_output(test_dir.command(&line).env("HEARSAY_STORE_PASSWORD", PASSWORD).output().unwrap());
    assert_eq!(output.code, 0, "{}", output.stderr);
}

/// Returns the command of a program on another machine, with the campaign directory `away`.
fn away(test_dir: &TestDir, endpoint: &str, line: &[&str]) -> Command {
    test_dir.write("away/hearsay.toml", &format!("[store]\nendpoint = \"{endpoint}\"\n"));
    let mut command = test_dir.command(&[&["-C", "away"], line].concat());
    command.env("HEARSAY_STORE_USER", "anna").env("HEARSAY_STORE_PASSWORD", PASSWORD);
    command
}

fn session() -> TestDir {
    let test_dir = TestDir::new();
    test_dir.ok(&["-C", "mill", "session", "start", "--title", "The stone", "--at", "the-mill"]);
    test_dir
}

#[test]
fn users_are_added_changed_and_removed() {
    let test_dir = TestDir::new();
    // The campaign has no database yet, so the command creates it from the campaign files.
    assert!(test_dir.ok(&["-C", "mill", "serve", "user", "list"]).contains("There are no users."));
    assert!(test_dir.ok(&["-C", "mill", "entity", "show", "ada", "--no-sync"]).contains("Ada Flint"));
    add_user(&test_dir, &["anna"]);
    add_user(&test_dir, &["archive", "--read-only"]);
    let users = test_dir.json(&["-C", "mill", "serve", "user", "list"]);
    let rights = |name: &str, access: &str| serde_json::json!({"name": name, "access": access});
    assert_eq!(users["users"], serde_json::json!([rights("anna", "full"), rights("archive", "read_only")]));
    // The password can come from standard input. A command line must not contain it.
    let mut child = test_dir.command(&["-C", "mill", "serve", "user", "add", "anna", "--read-only"]);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"another password\n").unwrap();
    let output = decode_output(child.wait_with_output().unwrap());
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(output.stdout.contains("anna can connect (only reads)"), "{}", output.stdout);
    test_dir.fails(&["-C", "mill", "serve", "user", "add", "bert"], 2, &["no password", "HEARSAY_STORE_PASSWORD"]);
    test_dir.fails(&["-C", "mill", "serve", "user", "add", "bert", "secret word"], 2, &["unexpected argument"]);
    test_dir.fails(&["-C", "mill", "serve", "user", "remove", "hearsay-host"], 2, &["`hearsay-host`", "reserved"]);
    test_dir.ok(&["-C", "mill", "serve", "user", "remove", "anna"]);
    test_dir.fails(&["-C", "mill", "serve", "user", "remove", "anna"], 3, &["there is no user `anna`"]);
    assert!(test_dir.ok(&["-C", "mill", "serve", "user", "list"]).contains("archive  only reads"));
}

#[test]
fn tokens_are_printed_once() {
    let test_dir = TestDir::new();
    test_dir.ok(&["-C", "mill", "sync"]);
    let added = test_dir.json(&["-C", "mill", "serve", "token", "add", "Old Ada"]);
    assert!(added["name"] == "ada" && added["identity"] == "ada", "{added}");
    let token = added["token"].as_str().unwrap();
    assert_eq!(token.len(), 64);
    let of_dm = test_dir.ok(&["-C", "mill", "serve", "token", "add", "dm", "--name", "tablet"]);
    assert_eq!(of_dm.trim().len(), 64);
    test_dir.fails(&["-C", "mill", "serve", "token", "add", "ada"], 2, &["already a token with the name `ada`"]);
    test_dir.fails(&["-C", "mill", "serve", "token", "add", "nobody"], 3, &["nobody"]);
    test_dir.fails(&["-C", "mill", "serve", "token", "add", "the-mill"], 2, &["is not a character"]);
    let listed = test_dir.json(&["-C", "mill", "serve", "token", "list"]);
    let tokens = serde_json::json!([{"name": "ada", "identity": "ada"}, {"name": "tablet", "identity": "dm"}]);
    assert_eq!(listed["tokens"], tokens);
    let stored = fs::read_to_string(test_dir.path("mill/.hearsay/tokens.json")).unwrap();
    assert!(stored.contains("tablet") && !stored.contains(token), "{stored}");
    test_dir.ok(&["-C", "mill", "serve", "token", "remove", "tablet"]);
    test_dir.fails(&["-C", "mill", "serve", "token", "remove", "tablet"], 3, &["there is no token `tablet`"]);
    assert_eq!(test_dir.ok(&["-C", "mill", "serve", "token", "list"]), "ada  ada\n");
}

#[cfg(unix)]
#[test]
fn programs_on_the_same_machine_use_the_server() {
    let test_dir = session();
    let server = Serving::start(&test_dir, &[]);
    let status = test_dir.ok(&["-C", "mill", "status"]);
    let place = format!("connected to the server {} (on this machine)", server.endpoint());
    assert!(status.contains(&place), "{status}");
    test_dir.ok(&["-C", "mill", "log", "Fog lies over the mill."]);
    // A campaign file that changes while the server runs is imported as usual.
    test_dir.write("mill/more.yaml", "entities:\n  - {id: cid, name: Cid, kind: npc}\n");
    test_dir.ok(&["-C", "mill", "log", "Cid opens the door."]);
    assert!(test_dir.ok(&["-C", "mill", "entity", "show", "cid"]).contains("Cid"));
    add_user(&test_dir, &["anna"]);
    assert!(test_dir.ok(&["-C", "mill", "serve", "user", "list"]).contains("anna  reads and writes"));
    let second = &["-C", "mill", "serve", "--listen", "127.0.0.1:0"];
    test_dir.fails(second, 5, &["`hearsay` (process", "already serves this campaign at", server.endpoint()]);
    test_dir.fails(&["-C", "mill", "db", "check"], 5, &["in use by `hearsay` (process"]);
    server.stop();
    let log = test_dir.ok(&["-C", "mill", "session", "show", "1", "--log"]);
    assert!(log.contains("Fog lies over the mill.") && log.contains("Cid opens the door."), "{log}");
    test_dir.ok(&["-C", "mill", "db", "check"]);
}

#[cfg(unix)]
#[test]
fn a_killed_server_loses_nothing() {
    let test_dir = session();
    let server = Serving::start(&test_dir, &[]);
    test_dir.ok(&["-C", "mill", "log", "Fog lies over the mill."]);
    drop(server);
    // The server left its file with the address behind.
    assert!(test_dir.path("mill/.hearsay/server").exists());
    let log = test_dir.ok(&["-C", "mill", "session", "show", "1", "--log"]);
    assert!(log.contains("Fog lies over the mill."), "{log}");
    test_dir.ok(&["-C", "mill", "db", "check"]);
    Serving::start(&test_dir, &[]).stop();
}

#[cfg(unix)]
#[test]
fn programs_on_other_machines_use_the_server() {
    let test_dir = session();
    add_user(&test_dir, &["anna"]);
    let server = Serving::start(&test_dir, &[]);
    let run = |line: &[&str]| decode_output(away(&test_dir, server.endpoint(), line).output().unwrap());
    let output = run(&["log", "Fog lies over the mill."]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let status = run(&["status"]);
    assert!(status.stdout.contains(server.endpoint()), "{}{}", status.stdout, status.stderr);
    let synced = run(&["sync"]);
    assert!(synced.code == 4 && synced.stderr.contains("on the machine of the server"), "{}", synced.stderr);
    let users = run(&["serve", "user", "list"]);
    assert!(users.code == 5 && users.stderr.contains("on the machine of the server"), "{}", users.stderr);
    // The other campaign directory contains no database, so it cannot be served.
    let served = run(&["serve"]);
    assert!(served.code == 5 && served.stderr.contains(server.endpoint()), "{}", served.stderr);
    let wrong =
        away(&test_dir, server.endpoint(), &["status"]).env("HEARSAY_STORE_PASSWORD", "wrong").output().unwrap();
    assert!(!wrong.status.success());
    test_dir.ok(&["-C", "mill", "serve", "user", "remove", "anna"]);
    assert_ne!(run(&["status"]).code, 0, "the user is removed");
    let log = test_dir.ok(&["-C", "mill", "session", "show", "1", "--log"]);
    assert!(log.contains("Fog lies over the mill."), "{log}");
    server.stop();
}

#[cfg(unix)]
#[test]
fn connections_with_a_certificate_are_encrypted() {
    let test_dir = session();
    add_user(&test_dir, &["anna"]);
    let data = repository().join("crates/hearsay_server/tests/server/data");
    let (certificate, key) = (data.join("localhost.cert.pem"), data.join("localhost.key.pem"));
    let (certificate, key) = (certificate.to_str().unwrap(), key.to_str().unwrap());
    test_dir.fails(&["-C", "mill", "serve", "--tls-cert", certificate], 2, &["--tls-key"]);
    test_dir.fails(&["-C", "mill", "serve", "--listen", "0.0.0.0:0"], 2, &["--tls-cert", "--insecure"]);
    test_dir.fails(&["-C", "mill", "serve", "--listen", "localhost"], 2, &["with a port", "localhost:4801"]);
    let server = Serving::start(&test_dir, &["--tls-cert", certificate, "--tls-key", key]);
    let endpoint = server.endpoint().replace("127.0.0.1", "localhost");
    assert!(endpoint.starts_with("wss://localhost:"), "{endpoint}");
    let run = |trusted: &str| {
        let mut command = away(&test_dir, &endpoint, &["entity", "show", "ada"]);
        decode_output(command.env("SSL_CERT_FILE", trusted).output().unwrap())
    };
    let output = run(certificate);
    assert!(output.code == 0 && output.stdout.contains("Ada Flint"), "{}{}", output.stdout, output.stderr);
    let mut unencrypted = away(&test_dir, &endpoint.replacen("wss:", "ws:", 1), &["status"]);
    let output = decode_output(unencrypted.env("SSL_CERT_FILE", certificate).output().unwrap());
    assert!(output.code != 0 && output.stderr.contains("write `wss://` instead of `ws://`"), "{}", output.stderr);
    // A program that does not trust the certificate does not send its password.
    let empty = test_dir.path("empty.pem");
    fs::write(&empty, "").unwrap();
    let output = run(empty.to_str().unwrap());
    assert!(output.code != 0 && !output.stdout.contains("Ada Flint"), "{}{}", output.stdout, output.stderr);
    server.stop();
}

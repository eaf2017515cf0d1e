//! Tests of several programs that have the same campaign open.

use std::{
    io::{BufRead, BufReader, Lines, Write},
    process::{Child, ChildStdin, ChildStdout},
    time::{Duration, Instant},
};

use super::*;

/// A program that runs during the test, with its standard input and output.
struct Running {
    child: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Running {
    fn start(test_dir: &TestDir, line: &[&str]) -> Self {
        let mut command = test_dir.command(line);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, input, lines: BufReader::new(output).lines() }
    }

    fn send(&mut self, line: &str) {
        self.input.write_all(format!("{line}\n").as_bytes()).unwrap();
        self.input.flush().unwrap();
    }

    fn receive(&mut self) -> Value {
        serde_json::from_str(&self.lines.next().unwrap().unwrap()).unwrap()
    }

    /// Closes standard input, which ends the program.
    fn end(self) {
        let Self { mut child, input, lines } = self;
        drop(input);
        lines.for_each(drop);
        assert!(child.wait().unwrap().success());
    }
}

/// A client of `hearsay mcp`.
struct McpClient {
    server: Running,
    requests: usize,
}

impl McpClient {
    fn start(test_dir: &TestDir, identity: &str) -> Self {
        let server = Running::start(test_dir, &["mcp", "mill", "--as", identity]);
        let mut client = Self { server, requests: 0 };
        client.request(
            "initialize",
            serde_json::json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            }),
        );
        client.server.send(r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#);
        client
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.server
            .send(&serde_json::json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        loop {
            let message = self.server.receive();
            if message["id"] == id {
                assert!(message["error"].is_null(), "{message}");
                return message["result"].clone();
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.request("tools/call", serde_json::json!({"name": tool, "arguments": arguments}));
        assert_ne!(result["isError"], true, "{result}");
        result
    }
}

fn table() -> TestDir {
    let test_dir = TestDir::new();
    let lyra = "entities:\n  - {id: lyra, name: Lyra Fenn, kind: player, home: the-mill, attributes: {player: Zoe}}\n";
    test_dir.write("mill/people.yaml", lyra);
    test_dir.ok(&["-C", "mill", "session", "start", "--title", "The stone", "--at", "the-mill"]);
    test_dir
}

fn log(test_dir: &TestDir) -> String {
    test_dir.ok(&["-C", "mill", "session", "show", "1", "--log"])
}

#[test]
fn commands_a_live_transcript_and_clients_use_one_campaign_at_once() {
    let test_dir = table();
    let mut follow = Running::start(&test_dir, &["-C", "mill", "session", "follow", "-", "--jsonl", "--dm", "Anna"]);
    follow.send(r#"{"speaker": "Anna", "text": "Fog lies over the mill."}"#);
    assert_eq!(follow.receive()["line"], 1);
    // The transcript has the campaign open. Another command reads and writes meanwhile.
    assert!(log(&test_dir).contains("Fog lies over the mill."));
    let status = test_dir.json(&["-C", "mill", "status"]);
    assert_eq!(status["sharing"]["role"], "attached");
    assert!(status["sharing"]["owner"].as_str().unwrap().contains("hearsay"), "{status}");
    assert!(test_dir.ok(&["-C", "mill", "status"]).contains("also open in `hearsay` (process"));
    test_dir.ok(&["-C", "mill", "say", "--by", "ben", "The cart is broken.", "--to", "ada"]);
    // A client that plays Ada learns at once what the others recorded.
    let mut ada = McpClient::start(&test_dir, "ada");
    let said = ada.call("recall", serde_json::json!({"question": "What did Ben say about the cart?"})).to_string();
    assert!(said.contains("The cart is broken."), "{said}");
    ada.call("say", serde_json::json!({"text": "Then we shall walk, Lyra."}));
    follow.send(r#"{"speaker": "Zoe", "text": "I walk to the door and listen."}"#);
    follow.receive();
    let recorded = log(&test_dir);
    for line in ["The cart is broken.", "Then we shall walk, Lyra.", "I walk to the door and listen."] {
        assert!(recorded.contains(line), "{line}: {recorded}");
    }
    // What needs the database for itself says who has it.
    test_dir.fails(&["-C", "mill", "db", "check"], 5, &["in use by `hearsay` (process"]);
    test_dir.fails(&["-C", "mill", "db", "clear", "--force"], 5, &["in use by `hearsay` (process"]);
    test_dir.fails(&["-C", "mill", "db", "embed"], 5, &["has the campaign open, but this action needs the database"]);
    follow.end();
    // The other program continues as the owner.
    ada.call("say", serde_json::json!({"text": "The fog lifts."}));
    assert!(log(&test_dir).contains("The fog lifts."));
    ada.server.end();
    assert!(log(&test_dir).contains("The fog lifts."));
    let status = test_dir.json(&["-C", "mill", "status"]);
    assert_eq!(status["sharing"], serde_json::json!({"role": "owner", "programs": []}));
}

#[test]
fn when_the_owner_is_killed_nothing_that_was_acknowledged_is_lost() {
    let test_dir = table();
    for round in 0..3 {
        let mut owner = McpClient::start(&test_dir, "ben");
        let mut other = McpClient::start(&test_dir, "ada");
        for number in 0..5 {
            owner.call("say", serde_json::json!({"text": format!("Round {round}, Ben counts {number}.")}));
            other.call("say", serde_json::json!({"text": format!("Round {round}, Ada counts {number}.")}));
        }
        owner.server.child.kill().unwrap();
        owner.server.child.wait().unwrap();
        let killed = Instant::now();
        for number in 5..10 {
            other.call("say", serde_json::json!({"text": format!("Round {round}, Ada counts {number}.")}));
        }
        assert!(killed.elapsed() < Duration::from_secs(30), "{:?}", killed.elapsed());
        other.server.end();
        let recorded = log(&test_dir);
        for number in 0..10 {
            let speakers: &[&str] = if number < 5 { &["Ada", "Ben"] } else { &["Ada"] };
            for speaker in speakers {
                let line = format!("Round {round}, {speaker} counts {number}.");
                assert_eq!(recorded.matches(&line).count(), 1, "{line}: {recorded}");
            }
        }
        test_dir.ok(&["-C", "mill", "db", "check"]);
    }
}

#[test]
fn a_campaign_that_is_not_shared_names_the_program_that_has_it() {
    let test_dir = table();
    test_dir.write("mill/hearsay.toml", "[store]\nshare = false\n");
    let mut follow = Running::start(&test_dir, &["-C", "mill", "session", "follow", "-", "--jsonl", "--dm", "Anna"]);
    follow.send(r#"{"speaker": "Anna", "text": "Fog lies over the mill."}"#);
    follow.receive();
    test_dir.fails(&["-C", "mill", "status"], 5, &["in use by `hearsay` (process", "close that program first"]);
    follow.end();
    test_dir.ok(&["-C", "mill", "status"]);
}

#[test]
fn a_campaign_in_a_server_needs_a_user_and_has_no_database_on_this_machine() {
    let test_dir = TestDir::new();
    let settings = |text: &str| test_dir.write("mill/hearsay.toml", &format!("[store]\n{text}\n"));
    settings("endpoint = \"ws://127.0.0.1:9\"");
    test_dir.fails(&["-C", "mill", "status"], 4, &["ws://127.0.0.1:9", "HEARSAY_STORE_USER is not set"]);
    test_dir.fails(&["-C", "mill", "db", "check"], 5, &["the campaign is in the server ws://127.0.0.1:9"]);
    test_dir.fails(&["-C", "mill", "db", "clear", "--force"], 5, &["the campaign is in the server"]);
    settings("endpoint = \"wss://campaigns.example.org\"");
    let mut command = test_dir.command(&["-C", "mill", "status"]);
    command.env("HEARSAY_STORE_USER", "mira").env("HEARSAY_STORE_PASSWORD", "very secret");
    let output = decode_output(command.output().unwrap());
    assert_eq!(output.code, 4, "{}", output.stderr);
    assert!(output.stderr.contains("set HEARSAY_STORE_HOST=campaigns.example.org if you trust"), "{}", output.stderr);
    assert!(!output.stderr.contains("very secret"), "{}", output.stderr);
    settings("password = \"very secret\"");
    test_dir.fails(&["-C", "mill", "status"], 4, &["hearsay.toml", "`password` must not be in this file"]);
}

//! Complete sessions with the server, in memory.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[cfg(feature = "http")]
mod http;

use std::{fs, sync::Arc, time::Duration};

use hearsay_commands::session::{NewSession, SessionStep};
use hearsay_engine::{ExtractionSettings, Memory, MemoryOptions, ModelSettings, Settings};
use hearsay_mcp::{McpServer, SessionIdentity};
use hearsay_model::{Author, EntityId};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};

const CAMPAIGN: &str = include_str!("../data/mill.yaml");

/// A client of a server, for one identity.
struct Client {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    next_id: u64,
    /// Answers to requests for confirmation.
    confirmations: Vec<bool>,
    /// Resources of which the server has said that they changed.
    updated: Vec<String>,
}

fn open_memory() -> Arc<Memory> {
    let model = ModelSettings { enabled: false, ..ModelSettings::default() };
    let extraction = ExtractionSettings { enabled: false, ..ExtractionSettings::default() };
    let settings = Settings { model, extraction, ..Settings::default() };
    let memory = Memory::open(MemoryOptions { settings, ..MemoryOptions::in_memory() }).unwrap();
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("mill.yaml"), CAMPAIGN).unwrap();
    memory.import(directory.path()).unwrap().wait().unwrap();
    Arc::new(memory)
}

impl Client {
    async fn connect(memory: &Arc<Memory>, identity: &str, capabilities: Value) -> Self {
        let identity = match identity {
            "dm" => SessionIdentity::Dm,
            id => SessionIdentity::Character(EntityId::new(id).unwrap()),
        };
        let server = McpServer::new(Arc::clone(memory), identity).unwrap();
        let (client, stream) = tokio::io::duplex(1 << 20);
        tokio::spawn(server.serve(stream));
        let (reader, writer) = tokio::io::split(client);
        let (confirmations, updated) = (Vec::new(), Vec::new());
        let mut client = Self { lines: BufReader::new(reader).lines(), writer, next_id: 0, confirmations, updated };
        let info = json!({"name": "test", "version": "1"});
        let parameters = json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": info});
        client.request("initialize", parameters).await;
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        client
    }

    async fn send(&mut self, message: &Value) {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// Sends a request and returns the response. Answers the requests of the server in between.
    async fn request(&mut self, method: &str, parameters: Value) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters})).await;
        loop {
            let line = self.lines.next_line().await.unwrap().expect("the server closed the connection");
            let message: Value = serde_json::from_str(&line).unwrap();
            match message["method"].as_str() {
                Some("elicitation/create") => {
                    let content = json!({"confirm": self.confirmations.remove(0)});
                    let result = json!({"action": "accept", "content": content});
                    self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result})).await;
                }
                Some("notifications/resources/updated") => {
                    self.updated.push(message["params"]["uri"].as_str().unwrap().to_owned());
                }
                _ => {
                    assert_eq!(message["id"], json!(id), "{message}");
                    return message;
                }
            }
        }
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// Calls a tool that must succeed, and returns its structured content.
    async fn ok(&mut self, tool: &str, arguments: Value) -> Value {
        let response = self.call(tool, arguments).await;
        assert_eq!(response["result"]["isError"], json!(false), "{tool}: {response}");
        response["result"]["structuredContent"].clone()
    }

    /// Calls a tool that must fail, and returns the message.
    async fn fail(&mut self, tool: &str, arguments: Value) -> String {
        let response = self.call(tool, arguments).await;
        assert_eq!(response["result"]["isError"], json!(true), "{tool}: {response}");
        response["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    }
}

#[tokio::test]
async fn a_character_recalls_what_it_knows_and_may_tell() {
    let mut ada = Client::connect(&open_memory(), "ada", json!({})).await;
    let recalled = ada.ok("recall", json!({"question": "What is wrong with the millstone?"})).await;
    let lines = recalled["lines"].as_array().unwrap();
    let secret = lines.iter().find(|line| line["text"] == "The millstone is cracked.").unwrap();
    assert_eq!(secret["secrecy"], "concealed");
    let fact = secret["fact"].as_str().unwrap();
    let allowed = ada.ok("may_i_tell", json!({"fact": fact, "listeners": ["Ben Carter"]})).await;
    assert_eq!(allowed["may_tell_all"], json!(false));
    assert_eq!(allowed["listeners"][0]["reason"], "you keep it to yourself");
    let known = ada.ok("how_do_i_know", json!({"fact": "millstone is cracked"})).await;
    assert_eq!(known["fact"], fact);
    let about = ada.ok("know_about", json!({"name": "Ada Flint"})).await;
    assert!(about["facts"].as_array().unwrap().iter().any(|row| row["fact"] == fact), "{about}");
}

#[tokio::test]
async fn a_hidden_name_and_a_missing_name_give_the_same_bytes() {
    let memory = open_memory();
    let mut ben = Client::connect(&memory, "ben", json!({})).await;
    for (hidden, missing) in [("The Moth", "The Bear"), ("stone-is-cracked", "bone-is-cracked")] {
        for (tool, argument) in [("know_about", "name"), ("how_do_i_know", "fact")] {
            let about_hidden = ben.fail(tool, json!({argument: hidden})).await;
            let about_missing = ben.fail(tool, json!({argument: missing})).await;
            assert_eq!(about_hidden.replace(hidden, "*"), about_missing.replace(missing, "*"));
        }
    }
    // The id of a secret that only Ada and the DM know.
    let mut dm = Client::connect(&memory, "dm", json!({})).await;
    let found = dm.ok("search", json!({"text": "millstone cracked"})).await;
    let id = found["facts"][0]["id"].as_str().unwrap();
    let missing = format!("{:0>width$}", 1, width = id.len());
    for arguments in [json!({"fact": id}), json!({"fact": &id[..8]})] {
        let about_hidden = ben.fail("how_do_i_know", arguments.clone()).await;
        let given = arguments["fact"].as_str().unwrap();
        let about_missing = ben.fail("how_do_i_know", json!({"fact": &missing[..given.len()]})).await;
        assert_eq!(about_hidden.replace(given, "*"), about_missing.replace(&missing[..given.len()], "*"));
    }
}

#[tokio::test]
async fn a_character_has_no_tool_resource_or_prompt_of_the_dm() {
    let mut ben = Client::connect(&open_memory(), "ben", json!({})).await;
    for tool in ["search", "ask_as", "record", "review", "decide", "undo", "log", "no_such_tool"] {
        let response = ben.call(tool, json!({})).await;
        assert_eq!(response["error"]["message"], json!(format!("there is no tool `{tool}`")), "{response}");
    }
    for name in ["review", "session", "no-such-resource"] {
        let uri = format!("hearsay://{name}");
        let response = ben.request("resources/read", json!({"uri": uri})).await;
        assert_eq!(response["error"]["message"], json!(format!("there is no resource `{uri}`")));
    }
    let response = ben.request("prompts/get", json!({"name": "recap_player_safe"})).await;
    assert_eq!(response["error"]["message"], "there is no prompt `recap_player_safe`");
    let tools = ben.request("tools/list", json!({})).await;
    for tool in tools["result"]["tools"].as_array().unwrap() {
        let arguments = tool["inputSchema"]["properties"].as_object().unwrap();
        assert!(!["knower", "character", "as"].iter().any(|name| arguments.contains_key(*name)), "{tool}");
        assert!(tool["outputSchema"].is_object() && tool["annotations"]["readOnlyHint"].is_boolean(), "{tool}");
    }
}

#[tokio::test]
async fn bad_arguments_give_errors_in_plain_words() {
    let mut ben = Client::connect(&open_memory(), "ben", json!({})).await;
    assert!(ben.fail("recall", json!({})).await.contains("missing field `question`"));
    assert!(ben.fail("recall", json!({"question": "Who?", "knower": "ada"})).await.contains("unknown field `knower`"));
    assert!(ben.fail("recall", json!({"question": "Who?", "limit": 0})).await.contains("from 1 to 100"));
    assert!(ben.fail("recall", json!({"question": 5})).await.contains("expected a string"));
    assert!(ben.fail("say", json!({"text": "  "})).await.contains("`text` is empty"));
    assert!(ben.fail("may_i_tell", json!({"fact": "Ada Ben", "listeners": []})).await.contains("`listeners`"));
    assert!(ben.fail("check_reply", json!({"reply": " "})).await.contains("`reply` is empty"));
}

#[tokio::test]
async fn hearers_remember_a_line_and_subscribers_are_notified() {
    let memory = open_memory();
    let mut ada = Client::connect(&memory, "ada", json!({})).await;
    for name in ["me", "recent"] {
        ada.request("resources/subscribe", json!({"uri": format!("hearsay://{name}")})).await;
    }
    ada.ok("say", json!({"text": "The bread is burnt.", "to": ["Ben Carter"]})).await;
    ada.request("ping", json!({})).await;
    assert_eq!(ada.updated, ["hearsay://recent"]);
    let mut ben = Client::connect(&memory, "ben", json!({})).await;
    let recent = ben.request("resources/read", json!({"uri": "hearsay://recent"})).await;
    assert!(recent["result"]["contents"][0]["text"].as_str().unwrap().contains("The bread is burnt."), "{recent}");
    let mut cyrus = Client::connect(&memory, "cyrus", json!({})).await;
    let recent = cyrus.request("resources/read", json!({"uri": "hearsay://recent"})).await;
    assert!(!recent.to_string().contains("bread"), "{recent}");
}

#[tokio::test]
async fn recent_talk_belongs_to_the_session_of_the_latest_line() {
    let memory = open_memory();
    let step = |step: SessionStep| drop(memory.session(Author::Dm, step).unwrap().wait().unwrap());
    let mut ada = Client::connect(&memory, "ada", json!({})).await;
    let mut ben = Client::connect(&memory, "ben", json!({})).await;
    step(SessionStep::Start(NewSession::default()));
    for text in ["The bread is burnt.", "The flour is wet.", "The cat is gone."] {
        ada.ok("say", json!({"text": text, "to": ["Ben Carter"]})).await;
    }
    step(SessionStep::End { time: None });
    // The next session begins in the same minute of game time, with line 1.
    step(SessionStep::Start(NewSession::default()));
    ada.ok("say", json!({"text": "The mill turns.", "to": ["Ben Carter"]})).await;
    let recent = ben.request("resources/read", json!({"uri": "hearsay://recent"})).await.to_string();
    assert!(recent.contains("The mill turns.") && !recent.contains("The cat is gone."), "{recent}");
}

#[tokio::test]
async fn subscribers_are_notified_of_lines_of_others_that_they_hear() {
    let memory = open_memory();
    let mut ben = Client::connect(&memory, "ben", json!({})).await;
    let mut cyrus = Client::connect(&memory, "cyrus", json!({})).await;
    for client in [&mut ben, &mut cyrus] {
        client.request("resources/subscribe", json!({"uri": "hearsay://recent"})).await;
    }
    let mut ada = Client::connect(&memory, "ada", json!({})).await;
    ada.ok("say", json!({"text": "The bread is burnt.", "to": ["Ben Carter"]})).await;
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        ben.request("ping", json!({})).await;
        if !ben.updated.is_empty() {
            break;
        }
    }
    assert_eq!(ben.updated, ["hearsay://recent"]);
    cyrus.request("ping", json!({})).await;
    assert!(cyrus.updated.is_empty(), "{:?}", cyrus.updated);
}

#[tokio::test]
async fn the_dm_confirms_decisions_and_undo() {
    let memory = open_memory();
    let mut dm = Client::connect(&memory, "dm", json!({})).await;
    dm.ok("record", json!({"sentence": "Ben Carter owes the baker money."})).await;
    let queue = dm.ok("review", json!({})).await;
    let fact = queue["items"][0]["facts"][0]["fact"].as_str().unwrap().to_owned();
    let mut decision = json!({"facts": [fact], "decision": "accept"});
    assert!(dm.fail("decide", decision.clone()).await.contains("Accept: Ben Carter owes the baker money."));
    decision["confirm"] = json!(true);
    let written = dm.ok("decide", decision.clone()).await;
    dm.ok("undo", json!({"operation": written["operation"], "confirm": true})).await;
    // A client that can ask the DM does so, even if the model says that the DM has confirmed.
    let mut dm = Client::connect(&memory, "dm", json!({"elicitation": {}})).await;
    dm.confirmations = vec![false, true];
    assert!(dm.fail("decide", decision.clone()).await.contains("the DM did not confirm this"));
    dm.ok("decide", decision).await;
    assert_eq!(dm.ok("review", json!({})).await["items"], json!([]));
}

#[tokio::test]
async fn the_dm_asks_as_a_character() {
    let mut dm = Client::connect(&open_memory(), "dm", json!({})).await;
    let as_ben = dm.ok("ask_as", json!({"character": "ben", "question": "What about the millstone?"})).await;
    assert!(!as_ben.to_string().contains("cracked"), "{as_ben}");
    let as_ada = dm.ok("ask_as", json!({"character": "Ada Flint", "question": "What about the millstone?"})).await;
    assert!(as_ada.to_string().contains("cracked"), "{as_ada}");
    let response = dm.request("prompts/get", json!({"name": "recap_player_safe"})).await;
    assert!(response["error"]["message"].is_string(), "the campaign has no sessions: {response}");
}

#[tokio::test]
async fn the_limit_of_an_answer_counts_all_its_lines() {
    let mut ada = Client::connect(&open_memory(), "ada", json!({})).await;
    let question = "What is wrong with the millstone?";
    let all = ada.ok("recall", json!({"question": question})).await;
    assert!(all["lines"].as_array().unwrap().len() > 2, "{all}");
    let limited = ada.ok("recall", json!({"question": question, "limit": 2})).await;
    let lines = limited["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 2, "{limited}");
    assert!(lines.iter().any(|line| line["text"] == "The millstone is cracked."), "{limited}");
    assert!(limited["omitted"].as_u64() > all["omitted"].as_u64(), "{limited}");
}

#[tokio::test]
async fn the_dm_logs_typed_lines() {
    let memory = open_memory();
    let (mill, ben) = (EntityId::new("the-mill").unwrap(), EntityId::new("ben").unwrap());
    let session = NewSession { place: Some(mill), present: vec![ben], ..NewSession::default() };
    memory.session(Author::Dm, SessionStep::Start(session)).unwrap().wait().unwrap();
    let mut dm = Client::connect(&memory, "dm", json!({})).await;
    let whispered = dm.ok("log", json!({"text": "Cyrus (whispers to Ben): The bread is burnt."})).await;
    assert_eq!((&whispered["line"], &whispered["speaker"]), (&json!(1), &json!("Cyrus Vane")));
    assert_eq!(whispered["talk_kind"], "in_character");
    assert_eq!(whispered["heard_by"], json!(["Ben Carter", "Cyrus Vane"]));
    for (hearer, heard) in [("ben", true), ("ada", false)] {
        let mut client = Client::connect(&memory, hearer, json!({})).await;
        let recent = client.request("resources/read", json!({"uri": "hearsay://recent"})).await;
        assert_eq!(recent.to_string().contains("The bread is burnt."), heard, "{recent}");
    }
    // Narration that may state a secret is heard by nobody.
    let narrated = dm.ok("log", json!({"text": "Cyrus Vane stole the silver bell."})).await;
    assert_eq!((&narrated["talk_kind"], &narrated["heard_by"]), (&json!("withheld"), &json!([])));
    assert_eq!(narrated["withheld"][0]["statement"], "Cyrus Vane stole the silver bell.");
    // A misspelled name is reported.
    let misspelled = dm.ok("log", json!({"text": "Cyrrus: The bread is burnt."})).await;
    assert_eq!((&misspelled["speaker"], &misspelled["similar_speaker"]), (&Value::Null, &json!("Cyrus Vane")));
    for arguments in [json!({"text": "Hm.", "speaker": "Cyrrus"}), json!({"text": "Ada (whispers to Cyrrus): Hm."})] {
        let message = dm.fail("log", arguments).await;
        assert!(
            message.contains("no entity is called `Cyrrus`") && message.contains("did you mean cyrus"),
            "{message}"
        );
    }
}

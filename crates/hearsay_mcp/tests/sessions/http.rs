//! Sessions over HTTP, without a network.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use hearsay_engine::Memory;
use hearsay_mcp::{HttpAnswer, HttpOptions, HttpSessions, SessionIdentity};
use hearsay_model::EntityId;
use http::{Method, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tower_service::Service;

use super::open_memory;

/// Maximum time until a notification arrives.
const PATIENCE: Duration = Duration::from_secs(20);

fn sessions(memory: &Arc<Memory>, identity: &str) -> HttpSessions {
    let identity = match identity {
        "dm" => SessionIdentity::Dm,
        id => SessionIdentity::Character(EntityId::new(id).unwrap()),
    };
    HttpSessions::new(Arc::clone(memory), identity, HttpOptions::default()).unwrap()
}

/// Returns the messages in a stream of server-sent events.
fn messages(body: &str) -> Vec<Value> {
    let data = body.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
    data.filter(|data| !data.is_empty()).map(|data| serde_json::from_str(data).unwrap()).collect()
}

/// A client with one session.
struct HttpClient {
    sessions: HttpSessions,
    session: String,
}

impl HttpClient {
    async fn connect(sessions: &HttpSessions, capabilities: Value) -> Self {
        let info = json!({"name": "test", "version": "1"});
        let parameters = json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": info});
        let request = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": parameters});
        let answer = sessions.post(None, &request).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(messages(&answer.body)[0]["result"]["serverInfo"]["name"], "hearsay");
        let client = Self { sessions: sessions.clone(), session: answer.session.unwrap() };
        let initialized = client.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        assert_eq!(initialized.status, 202, "{initialized:?}");
        client
    }

    async fn post(&self, message: &Value) -> HttpAnswer {
        self.sessions.post(Some(&self.session), message).await
    }

    async fn request(&self, method: &str, parameters: Value) -> Value {
        let answer = self.post(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters})).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        messages(&answer.body).pop().unwrap()
    }

    async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// Opens the stream of notifications, and returns the first notification.
    async fn first_notification(&self) -> Value {
        let request = Request::builder().method(Method::GET).header("host", "localhost");
        let request = request.header("accept", "text/event-stream").header("mcp-session-id", &self.session);
        let response = call(&self.sessions, request.body(Full::default()).unwrap()).await;
        assert_eq!(response.status(), StatusCode::OK);
        let (mut body, mut text) = (response.into_body(), String::new());
        loop {
            let frame = tokio::time::timeout(PATIENCE, body.frame()).await.expect("no notification arrives");
            let data = frame.unwrap().unwrap().into_data().unwrap();
            text.push_str(std::str::from_utf8(&data).unwrap());
            // An event ends with an empty line.
            if let Some((complete, _)) = text.rsplit_once("\n\n")
                && let Some(message) = messages(complete).into_iter().next()
            {
                return message;
            }
        }
    }
}

async fn call(sessions: &HttpSessions, request: Request<Full<Bytes>>) -> http::Response<hearsay_mcp::HttpBody> {
    let mut service = sessions.clone();
    service.call(request).await.unwrap()
}

/// Sends a request for a session with other headers than a client sends, and returns the status.
async fn status_with(sessions: &HttpSessions, headers: &[(&str, &str)], body: Vec<u8>) -> StatusCode {
    let mut request = Request::builder().method(Method::POST).header("content-type", "application/json");
    request = request.header("accept", "application/json, text/event-stream");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    call(sessions, request.body(Full::new(Bytes::from(body))).unwrap()).await.status()
}

#[tokio::test]
async fn two_clients_of_one_character_have_a_session_each() {
    let ada = sessions(&open_memory(), "ada");
    let (first, second) = (HttpClient::connect(&ada, json!({})).await, HttpClient::connect(&ada, json!({})).await);
    assert_ne!(first.session, second.session);
    for client in [&first, &second] {
        let tools = client.request("tools/list", json!({})).await;
        let names: Vec<&str> =
            tools["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["recall", "know_about", "how_do_i_know", "may_i_tell", "check_reply", "say"]);
        let recalled = client.call("recall", json!({"question": "What is wrong with the millstone?"})).await;
        assert!(recalled.to_string().contains("The millstone is cracked."), "{recalled}");
    }
}

#[tokio::test]
async fn a_hidden_id_and_a_missing_id_give_the_same_bytes() {
    let memory = open_memory();
    let dm = HttpClient::connect(&sessions(&memory, "dm"), json!({})).await;
    let found = dm.call("search", json!({"text": "millstone cracked"})).await;
    let hidden = found["result"]["structuredContent"]["facts"][0]["id"].as_str().unwrap().to_owned();
    let missing = format!("{:0>width$}", 1, width = hidden.len());
    let mut bodies = Vec::new();
    for id in [&hidden, &missing] {
        // The events of a session have numbers, so each id is asked in its own session.
        let ben = HttpClient::connect(&sessions(&memory, "ben"), json!({})).await;
        let parameters = json!({"name": "how_do_i_know", "arguments": {"fact": id}});
        let answer = ben.post(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters})).await;
        assert!(answer.body.contains("\"isError\":true"), "{answer:?}");
        bodies.push(answer.body.replace(id.as_str(), "*"));
    }
    assert_eq!(bodies[0], bodies[1]);
}

#[tokio::test]
async fn the_session_of_another_identity_and_a_missing_session_give_the_same_answer() {
    let memory = open_memory();
    let (ada, ben) = (sessions(&memory, "ada"), sessions(&memory, "ben"));
    let of_ada = HttpClient::connect(&ada, json!({})).await;
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let other = ben.post(Some(&of_ada.session), &ping).await;
    assert_eq!(other.status, 404, "{other:?}");
    assert_eq!(other, ben.post(Some("00000000-0000-4000-8000-000000000000"), &ping).await);
    assert_eq!(ben.post(None, &ping).await.status, 400);
}

#[tokio::test]
async fn subscribers_are_notified_of_lines_that_they_hear() {
    let memory = open_memory();
    let ben = HttpClient::connect(&sessions(&memory, "ben"), json!({})).await;
    ben.request("resources/subscribe", json!({"uri": "hearsay://recent"})).await;
    let ada = HttpClient::connect(&sessions(&memory, "ada"), json!({})).await;
    ada.call("say", json!({"text": "The bread is burnt.", "to": ["Ben Carter"]})).await;
    let notification = ben.first_notification().await;
    assert_eq!(notification["method"], "notifications/resources/updated");
    assert_eq!(notification["params"]["uri"], "hearsay://recent");
}

#[tokio::test]
async fn the_dm_confirms_an_undo_during_the_call() {
    let dm = HttpClient::connect(&sessions(&open_memory(), "dm"), json!({"elicitation": {}})).await;
    dm.call("record", json!({"sentence": "Ben Carter owes the baker money."})).await;
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "undo"}}).to_string();
    let builder = Request::builder().method(Method::POST).header("host", "localhost");
    let builder = builder.header("content-type", "application/json").header("mcp-session-id", &dm.session);
    let builder = builder.header("accept", "application/json, text/event-stream");
    let response = call(&dm.sessions, builder.body(Full::new(Bytes::from(request))).unwrap()).await;
    let (mut body, mut text) = (response.into_body(), String::new());
    while let Some(frame) = tokio::time::timeout(PATIENCE, body.frame()).await.expect("the undo does not end") {
        let Ok(data) = frame.unwrap().into_data() else { continue };
        let data = std::str::from_utf8(&data).unwrap().to_owned();
        text.push_str(&data);
        if let Some(question) = messages(&data).into_iter().find(|message| message["method"] == "elicitation/create") {
            let result = json!({"action": "accept", "content": {"confirm": true}});
            let answer = dm.post(&json!({"jsonrpc": "2.0", "id": question["id"], "result": result})).await;
            assert_eq!(answer.status, 202, "{answer:?}");
        }
    }
    let last = messages(&text).pop().unwrap();
    assert_eq!(last["result"]["isError"], json!(false), "{text}");
}

#[tokio::test]
async fn requests_from_other_hosts_and_with_large_bodies_are_refused() {
    let memory = open_memory();
    let options = HttpOptions { host_names: vec!["tavern.example".to_owned()], ..HttpOptions::default() };
    let dm = HttpSessions::new(memory, SessionIdentity::Dm, options).unwrap();
    // An accepted request without a session is answered with "bad request".
    let ping = || json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string().into_bytes();
    for host in ["localhost:4801", "127.0.0.1", "[::1]:4801", "192.168.0.7:4801", "Tavern.example"] {
        assert_eq!(status_with(&dm, &[("host", host)], ping()).await, StatusCode::BAD_REQUEST, "{host}");
    }
    for host in ["attacker.example", "localhost.attacker.example", ""] {
        assert_eq!(status_with(&dm, &[("host", host)], ping()).await, StatusCode::FORBIDDEN, "{host}");
    }
    assert_eq!(status_with(&dm, &[], ping()).await, StatusCode::FORBIDDEN);
    for (origin, expected) in [
        ("http://localhost:6274", StatusCode::BAD_REQUEST),
        ("https://tavern.example", StatusCode::BAD_REQUEST),
        ("https://attacker.example", StatusCode::FORBIDDEN),
        ("null", StatusCode::FORBIDDEN),
    ] {
        let headers = [("host", "tavern.example"), ("origin", origin)];
        assert_eq!(status_with(&dm, &headers, ping()).await, expected, "{origin}");
    }
    let large = vec![b' '; (4 << 20) + 1];
    assert_eq!(status_with(&dm, &[("host", "localhost")], large).await, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn the_least_recently_used_session_ends_if_there_are_too_many() {
    let ada = sessions(&open_memory(), "ada");
    let (first, second) = (HttpClient::connect(&ada, json!({})).await, HttpClient::connect(&ada, json!({})).await);
    for _ in 0..31 {
        first.request("ping", json!({})).await;
        HttpClient::connect(&ada, json!({})).await;
    }
    first.request("ping", json!({})).await;
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    for _ in 0..100 {
        if second.post(&ping).await.status == 404 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the unused session is still open");
}

#[tokio::test]
async fn stopping_ends_the_sessions_and_releases_the_memory() {
    let memory = open_memory();
    let options = HttpOptions::default();
    let stop = options.stop.clone();
    let dm = HttpSessions::new(Arc::clone(&memory), SessionIdentity::Dm, options).unwrap();
    let client = HttpClient::connect(&dm, json!({})).await;
    client.request("resources/subscribe", json!({"uri": "hearsay://review"})).await;
    stop.cancel();
    drop((dm, client));
    for _ in 0..100 {
        if Arc::strong_count(&memory) == 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("a session still has the memory open");
}

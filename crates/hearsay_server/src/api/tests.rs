//! Requests to the API, without a network.

use std::{
    collections::BTreeSet,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{
    Router,
    body::{Body, to_bytes},
    http::{
        HeaderMap, Method, Request, StatusCode,
        header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE},
    },
};
use hearsay_commands::session::{NewSession, SessionStep};
use hearsay_engine::Memory;
use hearsay_mcp::SessionIdentity;
use hearsay_model::{Author, EntityId};
use serde_json::{Value, json};
use tempfile::TempDir;
use tower_service::Service;

use super::{
    Api,
    limits::{ApiLimits, RateLimit, token_hash},
};
use crate::{Tokens, identities::Identities, test_memory::open_memory};

/// The campaign of the tests of the MCP server, which has the same tools.
const CAMPAIGN: &str = include_str!("../../tests/data/mill.yaml");

/// The API of a small campaign, with its tokens.
struct TestApi {
    router: Router,
    memory: Arc<Memory>,
    tokens: Tokens,
    _directory: TempDir,
}

/// A client with a token.
struct Client {
    router: Router,
    authorization: Option<String>,
}

/// A response whose body was received.
struct Received {
    status: StatusCode,
    headers: HeaderMap,
    body: String,
}

impl TestApi {
    fn open(limits: ApiLimits) -> Self {
        let memory = open_memory(CAMPAIGN);
        let directory = tempfile::tempdir().unwrap();
        let tokens = Tokens::read(directory.path()).unwrap();
        let identities = Identities::new(Arc::clone(&memory), directory.path().to_owned());
        let router = Api::new(Arc::new(identities), limits).into_router();
        Self { router, memory, tokens, _directory: directory }
    }

    /// Adds a token for an identity, and returns a client that sends it.
    fn client(&mut self, identity: &str) -> Client {
        let identity: SessionIdentity = identity.parse().unwrap();
        let token = self.tokens.add(None, identity).unwrap();
        self.client_with(Some(format!("Bearer {token}")))
    }

    fn client_with(&self, authorization: Option<String>) -> Client {
        Client { router: self.router.clone(), authorization }
    }
}

impl Client {
    async fn send(&self, method: Method, path: &str, body: impl Into<Body>) -> Received {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        let request: Request<Body> = request.body(body.into()).unwrap();
        let response = self.router.clone().call(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap();
        Received { status: parts.status, headers: parts.headers, body: String::from_utf8(body.to_vec()).unwrap() }
    }

    async fn get(&self, path: &str) -> Received {
        self.send(Method::GET, path, Body::empty()).await
    }

    async fn call(&self, tool: &str, arguments: Value) -> Received {
        self.send(Method::POST, &format!("/api/tools/{tool}"), arguments.to_string()).await
    }

    /// Calls a tool that must succeed, and returns its result.
    async fn ok(&self, tool: &str, arguments: Value) -> Value {
        let received = self.call(tool, arguments).await;
        assert_eq!(received.status, StatusCode::OK, "{tool}: {}", received.body);
        received.json()
    }

    async fn tool_names(&self) -> Vec<String> {
        let list = self.get("/api/tools").await.json();
        let tools = list["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }
}

impl Received {
    fn json(&self) -> Value {
        assert_eq!(self.headers[CONTENT_TYPE], "application/json", "{}", self.body);
        assert_eq!(self.headers[CACHE_CONTROL], "no-store");
        serde_json::from_str(&self.body).unwrap()
    }

    /// Checks the status and kind of an error, and returns its message.
    fn error(&self, status: StatusCode, kind: &str) -> String {
        assert_eq!(self.status, status, "{}", self.body);
        let document = self.json();
        assert_eq!(document["error"]["kind"], kind, "{}", self.body);
        document["error"]["message"].as_str().unwrap().to_owned()
    }
}

#[tokio::test]
async fn a_character_calls_every_tool_and_reads_every_resource() {
    let mut api = TestApi::open(ApiLimits::default());
    let ada = api.client("ada");
    assert_eq!(ada.tool_names().await, ["recall", "know_about", "how_do_i_know", "may_i_tell", "check_reply", "say"]);
    let recalled = ada.ok("recall", json!({"question": "What is wrong with the millstone?"})).await;
    let lines = recalled["lines"].as_array().unwrap();
    let secret = lines.iter().find(|line| line["text"] == "The millstone is cracked.").unwrap();
    let fact = secret["fact"].as_str().unwrap();
    let about = ada.ok("know_about", json!({"name": "Ada Flint"})).await;
    assert!(about["facts"].as_array().unwrap().iter().any(|row| row["fact"] == fact), "{about}");
    assert_eq!(ada.ok("how_do_i_know", json!({"fact": "millstone is cracked"})).await["fact"], fact);
    let allowed = ada.ok("may_i_tell", json!({"fact": fact, "listeners": ["Ben Carter"]})).await;
    assert_eq!(allowed["may_tell_all"], json!(false));
    let check = ada.ok("check_reply", json!({"reply": "Good evening.", "listeners": ["Ben Carter"]})).await;
    assert!(check["is_fine"].is_boolean(), "{check}");
    let said = ada.ok("say", json!({"text": "The bread is burnt.", "to": ["Ben Carter"]})).await;
    assert_eq!(said, json!({"text": "The bread is burnt.", "to": ["Ben Carter"]}));
    for resource in ["me", "scene", "recent"] {
        let document = ada.get(&format!("/api/resources/{resource}")).await.json();
        assert_eq!(document["name"], resource);
        assert!(document["text"].as_str().unwrap().starts_with("Ada Flint"), "{document}");
    }
    let heard = api.client("ben").get("/api/resources/recent").await.json();
    assert!(heard["text"].as_str().unwrap().contains("The bread is burnt."), "{heard}");
    let not_heard = api.client("cyrus").get("/api/resources/recent").await.json();
    assert!(!not_heard["text"].as_str().unwrap().contains("bread"), "{not_heard}");
}

#[tokio::test]
async fn the_dm_calls_every_tool_and_confirms_changes() {
    let mut api = TestApi::open(ApiLimits::default());
    let dm = api.client("dm");
    assert_eq!(dm.tool_names().await, ["search", "ask_as", "record", "review", "decide", "undo", "log"]);
    let found = dm.ok("search", json!({"text": "millstone cracked"})).await;
    assert_eq!(found["facts"][0]["text"], "The millstone is cracked.");
    let answer = dm.ok("ask_as", json!({"character": "ben", "question": "What about the millstone?"})).await;
    assert!(!answer.to_string().contains("cracked"), "{answer}");
    dm.ok("record", json!({"sentence": "Ben Carter owes the baker money."})).await;
    let waiting = dm.get("/api/resources/review").await.json();
    assert!(waiting["text"].as_str().unwrap().contains("owes the baker money"), "{waiting}");
    let queue = dm.send(Method::POST, "/api/tools/review", Body::empty()).await.json();
    let fact = queue["items"][0]["facts"][0]["fact"].as_str().unwrap();
    let mut decision = json!({"facts": [fact], "decision": "accept"});
    let message = dm.call("decide", decision.clone()).await.error(StatusCode::CONFLICT, "unconfirmed");
    assert!(message.contains("Accept: Ben Carter owes the baker money.") && message.contains("`confirm`"), "{message}");
    assert_eq!(dm.ok("review", json!({})).await, queue, "nothing is changed");
    decision["confirm"] = json!(true);
    let decided = dm.ok("decide", decision).await;
    assert_eq!(dm.ok("review", json!({})).await["items"], json!([]));
    let mut undo = json!({"operation": decided["operation"]});
    dm.call("undo", undo.clone()).await.error(StatusCode::CONFLICT, "unconfirmed");
    undo["confirm"] = json!(true);
    dm.ok("undo", undo).await;
    let (mill, ben) = (EntityId::new("the-mill").unwrap(), EntityId::new("ben").unwrap());
    let session = NewSession { place: Some(mill), present: vec![ben], ..NewSession::default() };
    api.memory.session(Author::Dm, SessionStep::Start(session)).unwrap().wait().unwrap();
    dm.ok("log", json!({"text": "The rain stops."})).await;
    let log = dm.get("/api/resources/session").await.json();
    assert!(log["text"].as_str().unwrap().contains("The rain stops."), "{log}");
}

#[tokio::test]
async fn a_hidden_name_and_a_missing_name_give_the_same_response() {
    let mut api = TestApi::open(ApiLimits::default());
    let (ben, dm) = (api.client("ben"), api.client("dm"));
    let found = dm.ok("search", json!({"text": "millstone cracked"})).await;
    let id = found["facts"][0]["id"].as_str().unwrap();
    let missing_id = format!("{:0>width$}", 1, width = id.len());
    let cases = [
        ("know_about", "name", "The Moth", "The Bear"),
        ("how_do_i_know", "fact", "stone-is-cracked", "bone-is-cracked"),
        ("how_do_i_know", "fact", id, missing_id.as_str()),
        ("how_do_i_know", "fact", &id[..8], &missing_id[..8]),
    ];
    for (tool, argument, hidden, missing) in cases {
        let about_hidden = ben.call(tool, json!({argument: hidden})).await;
        let about_missing = ben.call(tool, json!({argument: missing})).await;
        about_hidden.error(StatusCode::BAD_REQUEST, "refused");
        assert_eq!(about_hidden.status, about_missing.status);
        assert_eq!(about_hidden.body.replace(hidden, "*"), about_missing.body.replace(missing, "*"));
        let names = |headers: &HeaderMap| headers.keys().map(ToString::to_string).collect::<BTreeSet<_>>();
        assert_eq!(names(&about_hidden.headers), names(&about_missing.headers));
    }
    // The same holds for the tools and resources of the DM.
    for name in ["search", "ask_as", "record", "review", "decide", "undo", "log", "unknown"] {
        let message = ben.call(name, json!({})).await.error(StatusCode::NOT_FOUND, "not_found");
        assert_eq!(message, format!("there is no tool `{name}`"));
    }
    for name in ["review", "session", "unknown"] {
        let message = ben.get(&format!("/api/resources/{name}")).await.error(StatusCode::NOT_FOUND, "not_found");
        assert_eq!(message, format!("there is no resource `{name}`"));
    }
}

#[tokio::test]
async fn a_request_needs_a_valid_token() {
    let mut api = TestApi::open(ApiLimits::default());
    let valid = api.client("ada").authorization.unwrap();
    let mut bodies = BTreeSet::new();
    // The last client has a token for a character that does not exist.
    let clients = [
        api.client_with(None),
        api.client_with(Some("Bearer wrong".to_owned())),
        api.client_with(Some(valid.replace("Bearer", "Basic"))),
        api.client("nobody"),
    ];
    for client in clients {
        for path in ["/api/tools", "/api/openapi.json", "/api/resources/me"] {
            let received = client.get(path).await;
            received.error(StatusCode::UNAUTHORIZED, "unauthorized");
            assert_eq!(received.headers[WWW_AUTHENTICATE], "Bearer");
            bodies.insert(received.body);
        }
        bodies.insert(client.call("recall", json!({"question": "Who?"})).await.body);
    }
    assert_eq!(bodies.len(), 1, "{bodies:?}");
    // A removed token has no effect any more.
    let ada = api.client_with(Some(valid));
    assert_eq!(ada.get("/api/tools").await.status, StatusCode::OK);
    assert!(api.tokens.remove("ada").unwrap());
    ada.get("/api/tools").await.error(StatusCode::UNAUTHORIZED, "unauthorized");
}

#[tokio::test]
async fn wrong_bodies_are_refused() {
    let limits = ApiLimits::default();
    let mut api = TestApi::open(limits);
    let ben = api.client("ben");
    let path = "/api/tools/recall";
    let too_large = ben.send(Method::POST, path, vec![b' '; limits.body_bytes + 1]).await;
    assert!(too_large.error(StatusCode::PAYLOAD_TOO_LARGE, "too_large").contains("1048576"));
    let largest = ben.send(Method::POST, path, vec![b' '; limits.body_bytes]).await;
    assert!(largest.error(StatusCode::BAD_REQUEST, "refused").contains("missing field `question`"));
    for body in ["{\"question\": ", "[]", "\"Who?\"", "question=Who"] {
        let message = ben.send(Method::POST, path, body).await.error(StatusCode::BAD_REQUEST, "invalid_json");
        assert!(message.contains("JSON object"), "{message}");
    }
    let unknown = ben.call("recall", json!({"question": "Who?", "knower": "ada"})).await;
    assert!(unknown.error(StatusCode::BAD_REQUEST, "refused").contains("unknown field `knower`"));
    let message = ben.get(path).await.error(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed");
    assert!(message.contains("the method GET") && message.contains("/api/openapi.json"), "{message}");
}

#[tokio::test]
async fn an_unknown_path_leads_to_the_document_with_all_requests() {
    let mut api = TestApi::open(ApiLimits::default());
    for path in ["/api", "/api/"] {
        let received = api.client_with(None).get(path).await;
        assert_eq!((received.status, &received.json()["openapi"]), (StatusCode::OK, &json!("/api/openapi.json")));
    }
    for client in [api.client_with(None), api.client("ada")] {
        for path in ["/api/characters", "/api/tools/", "/api/tools/recall/more", "/api/resources"] {
            for method in [Method::GET, Method::POST] {
                let received = client.send(method, path, Body::empty()).await;
                let message = received.error(StatusCode::NOT_FOUND, "not_found");
                assert_eq!(
                    message,
                    format!("there is nothing at `{path}`; `GET /api/openapi.json` describes all requests")
                );
            }
        }
    }
}

#[tokio::test]
async fn a_token_that_sends_too_many_requests_must_wait() {
    let limits = ApiLimits { requests_per_second: 0.01, burst: 3.0, ..ApiLimits::default() };
    let mut api = TestApi::open(limits);
    let (ada, ben) = (api.client("ada"), api.client("ben"));
    for _ in 0..3 {
        assert_eq!(ada.get("/api/tools").await.status, StatusCode::OK);
    }
    let refused = ada.get("/api/tools").await;
    refused.error(StatusCode::TOO_MANY_REQUESTS, "too_many_requests");
    let wait: u64 = refused.headers[RETRY_AFTER].to_str().unwrap().parse().unwrap();
    assert!((1..=101).contains(&wait), "{wait}");
    assert_eq!(ben.get("/api/tools").await.status, StatusCode::OK);
    // Another spelling of the header is the same token.
    let spelling = ada.authorization.as_ref().unwrap().replace("Bearer ", "BEARER  ");
    let other = api.client_with(Some(spelling));
    other.get("/api/tools").await.error(StatusCode::TOO_MANY_REQUESTS, "too_many_requests");
}

#[tokio::test]
async fn the_number_of_running_requests_is_limited() {
    let mut api = TestApi::open(ApiLimits { concurrent_requests: 0, ..ApiLimits::default() });
    let received = api.client("ada").get("/api/tools").await;
    received.error(StatusCode::TOO_MANY_REQUESTS, "busy");
    assert_eq!(received.headers[RETRY_AFTER], "1");
}

#[test]
fn the_budget_of_a_token_grows_with_time() {
    let limit = RateLimit::new(ApiLimits { requests_per_second: 2.0, burst: 4.0, ..ApiLimits::default() });
    let (token, start) = (token_hash(b"Bearer abc"), Instant::now());
    let take_all = |now| (0..10).filter(|_| limit.take(token, now).is_ok()).count();
    assert_eq!(take_all(start), 4);
    assert_eq!(limit.take(token, start), Err(Duration::from_millis(500)));
    assert_eq!(take_all(start + Duration::from_secs(1)), 2);
    assert_eq!(take_all(start + Duration::from_secs(60)), 4, "the budget is never larger than the burst");
}

#[tokio::test]
async fn the_openapi_document_names_every_tool_of_the_identity() {
    let mut api = TestApi::open(ApiLimits::default());
    for (identity, resources) in [("ada", &["me", "scene", "recent"][..]), ("dm", &["review", "session"][..])] {
        let client = api.client(identity);
        let document = client.get("/api/openapi.json").await.json();
        assert_eq!(document["openapi"], "3.1.0");
        let mut expected = BTreeSet::from(["/api/tools".to_owned(), "/api/openapi.json".to_owned()]);
        expected.extend(resources.iter().map(|name| format!("/api/resources/{name}")));
        let list = client.get("/api/tools").await.json();
        for tool in list["tools"].as_array().unwrap() {
            let path = format!("/api/tools/{}", tool["name"].as_str().unwrap());
            let operation = &document["paths"][&path]["post"];
            let arguments = &operation["requestBody"]["content"]["application/json"]["schema"];
            assert_eq!(property_names(arguments), property_names(&tool["input_schema"]), "{path}");
            let result = &operation["responses"]["200"]["content"]["application/json"]["schema"];
            assert_eq!(property_names(result), property_names(&tool["output_schema"]), "{path}");
            assert_eq!(operation["summary"], tool["title"]);
            expected.insert(path);
        }
        assert_eq!(document["paths"].as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>(), expected);
        check_references(&document, &document);
    }
}

/// Returns the names of the properties of a JSON Schema, which must describe an object.
fn property_names(schema: &Value) -> Vec<&String> {
    assert_eq!(schema["type"], "object", "{schema}");
    schema["properties"].as_object().unwrap().keys().collect()
}

/// Checks that every reference in a part of a document leads to a schema.
fn check_references(document: &Value, part: &Value) {
    match part {
        Value::Object(object) => {
            assert!(!object.contains_key("$defs") && !object.contains_key("$schema"), "{part}");
            if let Some(reference) = object.get("$ref") {
                let pointer = reference.as_str().unwrap().strip_prefix('#').unwrap();
                assert!(document.pointer(pointer).is_some_and(Value::is_object), "{reference}");
            }
            object.values().for_each(|value| check_references(document, value));
        }
        Value::Array(values) => values.iter().for_each(|value| check_references(document, value)),
        _ => {}
    }
}

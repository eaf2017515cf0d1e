//! Searches for leaks in MCP sessions. No byte of a character's session may depend on facts that the character cannot
//! know.
//!
//! The measurement holds a complete session with the server of `hearsay_mcp` in a generated world. Then it holds the
//! same session in a world from which all data was removed that the character cannot know (see [`leaks`](crate::leaks)),
//! and compares the responses byte for byte. The requests name all entities of the world, known and unknown facts,
//! and names, ids and facts that do not exist.

use std::{fmt, io, sync::Arc};

use hearsay_belief::{View, is_dead};
use hearsay_engine::{ExtractionSettings, Memory, MemoryError, MemoryOptions, ModelSettings, Settings};
use hearsay_mcp::{HttpOptions, HttpSessions, McpServer, ServerError, SessionIdentity};
use hearsay_model::{EntityId, FactId, IdError, State};
use serde::Serialize;
use serde_json::{Value, json};
use thiserror::Error;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::{
    Random,
    leaks::{MAX_REPORTED, PruneError, known_part},
    parallel::map_worlds,
    worlds::{GeneratedWorld, PEOPLE},
};

/// Names and ids that a session asks for. Some exist in every world, some only in some worlds, and some never.
const ASKED_NAMES: [&str; 24] = [
    "ann",
    "bob",
    "cat",
    "dan",
    "eve",
    "cell",
    "guild",
    "watch",
    "inn",
    "ward",
    "town",
    "boat",
    "ledger",
    "letter",
    "Ann Brook",
    "Brook",
    "the Guild",
    "the Gilded Inn",
    "the Grey Lady",
    "Night",
    "Ann Alder",
    "Marrowick",
    "zed",
    "the Nobody",
];

/// Number of facts of the complete world that a session asks for.
const ASKED_FACTS: usize = 12;

/// Size of the buffer between client and server, in bytes.
const BUFFER: usize = 1 << 20;

/// How the client and the server of a session exchange messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpTransport {
    /// One message per line on a stream, as on standard input and output.
    Stream,
    /// One HTTP request per message, without a network.
    Http,
}

/// An error while an MCP session was held.
#[derive(Debug, Error)]
pub enum McpLeakError {
    /// The memory failed.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The world without unknown data is invalid.
    #[error(transparent)]
    Prune(#[from] PruneError),
    /// The server failed.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// The server closed the connection, or the runtime could not be started.
    #[error(transparent)]
    Connection(#[from] io::Error),
    /// A response is not JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// An id is invalid.
    #[error(transparent)]
    Id(#[from] IdError),
}

/// A difference between two responses that should be equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpDifference {
    /// The number of the generated world, counted from 0.
    pub world: usize,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The character of the session.
    pub character: EntityId,
    /// The request, as JSON.
    pub request: String,
    /// The response in the complete world.
    pub complete_response: String,
    /// The response in the world that contains only data known to the character.
    pub known_response: String,
}

impl fmt::Display for McpDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { world, seed, character, request, complete_response, known_response } = self;
        writeln!(f, "world {world} of seed {seed}, session of {character}: {request}")?;
        writeln!(f, "  in the complete world:  {complete_response}")?;
        write!(f, "  from known data only:   {known_response}")
    }
}

/// Numbers of worlds, requests and differences in a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct McpTally {
    /// Number of generated worlds. Each world has one session.
    pub worlds: usize,
    /// Number of requests.
    pub requests: usize,
    /// Number of tool calls that returned a result and no error.
    pub answers: usize,
    /// Number of responses that differ.
    pub differences: usize,
}

/// The result of a run: the counts and the first differences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct McpLeakReport {
    /// The counts over all worlds.
    pub tally: McpTally,
    /// The first differences, in the order of the worlds. There are at most five.
    pub first: Vec<McpDifference>,
}

/// Searches for leaks in the MCP sessions of `worlds` generated worlds, on all processors.
///
/// # Errors
/// Returns an error if a session fails.
pub fn find_mcp_leaks(worlds: usize, seed: u64, transport: McpTransport) -> Result<McpLeakReport, McpLeakError> {
    let mut report = McpLeakReport { tally: McpTally { worlds, ..McpTally::default() }, first: Vec::new() };
    for result in map_worlds(worlds, |world| check_world(world, seed, transport)) {
        let (requests, answers, differences) = result?;
        report.tally.requests += requests;
        report.tally.answers += answers;
        report.tally.differences += differences.len();
        let remaining = MAX_REPORTED - report.first.len();
        report.first.extend(differences.into_iter().take(remaining));
    }
    Ok(report)
}

/// Holds a session with the server in one world, with and without unknown data. Returns the number of requests, the
/// number of answers that are no errors, and the differences.
fn check_world(
    world: usize,
    seed: u64,
    transport: McpTransport,
) -> Result<(usize, usize, Vec<McpDifference>), McpLeakError> {
    let mut random = Random::new(seed, world as u64);
    let complete = GeneratedWorld::generate(&mut random).state;
    let character = EntityId::new(random.choose(&PEOPLE).unwrap_or(&"ann"))?;
    let known = known_part(&View::new(&complete, &character.clone().into(), None), &complete)?;
    let requests = requests(&complete, &character, &mut random);
    let complete_responses = session(&complete, &character, &requests, transport)?;
    let known_responses = session(&known, &character, &requests, transport)?;
    let answers = complete_responses.iter().filter(|response| response.contains("\"isError\":false")).count();
    let mut differences = Vec::new();
    for ((request, complete_response), known_response) in requests.iter().zip(complete_responses).zip(known_responses) {
        if complete_response != known_response {
            let (character, request) = (character.clone(), request.to_string());
            differences.push(McpDifference { world, seed, character, request, complete_response, known_response });
        }
    }
    Ok((requests.len(), answers, differences))
}

fn call(tool: &str, arguments: Value) -> Value {
    json!({"method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

/// Returns the requests of a session. The line that the character says comes last, because it changes the world.
fn requests(state: &State, character: &EntityId, random: &mut Random) -> Vec<Value> {
    let mut requests = vec![
        json!({"method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "leaks", "version": "1"}}}),
        json!({"method": "tools/list"}),
        json!({"method": "resources/list"}),
        json!({"method": "resources/templates/list"}),
        json!({"method": "prompts/list"}),
        json!({"method": "completion/complete", "params": {
            "ref": {"type": "ref/prompt", "name": "speak_as"}, "argument": {"name": "listeners", "value": "a"}}}),
        call("search", json!({"text": "*"})),
        call("ask_as", json!({"character": "ann", "question": "Who?"})),
        call("check_reply", json!({"reply": "The boat burned."})),
        call("recall", json!({"question": "Who?", "knower": "bob"})),
        call("recall", json!({"question": "Who?", "limit": 0})),
        json!({"method": "prompts/get", "params": {"name": "recap_player_safe"}}),
    ];
    for uri in ["me", "scene", "recent", "review", "session", "nothing"] {
        requests.push(json!({"method": "resources/read", "params": {"uri": format!("hearsay://{uri}")}}));
    }
    for _ in 0..3 {
        let question = GeneratedWorld::question(random);
        let listener = random.choose(&ASKED_NAMES).copied().unwrap_or("bob");
        requests.push(call("recall", json!({"question": question})));
        let reply = format!("I know this much. {question} It was {listener} and the Grey Warden.");
        requests.push(call("check_reply", json!({"reply": reply, "listeners": [listener], "question": question})));
        requests.push(call("recall", json!({"question": question, "listeners": [listener], "about": [listener]})));
        requests.push(json!({"method": "prompts/get", "params": {
            "name": "speak_as", "arguments": {"question": question, "listeners": listener}}}));
    }
    for name in ASKED_NAMES {
        requests.push(call("know_about", json!({"name": name})));
    }
    let facts: Vec<FactId> = state.facts().map(|fact| fact.id()).collect();
    let asked: Vec<String> = (0..ASKED_FACTS).filter_map(|_| random.choose(&facts).map(ToString::to_string)).collect();
    for fact in asked.into_iter().chain(["00000000".to_owned(), "harbour ledger".to_owned(), "night fire".to_owned()]) {
        let short: String = fact.chars().take(8).collect();
        let listener = random.choose(&PEOPLE).copied().unwrap_or("bob");
        requests.push(call("how_do_i_know", json!({"fact": fact})));
        requests.push(call("how_do_i_know", json!({"fact": short})));
        requests.push(call("may_i_tell", json!({"fact": fact, "listeners": [listener]})));
    }
    // The dead say nothing. A character may not know that it is dead.
    if !is_dead(state, character, None) {
        let hearer = random.choose(&ASKED_NAMES).copied().unwrap_or("bob");
        requests.push(call("say", json!({"text": "The boat burned.", "to": [hearer]})));
    }
    for (id, request) in requests.iter_mut().enumerate() {
        request["jsonrpc"] = json!("2.0");
        request["id"] = json!(id);
    }
    requests
}

/// Opens a memory without files that has the journal of a state.
fn open_memory(state: &State) -> Result<Memory, MemoryError> {
    let model = ModelSettings { enabled: false, ..ModelSettings::default() };
    let extraction = ExtractionSettings { enabled: false, ..ExtractionSettings::default() };
    let mut settings = Settings { model, extraction, ..Settings::default() };
    // Every answer uses the graph, also on a busy machine.
    settings.recall.hard_deadline_ms = 600_000;
    let memory = Memory::open(MemoryOptions { settings, ..MemoryOptions::in_memory() })?;
    for (_, entry) in state.journal() {
        let operation = entry.operation.as_ref().clone();
        memory.write(move |_| Ok(operation.clone()))?.wait()?;
    }
    Ok(memory)
}

/// Holds a session, and returns what the server sent for each request.
fn session(
    state: &State,
    character: &EntityId,
    requests: &[Value],
    transport: McpTransport,
) -> Result<Vec<String>, McpLeakError> {
    let memory = Arc::new(open_memory(state)?);
    let identity = SessionIdentity::Character(character.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        match transport {
            McpTransport::Stream => stream_session(McpServer::new(memory, identity)?, requests).await,
            McpTransport::Http => http_session(memory, identity, requests).await,
        }
    })
}

/// Returns the notification that ends the handshake.
fn initialized() -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
}

async fn stream_session(server: McpServer, requests: &[Value]) -> Result<Vec<String>, McpLeakError> {
    let (client, stream) = tokio::io::duplex(BUFFER);
    let serving = tokio::spawn(server.serve(stream));
    let (read_half, mut write_half) = tokio::io::split(client);
    let mut lines = BufReader::new(read_half).lines();
    let mut responses = Vec::new();
    for request in requests {
        write_half.write_all(format!("{request}\n").as_bytes()).await?;
        let mut sent = String::new();
        loop {
            let line = lines.next_line().await?.ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))?;
            let message: Value = serde_json::from_str(&line)?;
            sent.push_str(&line);
            sent.push('\n');
            if message.get("id") == request.get("id") {
                break;
            }
        }
        responses.push(sent);
        if request["method"] == "initialize" {
            write_half.write_all(format!("{}\n", initialized()).as_bytes()).await?;
        }
    }
    drop((lines, write_half));
    // The server ends when the client has closed the connection.
    let _ = serving.await;
    Ok(responses)
}

async fn http_session(
    memory: Arc<Memory>,
    identity: SessionIdentity,
    requests: &[Value],
) -> Result<Vec<String>, McpLeakError> {
    let sessions = HttpSessions::new(memory, identity, HttpOptions::default())?;
    let mut session: Option<String> = None;
    let mut responses = Vec::new();
    for request in requests {
        let answer = sessions.post(session.as_deref(), request).await;
        responses.push(format!("{} {}", answer.status, answer.body));
        if request["method"] == "initialize" {
            session = answer.session;
            sessions.post(session.as_deref(), &initialized()).await;
        }
    }
    Ok(responses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_unknown_to_the_character_change_no_byte_of_an_mcp_session() {
        for transport in [McpTransport::Stream, McpTransport::Http] {
            let found = find_mcp_leaks(20, 7, transport).unwrap();
            assert_eq!(found.tally.differences, 0, "{:#?}", found.first);
            assert_eq!(found.tally.worlds, 20);
            assert!(found.tally.answers > 200, "{transport:?}: {:?}", found.tally);
        }
    }
}

//! Extraction with a language model.

use std::{fs, path::Path, time::Duration};

use hearsay_commands::{
    game_event::{Circumstances, GameEvent, Hearers},
    reading::Draft,
    session::{Log, LogLine, NewSession, SessionStep},
};
use hearsay_engine::{
    ExtractionEngine, ExtractionSettings, LlmSettings, LlmStatus, LlmStep, Memory, MemoryError, MemoryOptions, Settings,
};
use hearsay_model::{Author, Evidence, Fact};
use hearsay_query::journal::UndoTarget;
use serde_json::{Value, json};

use crate::support::{found_town, id, ids, options, options_at, settings, state};

mod server;

use server::{Server, found};

const DEBT: &str = "Odo owes Pell forty crowns.";

fn owes(quote: &str) -> Value {
    json!({"subject": "odo-brandt", "predicate": "OWES", "object": "pell", "statement": "Odo Brandt owes Pell forty crowns.",
           "quote": quote, "confidence": 0.95})
}

fn hates() -> Value {
    json!({"subject": "pell", "predicate": "HOSTILE_TO", "object": "mirela-voss", "statement": "Pell cannot bear Mirela.",
           "quote": "Pell would sooner eat glass than sit with Mirela", "confidence": 0.95})
}

/// Returns settings with short waiting times for requests to the model.
fn model(base_url: &str) -> LlmSettings {
    LlmSettings {
        enabled: true,
        base_url: base_url.to_owned(),
        key_env: "HEARSAY_TEST_KEY".into(),
        model: "m".into(),
        timeout_ms: 5_000,
        connect_timeout_ms: 500,
        retries: 0,
        after_turns: 1,
        ..LlmSettings::default()
    }
}

fn with(options: MemoryOptions, llm: LlmSettings) -> Memory {
    let extraction = ExtractionSettings { llm, engine: ExtractionEngine::Patterns, ..ExtractionSettings::default() };
    let settings = Settings { extraction, ..settings() };
    Memory::open(MemoryOptions { settings, ..options }).unwrap()
}

fn town(llm: LlmSettings) -> Memory {
    let memory = with(options(), llm);
    found_town(&memory);
    memory
}

fn say(memory: &Memory, speaker: &str, text: &str) {
    let (hearers, circumstances) = (Hearers::AtPlace, Circumstances::default());
    let say = GameEvent::Say {
        speaker: id(speaker).into(),
        text: text.into(),
        states: vec![],
        hearers,
        lie: false,
        circumstances,
    };
    memory.learn(Author::Game, say).unwrap().wait().unwrap();
}

fn llm(memory: &Memory) -> LlmStatus {
    memory.status().unwrap().wait().unwrap().llm.unwrap()
}

/// Waits until a condition on the status of the model is true.
fn until(memory: &Memory, holds: impl Fn(&LlmStatus) -> bool) -> LlmStatus {
    for _ in 0..3_000 {
        let status = memory.status().unwrap().wait().unwrap();
        let llm = status.llm.unwrap();
        if status.unread == 0 && status.waiting_writes == 0 && llm.writing == 0 && holds(&llm) {
            return llm;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("it never comes to that: {:?}", llm(memory));
}

fn done(memory: &Memory, jobs: u64) -> LlmStatus {
    until(memory, |llm| llm.queue.done >= jobs && llm.queue.running == 0)
}

fn extracted(memory: &Memory) -> Vec<Fact> {
    let state = state(memory);
    let mut facts: Vec<Fact> = state
        .facts()
        .filter(|fact| fact.provenance().author == Author::Extractor)
        .map(|fact| Fact::clone(fact))
        .collect();
    facts.sort_by_key(|fact| fact.statement().to_owned());
    facts
}

fn quotes(fact: &Fact) -> Vec<String> {
    let quote = |evidence: &Evidence| match evidence {
        Evidence::Passage { quote, .. } => quote.clone(),
        other => panic!("{other:?}"),
    };
    fact.provenance().evidence.iter().map(quote).collect()
}

#[test]
fn facts_found_by_both_methods_have_two_pieces_of_evidence() {
    let server = Server::finding(vec![owes("Odo owes Pell forty"), hates()]);
    let memory = town(model(&server.base_url));
    say(&memory, "mirela-voss", DEBT);
    let llm = done(&memory, 1);
    let facts = extracted(&memory);
    assert_eq!(facts.len(), 1, "{facts:?}");
    assert_eq!(quotes(&facts[0]).len(), 2, "{facts:?}");
    assert_eq!(facts[0].provenance().speaker.as_ref().map(|id| id.as_str()), Some("mirela-voss"));
    assert_eq!((llm.found.supported, llm.last_error.as_deref()), (1, None));
    assert!(llm.tokens > 0 && llm.queue.pending == 0, "{llm:?}");
    assert_eq!((llm.counts.relations, llm.counts.passes), (1, 2), "{llm:?}");
    // A fact that only the model finds is recorded.
    say(&memory, "odo-brandt", "Pell would sooner eat glass than sit with Mirela, ever.");
    done(&memory, 2);
    let facts = extracted(&memory);
    let hates: Vec<_> = facts.iter().filter(|fact| fact.predicate().as_str() == "HOSTILE_TO").collect();
    assert_eq!(hates.len(), 1, "{facts:?}");
    assert_eq!(hates[0].provenance().model.as_deref(), Some("m"));
}

#[test]
fn undoing_a_text_removes_the_facts_of_both_methods() {
    let directory = tempfile::tempdir().unwrap();
    let server = Server::finding(vec![owes("Odo owes Pell forty"), hates()]);
    let open = || with(options_at(directory.path()), model(&server.base_url));
    let memory = open();
    found_town(&memory);
    let text = format!("{DEBT} Pell would sooner eat glass than sit with Mirela, ever.");
    for round in 1..=2 {
        say(&memory, "mirela-voss", &text);
        done(&memory, round);
        assert!(extracted(&memory).len() >= 2, "{:?}", extracted(&memory));
        memory.undo(UndoTarget::LastBy(Author::Game)).unwrap().wait().unwrap();
        until(&memory, |_| true);
        assert_eq!(extracted(&memory), []);
    }
    // After a restart, the facts are still removed together with their text.
    say(&memory, "mirela-voss", &text);
    done(&memory, 3);
    memory.close().unwrap();
    let memory = open();
    assert!(extracted(&memory).len() >= 2);
    memory.undo(UndoTarget::LastBy(Author::Game)).unwrap().wait().unwrap();
    until(&memory, |_| true);
    assert_eq!(extracted(&memory), []);
    memory.close().unwrap();
}

#[test]
fn the_queue_survives_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let server = Server::finding(vec![owes("Odo owes Pell forty")]);
    // No server listens at this address.
    let unused_address = { std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap() };
    let memory = with(options_at(directory.path()), model(&format!("http://{unused_address}/v1")));
    found_town(&memory);
    say(&memory, "mirela-voss", DEBT);
    let llm = until(&memory, |llm| llm.last_error.is_some() && llm.queue.running == 0);
    assert_eq!((llm.queue.pending, llm.queue.done), (1, 0), "{llm:?}");
    assert!(llm.last_error.is_some_and(|why| why.contains("no answer")));
    assert!(llm.next_try_ms.is_some_and(|wait| wait > 0));
    memory.close().unwrap();
    assert!(directory.path().join("llm-queue.json").exists());
    let memory = with(options_at(directory.path()), model(&server.base_url));
    done(&memory, 1);
    assert_eq!(quotes(&extracted(&memory)[0]).len(), 2);
    memory.close().unwrap();
    // No text is read twice.
    let (memory, before) = (with(options_at(directory.path()), model(&server.base_url)), server.count());
    until(&memory, |llm| llm.queue.pending == 0);
    assert_eq!(server.count(), before);
}

#[test]
fn removed_texts_are_not_sent() {
    let directory = tempfile::tempdir().unwrap();
    let server = Server::finding(vec![owes("Odo owes Pell forty")]);
    let memory = with(options_at(directory.path()), model(&server.base_url));
    found_town(&memory);
    memory.llm(LlmStep::Pause).unwrap().wait().unwrap();
    say(&memory, "mirela-voss", DEBT);
    until(&memory, |llm| llm.queue.pending == 1);
    memory.close().unwrap();
    // While the model is disabled, the text is removed by an undo.
    let memory = with(options_at(directory.path()), LlmSettings::default());
    memory.undo(UndoTarget::LastBy(Author::Game)).unwrap().wait().unwrap();
    memory.close().unwrap();
    let memory = with(options_at(directory.path()), model(&server.base_url));
    until(&memory, |llm| llm.queue.pending == 0);
    assert_eq!(server.count(), 0);
}

#[test]
fn nothing_is_sent_when_it_is_switched_off_or_rests() {
    let server = Server::finding(vec![owes("Odo owes Pell forty")]);
    let memory = town(LlmSettings { enabled: false, ..model(&server.base_url) });
    say(&memory, "mirela-voss", DEBT);
    memory.wait_for_reading(|_| true).unwrap();
    let status = memory.status().unwrap().wait().unwrap();
    assert_eq!(status.llm, None);
    let refused = [
        memory.llm(LlmStep::ReadAll).unwrap().wait().map(drop),
        memory.draft_with_llm(Draft::default()).unwrap().wait().map(drop),
        memory.write_with_llm("x").unwrap().wait().map(drop),
    ];
    for refused in refused {
        let error = refused.unwrap_err();
        assert!(matches!(error, MemoryError::NoLlm(_)) && error.to_string().contains("enabled = true"), "{error}");
    }
    memory.close().unwrap();

    let memory = town(model(&server.base_url));
    assert!(memory.llm(LlmStep::Pause).unwrap().wait().unwrap().paused);
    say(&memory, "mirela-voss", DEBT);
    until(&memory, |llm| llm.queue.pending == 1);
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(server.count(), 0);
    memory.llm(LlmStep::Resume).unwrap().wait().unwrap();
    done(&memory, 1);

    // If the settings disable automatic extraction, the model is not called automatically either.
    let extraction = ExtractionSettings {
        enabled: false,
        llm: LlmSettings { after_turns: 5, ..model(&server.base_url) },
        engine: ExtractionEngine::Patterns,
        ..ExtractionSettings::default()
    };
    let memory = Memory::open(MemoryOptions { settings: Settings { extraction, ..settings() }, ..options() }).unwrap();
    found_town(&memory);
    say(&memory, "mirela-voss", DEBT);
    let before = server.count();
    memory.read_texts().unwrap().wait().unwrap();
    until(&memory, |llm| llm.queue.gathering == 1);
    assert_eq!(server.count(), before);
    memory.llm(LlmStep::ReadAll).unwrap().wait().unwrap();
    let llm = memory.wait_for_llm(|_| true).unwrap();
    assert_eq!((llm.queue.done, llm.found.supported), (1, 1), "{llm:?}");
}

#[test]
fn the_lines_of_a_session_are_read_together_once_it_ends() {
    let server = Server::finding(vec![owes("Odo owes Pell forty"), hates()]);
    let memory = town(LlmSettings { after_turns: 50, ..model(&server.base_url) });
    let session = NewSession { present: ids(&["pell"]), ..NewSession::default() };
    memory.session(Author::Dm, SessionStep::Start(session)).unwrap().wait().unwrap();
    let line = |speaker: &str, text: &str| LogLine { speaker: Some(id(speaker).into()), ..LogLine::new(text) };
    let lines =
        vec![line("mirela-voss", DEBT), line("odo-brandt", "Pell would sooner eat glass than sit with Mirela, ever.")];
    memory.log(Author::Dm, Log { lines, ..Log::default() }).unwrap().wait().unwrap();
    let llm = until(&memory, |llm| llm.queue.gathering == 2);
    assert_eq!((server.count(), llm.queue.pending), (0, 0));
    memory.session(Author::Dm, SessionStep::End { time: None }).unwrap().wait().unwrap();
    done(&memory, 1);
    let facts = extracted(&memory);
    let speakers = |name: &str| {
        let of = facts.iter().filter(|fact| fact.predicate().as_str() == name);
        of.filter_map(|fact| fact.provenance().speaker.as_ref().map(ToString::to_string)).collect::<Vec<_>>()
    };
    assert_eq!(speakers("OWES"), ["mirela-voss"]);
    assert_eq!(speakers("HOSTILE_TO"), ["odo-brandt"]);
    for fact in &facts {
        let quote = &quotes(fact)[0];
        let state = state(&memory);
        let Evidence::Passage { passage, span, .. } = &fact.provenance().evidence[0] else { panic!() };
        assert_eq!(&state.passage(*passage).unwrap().text[span.start..span.end], quote);
    }
}

#[test]
fn drafts_and_recaps_are_the_models_words() {
    let server =
        Server::new(|_, _, body| match body["messages"][0]["content"].as_str().unwrap().contains("You write") {
            true => (200, "Odo owes Pell, and Pell waits [1].".into()),
            false => (200, found(&[hates()], body)),
        });
    let memory = town(model(&server.base_url));
    let text = "Pell would sooner eat glass than sit with Mirela, ever.".to_owned();
    let draft = Draft { text, speaker: Some(id("Odo Brandt")), ..Draft::default() };
    let drafted = memory.draft_with_llm(draft).unwrap().wait().unwrap();
    assert_eq!((drafted.extraction.facts.len(), drafted.statuses.len()), (1, 1));
    let recap = memory.write_with_llm("Write a recap.\n\n[1] Odo owes Pell forty crowns.").unwrap().wait().unwrap();
    assert_eq!(recap, "Odo owes Pell, and Pell waits [1].");
    assert_eq!(extracted(&memory), []);
}

#[test]
fn closing_does_not_wait_for_a_server_that_says_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let server = Server::new(|_, _, _| {
        std::thread::sleep(Duration::from_secs(20));
        (200, String::new())
    });
    let memory = with(options_at(directory.path()), LlmSettings { timeout_ms: 60_000, ..model(&server.base_url) });
    found_town(&memory);
    say(&memory, "mirela-voss", DEBT);
    until(&memory, |llm| llm.queue.running == 1);
    let started_at = std::time::Instant::now();
    memory.close().unwrap();
    assert!(started_at.elapsed() < Duration::from_secs(8), "{:?}", started_at.elapsed());
    let saved_queue = fs::read_to_string(directory.path().join("llm-queue.json")).unwrap();
    assert!(saved_queue.contains(DEBT) && saved_queue.contains("pending"), "{saved_queue}");
}

const KEY: &str = "sk-very-secret-key-0451";

/// Does the work of the next test. That test runs it in a separate process with the key in its environment.
#[test]
fn a_key_at_work() {
    let (Ok(key), Ok(directory)) = (std::env::var("HEARSAY_TEST_KEY"), std::env::var("HEARSAY_TEST_DIRECTORY")) else {
        return;
    };
    tracing_subscriber::fmt().with_max_level(tracing_subscriber::filter::LevelFilter::TRACE).with_ansi(false).init();
    // The server checks that each request contains the key, and returns the key in an error.
    let server = Server::new(move |number, head, body| {
        assert!(head.contains(&key), "{head}");
        match number {
            0 => (401, json!({ "error": { "message": format!("bad key {key}"), "type": "x" } }).to_string()),
            1 => (200, format!("no JSON but {key}")),
            _ => (
                200,
                found(
                    &[
                        json!({ "subject": key, "predicate": key, "object": "pell", "quote": "Odo owes Pell" }),
                        owes("Odo owes Pell forty"),
                    ],
                    body,
                ),
            ),
        }
    });
    let directory = Path::new(&directory);
    let memory = with(options_at(&directory.join("store")), model(&server.base_url));
    found_town(&memory);
    say(&memory, "mirela-voss", DEBT);
    let mut shown = format!("{:?}", until(&memory, |llm| llm.queue.given_up == 1));
    for _ in 0..5 {
        memory.llm(LlmStep::Retry).unwrap().wait().unwrap();
        shown += &format!("{:?}", memory.wait_for_llm(|_| true).unwrap());
    }
    shown += &format!("{memory:?} {:?}", memory.settings());
    shown += &format!("{:?}", memory.events().try_iter().collect::<Vec<_>>());
    assert_eq!(quotes(&extracted(&memory)[0]).len(), 2, "{shown}");
    memory.export(directory.join("export.jsonl")).unwrap().wait().unwrap();
    memory.close().unwrap();
    println!("{shown}");
}

#[test]
fn the_key_shows_nowhere() {
    let directory = tempfile::tempdir().unwrap();
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "llm::a_key_at_work", "--nocapture"])
        .env("HEARSAY_TEST_KEY", KEY)
        .env("HEARSAY_TEST_KEY_HOST", "127.0.0.1")
        .env("HEARSAY_TEST_DIRECTORY", directory.path())
        .output()
        .unwrap();
    let output = format!("{}{}", String::from_utf8_lossy(&child.stdout), String::from_utf8_lossy(&child.stderr));
    assert!(child.status.success() && output.contains("they are sent to"), "{output}");
    assert!(!output.contains(KEY), "in what was logged or shown: {output}");
    assert_eq!(output.matches("they are sent to").count(), 1, "it is said once");
    let (mut waiting, mut files) = (vec![directory.path().to_owned()], 0);
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        files += 1;
        let bytes = fs::read(&path).unwrap();
        assert!(!bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes()), "{}", path.display());
    }
    assert!(files > 3 && directory.path().join("export.jsonl").exists());
}

#[cfg(feature = "remote")]
#[test]
fn the_program_that_is_the_server_reads_the_texts_of_all_programs() {
    let directory = tempfile::tempdir().unwrap();
    let model_server = Server::finding(vec![hates()]);
    let campaign_server = hearsay_store::testing::LocalServer::start(directory.path()).unwrap();
    let endpoint = campaign_server.endpoint();
    let public_url = endpoint.url.clone();
    let file = hearsay_store::ServerFile { pid: std::process::id(), public_url, endpoint: endpoint.clone() };
    let file = hearsay_store::ServerFile::write(directory.path(), &file).unwrap();
    let host_options = MemoryOptions { endpoint: Some(endpoint.clone()), ..options_at(directory.path()) };
    let host = with(host_options, model(&model_server.base_url));
    let other = with(MemoryOptions::with_endpoint(settings(), endpoint), model(&model_server.base_url));
    assert!(other.status().unwrap().wait().unwrap().llm.is_none());
    found_town(&other);
    say(&other, "odo-brandt", "Pell would sooner eat glass than sit with Mirela, ever.");
    done(&host, 1);
    let facts = extracted(&host);
    assert!(facts.iter().any(|fact| fact.predicate().as_str() == "HOSTILE_TO"), "{facts:?}");
    crate::sharing::wait_until("the other program has the facts", || extracted(&other) == facts);
    other.close().unwrap();
    host.close().unwrap();
    drop(file);
    campaign_server.stop().unwrap();
}

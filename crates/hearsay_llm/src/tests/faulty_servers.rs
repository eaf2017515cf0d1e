//! Tests with faulty servers and unreadable texts.

use std::{
    net::TcpListener,
    thread,
    time::{Duration, Instant},
};

use super::*;

fn empty_answer(body: &Value) -> Reaction {
    Reaction::Answer(if is_entity_request(body) { "{\"entities\": []}" } else { "{\"facts\": []}" }.into())
}

/// Reads a text with a server that reacts to the first requests as given in `first`, and answers the others with no new
/// items.
fn extract_after(first: Vec<Reaction>) -> (Result<LlmExtraction, LlmError>, usize) {
    let timeout_ms = if first.iter().any(|reaction| matches!(reaction, Reaction::NeverAnswer)) { 500 } else { 10_000 };
    let server = Server::new(move |number, body| first.get(number).cloned().unwrap_or_else(|| empty_answer(body)));
    (extract(LlmSettings { timeout_ms, ..settings(&server) }, MERROW), server.count())
}

fn error_status(status: u16, message: &str) -> Reaction {
    Reaction::Status(
        status,
        json!({"error": {"message": message, "type": "t", "param": null, "code": null}}).to_string(),
    )
}

#[test]
fn what_passes_is_tried_again() {
    let overloaded = Reaction::Status(503, "<html>busy</html>".into());
    for failures in [
        vec![Reaction::NeverAnswer],
        vec![Reaction::CloseMidBody, Reaction::HangUp],
        vec![error_status(429, "slow down"), error_status(500, "oops")],
        vec![overloaded, Reaction::Status(200, "{\"choices\": []}".into())],
        vec![Reaction::Status(200, "<html>a gateway</html>".into())],
        vec![Reaction::Status(429, "slow down".into())],
    ] {
        let count = failures.len();
        let (found, calls) = extract_after(failures.clone());
        let found = found.unwrap_or_else(|error| panic!("{failures:?}: {error}"));
        assert_eq!(
            (found.counts.retries, found.counts.calls as usize, calls),
            (count as u64, 3 + count, 3 + count),
            "{failures:?}"
        );
    }
}

#[test]
fn what_does_not_pass_ends_after_all_tries() {
    let check = |reaction: Reaction, expected: &str| {
        let (found, calls) = extract_after(vec![reaction.clone(); 9]);
        let error = found.unwrap_err();
        assert!(error.is_temporary() && calls == 3, "{reaction:?}: {error} after {calls}");
        let error = error.to_string();
        assert!(error.contains("after 3 tries") && error.contains(expected), "{error}");
    };
    check(Reaction::NeverAnswer, "no answer within 500 ms (timeout_ms)");
    check(Reaction::CloseMidBody, "");
    check(Reaction::HangUp, "");
    check(error_status(500, "out of memory"), "out of memory");
    check(Reaction::Status(200, "<html>".into()), "does not follow the protocol");
}

#[test]
fn refusals_are_not_tried_again() {
    let broke = r#"{"error": {"message": "no money", "type": "insufficient_quota", "param": null, "code": null}}"#;
    for (reaction, expected) in [
        (error_status(401, "bad key"), "bad key"),
        (error_status(404, "model m not found"), "model m not found"),
        (Reaction::Status(429, broke.into()), "no money"),
        (
            Reaction::Status(200, r#"{"choices": [{"message": {"refusal": "I will not"}}]}"#.into()),
            "declines: I will not",
        ),
    ] {
        let (found, calls) = extract_after(vec![reaction]);
        let error = found.unwrap_err();
        assert!(matches!(&error, LlmError::Refused { .. }) && !error.is_temporary(), "{error}");
        assert!(error.to_string().contains(expected) && calls == 1, "{error}, {calls}");
    }
}

#[test]
fn nobody_there_is_said_so() {
    let base_url = format!("http://{}/v1", TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
    let server = Server::new(|_, body| empty_answer(body));
    let error = extract(LlmSettings { base_url, ..settings(&server) }, MERROW).unwrap_err();
    assert!(error.is_temporary() && error.to_string().contains("refused"), "{error}");
}

#[test]
fn servers_without_schemas_are_asked_less_strictly() {
    let formats = |refuse: &'static [&'static str]| {
        let server = Server::new(move |_, body| {
            let kind = body["response_format"]["type"].as_str().unwrap_or("none").to_owned();
            if refuse.contains(&kind.as_str()) {
                error_status(400, "unknown response_format")
            } else {
                empty_answer(body)
            }
        });
        let found = extract(settings(&server), MERROW).unwrap();
        assert_eq!((found.counts.retries, found.counts.flagged.total()), (0, 0));
        let requests = server.requests.lock().unwrap();
        requests
            .iter()
            .map(|body| body["response_format"]["type"].as_str().unwrap_or("none").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(formats(&["json_schema"]), ["json_schema", "json_object", "json_object", "json_object"]);
    assert_eq!(formats(&["json_schema", "json_object"]), ["json_schema", "json_object", "none", "none", "none"]);
    let server = Server::new(|_, _| error_status(400, "context too long"));
    assert!(matches!(extract(settings(&server), MERROW), Err(LlmError::Refused { .. })));
    assert_eq!(server.count(), 3);
    let server = Server::new(|_, body| {
        if body["temperature"].is_null() {
            empty_answer(body)
        } else {
            error_status(400, "temperature is not supported")
        }
    });
    extract(settings(&server), MERROW).unwrap();
    assert_eq!(server.count(), 4, "learned once");
}

#[test]
fn an_answer_that_cannot_be_used_is_sent_back_once() {
    let (found, _) = extract_after(vec![Reaction::Answer("I think there is Merrow.".into())]);
    assert_eq!(found.unwrap().counts.asked_again, 1);
    let server = Server::new(|number, body| {
        if number == 1 {
            let messages = body["messages"].as_array().unwrap();
            assert_eq!(messages[2]["content"], "Merrow, I think.");
            assert!(messages[3]["content"].as_str().unwrap().contains("there is no JSON in it"));
        }
        Reaction::Answer("Merrow, I think.".into())
    });
    let error = extract(settings(&server), MERROW).unwrap_err();
    assert_eq!((server.count(), error.is_temporary()), (2, false));
    assert_eq!(
        error.to_string(),
        "the answer of the language model m cannot be used: there is no JSON in it; the answer begins with `Merrow, I \
         think.`"
    );
}

#[test]
fn what_breaks_off_keeps_its_complete_items() {
    let facts = merrow_facts().to_string();
    let cut = format!("{{\"facts\": {}", &facts[..facts.len() - 40]);
    let server =
        Server::new(
            move |_, body| {
                if is_entity_request(body) { empty_answer(body) } else { Reaction::AnswerCutOff(cut.clone()) }
            },
        );
    let found = extract(settings(&server), MERROW).unwrap();
    // The first fact names the barge, which is not an entity here; the last fact was cut off.
    assert_eq!((found.counts.relations, found.counts.cut_off, found.counts.repaired), (1, 1, 1));
    assert_eq!(found.counts.flagged, RejectionCounts { unknown_entities: 1, ..RejectionCounts::default() });
}

#[test]
fn budgets_end_it_between_parts() {
    let text = format!("Odo lives.\n\n{}\n\n", "Rain falls on the quay. ".repeat(15)).repeat(4);
    let server = Server::new(|_, body| empty_answer(body));
    let settings =
        LlmSettings { part_chars: 400, overlap_chars: 40, concurrency: 1, answer_tokens: 100, ..settings(&server) };
    // The server counts 100 tokens per call, and more tokens are reserved for each call.
    let Err(LlmError::Budget { needed, .. }) = extract(LlmSettings { run_tokens: 1, ..settings.clone() }, &text) else {
        panic!("nothing is to be had for 1 token");
    };
    let found = extract(LlmSettings { run_tokens: needed + 950, ..settings.clone() }, &text).unwrap();
    assert!(needed > 300 && !found.unread.is_empty() && found.unread.len() < found.counts.parts, "{found:?}");
    assert!(matches!(&found.unread[0].reason, Some(LlmError::Budget { setting: "run_tokens", .. })));
    assert!(found.unread.last().unwrap().reason.is_none());
    assert!(found.counts.tokens <= needed + 950);
    let before = server.count();
    let error = extract(LlmSettings { run_tokens: 300, ..settings.clone() }, &text).unwrap_err();
    assert!(
        matches!(error, LlmError::Budget { .. }) && server.count() == before,
        "nothing is asked that cannot be paid"
    );
    assert!(
        error.to_string().contains("300 tokens per text") && error.to_string().contains("raise the setting `run_"),
        "{error}"
    );
    let llm = build_llm(LlmSettings { total_tokens: 3_000, ..settings });
    let mut last = Ok(LlmExtraction::default());
    for _ in 0..9 {
        last = llm.extract_blocking(&harbour(), &lore("Odo lives."), &RunControl::default());
    }
    assert!(matches!(last, Err(LlmError::Budget { setting: "total_tokens", .. })) && llm.tokens_used() <= 3_000);
}

#[test]
fn what_is_stopped_gives_nothing() {
    let server = Server::new(|number, body| if number < 2 { empty_answer(body) } else { Reaction::NeverAnswer });
    let cancel = CancelHandle::new();
    let watch = RunControl { cancel: cancel.clone(), ..RunControl::default() };
    let begun = Instant::now();
    let stopper = thread::spawn(move || {
        thread::sleep(Duration::from_millis(60));
        cancel.cancel();
    });
    let stopped = build_llm(LlmSettings { timeout_ms: 15_000, ..settings(&server) }).extract_blocking(
        &harbour(),
        &lore(MERROW),
        &watch,
    );
    assert_eq!(stopped, Err(LlmError::Cancelled));
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    stopper.join().unwrap();
    let count = server.count();
    let again = build_llm(settings(&server)).extract_blocking(&harbour(), &lore(MERROW), &watch);
    assert_eq!((again, server.count()), (Err(LlmError::Cancelled), count), "stopped before it began");
}

#[test]
fn texts_without_words_cost_nothing() {
    let server = Server::new(|_, body| empty_answer(body));
    let binary: String = (0..5_000_u32).filter_map(|n| char::from_u32(n * 7 % 32)).collect();
    for text in ["", "   \n\n", "\u{0}\u{1}\u{2}", "1234 ---", &"\u{FFFD}".repeat(1_000), &binary] {
        let found = extract(settings(&server), text).unwrap();
        assert_eq!((found.extraction, found.counts.calls), (Extraction::default(), 0));
    }
    assert_eq!(server.count(), 0);
}

#[test]
fn ten_megabytes_in_one_sentence_end_with_the_budget() {
    let server = Server::new(|_, body| empty_answer(body));
    let text = "and then Odo went on and on ".repeat(370_000);
    let begun = Instant::now();
    let found = extract(LlmSettings { run_tokens: 12_000, ..settings(&server) }, &text).unwrap();
    assert!(found.counts.parts > 800 && found.counts.tokens <= 12_000, "{:?}", found.counts);
    assert!(found.unread.len() > 800);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn a_thousand_names_leave_room_for_the_text() {
    let names: Vec<(String, String)> = (0..1_000).map(|n| (format!("p-{n}"), format!("Person{n} Quell{n}"))).collect();
    let list: Vec<(&str, &str, &str)> = names.iter().map(|(id, name)| (id.as_str(), name.as_str(), "npc")).collect();
    let text: String = names.iter().map(|(_, name)| format!("{name}, ")).collect();
    let server = Server::new(|_, body| {
        assert!(user_message(body).matches("\n- p-").count() <= 200);
        empty_answer(body)
    });
    let llm = build_llm(settings(&server));
    let found = llm.extract_blocking(&lexicon(&list), &lore(&text), &RunControl::default()).unwrap();
    assert!(found.counts.parts >= 2 && found.unread.is_empty());
}

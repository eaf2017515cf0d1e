//! Tests of chats whose messages arrive in parts.

use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

use super::*;

fn part(words: &str) -> String {
    json!({"choices": [{"delta": {"content": words}}]}).to_string()
}

fn end(reason: &str) -> String {
    json!({"choices": [{"delta": {}, "finish_reason": reason}], "usage": {"prompt_tokens": 40, "completion_tokens": 7}})
        .to_string()
}

fn request() -> ChatRequest {
    ChatRequest {
        system: "You are Mirela.".into(),
        lines: ["Who are you?", "Mirela.", "And who else?"]
            .iter()
            .enumerate()
            .map(|(n, text)| ChatLine { from_model: n == 1, text: (*text).to_owned() })
            .collect(),
        max_tokens: 80,
        max_time: Duration::from_secs(20),
        temperature: 0.7,
        top_p: 0.9,
        seed: 3,
    }
}

/// Returns the result of a chat, and the text that arrived.
fn chat(server: &Server, request: &ChatRequest) -> (Result<ChatStats, LlmError>, String) {
    let settings = settings(server);
    let key = ApiKey::new(KEY, &settings.base_url).unwrap();
    let mut text = String::new();
    let client = ChatClient::new(settings, key).unwrap();
    let stats = client.write_blocking(request, &mut |part| {
        text.push_str(part);
        ControlFlow::Continue(())
    });
    (stats, text)
}

#[test]
fn the_text_arrives_in_parts() {
    let server = Server::new(|_, _| Reaction::Stream(vec![part("Nobody"), part(" else."), end("stop")]));
    let (stats, text) = chat(&server, &request());
    let stats = stats.unwrap();
    assert_eq!(text, "Nobody else.");
    assert_eq!((stats.prompt_tokens, stats.generated_tokens, stats.end), (40, 7, ChatEnd::Finished));
    let requests = server.requests.lock().unwrap();
    let roles: Vec<_> = requests[0]["messages"].as_array().unwrap().iter().map(|line| line["role"].clone()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "user"]);
    assert_eq!((&requests[0]["stream"], &requests[0]["seed"]), (&json!(true), &json!(3)));
    assert!(server.heads.lock().unwrap()[0].contains(KEY));
}

#[test]
fn a_message_can_be_cut_off_and_stopped() {
    let server = Server::new(|_, _| Reaction::Stream(vec![part("Nobody"), end("length")]));
    assert_eq!(chat(&server, &request()).0.unwrap().end, ChatEnd::MaxTokens);

    // The server is slow: the caller is asked meanwhile, and the time is limited.
    let server = Server::new(|_, _| Reaction::NeverAnswer);
    let client = ChatClient::new(settings(&server), ApiKey::default()).unwrap();
    let start = Instant::now();
    let stopped = client.write_blocking(&request(), &mut |_| ControlFlow::Break(())).unwrap();
    assert_eq!(stopped.end, ChatEnd::Stopped);
    assert!(start.elapsed() < Duration::from_secs(15));
    let short = ChatRequest { max_time: Duration::from_millis(120), ..request() };
    assert_eq!(chat(&server, &short).0.unwrap().end, ChatEnd::TimeOver);
}

#[test]
fn failures_are_repeated_until_a_part_has_arrived() {
    let busy = || Reaction::Status(503, "busy".into());
    let server = Server::new(move |number, _| if number < 2 { busy() } else { Reaction::Stream(vec![part("Yes.")]) });
    let (stats, text) = chat(&server, &request());
    assert_eq!((stats.unwrap().generated_tokens, text.as_str(), server.count()), (1, "Yes.", 3));

    let broken = || Reaction::Stream(vec![part("Yes"), "{".to_owned()]);
    let server = Server::new(move |_, _| broken());
    let (stats, text) = chat(&server, &request());
    assert!(matches!(stats, Err(LlmError::Unreachable { .. })), "{stats:?}");
    assert_eq!((text.as_str(), server.count()), ("Yes", 1));

    let server = Server::new(|_, _| Reaction::Stream(vec![json!({"error": {"message": "no GPU"}}).to_string()]));
    let error = chat(&server, &request()).0.unwrap_err();
    assert!(matches!(&error, LlmError::Refused { reason, .. } if reason == "no GPU"), "{error}");
}

#[test]
fn sampling_options_that_the_server_rejects_are_omitted() {
    let server = Server::new(|_, body| match body.get("top_p") {
        Some(_) => Reaction::Status(400, json!({"error": {"message": "top_p is not supported"}}).to_string()),
        None => Reaction::Stream(vec![part("Yes.")]),
    });
    let (stats, text) = chat(&server, &request());
    assert!(stats.is_ok() && text == "Yes.", "{stats:?}");
    assert_eq!(server.count(), 2);
}

#[test]
fn the_budget_ends_the_chat() {
    let server = Server::new(|_, _| Reaction::Stream(vec![part("Yes."), end("stop")]));
    let budget = LlmSettings { total_tokens: 100, ..settings(&server) };
    let client = ChatClient::new(budget, ApiKey::default()).unwrap();
    let write = || client.write_blocking(&request(), &mut |_| ControlFlow::Continue(()));
    assert!(write().is_ok());
    let error = write().unwrap_err();
    assert!(matches!(error, LlmError::Budget { used: 47, setting: "total_tokens", .. }), "{error}");
}

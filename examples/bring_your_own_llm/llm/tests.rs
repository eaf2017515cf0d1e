//! Tests with servers that answer, delay, disconnect, refuse, or do not exist.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
};

use super::*;

const KEY: &str = "sk-very-secret";

fn chunk(words: &str, finish: &str) -> String {
    let body = format!(
        r#"{{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{{"index":0,"delta":{{"content":"{words}"}},"finish_reason":{finish}}}]}}"#
    );
    format!("data: {body}\n\n")
}

fn head(status: &str, kind: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n")
}

/// Reads a complete request and returns it.
fn request(stream: &mut TcpStream) -> String {
    let (mut read, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let count = stream.read(&mut buffer).unwrap();
        read.extend(&buffer[..count]);
        let text = String::from_utf8_lossy(&read).into_owned();
        let length = text.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
        let body = text.split_once("\r\n\r\n").map_or(0, |(_, body)| body.len());
        if count == 0 || length.is_some_and(|length: usize| body >= length) {
            return text;
        }
    }
}

/// Returns the pieces that arrive from a server, and the request that the server received.
fn run_with_server(answer: impl FnOnce(&mut TcpStream) + Send + 'static) -> (Vec<AnswerPiece>, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let request_text = request(&mut stream);
        answer(&mut stream);
        request_text
    });
    let endpoint = Endpoint { base_url, key: KEY.into(), model: "m".into(), timeout: Duration::from_millis(700) };
    let pieces = endpoint.request_answer("Who took it?".into()).iter().collect();
    (pieces, server.join().unwrap())
}

fn words(words: &str) -> AnswerPiece {
    AnswerPiece::Words(words.into())
}

fn failed(pieces: &[AnswerPiece]) -> &str {
    match pieces.last() {
        Some(AnswerPiece::Failed(reason)) => reason,
        other => panic!("it did not fail, but ended with {other:?}"),
    }
}

#[test]
fn words_arrive_as_they_are_generated() {
    let (pieces, request_text) = run_with_server(|stream| {
        stream.write_all(head("200 OK", "text/event-stream").as_bytes()).unwrap();
        for part in [chunk("The ", "null"), chunk("duke\\u001b[2J.", "null"), chunk("", "\"stop\"")] {
            stream.write_all(part.as_bytes()).unwrap();
        }
        stream.write_all(b"data: [DONE]\n\n").unwrap();
    });
    assert_eq!(pieces, [words("The "), words("duke[2J."), AnswerPiece::End]);
    assert!(request_text.starts_with("POST /v1/chat/completions"), "{request_text}");
    assert!(request_text.contains("Who took it?") && request_text.contains(&format!("Bearer {KEY}")), "{request_text}");
}

#[test]
fn a_slow_server_is_abandoned() {
    let (pieces, _) = run_with_server(|stream| {
        stream.write_all(head("200 OK", "text/event-stream").as_bytes()).unwrap();
        stream.write_all(chunk("Well", "null").as_bytes()).unwrap();
        thread::sleep(Duration::from_millis(1200));
    });
    assert_eq!(pieces[0], words("Well"));
    assert!(failed(&pieces).contains("OPENAI_TIMEOUT"), "{pieces:?}");
}

#[test]
fn a_line_that_breaks_off_is_no_line() {
    let (pieces, _) = run_with_server(|stream| {
        stream.write_all(head("200 OK", "text/event-stream").as_bytes()).unwrap();
        stream.write_all(chunk("It was", "null").as_bytes()).unwrap();
    });
    assert_eq!(pieces[0], words("It was"));
    failed(&pieces);
    let (pieces, _) = run_with_server(|stream| {
        stream.write_all(head("200 OK", "text/event-stream").as_bytes()).unwrap();
        stream.write_all(b"data: {\"choices\": what?\n\n").unwrap();
    });
    failed(&pieces);
}

#[test]
fn a_line_without_end_is_stopped() {
    let (pieces, _) = run_with_server(|stream| {
        stream.write_all(head("200 OK", "text/event-stream").as_bytes()).unwrap();
        // Send until the client disconnects.
        while stream.write_all(chunk("and so on ", "null").as_bytes()).is_ok() {}
    });
    assert!(failed(&pieces).contains("stopped"), "{:?}", pieces.last());
}

#[test]
fn a_refusal_says_why_without_the_key() {
    let (pieces, _) = run_with_server(|stream| {
        let body = format!(
            r#"{{"error":{{"message":"bad key {KEY}","type":"invalid_request_error","param":null,"code":null}}}}"#
        );
        stream.write_all((head("401 Unauthorized", "application/json") + &body).as_bytes()).unwrap();
    });
    assert!(failed(&pieces).contains("bad key (the key)"), "{pieces:?}");
}

#[test]
fn a_missing_server_is_reported() {
    let base_url = format!("http://{}/v1", TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
    let endpoint = Endpoint { base_url, key: KEY.into(), model: "m".into(), timeout: Duration::from_secs(2) };
    let pieces: Vec<AnswerPiece> = endpoint.request_answer("Who?".into()).iter().collect();
    let reason = failed(&pieces);
    assert!(reason.contains("refused") && !reason.contains(KEY), "{reason}");
}

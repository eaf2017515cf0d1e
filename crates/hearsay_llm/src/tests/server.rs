//! Test server on this machine with scripted answers.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

use serde_json::{Value, json};

/// Reaction of the server to one request.
#[derive(Debug, Clone)]
pub(super) enum Reaction {
    /// Answers with these words of the model.
    Answer(String),
    /// Answers with these words of the model, and reports that the answer was cut off.
    AnswerCutOff(String),
    /// Sends these events one after the other, as server-sent events, and then the end of the stream.
    Stream(Vec<String>),
    /// Answers with this HTTP status and body.
    Status(u16, String),
    /// Redirects the client to this address.
    Redirect(String),
    /// Never answers, so that the client's timeout expires.
    NeverAnswer,
    /// Closes the connection in the middle of the body.
    CloseMidBody,
    /// Closes the connection without an answer.
    HangUp,
}

type Script = dyn Fn(usize, &Value) -> Reaction + Send + Sync;

/// Test server that records the requests. The server stops when this value is dropped.
pub(super) struct Server {
    pub(super) base_url: String,
    pub(super) requests: Arc<Mutex<Vec<Value>>>,
    pub(super) heads: Arc<Mutex<Vec<String>>>,
    is_stopped: Arc<AtomicBool>,
}

impl Server {
    /// Starts a server. `script` gets the number of the request, counted from 0, and its body, and returns the
    /// reaction.
    pub(super) fn new(script: impl Fn(usize, &Value) -> Reaction + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (requests, heads, is_stopped) =
            (Arc::<Mutex<Vec<Value>>>::default(), Arc::<Mutex<Vec<String>>>::default(), Arc::<AtomicBool>::default());
        let script: Arc<Script> = Arc::new(script);
        let server = Self {
            base_url,
            requests: Arc::clone(&requests),
            heads: Arc::clone(&heads),
            is_stopped: Arc::clone(&is_stopped),
        };
        thread::spawn(move || {
            for stream in listener.incoming() {
                if is_stopped.load(Relaxed) {
                    break;
                }
                let (Ok(mut stream), requests, heads, script) =
                    (stream, Arc::clone(&requests), Arc::clone(&heads), Arc::clone(&script))
                else {
                    break;
                };
                thread::spawn(move || {
                    let Some((head, body)) = request(&mut stream) else { return };
                    heads.lock().unwrap().push(head);
                    let body: Value = serde_json::from_str(&body).unwrap();
                    let number = {
                        let mut requests = requests.lock().unwrap();
                        requests.push(body.clone());
                        requests.len() - 1
                    };
                    answer(&mut stream, script(number, &body));
                });
            }
        });
        server
    }

    /// Starts a server with separate answers for the entity phase and the relation phase.
    pub(super) fn with(
        entities: impl Fn(usize) -> Value + Send + Sync + 'static,
        facts: impl Fn(&str) -> Value + Send + Sync + 'static,
    ) -> Self {
        let passes = Mutex::new(0);
        Self::new(move |_, body| {
            if is_entity_request(body) {
                let mut passes = passes.lock().unwrap();
                *passes += 1;
                Reaction::Answer(json!({"entities": entities(*passes)}).to_string())
            } else {
                Reaction::Answer(json!({"facts": facts(user_message(body))}).to_string())
            }
        })
    }

    pub(super) fn count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_stopped.store(true, Relaxed);
        let _ = TcpStream::connect(self.base_url.trim_start_matches("http://").trim_end_matches("/v1"));
    }
}

pub(super) fn is_entity_request(body: &Value) -> bool {
    body["messages"][0]["content"].as_str().unwrap().contains("list the entities")
}

pub(super) fn user_message(body: &Value) -> &str {
    body["messages"][1]["content"].as_str().unwrap()
}

fn request(stream: &mut TcpStream) -> Option<(String, String)> {
    let (mut received, mut buffer) = (Vec::new(), [0; 16_384]);
    loop {
        let count = stream.read(&mut buffer).ok()?;
        received.extend(&buffer[..count]);
        let text = String::from_utf8_lossy(&received).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length =
                head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if length.is_some_and(|length: usize| body.len() >= length) {
                return Some((head.to_owned(), body.to_owned()));
            }
        }
        if count == 0 {
            return None;
        }
    }
}

fn answer(stream: &mut TcpStream, reaction: Reaction) {
    let completion = |words: &str, reason: &str| {
        json!({
            "id": "1", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": words}, "finish_reason": reason}],
            "usage": {"prompt_tokens": 80, "completion_tokens": 20, "total_tokens": 100},
        })
        .to_string()
    };
    let (status, body) = match reaction {
        Reaction::Answer(words) => (200, completion(&words, "stop")),
        Reaction::AnswerCutOff(words) => (200, completion(&words, "length")),
        Reaction::Status(status, body) => (status, body),
        Reaction::Stream(events) => {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
            let _ = stream.write_all(head.as_bytes());
            for event in events.iter().map(String::as_str).chain(["[DONE]"]) {
                let _ = stream.write_all(format!("data: {event}\n\n").as_bytes()).and_then(|()| stream.flush());
            }
            return;
        }
        Reaction::Redirect(to) => {
            let head = format!("HTTP/1.1 307 X\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            let _ = stream.write_all(head.as_bytes());
            return;
        }
        Reaction::NeverAnswer => {
            // Waits until the client closes the connection.
            let _ =
                stream.set_read_timeout(Some(Duration::from_secs(20))).and_then(|()| stream.read(&mut [0]).map(|_| ()));
            return;
        }
        Reaction::CloseMidBody => {
            let body = completion("{\"entities\": []}", "stop");
            let head =
                format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
            let _ =
                stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body.as_bytes()[..body.len() / 2]));
            return;
        }
        Reaction::HangUp => return,
    };
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    // The client may have closed the connection already.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
}

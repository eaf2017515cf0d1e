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
pub(super) enum Act {
    /// Answers with these words of the model.
    Say(String),
    /// Answers with these words of the model, and reports that the answer was cut off.
    CutOff(String),
    /// Answers with this HTTP status and body.
    Status(u16, String),
    /// Redirects the client to this address.
    Redirect(String),
    /// Never answers, so that the client's timeout expires.
    Late,
    /// Closes the connection in the middle of the body.
    Half,
    /// Closes the connection without an answer.
    HangUp,
}

type Script = dyn Fn(usize, &Value) -> Act + Send + Sync;

/// Test server that records the requests. It stops when it is dropped.
pub(super) struct Server {
    pub(super) base_url: String,
    pub(super) asked: Arc<Mutex<Vec<Value>>>,
    pub(super) heads: Arc<Mutex<Vec<String>>>,
    ended: Arc<AtomicBool>,
}

impl Server {
    /// Starts a server. `script` gets the number of the request, counted from 0, and its body, and returns the
    /// reaction.
    pub(super) fn new(script: impl Fn(usize, &Value) -> Act + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (asked, heads, ended) =
            (Arc::<Mutex<Vec<Value>>>::default(), Arc::<Mutex<Vec<String>>>::default(), Arc::<AtomicBool>::default());
        let script: Arc<Script> = Arc::new(script);
        let server = Self { base_url, asked: Arc::clone(&asked), heads: Arc::clone(&heads), ended: Arc::clone(&ended) };
        thread::spawn(move || {
            for stream in listener.incoming() {
                if ended.load(Relaxed) {
                    break;
                }
                let (Ok(mut stream), asked, heads, script) =
                    (stream, Arc::clone(&asked), Arc::clone(&heads), Arc::clone(&script))
                else {
                    break;
                };
                thread::spawn(move || {
                    let Some((head, body)) = request(&mut stream) else { return };
                    heads.lock().unwrap().push(head);
                    let body: Value = serde_json::from_str(&body).unwrap();
                    let number = {
                        let mut asked = asked.lock().unwrap();
                        asked.push(body.clone());
                        asked.len() - 1
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
            if is_entities(body) {
                let mut passes = passes.lock().unwrap();
                *passes += 1;
                Act::Say(json!({"entities": entities(*passes)}).to_string())
            } else {
                Act::Say(json!({"facts": facts(user(body))}).to_string())
            }
        })
    }

    pub(super) fn count(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ended.store(true, Relaxed);
        let _ = TcpStream::connect(self.base_url.trim_start_matches("http://").trim_end_matches("/v1"));
    }
}

pub(super) fn is_entities(body: &Value) -> bool {
    body["messages"][0]["content"].as_str().unwrap().contains("list the entities")
}

pub(super) fn user(body: &Value) -> &str {
    body["messages"][1]["content"].as_str().unwrap()
}

fn request(stream: &mut TcpStream) -> Option<(String, String)> {
    let (mut read, mut buffer) = (Vec::new(), [0; 16_384]);
    loop {
        let count = stream.read(&mut buffer).ok()?;
        read.extend(&buffer[..count]);
        let text = String::from_utf8_lossy(&read).into_owned();
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

fn answer(stream: &mut TcpStream, act: Act) {
    let completion = |words: &str, reason: &str| {
        json!({
            "id": "1", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": words}, "finish_reason": reason}],
            "usage": {"prompt_tokens": 80, "completion_tokens": 20, "total_tokens": 100},
        })
        .to_string()
    };
    let (status, body) = match act {
        Act::Say(words) => (200, completion(&words, "stop")),
        Act::CutOff(words) => (200, completion(&words, "length")),
        Act::Status(status, body) => (status, body),
        Act::Redirect(to) => {
            let head = format!("HTTP/1.1 307 X\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            let _ = stream.write_all(head.as_bytes());
            return;
        }
        Act::Late => {
            // Waits until the client closes the connection.
            let _ =
                stream.set_read_timeout(Some(Duration::from_secs(20))).and_then(|()| stream.read(&mut [0]).map(|_| ()));
            return;
        }
        Act::Half => {
            let body = completion("{\"entities\": []}", "stop");
            let head =
                format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
            let _ =
                stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body.as_bytes()[..body.len() / 2]));
            return;
        }
        Act::HangUp => return,
    };
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    // The client may have closed the connection already.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
}

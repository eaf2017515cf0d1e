//! A local server that answers like a language model, with prepared answers.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
};

use serde_json::{Value, json};

/// An answer of the server: an HTTP status, and the text or error of the model.
pub(crate) type Act = (u16, String);

/// The server, and the requests that it received. The server ends when it is dropped.
pub(crate) struct Server {
    pub(crate) base_url: String,
    pub(crate) requests: Arc<Mutex<Vec<Value>>>,
    is_stopped: Arc<AtomicBool>,
}

impl Server {
    /// Starts a server that answers each request with `script`. Its arguments are the number of the request, the head
    /// and the body.
    pub(crate) fn new(script: impl Fn(usize, &str, &Value) -> Act + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (requests, is_stopped) = (Arc::<Mutex<Vec<Value>>>::default(), Arc::<AtomicBool>::default());
        let server = Self { base_url, requests: Arc::clone(&requests), is_stopped: Arc::clone(&is_stopped) };
        let script = Arc::new(script);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if is_stopped.load(Relaxed) {
                    break;
                }
                let (mut stream, requests, script) = (stream.unwrap(), Arc::clone(&requests), Arc::clone(&script));
                thread::spawn(move || {
                    let Some((head, body)) = request(&mut stream) else { return };
                    let body: Value = serde_json::from_str(&body).unwrap();
                    let number = {
                        let mut requests = requests.lock().unwrap();
                        requests.push(body.clone());
                        requests.len() - 1
                    };
                    answer(&mut stream, script(number, &head, &body));
                });
            }
        });
        server
    }

    /// Starts a server that finds no entities. It finds each of the given facts if the text contains the quote of the
    /// fact.
    pub(crate) fn finding(facts: Vec<Value>) -> Self {
        Self::new(move |_, _, body| (200, found(&facts, body)))
    }

    pub(crate) fn count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

/// Returns the answer of a model that finds no entities. The model finds each of the given facts if the text contains
/// the quote of the fact.
pub(crate) fn found(facts: &[Value], body: &Value) -> String {
    let message = |at: usize| body["messages"][at]["content"].as_str().unwrap_or_default();
    if message(0).contains("list the entities") {
        return json!({ "entities": [] }).to_string();
    }
    let is_in_text = |fact: &&Value| message(1).contains(fact["quote"].as_str().unwrap());
    json!({ "facts": facts.iter().filter(is_in_text).collect::<Vec<_>>() }).to_string()
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_stopped.store(true, Relaxed);
        let _ = TcpStream::connect(self.base_url.trim_start_matches("http://").trim_end_matches("/v1"));
    }
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

fn answer(stream: &mut TcpStream, (status, words): Act) {
    let body = match status {
        200 => json!({
            "id": "1", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": words}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 80, "completion_tokens": 20, "total_tokens": 100},
        })
        .to_string(),
        _ => words,
    };
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    // The client may have closed the connection.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
}

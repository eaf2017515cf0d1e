//! `/rpc`: SurrealDB's protocol over WebSocket. Each WebSocket is a session of the campaign's database.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract::Request,
    http::{
        HeaderMap, HeaderValue, StatusCode,
        header::{
            CONNECTION, HeaderName, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL,
            SEC_WEBSOCKET_VERSION, UPGRADE,
        },
    },
    response::{IntoResponse, Response},
};
use futures_util::{
    SinkExt, StreamExt,
    stream::{SplitSink, SplitStream},
};
use hearsay_store::{HostedDatabase, HostedSession, WireFormat};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, mpsc},
    time::{Instant, MissedTickBehavior, interval, timeout},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        Message, Utf8Bytes,
        handshake::derive_accept_key,
        protocol::{Role, WebSocketConfig},
    },
};
use tokio_util::sync::CancellationToken;

/// Maximum number of connections at the same time.
const MAX_CONNECTIONS: usize = 128;

/// Maximum number of requests of one connection that run at the same time. While this number runs, the server reads no
/// more requests from the connection.
const MAX_RUNNING_REQUESTS: usize = 64;

/// Maximum number of answers and notifications of one connection that wait to be sent.
const MAX_WAITING_ANSWERS: usize = 64;

/// Maximum size of a message in bytes (16 MiB).
const MAX_MESSAGE_BYTES: usize = 16 << 20;

/// Interval between two pings to a client, and between two checks whether its user was changed or removed.
const PING_INTERVAL: Duration = Duration::from_secs(10);

/// Maximum time without a message or an answer to a ping. Afterwards, the server ends the connection.
const MAX_SILENCE: Duration = Duration::from_secs(35);

/// Maximum time to send the remaining messages at the end of a connection.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// The connections to the database. Cloning this value gives another handle to the same connections.
#[derive(Debug, Clone)]
pub(crate) struct RpcConnections {
    database: Arc<HostedDatabase>,
    /// A connection has one permit.
    permits: Arc<Semaphore>,
    /// Ends all connections.
    stop: CancellationToken,
}

impl RpcConnections {
    pub(crate) fn new(database: Arc<HostedDatabase>) -> Self {
        Self { database, permits: Arc::new(Semaphore::new(MAX_CONNECTIONS)), stop: CancellationToken::new() }
    }

    /// Answers a request for a WebSocket. The connection continues in a task.
    pub(crate) fn accept(&self, mut request: Request) -> Response {
        let headers = request.headers();
        let Some(accept_key) = accept_key(headers) else {
            let message = "this path accepts only WebSocket connections of SurrealDB clients\n";
            return (StatusCode::UPGRADE_REQUIRED, [(UPGRADE, "websocket")], message).into_response();
        };
        let Some((format, protocol)) = negotiate(headers) else {
            let message = "the server supports only the WebSocket protocols flatbuffers, cbor and json\n";
            return (StatusCode::BAD_REQUEST, message).into_response();
        };
        let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() else {
            let message = "the server has too many connections; try again later\n";
            return (StatusCode::SERVICE_UNAVAILABLE, message).into_response();
        };
        let Some(upgrade) = request.extensions_mut().remove::<OnUpgrade>() else {
            return (StatusCode::UPGRADE_REQUIRED, "this connection cannot become a WebSocket\n").into_response();
        };
        tokio::spawn(self.clone().run(upgrade, format, permit));
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let headers = response.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(SEC_WEBSOCKET_ACCEPT, accept_key);
        if let Some(protocol) = protocol {
            headers.insert(SEC_WEBSOCKET_PROTOCOL, protocol);
        }
        response
    }

    /// Ends all connections, and waits until their sessions are closed.
    pub(crate) async fn close(&self) {
        self.stop.cancel();
        let all = u32::try_from(MAX_CONNECTIONS).unwrap_or(u32::MAX);
        // Without the permits, new connections are refused as well.
        match timeout(2 * CLOSE_TIMEOUT, self.permits.acquire_many(all)).await {
            Ok(Ok(permits)) => permits.forget(),
            Ok(Err(_)) => {}
            Err(_) => tracing::warn!("some connections to the database did not end in time"),
        }
    }

    async fn run(self, upgrade: OnUpgrade, format: WireFormat, permit: OwnedSemaphorePermit) {
        let stopped = self.stop.clone();
        let upgraded = tokio::select! {
            upgraded = upgrade => upgraded,
            () = stopped.cancelled() => return,
        };
        let upgraded = match upgraded {
            Ok(upgraded) => upgraded,
            Err(error) => return tracing::debug!("a connection did not become a WebSocket: {error}"),
        };
        let config = WebSocketConfig::default()
            .max_message_size(Some(MAX_MESSAGE_BYTES))
            .max_frame_size(Some(MAX_MESSAGE_BYTES));
        let socket = Socket::from_raw_socket(TokioIo::new(upgraded), Role::Server, Some(config)).await;
        let (sender, receiver) = socket.split();
        let (answers, waiting) = mpsc::channel(MAX_WAITING_ANSWERS);
        let session = Arc::new(self.database.session());
        // SurrealDB needs the large stacks of this runtime.
        let database = self.database.handle();
        let notifications = database.spawn(send_notifications(Arc::clone(&session), format, answers.clone()));
        let mut writing = tokio::spawn(write_answers(sender, waiting));
        let connection = Connection {
            session: Arc::clone(&session),
            format,
            answers,
            database: database.clone(),
            running: Arc::new(Semaphore::new(MAX_RUNNING_REQUESTS)),
        };
        tokio::select! {
            () = connection.read_requests(receiver) => {}
            // The client does not read any more.
            _ = &mut writing => {}
            () = stopped.cancelled() => {}
        }
        connection.wait_for_requests().await;
        if let Err(error) = database.spawn(async move { session.close().await }).await {
            tracing::error!("a session of the database was not closed: {error}");
        }
        // Without the senders of these two values, the writer ends after the last answer.
        notifications.abort();
        drop(connection);
        if !writing.is_finished() && timeout(CLOSE_TIMEOUT, &mut writing).await.is_err() {
            writing.abort();
        }
        drop(permit);
    }
}

/// A connection, as its reader uses it.
struct Connection {
    session: Arc<HostedSession>,
    format: WireFormat,
    answers: mpsc::Sender<Message>,
    /// Runtime of the database.
    database: tokio::runtime::Handle,
    /// A running request has one permit.
    running: Arc<Semaphore>,
}

impl Connection {
    /// Reads requests and starts to answer them, until the client ends the connection or is silent for too long, or its
    /// user was changed or removed.
    async fn read_requests(&self, mut receiver: SplitStream<Socket>) {
        let mut pings = interval(PING_INTERVAL);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut last_message = Instant::now();
        loop {
            let Ok(permit) = Arc::clone(&self.running).acquire_owned().await else { return };
            let request = tokio::select! {
                message = receiver.next() => match message {
                    Some(Ok(message @ (Message::Text(_) | Message::Binary(_)))) => message.into_data(),
                    Some(Ok(Message::Close(_))) | None => return,
                    Some(Ok(_)) => {
                        last_message = Instant::now();
                        continue;
                    }
                    Some(Err(error)) => return tracing::debug!("a connection was lost: {error}"),
                },
                _ = pings.tick() => {
                    if last_message.elapsed() > MAX_SILENCE {
                        return tracing::debug!("a client no longer answers");
                    }
                    if !self.has_current_users().await {
                        return tracing::info!("a connection ends, because its user was changed or removed");
                    }
                    // If many answers wait, the client gets them instead of a ping.
                    let _ = self.answers.try_send(Message::Ping(Vec::<u8>::new().into()));
                    continue;
                }
            };
            last_message = Instant::now();
            let (session, format, answers) = (Arc::clone(&self.session), self.format, self.answers.clone());
            self.database.spawn(async move {
                let answer = session.request(format, &request).await;
                // If the connection has ended, nobody waits for the answer.
                let _ = answers.send(encode(format, answer)).await;
                drop(permit);
            });
        }
    }

    async fn has_current_users(&self) -> bool {
        let session = Arc::clone(&self.session);
        self.database.spawn(async move { session.has_current_users().await }).await.unwrap_or(true)
    }

    /// Waits until no request runs any more, but not longer than [`CLOSE_TIMEOUT`].
    async fn wait_for_requests(&self) {
        let all = u32::try_from(MAX_RUNNING_REQUESTS).unwrap_or(u32::MAX);
        if timeout(CLOSE_TIMEOUT, self.running.acquire_many(all)).await.is_err() {
            tracing::debug!("a connection ended while a request was running");
        }
    }
}

/// Sends the notifications of a session until the session is closed.
async fn send_notifications(session: Arc<HostedSession>, format: WireFormat, answers: mpsc::Sender<Message>) {
    while let Some(notification) = session.next_notification(format).await {
        if answers.send(encode(format, notification)).await.is_err() {
            return;
        }
    }
}

/// Writes answers and notifications to a client, and then closes the WebSocket.
async fn write_answers(mut sender: SplitSink<Socket, Message>, mut waiting: mpsc::Receiver<Message>) {
    while let Some(message) = waiting.recv().await {
        if let Err(error) = sender.send(message).await {
            return tracing::debug!("an answer was not sent: {error}");
        }
    }
    let _ = sender.close().await;
}

fn encode(format: WireFormat, bytes: Vec<u8>) -> Message {
    if !format.is_text() {
        return Message::Binary(bytes.into());
    }
    match Utf8Bytes::try_from(bytes) {
        Ok(text) => Message::Text(text),
        Err(error) => {
            tracing::error!("the database returned an answer that is no text: {error}");
            Message::Close(None)
        }
    }
}

/// Returns the value of the header `Sec-WebSocket-Accept`, or `None` if a request does not ask for a WebSocket.
fn accept_key(headers: &HeaderMap) -> Option<HeaderValue> {
    let is_websocket = has_word(headers, &CONNECTION, "upgrade")
        && has_word(headers, &UPGRADE, "websocket")
        && has_word(headers, &SEC_WEBSOCKET_VERSION, "13");
    let key = headers.get(SEC_WEBSOCKET_KEY).filter(|_| is_websocket)?;
    HeaderValue::from_str(&derive_accept_key(key.as_bytes())).ok()
}

/// Returns the words of a header: its values, separated at commas.
fn words<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> + use<'a> {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim).filter(|word| !word.is_empty())
}

fn has_word(headers: &HeaderMap, name: &HeaderName, word: &str) -> bool {
    words(headers, name).any(|other| other.eq_ignore_ascii_case(word))
}

/// Selects the first format that the client offers and the server supports. Also returns the header value that names
/// the format. Returns `None` if the client offers only formats that the server does not support. If the client offers
/// no format, selects JSON.
fn negotiate(headers: &HeaderMap) -> Option<(WireFormat, Option<HeaderValue>)> {
    let mut offered = words(headers, &SEC_WEBSOCKET_PROTOCOL).peekable();
    if offered.peek().is_none() {
        return Some((WireFormat::Json, None));
    }
    offered.find_map(|name| Some((WireFormat::from_protocol(name)?, Some(HeaderValue::from_str(name).ok()?))))
}

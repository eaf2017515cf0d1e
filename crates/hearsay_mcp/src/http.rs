//! MCP over HTTP: the sessions of all clients of one identity.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    fmt,
    net::IpAddr,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::{Duration, Instant},
};

use bytes::Bytes;
use hearsay_engine::Memory;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Uri,
    header::{ACCEPT, CONTENT_TYPE, HOST, ORIGIN},
    uri::Authority,
};
use http_body::Body;
use http_body_util::{BodyExt, Full, combinators::BoxBody};
use rmcp::transport::streamable_http_server::{
    SessionId, SessionManager, StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use tokio_util::sync::CancellationToken;
use tower_service::Service;

use crate::{error::ServerError, identity::SessionIdentity, server::McpServer};

/// Header with the id of a session.
const SESSION_HEADER: &str = "mcp-session-id";

/// Maximum size of the body of a request, in bytes.
const MAX_BODY_BYTES: usize = 4 << 20;

/// Maximum number of open sessions of an identity. A new session above this number ends the session that was not used
/// for the longest time.
const MAX_SESSIONS: usize = 32;

/// A session that is not used for this time ends. The time is longer than an evening of play.
const MAX_IDLE: Duration = Duration::from_secs(6 * 60 * 60);

/// Body of a response of [`HttpSessions`].
pub type HttpBody = BoxBody<Bytes, Infallible>;

/// Options of [`HttpSessions`].
#[derive(Debug, Clone, Default)]
pub struct HttpOptions {
    /// Whether the server extracts facts in the background from the lines that clients record: see
    /// [`McpServer::with_extraction`].
    pub extracts_texts: bool,
    /// Names of the server in the addresses that clients use, besides `localhost`. All IP addresses are accepted.
    ///
    /// A web page can make the name of its own server point to this server, and then send requests to this server
    /// (DNS rebinding). Therefore, requests with other names are refused.
    pub host_names: Vec<String>,
    /// Cancel this token to end all sessions.
    pub stop: CancellationToken,
}

/// The MCP sessions of all clients that use the same identity over HTTP. This type is a tower service for one address
/// of an HTTP server (transport "Streamable HTTP"). Each session has its own subscriptions.
///
/// The service does not check who sends a request. Check a token before you call the service.
#[derive(Clone)]
pub struct HttpSessions {
    service: StreamableHttpService<McpServer, LocalSessionManager>,
    manager: Arc<LocalSessionManager>,
    /// Time of the last request of each open session.
    last_uses: Arc<Mutex<BTreeMap<SessionId, Instant>>>,
    host_names: Arc<[String]>,
}

/// Answer to a message that was sent with [`HttpSessions::post`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpAnswer {
    /// Status of the HTTP response.
    pub status: u16,
    /// Id of the session, if the message opened a session.
    pub session: Option<String>,
    /// Body of the HTTP response.
    pub body: String,
}

impl HttpSessions {
    /// Creates the service of an identity. Call this function in a tokio runtime, on a thread that may block.
    ///
    /// # Errors
    /// Returns an error if the character does not exist, or if the memory is closed.
    pub fn new(memory: Arc<Memory>, identity: SessionIdentity, options: HttpOptions) -> Result<Self, ServerError> {
        let HttpOptions { extracts_texts, host_names, stop } = options;
        let server = McpServer::new(memory, identity)?.with_extraction(extracts_texts);
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = Some(MAX_IDLE);
        let manager = Arc::new(manager);
        let config = StreamableHttpServerConfig::default()
            // `check_host` checks the hosts.
            .disable_allowed_hosts()
            .with_max_request_body_bytes(MAX_BODY_BYTES)
            .with_cancellation_token(stop.clone());
        let service = StreamableHttpService::new(move || Ok(server.for_new_client()), Arc::clone(&manager), config);
        let stopped = Arc::clone(&manager);
        tokio::spawn(async move {
            stop.cancelled().await;
            let ids = stopped.sessions.read().await.keys().cloned().collect();
            close_sessions(&stopped, ids);
        });
        Ok(Self { service, manager, last_uses: Arc::default(), host_names: host_names.into() })
    }

    /// Sends a message to the server as a client does, but without a network, and returns the complete answer. For
    /// tests and measurements.
    pub async fn post(&self, session: Option<&str>, message: &serde_json::Value) -> HttpAnswer {
        let mut request = Request::new(Full::new(Bytes::from(message.to_string())));
        *request.method_mut() = Method::POST;
        let headers = request.headers_mut();
        headers.insert(HOST, HeaderValue::from_static("localhost"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        if let Some(id) = session.and_then(|id| HeaderValue::from_str(id).ok()) {
            headers.insert(SESSION_HEADER, id);
        }
        let response = self.answer(request).await;
        let (status, session) = (response.status().as_u16(), session_id(response.headers()));
        let Ok(body) = response.into_body().collect().await;
        let body = String::from_utf8_lossy(&body.to_bytes()).into_owned();
        HttpAnswer { status, session: session.map(|id| id.to_string()), body }
    }

    async fn answer<B>(&self, request: Request<B>) -> Response<HttpBody>
    where
        B: Body + Send + 'static,
        B::Data: Send + 'static,
        B::Error: fmt::Display,
    {
        if let Err(message) = self.check_host(request.uri(), request.headers()) {
            return refusal(message);
        }
        let session = session_id(request.headers());
        let response = self.service.handle(request).await;
        if let Some(id) = session.or_else(|| session_id(response.headers())) {
            self.record_use(id).await;
        }
        response
    }

    /// Checks the host to which the client sends a request, and the host of the web page from which the request comes.
    fn check_host(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), String> {
        let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
        let authority = text(HOST).and_then(|host| host.parse::<Authority>().ok()).or_else(|| uri.authority().cloned());
        let Some(authority) = authority else {
            return Err("the header `Host` is missing or invalid".to_owned());
        };
        let host = authority.host();
        let is_name_of_server = || self.host_names.iter().any(|name| name.eq_ignore_ascii_case(host));
        if ip_address(host).is_none() && !is_loopback(host) && !is_name_of_server() {
            return Err(format!(
                "`{host}` is not a known name of this server; connect to its IP address, or start the server with \
                 `--host-name {host}`"
            ));
        }
        let Some(origin) = text(ORIGIN) else { return Ok(()) };
        let page = origin.parse::<Uri>().ok();
        match page.as_ref().and_then(Uri::host) {
            Some(page) if page.eq_ignore_ascii_case(host) || is_loopback(page) => Ok(()),
            _ => Err("requests from web pages of other hosts are not allowed".to_owned()),
        }
    }

    /// Records that a session is used, and closes the least recently used sessions above the maximum number.
    async fn record_use(&self, id: SessionId) {
        let surplus = {
            let open = self.manager.sessions.read().await;
            let mut last_uses = self.last_uses.lock().unwrap_or_else(PoisonError::into_inner);
            let now = Instant::now();
            last_uses.retain(|id, _| open.contains_key(id));
            for id in open.keys() {
                last_uses.entry(Arc::clone(id)).or_insert(now);
            }
            if let Some(last_use) = last_uses.get_mut(&id) {
                *last_use = now;
            }
            let mut by_use: Vec<(Instant, SessionId)> = last_uses.iter().map(|(id, at)| (*at, id.clone())).collect();
            by_use.sort();
            by_use.truncate(by_use.len().saturating_sub(MAX_SESSIONS));
            by_use.into_iter().map(|(_, id)| id).collect()
        };
        close_sessions(&self.manager, surplus);
    }
}

impl<B> Service<Request<B>> for HttpSessions
where
    B: Body + Send + 'static,
    B::Data: Send + 'static,
    B::Error: fmt::Display,
{
    type Response = Response<HttpBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let sessions = self.clone();
        Box::pin(async move { Ok(sessions.answer(request).await) })
    }
}

fn session_id(headers: &HeaderMap) -> Option<SessionId> {
    headers.get(SESSION_HEADER)?.to_str().ok().map(SessionId::from)
}

/// Closes sessions in the background. A session that waits for a slow client does not close at once.
fn close_sessions(manager: &Arc<LocalSessionManager>, ids: Vec<SessionId>) {
    for id in ids {
        let manager = Arc::clone(manager);
        tokio::spawn(async move {
            if let Err(error) = manager.close_session(&id).await {
                tracing::warn!("an MCP session could not be closed: {error}");
            }
        });
    }
}

/// Returns the IP address of a host that is not a name. An IPv6 address can have brackets.
fn ip_address(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || ip_address(host).is_some_and(|address| address.is_loopback())
}

fn refusal(message: String) -> Response<HttpBody> {
    let mut response = Response::new(Full::new(Bytes::from(message)).boxed());
    *response.status_mut() = StatusCode::FORBIDDEN;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

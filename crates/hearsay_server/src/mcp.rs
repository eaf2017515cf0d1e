//! MCP over HTTP: the address `/mcp/IDENTITY` has the sessions of one identity, a character or `dm`.

use std::{collections::HashMap, sync::Arc};

use axum::{
    Router,
    body::Body,
    extract::{Path, Request, State},
    http::{
        StatusCode,
        header::{CONTENT_TYPE, WWW_AUTHENTICATE},
    },
    response::{IntoResponse, Response},
    routing::any,
};
use hearsay_engine::MemoryError;
use hearsay_mcp::{HttpOptions, HttpSessions, ServerError, SessionIdentity};
use tokio::sync::Mutex;
use tower_service::Service;

use crate::identities::Identities;

/// The sessions of all identities.
struct McpSessions {
    identities: Arc<Identities>,
    options: HttpOptions,
    /// The sessions of each identity that a client has used. Only an identity with a token has an entry.
    by_identity: Mutex<HashMap<String, HttpSessions>>,
}

/// Returns the routes of MCP clients.
pub(crate) fn router(identities: Arc<Identities>, options: HttpOptions) -> Router {
    let sessions = McpSessions { identities, options, by_identity: Mutex::default() };
    Router::new().route("/mcp/{identity}", any(answer)).with_state(Arc::new(sessions))
}

async fn answer(State(sessions): State<Arc<McpSessions>>, Path(name): Path<String>, request: Request) -> Response {
    let identity = sessions.identities.authorize(request.headers()).filter(|identity| identity.to_string() == name);
    let Some(identity) = identity else { return unauthorized() };
    match sessions.of_identity(identity).await {
        Ok(mut service) => {
            let Ok(response) = service.call(request).await;
            response.map(Body::new)
        }
        // The character was removed from the campaign.
        Err(ServerError::Memory(MemoryError::Query(_))) => unauthorized(),
        Err(error) => {
            tracing::error!("an MCP session could not be opened: {error}");
            let message = "the server cannot open a session; the log of the server contains the details";
            (StatusCode::SERVICE_UNAVAILABLE, message).into_response()
        }
    }
}

impl McpSessions {
    /// Returns the sessions of an identity. Creates them for the first request.
    async fn of_identity(&self, identity: SessionIdentity) -> Result<HttpSessions, ServerError> {
        let name = identity.to_string();
        let mut by_identity = self.by_identity.lock().await;
        if let Some(sessions) = by_identity.get(&name) {
            return Ok(sessions.clone());
        }
        let (memory, options) = (Arc::clone(&self.identities.memory), self.options.clone());
        let opening = tokio::task::spawn_blocking(move || HttpSessions::new(memory, identity, options));
        let sessions = opening.await.map_err(|error| ServerError::Runtime(error.into()))??;
        by_identity.insert(name, sessions.clone());
        Ok(sessions)
    }
}

/// Returns the response to a request without a valid token, with the token of another identity, or for an identity that
/// does not exist. The response does not reveal which of these is the case.
fn unauthorized() -> Response {
    let message = "this address needs a token of its identity; send the header `Authorization: Bearer TOKEN` with a \
                   token of `hearsay serve token add`";
    let headers = [(WWW_AUTHENTICATE, "Bearer"), (CONTENT_TYPE, "text/plain; charset=utf-8")];
    (StatusCode::UNAUTHORIZED, headers, message).into_response()
}

#[cfg(test)]
mod tests {
    use axum::{
        body::to_bytes,
        http::{
            Method,
            header::{ACCEPT, AUTHORIZATION, HOST},
        },
    };
    use hearsay_model::EntityId;
    use serde_json::{Value, json};
    use tempfile::TempDir;

    use super::*;
    use crate::{test_memory::open_memory, tokens::Tokens};

    const CAMPAIGN: &str = r#"
campaign: {id: mill, name: The Mill, start: "2 Springmonth 10, 19:00"}
calendar: {name: Count, months: [{name: Springmonth, days: 40}]}
entities:
  - {id: ada, name: Ada Flint, kind: npc}
  - {id: ben, name: Ben Carter, kind: npc}
"#;

    /// The MCP routes of a small campaign, with a token for each identity except Ben.
    struct TestServer {
        router: Router,
        of_ada: String,
        of_dm: String,
        of_removed: String,
        _directory: TempDir,
    }

    /// A response whose body was received.
    #[derive(Debug, PartialEq, Eq)]
    struct Received {
        status: StatusCode,
        challenge: Option<String>,
        session: Option<String>,
        body: String,
    }

    impl TestServer {
        fn open() -> Self {
            let memory = open_memory(CAMPAIGN);
            let directory = tempfile::tempdir().unwrap();
            let mut tokens = Tokens::read(directory.path()).unwrap();
            let mut token = |id: &str| {
                let identity = SessionIdentity::Character(EntityId::new(id).unwrap());
                tokens.add(None, identity).unwrap()
            };
            let (of_ada, of_removed) = (token("ada"), token("zed"));
            let of_dm = tokens.add(None, SessionIdentity::Dm).unwrap();
            let identities = Identities::new(memory, directory.path().to_owned());
            let router = router(Arc::new(identities), HttpOptions::default());
            Self { router, of_ada, of_dm, of_removed, _directory: directory }
        }

        async fn post(&self, identity: &str, token: Option<&str>, session: Option<&str>, message: &Value) -> Received {
            let mut request = Request::builder().method(Method::POST).uri(format!("/mcp/{identity}"));
            request = request.header(HOST, "localhost:4801").header(CONTENT_TYPE, "application/json");
            request = request.header(ACCEPT, "application/json, text/event-stream");
            if let Some(token) = token {
                request = request.header(AUTHORIZATION, format!("Bearer {token}"));
            }
            if let Some(session) = session {
                request = request.header("mcp-session-id", session);
            }
            let request = request.body(Body::from(message.to_string())).unwrap();
            let Ok(response) = self.router.clone().call(request).await;
            let header = |name: &str| Some(response.headers().get(name)?.to_str().unwrap().to_owned());
            let (challenge, session) = (header("www-authenticate"), header("mcp-session-id"));
            let status = response.status();
            let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
            Received { status, challenge, session, body: String::from_utf8(body.to_vec()).unwrap() }
        }

        async fn initialize(&self, identity: &str, token: Option<&str>) -> Received {
            let info = json!({"name": "test", "version": "1"});
            let parameters = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info});
            let message = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": parameters});
            self.post(identity, token, None, &message).await
        }
    }

    #[tokio::test]
    async fn a_token_opens_the_sessions_of_its_identity() {
        let server = TestServer::open();
        for (identity, token, tool) in [("ada", &server.of_ada, "recall"), ("dm", &server.of_dm, "review")] {
            let opened = server.initialize(identity, Some(token)).await;
            assert_eq!(opened.status, StatusCode::OK, "{opened:?}");
            let session = opened.session.as_deref();
            let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
            let answer = server.post(identity, Some(token), session, &initialized).await;
            assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
            let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
            let tools = server.post(identity, Some(token), session, &list).await;
            assert!(tools.body.contains(&format!("\"name\":\"{tool}\"")), "{tools:?}");
            // The session alone gives no access.
            assert_eq!(server.post(identity, None, session, &list).await.status, StatusCode::UNAUTHORIZED);
        }
    }

    #[tokio::test]
    async fn every_reason_to_refuse_a_client_gives_the_same_bytes() {
        let server = TestServer::open();
        let refused = server.initialize("ada", None).await;
        assert_eq!(refused.status, StatusCode::UNAUTHORIZED, "{refused:?}");
        assert_eq!(refused.challenge.as_deref(), Some("Bearer"));
        for (identity, token) in [
            ("ada", "0123"),
            ("ada", server.of_dm.as_str()),
            ("dm", server.of_ada.as_str()),
            ("ben", server.of_ada.as_str()),
            ("nobody", server.of_ada.as_str()),
            ("zed", server.of_removed.as_str()),
        ] {
            assert_eq!(server.initialize(identity, Some(token)).await, refused, "{identity}");
        }
    }
}

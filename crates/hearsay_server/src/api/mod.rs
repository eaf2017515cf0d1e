//! JSON over HTTP, for programs that do not use MCP: the same tools and resources as in an MCP session.
//!
//! The token of a request decides its identity. A request of a character runs in the character's view, exactly as an
//! MCP request does, so a name that the character does not know and a name that does not exist give the same response.

mod limits;
mod openapi;
mod response;
#[cfg(test)]
mod tests;

use std::{sync::Arc, time::Instant};

use axum::{
    Router,
    body::Bytes,
    extract::{DefaultBodyLimit, FromRequestParts, Path, State, rejection::BytesRejection},
    http::{Method, Uri, header::AUTHORIZATION, request::Parts},
    response::Response,
    routing::{any, get, post},
};
use hearsay_engine::MemoryError;
use hearsay_mcp::{McpServer, ServerError, SessionIdentity, ToolError};
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;

use crate::identities::Identities;
use limits::{ApiLimits, RateLimit, token_hash};
use response::{ApiError, json_response};

/// Returns the routes of the API.
pub(crate) fn router(identities: Arc<Identities>) -> Router {
    Api::new(identities, ApiLimits::default()).into_router()
}

/// The state of the API.
struct Api {
    identities: Arc<Identities>,
    rate_limit: RateLimit,
    /// Permits for the requests that run at the same time.
    permits: Arc<Semaphore>,
    limits: ApiLimits,
}

impl Api {
    fn new(identities: Arc<Identities>, limits: ApiLimits) -> Self {
        let permits = Arc::new(Semaphore::new(limits.concurrent_requests));
        Self { identities, rate_limit: RateLimit::new(limits), permits, limits }
    }

    fn into_router(self) -> Router {
        let max_body = DefaultBodyLimit::max(self.limits.body_bytes);
        Router::new()
            .route("/api/openapi.json", get(read_openapi))
            .route("/api/tools", get(list_tools))
            .route("/api/tools/{name}", post(call_tool))
            .route("/api/resources/{name}", get(read_resource))
            .route("/api", get(overview))
            .route("/api/", get(overview))
            .method_not_allowed_fallback(refuse_method)
            .route("/api/{*path}", any(refuse_path))
            .layer(max_body)
            .with_state(Arc::new(self))
    }

    /// Calls a function with the MCP server of an identity, on a thread that may block.
    async fn answer<T: Send + 'static>(
        &self,
        Caller(identity): Caller,
        answer: impl FnOnce(&McpServer) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() else { return Err(ApiError::busy()) };
        let memory = Arc::clone(&self.identities.memory);
        let running = tokio::task::spawn_blocking(move || -> Result<T, ApiError> {
            // The function runs to its end, also if the client closes the connection earlier.
            let _permit = permit;
            let server = McpServer::new(memory, identity).map_err(|error| match error {
                // The character was removed from the campaign.
                ServerError::Memory(MemoryError::Query(_)) => ApiError::unauthorized(),
                error => ApiError::failed(error.to_string()),
            })?;
            answer(&server).map_err(ApiError::from)
        });
        running.await.unwrap_or_else(|error| {
            tracing::error!("a request failed: {error}");
            let message =
                "the request failed because of an error in the server; the log of the server contains the details";
            Err(ApiError::failed(message.to_owned()))
        })
    }
}

/// The identity of a request with a valid token, within the rate limit of the token.
struct Caller(SessionIdentity);

impl FromRequestParts<Arc<Api>> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, api: &Arc<Api>) -> Result<Self, ApiError> {
        let identity = api.identities.authorize(&parts.headers).ok_or_else(ApiError::unauthorized)?;
        let authorization = parts.headers.get(AUTHORIZATION).ok_or_else(ApiError::unauthorized)?;
        let token = token_hash(authorization.as_bytes());
        api.rate_limit.take(token, Instant::now()).map_err(ApiError::too_many_requests)?;
        Ok(Self(identity))
    }
}

async fn list_tools(caller: Caller, State(api): State<Arc<Api>>) -> Result<Response, ApiError> {
    let tools = api.answer(caller, |server| Ok(serde_json::to_value(server.tools())?)).await?;
    Ok(json_response(&json!({ "tools": tools })))
}

async fn call_tool(
    caller: Caller,
    State(api): State<Arc<Api>>,
    Path(name): Path<String>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let body = body.map_err(|rejection| ApiError::from_body(&rejection, api.limits.body_bytes))?;
    let arguments = parse_arguments(&body)?;
    let result = api.answer(caller, move |server| server.call_tool_blocking(&name, arguments)).await?;
    Ok(json_response(&result))
}

async fn read_resource(
    caller: Caller,
    State(api): State<Arc<Api>>,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    let resource = name.clone();
    let text = api.answer(caller, move |server| server.read_resource_blocking(&resource)).await?;
    Ok(json_response(&json!({ "name": name, "text": text })))
}

async fn read_openapi(caller: Caller, State(api): State<Arc<Api>>) -> Result<Response, ApiError> {
    let document = api.answer(caller, |server| Ok(openapi::document(&server.tools(), &server.resources()))).await?;
    Ok(json_response(&document))
}

/// Shows where the requests are described. It is the same for all clients, so it needs no token.
async fn overview() -> Response {
    json_response(&json!({
        "name": "Hearsay",
        "version": env!("CARGO_PKG_VERSION"),
        "openapi": "/api/openapi.json",
        "tools": "/api/tools",
        "authorization": "Bearer TOKEN",
    }))
}

async fn refuse_path(uri: Uri) -> ApiError {
    ApiError::unknown_path(uri.path())
}

async fn refuse_method(method: Method, uri: Uri) -> ApiError {
    ApiError::wrong_method(&method, uri.path())
}

/// Parses the arguments of a tool. An empty body contains no arguments.
fn parse_arguments(body: &[u8]) -> Result<Map<String, Value>, ApiError> {
    if body.trim_ascii().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_slice(body) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(_) => Err(ApiError::invalid_json("the body is not a JSON object")),
        Err(error) => Err(ApiError::invalid_json(&format!("the body is not valid JSON: {error}"))),
    }
}

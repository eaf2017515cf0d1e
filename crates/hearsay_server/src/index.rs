//! The page at `/`, which is also the response for unknown paths. It is the same for all clients.

use axum::{Router, http::StatusCode, response::IntoResponse, routing::get};

/// Text of the page.
const INDEX: &str = concat!(
    "This is the server of a campaign (Hearsay ",
    env!("CARGO_PKG_VERSION"),
    "). It answers these paths:\n\n",
    "/rpc           programs of Hearsay and clients of SurrealDB (WebSocket; user name and password)\n",
    "/mcp/IDENTITY  language-model clients (MCP; token); IDENTITY is the id of a character, or dm\n",
    "/api/          other programs (JSON over HTTP; token); /api/openapi.json describes the requests\n",
    "/health        monitoring\n\n",
    "The guide of Hearsay has the details in the chapter \"Several machines\" (docs/src/servers.md).\n",
);

/// Returns the route of the page. Its fallback answers all paths without a route.
pub(crate) fn router() -> Router {
    Router::new().route("/", get(|| async { INDEX })).fallback(unknown_path)
}

async fn unknown_path() -> impl IntoResponse {
    (StatusCode::NOT_FOUND, format!("There is nothing at this path.\n\n{INDEX}"))
}

//! Responses: JSON documents and errors.

use std::time::Duration;

use axum::{
    extract::rejection::BytesRejection,
    http::{HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use hearsay_mcp::ToolError;
use serde_json::{Value, json};

/// Returns a response with a JSON document. Caches must not store it, because it may contain secrets.
pub(super) fn json_response(document: &Value) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (headers, document.to_string()).into_response()
}

/// An error of the API. The body of its response contains the kind and the message.
#[derive(Debug)]
pub(super) struct ApiError {
    status: StatusCode,
    kind: &'static str,
    message: String,
    /// Time after which the client can try again.
    retry_after: Option<Duration>,
}

impl ApiError {
    fn new(status: StatusCode, kind: &'static str, message: String) -> Self {
        Self { status, kind, message, retry_after: None }
    }

    /// The error for a missing or unknown token, and for the token of a character who was removed.
    pub(super) fn unauthorized() -> Self {
        let message = "no valid token; send the header `Authorization: Bearer TOKEN` with a token of `hearsay serve \
                       token add`";
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", message.to_owned())
    }

    pub(super) fn too_many_requests(retry_after: Duration) -> Self {
        let message = "this token sends too many requests; wait for the time in the header `Retry-After`".to_owned();
        let error = Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", message);
        Self { retry_after: Some(retry_after), ..error }
    }

    pub(super) fn busy() -> Self {
        Self::from(ToolError::Busy("the server answers too many other requests; try again in a moment".to_owned()))
    }

    pub(super) fn failed(message: String) -> Self {
        Self::from(ToolError::Failed(message))
    }

    pub(super) fn unknown_path(path: &str) -> Self {
        let message = format!("there is nothing at `{path}`; `GET /api/openapi.json` describes all requests");
        Self::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    pub(super) fn wrong_method(method: &Method, path: &str) -> Self {
        let message =
            format!("`{path}` does not accept the method {method}; `GET /api/openapi.json` describes all requests");
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message)
    }

    /// The error for a body that is not the arguments of a tool.
    pub(super) fn invalid_json(reason: &str) -> Self {
        let message = format!("{reason}; send the arguments of the tool as one JSON object, such as {{}}");
        Self::new(StatusCode::BAD_REQUEST, "invalid_json", message)
    }

    /// The error for a body that the server did not receive as a whole.
    pub(super) fn from_body(rejection: &BytesRejection, max_bytes: usize) -> Self {
        match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => {
                let message = format!("the body of the request is too large; send at most {max_bytes} bytes");
                Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
            }
            _ => Self::invalid_json("the body of the request ended too early"),
        }
    }
}

impl From<ToolError> for ApiError {
    fn from(error: ToolError) -> Self {
        let message = error.to_string();
        match error {
            ToolError::Missing(_) => Self::new(StatusCode::NOT_FOUND, "not_found", message),
            ToolError::Refused(_) => Self::new(StatusCode::BAD_REQUEST, "refused", message),
            ToolError::Unconfirmed(_) => Self::new(StatusCode::CONFLICT, "unconfirmed", message),
            ToolError::Busy(_) => {
                let error = Self::new(StatusCode::TOO_MANY_REQUESTS, "busy", message);
                Self { retry_after: Some(Duration::ZERO), ..error }
            }
            _ => Self::new(StatusCode::INTERNAL_SERVER_ERROR, "failed", message),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = json_response(&json!({"error": {"kind": self.kind, "message": self.message}}));
        *response.status_mut() = self.status;
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(retry_after) = self.retry_after {
            // Whole seconds, rounded up.
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(retry_after.as_secs() + 1));
        }
        response
    }
}

//! Errors of the server and of its tools.

use hearsay_engine::MemoryError;
use hearsay_query::QueryError;
use thiserror::Error;

/// An error that ends a session or prevents it from starting.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The character of the session does not exist, or the memory failed.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The runtime for asynchronous input and output could not be started.
    #[error("the MCP server could not start: {reason}", reason = .0)]
    Runtime(#[from] std::io::Error),
    /// The client and the server did not agree on the protocol.
    #[error("the connection to the MCP client failed: {reason}", reason = .0)]
    Protocol(String),
}

/// An error of a tool, as a sentence for the client.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct ToolError(pub(crate) String);

impl ToolError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl From<MemoryError> for ToolError {
    fn from(error: MemoryError) -> Self {
        Self(error.to_string())
    }
}

impl From<QueryError> for ToolError {
    fn from(error: QueryError) -> Self {
        Self(error.to_string())
    }
}

impl From<serde_json::Error> for ToolError {
    fn from(error: serde_json::Error) -> Self {
        Self(error.to_string())
    }
}

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

/// An error of a tool or of a resource, with a message for the client. A name that the character does not know and a
/// name that does not exist have the same variant and the same message.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ToolError {
    /// The identity has no tool and no resource with this name.
    #[error("{0}")]
    Missing(String),
    /// The arguments are wrong, or the campaign does not allow the request.
    #[error("{0}")]
    Refused(String),
    /// The DM has not confirmed the change. Nothing is changed.
    #[error("{0}")]
    Unconfirmed(String),
    /// Too many other requests wait. The client can try again.
    #[error("{0}")]
    Busy(String),
    /// The server or its database failed.
    #[error("{0}")]
    Failed(String),
}

impl ToolError {
    /// Creates an error about the request of the client.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self::Refused(message.into())
    }
}

impl From<MemoryError> for ToolError {
    fn from(error: MemoryError) -> Self {
        let message = error.to_string();
        match error {
            MemoryError::Query(_) | MemoryError::Command(_) | MemoryError::QuestionTooLong { .. } => {
                Self::Refused(message)
            }
            MemoryError::Full { .. } => Self::Busy(message),
            _ => Self::Failed(message),
        }
    }
}

impl From<QueryError> for ToolError {
    fn from(error: QueryError) -> Self {
        Self::Refused(error.to_string())
    }
}

impl From<serde_json::Error> for ToolError {
    /// Converts the error of a schema or result that cannot be written as JSON.
    fn from(error: serde_json::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

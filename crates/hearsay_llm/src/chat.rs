//! Chats: the model writes the next message, and the caller gets the text while the model writes it.

use std::{fmt, ops::ControlFlow};

use tracing::subscriber::NoSubscriber;

use crate::{
    ApiKey, LlmError, LlmSettings, Phase,
    chat_message::{ChatRequest, ChatStats},
    client::Client,
    runtime,
};

/// Client for chats with a model on a server with an OpenAI-compatible API.
#[derive(Clone)]
pub struct ChatClient {
    client: Client,
}

impl fmt::Debug for ChatClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatClient").field("settings", &self.client.settings).finish_non_exhaustive()
    }
}

impl ChatClient {
    /// Creates a client for the server in the settings. Does not contact the server.
    ///
    /// # Errors
    /// Returns an error if a setting is invalid, if the key is for a different host, or if the HTTP client cannot be
    /// created.
    pub fn new(settings: LlmSettings, key: ApiKey) -> Result<Self, LlmError> {
        Ok(Self { client: Client::new(settings, key)? })
    }

    /// Returns the name of the model on the server.
    pub fn model(&self) -> &str {
        self.client.model(Phase::Writing)
    }

    /// Writes the next message, and blocks the thread. Calls `emit` with each new part of the text, and at least every
    /// 50 ms with an empty part. Ends when `emit` returns [`ControlFlow::Break`]. Reasoning that a model writes between
    /// `<think>` and `</think>` is not part of the message.
    ///
    /// # Errors
    /// Returns an error if the server cannot be reached or rejects the request, or if the budget
    /// [`LlmSettings::total_tokens`] is used up. If the connection breaks in the middle of the message, `emit` has
    /// already got the first parts.
    pub fn write_blocking(
        &self,
        request: &ChatRequest,
        emit: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<ChatStats, LlmError> {
        let runtime = runtime()?;
        // The client crate logs answers that it cannot read, and a server may repeat the key in one.
        tracing::subscriber::with_default(NoSubscriber::default(), || {
            runtime.block_on(self.client.stream(request, emit))
        })
    }
}

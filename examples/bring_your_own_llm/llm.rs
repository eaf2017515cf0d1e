//! A client for language models that speak OpenAI's protocol, on its own thread.

use std::{thread, time::Duration};

use async_openai::{
    Client,
    config::OpenAIConfig,
    types::chat::{
        ChatCompletionRequestSystemMessage, ChatCompletionRequestUserMessage, CreateChatCompletionRequestArgs,
    },
};
use bevy::tasks::futures_lite::StreamExt;
use crossbeam_channel::{Receiver, Sender, bounded};

const TASK: &str = "You play one character of a role-playing game. Answer the question with one or two sentences in the \
    character's voice. Write only the words that the character says. Use only the facts below: the character knows \
    nothing else. The character does not tell facts that it conceals, and speaks with doubt about facts that it doubts.";

/// Maximum number of characters in a line. A longer answer is an error.
const MAX_ANSWER_LENGTH: usize = 1_000;

/// A language model endpoint. The type has no `Debug` output, so the key is never printed.
#[derive(Clone)]
pub(crate) struct Endpoint {
    base_url: String,
    key: String,
    /// Name of the model at this endpoint.
    pub(crate) model: String,
    /// Maximum time that the model may take for a line.
    timeout: Duration,
}

/// A piece of the model's answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AnswerPiece {
    /// Words to show immediately.
    Words(String),
    /// The line is complete.
    End,
    /// The request failed, for this reason.
    Failed(String),
}

impl Endpoint {
    /// Returns the endpoint that the environment variables name, or `None` if `OPENAI_BASE_URL` is not set.
    pub(crate) fn from_env() -> Option<Self> {
        let env_var = |name| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        Some(Self {
            base_url: env_var("OPENAI_BASE_URL")?.trim().trim_end_matches('/').to_owned(),
            key: env_var("OPENAI_API_KEY").unwrap_or_default(),
            model: env_var("OPENAI_MODEL").unwrap_or_else(|| "llama3.2".to_owned()),
            timeout: Duration::from_secs(env_var("OPENAI_TIMEOUT").and_then(|secs| secs.parse().ok()).unwrap_or(60)),
        })
    }

    /// Requests an answer from the model. The words arrive in pieces; dropping the receiver stops the request.
    pub(crate) fn request_answer(&self, prompt: String) -> Receiver<AnswerPiece> {
        let (sender, receiver) = bounded(256);
        let (endpoint, fallback_sender) = (self.clone(), sender.clone());
        let thread = thread::Builder::new().name("language-model".into()).spawn(move || {
            let final_piece = match endpoint.run(prompt, &sender) {
                Ok(()) => AnswerPiece::End,
                Err(reason) => AnswerPiece::Failed(endpoint.redact_key(&reason)),
            };
            // An error means that the receiver was dropped, so the caller does not need the end of the answer.
            let _ = sender.send(final_piece);
        });
        if let Err(error) = thread {
            let _ = fallback_sender.try_send(AnswerPiece::Failed(error.to_string()));
        }
        receiver
    }

    fn run(&self, prompt: String, pieces: &Sender<AnswerPiece>) -> Result<(), String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.map_err(|error| error.to_string())?.block_on(async {
            let seconds = self.timeout.as_secs();
            let line = tokio::time::timeout(self.timeout, self.stream(prompt, pieces));
            line.await.map_err(|_| format!("no complete line within {seconds} s; raise OPENAI_TIMEOUT"))?
        })
    }

    async fn stream(&self, prompt: String, pieces: &Sender<AnswerPiece>) -> Result<(), String> {
        // An error means that a provider is already installed, which is fine.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder().connect_timeout(Duration::from_secs(5)).build();
        let http = http.map_err(|error| format_with_causes(&error))?;
        let config = OpenAIConfig::new().with_api_base(&self.base_url).with_api_key(&self.key);
        let messages = [
            ChatCompletionRequestSystemMessage::from(TASK).into(),
            ChatCompletionRequestUserMessage::from(prompt).into(),
        ];
        let request = CreateChatCompletionRequestArgs::default().model(&self.model).messages(messages).build();
        let request = request.map_err(|error| format_with_causes(&error))?;
        let mut stream = Client::build(http, config)
            .chat()
            .create_stream(request)
            .await
            .map_err(|error| format_with_causes(&error))?;
        let (mut length, mut finished) = (0, false);
        while let Some(chunk) = stream.next().await {
            let chunk = chunk.map_err(|error| format_with_causes(&error))?;
            let Some(choice) = chunk.choices.into_iter().next() else { continue };
            finished |= choice.finish_reason.is_some();
            // The model's words are printed on a terminal, so escape sequences are removed.
            let words: String =
                choice.delta.content.unwrap_or_default().chars().filter(|c| !c.is_control() || *c == '\n').collect();
            length += words.len();
            if !words.is_empty() && pieces.send(AnswerPiece::Words(words)).is_err() {
                return Ok(());
            }
            if length > MAX_ANSWER_LENGTH {
                return Err(format!("the answer has more than {MAX_ANSWER_LENGTH} characters and was stopped"));
            }
        }
        if finished { Ok(()) } else { Err("the answer ended in the middle of the line".to_owned()) }
    }

    /// Removes the key from a text, because a server may include the key in its error.
    fn redact_key(&self, text: &str) -> String {
        if self.key.is_empty() { text.to_owned() } else { text.replace(&self.key, "(the key)") }
    }
}

/// Formats an error with its causes. The causes are important: `error sending request` alone does not say that no
/// server listens at the address.
fn format_with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let cause_text = error.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests;

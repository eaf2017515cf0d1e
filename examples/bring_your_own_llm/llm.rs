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
const LONGEST: usize = 1_000;

/// A language model endpoint. The type has no `Debug` output, so the key is never printed.
#[derive(Clone)]
pub(crate) struct Endpoint {
    base: String,
    key: String,
    /// Name of the model at this endpoint.
    pub(crate) model: String,
    /// Maximum time that the model may take for a line.
    patience: Duration,
}

/// A piece of the model's answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
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
        let set = |name| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        Some(Self {
            base: set("OPENAI_BASE_URL")?.trim().trim_end_matches('/').to_owned(),
            key: set("OPENAI_API_KEY").unwrap_or_default(),
            model: set("OPENAI_MODEL").unwrap_or_else(|| "llama3.2".to_owned()),
            patience: Duration::from_secs(set("OPENAI_TIMEOUT").and_then(|secs| secs.parse().ok()).unwrap_or(60)),
        })
    }

    /// Requests an answer from the model. The words arrive in pieces; dropping the receiver stops the request.
    pub(crate) fn speak(&self, prompt: String) -> Receiver<Piece> {
        let (sender, receiver) = bounded(256);
        let (endpoint, refused) = (self.clone(), sender.clone());
        let thread = thread::Builder::new().name("language-model".into()).spawn(move || {
            let last = match endpoint.run(prompt, &sender) {
                Ok(()) => Piece::End,
                Err(why) => Piece::Failed(endpoint.without_key(&why)),
            };
            // An error means that the receiver was dropped, so the caller does not need the end of the answer.
            let _ = sender.send(last);
        });
        if let Err(error) = thread {
            let _ = refused.try_send(Piece::Failed(error.to_string()));
        }
        receiver
    }

    fn run(&self, prompt: String, pieces: &Sender<Piece>) -> Result<(), String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.map_err(|error| error.to_string())?.block_on(async {
            let seconds = self.patience.as_secs();
            let line = tokio::time::timeout(self.patience, self.stream(prompt, pieces));
            line.await.map_err(|_| format!("no complete line within {seconds} s; raise OPENAI_TIMEOUT"))?
        })
    }

    async fn stream(&self, prompt: String, pieces: &Sender<Piece>) -> Result<(), String> {
        // An error means that a provider is already installed, which is fine.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder().connect_timeout(Duration::from_secs(5)).build();
        let http = http.map_err(|error| with_causes(&error))?;
        let config = OpenAIConfig::new().with_api_base(&self.base).with_api_key(&self.key);
        let messages = [
            ChatCompletionRequestSystemMessage::from(TASK).into(),
            ChatCompletionRequestUserMessage::from(prompt).into(),
        ];
        let request = CreateChatCompletionRequestArgs::default().model(&self.model).messages(messages).build();
        let request = request.map_err(|error| with_causes(&error))?;
        let mut stream =
            Client::build(http, config).chat().create_stream(request).await.map_err(|error| with_causes(&error))?;
        let (mut length, mut finished) = (0, false);
        while let Some(chunk) = stream.next().await {
            let chunk = chunk.map_err(|error| with_causes(&error))?;
            let Some(choice) = chunk.choices.into_iter().next() else { continue };
            finished |= choice.finish_reason.is_some();
            // The model's words are printed on a terminal, so escape sequences are removed.
            let words: String =
                choice.delta.content.unwrap_or_default().chars().filter(|c| !c.is_control() || *c == '\n').collect();
            length += words.len();
            if !words.is_empty() && pieces.send(Piece::Words(words)).is_err() {
                return Ok(());
            }
            if length > LONGEST {
                return Err(format!("the answer has more than {LONGEST} characters and was stopped"));
            }
        }
        if finished { Ok(()) } else { Err("the answer ended in the middle of the line".to_owned()) }
    }

    /// Removes the key from a text, because a server may include the key in its error.
    fn without_key(&self, text: &str) -> String {
        if self.key.is_empty() { text.to_owned() } else { text.replace(&self.key, "(the key)") }
    }
}

/// Formats an error with its causes. The causes are important: `error sending request` alone does not say that no
/// server listens at the address.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests;

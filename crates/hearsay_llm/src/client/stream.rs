//! Chat messages that arrive in parts, while the model writes them.

use std::{
    ops::ControlFlow,
    pin::pin,
    sync::atomic::Ordering::Relaxed,
    time::{Duration, Instant},
};

use async_openai::error::OpenAIError;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Client, Failure, LENGTH_FINISH_REASON, Usage};
use crate::{
    LlmError, Phase,
    backoff::{self, delay_seed},
    budget::estimate_tokens,
    chat_message::{ChatEnd, ChatRequest, ChatStats, ReasoningFilter},
    error::excerpt,
};

/// Time between two calls of `emit` while the client waits for the server.
const POLL: Duration = Duration::from_millis(50);

/// Body of a request. Servers differ in the sampling options that they accept, so these can be omitted.
#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<BodyMessage<'a>>,
    stream: bool,
    max_completion_tokens: u32,
    #[serde(flatten)]
    sampling: Option<Sampling>,
}

#[derive(Serialize)]
struct BodyMessage<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
struct Sampling {
    temperature: f64,
    top_p: f64,
    seed: u64,
}

/// Part of an answer. Servers differ in the other fields.
#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    choices: Vec<PartChoice>,
    usage: Option<Usage>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct PartChoice {
    #[serde(default)]
    delta: Delta,
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct Delta {
    content: Option<String>,
}

/// Failure of a request for a stream. `has_begun` tells whether a part of the text has arrived.
struct StreamFailure {
    failure: Failure,
    has_begun: bool,
}

/// Time limit and receiver of one answer.
struct Receiver<'a> {
    start: Instant,
    deadline: Instant,
    emit: &'a mut dyn FnMut(&str) -> ControlFlow<()>,
}

impl Client {
    /// Sends a chat, and calls `emit` with each part of the answer. Repeats the request after temporary failures, if no
    /// part of the answer has arrived and there is time left.
    pub(crate) async fn stream(
        &self,
        request: &ChatRequest,
        emit: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<ChatStats, LlmError> {
        let settings = &self.settings;
        let start = Instant::now();
        let mut receiver = Receiver { start, deadline: start + request.max_time, emit };
        let needed = request.bytes().div_ceil(4) + u64::from(request.max_tokens);
        let reservation = self.total_budget.reserve(needed).ok_or_else(|| LlmError::Budget {
            scope: "for all replies",
            setting: "total_tokens",
            limit: self.total_budget.limit(),
            used: self.total_budget.used(),
            needed,
        })?;
        let (mut tries, mut with_sampling) = (0, !self.rejects_temperature.load(Relaxed));
        let failure = loop {
            let StreamFailure { failure, has_begun } =
                match self.stream_once(request, with_sampling, &mut receiver).await {
                    Ok(stats) => {
                        self.rejects_temperature.fetch_or(!with_sampling, Relaxed);
                        reservation.settle(stats.prompt_tokens + stats.generated_tokens);
                        return Ok(stats);
                    }
                    Err(failure) => failure,
                };
            let delay = backoff::retry_delay(settings, tries, delay_seed(&request.system));
            match failure {
                Failure::RejectedFormat(_) if with_sampling => with_sampling = false,
                Failure::Temporary { .. }
                    if !has_begun && tries < settings.retries && Instant::now() + delay < receiver.deadline =>
                {
                    tokio::time::sleep(delay).await;
                    tries += 1;
                }
                failure => break failure,
            }
        };
        reservation.settle(0);
        let base_url = settings.base_url.clone();
        Err(match failure {
            Failure::Temporary { reason, .. } => LlmError::Unreachable { base_url, tries: tries + 1, reason },
            Failure::RejectedFormat(reason) | Failure::Permanent(reason) => LlmError::Refused { base_url, reason },
        })
    }

    async fn stream_once(
        &self,
        request: &ChatRequest,
        with_sampling: bool,
        receiver: &mut Receiver<'_>,
    ) -> Result<ChatStats, StreamFailure> {
        let chat = self.http.chat();
        let answer = chat.create_stream_byot::<_, Part>(self.body(request, with_sampling));
        let mut parts = pin!(stream::once(answer).try_flatten());
        let mut ticks = tokio::time::interval(POLL);
        let mut filter = ReasoningFilter::default();
        let mut stats = ChatStats { prompt_tokens: request.bytes().div_ceil(4), ..ChatStats::default() };
        let mut usage = None;
        let mut text = String::new();
        stats.end = loop {
            let part: Option<Result<Part, OpenAIError>> = tokio::select! {
                biased;
                part = parts.next() => part,
                _ = ticks.tick() => match (receiver.emit)("") {
                    ControlFlow::Break(()) => break ChatEnd::Stopped,
                    ControlFlow::Continue(()) if Instant::now() >= receiver.deadline => break ChatEnd::TimeOver,
                    ControlFlow::Continue(()) => continue,
                },
            };
            let failed = |failure| StreamFailure { failure, has_begun: !text.is_empty() };
            let Some(part) = part else { break ChatEnd::Finished };
            let part = part.map_err(|error| failed(self.classify_error(&error)))?;
            if let Some(error) = part.error {
                let reason =
                    error.get("message").and_then(Value::as_str).map_or_else(|| error.to_string(), str::to_owned);
                return Err(failed(Failure::Permanent(self.key.redact(&excerpt(&reason)))));
            }
            usage = part.usage.or(usage);
            let Some(choice) = part.choices.into_iter().next() else { continue };
            let new_text = filter.push(&choice.delta.content.unwrap_or_default());
            if !new_text.is_empty() {
                if text.is_empty() {
                    stats.first_token = receiver.start.elapsed();
                }
                text.push_str(&new_text);
                if (receiver.emit)(&self.key.redact(&new_text)).is_break() {
                    break ChatEnd::Stopped;
                }
            }
            if choice.finish_reason.as_deref() == Some(LENGTH_FINISH_REASON) {
                break ChatEnd::MaxTokens;
            }
        };
        stats.generated_tokens = estimate_tokens(&text);
        if let Some(usage) = usage.filter(|usage| usage.completion_tokens > 0) {
            (stats.prompt_tokens, stats.generated_tokens) = (usage.prompt_tokens, usage.completion_tokens);
        }
        Ok(stats)
    }

    fn body<'a>(&'a self, request: &'a ChatRequest, with_sampling: bool) -> Body<'a> {
        let message = |role, content| BodyMessage { role, content };
        let lines = request.lines.iter().map(|line| {
            let role = if line.from_model { "assistant" } else { "user" };
            message(role, line.text.as_str())
        });
        Body {
            model: self.model(Phase::Writing),
            messages: std::iter::once(message("system", request.system.as_str())).chain(lines).collect(),
            stream: true,
            max_completion_tokens: request.max_tokens,
            sampling: with_sampling.then_some(Sampling {
                temperature: request.temperature,
                top_p: request.top_p,
                seed: request.seed,
            }),
        }
    }
}

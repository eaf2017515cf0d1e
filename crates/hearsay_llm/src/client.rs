//! Calls to the server, with retries, token budgets and cancellation.

mod stream;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use async_openai::{
    config::OpenAIConfig,
    error::OpenAIError,
    middleware::ReqwestService,
    types::chat::{
        ChatChoice, ChatCompletionRequestAssistantMessage, ChatCompletionRequestMessage,
        ChatCompletionRequestSystemMessage, ChatCompletionRequestUserMessage, CompletionUsage,
        CreateChatCompletionRequest, CreateChatCompletionResponse, FinishReason, ResponseFormat,
        ResponseFormatJsonSchema,
    },
};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Semaphore;
use tracing::{instrument::WithSubscriber, subscriber::NoSubscriber};

use crate::{
    ApiKey, CancelHandle, LlmError, LlmSettings, Phase,
    backoff::{self, delay_seed},
    budget::{Budget, estimate_tokens},
    error::{excerpt, with_causes},
    key::is_local,
};

/// Content of one call. Each call is a new conversation.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) phase: Phase,
    pub(crate) system: String,
    pub(crate) user: String,
    /// Previous answer that could not be used, and the message that tells the model why; `None` for the first try.
    pub(crate) rejected_answer: Option<(String, String)>,
    /// Name and JSON schema of the answer; `None` if the answer is free text.
    pub(crate) schema: Option<(&'static str, Value)>,
}

impl Call {
    fn bytes(&self) -> u64 {
        let rejected_answer_bytes =
            self.rejected_answer.as_ref().map_or(0, |(answer, reason)| answer.len() + reason.len());
        (self.system.len() + self.user.len() + rejected_answer_bytes) as u64
    }
}

/// Answer of the model.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) text: String,
    /// Whether the answer was cut off because it reached the maximum number of tokens.
    pub(crate) is_cut_off: bool,
}

/// Budget, cancellation and counters of one run, which reads one text or writes one recap.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    pub(crate) budget: Budget,
    pub(crate) cancel: CancelHandle,
    calls: Arc<AtomicU64>,
    retries: Arc<AtomicU64>,
}

impl Run {
    pub(crate) fn new(settings: &LlmSettings, cancel: &CancelHandle) -> Self {
        let budget = Budget::new(settings.run_tokens);
        Self { budget, cancel: cancel.clone(), calls: Arc::default(), retries: Arc::default() }
    }

    pub(crate) fn calls(&self) -> u64 {
        self.calls.load(Relaxed)
    }

    pub(crate) fn retries(&self) -> u64 {
        self.retries.load(Relaxed)
    }
}

/// Format of the answer that a request prescribes: JSON with a schema, any JSON, or free text. The client starts with
/// the schema, and uses the next format if the server rejects it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum AnswerFormat {
    Schema,
    Json,
    FreeText,
}

impl AnswerFormat {
    const ALL: [Self; 3] = [Self::Schema, Self::Json, Self::FreeText];

    fn next_looser(self) -> Option<Self> {
        Self::ALL.get(self as usize + 1).copied()
    }
}

/// Client of one server. Clones share the token budget and the limits.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) settings: Arc<LlmSettings>,
    key: ApiKey,
    http: async_openai::Client<OpenAIConfig>,
    total_budget: Budget,
    call_permits: Arc<Semaphore>,
    /// Strictest answer format that the server has not rejected so far. `rejects_temperature` records whether the
    /// server rejects a temperature.
    accepted_format: Arc<AtomicU8>,
    rejects_temperature: Arc<AtomicBool>,
}

/// Reason why a request gave no answer.
enum Failure {
    /// Temporary failure; the request can be repeated. `may_have_used_tokens` tells whether the server may have
    /// processed the request and used tokens.
    Temporary { reason: String, may_have_used_tokens: bool },
    /// The server rejects this form of request, for example the schema or the temperature.
    RejectedFormat(String),
    /// Permanent failure; the same request would fail again.
    Permanent(String),
}

impl Client {
    pub(crate) fn new(settings: LlmSettings, key: ApiKey) -> Result<Self, LlmError> {
        settings.check()?;
        // An error means that a provider is already installed, which is good enough.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let url = reqwest::Url::parse(&settings.base_url)
            .map_err(|error| LlmError::Settings(format!("base_url is not a valid address: {error}")))?;
        if !key.is_for(&url) {
            let message =
                format!("the key is not for {}, so it is not sent; use a key for that host", settings.base_url);
            return Err(LlmError::Settings(message));
        }
        let is_local_server = is_local(&url);
        let builder = reqwest::Client::builder()
            .connect_timeout(Duration::from_millis(settings.connect_timeout_ms))
            // Does not follow redirects: the text must go only to the server in the settings.
            .redirect(reqwest::redirect::Policy::none())
            // A connection belongs to the runtime of its call. That runtime may no longer exist at the next call.
            .pool_max_idle_per_host(0);
        let builder = if is_local_server { builder.no_proxy() } else { builder };
        let http = builder.build().map_err(|error| LlmError::Client(key.redact(&with_causes(&error))))?;
        // Sets every value that the client crate would otherwise read from the environment. The key, organisation or
        // project of another service must not go to this server.
        let config = OpenAIConfig::new()
            .with_api_base(settings.base_url.trim_end_matches('/'))
            .with_api_key(key.expose().unwrap_or_default())
            .with_org_id("")
            .with_project_id("");
        // Does not use the retries of the client crate, because they ignore the budgets and the settings.
        let http = async_openai::Client::build(http.clone(), config).with_http_service(ReqwestService::new(http));
        Ok(Self {
            key,
            http,
            total_budget: Budget::new(settings.total_tokens),
            call_permits: Arc::new(Semaphore::new(settings.concurrency)),
            accepted_format: Arc::default(),
            rejects_temperature: Arc::default(),
            settings: Arc::new(settings),
        })
    }

    pub(crate) fn tokens_used(&self) -> u64 {
        self.total_budget.used()
    }

    pub(crate) fn model(&self, phase: Phase) -> &str {
        self.settings.phase(phase).model.as_deref().unwrap_or(&self.settings.model)
    }

    /// Sends a call, and repeats it after temporary failures.
    pub(crate) async fn send(&self, call: &Call, run: &Run) -> Result<Reply, LlmError> {
        tokio::select! {
            biased;
            () = run.cancel.cancelled() => Err(LlmError::Cancelled),
            reply = self.send_with_retries(call, run) => reply,
        }
    }

    async fn send_with_retries(&self, call: &Call, run: &Run) -> Result<Reply, LlmError> {
        let settings = &self.settings;
        let mut format = self.accepted_format();
        let mut tries = 0;
        loop {
            let failure = match self.try_once(call, run, format).await? {
                Ok(reply) => {
                    self.accepted_format.fetch_max(format.0 as u8, Relaxed);
                    self.rejects_temperature.fetch_or(!format.1, Relaxed);
                    return Ok(reply);
                }
                Err(failure) => failure,
            };
            let refusal_error = |reason| Err(LlmError::Refused { base_url: settings.base_url.clone(), reason });
            match failure {
                Failure::Permanent(reason) => return refusal_error(reason),
                Failure::RejectedFormat(reason) => match (format.0.next_looser(), call.schema.is_some()) {
                    _ if format.1 && reason.contains("temperature") => format.1 = false,
                    (Some(looser), true) => format.0 = looser,
                    _ => return refusal_error(reason),
                },
                Failure::Temporary { reason, .. } if tries >= settings.retries => {
                    return Err(LlmError::Unreachable {
                        base_url: settings.base_url.clone(),
                        tries: tries + 1,
                        reason,
                    });
                }
                Failure::Temporary { .. } => {
                    tokio::time::sleep(backoff::retry_delay(settings, tries, delay_seed(&call.user))).await;
                    run.retries.fetch_add(1, Relaxed);
                    tries += 1;
                }
            }
        }
    }

    fn accepted_format(&self) -> (AnswerFormat, bool) {
        let answer_format = AnswerFormat::ALL.get(usize::from(self.accepted_format.load(Relaxed))).copied();
        (answer_format.unwrap_or(AnswerFormat::FreeText), !self.rejects_temperature.load(Relaxed))
    }

    /// Sends one request, if the budgets have enough tokens left.
    async fn try_once(
        &self,
        call: &Call,
        run: &Run,
        format: (AnswerFormat, bool),
    ) -> Result<Result<Reply, Failure>, LlmError> {
        let request = self.request(call, format);
        let prompt = call.bytes().div_ceil(4);
        let needed = prompt + u64::from(self.settings.answer_tokens);
        let budget_error = |budget: &Budget, scope, setting| LlmError::Budget {
            scope,
            setting,
            limit: budget.limit(),
            used: budget.used(),
            needed,
        };
        let _permit = self.call_permits.acquire().await.map_err(|_| LlmError::Cancelled)?;
        let run_reservation =
            run.budget.reserve(needed).ok_or_else(|| budget_error(&run.budget, "per text or recap", "run_tokens"))?;
        let total_reservation = self
            .total_budget
            .reserve(needed)
            .ok_or_else(|| budget_error(&self.total_budget, "for all texts and recaps", "total_tokens"))?;
        run.calls.fetch_add(1, Relaxed);
        let chat = self.http.chat();
        // The client crate logs the bodies of answers that it cannot read, and a server may repeat the key in one.
        let answer = chat.create(request).with_subscriber(NoSubscriber::default());
        let answer = match tokio::time::timeout(self.settings.timeout(), answer).await {
            Ok(answer) => answer
                .map(Completion::from)
                .or_else(|error| self.parse_despite_error(&error))
                .and_then(|completion| completion.reply(prompt)),
            Err(_) => {
                let reason = format!("no answer within {} ms (timeout_ms)", self.settings.timeout_ms);
                Err(Failure::Temporary { reason, may_have_used_tokens: true })
            }
        };
        let used = match &answer {
            Ok((_, used)) => *used,
            Err(Failure::Temporary { may_have_used_tokens: true, .. }) => prompt,
            Err(_) => 0,
        };
        run_reservation.settle(used);
        total_reservation.settle(used);
        Ok(answer.map(|(reply, _)| Reply { text: self.key.redact(&reply.text), ..reply }))
    }

    fn request(&self, call: &Call, (answer_format, temperature): (AnswerFormat, bool)) -> CreateChatCompletionRequest {
        let phase = self.settings.phase(call.phase);
        let system = ChatCompletionRequestSystemMessage::from(call.system.as_str());
        let user = ChatCompletionRequestUserMessage::from(call.user.as_str());
        let mut messages: Vec<ChatCompletionRequestMessage> = vec![system.into(), user.into()];
        if let Some((answer, reason)) = &call.rejected_answer {
            messages.push(ChatCompletionRequestAssistantMessage::from(answer.as_str()).into());
            messages.push(ChatCompletionRequestUserMessage::from(reason.as_str()).into());
        }
        let response_format = call.schema.as_ref().and_then(|(name, schema)| match answer_format {
            AnswerFormat::Schema => Some(ResponseFormat::JsonSchema {
                json_schema: ResponseFormatJsonSchema {
                    description: None,
                    name: (*name).to_owned(),
                    schema: schema.clone(),
                    strict: Some(true),
                },
            }),
            AnswerFormat::Json => Some(ResponseFormat::JsonObject),
            AnswerFormat::FreeText => None,
        });
        CreateChatCompletionRequest {
            messages,
            model: self.model(call.phase).to_owned(),
            temperature: temperature.then(|| phase.temperature.unwrap_or(self.settings.temperature) as f32),
            max_completion_tokens: Some(self.settings.answer_tokens),
            response_format,
            ..CreateChatCompletionRequest::default()
        }
    }

    /// Tries to read an answer that the client crate could not parse. The answer is usable if the missing or wrong
    /// fields are fields that this module ignores.
    fn parse_despite_error(&self, error: &OpenAIError) -> Result<Completion, Failure> {
        let answer = match error {
            OpenAIError::JSONDeserialize(_, body) => serde_json::from_str(body).ok(),
            _ => None,
        };
        answer.ok_or_else(|| self.classify_error(error))
    }

    fn classify_error(&self, error: &OpenAIError) -> Failure {
        let temporary = |reason: String, may_have_used_tokens| Failure::Temporary {
            reason: self.key.redact(&reason),
            may_have_used_tokens,
        };
        match error {
            OpenAIError::Reqwest(error) if error.is_builder() || error.is_redirect() => {
                Failure::Permanent(self.key.redact(&with_causes(error)))
            }
            OpenAIError::Reqwest(error) => temporary(with_causes(error), !error.is_connect()),
            OpenAIError::ApiError(refusal) => {
                let reason = self.key.redact(&excerpt(&refusal.to_string()));
                let is_out_of_quota = refusal.api_error.r#type.as_deref() == Some("insufficient_quota");
                match refusal.status_code.as_u16() {
                    429 if !is_out_of_quota => Failure::Temporary { reason, may_have_used_tokens: false },
                    408 | 425 | 500.. => Failure::Temporary { reason, may_have_used_tokens: false },
                    400 | 415 | 422 => Failure::RejectedFormat(reason),
                    _ => Failure::Permanent(reason),
                }
            }
            OpenAIError::JSONDeserialize(error, body) => {
                let reason = format!("the answer does not follow the protocol ({error}): `{}`", excerpt(body));
                if body.contains("response_format") || body.contains("json_schema") {
                    return Failure::RejectedFormat(self.key.redact(&reason));
                }
                temporary(reason, true)
            }
            other => temporary(with_causes(other), true),
        }
    }
}

/// Fields of an answer that this module uses. Servers differ in the other fields.
#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
    refusal: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct Usage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
    #[serde(default)]
    total_tokens: u64,
}

impl From<CreateChatCompletionResponse> for Completion {
    fn from(response: CreateChatCompletionResponse) -> Self {
        let choice = |choice: ChatChoice| Choice {
            message: Message { content: choice.message.content, refusal: choice.message.refusal },
            finish_reason: choice
                .finish_reason
                .filter(|reason| *reason == FinishReason::Length)
                .map(|_| LENGTH_FINISH_REASON.to_owned()),
        };
        let usage = |usage: CompletionUsage| Usage {
            prompt_tokens: usage.prompt_tokens.into(),
            completion_tokens: usage.completion_tokens.into(),
            total_tokens: usage.total_tokens.into(),
        };
        Self { choices: response.choices.into_iter().map(choice).collect(), usage: response.usage.map(usage) }
    }
}

/// Value of `finish_reason` for an answer that was cut off at the maximum number of tokens.
const LENGTH_FINISH_REASON: &str = "length";

impl Completion {
    /// Returns the reply and the number of tokens that the call used. `prompt` is the estimated number of tokens of the
    /// request.
    fn reply(self, prompt: u64) -> Result<(Reply, u64), Failure> {
        let reported_tokens =
            self.usage.map(|usage| usage.total_tokens.max(usage.prompt_tokens + usage.completion_tokens));
        let Some(choice) = self.choices.into_iter().next() else {
            return Err(Failure::Temporary {
                reason: "the answer has no choices".to_owned(),
                may_have_used_tokens: true,
            });
        };
        if let Some(refusal) = choice.message.refusal.filter(|refusal| !refusal.trim().is_empty()) {
            return Err(Failure::Permanent(format!("the model declines: {}", excerpt(&refusal))));
        }
        let text = choice.message.content.unwrap_or_default();
        let used = reported_tokens.filter(|tokens| *tokens > 0).unwrap_or_else(|| prompt + estimate_tokens(&text));
        Ok((Reply { text, is_cut_off: choice.finish_reason.as_deref() == Some(LENGTH_FINISH_REASON) }, used))
    }
}

//! A language model on a server with an OpenAI-compatible API.

use std::{ops::ControlFlow, time::Instant};

use hearsay_engine::{SpeechServer, SpeechSettings};
use hearsay_llm::{ApiKey, ChatClient, ChatEnd, ChatLine, ChatRequest, LlmError, LlmSettings};

use super::{ChatPrompt, ChatRole, EndReason, GenerationLimits, GenerationStats, LanguageModel, StopFilter};
use crate::SpeechError;

/// A language model on a server, for example Ollama, llama.cpp or a service on the internet. Each prompt is sent to the
/// server.
#[derive(Debug)]
pub struct RemoteModel {
    client: ChatClient,
    name: String,
    temperature: f64,
    top_p: f64,
    seed: u64,
}

impl RemoteModel {
    /// Creates a language model from the settings of its server and the sampling settings in `settings`. Reads the key
    /// from the environment. Does not contact the server.
    ///
    /// # Errors
    /// Returns an error if a setting is invalid, or if the key in the environment is not for this server.
    pub fn new(server: &SpeechServer, settings: &SpeechSettings) -> Result<Self, SpeechError> {
        let default = LlmSettings::default();
        let client = LlmSettings {
            base_url: server.base_url.clone(),
            model: server.model.clone(),
            key_env: server.key_env.clone().unwrap_or(default.key_env),
            total_tokens: server.total_tokens.unwrap_or(default.total_tokens),
            ..LlmSettings::default()
        };
        let invalid = |error: LlmError| SpeechError::Settings(format!("server: {error}"));
        client.check().map_err(invalid)?;
        let key = ApiKey::from_env(&client).map_err(invalid)?;
        Ok(Self {
            client: ChatClient::new(client, key).map_err(invalid)?,
            name: format!("{} at {}", server.model, server.base_url),
            temperature: settings.temperature,
            top_p: settings.top_p,
            seed: settings.seed,
        })
    }
}

impl LanguageModel for RemoteModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn generate(
        &mut self,
        prompt: &ChatPrompt,
        limits: &GenerationLimits,
        emit: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<GenerationStats, SpeechError> {
        let start = Instant::now();
        let line = |message: &super::ChatMessage| ChatLine {
            from_model: message.role == ChatRole::Assistant,
            text: message.text.clone(),
        };
        let request = ChatRequest {
            system: prompt.system.clone(),
            lines: prompt.messages.iter().map(line).collect(),
            max_tokens: u32::try_from(limits.max_tokens).unwrap_or(u32::MAX),
            max_time: limits.max_time,
            temperature: self.temperature,
            top_p: self.top_p,
            seed: self.seed,
        };
        let mut stop = StopFilter::new(&limits.stop);
        let written = self.client.write_blocking(&request, &mut |part| {
            let is_stopped = emit(&stop.push(part)).is_break() || stop.is_stopped();
            if is_stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let stats =
            written.map_err(|error| SpeechError::Model { name: self.name.clone(), reason: error.to_string() })?;
        let end = match stats.end {
            ChatEnd::Stopped if !stop.is_stopped() => EndReason::Stopped,
            ChatEnd::Stopped | ChatEnd::Finished => EndReason::Finished,
            ChatEnd::MaxTokens => EndReason::MaxTokens,
            ChatEnd::TimeOver => EndReason::TimeOver,
        };
        let end = stop.finish(end, emit);
        let count = |tokens: u64| usize::try_from(tokens).unwrap_or(usize::MAX);
        Ok(GenerationStats {
            prompt_tokens: count(stats.prompt_tokens),
            cached_tokens: 0,
            generated_tokens: count(stats.generated_tokens),
            first_token: stats.first_token,
            total: start.elapsed(),
            end,
        })
    }
}

//! Settings of the language model that speaks for characters.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Settings of the language model that speaks for characters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpeechSettings {
    /// GGUF file of the language model, relative to the campaign directory. If neither `model` nor `server` is set,
    /// templates write the replies.
    pub model: Option<PathBuf>,
    /// Language model on a server, instead of `model`.
    pub server: Option<SpeechServer>,
    /// Maximum number of tokens of the scene context in a prompt, at least 64; by default 600. A language model reads a
    /// short prompt faster.
    pub prompt_tokens: usize,
    /// Maximum number of tokens of one draft, at least 8; by default 80.
    pub max_tokens: usize,
    /// Maximum time for one draft, in milliseconds; by default 20,000.
    pub timeout_ms: u64,
    /// Sampling temperature, from 0 to 2; by default 0.7. With 0, the model always selects the most likely token.
    pub temperature: f64,
    /// Limit for nucleus sampling, above 0 to 1; by default 0.9. The model selects each token from the most likely
    /// tokens whose probabilities add up to this value.
    pub top_p: f64,
    /// Factor by which repeated tokens become less likely, from 1 to 2; by default 1.1.
    pub repetition_penalty: f32,
    /// Seed of the random numbers; by default 0.
    pub seed: u64,
    /// Maximum size of the cache of the language model, in MiB; by default 512. The cache contains the states of the
    /// model after the beginnings of recent prompts, so the model does not read these beginnings again.
    pub prefix_cache_mb: usize,
}

/// A language model on a server with an OpenAI-compatible API. Each prompt is sent to this server: a prompt contains
/// what one character knows, including its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpeechServer {
    /// Address of the server, for example `http://127.0.0.1:11434/v1` for Ollama on the same machine.
    pub base_url: String,
    /// Name of the model on the server.
    pub model: String,
    /// Name of the environment variable that contains the key; `None` means `HEARSAY_LLM_KEY`. The variable with the
    /// same name and the suffix `_HOST` contains the host that may receive the key.
    pub key_env: Option<String>,
    /// Maximum number of tokens for all replies together, until the program ends; `None` means 2,000,000.
    pub total_tokens: Option<u64>,
}

impl Default for SpeechSettings {
    fn default() -> Self {
        Self {
            model: None,
            server: None,
            prompt_tokens: 600,
            max_tokens: 80,
            timeout_ms: 20_000,
            temperature: 0.7,
            top_p: 0.9,
            repetition_penalty: 1.1,
            seed: 0,
            prefix_cache_mb: 512,
        }
    }
}

impl SpeechSettings {
    /// Checks that all values are valid.
    ///
    /// # Errors
    /// Returns a message that names the setting and the allowed values.
    pub fn check(&self) -> Result<(), String> {
        let is_in = |value: f64, min: f64, max: f64| (min..=max).contains(&value);
        match () {
            () if self.model.is_some() && self.server.is_some() => {
                Err("only one of `model` and `server` can be set".to_owned())
            }
            () if self.prompt_tokens < 64 => {
                Err(format!("prompt_tokens must be at least 64, not {}", self.prompt_tokens))
            }
            () if self.max_tokens < 8 => Err(format!("max_tokens must be at least 8, not {}", self.max_tokens)),
            () if self.timeout_ms == 0 => Err("timeout_ms must be at least 1".to_owned()),
            () if !is_in(self.temperature, 0.0, 2.0) => {
                Err(format!("temperature must be from 0 to 2, not {}", self.temperature))
            }
            () if !is_in(self.top_p, f64::MIN_POSITIVE, 1.0) => {
                Err(format!("top_p must be above 0, and at most 1, not {}", self.top_p))
            }
            () if !is_in(self.repetition_penalty.into(), 1.0, 2.0) => {
                Err(format!("repetition_penalty must be from 1 to 2, not {}", self.repetition_penalty))
            }
            () => Ok(()),
        }
    }
}

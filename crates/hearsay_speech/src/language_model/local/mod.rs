//! Language models from GGUF files, which run in this process with candle.

mod chat_template;
mod fast_weights;
mod network;
mod prefix_cache;
mod run;
mod tokenizer;

use std::{
    fmt,
    fs::File,
    ops::ControlFlow,
    path::{Path, PathBuf},
    time::Instant,
};

use candle_core::{Device, quantized::gguf_file};
use candle_transformers::generation::{LogitsProcessor, Sampling};

use super::{ChatPrompt, GenerationLimits, GenerationStats, LanguageModel};
use crate::SpeechError;
use chat_template::ChatTemplate;
use fast_weights::with_fast_weights;
use network::Network;
use prefix_cache::{Prefix, PrefixCache};
use run::{Position, Run};
use tokenizer::ModelTokenizer;

/// Models that this module can run, for error messages.
const SUPPORTED: &str = "a GGUF file of a Llama, SmolLM2, Mistral, Qwen 2 or Qwen 3 model that was trained for chats";

/// Options of a language model that runs in this process.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalModelOptions {
    /// Sampling temperature, from 0.0 to 2.0. With 0.0, the model always chooses the most likely token. Default 0.7.
    pub temperature: f64,
    /// Limit of nucleus sampling (top-p), greater than 0.0 and at most 1.0. Each token is chosen from the most likely
    /// tokens whose probabilities add up to this value. Default 0.9.
    pub top_p: f64,
    /// Factor that makes repeated tokens less likely, at least 1.0. With 1.0, there is no penalty. Default 1.1.
    pub repetition_penalty: f32,
    /// Seed of the random numbers. The same seed and the same prompts give the same texts. Default 0.
    pub seed: u64,
    /// Maximum size of the prompt cache, in bytes. The cache contains states of the model after the beginnings of
    /// recent prompts. Default 512 MiB.
    pub prefix_cache_bytes: usize,
}

impl Default for LocalModelOptions {
    fn default() -> Self {
        Self { temperature: 0.7, top_p: 0.9, repetition_penalty: 1.1, seed: 0, prefix_cache_bytes: 512 << 20 }
    }
}

impl LocalModelOptions {
    fn sampling(&self) -> Sampling {
        match self.temperature {
            temperature if temperature < 1e-7 => Sampling::ArgMax,
            temperature => Sampling::TopP { p: self.top_p, temperature },
        }
    }
}

/// A language model from a GGUF file.
///
/// The model caches its state after the beginnings of recent prompts. Therefore, the model reads a prompt with the same
/// beginning faster.
pub struct LocalModel {
    name: String,
    /// Network without any tokens. `None` during a run if the network cannot be copied.
    network: Option<Network>,
    tokenizer: ModelTokenizer,
    template: ChatTemplate,
    context_tokens: usize,
    options: LocalModelOptions,
    sampler: LogitsProcessor,
    prefixes: PrefixCache,
    device: Device,
}

impl fmt::Debug for LocalModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalModel").field("name", &self.name).field("options", &self.options).finish_non_exhaustive()
    }
}

impl LocalModel {
    /// Loads a language model from a GGUF file. The tokenizer and the chat template come from the same file. However,
    /// if the directory of this file contains a `tokenizer.json`, the tokenizer comes from `tokenizer.json`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, is not a GGUF file, or contains a model that this program cannot
    /// run.
    pub fn load(path: impl AsRef<Path>, options: LocalModelOptions) -> Result<Self, SpeechError> {
        let path = path.as_ref();
        let unreadable = |reason: String| SpeechError::ModelFile { path: path.to_owned(), reason: first_line(&reason) };
        let unsupported =
            |found: String| SpeechError::UnsupportedModel { path: path.to_owned(), found, supported: SUPPORTED };
        let mut file = File::open(path).map_err(|error| unreadable(error.to_string()))?;
        let content = gguf_file::Content::read(&mut file)
            .map_err(|error| unreadable(format!("it is not a complete GGUF file ({error})")))?;
        let device = device().map_err(|error| unreadable(error.to_string()))?;
        let tokenizer = ModelTokenizer::load(&content, &tokenizer_path(path)).map_err(unsupported)?;
        let template = ChatTemplate::load(&content, &tokenizer).map_err(unsupported)?;
        let (architecture, context_tokens) = network::architecture(&content).map_err(unsupported)?;
        let token_bytes = network::state_bytes_per_token(&content, architecture);
        let name = text(&content, "general.name").unwrap_or_else(|| file_stem(path));
        let network = match with_fast_weights(&content, &mut file) {
            Ok(Some((content, mut bytes))) => Network::load(architecture, content, &mut bytes, &device),
            Ok(None) => Network::load(architecture, content, &mut file, &device),
            Err(error) => Err(error),
        };
        let network = network.map_err(|error| unreadable(error.to_string()))?;
        let sampler = LogitsProcessor::from_sampling(options.seed, options.sampling());
        let prefixes = PrefixCache::new(options.prefix_cache_bytes, token_bytes);
        let network = Some(network);
        Ok(Self { name, network, tokenizer, template, context_tokens, options, sampler, prefixes, device })
    }

    /// Returns the network after the longest beginning of the prompt that it has read before. Returns `None` if the
    /// network was lost because an earlier run panicked.
    fn start(&mut self, prompt: &[u32]) -> Option<Position> {
        if let Some(Prefix { tokens, network, logits }) = self.prefixes.longest(prompt) {
            return Some(Position { network, tokens: tokens.len(), logits: Some(logits) });
        }
        let forked = self.network.as_ref().and_then(Network::fork);
        let mut network = forked.or_else(|| self.network.take())?;
        network.clear();
        Some(Position { network, tokens: 0, logits: None })
    }
}

impl LanguageModel for LocalModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn generate(
        &mut self,
        prompt: &ChatPrompt,
        limits: &GenerationLimits,
        emit: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<GenerationStats, SpeechError> {
        let failed = |name: &str, reason: String| SpeechError::Model { name: name.to_owned(), reason };
        let rendered = self.template.render(prompt, &self.tokenizer).map_err(|reason| failed(&self.name, reason))?;
        let parts: Result<Vec<_>, String> =
            rendered.iter().filter(|part| !part.is_empty()).map(|part| self.tokenizer.encode(part)).collect();
        let parts = parts.map_err(|reason| failed(&self.name, reason))?;
        let tokens = parts.iter().map(Vec::len).sum();
        if tokens == 0 || tokens >= self.context_tokens {
            return Err(SpeechError::PromptTooLong { tokens, max_tokens: self.context_tokens });
        }
        let start = Instant::now();
        let position = self.start(&parts.concat());
        let mut position = position.ok_or_else(|| failed(&self.name, "an earlier run failed".to_owned()))?;
        let mut run = Run {
            device: &self.device,
            tokenizer: &self.tokenizer,
            sampler: &mut self.sampler,
            repetition_penalty: self.options.repetition_penalty,
            context_tokens: self.context_tokens,
            limits,
            emit,
            start,
        };
        let written = run.write(&mut position, &parts, &mut self.prefixes);
        // Puts back a network that cannot be copied.
        self.network.get_or_insert(position.network);
        written.map_err(|error| failed(&self.name, first_line(&error.to_string())))
    }
}

/// Returns the device on which the model runs.
fn device() -> Result<Device, candle_core::Error> {
    #[cfg(feature = "cuda")]
    return Device::cuda_if_available(0);
    #[cfg(all(feature = "metal", not(feature = "cuda")))]
    return Device::new_metal(0);
    #[cfg(not(any(feature = "cuda", feature = "metal")))]
    Ok(Device::Cpu)
}

fn tokenizer_path(model: &Path) -> PathBuf {
    model.with_file_name("tokenizer.json")
}

fn file_stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns a text from the metadata of a GGUF file.
fn text(content: &gguf_file::Content, key: &str) -> Option<String> {
    content.metadata.get(key)?.to_string().ok().cloned()
}

/// Returns the first line of an error. Errors of candle contain a backtrace.
fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;

//! The networks of candle-transformers that a GGUF file can contain.

use std::io::{Read, Seek};

use candle_core::{Device, Result, Tensor, quantized::gguf_file};
use candle_transformers::models::{quantized_llama, quantized_qwen2, quantized_qwen3};

/// Family of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Architecture {
    /// Llama, and models with the same structure such as SmolLM2 and Mistral.
    Llama,
    Qwen2,
    Qwen3,
}

impl Architecture {
    const ALL: [(&'static str, Self); 3] = [("llama", Self::Llama), ("qwen2", Self::Qwen2), ("qwen3", Self::Qwen3)];

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, architecture)| *architecture == self).map_or("", |(name, _)| name)
    }
}

/// Maximum number of tokens that the networks of candle-transformers can read, whatever the file says.
const MAX_CONTEXT_TOKENS: usize = 4096;

/// Returns the architecture of a model, and the maximum number of tokens of a prompt with its continuation.
pub(super) fn architecture(content: &gguf_file::Content) -> std::result::Result<(Architecture, usize), String> {
    let name = super::text(content, "general.architecture").unwrap_or_default();
    let known = Architecture::ALL.iter().find(|(known, _)| *known == name);
    let (_, architecture) = known.ok_or_else(|| format!("its architecture is `{name}`"))?;
    let context = number(content, *architecture, "context_length").unwrap_or(MAX_CONTEXT_TOKENS);
    Ok((*architecture, context.min(MAX_CONTEXT_TOKENS)))
}

fn number(content: &gguf_file::Content, architecture: Architecture, key: &str) -> Option<usize> {
    let value = content.metadata.get(&format!("{}.{key}", architecture.name()))?;
    value.to_u32().ok().map(|number| number as usize)
}

/// Returns the size of the keys and values of one token, in bytes.
pub(super) fn state_bytes_per_token(content: &gguf_file::Content, architecture: Architecture) -> usize {
    let number = |key| number(content, architecture, key);
    let heads = number("attention.head_count").unwrap_or(1).max(1);
    let head_dim = number("attention.key_length").or_else(|| Some(number("embedding_length")? / heads)).unwrap_or(64);
    let key_heads = number("attention.head_count_kv").unwrap_or(heads);
    // Keys and values, each with four bytes per number.
    number("block_count").unwrap_or(1) * key_heads * head_dim * 2 * 4
}

/// A network with the keys and values of the tokens that it has read.
pub(super) enum Network {
    Llama(quantized_llama::ModelWeights),
    Qwen2(Box<quantized_qwen2::ModelWeights>),
    Qwen3(quantized_qwen3::ModelWeights),
}

impl Network {
    pub(super) fn load(
        architecture: Architecture,
        content: gguf_file::Content,
        file: &mut (impl Read + Seek),
        device: &Device,
    ) -> Result<Self> {
        Ok(match architecture {
            Architecture::Llama => Self::Llama(quantized_llama::ModelWeights::from_gguf(content, file, device)?),
            Architecture::Qwen2 => {
                Self::Qwen2(Box::new(quantized_qwen2::ModelWeights::from_gguf(content, file, device)?))
            }
            Architecture::Qwen3 => Self::Qwen3(quantized_qwen3::ModelWeights::from_gguf(content, file, device)?),
        })
    }

    /// Returns a copy with the same state. The copy shares the weights, and its later tokens do not change this
    /// network. Returns `None` if the network cannot be copied.
    pub(super) fn fork(&self) -> Option<Self> {
        match self {
            Self::Llama(network) => Some(Self::Llama(network.clone())),
            Self::Qwen3(network) => Some(Self::Qwen3(network.clone())),
            Self::Qwen2(_) => None,
        }
    }

    /// Forgets all tokens.
    pub(super) fn clear(&mut self) {
        match self {
            Self::Llama(network) => network.clear_kv_cache(),
            Self::Qwen2(network) => network.clear_kv_cache(),
            Self::Qwen3(network) => network.clear_kv_cache(),
        }
    }

    /// Reads tokens after the `position` tokens that the network has read. Returns the logits of the next token.
    pub(super) fn forward(&mut self, tokens: &Tensor, position: usize) -> Result<Tensor> {
        match self {
            Self::Llama(network) => network.forward(tokens, position),
            Self::Qwen2(network) => network.forward(tokens, position),
            Self::Qwen3(network) => network.forward(tokens, position),
        }
    }
}

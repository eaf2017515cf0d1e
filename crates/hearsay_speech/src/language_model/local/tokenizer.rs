//! The tokenizer of a language model.

use std::path::Path;

use candle_core::quantized::{gguf_file, tokenizer::TokenizerFromGguf};
use tokenizers::{
    DecodeStream, DecoderWrapper, ModelWrapper, NormalizerWrapper, PostProcessorWrapper, PreTokenizerWrapper,
    Tokenizer,
    pre_tokenizers::{byte_level::ByteLevel, digits::Digits, sequence::Sequence},
};

/// Tokens that end a message, in the chat formats of common models.
const END_TOKENS: [&str; 8] =
    ["<|im_end|>", "<|eot_id|>", "<|end_of_text|>", "<|endoftext|>", "</s>", "<|end|>", "<|eom_id|>", "<end_of_turn>"];

/// A tokenizer with the special tokens of the model.
pub(super) struct ModelTokenizer {
    tokenizer: Tokenizer,
    end_tokens: Vec<u32>,
    special_tokens: Vec<String>,
    pub(super) bos: String,
    pub(super) eos: String,
}

impl ModelTokenizer {
    /// Reads the tokenizer from a `tokenizer.json` if this file exists, otherwise from the GGUF file.
    pub(super) fn load(content: &gguf_file::Content, tokenizer_json: &Path) -> Result<Self, String> {
        let tokenizer = if tokenizer_json.is_file() {
            Tokenizer::from_file(tokenizer_json)
                .map_err(|error| format!("its tokenizer {} cannot be read ({error})", tokenizer_json.display()))?
        } else {
            from_gguf(content)?
        };
        let special_tokens: Vec<String> = tokenizer
            .get_added_tokens_decoder()
            .into_values()
            .filter(|token| token.special)
            .map(|token| token.content)
            .collect();
        let named = |key: &str| {
            let id = content.metadata.get(key)?.to_u32().ok()?;
            tokenizer.id_to_token(id).map(|token| (id, token))
        };
        let (bos, eos) = (named("tokenizer.ggml.bos_token_id"), named("tokenizer.ggml.eos_token_id"));
        let mut end_tokens: Vec<u32> = END_TOKENS.iter().filter_map(|token| tokenizer.token_to_id(token)).collect();
        end_tokens.extend(eos.as_ref().map(|(id, _)| *id));
        let name = |token: Option<(u32, String)>| token.map(|(_, token)| token).unwrap_or_default();
        Ok(Self { tokenizer, end_tokens, special_tokens, bos: name(bos), eos: name(eos) })
    }

    /// Returns the tokens of a text. Special tokens in the text become tokens of the model.
    pub(super) fn encode(&self, text: &str) -> Result<Vec<u32>, String> {
        let encoding = self.tokenizer.encode(text, false).map_err(|error| error.to_string())?;
        Ok(encoding.get_ids().to_vec())
    }

    /// Returns whether a token ends the message.
    pub(super) fn ends_message(&self, token: u32) -> bool {
        self.end_tokens.contains(&token)
    }

    /// Breaks the names of special tokens in a text that comes from data, so that the text cannot end its message or
    /// begin another one.
    pub(super) fn without_special_tokens(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for token in &self.special_tokens {
            if token.chars().count() > 1 && text.contains(token.as_str()) {
                let mut broken: String = token.chars().take(1).collect();
                broken.push(' ');
                broken.extend(token.chars().skip(1));
                text = text.replace(token.as_str(), &broken);
            }
        }
        text
    }

    /// Returns a decoder for one text.
    pub(super) fn decoder(&self) -> Decoder<'_> {
        Decoder(self.tokenizer.decode_stream(true))
    }
}

/// Reads the tokenizer from the metadata of a GGUF file.
fn from_gguf(content: &gguf_file::Content) -> Result<Tokenizer, String> {
    let mut tokenizer = Tokenizer::from_gguf(content).map_err(|error| {
        format!(
            "its tokenizer cannot be read ({}); put its tokenizer.json next to it",
            super::first_line(&error.to_string())
        )
    })?;
    // candle uses the options of GPT-2 for all other tokenizers, and these options add a space before each part.
    let is_default = !matches!(
        super::text(content, "tokenizer.ggml.pre").as_deref(),
        Some("qwen2" | "smaug-bpe" | "lfm2" | "llama3" | "llama-bpe")
    );
    if is_default {
        let bytes = ByteLevel::new(false, true, true);
        tokenizer.with_pre_tokenizer(Some(Sequence::new(vec![Digits::new(true).into(), bytes.into()])));
    }
    Ok(tokenizer)
}

type Stream<'a> =
    DecodeStream<'a, ModelWrapper, NormalizerWrapper, PreTokenizerWrapper, PostProcessorWrapper, DecoderWrapper>;

/// Turns tokens into text. Waits for further tokens where a character needs several.
pub(super) struct Decoder<'a>(Stream<'a>);

impl Decoder<'_> {
    pub(super) fn push(&mut self, token: u32) -> String {
        self.0.step(token).ok().flatten().unwrap_or_default()
    }
}

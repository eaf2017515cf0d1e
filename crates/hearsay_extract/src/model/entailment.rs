//! The entailment model: says whether a spoken reply states a fact, contradicts the fact, or does neither.
//!
//! The model is a small cross-encoder: it reads the reply and the fact together. `training/entailment` contains the
//! training program and the labelled scenes.

use std::{fmt, path::Path};

use hearsay_embed::{EmbedError, EncoderOptions, HeadTensor, TokenModel, TokenText};

/// Directory name of the default entailment model. This directory and the directory of the sentence encoder must have
/// the same parent directory.
pub const ENTAILMENT_MODEL: &str = "hearsay-entailment";

/// Maximum number of tokens of a reply and a fact together. The beginning of a longer reply is left out, as in the
/// training.
const MAX_TOKENS: usize = 192;

/// Token that begins a text, and token that ends each of its two parts.
const BEGIN: u32 = 101;
const END: u32 = 102;

/// Probabilities that a reply states or contradicts a fact.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Entailment {
    /// Probability that a listener learns the fact from the reply, 0.0–1.0.
    pub states: f32,
    /// Probability that the fact cannot be true if the reply is true, 0.0–1.0.
    pub contradicts: f32,
}

/// A spoken reply, with the line that it answers.
#[derive(Debug, Clone, Copy)]
pub struct SpokenReply<'a> {
    /// Name of the character who replies.
    pub speaker: &'a str,
    /// Name of the listener.
    pub listener: &'a str,
    /// Line that the speaker answers; empty if there is none.
    pub question: &'a str,
    /// Words of the reply.
    pub text: &'a str,
}

/// A loaded entailment model. Any number of threads can use it at the same time.
pub struct EntailmentModel {
    encoder: TokenModel,
}

impl fmt::Debug for EntailmentModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EntailmentModel").finish_non_exhaustive()
    }
}

/// Number of classes: neither, states, contradicts.
const CLASSES: usize = 3;

/// Number of components of a token vector.
const HIDDEN_SIZE: usize = 384;

impl EntailmentModel {
    /// Loads a model from a directory with `config.json`, `tokenizer.json` and `model.safetensors`. `options` sets the
    /// number of threads and the precision.
    ///
    /// # Errors
    /// Returns an [`EmbedError`] if a file is missing or damaged.
    pub fn load(dir: &Path, options: &EncoderOptions) -> Result<Self, EmbedError> {
        let tensors = [
            HeadTensor { name: "classifier.weight", shape: &[CLASSES, HIDDEN_SIZE] },
            HeadTensor { name: "classifier.bias", shape: &[CLASSES] },
        ];
        Ok(Self { encoder: TokenModel::load(dir, &tensors, options)? })
    }

    /// Compares a reply with facts. Returns one result for each fact, in the same order.
    ///
    /// # Errors
    /// Returns an [`EmbedError`] if the tokenizer cannot process a text, or if the model's files are inconsistent.
    pub fn compare(&self, reply: SpokenReply<'_>, facts: &[&str]) -> Result<Vec<Entailment>, EmbedError> {
        let SpokenReply { speaker, listener, question, text } = reply;
        let premise = self.encoder.pieces(&format!("{listener}: {question} {speaker}: {text}"))?;
        let texts = facts.iter().map(|fact| self.pair(&premise, fact)).collect::<Result<Vec<_>, _>>()?;
        let (weight, bias) = (self.encoder.head("classifier.weight"), self.encoder.head("classifier.bias"));
        let vectors = self.encoder.encode_first(&texts)?;
        Ok(vectors.iter().map(|vector| classify(vector, weight, bias)).collect())
    }

    fn pair(&self, premise: &[u32], fact: &str) -> Result<TokenText, EmbedError> {
        let fact = self.encoder.pieces(fact)?;
        let kept = MAX_TOKENS.saturating_sub(fact.len()).min(premise.len());
        let premise = &premise[premise.len() - kept..];
        let mut ids = vec![BEGIN];
        ids.extend_from_slice(premise);
        ids.push(END);
        let mut types = vec![0; ids.len()];
        ids.extend_from_slice(&fact);
        ids.push(END);
        types.resize(ids.len(), 1);
        Ok(TokenText { ids, types })
    }
}

fn classify(vector: &[f32], weight: &[f32], bias: &[f32]) -> Entailment {
    let scores = weight.chunks(vector.len().max(1)).zip(bias);
    let scores: Vec<f32> =
        scores.map(|(row, bias)| bias + row.iter().zip(vector).map(|(a, b)| a * b).sum::<f32>()).collect();
    let max = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let exponentials: Vec<f32> = scores.iter().map(|score| (score - max).exp()).collect();
    let total: f32 = exponentials.iter().sum();
    match exponentials.as_slice() {
        [_, states, contradicts] => Entailment { states: states / total, contradicts: contradicts / total },
        _ => Entailment::default(),
    }
}

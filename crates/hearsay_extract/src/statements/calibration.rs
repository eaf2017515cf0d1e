//! Calibration: the probability that a statement is right.

use std::path::Path;

use hearsay_embed::EmbedError;
use serde::{Deserialize, Serialize};

use super::sentence::StatementText;
use crate::model::{DecodedStatement, LineReading, Status};

/// Names of the features of a statement, in the order of [`StatementFeatures`].
pub const FEATURE_NAMES: [&str; 14] = [
    "begins",
    "continues",
    "resolved",
    "references",
    "out_of_character",
    "in_character",
    "doubt",
    "new_name",
    "length",
    "vague",
    "pronouns",
    "starts",
    "ends",
    "right",
];

/// Features of a statement, in the order of [`FEATURE_NAMES`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StatementFeatures(pub [f64; FEATURE_NAMES.len()]);

impl StatementFeatures {
    pub(crate) fn from_statement(reading: &LineReading, decoded: &DecodedStatement, sentence: &StatementText) -> Self {
        let logit = |p: f32| {
            let p = f64::from(p).clamp(1e-4, 1.0 - 1e-4);
            (p / (1.0 - p)).ln()
        };
        let [_, in_character, out_of_character] = reading.talk_probabilities;
        let asserted: f32 = Status::ALL
            .iter()
            .zip(decoded.status_probabilities)
            .filter(|(status, _)| **status != Status::Hedged)
            .map(|(_, p)| p)
            .sum();
        Self([
            logit(decoded.begin_probability),
            logit(decoded.continue_probability),
            f64::from(sentence.certainty.max(1e-4)).ln(),
            sentence.resolved.len() as f64,
            logit(out_of_character),
            f64::from(in_character),
            logit(1.0 - asserted),
            f64::from(u8::from(sentence.has_new_name)),
            (decoded.words.len() as f64).ln(),
            f64::from(sentence.vague_words),
            f64::from(sentence.pronoun_count),
            f64::from(u8::from(sentence.starts_at_boundary)),
            f64::from(u8::from(sentence.ends_at_boundary)),
            f64::from(decoded.correctness_logit),
        ])
    }
}

/// Logistic regression from features to the probability that a statement is right. Its weights were fitted on labelled
/// text that was not used to train the model.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Calibration {
    written: Weights,
    spoken: Weights,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Weights {
    bias: f64,
    weights: [f64; FEATURE_NAMES.len()],
}

impl Calibration {
    /// Reads `calibration.json` from the directory of a model.
    pub(crate) fn read(dir: &Path) -> Result<Self, EmbedError> {
        let path = dir.join("calibration.json");
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(EmbedError::MissingFile { path }),
            Err(source) => return Err(EmbedError::UnreadableFile { path, source }),
        };
        serde_json::from_str(&text).map_err(|source| EmbedError::InvalidJson { path, source })
    }

    /// Returns the probability that a statement is right. `is_written` tells whether its line was written or spoken.
    pub(crate) fn probability(&self, is_written: bool, features: &StatementFeatures) -> f64 {
        let Weights { bias, weights } = if is_written { &self.written } else { &self.spoken };
        let sum: f64 = weights.iter().zip(features.0).map(|(weight, value)| weight * value).sum();
        1.0 / (1.0 + (-(bias + sum)).exp())
    }
}

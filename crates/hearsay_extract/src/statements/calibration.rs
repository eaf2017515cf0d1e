//! Calibration: the probability that a statement is right.

use std::path::Path;

use hearsay_embed::EmbedError;
use serde::{Deserialize, Serialize};

use super::sentence::Sentence;
use crate::model::{Found, LineReading, Status};

/// Names of the features of a statement, in the order of [`Features`].
pub const FEATURES: [&str; 14] = [
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

/// Features of a statement, in the order of [`FEATURES`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Features(pub [f64; FEATURES.len()]);

impl Features {
    pub(crate) fn of(reading: &LineReading, found: &Found, sentence: &Sentence) -> Self {
        let logit = |p: f32| {
            let p = f64::from(p).clamp(1e-4, 1.0 - 1e-4);
            (p / (1.0 - p)).ln()
        };
        let [_, in_character, out_of_character] = reading.talk;
        let asserted: f32 =
            Status::ALL.iter().zip(found.status).filter(|(status, _)| **status != Status::Hedged).map(|(_, p)| p).sum();
        Self([
            logit(found.begins),
            logit(found.continues),
            f64::from(sentence.certainty.max(1e-4)).ln(),
            sentence.resolved.len() as f64,
            logit(out_of_character),
            f64::from(in_character),
            logit(1.0 - asserted),
            f64::from(u8::from(sentence.names_new)),
            (found.words.len() as f64).ln(),
            f64::from(sentence.vague),
            f64::from(sentence.pronouns),
            f64::from(u8::from(sentence.starts)),
            f64::from(u8::from(sentence.ends)),
            f64::from(found.right),
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
    weights: [f64; FEATURES.len()],
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

    /// Returns the probability that a statement is right. `written` tells whether its line was written or spoken.
    pub(crate) fn probability(&self, written: bool, features: &Features) -> f64 {
        let Weights { bias, weights } = if written { &self.written } else { &self.spoken };
        let sum: f64 = weights.iter().zip(features.0).map(|(weight, value)| weight * value).sum();
        1.0 / (1.0 + (-(bias + sum)).exp())
    }
}

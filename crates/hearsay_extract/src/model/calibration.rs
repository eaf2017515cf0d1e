//! Calibration: computes the probability that a statement of the reading model is right.

use std::path::Path;

use hearsay_embed::EmbedError;
use serde::{Deserialize, Serialize};

/// Names of the features of a statement, in the order of their weights in `calibration.json`.
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

/// Logistic regression from features to the probability that a statement is right. The weights of the regression were
/// fitted on labelled text that was not used to train the model.
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
    /// Creates a calibration with the same bias and weights for written and spoken lines.
    pub(crate) fn new(bias: f64, weights: [f64; FEATURE_NAMES.len()]) -> Self {
        let weights = Weights { bias, weights };
        Self { written: weights.clone(), spoken: weights }
    }

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

    /// Returns the probability that a statement with these features is right. `is_written` tells whether its line was
    /// written or spoken.
    pub(crate) fn probability(&self, is_written: bool, features: &[f64; FEATURE_NAMES.len()]) -> f64 {
        let Weights { bias, weights } = if is_written { &self.written } else { &self.spoken };
        let sum: f64 = weights.iter().zip(features).map(|(weight, value)| weight * value).sum();
        1.0 / (1.0 + (-(bias + sum)).exp())
    }
}

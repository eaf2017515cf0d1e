//! Features of a statement. The [calibration](crate::model) computes from them the probability that the statement is
//! right.

use hearsay_model::Factuality;
use serde::Serialize;

use super::sentence::StatementText;
use crate::model::{DecodedStatement, FEATURE_NAMES, LineReading};

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
        let asserted: f32 = Factuality::ALL
            .iter()
            .zip(decoded.status_probabilities)
            .filter(|(status, _)| **status != Factuality::Hedged)
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

//! Measures the speed of the sentence encoder.

use std::{path::Path, time::Instant};

use hearsay_embed::{EmbedError, Encoder, EncoderOptions};
use serde::Serialize;

const QUERY: &str = "What does Grimjaw know about the missing shipment near the old mill?";
const WARM_UP: usize = 20;
const QUERIES: usize = 200;
const DOCUMENTS: usize = 256;
const BATCH: usize = 32;

/// Measured speed of the encoder.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Speed {
    /// Number of encoder threads.
    pub threads: usize,
    /// Median time of a question of 17 tokens in milliseconds, over 200 questions.
    pub query_ms_p50: f64,
    /// 95th percentile of the time of a question of 17 tokens in milliseconds, over 200 questions.
    pub query_ms_p95: f64,
    /// Number of documents per second, for documents of 36 tokens in batches of 32.
    pub documents_per_s: f64,
}

/// Measures the encoder with the model in the directory `model`. If `model` is `None`, uses the model that
/// [`Encoder::open`] finds.
///
/// # Errors
///
/// Returns an error if there is no model, or the model cannot be loaded.
pub fn measure(model: Option<&Path>, options: EncoderOptions) -> Result<Speed, EmbedError> {
    let encoder = Encoder::open(model, options)?;
    for _ in 0..WARM_UP {
        encoder.encode(&[QUERY])?;
    }
    let mut times = (0..QUERIES)
        .map(|_| {
            let start = Instant::now();
            // `encode_one` would return the cached vector of an earlier repetition, so `encode` is used.
            encoder.encode(&[QUERY])?;
            Ok(start.elapsed().as_secs_f64() * 1e3)
        })
        .collect::<Result<Vec<f64>, EmbedError>>()?;
    times.sort_by(f64::total_cmp);

    let documents: Vec<String> = (0..DOCUMENTS)
        .map(|i| {
            format!(
                "Grimjaw the blacksmith told the party that the missing shipment was last seen near the old mill, \
                 guarded by members of the Thieves Guild who answer to Elara. {i}"
            )
        })
        .collect();
    let documents: Vec<&str> = documents.iter().map(String::as_str).collect();
    let start = Instant::now();
    for batch in documents.chunks(BATCH) {
        encoder.encode(batch)?;
    }
    Ok(Speed {
        threads: encoder.threads(),
        query_ms_p50: times[QUERIES / 2],
        query_ms_p95: times[QUERIES * 95 / 100],
        documents_per_s: DOCUMENTS as f64 / start.elapsed().as_secs_f64(),
    })
}

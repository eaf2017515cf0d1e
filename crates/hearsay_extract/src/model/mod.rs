//! The reading model. The model consists of a small encoder, which was trained on real table talk, and of heads. A head
//! is a linear layer that computes results from the output of the encoder.
//!
//! The model reads a [`Window`](window::Window) of consecutive lines. For each line, the model returns the kind of talk
//! and the statements that are worth recording. For each statement, the model returns the status, the subject, and the
//! character who makes the statement. The model also returns the entities to which the pronouns and descriptions of the
//! statement refer. `training/` contains the training program and the labels.

mod byte_model;
mod calibration;
mod decoder;
pub(crate) mod entailment;
mod heads;
mod reading;
pub(crate) mod window;

use std::{fmt::Debug, path::Path};

use hearsay_embed::{EmbedError, EncoderOptions, TokenModel, TokenText};

use calibration::Calibration;
pub use calibration::FEATURE_NAMES;
use heads::Heads;
pub(crate) use reading::{DecodedStatement, LikelyReferent, LineReading, Reference, Referent};
use window::Window;
pub use window::WindowSize;

/// Directory name of the default reading model. This directory and the directory of the sentence encoder must have the
/// same parent directory.
pub const READING_MODEL: &str = "hearsay-reader";

/// Encoder of a reading model: divides words into tokens, and computes a vector for each token of a text.
trait TokenEncoder: Debug + Send + Sync {
    /// Returns the token ids of a word.
    fn token_ids(&self, word: &str) -> Result<Vec<u32>, EmbedError>;

    /// Returns the token vectors of each text, one after the other.
    fn token_vectors(&self, texts: &[TokenText]) -> Result<Vec<Vec<f32>>, EmbedError>;
}

impl TokenEncoder for TokenModel {
    fn token_ids(&self, word: &str) -> Result<Vec<u32>, EmbedError> {
        self.pieces(word)
    }

    fn token_vectors(&self, texts: &[TokenText]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.encode(texts)
    }
}

/// A loaded reading model. Any number of threads can use it at the same time.
#[derive(Debug)]
pub struct ReadingModel {
    encoder: Box<dyn TokenEncoder>,
    heads: Heads,
    pub(crate) calibration: Calibration,
    pub(crate) window_size: WindowSize,
}

impl ReadingModel {
    /// Loads a model from a directory with `config.json`, `tokenizer.json`, `model.safetensors` and `calibration.json`.
    /// `options` sets the number of threads and the precision of the encoder.
    ///
    /// # Errors
    /// Returns an [`EmbedError`] if a file is missing or damaged.
    pub fn load(dir: &Path, options: &EncoderOptions) -> Result<Self, EmbedError> {
        let tokens = TokenModel::load(dir, &heads::TENSORS, options)?;
        let heads = Heads::new(|name| tokens.head(name).to_vec());
        let calibration = Calibration::read(dir)?;
        Ok(Self { encoder: Box::new(tokens), heads, calibration, window_size: WindowSize::default() })
    }

    /// Sets the size of the windows in which the model reads a document. If the windows contain less context, the model
    /// reads faster, but may not find out to whom some pronouns refer.
    #[must_use]
    pub fn with_window_size(self, window_size: WindowSize) -> Self {
        Self { window_size, ..self }
    }

    /// Returns the token ids of a word.
    pub(crate) fn token_ids(&self, word: &str) -> Vec<u32> {
        // A word for which the tokenizer has no ids becomes the unknown token.
        self.encoder.token_ids(word).ok().filter(|ids| !ids.is_empty()).unwrap_or_else(|| vec![window::UNK_TOKEN])
    }

    /// Reads windows. Returns one reading for each line to be read, in order.
    ///
    /// # Errors
    /// Returns an error if the model's files are inconsistent in a way that loading did not detect.
    pub(crate) fn read_windows(&self, windows: &[Window]) -> Result<Vec<LineReading>, EmbedError> {
        let texts: Vec<_> = windows.iter().map(|window| window.tokens.clone()).collect();
        let vectors = self.encoder.token_vectors(&texts)?;
        Ok(windows
            .iter()
            .zip(&vectors)
            .flat_map(|(window, rows)| decoder::decode_lines(&self.heads, window, rows))
            .collect())
    }
}

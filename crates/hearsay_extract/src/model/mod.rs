//! The reading model: a small encoder that was trained on real table talk, and its heads.
//!
//! The model reads a [`Window`](window::Window) of consecutive lines. For each line, it returns the kind of talk and
//! the statements that are worth recording. For each statement, it returns the status, the subject, the character who
//! makes it, and the referents of its pronouns and descriptions. `training/` contains the training program and the
//! labels.

mod calibration;
mod decoder;
mod heads;
mod reading;
pub(crate) mod window;

use std::path::Path;

use hearsay_embed::{EmbedError, EncoderOptions, TokenModel};

use calibration::Calibration;
pub use calibration::FEATURE_NAMES;
use heads::Heads;
pub(crate) use reading::{DecodedStatement, LikelyReferent, LineReading, Referent, Status};
use window::Window;

/// Directory name of the default reading model. It is looked for beside the directory of the sentence encoder.
pub const READING_MODEL: &str = "hearsay-reader";

/// A loaded reading model. Any number of threads can use it at the same time.
#[derive(Debug)]
pub struct ReadingModel {
    tokens: TokenModel,
    heads: Heads,
    pub(crate) calibration: Calibration,
}

impl ReadingModel {
    /// Loads a model from a directory with `config.json`, `tokenizer.json`, `model.safetensors` and `calibration.json`.
    /// The model uses `threads` threads.
    ///
    /// # Errors
    /// Returns an [`EmbedError`] if a file is missing or damaged.
    pub fn load(dir: &Path, threads: usize) -> Result<Self, EmbedError> {
        let tokens = TokenModel::load(dir, &heads::TENSORS, &EncoderOptions { threads })?;
        let heads = Heads::load(&tokens);
        Ok(Self { calibration: Calibration::read(dir)?, tokens, heads })
    }

    /// Returns the token ids of a word.
    pub(crate) fn token_ids(&self, word: &str) -> Vec<u32> {
        // A word for which the tokenizer has no ids becomes the unknown token.
        self.tokens.pieces(word).ok().filter(|ids| !ids.is_empty()).unwrap_or_else(|| vec![window::UNK_TOKEN])
    }

    /// Reads windows. Returns one reading for each line to be read, in order.
    ///
    /// # Errors
    /// Returns an error if the model's files are inconsistent in a way that loading did not detect.
    pub(crate) fn read_windows(&self, windows: &[Window]) -> Result<Vec<LineReading>, EmbedError> {
        let texts: Vec<_> = windows.iter().map(|window| window.tokens.clone()).collect();
        let vectors = self.tokens.encode(&texts)?;
        Ok(windows
            .iter()
            .zip(&vectors)
            .flat_map(|(window, rows)| decoder::decode_lines(&self.heads, window, rows))
            .collect())
    }
}

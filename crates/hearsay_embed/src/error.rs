//! Errors of this crate. Each message tells which file to look at and what to do.

use std::path::PathBuf;

use crate::lookup::SearchedPlace;

/// Errors of this crate.
///
/// Each message names the cause and the remedy. Nothing is loaded in part: after a loading error
/// there is no encoder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// No usual place holds a model. The message lists all of them.
    #[error(
        "no sentence encoder model found. Searched:\n{}\nPut a sentence-transformers directory \
         (config.json, tokenizer.json, model.safetensors) in one of these places, or set {} to it. \
         Without a model, recall works by words and graph alone",
        list(searched),
        crate::MODEL_DIR_VAR
    )]
    ModelNotFound {
        /// Every place that was searched, in order, with its problem.
        searched: Vec<SearchedPlace>,
    },

    /// A directory given as an argument or in the environment variable does not hold a model. No
    /// other model replaces it, because vectors of two models do not mix.
    #[error(
        "{place} does not hold a model: {}. Point it at a directory with config.json, \
         tokenizer.json and model.safetensors, or leave it unset to search the usual places",
        place.problem()
    )]
    NotAModel {
        /// The directory, the setting that names it, and what it lacks.
        place: SearchedPlace,
    },

    /// A file that the model needs is missing.
    #[error("{path} is missing. Copy the whole model directory again", path = path.display())]
    MissingFile {
        /// Path of the missing file.
        path: PathBuf,
    },

    /// A file exists but cannot be read.
    #[error("{path} cannot be read: {source}. Check that it is a file and its permissions", path = path.display())]
    UnreadableFile {
        /// Path of the file.
        path: PathBuf,
        /// Error from the operating system.
        source: std::io::Error,
    },

    /// A configuration file is not JSON, or a field has the wrong type.
    #[error(
        "{path} is not the JSON it should be: {source}. Copy the file again from the model",
        path = path.display()
    )]
    InvalidJson {
        /// The file.
        path: PathBuf,
        /// Line, column and expected syntax.
        source: serde_json::Error,
    },

    /// A field of a configuration file has an invalid value.
    #[error(
        "{path}: `{field}` {problem}. Copy the file again from the model",
        path = path.display()
    )]
    InvalidConfig {
        /// The file.
        path: PathBuf,
        /// The field in it.
        field: &'static str,
        /// Problem with the value, and the expected value.
        problem: String,
    },

    /// The model is valid, but of a kind that this crate cannot run.
    #[error(
        "{path}: {found} is not supported. Use a BERT sentence-transformers model such as \
         all-MiniLM-L6-v2, bge-small-en-v1.5 or e5-small-v2",
        path = path.display()
    )]
    UnsupportedModel {
        /// File that specifies the unsupported feature.
        path: PathBuf,
        /// Unsupported feature.
        found: String,
    },

    /// The weights file is empty, truncated or otherwise not a safetensors file.
    #[error("{path} is damaged: {problem}. Copy the file again from the model", path = path.display())]
    DamagedWeights {
        /// The file.
        path: PathBuf,
        /// Problem with the file.
        problem: String,
    },

    /// The weights file lacks a tensor that `config.json` requires.
    #[error(
        "{path} has no tensor `{tensor}`. The weights do not belong to the config.json beside \
         them; copy both from the same model",
        path = path.display()
    )]
    MissingTensor {
        /// The file.
        path: PathBuf,
        /// The tensor's name.
        tensor: String,
    },

    /// A tensor has a different shape from the one that `config.json` requires.
    #[error(
        "{path}: tensor `{tensor}` has shape {found:?}, and config.json calls for {expected:?}. \
         Copy weights and config.json from the same model",
        path = path.display()
    )]
    WrongShape {
        /// The file.
        path: PathBuf,
        /// The tensor's name.
        tensor: String,
        /// Shape that the configuration requires.
        expected: Vec<usize>,
        /// Shape in the file.
        found: Vec<usize>,
    },

    /// `tokenizer.json` cannot be used.
    #[error(
        "{path} is not a usable tokenizer: {problem}. Copy the file again from the model",
        path = path.display()
    )]
    InvalidTokenizer {
        /// The file.
        path: PathBuf,
        /// Problem with the file.
        problem: String,
    },

    /// The tokenizer rejected a text. Tokenizers of BERT models accept every text.
    #[error(
        "the tokenizer rejected a text of {bytes} bytes: {problem}. Check that tokenizer.json \
         belongs to the model"
    )]
    Tokenize {
        /// Length of the text, in bytes.
        bytes: usize,
        /// Error from the tokenizer.
        problem: String,
    },

    /// The forward pass failed or produced numbers that are not finite.
    #[error("the model could not encode a text: {problem}. Copy the model directory again")]
    Inference {
        /// Cause of the failure.
        problem: String,
    },

    /// The encoder's threads could not be started.
    #[error("could not start {threads} encoder thread(s): {problem}. Ask for fewer threads")]
    Threads {
        /// Number of threads requested.
        threads: usize,
        /// Error from the operating system.
        problem: String,
    },
}

fn list(searched: &[SearchedPlace]) -> String {
    searched.iter().map(|place| format!("  - {place}: {}", place.problem())).collect::<Vec<_>>().join("\n")
}

/// Converts a candle error. Its text may contain a backtrace; the first line is the message.
pub(crate) fn inference(error: candle_core::Error) -> EmbedError {
    let text = error.to_string();
    EmbedError::Inference { problem: text.lines().next().unwrap_or_default().to_owned() }
}

//! Errors of this crate.

use std::path::PathBuf;

use crate::searched_directory::{MODEL_DIR_VAR, SearchedDirectory};

/// Errors of this crate.
///
/// Each message names the cause, and says what to do. After an error, no model is loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// No default directory contains a model. The message lists all searched directories.
    #[error(
        "no sentence encoder model found. Searched:\n{}\nTo fetch the model, run `hearsay model fetch`. You can also \
         put a sentence-transformers directory (config.json, tokenizer.json, model.safetensors) in one of these \
         directories, or set {} to its path. Without a model, Hearsay ranks search results by keywords and relations \
         only",
        list(searched),
        MODEL_DIR_VAR
    )]
    ModelNotFound {
        /// All searched directories, in order, each with its problem.
        searched: Vec<SearchedDirectory>,
    },

    /// The directory in the argument or in the environment variable does not contain a model. The search does not
    /// continue in other directories, because the vectors of different models cannot be compared.
    #[error(
        "{directory} contains no sentence encoder model: {problem}. Set the path to a directory with config.json, \
         tokenizer.json and model.safetensors, or leave the path unset to search the default directories",
        problem = directory.problem()
    )]
    NotAModel {
        /// The directory, the setting that names it, and the missing file.
        directory: SearchedDirectory,
    },

    /// A file that the model needs is missing.
    #[error("the file {path} of the sentence encoder model is missing. Copy the whole model directory again", path = path.display())]
    MissingFile {
        /// Path of the missing file.
        path: PathBuf,
    },

    /// A file exists but cannot be read.
    #[error(
        "{path} cannot be read: {source}. Check that the path leads to a file, and that you have permission to \
         read this file",
        path = path.display()
    )]
    UnreadableFile {
        /// Path of the file.
        path: PathBuf,
        /// Error from the operating system.
        source: std::io::Error,
    },

    /// A configuration file is not JSON, or a field has the wrong type.
    #[error(
        "the model file {path} does not contain the expected JSON: {source}. Download this file again",
        path = path.display()
    )]
    InvalidJson {
        /// Path of the file.
        path: PathBuf,
        /// Line, column and expected syntax.
        source: serde_json::Error,
    },

    /// A field of a configuration file has an invalid value.
    #[error(
        "in the model file {path}, the field `{field}` {problem}. Download this file again",
        path = path.display()
    )]
    InvalidConfig {
        /// Path of the file.
        path: PathBuf,
        /// Name of the field.
        field: &'static str,
        /// Problem with the value, and the expected value.
        problem: String,
    },

    /// The model is valid, but this crate does not support it.
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

    /// The weights file is empty, truncated or not a safetensors file.
    #[error("the model file {path} is damaged: {problem}. Download this file again", path = path.display())]
    DamagedWeights {
        /// Path of the file.
        path: PathBuf,
        /// Problem with the file.
        problem: String,
    },

    /// The weights file lacks a tensor that `config.json` requires.
    #[error(
        "the weights file {path} has no tensor `{tensor}`, which config.json requires. The weights and config.json \
         belong to different models; copy both files from the same model",
        path = path.display()
    )]
    MissingTensor {
        /// Path of the file.
        path: PathBuf,
        /// Name of the tensor.
        tensor: String,
    },

    /// A tensor does not have the shape that `config.json` requires.
    #[error(
        "in the weights file {path}, the tensor `{tensor}` has the shape {found:?}, but config.json requires the shape \
         {expected:?}. Copy the weights and config.json from the same model",
        path = path.display()
    )]
    WrongShape {
        /// Path of the file.
        path: PathBuf,
        /// Name of the tensor.
        tensor: String,
        /// Shape that `config.json` requires.
        expected: Vec<usize>,
        /// Shape in the weights file.
        found: Vec<usize>,
    },

    /// `tokenizer.json` is not a usable tokenizer for the model.
    #[error(
        "the file {path} is not a usable tokenizer: {problem}. Download this file again",
        path = path.display()
    )]
    InvalidTokenizer {
        /// Path of the file.
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

    /// The model could not encode a text, or its result contains numbers that are not finite.
    #[error("the sentence encoder could not encode a text: {problem}. Copy the model directory again")]
    Inference {
        /// Cause of the failure.
        problem: String,
    },

    /// The encoder's threads could not be started.
    #[error("the sentence encoder could not start {threads} thread(s): {problem}. Set a lower number of threads")]
    Threads {
        /// Requested number of threads.
        threads: usize,
        /// Error from the operating system.
        problem: String,
    },
}

fn list(searched: &[SearchedDirectory]) -> String {
    searched.iter().map(|directory| format!("  - {directory}: {}", directory.problem())).collect::<Vec<_>>().join("\n")
}

/// Converts a candle error. Keeps only the first line of its text, because a backtrace may follow.
pub(crate) fn inference(error: candle_core::Error) -> EmbedError {
    let text = error.to_string();
    EmbedError::Inference { problem: text.lines().next().unwrap_or_default().to_owned() }
}

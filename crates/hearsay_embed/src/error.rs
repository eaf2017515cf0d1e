//! What can go wrong, said so that the reader knows which file to look at and what to do.

use std::path::PathBuf;

use crate::lookup::SearchedPlace;

/// Everything that can fail in this crate.
///
/// Each message names the file and what to do about it. Nothing is loaded in part: after an error
/// there is no encoder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// No model in any of the usual places. The message lists all of them.
    #[error(
        "no sentence encoder model found. Searched:\n{}\nPut a sentence-transformers directory \
         (config.json, tokenizer.json, model.safetensors) in one of these places, or set {} to it. \
         Without a model, recall works by words and graph alone",
        list(searched),
        crate::MODEL_DIR_VAR
    )]
    ModelNotFound {
        /// Every place that was looked at, in order, with what was wrong there.
        searched: Vec<SearchedPlace>,
    },

    /// A directory that was asked for by name (an argument or the environment variable) is not a
    /// model. It is not passed over for another one: vectors of two models do not mix.
    #[error(
        "{place} does not hold a model: {}. Point it at a directory with config.json, \
         tokenizer.json and model.safetensors, or leave it unset to search the usual places",
        place.problem()
    )]
    NotAModel {
        /// The directory, who asked for it, and what it lacks.
        place: SearchedPlace,
    },

    /// A file that the model needs is not there.
    #[error("{path} is missing. Copy the whole model directory again", path = path.display())]
    MissingFile {
        /// The file.
        path: PathBuf,
    },

    /// A file is there and cannot be read.
    #[error("{path} cannot be read: {source}. Check that it is a file and its permissions", path = path.display())]
    UnreadableFile {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
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
        /// Line, column and what was expected there.
        source: serde_json::Error,
    },

    /// A field of a configuration file has a value that makes no sense.
    #[error(
        "{path}: `{field}` {problem}. Copy the file again from the model",
        path = path.display()
    )]
    InvalidConfig {
        /// The file.
        path: PathBuf,
        /// The field in it.
        field: &'static str,
        /// What is wrong with its value, and what was expected.
        problem: String,
    },

    /// The model is sound, but of a kind that this crate cannot run.
    #[error(
        "{path}: {found} is not supported. Use a BERT sentence-transformers model such as \
         all-MiniLM-L6-v2, bge-small-en-v1.5 or e5-small-v2",
        path = path.display()
    )]
    UnsupportedModel {
        /// The file that says so.
        path: PathBuf,
        /// The unsupported thing.
        found: String,
    },

    /// The weights file is empty, truncated or otherwise not a safetensors file.
    #[error("{path} is damaged: {problem}. Copy the file again from the model", path = path.display())]
    DamagedWeights {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },

    /// The weights file lacks a tensor that `config.json` calls for.
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

    /// A tensor has another shape than `config.json` calls for.
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
        /// The shape that the configuration calls for.
        expected: Vec<usize>,
        /// The shape in the file.
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
        /// What is wrong.
        problem: String,
    },

    /// The tokenizer rejected a text, which tokenizers of BERT models do not do.
    #[error(
        "the tokenizer rejected a text of {bytes} bytes: {problem}. Check that tokenizer.json \
         belongs to the model"
    )]
    Tokenize {
        /// The length of the text.
        bytes: usize,
        /// What the tokenizer said.
        problem: String,
    },

    /// The forward pass failed, or gave numbers that are not finite.
    #[error("the model could not encode a text: {problem}. Copy the model directory again")]
    Inference {
        /// What went wrong.
        problem: String,
    },

    /// The encoder's threads could not be started.
    #[error("could not start {threads} encoder thread(s): {problem}. Ask for fewer threads")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the operating system said.
        problem: String,
    },
}

fn list(searched: &[SearchedPlace]) -> String {
    searched.iter().map(|place| format!("  - {place}: {}", place.problem())).collect::<Vec<_>>().join("\n")
}

/// Candle's errors carry a backtrace with them when one is enabled; the first line is the message.
pub(crate) fn inference(error: candle_core::Error) -> EmbedError {
    let text = error.to_string();
    EmbedError::Inference { problem: text.lines().next().unwrap_or_default().to_owned() }
}

//! Errors of this crate.

use std::{path::PathBuf, sync::Arc};

use hearsay_engine::MemoryError;
use thiserror::Error;

/// Error of a reply, or of a language model that writes replies.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum SpeechError {
    /// The file of a language model cannot be read.
    #[error("the language model file {path} cannot be read: {reason}", path = path.display())]
    ModelFile {
        /// Path of the file.
        path: PathBuf,
        /// Reason why the file cannot be read.
        reason: String,
    },
    /// The file contains a language model that this program cannot run.
    #[error("Hearsay cannot run the language model in {path}: {found}; use {supported}", path = path.display())]
    UnsupportedModel {
        /// Path of the file.
        path: PathBuf,
        /// Part of the model that is not supported.
        found: String,
        /// Models that can be used instead.
        supported: &'static str,
    },
    /// The prompt has more tokens than the language model can read.
    #[error(
        "the prompt has {tokens} tokens, but the language model can read at most {max_tokens}; lower \
         `prompt_tokens` in the section [speech] of hearsay.toml"
    )]
    PromptTooLong {
        /// Number of tokens of the prompt.
        tokens: usize,
        /// Maximum number of tokens of a prompt.
        max_tokens: usize,
    },
    /// The language model failed while it was writing a text.
    #[error("the language model {name} failed: {reason}")]
    Model {
        /// Name of the language model.
        name: String,
        /// Problem.
        reason: String,
    },
    /// The memory could not answer the question.
    #[error(transparent)]
    Memory(Arc<MemoryError>),
    /// A setting of the section `[speech]` is invalid.
    #[error("the settings in the section [speech] of hearsay.toml are invalid: {problem}", problem = .0)]
    Settings(String),
    /// The thread of the language model could not be started.
    #[error("Hearsay could not start the thread of the language model: {reason}", reason = .0)]
    Thread(String),
    /// The thread of the language model has ended.
    #[error("the thread of the language model ended because of a bug in this program; restart the program")]
    Stopped,
}

impl From<MemoryError> for SpeechError {
    fn from(error: MemoryError) -> Self {
        Self::Memory(Arc::new(error))
    }
}

//! # hearsay_embed
//!
//! The sentence encoder of Hearsay. The encoder converts texts to vectors. With these vectors, a search can find texts
//! that have a similar meaning but different words. The encoder runs sentence-transformers models of the BERT family on
//! the CPU with [candle](candle_core), without network access.
//!
//! # Quick start
//!
//! ```no_run
//! use hearsay_embed::{Encoder, EncoderOptions, dot};
//!
//! # fn main() -> Result<(), hearsay_embed::EmbedError> {
//! let encoder = Encoder::open(None, EncoderOptions::default())?;
//! let vectors = encoder.encode(&[
//!     "Who stole the crown?",
//!     "Mira took the king's diadem.",
//! ])?;
//! let cosine = dot(&vectors[0], &vectors[1]);
//! # let _ = cosine;
//! # Ok(())
//! # }
//! ```
//!
//! If you cache vectors, use the [`text_hash`] of the text and the [`ModelInfo::id`] of the model as the cache key.
//!
//! # Guarantees
//!
//! - **A vector depends only on its text.** The other texts in a batch, the order of the texts, and
//!   [`EncoderOptions::threads`] do not change a single bit of the vector. This guarantee is valid for one binary and
//!   one set of CPU features. Another processor may round the last bits differently.
//! - **The encoder works offline.** It downloads no files. A model is a directory of files, or is compiled into the
//!   program.
//! - **Every text has a vector, and no vector contains a NaN.** Texts with more than [`ModelInfo::max_tokens`] tokens
//!   are truncated. An empty text, or a text that contains only white space or control characters, has the vector of
//!   the empty sequence.
//! - **No file causes a panic.** The names, shapes and values of the tensors are checked before the model is built.
//!   Every [`EmbedError`] about a file names the file, and says what to do.
//! - **Vectors of different models can be distinguished.** [`ModelInfo::id`] contains a hash of the weights, tokenizer
//!   and settings, and of the precision.
//!
//! # Where the model is found
//!
//! [`find_model`] returns the first directory that contains a model. The documentation of [`find_model`] lists the
//! searched directories in order. If the argument of [`find_model`] or the environment variable `HEARSAY_MODEL_DIR`
//! names a directory without a model, the function returns an error. [`Encoder::open`] finds a model in the same way,
//! and loads it. With [`LookupEnvironment`], you can search other directories.
//!
//! # Which models
//!
//! A model is a directory with `config.json` (`model_type` "bert"), `tokenizer.json` and `model.safetensors` in F32,
//! F16 or BF16. These optional files have the same meaning as in sentence-transformers:
//!
//! - `modules.json` says whether vectors are normalised. By default, they are normalised.
//! - `1_Pooling/config.json` contains the pooling method: mean (the default), cls or max.
//! - `sentence_bert_config.json` contains `max_seq_length` and `do_lower_case`.
//!
//! The encoder rejects models with a Dense module, and models of the types MPNet, RoBERTa and DistilBERT. The error
//! names the unsupported part.
//!
//! # Features
//!
//! | feature | default | effect |
//! |---|---|---|
//! | `bundled-model` | no | compiles the model all-MiniLM-L6-v2 into the program (45 MB); [`Encoder::open`] uses this model if it finds no model directory. Outside the workspace, set `HEARSAY_MODEL_DIR` during the build to the absolute path of the model |
//!
//! # Speed
//!
//! Measure the speed with `cargo bench --profile dev -p hearsay_embed`. `hearsay_eval encoder` prints the same numbers.
//! At run time, the program selects the fastest code for the processor: AVX-512, AVX2 or neither. If the processor has
//! instructions for dot products of bytes, the precision [`WeightPrecision::Int8`] increases the speed.
//! [`Encoder::encode_questions`] caches the vectors of the last 64 questions.
//!
//! # Limits
//!
//! - Encoding a text takes milliseconds. Do not call the encoder on a game's main thread.
//! - A second thread increases the speed less for a single question than for a batch of texts.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod attention;
mod backbone;
mod byte_kernel;
mod byte_linear;
mod cache;
mod encoder;
mod error;
mod hash;
mod linear;
mod lookup;
mod math;
mod matmul;
mod model_dir;
mod panels;
mod pooling;
mod prefetch;
mod searched_directory;
mod similarity;
#[cfg(test)]
mod testing;
mod token_model;
mod weights;

pub use encoder::{Encoder, EncoderOptions, ModelInfo};
pub use error::EmbedError;
pub use hash::{TextHash, text_hash};
pub use linear::WeightPrecision;
pub use lookup::{LookupEnvironment, find_model};
pub use pooling::Pooling;
pub use searched_directory::{DEFAULT_MODEL, MODEL_DIR_VAR, SearchReason, SearchedDirectory};
pub use similarity::dot;
pub use token_model::{TokenModel, TokenText};
pub use weights::HeadTensor;

/// Returns whether this crate was compiled with optimisation. Without optimisation, encoding is hundreds of times
/// slower. A game must enable optimisation for its dependencies in its own Cargo profile.
pub fn is_optimised() -> bool {
    !matches!(env!("HEARSAY_OPT_LEVEL"), "0" | "")
}

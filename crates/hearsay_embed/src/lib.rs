//! # hearsay_embed
//!
//! The sentence encoder of Hearsay. The encoder turns texts into vectors, so that recall can find texts with a similar
//! meaning but different words. The encoder runs sentence-transformers models of the BERT family on the CPU with
//! [candle](candle_core), without network access.
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
//! - **A vector depends only on its text.** The bits of a vector do not depend on the other texts of a batch, on their
//!   order, or on [`EncoderOptions::threads`]. Texts are not padded. If one matrix product processes several texts,
//!   each sum is computed as for a single text, and threads never split a sum. This guarantee is valid for one binary
//!   and one set of CPU features. Another processor may round the last bits differently.
//! - **The encoder works offline.** It downloads no files. A model is a directory of files, or is compiled into the
//!   program.
//! - **Every text has a vector, and no vector contains a NaN.** Texts with more than [`ModelInfo::max_tokens`] tokens
//!   are truncated. An empty text, or a text that contains only white space or control characters, has the vector of
//!   the empty sequence.
//! - **No file causes a panic.** The names, shapes and values of the tensors are checked before the model is built.
//!   Every [`EmbedError`] about a file names the file and the remedy. A model is loaded completely or not at all.
//! - **Vectors of different models can be distinguished.** [`ModelInfo::id`] contains a hash of the weights, tokenizer
//!   and settings, and of the precision.
//!
//! # Where the model is found
//!
//! [`find_model`] returns the first directory that contains a model. It searches, in this order: its argument, the
//! environment variable `HEARSAY_MODEL_DIR`, directories beside the executable, the app's assets, and the user's data
//! directory. If the argument or the variable names a directory without a model, [`find_model`] returns an error.
//! [`Encoder::open`] also loads the model. With [`LookupEnvironment`], you can search other directories.
//!
//! # Which models
//!
//! A model is a directory with `config.json` (`model_type` "bert"), `tokenizer.json` and `model.safetensors` in F32,
//! F16 or BF16. Optional files have the same meaning as in sentence-transformers: `modules.json` (whether to normalise;
//! yes by default), `1_Pooling/config.json` (mean, cls or max; mean by default) and `sentence_bert_config.json`
//! (`max_seq_length`, `do_lower_case`). Models with a Dense module, and MPNet, RoBERTa or DistilBERT models, are
//! rejected with an error that names the unsupported part.
//!
//! # Features
//!
//! | feature | default | effect |
//! |---|---|---|
//! | `bundled-model` | no | compiles all-MiniLM-L6-v2 into the program (45 MB); [`Encoder::open`] uses it if it finds no model directory |
//!
//! # Speed
//!
//! Measure the speed with `cargo bench --profile dev -p hearsay_embed`. `hearsay_eval encoder` prints the same numbers
//! for scripts. The inner loops are compiled for AVX-512, AVX2 and baseline processors. The program selects the best
//! version at run time. With [`WeightPrecision::Int8`], matrix products use weights and inputs of 8 bits on processors
//! with instructions for dot products of bytes. [`Encoder::encode_questions`] caches the vectors of the last 64
//! questions.
//!
//! # Limits
//!
//! - Encoding takes milliseconds. Do not encode on a game's main thread.
//! - The threads of the encoder share a batch by dividing its texts. They share a single text only in the matrix
//!   products. A second thread therefore increases the speed less for a single question than for a batch.

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

/// Returns whether this crate was compiled with optimisation. Without optimisation, encoding takes hundreds of times as
/// long. A game must enable optimisation for its dependencies in its own Cargo profile.
pub fn is_optimised() -> bool {
    !matches!(env!("HEARSAY_OPT_LEVEL"), "0" | "")
}

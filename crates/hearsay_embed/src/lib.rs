//! # hearsay_embed
//!
//! The sentence encoder of Hearsay. It turns texts into vectors, so that recall can find texts with
//! the same meaning in other words. It runs sentence-transformers models of the BERT family on the
//! CPU, using [candle](candle_core), without a network.
//!
//! # Quick start
//!
//! ```no_run
//! use hearsay_embed::{Encoder, EncoderOptions, dot, find_model};
//!
//! # fn main() -> Result<(), hearsay_embed::EmbedError> {
//! let dir = find_model(None)?;
//! let encoder = Encoder::load(dir, EncoderOptions::default())?;
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
//! Cache vectors under the [`text_hash`] of the text together with the [`ModelInfo::id`] of the
//! model.
//!
//! # Guarantees
//!
//! - **A vector depends only on its text, to the bit.** The other texts of a batch, their order and
//!   [`EncoderOptions::threads`] do not affect it. Texts go through the model at their exact
//!   length. Where several texts are multiplied together, each sum runs as it would for a single
//!   text. Threads never split a sum. The guarantee holds for one binary and one set of CPU
//!   features; another processor may round the last bits differently.
//! - **Offline.** Nothing is downloaded. Models are files, or compiled in.
//! - **Every text has a vector, and no vector contains a NaN.** Texts beyond
//!   [`ModelInfo::max_tokens`] are truncated. The empty text, and a text of only white space or
//!   control characters, has the vector of the empty sequence. Its length is one like that of any
//!   other vector.
//! - **No file causes a panic.** Tensors are checked by name, shape and value before the model is
//!   built. Every [`EmbedError`] about a file names the file and the remedy. A model is loaded
//!   completely or not at all.
//! - **Vectors of two models never mix by accident.** [`ModelInfo::id`] contains a hash of weights,
//!   tokenizer and settings.
//!
//! # Where the model is found
//!
//! [`find_model`] returns the first of these that holds a model: the path it is given,
//! `HEARSAY_MODEL_DIR`, a directory beside the executable, one in the app's assets, one in the
//! user's data directory. An explicit path or variable that holds no model is an error.
//! [`LookupEnvironment`] does the same for an environment that you construct.
//!
//! # Which models
//!
//! A model is a directory with `config.json` (`model_type` "bert"), `tokenizer.json` and
//! `model.safetensors` in F32, F16 or BF16. Optional files have their sentence-transformers
//! meaning: `modules.json` (whether to normalise; yes by default), `1_Pooling/config.json` (mean,
//! cls or max; mean by default) and `sentence_bert_config.json` (`max_seq_length`,
//! `do_lower_case`). Models with a Dense module, and MPNet, RoBERTa or DistilBERT models, are
//! rejected with an error that names the unsupported part.
//!
//! # Features
//!
//! | feature | default | what it does |
//! |---|---|---|
//! | `bundled-model` | no | compiles all-MiniLM-L6-v2 into the program (45 MB): `Encoder::bundled` |
//!
//! # Speed
//!
//! Measure the speed with `cargo bench --profile dev -p hearsay_embed`. `hearsay_eval encoder`
//! prints the same numbers for scripts. The loops are compiled for AVX-512, AVX2 and baseline
//! processors; the best version is selected at run time. [`Encoder::encode_one`] caches the vectors
//! of the last 64 questions.
//!
//! # Limits
//!
//! - Encoding takes milliseconds. Do not call it on a game's main thread.
//! - Threads share the work on a single text only within a matrix product. A single query therefore
//!   gains less from a second thread than a batch does.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod attention;
mod backbone;
mod cache;
mod encoder;
mod error;
mod hash;
mod lookup;
mod math;
mod matmul;
mod model_dir;
mod pooling;
mod prefetch;
mod processor;
mod similarity;
mod weights;

pub use encoder::{Encoder, EncoderOptions, ModelInfo};
pub use error::EmbedError;
pub use hash::{TextHash, text_hash};
pub use lookup::{DEFAULT_MODEL, LookupEnvironment, MODEL_DIR_VAR, PlaceKind, SearchedPlace, find_model};
pub use pooling::Pooling;
pub use similarity::dot;

/// Returns whether this crate was compiled with optimisation. Without optimisation, encoding takes
/// hundreds of times as long. A game that depends on this crate by path or from a registry must
/// enable optimisation in its own profile.
pub fn is_optimised() -> bool {
    !matches!(env!("HEARSAY_OPT_LEVEL"), "0" | "")
}

//! # hearsay_embed
//!
//! The sentence encoder of Hearsay: texts in, vectors out, so that recall can find what means the
//! same in other words. It runs sentence-transformers models of the BERT family on the CPU, on
//! [candle](candle_core), without a network.
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
//! Vectors belong in a cache: the key is [`text_hash`] of the text together with
//! [`ModelInfo::id`] of the model.
//!
//! # Guarantees
//!
//! - **A vector depends on its text alone, to the bit.** Not on the other texts of a batch, nor on
//!   their order, nor on [`EncoderOptions::threads`]. Texts go through the model at their exact
//!   length; where several are multiplied together, each sum runs as it would for one alone; and
//!   threads never split a sum. This holds for one binary and one set of CPU features: another
//!   processor may round differently in the last bits.
//! - **Offline.** Nothing is downloaded. Models are files, or compiled in.
//! - **Any text has a vector, and none has a NaN.** Texts beyond [`ModelInfo::max_tokens`] are cut
//!   off. The empty text, and one of nothing but white space or control characters, has the vector
//!   of the empty sequence, of length one like any other.
//! - **No file makes it panic.** Tensors are checked by name, shape and value before the model is
//!   built, and every [`EmbedError`] names the file and what to do. A model is loaded whole or not
//!   at all.
//! - **Vectors of two models never mix by accident.** [`ModelInfo::id`] holds a hash of weights,
//!   tokenizer and settings.
//!
//! # Where the model is found
//!
//! [`find_model`] takes the first of: the path it is given, `HEARSAY_MODEL_DIR`, a directory beside
//! the executable, one in the app's assets, one in the user's data directory. An explicit path or
//! variable that holds no model is an error rather than passed over. [`LookupEnvironment`] does the
//! same with an environment of your own making.
//!
//! # Which models
//!
//! A directory with `config.json` (`model_type` "bert"), `tokenizer.json` and `model.safetensors`
//! in F32, F16 or BF16. Optional files have their sentence-transformers meaning: `modules.json`
//! (whether to normalise; without it, yes), `1_Pooling/config.json` (mean, cls or max; without it,
//! mean) and `sentence_bert_config.json` (`max_seq_length`, `do_lower_case`). Models with a Dense
//! module, and MPNet, RoBERTa or DistilBERT, are turned down with an error that says so.
//!
//! # Features
//!
//! | feature | default | what it does |
//! |---|---|---|
//! | `bundled-model` | no | compiles all-MiniLM-L6-v2 into the program (45 MB): `Encoder::bundled` |
//!
//! # Speed
//!
//! `cargo bench --profile dev -p hearsay_embed`; `hearsay_eval encoder` prints the same for scripts.
//! The loops are compiled for AVX-512, AVX2 and plain processors, and the best is taken when the
//! program runs. [`Encoder::encode_one`] remembers the 64 questions that were asked last.
//!
//! # Limits
//!
//! - Encoding takes milliseconds. It is not for a game's main thread.
//! - One text is at most split over the encoder's threads within a product of matrices, so a single
//!   query gains less from a second thread than a batch does.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod attention;
mod backbone;
mod cache;
mod encoder;
mod error;
mod hash;
mod lookup;
mod math;
mod model_dir;
mod pooling;
mod prefetch;
mod processor;
mod product;
mod similarity;
mod weights;

pub use encoder::{Encoder, EncoderOptions, ModelInfo};
pub use error::EmbedError;
pub use hash::{TextHash, text_hash};
pub use lookup::{DEFAULT_MODEL, LookupEnvironment, MODEL_DIR_VAR, PlaceKind, SearchedPlace, find_model};
pub use pooling::Pooling;
pub use similarity::dot;

/// Whether this crate was compiled with optimisation. Without, a question takes hundreds of times as long; a game that
/// depends on it by a path or from a registry must ask for it in its own profile.
pub fn is_optimised() -> bool {
    !matches!(env!("HEARSAY_OPT_LEVEL"), "0" | "")
}

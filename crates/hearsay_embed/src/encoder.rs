//! The encoder: texts in, vectors out.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::Serialize;
use tokenizers::{PostProcessor, Tokenizer, TruncationDirection, TruncationParams, TruncationStrategy};

use crate::backbone::Backbone;
use crate::hash::model_hash;
use crate::model_dir::{File, ModelFiles, Settings};
use crate::pooling::normalize;
use crate::{EmbedError, Pooling, weights};

/// Part of every model id. Raise it when a change to this crate makes other vectors of the same
/// weights, so that caches are made anew.
const REVISION: u8 = 1;

/// How to run an [`Encoder`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncoderOptions {
    /// How many threads encode, in a pool of the encoder's own. 0 counts as 1. The number changes
    /// speed only, never a vector.
    ///
    /// The default is half of the processors, at least 1 and at most 4: the rest is the game's.
    pub threads: usize,
}

impl Default for EncoderOptions {
    fn default() -> Self {
        let processors = thread::available_parallelism().map_or(1, |n| n.get());
        Self { threads: (processors / 2).clamp(1, 4) }
    }
}

/// What is known about a loaded model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ModelInfo {
    /// Names the vectors: those of equal ids can be compared, others cannot. The name, `@`, and a
    /// hash of all that determines a vector: weights, tokenizer and settings.
    pub id: String,
    /// The name of the model's directory.
    pub name: String,
    /// How many numbers a vector has.
    pub dimension: usize,
    /// How many tokens of a text count; the rest is cut off. Special tokens are among them.
    pub max_tokens: usize,
    /// How token vectors become one.
    pub pooling: Pooling,
    /// Whether vectors have length one.
    pub normalized: bool,
    /// Where the model was loaded from; `None` when it was compiled in.
    pub directory: Option<PathBuf>,
}

/// A sentence encoder: a BERT-family sentence-transformers model on the CPU.
///
/// Encoding takes `&self` and can be called from any number of threads; the work of all of them
/// is done by the encoder's own threads. It takes milliseconds: not for a game's main thread.
pub struct Encoder {
    info: ModelInfo,
    lowercased: bool,
    tokenizer: Tokenizer,
    backbone: Backbone,
    pool: ThreadPool,
}

impl Encoder {
    /// Loads a sentence-transformers directory, such as [`find_model`](crate::find_model) gives.
    ///
    /// # Errors
    ///
    /// When a file is missing, damaged, or of a model that is not a BERT: see [`EmbedError`].
    pub fn load(dir: impl AsRef<Path>, options: EncoderOptions) -> Result<Self, EmbedError> {
        let dir = dir.as_ref();
        let files = ModelFiles::read(dir)?;
        // The given path may be "." or end in "..": the name is that of the real directory.
        let real = dir.canonicalize();
        let name = real
            .as_deref()
            .unwrap_or(dir)
            .file_name()
            .map_or_else(|| "model".to_owned(), |name| name.to_string_lossy().into_owned());
        Self::build(&files, name, Some(dir.to_owned()), &options)
    }

    /// The default model, compiled into the program by the feature `bundled-model`.
    ///
    /// # Errors
    ///
    /// When its threads cannot be started.
    #[cfg(feature = "bundled-model")]
    pub fn bundled(options: EncoderOptions) -> Result<Self, EmbedError> {
        let name = crate::DEFAULT_MODEL.to_owned();
        Self::build(&ModelFiles::bundled(), name, None, &options)
    }

    fn build(
        files: &ModelFiles,
        name: String,
        directory: Option<PathBuf>,
        options: &EncoderOptions,
    ) -> Result<Self, EmbedError> {
        let settings = files.settings()?;
        let tokenizer = tokenizer(&files.tokenizer, &settings)?;
        let tensors = weights::read(&files.weights, &settings.bert)?;
        let backbone = Backbone::new(tensors, &settings.bert)?;
        let threads = options.threads.max(1);
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("hearsay-embed-{index}"))
            .build()
            .map_err(|error| EmbedError::Threads { threads, problem: error.to_string() })?;
        let info = ModelInfo {
            id: model_id(&name, files, &settings),
            name,
            dimension: settings.bert.hidden_size,
            max_tokens: settings.max_tokens,
            pooling: settings.pooling,
            normalized: settings.normalized,
            directory,
        };
        tracing::info!(model = info.id, threads, "sentence encoder loaded");
        Ok(Self { info, lowercased: settings.lowercased, tokenizer, backbone, pool })
    }

    /// What is known about the model.
    pub fn info(&self) -> &ModelInfo {
        &self.info
    }

    /// How many threads encode.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Encodes texts, each on its own: the vector of a text is the same to the bit whatever else
    /// is in the batch. Vectors come in the order of the texts.
    ///
    /// Any text will do. What goes beyond [`ModelInfo::max_tokens`] is cut off. The empty text,
    /// and one of only white space or control characters, gives the vector of the empty sequence
    /// (`[CLS] [SEP]`): of length one like any other, and near to nothing in particular.
    ///
    /// # Errors
    ///
    /// When the model's files passed loading and yet do not fit together, so that a token has no
    /// vector or a vector is not finite. No text causes an error with a sound model.
    pub fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if let [text] = texts {
            return Ok(vec![self.encode_one(text)?]);
        }
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        // Workers take the next text from a counter, rather than from a parallel iterator: a
        // worker that waits for a part of its product then finds parts of products to help with,
        // and not whole texts, which would pile up on its stack.
        let next = AtomicUsize::new(0);
        let slots: Vec<OnceLock<Result<Vec<f32>, EmbedError>>> = texts.iter().map(|_| OnceLock::new()).collect();
        self.pool.broadcast(|_| {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let (Some(text), Some(slot)) = (texts.get(index), slots.get(index)) else {
                    break;
                };
                slot.get_or_init(|| self.encode_here(text));
            }
        });
        slots
            .into_iter()
            .map(|slot| {
                slot.into_inner()
                    .unwrap_or_else(|| Err(EmbedError::Inference { problem: "a worker stopped early".to_owned() }))
            })
            .collect()
    }

    /// Encodes one text, with all of the encoder's threads. See [`Encoder::encode`].
    ///
    /// # Errors
    ///
    /// As for [`Encoder::encode`].
    pub fn encode_one(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.pool.install(|| self.encode_here(text))
    }

    /// How many tokens of a text the model sees, special tokens included.
    ///
    /// # Errors
    ///
    /// As for [`Encoder::encode`].
    pub fn count_tokens(&self, text: &str) -> Result<usize, EmbedError> {
        Ok(self.tokenize(text)?.len())
    }

    fn tokenize(&self, text: &str) -> Result<tokenizers::Encoding, EmbedError> {
        let encoded = if self.lowercased {
            self.tokenizer.encode_fast(text.to_lowercase(), true)
        } else {
            self.tokenizer.encode_fast(text, true)
        };
        encoded.map_err(|error| EmbedError::Tokenize { bytes: text.len(), problem: error.to_string() })
    }

    fn encode_here(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let tokens = self.tokenize(text)?;
        let hidden = if tokens.is_empty() {
            // Only with a tokenizer that adds no special tokens: the empty text is the zero vector.
            Vec::new()
        } else {
            self.backbone.hidden_states(tokens.get_ids(), tokens.get_type_ids())?
        };
        let mut vector = self.info.pooling.apply(&hidden, self.info.dimension);
        if self.info.normalized {
            normalize(&mut vector);
        }
        if vector.iter().all(|value| value.is_finite()) {
            Ok(vector)
        } else {
            Err(EmbedError::Inference { problem: "its vector is not finite".to_owned() })
        }
    }
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder").field("info", &self.info).field("threads", &self.threads()).finish_non_exhaustive()
    }
}

/// The tokenizer, with padding and length set here: those baked into the file are of whoever
/// saved it last.
fn tokenizer(file: &File, settings: &Settings) -> Result<Tokenizer, EmbedError> {
    let invalid = |problem: String| EmbedError::InvalidTokenizer { path: file.path.clone(), problem };
    let mut tokenizer = Tokenizer::from_bytes(&file.bytes).map_err(|error| invalid(error.to_string()))?;
    let vocabulary = tokenizer.get_vocab_size(true);
    if vocabulary > settings.bert.vocab_size {
        return Err(invalid(format!(
            "it has {vocabulary} tokens, and the model's config.json {} (they are of two models)",
            settings.bert.vocab_size
        )));
    }
    let special = tokenizer.get_post_processor().map_or(0, |processor| processor.added_tokens(false));
    if settings.max_tokens <= special {
        return Err(invalid(format!(
            "it adds {special} special tokens, and the model takes {} in all; \
             sentence_bert_config.json may have a wrong max_seq_length",
            settings.max_tokens
        )));
    }
    tokenizer
        .with_padding(None)
        .with_truncation(Some(TruncationParams {
            direction: TruncationDirection::Right,
            max_length: settings.max_tokens,
            strategy: TruncationStrategy::LongestFirst,
            stride: 0,
        }))
        .map_err(|error| invalid(error.to_string()))?;
    Ok(tokenizer)
}

fn model_id(name: &str, files: &ModelFiles, settings: &Settings) -> String {
    let bert = &settings.bert;
    // Fields by hand, not by Debug of the whole: an id must not change with a dependency.
    let relevant = format!(
        "{REVISION} {:?} {} {} {} {:?} {} {:e}",
        settings.pooling,
        settings.normalized,
        settings.lowercased,
        settings.max_tokens,
        bert.hidden_act,
        bert.num_attention_heads,
        bert.layer_norm_eps,
    );
    let hash = model_hash(&[&files.weights.bytes, &files.tokenizer.bytes, relevant.as_bytes()]);
    format!("{name}@{hash}")
}

//! The sentence encoder, which turns texts into vectors.

use std::cmp::Reverse;
use std::fmt;
use std::path::{Path, PathBuf};
use std::thread;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::Serialize;
use tokenizers::{Encoding, PostProcessor, Tokenizer, TruncationDirection, TruncationParams, TruncationStrategy};

use crate::backbone::Backbone;
use crate::cache::Cache;
use crate::hash::model_hash;
use crate::model_dir::{File, ModelFiles, Settings};
use crate::pooling::normalize;
use crate::{EmbedError, Pooling, weights};

/// Revision of this crate's computation, part of every model id. Raise it when a change produces
/// different vectors from the same weights. Caches are then rebuilt.
const REVISION: u8 = 2;

/// Options of an [`Encoder`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncoderOptions {
    /// Number of threads in the encoder's own pool. 0 counts as 1. The number affects only the
    /// speed, never a vector.
    ///
    /// The default is half of the processors, at least 1 and at most 4. The rest is left to the
    /// game.
    pub threads: usize,
}

impl Default for EncoderOptions {
    fn default() -> Self {
        let processors = thread::available_parallelism().map_or(1, |n| n.get());
        Self { threads: (processors / 2).clamp(1, 4) }
    }
}

/// Properties of a loaded model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ModelInfo {
    /// Identifies the vector space: only vectors with equal ids can be compared. Consists of the
    /// name, `@`, and a hash of all inputs that determine a vector: weights, tokenizer and
    /// settings.
    pub id: String,
    /// Name of the model's directory.
    pub name: String,
    /// Number of components of a vector.
    pub dimension: usize,
    /// Maximum number of tokens of a text, including special tokens. The rest is truncated.
    pub max_tokens: usize,
    /// Method that combines token vectors into one vector.
    pub pooling: Pooling,
    /// Whether vectors have length one.
    pub normalized: bool,
    /// Directory of the model; `None` if it was compiled in.
    pub directory: Option<PathBuf>,
}

/// A sentence encoder: a BERT-family sentence-transformers model on the CPU.
///
/// Encoding takes `&self`, so any number of threads can call it. The encoder's own threads do the
/// work. A call takes milliseconds; do not call it on a game's main thread.
pub struct Encoder {
    info: ModelInfo,
    lowercased: bool,
    tokenizer: Tokenizer,
    backbone: Backbone,
    pool: ThreadPool,
    cache: Cache,
}

impl Encoder {
    /// Loads a sentence-transformers directory, for example the one that
    /// [`find_model`](crate::find_model) returns.
    ///
    /// # Errors
    ///
    /// Returns an [`EmbedError`] if a file is missing or damaged, or if the model is not a BERT
    /// model.
    pub fn load(dir: impl AsRef<Path>, options: EncoderOptions) -> Result<Self, EmbedError> {
        let dir = dir.as_ref();
        let files = ModelFiles::read(dir)?;
        // The given path may be "." or end in "..". The name is that of the real directory.
        let real = dir.canonicalize();
        let name = real
            .as_deref()
            .unwrap_or(dir)
            .file_name()
            .map_or_else(|| "model".to_owned(), |name| name.to_string_lossy().into_owned());
        Self::build(&files, name, Some(dir.to_owned()), &options)
    }

    /// Loads the default model, which the feature `bundled-model` compiles into the program.
    ///
    /// # Errors
    ///
    /// Returns an error if the threads cannot be started.
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
        Ok(Self { info, lowercased: settings.lowercased, tokenizer, backbone, pool, cache: Cache::default() })
    }

    /// Returns the properties of the model.
    pub fn info(&self) -> &ModelInfo {
        &self.info
    }

    /// Returns the number of encoder threads.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Encodes texts independently of each other and returns the vectors in the order of the texts.
    /// The vector of a text is the same to the bit, regardless of the other texts in the batch.
    ///
    /// Every text is valid. Text beyond [`ModelInfo::max_tokens`] is truncated. The empty text, and
    /// a text of only white space or control characters, gives the vector of the empty sequence
    /// (`[CLS] [SEP]`). Its length is one like that of any other vector, and it is not close to any
    /// particular text.
    ///
    /// # Errors
    ///
    /// Returns an error if the model's files are inconsistent in a way that loading did not detect:
    /// a token has no vector, or a vector is not finite. With a sound model, no text causes an
    /// error.
    pub fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let tokens: Vec<_> = match texts {
            [] => return Ok(Vec::new()),
            [text] => vec![self.tokenize(text)],
            _ => self.pool.install(|| texts.par_iter().map(|text| self.tokenize(text)).collect()),
        };
        let tokens = tokens.into_iter().collect::<Result<Vec<_>, _>>()?;
        let groups = groups(&tokens.iter().map(Encoding::len).collect::<Vec<_>>(), self.threads());
        let encoded: Vec<_> = self.pool.install(|| match groups.as_slice() {
            [group] => vec![self.encode_group(group, &tokens, self.threads() > 1)],
            _ => groups.par_iter().with_max_len(1).map(|group| self.encode_group(group, &tokens, false)).collect(),
        });
        let mut vectors = vec![Vec::new(); texts.len()];
        for (group, encoded) in groups.iter().zip(encoded) {
            for (index, vector) in group.iter().zip(encoded?) {
                vectors[*index] = vector;
            }
        }
        Ok(vectors)
    }

    /// Encodes one text with all of the encoder's threads, and caches its vector. The cache holds
    /// the last 64 texts of up to 2 KiB. Use this method for questions, and [`Encoder::encode`] for
    /// documents, which does not use the cache.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Encoder::encode`].
    pub fn encode_one(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        if let Some(vector) = self.cache.get(text) {
            return Ok(vector);
        }
        let vector = self.encode(&[text])?.pop().unwrap_or_default();
        self.cache.put(text, &vector);
        Ok(vector)
    }

    /// Returns the number of tokens of a text that the model reads, including special tokens.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Encoder::encode`].
    pub fn count_tokens(&self, text: &str) -> Result<usize, EmbedError> {
        Ok(self.tokenize(text)?.len())
    }

    fn tokenize(&self, text: &str) -> Result<Encoding, EmbedError> {
        let encoded = if self.lowercased {
            self.tokenizer.encode_fast(text.to_lowercase(), true)
        } else {
            self.tokenizer.encode_fast(text, true)
        };
        encoded.map_err(|error| EmbedError::Tokenize { bytes: text.len(), problem: error.to_string() })
    }

    /// Returns the vectors of the texts in `tokens` that `group` selects, in the order of `group`.
    fn encode_group(&self, group: &[usize], tokens: &[Encoding], parallel: bool) -> Result<Vec<Vec<f32>>, EmbedError> {
        let texts: Vec<_> =
            group.iter().map(|index| (tokens[*index].get_ids(), tokens[*index].get_type_ids())).collect();
        let mut vectors = Vec::with_capacity(texts.len());
        self.backbone.run(&texts, parallel, |hidden| {
            let mut vector = self.info.pooling.apply(hidden, self.info.dimension);
            if self.info.normalized {
                normalize(&mut vector);
            }
            vectors.push(vector);
        })?;
        if vectors.iter().flatten().all(|value| value.is_finite()) {
            Ok(vectors)
        } else {
            Err(EmbedError::Inference { problem: "its vector is not finite".to_owned() })
        }
    }
}

/// Approximate number of tokens that go through the model together. It is large enough that the
/// weights, which fit into no cache, are read rarely. It is small enough that the intermediate
/// numbers fit into the cache.
const TOKENS: usize = 384;

/// Divides texts of these lengths into groups with about the same number of tokens and texts of
/// similar length. The number of groups is a multiple of `threads` if there are enough texts.
fn groups(lengths: &[usize], threads: usize) -> Vec<Vec<usize>> {
    let total: usize = lengths.iter().sum();
    let count = total.div_ceil(TOKENS).next_multiple_of(threads).max(1);
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    // The longest texts come first, so that the work left at the end, when threads may wait for
    // each other, is short.
    order.sort_by_key(|index| (Reverse(lengths[*index]), *index));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let (mut before, mut last) = (0, None);
    for index in order {
        // The group whose share of all tokens contains the middle of the text.
        let place = (2 * before + lengths[index]) * count / (2 * total).max(1);
        before += lengths[index];
        match groups.last_mut() {
            Some(group) if last == Some(place) => group.push(index),
            _ => groups.push(vec![index]),
        }
        last = Some(place);
    }
    groups
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder").field("info", &self.info).field("threads", &self.threads()).finish_non_exhaustive()
    }
}

/// Loads the tokenizer and sets padding and truncation. The file contains the settings with which
/// it was last saved.
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
    // The fields are listed instead of using `Debug`, because an id must not change with a
    // dependency.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_about_as_many_tokens_as_each_other() {
        for (lengths, threads, expected) in [
            (&[17][..], 2, &[&[0][..]][..]),
            (&[5, 40, 5, 30], 1, &[&[1, 3, 0, 2]]),
            (&[5, 40, 5, 30], 2, &[&[1], &[3, 0, 2]]),
            (&[256, 3, 256, 250], 1, &[&[0], &[2, 3, 1]]),
            (&[0, 0], 1, &[&[0, 1]]),
        ] {
            assert_eq!(groups(lengths, threads), expected, "{lengths:?} on {threads} threads");
        }
        for threads in 1..4 {
            let groups = groups(&[36; 320], threads);
            assert_eq!(groups.len(), 30, "on {threads} threads");
            assert!(groups.iter().all(|group| (10..=11).contains(&group.len())));
        }
    }
}

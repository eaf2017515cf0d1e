//! The encoder: texts in, vectors out.

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

/// Part of every model id. Raise it when a change to this crate makes other vectors of the same
/// weights, so that caches are made anew.
const REVISION: u8 = 2;

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
    cache: Cache,
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
        Ok(Self { info, lowercased: settings.lowercased, tokenizer, backbone, pool, cache: Cache::default() })
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

    /// Encodes one text, with all of the encoder's threads, and remembers its vector: the 64 texts
    /// of up to 2 KiB that were last asked for cost nothing when they are asked for again. For
    /// questions; documents go through [`Encoder::encode`], which remembers nothing.
    ///
    /// # Errors
    ///
    /// As for [`Encoder::encode`].
    pub fn encode_one(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        if let Some(vector) = self.cache.get(text) {
            return Ok(vector);
        }
        let vector = self.encode(&[text])?.pop().unwrap_or_default();
        self.cache.put(text, &vector);
        Ok(vector)
    }

    /// How many tokens of a text the model sees, special tokens included.
    ///
    /// # Errors
    ///
    /// As for [`Encoder::encode`].
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

    /// The vectors of those of `tokens` that `group` names, in its order.
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

/// How many tokens go through the model together, about: enough that the weights, which fit into
/// no cache, are read seldom, and few enough that the numbers between them do.
const TOKENS: usize = 384;

/// Cuts texts of these lengths into groups of about the same number of tokens, of texts of about
/// the same length: a multiple of `threads` where there are enough texts for it.
fn groups(lengths: &[usize], threads: usize) -> Vec<Vec<usize>> {
    let total: usize = lengths.iter().sum();
    let count = total.div_ceil(TOKENS).next_multiple_of(threads).max(1);
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    // The longest first: what is left for the end, when one thread may wait for another, is short.
    order.sort_by_key(|index| (Reverse(lengths[*index]), *index));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let (mut before, mut last) = (0, None);
    for index in order {
        // The group in whose share of all tokens the middle of the text falls.
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

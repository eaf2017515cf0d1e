//! The sentence encoder, which turns texts into vectors.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, HashMap},
    fmt,
    path::{Path, PathBuf},
    thread,
};

use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};
use serde::Serialize;
use tokenizers::{Encoding, PostProcessor, Tokenizer, TruncationDirection, TruncationParams, TruncationStrategy};

use crate::{
    EmbedError, Pooling,
    backbone::{Backbone, OutputTokens},
    cache::Cache,
    hash::model_hash,
    linear::WeightPrecision,
    lookup::LookupEnvironment,
    model_dir::{File, ModelFiles, Settings},
    pooling::normalize,
    weights::Weights,
};

#[cfg(feature = "bundled-model")]
use crate::searched_directory::DEFAULT_MODEL;

/// Revision of this crate's computation, which is part of every model id. Increase the revision when a code change
/// produces different vectors from the same weights, so that caches are rebuilt.
const REVISION: u8 = 2;

/// Options of an [`Encoder`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncoderOptions {
    /// Number of threads in the encoder's own pool. 0 has the same effect as 1. The number affects the speed, but not
    /// the vectors.
    ///
    /// The default is half of the number of processors, but at least 1 and at most 4. The other processors stay free
    /// for the game.
    pub threads: usize,
    /// Precision of the matrix products. The default is [`WeightPrecision::F32`]. Vectors of different precisions have
    /// different [model ids](ModelInfo::id).
    pub precision: WeightPrecision,
}

impl EncoderOptions {
    /// Returns the default options, but with this number of threads.
    pub fn with_threads(threads: usize) -> Self {
        Self { threads, precision: WeightPrecision::F32 }
    }
}

impl Default for EncoderOptions {
    fn default() -> Self {
        let processors = thread::available_parallelism().map_or(1, |n| n.get());
        Self::with_threads((processors / 2).clamp(1, 4))
    }
}

/// Properties of a loaded model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ModelInfo {
    /// Id of the vector space. Two vectors can be compared only if their models have the same id. The id consists of
    /// the name, `@`, and a hash of the weights, tokenizer and settings.
    pub id: String,
    /// Name of the model's directory.
    pub name: String,
    /// Number of components of a vector.
    pub dimension: usize,
    /// Maximum number of tokens of a text, including special tokens. Longer texts are truncated.
    pub max_tokens: usize,
    /// Method that combines token vectors into one vector.
    pub pooling: Pooling,
    /// Whether the vectors are scaled to the Euclidean norm 1.
    pub normalized: bool,
    /// Directory of the model; `None` if the model is compiled into the program.
    pub directory: Option<PathBuf>,
}

/// A sentence encoder. It runs a sentence-transformers model of the BERT family on the CPU.
///
/// Any number of threads can call the encoder at the same time. The encoder's own threads do the work. A call takes
/// milliseconds, so do not call the encoder on a game's main thread.
pub struct Encoder {
    info: ModelInfo,
    lowercased: bool,
    tokenizer: Tokenizer,
    backbone: Backbone,
    pool: ThreadPool,
    cache: Cache,
}

impl Encoder {
    /// Loads a model from a sentence-transformers directory, for example from the directory that
    /// [`find_model`](crate::find_model) returns.
    ///
    /// # Errors
    ///
    /// Returns an [`EmbedError`] if a file is missing or damaged, or if the model is not a BERT
    /// model.
    pub fn load(dir: impl AsRef<Path>, options: EncoderOptions) -> Result<Self, EmbedError> {
        let dir = dir.as_ref();
        let files = ModelFiles::read(dir)?;
        // The given path may be "." or end in "..", so the name is taken from the canonical path.
        let canonical = dir.canonicalize();
        let name = canonical
            .as_deref()
            .unwrap_or(dir)
            .file_name()
            .map_or_else(|| "model".to_owned(), |name| name.to_string_lossy().into_owned());
        Self::build(&files, name, Some(dir.to_owned()), &options)
    }

    /// Finds a model as [`find_model`](crate::find_model) does, and loads it. If no directory contains a model and the
    /// feature `bundled-model` is on, this function loads the default model, which is compiled into the program.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`find_model`](crate::find_model) and [`load`](Self::load).
    pub fn open(explicit: Option<&Path>, options: EncoderOptions) -> Result<Self, EmbedError> {
        Self::open_in(&LookupEnvironment::from_process(), explicit, options)
    }

    /// Finds and loads a model like [`open`](Self::open), but searches the directories in `environment` instead of the
    /// directories of this process.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`find_model`](crate::find_model) and [`load`](Self::load).
    pub fn open_in(
        environment: &LookupEnvironment,
        explicit: Option<&Path>,
        options: EncoderOptions,
    ) -> Result<Self, EmbedError> {
        match environment.find_model(explicit) {
            Ok(dir) => Self::load(dir, options),
            #[cfg(feature = "bundled-model")]
            Err(EmbedError::ModelNotFound { .. }) => {
                Self::build(&ModelFiles::bundled(), DEFAULT_MODEL.to_owned(), None, &options)
            }
            Err(error) => Err(error),
        }
    }

    fn build(
        files: &ModelFiles,
        name: String,
        directory: Option<PathBuf>,
        options: &EncoderOptions,
    ) -> Result<Self, EmbedError> {
        let settings = files.settings()?;
        let tokenizer = load_tokenizer(&files.tokenizer, &settings)?;
        let backbone = Backbone::new(&Weights::open(&files.weights)?, &settings.bert, options.precision)?;
        let threads = options.threads.max(1);
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("hearsay-embed-{index}"))
            .build()
            .map_err(|error| EmbedError::Threads { threads, problem: error.to_string() })?;
        let info = ModelInfo {
            id: model_id(&name, files, &settings, backbone.precision()),
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

    /// Encodes texts and returns their vectors in the same order. Each vector depends only on its own text, not on the
    /// other texts.
    ///
    /// You can encode any text. Texts with more than [`ModelInfo::max_tokens`] tokens are truncated. An empty text, or
    /// a text that contains only white space or control characters, gives the vector of the empty sequence
    /// (`[CLS] [SEP]`). This vector is normalised like any other vector.
    ///
    /// # Errors
    ///
    /// Returns an error if a token has no vector, or if a vector is not finite. These errors occur only if the model's
    /// files are inconsistent and loading did not detect the problem. With a valid model, no text causes an error.
    pub fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let tokens: Vec<_> = match texts {
            [] => return Ok(Vec::new()),
            [text] => vec![self.tokenize(text)],
            _ => self.pool.install(|| texts.par_iter().map(|text| self.tokenize(text)).collect()),
        };
        let tokens = tokens.into_iter().collect::<Result<Vec<_>, _>>()?;
        let groups = group_texts(&tokens.iter().map(Encoding::len).collect::<Vec<_>>(), self.threads());
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

    /// Encodes questions, and caches their vectors. The cache contains the vectors of the last 64 texts that are not
    /// longer than 2 KiB. If several texts are equal, the encoder encodes the text only once. For documents, use
    /// [`Encoder::encode`], which does not use the cache.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Encoder::encode`].
    pub fn encode_questions(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let cached = texts.iter().filter_map(|text| Some((*text, self.cache.get(text)?)));
        let mut vectors: HashMap<&str, Vec<f32>> = cached.collect();
        let missing: BTreeSet<&str> = texts.iter().copied().filter(|text| !vectors.contains_key(text)).collect();
        let missing = Vec::from_iter(missing);
        for (text, vector) in missing.iter().copied().zip(self.encode(&missing)?) {
            self.cache.put(text, &vector);
            vectors.insert(text, vector);
        }
        Ok(texts.iter().filter_map(|text| vectors.get(text).cloned()).collect())
    }

    /// Encodes one question like [`Encoder::encode_questions`], with all of the encoder's threads.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Encoder::encode`].
    pub fn encode_one(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(self.encode_questions(&[text])?.pop().unwrap_or_default())
    }

    /// Returns the number of tokens of a text that the model reads, including special tokens. The number is at most
    /// [`ModelInfo::max_tokens`], because longer texts are truncated.
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

    /// Returns the vectors of the tokenized texts whose indices are in `group`, in the order of `group`.
    fn encode_group(&self, group: &[usize], tokens: &[Encoding], parallel: bool) -> Result<Vec<Vec<f32>>, EmbedError> {
        let texts: Vec<_> =
            group.iter().map(|index| (tokens[*index].get_ids(), tokens[*index].get_type_ids())).collect();
        let mut vectors = Vec::with_capacity(texts.len());
        self.backbone.run(&texts, OutputTokens::All, parallel, |hidden| {
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

/// Approximate number of tokens that go through the model together. The weights do not fit into the processor's cache,
/// so each pass over the weights should serve many tokens. The intermediate values of this many tokens still fit into
/// the cache.
const TOKENS_PER_GROUP: usize = 384;

/// Divides texts into groups with about the same number of tokens, each with texts of similar length. `lengths` gives
/// the number of tokens of each text. Returns the indices of the texts in each group. The number of groups is a
/// multiple of `threads` if there are enough texts.
pub(crate) fn group_texts(lengths: &[usize], threads: usize) -> Vec<Vec<usize>> {
    let total: usize = lengths.iter().sum();
    let count = total.div_ceil(TOKENS_PER_GROUP).next_multiple_of(threads).max(1);
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    // The longest texts come first. Only short texts are left at the end, when some threads already wait for the
    // others.
    order.sort_by_key(|index| (Reverse(lengths[*index]), *index));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let (mut tokens_before, mut last_part) = (0, None);
    for index in order {
        // Imagine all tokens in one row, cut into `count` equal parts. A text belongs to the part that contains its
        // middle.
        let part = (2 * tokens_before + lengths[index]) * count / (2 * total).max(1);
        tokens_before += lengths[index];
        match groups.last_mut() {
            Some(group) if last_part == Some(part) => group.push(index),
            _ => groups.push(vec![index]),
        }
        last_part = Some(part);
    }
    groups
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder").field("info", &self.info).field("threads", &self.threads()).finish_non_exhaustive()
    }
}

/// Loads the tokenizer and sets padding and truncation. Padding and truncation settings in the file are ignored.
pub(crate) fn load_tokenizer(file: &File, settings: &Settings) -> Result<Tokenizer, EmbedError> {
    let invalid = |problem: String| EmbedError::InvalidTokenizer { path: file.path.clone(), problem };
    let mut tokenizer = Tokenizer::from_bytes(&file.bytes).map_err(|error| invalid(error.to_string()))?;
    let vocabulary_size = tokenizer.get_vocab_size(true);
    if vocabulary_size > settings.bert.vocab_size {
        return Err(invalid(format!(
            "it has {vocabulary_size} tokens, but the model's config.json has {} (the files belong to different models)",
            settings.bert.vocab_size
        )));
    }
    let special_tokens = tokenizer.get_post_processor().map_or(0, |processor| processor.added_tokens(false));
    if settings.max_tokens <= special_tokens {
        return Err(invalid(format!(
            "it adds {special_tokens} special tokens, but the model accepts only {} tokens in total; sentence_bert_config.json may have a wrong max_seq_length",
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

fn model_id(name: &str, files: &ModelFiles, settings: &Settings, precision: WeightPrecision) -> String {
    let bert = &settings.bert;
    // Lists the fields one by one instead of using `Debug` for the whole struct, so that a new field does not change
    // the id.
    let mut settings_text = format!(
        "{REVISION} {:?} {} {} {} {:?} {} {:e}",
        settings.pooling,
        settings.normalized,
        settings.lowercased,
        settings.max_tokens,
        bert.hidden_act,
        bert.num_attention_heads,
        bert.layer_norm_eps,
    );
    if precision == WeightPrecision::Int8 {
        settings_text.push_str(" int8");
    }
    let hash = model_hash(&[&files.weights.bytes, &files.tokenizer.bytes, settings_text.as_bytes()]);
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
            assert_eq!(group_texts(lengths, threads), expected, "{lengths:?} on {threads} threads");
        }
        for threads in 1..4 {
            let groups = group_texts(&[36; 320], threads);
            assert_eq!(groups.len(), 30, "on {threads} threads");
            assert!(groups.iter().all(|group| (10..=11).contains(&group.len())));
        }
    }
}

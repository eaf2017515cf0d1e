//! Encoder that returns the vector of every token. Its model file also contains the weights of heads: small classifiers
//! that take these vectors as input.

use std::{collections::HashMap, fmt, path::Path};

use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};
use tokenizers::Tokenizer;

use crate::{
    EmbedError, EncoderOptions,
    backbone::{Backbone, OutputTokens},
    encoder::{group_texts, load_tokenizer},
    model_dir::ModelFiles,
    weights::{HeadTensor, Weights},
};

/// One text as token ids, each with its token type (0 or 1).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenText {
    /// Ids of the tokens, special tokens included.
    pub ids: Vec<u32>,
    /// Token type (segment) of each token: 0 or 1, as in BERT.
    pub types: Vec<u32>,
}

/// A model of the BERT family that returns one vector per token. The model's file also contains the weights of heads
/// (small classifiers). The caller applies the heads to the vectors.
///
/// Any number of threads can use the model at the same time. The model's own threads do the work.
pub struct TokenModel {
    tokenizer: Tokenizer,
    backbone: Backbone,
    pool: ThreadPool,
    heads: HashMap<String, Vec<f32>>,
    dimension: usize,
    max_tokens: usize,
}

impl TokenModel {
    /// Loads a model from a directory with `config.json`, `tokenizer.json` and `model.safetensors`. The file
    /// `model.safetensors` must contain all tensors in `heads`. The field `precision` of `options` applies to the
    /// model, not to the heads.
    ///
    /// # Errors
    ///
    /// Returns an [`EmbedError`] if a file is missing or damaged, or if a tensor is missing or has another shape.
    pub fn load(dir: &Path, heads: &[HeadTensor], options: &EncoderOptions) -> Result<Self, EmbedError> {
        let files = ModelFiles::read(dir)?;
        let settings = files.settings()?;
        let tokenizer = load_tokenizer(&files.tokenizer, &settings)?;
        let weights = Weights::open(&files.weights)?;
        let backbone = Backbone::new(&weights, &settings.bert, options.precision)?;
        let heads = heads.iter().map(|head| Ok((head.name.to_owned(), weights.read(head.name, head.shape)?)));
        let heads = heads.collect::<Result<_, EmbedError>>()?;
        let threads = options.threads.max(1);
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("hearsay-tokens-{index}"))
            .build()
            .map_err(|error| EmbedError::Threads { threads, problem: error.to_string() })?;
        let (dimension, max_tokens) = (settings.bert.hidden_size, settings.bert.max_position_embeddings);
        Ok(Self { tokenizer, backbone, pool, heads, dimension, max_tokens })
    }

    /// Returns the number of components of a token vector.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Returns the maximum number of tokens of a text.
    pub fn max_tokens(&self) -> usize {
        self.max_tokens
    }

    /// Returns the values of a head tensor, row by row. Returns an empty slice for a tensor that was not requested.
    pub fn head(&self, name: &str) -> &[f32] {
        self.heads.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the token ids of one word, without special tokens.
    ///
    /// # Errors
    ///
    /// Returns an error if the tokenizer cannot process the word.
    pub fn pieces(&self, word: &str) -> Result<Vec<u32>, EmbedError> {
        let encoded = self.tokenizer.encode_fast(word, false);
        let failed =
            |problem: tokenizers::Error| EmbedError::Tokenize { bytes: word.len(), problem: problem.to_string() };
        Ok(encoded.map_err(failed)?.get_ids().to_vec())
    }

    /// Returns the token vectors of each text: one row of [`dimension`](Self::dimension) numbers per token. Each vector
    /// depends only on its own text.
    ///
    /// # Errors
    ///
    /// Returns an error if a token id, type or position has no vector in the model, or if a result is not finite.
    pub fn encode(&self, texts: &[TokenText]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.encode_tokens(texts, OutputTokens::All)
    }

    /// Returns the vector of the first token of each text, as [`encode`](Self::encode) computes it, but in less time.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`encode`](Self::encode).
    pub fn encode_first(&self, texts: &[TokenText]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.encode_tokens(texts, OutputTokens::First)
    }

    fn encode_tokens(&self, texts: &[TokenText], output: OutputTokens) -> Result<Vec<Vec<f32>>, EmbedError> {
        let lengths: Vec<usize> = texts.iter().map(|text| text.ids.len()).collect();
        let groups = group_texts(&lengths, self.pool.current_num_threads());
        let encoded: Vec<_> = self.pool.install(|| match groups.as_slice() {
            [group] => vec![self.encode_group(group, texts, output, true)],
            groups => {
                let encode = |group: &Vec<usize>| self.encode_group(group, texts, output, false);
                groups.par_iter().with_max_len(1).map(encode).collect()
            }
        });
        let mut vectors = vec![Vec::new(); texts.len()];
        for (group, encoded) in groups.iter().zip(encoded) {
            for (index, rows) in group.iter().zip(encoded?) {
                vectors[*index] = rows;
            }
        }
        match vectors.iter().flatten().all(|value| value.is_finite()) {
            true => Ok(vectors),
            false => Err(EmbedError::Inference { problem: "a token's vector is not finite".to_owned() }),
        }
    }

    fn encode_group(
        &self,
        group: &[usize],
        texts: &[TokenText],
        output: OutputTokens,
        parallel: bool,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let texts: Vec<_> =
            group.iter().map(|index| (texts[*index].ids.as_slice(), texts[*index].types.as_slice())).collect();
        let mut rows = Vec::with_capacity(texts.len());
        self.backbone.run(&texts, output, parallel, |hidden| rows.push(hidden.to_vec()))?;
        Ok(rows)
    }
}

impl fmt::Debug for TokenModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenModel").field("dimension", &self.dimension).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{find_model, linear::WeightPrecision};

    #[test]
    fn the_first_vectors_are_the_same_as_with_all_tokens() {
        let directory = find_model(None).unwrap();
        for precision in [WeightPrecision::F32, WeightPrecision::Int8] {
            let model = TokenModel::load(&directory, &[], &EncoderOptions { threads: 2, precision }).unwrap();
            // One text gives one group, whose products the threads share. Seven texts give several groups.
            for count in [1, 7] {
                let text = |index: u32| {
                    let ids: Vec<u32> = (0..index * 9 % 40 + 2).map(|place| 2000 + place * 31 % 500).collect();
                    TokenText { types: vec![0; ids.len()], ids }
                };
                let texts: Vec<TokenText> = (0..count).map(text).collect();
                let (all, first) = (model.encode(&texts).unwrap(), model.encode_first(&texts).unwrap());
                assert_eq!(all.len(), first.len());
                for (all, first) in all.iter().zip(first) {
                    assert_eq!(all[..model.dimension()], first, "{precision:?}, {count} texts");
                }
            }
        }
    }
}

//! The heads of the reading model: linear maps from token vectors to results.

use hearsay_embed::{HeadTensor, TokenModel, dot};

const HIDDEN: usize = 384;
/// Number of components of a query or a key.
pub(crate) const QUERY: usize = 128;
/// Number of variants of [`Question`].
const KINDS: usize = 3;
/// Number of buckets for the distance between a reference and a candidate.
pub(crate) const BUCKETS: usize = 12;
/// Number of special referents, which are not candidates: the party, something without a name, and the words
/// themselves.
pub(crate) const SPECIAL: usize = 3;

/// Head tensors of the model, with their shapes.
pub(crate) const TENSORS: [HeadTensor; 19] = [
    HeadTensor { name: "heads.talk.weight", shape: &[3, HIDDEN] },
    HeadTensor { name: "heads.talk.bias", shape: &[3] },
    HeadTensor { name: "heads.tags.weight", shape: &[3, HIDDEN] },
    HeadTensor { name: "heads.tags.bias", shape: &[3] },
    HeadTensor { name: "heads.references.weight", shape: &[3, HIDDEN] },
    HeadTensor { name: "heads.references.bias", shape: &[3] },
    HeadTensor { name: "heads.status.weight", shape: &[5, HIDDEN] },
    HeadTensor { name: "heads.status.bias", shape: &[5] },
    HeadTensor { name: "heads.queries.weight", shape: &[KINDS * QUERY, HIDDEN] },
    HeadTensor { name: "heads.queries.bias", shape: &[KINDS * QUERY] },
    HeadTensor { name: "heads.keys.weight", shape: &[QUERY, HIDDEN] },
    HeadTensor { name: "heads.keys.bias", shape: &[QUERY] },
    HeadTensor { name: "heads.inspect.weight", shape: &[QUERY, 3 * HIDDEN] },
    HeadTensor { name: "heads.inspect.bias", shape: &[QUERY] },
    HeadTensor { name: "heads.right.weight", shape: &[1, QUERY] },
    HeadTensor { name: "heads.right.bias", shape: &[1] },
    HeadTensor { name: "heads.special", shape: &[SPECIAL, QUERY] },
    HeadTensor { name: "heads.near", shape: &[KINDS, BUCKETS] },
    HeadTensor { name: "heads.apart", shape: &[KINDS, SPECIAL] },
];

/// A question to the model about a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Question {
    /// To which entity does a pronoun or description refer?
    Reference,
    /// Which entity is the subject of a statement?
    Subject,
    /// Which character makes a statement?
    By,
}

/// A linear map with a bias.
#[derive(Debug)]
pub(crate) struct Linear {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl Linear {
    fn of(model: &TokenModel, name: &str) -> Self {
        let tensor = |part: &str| model.head(&format!("heads.{name}.{part}")).to_vec();
        Self { weight: tensor("weight"), bias: tensor("bias") }
    }

    fn apply(&self, input: &[f32]) -> Vec<f32> {
        self.rows(input, 0..self.bias.len())
    }

    /// Returns the given rows of the result.
    fn rows(&self, input: &[f32], rows: std::ops::Range<usize>) -> Vec<f32> {
        let weights = self.weight.chunks_exact(input.len().max(1));
        weights.zip(&self.bias).take(rows.end).skip(rows.start).map(|(row, bias)| dot(row, input) + bias).collect()
    }
}

/// The heads of a reading model.
#[derive(Debug)]
pub(crate) struct Heads {
    talk: Linear,
    tags: Linear,
    references: Linear,
    status: Linear,
    queries: Linear,
    keys: Linear,
    inspect: Linear,
    right: Linear,
    special: Vec<f32>,
    near: Vec<f32>,
    apart: Vec<f32>,
}

impl Heads {
    pub(crate) fn of(model: &TokenModel) -> Self {
        let linear = |name: &str| Linear::of(model, name);
        let tensor = |name: &str| model.head(name).to_vec();
        Self {
            talk: linear("talk"),
            tags: linear("tags"),
            references: linear("references"),
            status: linear("status"),
            queries: linear("queries"),
            keys: linear("keys"),
            inspect: linear("inspect"),
            right: linear("right"),
            special: tensor("heads.special"),
            near: tensor("heads.near"),
            apart: tensor("heads.apart"),
        }
    }

    /// Returns the probability of each kind of talk: narration, in character, out of character.
    pub(crate) fn talk(&self, vector: &[f32]) -> [f32; 3] {
        probabilities(self.talk.apply(vector))
    }

    /// Returns the probabilities that a word is outside a statement, begins one, or continues one.
    pub(crate) fn tag(&self, vector: &[f32]) -> [f32; 3] {
        probabilities(self.tags.apply(vector))
    }

    /// Returns the probabilities that a word is outside a reference, begins one, or continues one.
    pub(crate) fn reference(&self, vector: &[f32]) -> [f32; 3] {
        probabilities(self.references.apply(vector))
    }

    /// Returns the probability of each [`Status`](super::Status) for the statement that begins at a word.
    pub(crate) fn status(&self, vector: &[f32]) -> [f32; 5] {
        probabilities(self.status.apply(vector))
    }

    /// Returns the logit of the probability that a statement is right, before calibration. `words` contains the vectors
    /// of its words.
    pub(crate) fn right(&self, words: &[&[f32]]) -> f32 {
        let (Some(first), Some(last)) = (words.first(), words.last()) else { return 0.0 };
        let count = words.len() as f32;
        let mean = (0..first.len()).map(|at| words.iter().map(|word| word[at]).sum::<f32>() / count);
        let input: Vec<f32> = first.iter().chain(*last).copied().chain(mean).collect();
        let hidden: Vec<f32> = self.inspect.apply(&input).into_iter().map(|x| x.max(0.0)).collect();
        self.right.apply(&hidden).first().copied().unwrap_or_default()
    }

    /// Returns the key of a candidate.
    pub(crate) fn key(&self, vector: &[f32]) -> Vec<f32> {
        self.keys.apply(vector)
    }

    /// Returns the probability of each candidate, followed by that of each special referent. A candidate consists of
    /// its key and the bucket of its distance.
    pub(crate) fn answer(&self, question: Question, vector: &[f32], candidates: &[(&[f32], usize)]) -> Vec<f32> {
        let kind = question as usize;
        let query = self.queries.rows(vector, kind * QUERY..(kind + 1) * QUERY);
        let scale = (QUERY as f32).sqrt().recip();
        let near = |bucket: usize| self.near.get(kind * BUCKETS + bucket).copied().unwrap_or_default();
        let named = candidates.iter().map(|(key, bucket)| dot(&query, key) * scale + near(*bucket));
        let apart = self.apart.iter().skip(kind * SPECIAL);
        let special = self.special.chunks_exact(QUERY).zip(apart).map(|(key, apart)| dot(&query, key) * scale + apart);
        let mut scores: Vec<f32> = named.chain(special).collect();
        softmax(&mut scores);
        scores
    }
}

fn softmax(scores: &mut [f32]) {
    let max = scores.iter().copied().fold(f32::MIN, f32::max);
    scores.iter_mut().for_each(|score| *score = (*score - max).exp());
    let sum: f32 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= sum);
}

fn probabilities<const N: usize>(mut scores: Vec<f32>) -> [f32; N] {
    softmax(&mut scores);
    let mut array = [0.0; N];
    array.iter_mut().zip(scores).for_each(|(to, from)| *to = from);
    array
}

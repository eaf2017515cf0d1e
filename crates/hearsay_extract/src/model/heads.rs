//! The heads of the reading model. A head is a linear map from the vectors of tokens to results.

use hearsay_embed::{HeadTensor, dot};

/// Number of components of a token vector.
pub(crate) const HIDDEN_SIZE: usize = 384;
/// Number of components of a query or a key.
pub(crate) const QUERY_SIZE: usize = 128;
/// Number of variants of [`ReferentRole`].
const ROLE_COUNT: usize = 3;
/// Number of buckets for the distance between a reference and a candidate.
pub(crate) const DISTANCE_BUCKETS: usize = 12;
/// Number of special referents, which are not candidates: the party, a person or thing without a name, and the words of
/// the statement.
pub(crate) const SPECIAL_REFERENTS: usize = 3;

/// Head tensors of the model, with their shapes.
pub(crate) const TENSORS: [HeadTensor; 19] = [
    HeadTensor { name: "heads.talk.weight", shape: &[3, HIDDEN_SIZE] },
    HeadTensor { name: "heads.talk.bias", shape: &[3] },
    HeadTensor { name: "heads.tags.weight", shape: &[3, HIDDEN_SIZE] },
    HeadTensor { name: "heads.tags.bias", shape: &[3] },
    HeadTensor { name: "heads.references.weight", shape: &[3, HIDDEN_SIZE] },
    HeadTensor { name: "heads.references.bias", shape: &[3] },
    HeadTensor { name: "heads.status.weight", shape: &[5, HIDDEN_SIZE] },
    HeadTensor { name: "heads.status.bias", shape: &[5] },
    HeadTensor { name: "heads.queries.weight", shape: &[ROLE_COUNT * QUERY_SIZE, HIDDEN_SIZE] },
    HeadTensor { name: "heads.queries.bias", shape: &[ROLE_COUNT * QUERY_SIZE] },
    HeadTensor { name: "heads.keys.weight", shape: &[QUERY_SIZE, HIDDEN_SIZE] },
    HeadTensor { name: "heads.keys.bias", shape: &[QUERY_SIZE] },
    HeadTensor { name: "heads.inspect.weight", shape: &[QUERY_SIZE, 3 * HIDDEN_SIZE] },
    HeadTensor { name: "heads.inspect.bias", shape: &[QUERY_SIZE] },
    HeadTensor { name: "heads.right.weight", shape: &[1, QUERY_SIZE] },
    HeadTensor { name: "heads.right.bias", shape: &[1] },
    HeadTensor { name: "heads.special", shape: &[SPECIAL_REFERENTS, QUERY_SIZE] },
    HeadTensor { name: "heads.near", shape: &[ROLE_COUNT, DISTANCE_BUCKETS] },
    HeadTensor { name: "heads.apart", shape: &[ROLE_COUNT, SPECIAL_REFERENTS] },
];

/// Question about the entity to which a token refers. Each variant is one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReferentRole {
    /// To which entity does a pronoun or description refer?
    Reference,
    /// Which entity is the subject of a statement?
    Subject,
    /// Which character makes a statement?
    Speaker,
}

/// A linear map with a bias.
#[derive(Debug)]
pub(crate) struct Linear {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl Linear {
    fn new(name: &str, tensor: &impl Fn(&str) -> Vec<f32>) -> Self {
        let tensor = |part: &str| tensor(&format!("heads.{name}.{part}"));
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
    correctness_hidden: Linear,
    correctness: Linear,
    special: Vec<f32>,
    distance_bias: Vec<f32>,
    special_bias: Vec<f32>,
}

impl Heads {
    /// Creates the heads. `tensor` returns the values of one of the [`TENSORS`] by its name, row by row.
    pub(crate) fn new(tensor: impl Fn(&str) -> Vec<f32>) -> Self {
        let linear = |name: &str| Linear::new(name, &tensor);
        Self {
            talk: linear("talk"),
            tags: linear("tags"),
            references: linear("references"),
            status: linear("status"),
            queries: linear("queries"),
            keys: linear("keys"),
            correctness_hidden: linear("inspect"),
            correctness: linear("right"),
            special: tensor("heads.special"),
            distance_bias: tensor("heads.near"),
            special_bias: tensor("heads.apart"),
        }
    }

    /// Returns the probability of each kind of talk: narration, in character, out of character.
    pub(crate) fn talk_probabilities(&self, vector: &[f32]) -> [f32; 3] {
        probabilities(self.talk.apply(vector))
    }

    /// Returns the probabilities that a word is outside a statement, begins one, or continues one.
    pub(crate) fn tag_probabilities(&self, vector: &[f32]) -> [f32; 3] {
        probabilities(self.tags.apply(vector))
    }

    /// Returns the probabilities that a word is outside a reference, begins one, or continues one.
    pub(crate) fn reference_probabilities(&self, vector: &[f32]) -> [f32; 3] {
        probabilities(self.references.apply(vector))
    }

    /// Returns the probability of each [`Factuality`](hearsay_model::Factuality) for the statement that begins at a
    /// word.
    pub(crate) fn status_probabilities(&self, vector: &[f32]) -> [f32; 5] {
        probabilities(self.status.apply(vector))
    }

    /// Returns the logit of the probability that a statement is right, before calibration. `words` contains the vectors
    /// of its words.
    pub(crate) fn correctness_logit(&self, words: &[&[f32]]) -> f32 {
        let (Some(first), Some(last)) = (words.first(), words.last()) else { return 0.0 };
        let count = words.len() as f32;
        let mean = (0..first.len()).map(|at| words.iter().map(|word| word[at]).sum::<f32>() / count);
        let input: Vec<f32> = first.iter().chain(*last).copied().chain(mean).collect();
        let hidden: Vec<f32> = self.correctness_hidden.apply(&input).into_iter().map(|x| x.max(0.0)).collect();
        self.correctness.apply(&hidden).first().copied().unwrap_or_default()
    }

    /// Returns the key of a candidate.
    pub(crate) fn candidate_key(&self, vector: &[f32]) -> Vec<f32> {
        self.keys.apply(vector)
    }

    /// Returns the probability of each candidate, followed by that of each special referent. A candidate consists of
    /// its key and the bucket of its distance.
    pub(crate) fn referent_probabilities(
        &self,
        role: ReferentRole,
        vector: &[f32],
        candidates: &[(&[f32], usize)],
    ) -> Vec<f32> {
        let role_index = role as usize;
        let query = self.queries.rows(vector, role_index * QUERY_SIZE..(role_index + 1) * QUERY_SIZE);
        let scale = (QUERY_SIZE as f32).sqrt().recip();
        let distance_bias =
            |bucket: usize| self.distance_bias.get(role_index * DISTANCE_BUCKETS + bucket).copied().unwrap_or_default();
        let named = candidates.iter().map(|(key, bucket)| dot(&query, key) * scale + distance_bias(*bucket));
        let special_biases = self.special_bias.iter().skip(role_index * SPECIAL_REFERENTS);
        let special = self
            .special
            .chunks_exact(QUERY_SIZE)
            .zip(special_biases)
            .map(|(key, bias)| dot(&query, key) * scale + bias);
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

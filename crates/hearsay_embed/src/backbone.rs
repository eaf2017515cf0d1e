//! The transformer itself: token ids in, one vector per token out.
//!
//! Written out rather than taken from `candle_transformers`, for two reasons that its `BertModel`
//! cannot meet. Its element-wise operations start a thread pool of candle's own, outside of the
//! encoder's; and its products read weights as PyTorch stores them (out × in), which `gemm` packs
//! anew on every call. Here candle does the products, over weights laid out once as in × out, and
//! everything between them is a plain loop on the calling thread.

use std::collections::HashMap;

use candle_core::{Device, Tensor};

use crate::EmbedError;
use crate::error::inference;
use crate::math::{Activation, add_and_normalize, softmax};
use crate::model_dir::Config;

/// A BERT encoder on the CPU in f32.
pub(crate) struct Backbone {
    hidden: usize,
    heads: usize,
    activation: Activation,
    epsilon: f32,
    words: Vec<f32>,
    positions: Vec<f32>,
    types: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

struct Layer {
    /// Query, key and value side by side: one product instead of three.
    query_key_value: Linear,
    attention_output: Linear,
    attention_norm: Norm,
    intermediate: Linear,
    output: Linear,
    output_norm: Norm,
}

struct Linear {
    /// in × out.
    weight: Tensor,
    bias: Vec<f32>,
}

struct Norm {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl Backbone {
    /// Builds the model from tensors that were checked against `config`.
    pub(crate) fn new(tensors: HashMap<String, Vec<f32>>, config: &Config) -> Result<Self, EmbedError> {
        let mut parts = Parts { tensors };
        let (hidden, inner) = (config.hidden_size, config.intermediate_size);
        let layers = (0..config.num_hidden_layers)
            .map(|index| {
                let at = |name: &str| format!("encoder.layer.{index}.{name}");
                let attention = ["query", "key", "value"].map(|n| at(&format!("attention.self.{n}")));
                Ok(Layer {
                    query_key_value: parts.linear(&attention, hidden)?,
                    attention_output: parts.linear(&[at("attention.output.dense")], hidden)?,
                    attention_norm: parts.norm(&at("attention.output.LayerNorm"))?,
                    intermediate: parts.linear(&[at("intermediate.dense")], hidden)?,
                    output: parts.linear(&[at("output.dense")], inner)?,
                    output_norm: parts.norm(&at("output.LayerNorm"))?,
                })
            })
            .collect::<Result<_, EmbedError>>()?;
        Ok(Self {
            hidden,
            heads: config.num_attention_heads,
            activation: config.hidden_act,
            epsilon: config.layer_norm_eps as f32,
            words: parts.take("embeddings.word_embeddings.weight")?,
            positions: parts.take("embeddings.position_embeddings.weight")?,
            types: parts.take("embeddings.token_type_embeddings.weight")?,
            norm: parts.norm("embeddings.LayerNorm")?,
            layers,
        })
    }

    /// The last layer's vectors of one text, row after row.
    ///
    /// One text at its exact length: no padding, no mask, and so nothing in the shapes of the
    /// products, on which their order of summation depends, comes from other texts.
    pub(crate) fn hidden_states(&self, ids: &[u32], type_ids: &[u32]) -> Result<Vec<f32>, EmbedError> {
        let rows = ids.len();
        let mut x = self.embed(ids, type_ids)?;
        for layer in &self.layers {
            x = self.layer(layer, x, rows).map_err(inference)?;
        }
        Ok(x)
    }

    fn embed(&self, ids: &[u32], type_ids: &[u32]) -> Result<Vec<f32>, EmbedError> {
        let mut x = Vec::with_capacity(ids.len() * self.hidden);
        for (position, (id, type_id)) in ids.iter().zip(type_ids).enumerate() {
            let row = |table: &[f32], what: &str, index: usize| {
                let start = index.checked_mul(self.hidden);
                start
                    .and_then(|start| table.get(start..start + self.hidden))
                    .map(<[f32]>::to_vec)
                    .ok_or_else(|| EmbedError::Inference { problem: format!("it has no {what} {index}") })
            };
            let word = row(&self.words, "token", *id as usize)?;
            let kind = row(&self.types, "token type", *type_id as usize)?;
            let place = row(&self.positions, "position", position)?;
            x.extend((0..self.hidden).map(|i| word[i] + kind[i] + place[i]));
        }
        let zeros = vec![0.0; x.len()];
        add_and_normalize(&mut x, &zeros, &self.norm.weight, &self.norm.bias, self.epsilon);
        Ok(x)
    }

    fn layer(&self, layer: &Layer, x: Vec<f32>, rows: usize) -> candle_core::Result<Vec<f32>> {
        let query_key_value = layer.query_key_value.apply(x.clone(), rows)?;
        let context = self.attention(query_key_value, rows)?;
        let mut y = layer.attention_output.apply(context, rows)?;
        self.close(&mut y, &x, &layer.attention_norm);

        let mut inner = layer.intermediate.apply(y.clone(), rows)?;
        self.activation.apply(&mut inner);
        let mut z = layer.output.apply(inner, rows)?;
        self.close(&mut z, &y, &layer.output_norm);
        Ok(z)
    }

    fn close(&self, x: &mut [f32], residual: &[f32], norm: &Norm) {
        add_and_normalize(x, residual, &norm.weight, &norm.bias, self.epsilon);
    }

    fn attention(&self, query_key_value: Vec<f32>, rows: usize) -> candle_core::Result<Vec<f32>> {
        let size = self.hidden / self.heads;
        let all = Tensor::from_vec(query_key_value, (rows, 3, self.heads, size), &Device::Cpu)?;
        // Views of heads × rows × size: the products take strides, so nothing is copied.
        let part = |index| all.narrow(1, index, 1)?.squeeze(1)?.transpose(0, 1);
        let (query, key, value) = (part(0)?, part(1)?, part(2)?);

        let mut scores = flat(&query.matmul(&key.t()?)?)?;
        softmax(&mut scores, rows, (size as f32).sqrt().recip());
        let scores = Tensor::from_vec(scores, (self.heads, rows, rows), &Device::Cpu)?;
        flat(&scores.matmul(&value)?.transpose(0, 1)?)
    }
}

impl Linear {
    fn apply(&self, x: Vec<f32>, rows: usize) -> candle_core::Result<Vec<f32>> {
        let inputs = self.weight.dim(0)?;
        let x = Tensor::from_vec(x, (rows, inputs), &Device::Cpu)?;
        let mut y = flat(&x.matmul(&self.weight)?)?;
        for row in y.chunks_exact_mut(self.bias.len()) {
            for (value, bias) in row.iter_mut().zip(&self.bias) {
                *value += bias;
            }
        }
        Ok(y)
    }
}

fn flat(tensor: &Tensor) -> candle_core::Result<Vec<f32>> {
    tensor.flatten_all()?.to_vec1()
}

/// The checked tensors, taken out one by one.
struct Parts {
    tensors: HashMap<String, Vec<f32>>,
}

impl Parts {
    fn take(&mut self, name: &str) -> Result<Vec<f32>, EmbedError> {
        self.tensors
            .remove(name)
            .ok_or_else(|| EmbedError::Inference { problem: format!("tensor `{name}` was not read") })
    }

    fn norm(&mut self, name: &str) -> Result<Norm, EmbedError> {
        Ok(Norm { weight: self.take(&format!("{name}.weight"))?, bias: self.take(&format!("{name}.bias"))? })
    }

    /// One linear map from several that share their input.
    fn linear(&mut self, names: &[String], inputs: usize) -> Result<Linear, EmbedError> {
        let (mut weight, mut bias) = (Vec::new(), Vec::new());
        for name in names {
            weight.append(&mut self.take(&format!("{name}.weight"))?);
            bias.append(&mut self.take(&format!("{name}.bias"))?);
        }
        let outputs = bias.len();
        let transposed = || Tensor::from_vec(weight, (outputs, inputs), &Device::Cpu)?.t()?.contiguous();
        Ok(Linear { weight: transposed().map_err(inference)?, bias })
    }
}

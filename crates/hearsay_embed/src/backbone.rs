//! The transformer: computes one vector per token from token ids.
//!
//! This crate does not use the `BertModel` of `candle_transformers`. `BertModel` converts the layout of the weights on
//! every call, allocates memory for every operation, and starts candle's own thread pool. The tests compare the results
//! of this module with the results of `BertModel`.

use std::sync::{Mutex, PoisonError};

use hearsay_simd::Processor;

use crate::{
    EmbedError,
    attention::{self, Attention},
    byte_linear::ByteRows,
    linear::{Linear, WeightPrecision},
    math::{Activation, AddAndNormalize, Norm},
    model_dir::Config,
    panels::{Panels, Rows, grow},
    weights::{Table, WORD_EMBEDDINGS, Weights},
};

/// A BERT model that runs on the CPU.
pub(crate) struct Backbone {
    hidden_size: usize,
    intermediate_size: usize,
    head_count: usize,
    activation: Activation,
    /// One vector per token. The table is large and each text needs only a few rows, so it stays in the precision of the
    /// file.
    word_embeddings: Table,
    position_embeddings: Vec<f32>,
    type_embeddings: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    /// Instruction set of the processor, for the SIMD loops.
    processor: Processor,
    /// Unused scratch buffers. Their number never exceeds the largest number of concurrent calls so far.
    scratch_pool: Mutex<Vec<Scratch>>,
}

/// The tokens of each text whose vectors are computed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputTokens {
    All,
    /// The first token. The vector is the same as with [`All`](Self::All), but the last layer needs less time.
    First,
}

impl OutputTokens {
    /// Returns the number of these tokens in a text of `length` tokens.
    fn count(self, length: usize) -> usize {
        match self {
            Self::All => length,
            Self::First => length.min(1),
        }
    }
}

struct Layer {
    /// The linear maps for query, key and value, combined so that one matrix product replaces three.
    query_key_value: Linear,
    attention_output: Linear,
    attention_norm: Norm,
    intermediate: Linear,
    output: Linear,
    output_norm: Norm,
}

/// Scratch buffers for intermediate results, reused between calls.
#[derive(Default)]
struct Scratch {
    /// Vectors of the tokens, one row per token.
    x: Vec<f32>,
    /// Input of the next matrix product, if the input is not `x`.
    input: Vec<f32>,
    matmul: Panels,
    bytes: ByteRows,
    attention: attention::Scratch,
}

impl Backbone {
    /// Builds the model from its weights. The linear maps have the given precision.
    pub(crate) fn new(weights: &Weights<'_>, config: &Config, precision: WeightPrecision) -> Result<Self, EmbedError> {
        let (hidden_size, intermediate_size) = (config.hidden_size, config.intermediate_size);
        let table = |count: usize| [count, hidden_size];
        let word_embeddings = weights.read_table(WORD_EMBEDDINGS, &table(config.vocab_size))?;
        let position_embeddings =
            weights.read("embeddings.position_embeddings.weight", &table(config.max_position_embeddings))?;
        let type_embeddings =
            weights.read("embeddings.token_type_embeddings.weight", &table(config.type_vocab_size))?;
        let builder = LayerBuilder { weights, hidden_size, epsilon: config.layer_norm_eps as f32, precision };
        let norm = builder.norm("embeddings.LayerNorm")?;
        let layers = (0..config.num_hidden_layers)
            .map(|index| {
                let at = |name: &str| format!("encoder.layer.{index}.{name}");
                let attention = ["query", "key", "value"].map(|n| at(&format!("attention.self.{n}")));
                Ok(Layer {
                    query_key_value: builder.linear(&attention, hidden_size, hidden_size)?,
                    attention_output: builder.linear(&[at("attention.output.dense")], hidden_size, hidden_size)?,
                    attention_norm: builder.norm(&at("attention.output.LayerNorm"))?,
                    intermediate: builder.linear(&[at("intermediate.dense")], hidden_size, intermediate_size)?,
                    output: builder.linear(&[at("output.dense")], intermediate_size, hidden_size)?,
                    output_norm: builder.norm(&at("output.LayerNorm"))?,
                })
            })
            .collect::<Result<_, EmbedError>>()?;
        Ok(Self {
            hidden_size,
            intermediate_size,
            head_count: config.num_attention_heads,
            activation: config.hidden_act,
            word_embeddings,
            position_embeddings,
            type_embeddings,
            norm,
            layers,
            processor: Processor::detect(),
            scratch_pool: Mutex::default(),
        })
    }

    /// Returns the precision of the linear maps, which is [`WeightPrecision::F32`] if the processor has no instructions
    /// for dot products of bytes.
    pub(crate) fn precision(&self) -> WeightPrecision {
        match self.layers.first().map(|layer| &layer.output) {
            Some(Linear::Bytes(_)) => WeightPrecision::Int8,
            _ => WeightPrecision::F32,
        }
    }

    /// Runs the model on texts. Each text is a pair of token ids and token type ids. Calls `on_text` once for each
    /// text, in order, with the vectors of its output tokens from the last layer.
    ///
    /// The rows of all texts are stacked, each text at its exact length, without padding or mask. Matrix products
    /// process all texts at once, but no row of a product depends on another row. Attention processes one text at a
    /// time. If `parallel` is set, the threads of the current pool share each matrix product.
    pub(crate) fn run(
        &self,
        texts: &[(&[u32], &[u32])],
        output: OutputTokens,
        parallel: bool,
        mut on_text: impl FnMut(&[f32]),
    ) -> Result<(), EmbedError> {
        let mut scratch = self.scratch_pool.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let result = self.embed(texts, &mut scratch.x).and_then(|()| {
            for (index, layer) in self.layers.iter().enumerate() {
                let is_last = index + 1 == self.layers.len();
                let output = if is_last { output } else { OutputTokens::All };
                self.layer(layer, texts, output, parallel, &mut scratch)?;
            }
            let mut offset = 0;
            for (ids, _) in texts {
                let size = output.count(ids.len()) * self.hidden_size;
                on_text(&scratch.x[offset..][..size]);
                offset += size;
            }
            Ok(())
        });
        self.scratch_pool.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
        result
    }

    fn embed(&self, texts: &[(&[u32], &[u32])], x: &mut Vec<f32>) -> Result<(), EmbedError> {
        x.clear();
        for (ids, type_ids) in texts {
            for (position, (id, type_id)) in ids.iter().zip(*type_ids).enumerate() {
                let start = x.len();
                let word = self.word_embeddings.append_row(*id as usize, self.hidden_size, x);
                word.ok_or_else(|| missing_row("token", *id as usize))?;
                let token_type = self.row(&self.type_embeddings, "token type", *type_id as usize)?;
                let position_row = self.row(&self.position_embeddings, "position", position)?;
                for ((a, b), c) in x[start..].iter_mut().zip(token_type).zip(position_row) {
                    *a = *a + b + c;
                }
            }
        }
        self.processor.dispatch(AddAndNormalize { x, added: None, norm: &self.norm });
        Ok(())
    }

    fn row<'a>(&self, table: &'a [f32], table_name: &str, index: usize) -> Result<&'a [f32], EmbedError> {
        let start = index.checked_mul(self.hidden_size);
        start.and_then(|start| table.get(start..start + self.hidden_size)).ok_or_else(|| missing_row(table_name, index))
    }

    fn layer(
        &self,
        layer: &Layer,
        texts: &[(&[u32], &[u32])],
        output: OutputTokens,
        parallel: bool,
        scratch: &mut Scratch,
    ) -> Result<(), EmbedError> {
        let Scratch { x, input, matmul, bytes, attention } = scratch;
        let (processor, hidden) = (self.processor, self.hidden_size);
        let rows: usize = texts.iter().map(|(ids, _)| ids.len()).sum();
        layer.query_key_value.apply(processor, Rows { numbers: x, count: rows }, None, parallel, bytes, matmul)?;
        grow(input, rows * hidden);
        // From here on, `x` and `input` contain only the rows of the output tokens.
        let (mut first_row, mut output_rows) = (0, 0);
        for (ids, _) in texts.iter().filter(|(ids, _)| !ids.is_empty()) {
            let (count, queries) = (ids.len(), output.count(ids.len()));
            processor.dispatch(Attention {
                query_key_value: matmul,
                first: first_row,
                count,
                queries,
                heads: self.head_count,
                size: hidden / self.head_count,
                scratch: attention,
                out: &mut input[output_rows * hidden..][..queries * hidden],
            });
            if output_rows < first_row {
                x.copy_within(first_row * hidden..(first_row + queries) * hidden, output_rows * hidden);
            }
            first_row += count;
            output_rows += queries;
        }
        x.truncate(output_rows * hidden);
        let rows = output_rows;
        layer.attention_output.apply(processor, Rows { numbers: input, count: rows }, None, parallel, bytes, matmul)?;
        processor.dispatch(AddAndNormalize { x, added: Some(matmul), norm: &layer.attention_norm });

        layer.intermediate.apply(
            processor,
            Rows { numbers: x, count: rows },
            Some(self.activation),
            parallel,
            bytes,
            matmul,
        )?;
        grow(input, rows * self.intermediate_size);
        for (index, row) in input.chunks_exact_mut(self.intermediate_size).take(rows).enumerate() {
            matmul.copy(index, 0, row);
        }
        layer.output.apply(processor, Rows { numbers: input, count: rows }, None, parallel, bytes, matmul)?;
        processor.dispatch(AddAndNormalize { x, added: Some(matmul), norm: &layer.output_norm });
        Ok(())
    }
}

fn missing_row(table_name: &str, index: usize) -> EmbedError {
    EmbedError::Inference { problem: format!("the model has no {table_name} {index}") }
}

/// Reads the parts of layers from the weights.
struct LayerBuilder<'a> {
    weights: &'a Weights<'a>,
    hidden_size: usize,
    epsilon: f32,
    precision: WeightPrecision,
}

impl LayerBuilder<'_> {
    fn norm(&self, name: &str) -> Result<Norm, EmbedError> {
        let read = |part: &str| self.weights.read(&format!("{name}.{part}"), &[self.hidden_size]);
        Ok(Norm { weight: read("weight")?, bias: read("bias")?, epsilon: self.epsilon })
    }

    /// Combines linear maps with the same input into one linear map. `outputs` is the number of outputs of each map.
    fn linear(&self, names: &[String], inputs: usize, outputs: usize) -> Result<Linear, EmbedError> {
        let (mut weight, mut bias) = (Vec::new(), Vec::new());
        for name in names {
            weight.append(&mut self.weights.read(&format!("{name}.weight"), &[outputs, inputs])?);
            bias.append(&mut self.weights.read(&format!("{name}.bias"), &[outputs])?);
        }
        Linear::new(weight, bias, inputs, self.precision)
    }
}

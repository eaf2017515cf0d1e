//! Reads the weights of a model, and checks the name, shape and values of every tensor. An error about a damaged file
//! names the tensor.

use std::collections::HashMap;

use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

use crate::EmbedError;
use crate::model_dir::{Config, File};

/// Name and shape of a weight tensor of a head, which is a small classifier. The model file of a
/// [`TokenModel`](crate::TokenModel) must contain all tensors that the caller lists.
#[derive(Debug, Clone, Copy)]
pub struct HeadTensor {
    /// Name of the tensor in `model.safetensors`.
    pub name: &'static str,
    /// Shape of the tensor.
    pub shape: &'static [usize],
}

/// Tensors converted to f32, by name without prefix.
pub(crate) type Tensors = HashMap<String, Vec<f32>>;

/// Returns the tensors that `config` requires.
pub(crate) fn read(file: &File, config: &Config) -> Result<Tensors, EmbedError> {
    Ok(read_with_heads(file, config, &[])?.0)
}

/// Returns the tensors that `config` requires, and those of `heads`.
pub(crate) fn read_with_heads(
    file: &File,
    config: &Config,
    heads: &[HeadTensor],
) -> Result<(Tensors, Tensors), EmbedError> {
    let archive = SafeTensors::deserialize(&file.bytes).map_err(|error| {
        let problem = if file.bytes.is_empty() {
            "it is empty".to_owned()
        } else if file.bytes.starts_with(b"version https://git-lfs") {
            "it is a Git LFS pointer, not the weights; run `git lfs pull`".to_owned()
        } else {
            format!("it has {} bytes, and reading it failed: {error}", file.bytes.len())
        };
        EmbedError::DamagedWeights { path: file.path.clone(), problem }
    })?;
    // In checkpoints of models with a task-specific head, the tensor names of the encoder begin with "bert.".
    let prefix = ["", "bert."]
        .into_iter()
        .find(|prefix| archive.tensor(&format!("{prefix}{WORD_EMBEDDINGS}")).is_ok())
        .unwrap_or_default();
    let reader = Reader { file, archive, prefix };
    let (mut tensors, mut head_tensors) = (HashMap::new(), HashMap::new());
    for (name, shape) in embedding_shapes(config) {
        reader.add(name, shape, &mut tensors)?;
    }
    for index in 0..config.num_hidden_layers {
        for (name, shape) in layer_shapes(config) {
            reader.add(format!("encoder.layer.{index}.{name}"), shape, &mut tensors)?;
        }
    }
    for head in heads {
        reader.add(head.name.to_owned(), head.shape.to_vec(), &mut head_tensors)?;
    }
    Ok((tensors, head_tensors))
}

const WORD_EMBEDDINGS: &str = "embeddings.word_embeddings.weight";

fn embedding_shapes(config: &Config) -> Vec<(String, Vec<usize>)> {
    let hidden = config.hidden_size;
    vec![
        (WORD_EMBEDDINGS.to_owned(), vec![config.vocab_size, hidden]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![config.max_position_embeddings, hidden]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![config.type_vocab_size, hidden]),
        ("embeddings.LayerNorm.weight".to_owned(), vec![hidden]),
        ("embeddings.LayerNorm.bias".to_owned(), vec![hidden]),
    ]
}

fn layer_shapes(config: &Config) -> Vec<(String, Vec<usize>)> {
    let (hidden, inner) = (config.hidden_size, config.intermediate_size);
    let linear = |name: &str, inputs, outputs| {
        [(format!("{name}.weight"), vec![outputs, inputs]), (format!("{name}.bias"), vec![outputs])]
    };
    let norm = |name: &str| [(format!("{name}.weight"), vec![hidden]), (format!("{name}.bias"), vec![hidden])];
    [
        linear("attention.self.query", hidden, hidden),
        linear("attention.self.key", hidden, hidden),
        linear("attention.self.value", hidden, hidden),
        linear("attention.output.dense", hidden, hidden),
        norm("attention.output.LayerNorm"),
        linear("intermediate.dense", hidden, inner),
        linear("output.dense", inner, hidden),
        norm("output.LayerNorm"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

struct Reader<'a> {
    file: &'a File,
    archive: SafeTensors<'a>,
    prefix: &'static str,
}

impl Reader<'_> {
    fn add(&self, name: String, shape: Vec<usize>, tensors: &mut HashMap<String, Vec<f32>>) -> Result<(), EmbedError> {
        let path = || self.file.path.clone();
        let view = self.find(&name).ok_or_else(|| EmbedError::MissingTensor { path: path(), tensor: name.clone() })?;
        if view.shape() != shape {
            return Err(EmbedError::WrongShape {
                path: path(),
                tensor: name,
                expected: shape,
                found: view.shape().to_vec(),
            });
        }
        let values = match view.dtype() {
            Dtype::F32 => view.data().as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(),
            Dtype::F16 => widen::<f16>(view.data(), f16::from_le_bytes),
            Dtype::BF16 => widen::<bf16>(view.data(), bf16::from_le_bytes),
            other => {
                return Err(EmbedError::UnsupportedModel {
                    path: path(),
                    found: format!("tensor `{name}` of type {other:?} (not F32, F16 or BF16)"),
                });
            }
        };
        if !values.iter().all(|value| value.is_finite()) {
            return Err(EmbedError::DamagedWeights {
                path: path(),
                problem: format!("tensor `{name}` contains values that are not finite"),
            });
        }
        tensors.insert(name, values);
        Ok(())
    }

    /// Finds a tensor. In checkpoints converted from TensorFlow, the weight and bias of a norm are named gamma and
    /// beta.
    fn find(&self, name: &str) -> Option<TensorView<'_>> {
        let tensor_view = |name: &str| self.archive.tensor(&format!("{}{name}", self.prefix)).ok();
        tensor_view(name).or_else(|| {
            let (norm, part) = name.rsplit_once('.')?;
            let old_name = match part {
                "weight" => "gamma",
                _ => "beta",
            };
            tensor_view(&format!("{norm}.{old_name}"))
        })
    }
}

/// Converts half-precision numbers to f32. Works in blocks, so that the processor's conversion instructions can be
/// used.
fn widen<T: Copy>(bytes: &[u8], read: impl Fn([u8; 2]) -> T) -> Vec<f32>
where
    [T]: HalfFloatSliceExt,
{
    const BLOCK: usize = 4096;
    let halves = bytes.as_chunks::<2>().0;
    let mut values = vec![0.0; halves.len()];
    let mut block = Vec::with_capacity(BLOCK);
    for (halves, values) in halves.chunks(BLOCK).zip(values.chunks_mut(BLOCK)) {
        block.clear();
        block.extend(halves.iter().map(|half| read(*half)));
        block.convert_to_f32_slice(values);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_widen_exactly() {
        // 10,000 numbers are two whole blocks and a part of a third.
        let bits = || (0..10_000_u16).map(u16::to_le_bytes);
        let bytes: Vec<u8> = bits().flatten().collect();
        let expected: Vec<f32> = bits().map(|b| f16::from_le_bytes(b).to_f32()).collect();
        assert!(widen(&bytes, f16::from_le_bytes) == expected);
        let expected: Vec<f32> = bits().map(|b| bf16::from_le_bytes(b).to_f32()).collect();
        assert!(widen(&bytes, bf16::from_le_bytes) == expected);
    }
}

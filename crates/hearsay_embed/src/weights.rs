//! Reads the weights of a model, and checks the name, shape and values of every tensor. An error about a damaged file
//! names the tensor.

use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

use crate::EmbedError;
use crate::model_dir::File;

/// Name and shape of a weight tensor of a head, which is a small classifier. The model file of a
/// [`TokenModel`](crate::TokenModel) must contain all tensors that the caller lists.
#[derive(Debug, Clone, Copy)]
pub struct HeadTensor {
    /// Name of the tensor in `model.safetensors`.
    pub name: &'static str,
    /// Shape of the tensor.
    pub shape: &'static [usize],
}

/// The tensors of a weights file. A tensor is converted when it is read, so the converted tensors of a model never fill
/// the memory at the same time as its linear maps.
pub(crate) struct Weights<'a> {
    file: &'a File,
    archive: SafeTensors<'a>,
    prefix: &'static str,
}

/// Name of the tensor with one vector per token.
pub(crate) const WORD_EMBEDDINGS: &str = "embeddings.word_embeddings.weight";

impl<'a> Weights<'a> {
    /// Reads the list of tensors of a file.
    pub(crate) fn open(file: &'a File) -> Result<Self, EmbedError> {
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
        Ok(Self { file, archive, prefix })
    }

    /// Reads a tensor as numbers of 32 bits.
    pub(crate) fn read(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, EmbedError> {
        Ok(match self.read_table(name, shape)? {
            Table::Single(values) => values,
            Table::Half(values) => widen(&values),
            Table::BrainHalf(values) => widen(&values),
        })
    }

    /// Reads a tensor in the precision of the file.
    pub(crate) fn read_table(&self, name: &str, shape: &[usize]) -> Result<Table, EmbedError> {
        let path = || self.file.path.clone();
        let view =
            self.find(name).ok_or_else(|| EmbedError::MissingTensor { path: path(), tensor: name.to_owned() })?;
        if view.shape() != shape {
            return Err(EmbedError::WrongShape {
                path: path(),
                tensor: name.to_owned(),
                expected: shape.to_vec(),
                found: view.shape().to_vec(),
            });
        }
        let halves = || view.data().as_chunks::<2>().0.iter();
        let (table, is_finite) = match view.dtype() {
            Dtype::F32 => {
                let values: Vec<f32> = view.data().as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
                let is_finite = values.iter().all(|value| value.is_finite());
                (Table::Single(values), is_finite)
            }
            Dtype::F16 => {
                let values: Vec<f16> = halves().map(|bytes| f16::from_le_bytes(*bytes)).collect();
                let is_finite = values.iter().all(|value| value.is_finite());
                (Table::Half(values), is_finite)
            }
            Dtype::BF16 => {
                let values: Vec<bf16> = halves().map(|bytes| bf16::from_le_bytes(*bytes)).collect();
                let is_finite = values.iter().all(|value| value.is_finite());
                (Table::BrainHalf(values), is_finite)
            }
            other => {
                return Err(EmbedError::UnsupportedModel {
                    path: path(),
                    found: format!("tensor `{name}` of type {other:?} (not F32, F16 or BF16)"),
                });
            }
        };
        if !is_finite {
            return Err(EmbedError::DamagedWeights {
                path: path(),
                problem: format!("tensor `{name}` contains values that are not finite"),
            });
        }
        Ok(table)
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

/// A tensor in the precision of its file.
pub(crate) enum Table {
    Single(Vec<f32>),
    Half(Vec<f16>),
    BrainHalf(Vec<bf16>),
}

impl Table {
    /// Appends a row of `width` numbers to `to`. Returns `None` if the table has no such row.
    pub(crate) fn append_row(&self, index: usize, width: usize, to: &mut Vec<f32>) -> Option<()> {
        let start = index.checked_mul(width)?;
        let row = start..start.checked_add(width)?;
        match self {
            Self::Single(values) => to.extend_from_slice(values.get(row)?),
            Self::Half(values) => append_widened(values.get(row)?, to),
            Self::BrainHalf(values) => append_widened(values.get(row)?, to),
        }
        Some(())
    }
}

/// Converts half-precision numbers to f32.
fn widen<T>(halves: &[T]) -> Vec<f32>
where
    [T]: HalfFloatSliceExt,
{
    let mut values = Vec::new();
    append_widened(halves, &mut values);
    values
}

/// Converts half-precision numbers to f32, and appends them to `to`.
fn append_widened<T>(halves: &[T], to: &mut Vec<f32>)
where
    [T]: HalfFloatSliceExt,
{
    let start = to.len();
    to.resize(start + halves.len(), 0.0);
    halves.convert_to_f32_slice(&mut to[start..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_widen_exactly() {
        let bits = || 0..10_000_u16;
        let halves: Vec<f16> = bits().map(f16::from_bits).collect();
        assert!(widen(&halves) == halves.iter().map(|half| half.to_f32()).collect::<Vec<_>>());
        let halves: Vec<bf16> = bits().map(bf16::from_bits).collect();
        assert!(widen(&halves) == halves.iter().map(|half| half.to_f32()).collect::<Vec<_>>());
    }

    #[test]
    fn a_row_of_a_table_has_the_same_numbers_in_every_precision() {
        let numbers = [0.5, -2.0, 0.0, 1.25, 3.0, -0.125];
        let tables = [
            Table::Single(numbers.to_vec()),
            Table::Half(numbers.map(f16::from_f32).to_vec()),
            Table::BrainHalf(numbers.map(bf16::from_f32).to_vec()),
        ];
        for table in tables {
            let mut row = vec![9.0];
            assert_eq!(table.append_row(1, 3, &mut row), Some(()));
            assert_eq!(row, [9.0, 1.25, 3.0, -0.125]);
            assert_eq!(table.append_row(2, 3, &mut row), None);
            assert_eq!(table.append_row(usize::MAX, 3, &mut row), None);
            assert_eq!(row.len(), 4);
        }
    }
}

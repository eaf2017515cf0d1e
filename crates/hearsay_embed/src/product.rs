//! Products of activations with weights: the one module of the crate with unsafe code, which is
//! the call of `gemm`.
//!
//! A weight is laid out once, in panels of 64 outputs: in × 64 numbers that lie together, as wide
//! as `gemm`'s kernels, so that these read it from first to last without packing it anew. A
//! product runs panel by panel, for at most 48 rows at a time, and leaves its result in panels,
//! too.
//!
//! The sum of a row does not depend on the other rows: every shape that is passed to `gemm` has 64
//! columns and 2 to 48 rows, for which it cuts sums in the same places and adds in the same order,
//! one fused multiplication after the other. One row alone would take another path; it never
//! occurs here. The tests try every number of rows.

use candle_core::{CpuStorage, Device, Storage, Tensor};
use gemm::Parallelism;
use pulp::Arch;
use rayon::prelude::*;

use crate::EmbedError;
use crate::error::inference;
use crate::math::{Activation, add_bias};

/// How many outputs are computed together.
pub(crate) const PANEL: usize = 64;

/// How many rows go into one call of `gemm`: from the next one on it would pack the weights.
const ROWS: usize = 48;

/// A linear map: weights and biases.
pub(crate) struct Linear {
    inputs: usize,
    outputs: usize,
    /// Panels × in × 64; the last panel is filled up with zeros.
    weight: Tensor,
    /// As long as the panels are wide, filled up with zeros.
    bias: Vec<f32>,
}

/// The result of a product: for each panel, a row of 64 numbers for each row.
#[derive(Default)]
pub(crate) struct Panels {
    rows: usize,
    values: Vec<f32>,
}

impl Linear {
    /// From weights as PyTorch stores them, out × in, with as many outputs as there are biases.
    pub(crate) fn new(mut weight: Vec<f32>, mut bias: Vec<f32>, inputs: usize) -> Result<Self, EmbedError> {
        let outputs = bias.len();
        let padded = outputs.next_multiple_of(PANEL);
        weight.resize(padded * inputs, 0.0);
        bias.resize(padded, 0.0);
        let panels =
            || Tensor::from_vec(weight, (padded / PANEL, PANEL, inputs), &Device::Cpu)?.transpose(1, 2)?.contiguous();
        Ok(Self { inputs, outputs, weight: panels().map_err(inference)?, bias })
    }

    /// Multiplies `rows` rows of `x`, adds the bias and applies the activation function.
    ///
    /// `x` holds at least 2 rows, even if `rows` is 1. With `parallel` the panels are shared out
    /// among the threads of the pool that this runs in.
    pub(crate) fn apply(
        &self,
        arch: Arch,
        x: &[f32],
        rows: usize,
        activation: Option<Activation>,
        parallel: bool,
        y: &mut Panels,
    ) -> Result<(), EmbedError> {
        let (storage, layout) = self.weight.storage_and_layout();
        let Storage::Cpu(CpuStorage::F32(weights)) = &*storage else {
            return Err(EmbedError::Inference { problem: "its weights are not f32 on the CPU".to_owned() });
        };
        y.reset(rows.max(2), self.outputs.div_ceil(PANEL));
        let rows = y.rows;
        let panel = |(values, (weights, bias)): (&mut [f32], (&[f32], &[f32]))| {
            for (x, values) in blocks(x, rows, self.inputs).zip(blocks_mut(values, rows)) {
                multiply(x, self.inputs, weights, values);
                arch.dispatch(
                    #[inline(always)]
                    || add_bias(values, bias, activation),
                );
            }
        };
        let weights = &weights[layout.start_offset()..];
        let size = self.inputs * PANEL;
        if parallel {
            let parts = weights.par_chunks_exact(size).zip(self.bias.par_chunks_exact(PANEL));
            y.values.par_chunks_exact_mut(rows * PANEL).zip(parts).for_each(panel);
        } else {
            let parts = weights.chunks_exact(size).zip(self.bias.chunks_exact(PANEL));
            y.values.chunks_exact_mut(rows * PANEL).zip(parts).for_each(panel);
        }
        Ok(())
    }
}

impl Panels {
    fn reset(&mut self, rows: usize, panels: usize) {
        self.rows = rows;
        // What is kept from before is overwritten by the product.
        self.values.resize(panels * rows * PANEL, 0.0);
    }

    /// The pieces of a row, each of 64 numbers.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = &[f32; PANEL]> {
        self.values.as_chunks().0.iter().skip(row).step_by(self.rows.max(1))
    }

    /// Columns `from` to `from + out.len()` of a row.
    pub(crate) fn copy(&self, row: usize, from: usize, mut out: &mut [f32]) {
        let mut column = from;
        while !out.is_empty() {
            let count = out.len().min(PANEL - column % PANEL);
            let start = (column / PANEL * self.rows + row) * PANEL + column % PANEL;
            let (piece, rest) = out.split_at_mut(count);
            piece.copy_from_slice(&self.values[start..start + count]);
            out = rest;
            column += count;
        }
    }
}

/// How many of `left` rows come next: never 1, and never so many that 1 would be left over.
fn block(left: usize) -> usize {
    if left == ROWS + 1 { ROWS - 6 } else { left.min(ROWS) }
}

fn blocks(mut x: &[f32], mut rows: usize, inputs: usize) -> impl Iterator<Item = &[f32]> {
    std::iter::from_fn(move || {
        let count = block(rows);
        let (head, rest) = x.split_at_checked(count * inputs)?;
        (x, rows) = (rest, rows - count);
        (count > 0).then_some(head)
    })
}

fn blocks_mut(mut y: &mut [f32], mut rows: usize) -> impl Iterator<Item = &mut [f32]> {
    std::iter::from_fn(move || {
        let count = block(rows);
        let (head, rest) = std::mem::take(&mut y).split_at_mut_checked(count * PANEL)?;
        (y, rows) = (rest, rows - count);
        (count > 0).then_some(head)
    })
}

/// `y` = `x` · `weights`: rows × inputs, inputs × 64 and rows × 64 numbers.
///
/// # Panics
///
/// When the slices are not of one shape.
#[allow(unsafe_code)]
fn multiply(x: &[f32], inputs: usize, weights: &[f32], y: &mut [f32]) {
    let rows = y.len() / PANEL;
    assert!(y.len() == rows * PANEL && x.len() == rows * inputs && weights.len() == inputs * PANEL);
    // SAFETY: gemm reads element (i, j) of a matrix at i · row stride + j · column stride. With
    // these strides the largest indices are rows · inputs - 1 in `x`, inputs · 64 - 1 in `weights`
    // and rows · 64 - 1 in `y`, all within the slices, as asserted. `y` is borrowed mutably and so
    // overlaps neither, and it is only written, since `read_dst` is false. Nothing else is asked of
    // the caller: gemm looks for itself which instructions the processor has.
    unsafe {
        gemm::gemm(
            rows,
            PANEL,
            inputs,
            y.as_mut_ptr(),
            1,
            PANEL as isize,
            false,
            x.as_ptr(),
            1,
            inputs as isize,
            weights.as_ptr(),
            1,
            PANEL as isize,
            0.0,
            1.0,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers without a pattern, between -1 and 1.
    fn noise(count: usize, seed: u32) -> Vec<f32> {
        (0..count as u32)
            .map(|i| {
                let mut x = (i + 1).wrapping_mul(0x9e37_79b9) ^ seed;
                x = (x ^ (x >> 16)).wrapping_mul(0x85eb_ca6b);
                x = (x ^ (x >> 13)).wrapping_mul(0xc2b2_ae35);
                (x ^ (x >> 16)) as f32 / 2_147_483_648.0 - 1.0
            })
            .collect()
    }

    fn product(linear: &Linear, x: &[f32], rows: usize, parallel: bool) -> Vec<Vec<f32>> {
        let mut y = Panels::default();
        linear.apply(Arch::new(), x, rows, None, parallel, &mut y).unwrap();
        (0..rows)
            .map(|row| {
                let mut out = vec![0.0; linear.outputs];
                y.copy(row, 0, &mut out);
                out
            })
            .collect()
    }

    #[test]
    fn a_row_does_not_depend_on_the_number_of_rows_or_its_place_among_them() {
        // The inputs of the default model, and some that are odd or cut into several sums.
        for (inputs, outputs, most) in [(384, 70, 512), (1536, 64, 512), (13, 3, 128), (1100, 64, 128)] {
            let linear = Linear::new(noise(inputs * outputs, 1), noise(outputs, 2), inputs).unwrap();
            let x = noise(inputs * (most + 2), 3);
            let expected: Vec<_> =
                (0..most).map(|row| product(&linear, &x[row * inputs..][..2 * inputs], 1, false).remove(0)).collect();
            for (row, y) in expected.iter().enumerate().step_by(37) {
                for (output, y) in y.iter().enumerate() {
                    let weight = &noise(inputs * outputs, 1)[output * inputs..];
                    let pairs = x[row * inputs..][..inputs].iter().zip(weight);
                    let sum: f64 = pairs.map(|(x, w)| f64::from(*x) * f64::from(*w)).sum();
                    let exact = sum + f64::from(noise(outputs, 2)[output]);
                    assert!((f64::from(*y) - exact).abs() < 1e-4, "row {row}: {y}, not {exact}");
                }
            }
            for rows in 1..=most {
                // From the first row on, and up to the last one.
                for first in [0, most - rows] {
                    let y = product(&linear, &x[first * inputs..], rows, rows % 7 == 0);
                    let same = y.iter().zip(&expected[first..]).all(|(y, expected)| {
                        y.iter().map(|y| y.to_bits()).eq(expected.iter().map(|expected| expected.to_bits()))
                    });
                    assert!(same && y.len() == rows, "{rows} rows from row {first}, {inputs} inputs");
                }
            }
        }
    }
}

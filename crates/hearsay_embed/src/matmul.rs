//! Matrix products of activations and weights.
//!
//! Weights are stored in panels of 64 outputs. A panel has `inputs` × 64 contiguous numbers. The product is computed
//! panel by panel, six rows at a time. The result is also stored in panels.
//!
//! The result of a row does not depend on the other rows. Each sum is accumulated in a register from the first input to
//! the last, regardless of the number of rows.
//!
//! candle uses `gemm` for matrix products. `gemm` is as fast as this module only without debug assertions. With debug
//! assertions, `gemm` checks every read in its kernels and is four times slower. This module reads slices of SIMD
//! vectors, which needs neither unsafe code nor checks.

use candle_core::{CpuStorage, Device, Storage, Tensor};
use hearsay_simd::Processor;
use pulp::{Simd, WithSimd};

use crate::{
    EmbedError,
    error::inference,
    math::{Activation, AddBias},
    panels::{PANEL, Panels, Rows},
    prefetch::prefetch,
};

/// Number of rows computed together. With SIMD vectors of 16 numbers, 24 sums fill most of 32 registers. With SIMD
/// vectors of 8 numbers, 12 sums fill most of 16 registers.
const ROWS: usize = 6;

/// A linear map: weights and biases.
pub(crate) struct FloatLinear {
    inputs: usize,
    outputs: usize,
    /// Tensor of shape panels × inputs × 64. The last panel is padded with zeros.
    weight: Tensor,
    /// One bias per output, padded with zeros to whole panels.
    bias: Vec<f32>,
}

impl FloatLinear {
    /// Creates a linear map from weights in PyTorch's layout (outputs × inputs) and one bias per output.
    pub(crate) fn new(mut weight: Vec<f32>, mut bias: Vec<f32>, inputs: usize) -> Result<Self, EmbedError> {
        let outputs = bias.len();
        let padded_outputs = outputs.next_multiple_of(PANEL);
        weight.resize(padded_outputs * inputs, 0.0);
        bias.resize(padded_outputs, 0.0);
        let panel_tensor = || {
            Tensor::from_vec(weight, (padded_outputs / PANEL, PANEL, inputs), &Device::Cpu)?
                .transpose(1, 2)?
                .contiguous()
        };
        Ok(Self { inputs, outputs, weight: panel_tensor().map_err(inference)?, bias })
    }

    /// Multiplies the rows of `x` by the weights, adds the bias and applies the activation function. Stores the
    /// result in `y`.
    ///
    /// If `parallel` is set, the threads of the current pool share the panels.
    pub(crate) fn apply(
        &self,
        processor: Processor,
        x: Rows<'_>,
        activation: Option<Activation>,
        parallel: bool,
        y: &mut Panels,
    ) -> Result<(), EmbedError> {
        let (storage, layout) = self.weight.storage_and_layout();
        let Storage::Cpu(CpuStorage::F32(weights)) = &*storage else {
            return Err(EmbedError::Inference { problem: "its weights are not f32 on the CPU".to_owned() });
        };
        let rows = x.count;
        y.reset(rows, self.outputs.div_ceil(PANEL));
        let x = &x.numbers[..rows * self.inputs];
        let weights = &weights[layout.start_offset()..];
        let panel_size = self.inputs * PANEL;
        y.for_each_panel(parallel, |(index, y)| {
            let (weights, following) = weights[index * panel_size..].split_at(panel_size);
            processor.dispatch(Product {
                x: Matrix { numbers: x, width: self.inputs },
                weights: Matrix { numbers: weights, width: PANEL },
                next_panel: following.get(..panel_size).unwrap_or_default(),
                y,
                y_width: PANEL,
            });
            processor.dispatch(AddBias { values: y, bias: &self.bias[index * PANEL..][..PANEL], activation });
        });
        Ok(())
    }
}

/// A matrix, stored row by row, with `width` numbers per row.
#[derive(Clone, Copy)]
pub(crate) struct Matrix<'a> {
    pub(crate) numbers: &'a [f32],
    pub(crate) width: usize,
}

/// Computation of `y` = `x` · `weights`. If a row of `x` has more numbers than `weights` has rows, the extra numbers
/// are ignored.
pub(crate) struct Product<'a> {
    pub(crate) x: Matrix<'a>,
    /// Weights, 32 or 64 numbers wide.
    pub(crate) weights: Matrix<'a>,
    /// Weights of the next panel, which are prefetched during the computation.
    pub(crate) next_panel: &'a [f32],
    /// Result. Each row has space for `y_width` numbers; the first 32 or 64 of them are set.
    pub(crate) y: &'a mut [f32],
    pub(crate) y_width: usize,
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        self.compute(simd);
    }
}

impl Product<'_> {
    /// Computes the product with the given vector instructions.
    #[inline(always)]
    pub(crate) fn compute<S: Simd>(self, simd: S) {
        let is_wide = self.weights.width == PANEL;
        // The const arguments are the width of the weights in SIMD vectors, and the number of SIMD vectors computed
        // together.
        match (S::F32_LANES, S::REGISTER_COUNT) {
            (16, _) if is_wide => self.compute_panel::<S, 4, 4>(simd),
            (16, _) => self.compute_panel::<S, 2, 2>(simd),
            (8, _) if is_wide => self.compute_panel::<S, 8, 2>(simd),
            (8, _) => self.compute_panel::<S, 4, 2>(simd),
            (4, 32..) if is_wide => self.compute_panel::<S, 16, 4>(simd),
            (4, _) if is_wide => self.compute_panel::<S, 16, 2>(simd),
            (4, _) => self.compute_panel::<S, 8, 2>(simd),
            _ if is_wide => self.compute_panel::<S, PANEL, 2>(simd),
            _ => self.compute_panel::<S, 32, 2>(simd),
        }
    }

    #[inline(always)]
    fn compute_panel<S: Simd, const V: usize, const N: usize>(self, simd: S) {
        let Self { x, weights, next_panel, y, y_width } = self;
        let weights = S::as_simd_f32s(weights.numbers).0.as_chunks::<V>().0;
        let width = x.width;
        // The first two groups of rows each prefetch one half of the next panel. A question has only about three groups
        // of six rows, so without prefetching, the computation would wait for memory.
        let half = weights.len() * PANEL / 2;
        for (index, (x, y)) in x.numbers.chunks(ROWS * width).zip(y.chunks_mut(ROWS * y_width)).enumerate() {
            let prefetched = next_panel.get(index * half..(index + 1) * half).unwrap_or_default();
            for column in (0..V).step_by(N) {
                match x.len() / width {
                    6 => tile::<S, V, N, 6>(simd, x, weights, prefetched, column, y, y_width),
                    5 => tile::<S, V, N, 5>(simd, x, weights, prefetched, column, y, y_width),
                    4 => tile::<S, V, N, 4>(simd, x, weights, prefetched, column, y, y_width),
                    3 => tile::<S, V, N, 3>(simd, x, weights, prefetched, column, y, y_width),
                    2 => tile::<S, V, N, 2>(simd, x, weights, prefetched, column, y, y_width),
                    _ => tile::<S, V, N, 1>(simd, x, weights, prefetched, column, y, y_width),
                }
            }
        }
    }
}

/// Computes `R` rows of `N` SIMD vectors, starting at SIMD vector `column`.
#[inline(always)]
fn tile<S: Simd, const V: usize, const N: usize, const R: usize>(
    simd: S,
    x: &[f32],
    weights: &[[S::f32s; V]],
    prefetched: &[f32],
    column: usize,
    y: &mut [f32],
    y_width: usize,
) {
    let (inputs, width) = (weights.len(), x.len() / R);
    // Makes each slice as long as `weights`, so that the compiler removes the bounds checks.
    let x: [&[f32]; R] = std::array::from_fn(|row| &x[row * width..][..inputs]);
    let has_prefetch = !prefetched.is_empty();
    let mut sums = [[simd.splat_f32s(0.0); N]; R];
    for (i, weights) in weights.iter().enumerate() {
        if has_prefetch {
            prefetch(prefetched, i * PANEL / 2);
            prefetch(prefetched, i * PANEL / 2 + 16);
        }
        for row in 0..R {
            let factor = simd.splat_f32s(x[row][i]);
            for n in 0..N {
                sums[row][n] = simd.mul_add_e_f32s(factor, weights[column + n], sums[row][n]);
            }
        }
    }
    // Iterates by value. With references, the compiler would keep the sums in memory.
    for (y, sums) in y.chunks_mut(y_width).zip(sums) {
        for (y, sum) in S::as_mut_simd_f32s(y).0[column..].iter_mut().zip(sums) {
            *y = sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{noise, rows_of};

    fn matmul(linear: &FloatLinear, x: &[f32], rows: usize, parallel: bool) -> Vec<Vec<f32>> {
        matmul_with(Processor::detect(), linear, x, rows, parallel)
    }

    fn matmul_with(
        processor: Processor,
        linear: &FloatLinear,
        x: &[f32],
        rows: usize,
        parallel: bool,
    ) -> Vec<Vec<f32>> {
        let mut y = Panels::default();
        linear.apply(processor, Rows { numbers: x, count: rows }, None, parallel, &mut y).unwrap();
        rows_of(&y, rows, linear.outputs)
    }

    #[test]
    fn a_row_does_not_depend_on_the_number_of_rows_or_its_place_among_them() {
        // Sizes of the default model, and unusual sizes.
        for (inputs, outputs, max_rows) in [(384, 70, 512), (1536, 64, 512), (13, 3, 128), (1, 130, 7)] {
            let linear = FloatLinear::new(noise(inputs * outputs, 1), noise(outputs, 2), inputs).unwrap();
            let x = noise(inputs * max_rows, 3);
            let expected: Vec<_> =
                (0..max_rows).map(|row| matmul(&linear, &x[row * inputs..][..inputs], 1, false).remove(0)).collect();
            for (row, y) in expected.iter().enumerate().step_by(37) {
                for (output, y) in y.iter().enumerate() {
                    let weight = &noise(inputs * outputs, 1)[output * inputs..];
                    let pairs = x[row * inputs..][..inputs].iter().zip(weight);
                    let sum: f64 = pairs.map(|(x, w)| f64::from(*x) * f64::from(*w)).sum();
                    let exact = sum + f64::from(noise(outputs, 2)[output]);
                    assert!((f64::from(*y) - exact).abs() < 1e-4, "row {row}: {y}, not {exact}");
                }
            }
            for rows in 1..=max_rows {
                // Tests the first `rows` rows and the last `rows` rows.
                for first in [0, max_rows - rows] {
                    let y = matmul(&linear, &x[first * inputs..], rows, rows % 7 == 0);
                    let is_equal = y.iter().zip(&expected[first..]).all(|(y, expected)| {
                        y.iter().map(|y| y.to_bits()).eq(expected.iter().map(|expected| expected.to_bits()))
                    });
                    assert!(is_equal && y.len() == rows, "{rows} rows from row {first}, {inputs} inputs");
                }
            }
        }
    }

    #[test]
    fn every_kind_of_vectors_gives_the_same_product() {
        let mut processors = vec![Processor::Other(pulp::Arch::Scalar)];
        #[cfg(target_arch = "x86_64")]
        processors.extend(pulp::x86::V3::try_new().map(Processor::Avx2));
        for (inputs, outputs) in [(64, 130), (384, 64)] {
            let linear = FloatLinear::new(noise(inputs * outputs, 1), noise(outputs, 2), inputs).unwrap();
            let x = noise(inputs * 17, 3);
            let expected = matmul(&linear, &x, 17, false);
            for processor in &processors {
                for (row, expected) in matmul_with(*processor, &linear, &x, 17, false).iter().zip(&expected) {
                    for (y, expected) in row.iter().zip(expected) {
                        assert!((y - expected).abs() < 1e-4, "{processor:?}: {y}, not {expected}");
                    }
                }
            }
        }
    }
}

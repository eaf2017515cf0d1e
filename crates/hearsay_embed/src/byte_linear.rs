//! Linear maps with weights of 8 bits.
//!
//! All weights of one output have the same scale. All numbers of one row have the same scale and the same zero point,
//! which are computed from the smallest and the largest number of the row. This is the asymmetric quantisation of Jacob
//! et al., "Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference" (CVPR 2018),
//! with scales per row.

use hearsay_simd::Processor;
use pulp::{Simd, WithSimd};

use crate::{
    byte_kernel::{ByteKernel, ByteProduct, GROUP, GroupWeights},
    math::{Activation, AddBias, LANES},
    panels::{PANEL, Panels, Rows},
};

/// Adding this number to a number between 0 and 2²² rounds the sum to an integer, which the low bits then contain.
const ROUND: f32 = 12_582_912.0;

/// A linear map: weights of 8 bits, and biases. The vectors of outputs are padded with zeros to whole panels.
pub(crate) struct ByteLinear {
    kernel: ByteKernel,
    inputs: usize,
    /// Number of groups of four inputs. The last group is padded with zeros.
    groups: usize,
    /// For each panel of 64 outputs, one element for each group of inputs.
    weights: Vec<GroupWeights>,
    /// Scale of each output: a weight is its byte times this number.
    scales: Vec<f32>,
    /// Sum of the bytes of each output.
    totals: Vec<i32>,
    bias: Vec<f32>,
}

impl ByteLinear {
    /// Quantises weights in PyTorch's layout (outputs × inputs). There is one bias per output.
    pub(crate) fn new(kernel: ByteKernel, weight: &[f32], mut bias: Vec<f32>, inputs: usize) -> Self {
        let (outputs, groups) = (bias.len().next_multiple_of(PANEL), inputs.div_ceil(GROUP));
        let mut weights = vec![[0_i8; GROUP * PANEL]; outputs / PANEL * groups];
        let (mut scales, mut totals) = (vec![0.0; outputs], vec![0; outputs]);
        for (output, row) in weight.chunks_exact(inputs).enumerate() {
            let largest = row.iter().fold(0.0_f32, |largest, weight| largest.max(weight.abs()));
            let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
            for (input, weight) in row.iter().enumerate() {
                let byte = (weight / scale).round() as i8;
                let group = &mut weights[output / PANEL * groups + input / GROUP];
                group[output % PANEL * GROUP + input % GROUP] = byte;
                totals[output] += i32::from(byte);
            }
            scales[output] = scale;
        }
        bias.resize(outputs, 0.0);
        Self { kernel, inputs, groups, weights, scales, totals, bias }
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
        bytes: &mut ByteRows,
        y: &mut Panels,
    ) {
        let rows = x.count;
        y.reset(rows, self.scales.len() / PANEL);
        bytes.reset(rows, self.groups);
        processor.dispatch(Quantize {
            x: &x.numbers[..rows * self.inputs],
            width: self.inputs,
            groups: self.groups,
            bytes,
        });
        let bytes = &*bytes;
        y.for_each_panel(parallel, |(index, y)| {
            let y = y.as_chunks_mut::<PANEL>().0;
            self.kernel.multiply(ByteProduct {
                rows: &bytes.numbers[..rows * self.groups],
                weights: &self.weights[index * self.groups..][..self.groups],
                sums: bytemuck::must_cast_slice_mut(y),
            });
            let outputs = index * PANEL..(index + 1) * PANEL;
            let (scales, totals) = (&self.scales[outputs.clone()], &self.totals[outputs.clone()]);
            processor.dispatch(Dequantize { y, bytes, scales, totals });
            processor.dispatch(AddBias { values: y.as_flattened_mut(), bias: &self.bias[outputs], activation });
        });
    }
}

/// Rows of quantised numbers. A number is its byte minus the zero point of its row, times the scale of its row.
#[derive(Default)]
pub(crate) struct ByteRows {
    /// For each row, one element for each group of four inputs. The buffer may be longer than the rows.
    numbers: Vec<[u8; GROUP]>,
    scales: Vec<f32>,
    zero_points: Vec<i32>,
}

impl ByteRows {
    fn reset(&mut self, rows: usize, groups: usize) {
        if self.numbers.len() < rows * groups {
            self.numbers.resize(rows * groups, [0; GROUP]);
        }
        self.scales.resize(rows, 0.0);
        self.zero_points.resize(rows, 0);
    }
}

/// Quantisation of the rows of `x`, which have `width` numbers each.
struct Quantize<'a> {
    x: &'a [f32],
    width: usize,
    groups: usize,
    bytes: &'a mut ByteRows,
}

impl WithSimd for Quantize<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { x, width, groups, bytes } = self;
        let numbers = bytes.numbers.chunks_exact_mut(groups);
        let properties = bytes.scales.iter_mut().zip(&mut bytes.zero_points);
        for ((x, numbers), (scale, zero_point)) in x.chunks_exact(width).zip(numbers).zip(properties) {
            let (low, high) = range(x);
            *scale = if high > low { (high - low) / 255.0 } else { 1.0 };
            let inverse = scale.recip();
            let zero = (-low * inverse).round();
            *zero_point = zero as i32;
            let numbers = numbers.as_flattened_mut();
            for (number, x) in numbers.iter_mut().zip(x) {
                *number = ((x * inverse + zero).clamp(0.0, 255.0) + ROUND).to_bits() as u8;
            }
            numbers[width..].fill(0);
        }
    }
}

/// Returns the smallest and the largest number of a row, but at most and at least 0.
#[inline(always)]
fn range(row: &[f32]) -> (f32, f32) {
    let (mut low, mut high) = ([0.0_f32; LANES], [0.0_f32; LANES]);
    let (blocks, rest) = row.as_chunks::<LANES>();
    for block in blocks.iter().map(|block| &block[..]).chain([rest]) {
        for ((low, high), x) in low.iter_mut().zip(&mut high).zip(block) {
            *low = if *x < *low { *x } else { *low };
            *high = if *x > *high { *x } else { *high };
        }
    }
    (low.into_iter().fold(0.0, f32::min), high.into_iter().fold(0.0, f32::max))
}

/// Conversion of integer sums to numbers, in place: `y` contains the bits of the sums, and then the numbers.
struct Dequantize<'a> {
    y: &'a mut [[f32; PANEL]],
    bytes: &'a ByteRows,
    /// Scales of the 64 outputs.
    scales: &'a [f32],
    /// Sums of the bytes of the weights of the 64 outputs.
    totals: &'a [i32],
}

impl WithSimd for Dequantize<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let properties = self.bytes.scales.iter().zip(&self.bytes.zero_points);
        for (y, (scale, zero_point)) in self.y.iter_mut().zip(properties) {
            for ((y, output_scale), total) in y.iter_mut().zip(self.scales).zip(self.totals) {
                let sum = (y.to_bits() as i32).wrapping_sub(zero_point.wrapping_mul(*total));
                *y = sum as f32 * (scale * output_scale);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{noise, rows_of};

    /// Returns the rows of the product of `x` and `weight`, computed with `kernel`.
    fn product(kernel: ByteKernel, weight: &[f32], bias: &[f32], x: &[f32], inputs: usize) -> Vec<Vec<f32>> {
        let linear = ByteLinear::new(kernel, weight, bias.to_vec(), inputs);
        let (rows, mut bytes, mut y) = (x.len() / inputs, ByteRows::default(), Panels::default());
        linear.apply(Processor::detect(), Rows { numbers: x, count: rows }, None, rows % 2 == 0, &mut bytes, &mut y);
        rows_of(&y, rows, bias.len())
    }

    #[test]
    fn a_product_of_bytes_is_close_to_the_product() {
        for (inputs, outputs, rows) in [(384, 70, 17), (1536, 64, 9), (13, 3, 4), (1, 130, 7)] {
            let (weight, bias, x) = (noise(inputs * outputs, 1), noise(outputs, 2), noise(inputs * rows, 3));
            for kernel in ByteKernel::available() {
                let y = product(kernel, &weight, &bias, &x, inputs);
                for (row, y) in y.iter().enumerate() {
                    for (output, y) in y.iter().enumerate() {
                        let pairs = x[row * inputs..][..inputs].iter().zip(&weight[output * inputs..]);
                        let exact = pairs.map(|(x, w)| x * w).sum::<f32>() + bias[output];
                        // The error of a factor is at most half a step of 2 / 255, and the errors do not all add up.
                        let largest = 0.012 * (inputs as f32).sqrt() + 0.01;
                        assert!((y - exact).abs() < largest, "{kernel:?}, row {row}: {y}, not {exact}");
                    }
                }
            }
        }
    }

    #[test]
    fn all_kernels_return_the_same_bits_for_any_number_of_rows() {
        let (inputs, outputs) = (384, 192);
        let (weight, bias, x) = (noise(inputs * outputs, 1), noise(outputs, 2), noise(inputs * 23, 3));
        let mut expected: Option<Vec<Vec<f32>>> = None;
        for kernel in ByteKernel::available() {
            let all = product(kernel, &weight, &bias, &x, inputs);
            assert_eq!(&all, expected.get_or_insert_with(|| all.clone()), "{kernel:?}");
            for rows in 1..=23 {
                assert_eq!(product(kernel, &weight, &bias, &x[..rows * inputs], inputs), all[..rows], "{rows} rows");
            }
        }
    }

    #[test]
    fn rows_of_equal_numbers_and_of_zeros_are_exact_enough() {
        let (weight, bias) = (noise(64 * 64, 1), vec![0.0; 64]);
        for kernel in ByteKernel::available() {
            assert_eq!(product(kernel, &weight, &bias, &[0.0; 64], 64), [vec![0.0; 64]]);
            for value in [-3.0, 3.0] {
                for (output, y) in product(kernel, &weight, &bias, &[value; 64], 64)[0].iter().enumerate() {
                    let exact = weight[output * 64..][..64].iter().sum::<f32>() * value;
                    assert!((y - exact).abs() < 0.3, "{y}, not {exact}");
                }
            }
        }
    }
}

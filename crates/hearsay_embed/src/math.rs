//! The computations between the matrix products: norms, softmax and activation functions.
//!
//! Every sum adds its numbers in a fixed order. Therefore, the compiler can vectorise the loops without changing the
//! results.

use pulp::{Simd, WithSimd};

use crate::panels::{PANEL, Panels};

/// The activation function between the two linear maps at the end of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activation {
    Gelu,
    GeluTanh,
    Relu,
}

impl Activation {
    #[inline(always)]
    fn apply(self, x: f32) -> f32 {
        match self {
            Self::Gelu => 0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2)),
            Self::GeluTanh => {
                // (1 + tanh y) / 2 equals 1 / (1 + exp -2y). The sign of y is handled separately, because `exp` accepts
                // only values of at most 0.
                let inner = 0.797_884_6 * (x + 0.044_715 * x * x * x);
                let exponential = exp(-2.0 * inner.abs());
                let sigmoid = 1.0 / (1.0 + exponential);
                x * if inner < 0.0 { exponential * sigmoid } else { sigmoid }
            }
            Self::Relu => x.max(0.0),
        }
    }
}

/// Computation that adds `bias` to each row of `values`, then applies the activation. Each row is as long as `bias`.
pub(crate) struct AddBias<'a> {
    pub(crate) values: &'a mut [f32],
    pub(crate) bias: &'a [f32],
    pub(crate) activation: Option<Activation>,
}

impl WithSimd for AddBias<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { values, bias, activation } = self;
        match activation {
            None => map(
                values,
                bias,
                #[inline(always)]
                |x| x,
            ),
            // One loop for each activation, so that no loop contains a branch.
            Some(Activation::Gelu) => map(
                values,
                bias,
                #[inline(always)]
                |x| Activation::Gelu.apply(x),
            ),
            Some(Activation::GeluTanh) => map(
                values,
                bias,
                #[inline(always)]
                |x| Activation::GeluTanh.apply(x),
            ),
            Some(Activation::Relu) => map(
                values,
                bias,
                #[inline(always)]
                |x| Activation::Relu.apply(x),
            ),
        }
    }
}

/// Computation that adds `added`, if any, to the rows of `x`, then normalises each row.
pub(crate) struct AddAndNormalize<'a> {
    pub(crate) x: &'a mut [f32],
    pub(crate) added: Option<&'a Panels>,
    pub(crate) norm: &'a Norm,
}

impl WithSimd for AddAndNormalize<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Norm { weight, bias, epsilon } = self.norm;
        for (index, row) in self.x.chunks_exact_mut(weight.len()).enumerate() {
            if let Some(added) = self.added {
                for (values, added) in row.chunks_mut(PANEL).zip(added.row(index)) {
                    for (value, added) in values.iter_mut().zip(added) {
                        *value += added;
                    }
                }
            }
            normalize(row, weight, bias, *epsilon);
        }
    }
}

/// Learned parameters of a layer norm.
pub(crate) struct Norm {
    pub(crate) weight: Vec<f32>,
    pub(crate) bias: Vec<f32>,
    pub(crate) epsilon: f32,
}

#[inline(always)]
fn map(values: &mut [f32], bias: &[f32], function: impl Fn(f32) -> f32) {
    for row in values.chunks_exact_mut(bias.len()) {
        for (value, bias) in row.iter_mut().zip(bias) {
            *value = function(*value + bias);
        }
    }
}

/// Normalises a row to mean 0 and variance 1, scales it by `weight` and adds `bias`. `row`, `weight` and `bias` have
/// the same length.
#[inline(always)]
fn normalize(row: &mut [f32], weight: &[f32], bias: &[f32], epsilon: f32) {
    let size = row.len() as f32;
    let mean = sum(row, |value| value) / size;
    let variance = sum(row, |value| (value - mean) * (value - mean)) / size;
    let scale = (variance + epsilon).sqrt().recip();
    for (value, (weight, bias)) in row.iter_mut().zip(weight.iter().zip(bias)) {
        *value = (*value - mean) * scale * weight + bias;
    }
}

/// Multiplies a row of scores by `scale`, then converts it to weights that sum to 1.
#[inline(always)]
pub(crate) fn softmax(row: &mut [f32], scale: f32) {
    let (blocks, rest) = row.as_chunks::<LANES>();
    let mut lanes = [f32::NEG_INFINITY; LANES];
    for block in blocks {
        for (lane, value) in lanes.iter_mut().zip(block) {
            *lane = if *value > *lane { *value } else { *lane };
        }
    }
    for (lane, value) in lanes.iter_mut().zip(rest) {
        *lane = if *value > *lane { *value } else { *lane };
    }
    let max = lanes.into_iter().fold(f32::NEG_INFINITY, f32::max);
    for value in row.iter_mut() {
        *value = exp((*value - max) * scale);
    }
    let factor = sum(row, |value| value).recip();
    for value in row {
        *value *= factor;
    }
}

/// Number of parallel sums. They fill one vector register with AVX-512, or two with AVX2.
pub(crate) const LANES: usize = 16;

/// Applies `function` to each value and sums the results: first within each lane, then over the lanes from first to
/// last.
#[inline(always)]
fn sum(values: &[f32], function: impl Fn(f32) -> f32) -> f32 {
    let (blocks, rest) = values.as_chunks::<LANES>();
    let mut lanes = [0.0_f32; LANES];
    for block in blocks {
        for (lane, value) in lanes.iter_mut().zip(block) {
            *lane += function(*value);
        }
    }
    for (lane, value) in lanes.iter_mut().zip(rest) {
        *lane += function(*value);
    }
    lanes.iter().sum()
}

/// Error function, accurate to about 1e-7. Uses a rational function on [-4, 4]; outside that range, erf is ±1 in f32.
/// Eigen and XLA use the same coefficients. The standard library has no erf. This version has no branches, so that
/// loops can be vectorised.
#[inline(always)]
fn erf(x: f32) -> f32 {
    const P: [f32; 7] = [
        -2.726_142_3e-10,
        2.770_681_4e-8,
        -2.101_024e-6,
        -5.692_506_4e-5,
        -7.349_906_3e-4,
        -2.954_6e-3,
        -1.609_603_3e-2,
    ];
    const Q: [f32; 5] = [-1.456_607_2e-5, -2.133_740_6e-4, -1.682_827e-3, -7.373_329_2e-3, -1.426_473_9e-2];
    let x = x.clamp(-4.0, 4.0);
    let square = x * x;
    x * polynomial(square, &P) / polynomial(square, &Q)
}

/// Exponential function for numbers of at most 0, with a relative error of about 1e-7. Uses Cody–Waite range reduction
/// to [-ln 2 / 2, ln 2 / 2], and the polynomial of the Cephes library.
#[inline(always)]
fn exp(x: f32) -> f32 {
    const P: [f32; 6] = [1.987_569_1e-4, 1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 5e-1];
    // Adding and subtracting 1.5 · 2²³ rounds to an integer without a function call.
    const ROUND: f32 = 12_582_912.0;
    // Below this limit, the result is under 2⁻¹²⁶. That is negligible, because the largest value of a row is 1. NaN
    // stays NaN.
    let x = if x < -87.0 { -87.0 } else { x };
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let integer = shifted - ROUND;
    let remainder = x - integer * 0.693_359_4 + integer * 2.121_944_4e-4;
    let power = f32::from_bits(shifted.to_bits().wrapping_add(127) << 23);
    (polynomial(remainder, &P) * remainder * remainder + remainder + 1.0) * power
}

#[inline(always)]
fn polynomial(x: f32, coefficients: &[f32]) -> f32 {
    let mut value = 0.0;
    for coefficient in coefficients {
        value = value * x + coefficient;
    }
    value
}

#[cfg(test)]
mod tests {
    use hearsay_simd::Processor;

    use super::*;

    #[test]
    fn erf_is_right() {
        // Values from Python's math.erf.
        for (x, expected) in [
            (0.0, 0.0),
            (1e-4, 1.128_379_2e-4),
            (0.1, 0.112_462_92),
            (0.5, 0.520_499_9),
            (1.0, 0.842_700_8),
            (1.5, 0.966_105_1),
            (2.0, 0.995_322_3),
            (3.0, 0.999_977_9),
            (4.5, 1.0),
            (1e30, 1.0),
        ] {
            assert!((erf(x) - expected).abs() < 3e-7, "erf({x}) = {}", erf(x));
            assert_eq!(erf(-x), -erf(x));
        }
    }

    #[test]
    fn exp_is_right() {
        for i in 0..8_700 {
            let x = i as f32 * -0.01;
            let expected = f64::from(x).exp();
            let error = (f64::from(exp(x)) - expected).abs() / expected;
            assert!(error < 3e-7, "exp({x}) = {}", exp(x));
        }
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(-1e30) < 1e-37);
        assert!(exp(f32::NAN).is_nan(), "an overflow must not pass for a number");
    }

    #[test]
    fn activations_are_right() {
        for (activation, expected) in [
            (Activation::Gelu, [-0.158_655_26, 0.0, 1.954_499_7]),
            (Activation::GeluTanh, [-0.158_808, 0.0, 1.954_597_7]),
            (Activation::Relu, [0.0, 0.0, 2.0]),
        ] {
            let mut values = [-1.0, 0.0, 2.0];
            Processor::detect().dispatch(AddBias {
                values: &mut values,
                bias: &[0.0; 3],
                activation: Some(activation),
            });
            for (value, expected) in values.iter().zip(expected) {
                assert!((value - expected).abs() < 1e-6, "{activation:?}: {value}");
            }
        }
    }

    #[test]
    fn softmax_sums_to_one_however_large_the_scores() {
        for (mut scores, expected) in [
            ([1.0, 2.0, 3.0], [0.090_030_57, 0.244_728_48, 0.665_240_94]),
            ([1e9, 0.0, -1e9], [1.0, 0.0, 0.0]),
            ([0.0, f32::NEG_INFINITY, 0.0], [0.5, 0.0, 0.5]),
        ] {
            softmax(&mut scores, 1.0);
            for (value, expected) in scores.iter().zip(expected) {
                assert!((value - expected).abs() < 1e-6, "{scores:?}");
            }
        }
        let mut scores: Vec<f32> = (0..40).map(|i| i as f32).collect();
        softmax(&mut scores, 0.1);
        assert!((scores.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!((scores[39] / scores[29] - 1.0_f32.exp()).abs() < 1e-5);
    }

    #[test]
    fn a_row_is_normalised() {
        for (mut row, expected) in
            [([1.0, 2.0, 3.0], [-1.224_744_9, 5.0, 2.449_489_7]), ([10.0, 10.0, 10.0], [0.0, 5.0, 0.0])]
        {
            normalize(&mut row, &[1.0, 1.0, 2.0], &[0.0, 5.0, 0.0], 1e-12);
            for (value, expected) in row.iter().zip(expected) {
                assert!((value - expected).abs() < 1e-5, "{row:?}");
            }
        }
    }
}

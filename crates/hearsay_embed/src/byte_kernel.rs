//! Multiplies rows and weights of 8 bits with the processor's instructions for dot products of bytes (VNNI).
//!
//! [`ByteKernel::multiply`] calls functions that are compiled for these instructions. Only these calls are unsafe code
//! in this module. The sums are exact integers, so all kernels return the same results.

use crate::panels::PANEL;

/// Number of inputs that one instruction multiplies and adds for each output.
pub(crate) const GROUP: usize = 4;

/// The weights of four inputs for the 64 outputs of a panel: first the four weights of output 0, then those of output 1.
pub(crate) type GroupWeights = [i8; GROUP * PANEL];

/// Number of rows computed together. Their 24 sums of 16 numbers fill most of 32 registers.
const ROWS: usize = 6;

/// A product of quantised rows and one panel of weights.
pub(crate) struct ByteProduct<'a> {
    /// Rows: for each row, one group of four numbers for each element of `weights`.
    pub(crate) rows: &'a [[u8; GROUP]],
    /// The weights of the panel, one element for each group of inputs.
    pub(crate) weights: &'a [GroupWeights],
    /// Result: 64 sums for each row.
    pub(crate) sums: &'a mut [[i32; PANEL]],
}

/// The instructions with which products are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ByteKernel {
    /// AVX-512 with VNNI.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// AVX2 with VNNI.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl ByteKernel {
    /// Returns the fastest kernel for this processor, or nothing if the processor has no instructions for dot products
    /// of bytes. Without them, products of bytes are slower than products of f32 numbers.
    pub(crate) fn detect() -> Option<Self> {
        Self::available().into_iter().next()
    }

    /// Returns the kernels that this processor can run, the fastest first.
    pub(crate) fn available() -> Vec<Self> {
        let mut kernels = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let has_avx512 = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni");
            let has_avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("avxvnni");
            kernels.extend(has_avx512.then_some(Self::Avx512));
            kernels.extend(has_avx2.then_some(Self::Avx2));
        }
        kernels
    }

    /// Computes a product.
    #[allow(
        unsafe_code,
        reason = "a call of a function that is compiled for instructions that not every processor has"
    )]
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
    pub(crate) fn multiply(self, product: ByteProduct<'_>) {
        match self {
            // SAFETY: `available` returns this kernel only on processors that have these instructions.
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => unsafe { x86::multiply_avx512(product) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { x86::multiply_avx2(product) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm256_dpbusd_avx_epi32, _mm256_set1_epi32, _mm256_setzero_si256, _mm512_dpbusd_epi32,
        _mm512_set1_epi32, _mm512_setzero_si512,
    };

    use super::{ByteProduct, GROUP, GroupWeights, PANEL, ROWS};

    /// Defines a kernel: `$multiply` computes a product, and `$tile` computes `R` rows of it.
    macro_rules! kernel {
        (
            $multiply:ident, $tile:ident, $features:literal, $vector:ty, lanes: $lanes:literal, together: $together:literal,
            $zero:ident, $splat:ident, $dot:ident
        ) => {
            #[target_feature(enable = $features)]
            pub(super) fn $multiply(product: ByteProduct<'_>) {
                let ByteProduct { rows, weights, sums } = product;
                let groups = weights.len();
                for (rows, sums) in rows.chunks(ROWS * groups).zip(sums.chunks_mut(ROWS)) {
                    match sums.len() {
                        6 => $tile::<6>(rows, weights, sums),
                        5 => $tile::<5>(rows, weights, sums),
                        4 => $tile::<4>(rows, weights, sums),
                        3 => $tile::<3>(rows, weights, sums),
                        2 => $tile::<2>(rows, weights, sums),
                        _ => $tile::<1>(rows, weights, sums),
                    }
                }
            }

            #[target_feature(enable = $features)]
            fn $tile<const R: usize>(rows: &[[u8; GROUP]], weights: &[GroupWeights], sums: &mut [[i32; PANEL]]) {
                let groups = weights.len();
                let rows: [&[[u8; GROUP]]; R] = std::array::from_fn(|row| &rows[row * groups..][..groups]);
                for first in (0..PANEL / $lanes).step_by($together) {
                    let mut totals = [[$zero(); $together]; R];
                    for (group, weights) in weights.iter().enumerate() {
                        let vectors: &[[i8; GROUP * $lanes]; PANEL / $lanes] = bytemuck::must_cast_ref(weights);
                        for row in 0..R {
                            let numbers = $splat(i32::from_ne_bytes(rows[row][group]));
                            for n in 0..$together {
                                let weights: $vector = bytemuck::must_cast(vectors[first + n]);
                                totals[row][n] = $dot(totals[row][n], numbers, weights);
                            }
                        }
                    }
                    for (sums, totals) in sums.iter_mut().zip(totals) {
                        for (n, total) in totals.into_iter().enumerate() {
                            let total: [i32; $lanes] = bytemuck::must_cast(total);
                            sums[(first + n) * $lanes..][..$lanes].copy_from_slice(&total);
                        }
                    }
                }
            }
        };
    }

    kernel!(
        multiply_avx512, tile_avx512, "avx512f,avx512vnni", __m512i, lanes: 16, together: 4,
        _mm512_setzero_si512, _mm512_set1_epi32, _mm512_dpbusd_epi32
    );
    kernel!(
        multiply_avx2, tile_avx2, "avx2,avxvnni", __m256i, lanes: 8, together: 2,
        _mm256_setzero_si256, _mm256_set1_epi32, _mm256_dpbusd_avx_epi32
    );
}

//! Selection of the processor's vector instructions (SIMD) for the loops of the sentence encoder and of vector search.
//!
//! [`Processor::dispatch`] is inlined into its callers, so the loops are compiled with the optimisation level of the
//! calling crate.

use pulp::{Arch, WithSimd};

/// A set of vector instructions. [`detect`](Self::detect) returns the set with the widest vectors that this processor
/// supports.
///
/// Without a Cargo feature, the crate `pulp` does not select AVX2 by itself. This type also selects AVX2, so that
/// feature is not needed.
#[derive(Debug, Clone, Copy)]
pub enum Processor {
    /// AVX2 and fused multiply-add, without AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx2(pulp::x86::V3),
    /// The instructions that `pulp` itself detects: AVX-512, NEON or scalar instructions.
    Other(Arch),
}

impl Processor {
    /// Detects the instruction set with the widest vectors that this processor supports.
    pub fn detect() -> Self {
        match Arch::new() {
            #[cfg(target_arch = "x86_64")]
            Arch::Scalar => pulp::x86::V3::try_new().map_or(Self::Other(Arch::Scalar), Self::Avx2),
            arch => Self::Other(arch),
        }
    }

    /// Runs `work`, compiled for these vector instructions, and returns its result.
    #[inline(always)]
    pub fn dispatch<W: WithSimd>(self, work: W) -> W::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(simd) => pulp::Simd::vectorize(simd, work),
            Self::Other(arch) => arch.dispatch(work),
        }
    }
}

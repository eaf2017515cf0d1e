//! Selects the processor's vector instructions for the loops of the sentence encoder and of vector search.
//!
//! The functions are inlined into their callers, so the optimisation level of the caller applies.

use pulp::{Arch, WithSimd};

/// A set of vector instructions. [`detect`](Self::detect) returns the widest set that this processor has.
///
/// This type exists because `pulp` selects AVX2 only with a Cargo feature, and the feature would cause all dependents
/// of `pulp` to be rebuilt.
#[derive(Debug, Clone, Copy)]
pub enum Processor {
    /// AVX2 and fused multiply-add, without AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx2(pulp::x86::V3),
    /// Instructions that `pulp` detects itself: AVX-512, NEON or scalar instructions.
    Other(Arch),
}

impl Processor {
    /// Returns the widest vector instructions of this processor.
    pub fn detect() -> Self {
        match Arch::new() {
            #[cfg(target_arch = "x86_64")]
            Arch::Scalar => pulp::x86::V3::try_new().map_or(Self::Other(Arch::Scalar), Self::Avx2),
            arch => Self::Other(arch),
        }
    }

    /// Runs the version of `work` that is compiled for these instructions.
    #[inline(always)]
    pub fn dispatch<W: WithSimd>(self, work: W) -> W::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(simd) => pulp::Simd::vectorize(simd, work),
            Self::Other(arch) => arch.dispatch(work),
        }
    }
}

//! Detection of the processor's vector instructions.

use pulp::{Arch, WithSimd};

/// The widest vector instructions that the program can use on this processor.
///
/// `pulp` does not select AVX2 unless a feature is set, and that feature would cause its dependents
/// to be rebuilt.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Processor {
    /// AVX2 and fused multiply-add, without AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx2(pulp::x86::V3),
    /// Instructions that `pulp` detects: AVX-512, NEON, or scalar.
    Other(Arch),
}

impl Processor {
    pub(crate) fn new() -> Self {
        match Arch::new() {
            #[cfg(target_arch = "x86_64")]
            Arch::Scalar => pulp::x86::V3::try_new().map_or(Self::Other(Arch::Scalar), Self::Avx2),
            arch => Self::Other(arch),
        }
    }

    /// Runs `work`, compiled for these instructions.
    #[inline(always)]
    pub(crate) fn dispatch<W: WithSimd>(self, work: W) -> W::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(simd) => pulp::Simd::vectorize(simd, work),
            Self::Other(arch) => arch.dispatch(work),
        }
    }
}

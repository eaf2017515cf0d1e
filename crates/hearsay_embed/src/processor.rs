//! Which instructions the processor has.

use pulp::{Arch, WithSimd};

/// The widest vectors that the program can use here.
///
/// `pulp`'s own choice leaves out AVX2 unless a feature is set, for which its dependents would be
/// built anew.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Processor {
    /// AVX2 and fused multiplication, without AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx2(pulp::x86::V3),
    /// What `pulp` finds: AVX-512, NEON, or nothing beyond plain numbers.
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

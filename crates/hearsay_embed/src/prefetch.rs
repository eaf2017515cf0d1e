//! The one module with unsafe code: a hint to the processor.

/// Asks for the numbers from `index` on to be brought into the cache, without waiting for them.
///
/// It changes nothing that a program can see. On other processors than x86-64 it does nothing.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn prefetch(numbers: &[f32], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // An index beyond the end gives a pointer that may not be read; the hint does not read it.
        let address = numbers.as_ptr().wrapping_add(index).cast::<i8>();
        // SAFETY: the instruction neither reads nor writes as far as the program can tell, and does
        // not fault, whatever the address. It is part of SSE, which every x86-64 has.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(address) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (numbers, index);
}

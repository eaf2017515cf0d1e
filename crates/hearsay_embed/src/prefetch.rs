//! A prefetch hint to the processor: it asks the processor to load numbers into its cache.

/// Tells the processor to load the numbers from `index` on into its cache. Does not wait for them.
///
/// The call affects only the speed. On processors other than x86-64, it does nothing.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn prefetch(numbers: &[f32], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // An index beyond the end gives an invalid pointer. That is allowed, because the hint does not dereference the
        // pointer.
        let address = numbers.as_ptr().wrapping_add(index).cast::<i8>();
        // SAFETY: the instruction has no visible reads or writes, and does not fault for any address. The instruction
        // is part of SSE, which every x86-64 processor has.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(address) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (numbers, index);
}

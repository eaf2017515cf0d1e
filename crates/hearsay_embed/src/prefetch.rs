//! A prefetch hint to the processor. This is the only module with unsafe code.

/// Requests that the numbers from `index` on be loaded into the cache, without waiting for them.
///
/// The call has no visible effect. On processors other than x86-64 it does nothing.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn prefetch(numbers: &[f32], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // An index beyond the end gives a pointer that must not be dereferenced. The hint does not
        // dereference it.
        let address = numbers.as_ptr().wrapping_add(index).cast::<i8>();
        // SAFETY: the instruction has no visible reads or writes, and does not fault for any
        // address. It is part of SSE, which every x86-64 processor has.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(address) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (numbers, index);
}

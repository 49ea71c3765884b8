//! Prefetching of cache lines.

/// Tells the processor that the cache line at this address will be read soon. The address need not
/// be valid.
#[inline(always)]
pub(crate) fn prefetch(address: u64) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch affects nothing but time, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address as *const i8) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Prefetches what a visitor first reads of a row: its words and first columns, which may lie in
/// two cache lines.
#[inline(always)]
pub(crate) fn prefetch_row(anchor: u64) {
    prefetch(anchor);
    prefetch(anchor + 48);
}

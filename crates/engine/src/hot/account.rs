//! Counts of bytes, kept so that threads that change one at the same time rarely meet.

use crate::sync::atomic::AtomicI64;
use crate::sync::atomic::Ordering::Relaxed;

/// Cache lines that an account spreads over; a power of two.
const STRIPES: usize = 8;

#[derive(Debug, Default)]
#[repr(align(64))]
struct Stripe(AtomicI64);

/// Bytes that somebody has allocated: exact once nobody is changing it.
#[derive(Debug, Default)]
pub struct Account {
    stripes: [Stripe; STRIPES],
}

impl Account {
    /// Adds bytes, or takes them away if negative. Calls with different `hint`s (an address, a
    /// hash, a worker's number) write different cache lines, so they may come from anywhere.
    #[inline]
    pub fn add(&self, hint: u64, bytes: i64) {
        // Multiplied, since addresses differ in their middle bits and workers in their low ones.
        let stripe = (hint.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 61) as usize % STRIPES;
        self.stripes[stripe].0.fetch_add(bytes, Relaxed);
    }

    /// Bytes allocated now.
    pub fn bytes(&self) -> u64 {
        let sum: i64 = self.stripes.iter().map(|s| s.0.load(Relaxed)).sum();
        // A concurrent reader may see a release and not yet the allocation before it.
        sum.max(0) as u64
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests {
    use super::*;

    #[test]
    fn sums_over_all_hints() {
        let account = Account::default();
        for hint in 0..1000 {
            account.add(hint * 64, 10);
        }
        for hint in 0..999 {
            account.add(hint, -10);
        }
        assert_eq!(account.bytes(), 10);
    }
}

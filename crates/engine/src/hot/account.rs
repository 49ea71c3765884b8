//! Counters that many threads change, striped over cache lines so that the threads rarely contend.

use crate::sync::atomic::AtomicI64;
use crate::sync::atomic::Ordering::Relaxed;

/// Cache lines that a count spreads over.
pub(crate) const STRIPES: usize = 8;

#[derive(Debug, Default)]
#[repr(align(64))]
struct Stripe(AtomicI64);

/// A sum of what all threads have added: exact while no thread is adding.
#[derive(Debug, Default)]
pub(crate) struct Striped {
    stripes: [Stripe; STRIPES],
}

impl Striped {
    /// Adds to the stripe that `hint` (an address, a hash) falls on, and returns that stripe's
    /// value. Different hints are likely to write different cache lines.
    #[inline]
    pub(crate) fn add(&self, hint: u64, n: i64) -> i64 {
        // Multiplied, since addresses differ in their middle bits.
        let stripe = (hint.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 61) as usize % STRIPES;
        self.stripes[stripe].0.fetch_add(n, Relaxed) + n
    }

    /// The sum. Never negative, though a concurrent reader may see a subtraction before the
    /// addition that it undoes.
    pub(crate) fn sum(&self) -> u64 {
        self.stripes.iter().map(|s| s.0.load(Relaxed)).sum::<i64>().max(0) as u64
    }
}

/// Bytes that an index has allocated.
#[derive(Debug, Default)]
pub struct Account {
    bytes: Striped,
}

impl Account {
    /// Adds bytes, or takes them away if negative. The hint spreads concurrent calls.
    #[inline]
    pub fn add(&self, hint: u64, bytes: i64) {
        self.bytes.add(hint, bytes);
    }

    /// Bytes allocated now.
    pub fn bytes(&self) -> u64 {
        self.bytes.sum()
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests;

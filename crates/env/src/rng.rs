//! Random bytes.

use std::fmt::Debug;

/// Where randomness comes from. The real one is fit for keys and passwords; a simulated one repeats
/// on the same seed.
pub trait Rng: Send + Sync + Debug {
    /// Fills the slice with random bytes.
    fn fill(&self, bytes: &mut [u8]);

    /// 64 random bits.
    fn next_u64(&self) -> u64 {
        let mut bytes = [0; 8];
        self.fill(&mut bytes);
        u64::from_le_bytes(bytes)
    }

    /// 128 random bits.
    fn next_u128(&self) -> u128 {
        let mut bytes = [0; 16];
        self.fill(&mut bytes);
        u128::from_le_bytes(bytes)
    }
}

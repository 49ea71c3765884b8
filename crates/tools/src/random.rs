//! Pseudo-random numbers, the same in every run.

/// Pseudo-random numbers that the seed determines (xorshift).
pub struct Random(u64);

impl Random {
    /// A generator for this seed.
    pub fn new(seed: u32) -> Random {
        Random(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(u64::from(seed) + 1))
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below a limit.
    pub fn below(&mut self, limit: u32) -> u32 {
        (((self.next() >> 32) * u64::from(limit)) >> 32) as u32
    }

    /// A number from 0 to less than 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_are_below_their_limits() {
        let mut random = Random::new(0);
        assert!((0..10_000).all(|_| random.below(7) < 7 && (0.0..1.0).contains(&random.unit())));
    }
}

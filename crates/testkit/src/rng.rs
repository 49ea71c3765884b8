//! Randomness from a seed.

/// An xorshift generator.
#[derive(Debug)]
pub struct Rng(u64);

impl Rng {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Rng {
        let mut rng = Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        rng.next(); // seeds that are near each other part here
        rng
    }

    /// Another one, whose numbers have nothing to do with these.
    pub fn fork(&mut self) -> Rng {
        Rng::new(self.next())
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number from `low` to below `high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high - low).max(1)
    }

    /// Chooses one.
    pub fn one<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.between(0, from.len() as u64) as usize]
    }

    /// Whether something happens that does so in one of `times` cases.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.between(0, times) == 0
    }
}

/// The seeds that a test tries: `THERMOCLINE_SEED` says which is the first, `THERMOCLINE_SEEDS` how
/// many there are.
pub fn seeds(default: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let first = number("THERMOCLINE_SEED").unwrap_or(1);
    let seeds = first..first + number("THERMOCLINE_SEEDS").unwrap_or(default);
    println!("seeds {seeds:?}");
    seeds
}

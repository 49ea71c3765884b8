//! Numbers with a Zipf distribution, and where in a table the rows with these ranks are.
//!
//! [`Zipf`] draws ranks: rank `r`, counted from 0, comes in proportion to `1 / (r + 1)^theta`. It
//! is exact, and takes the same time for every number of ranks: rejection-inversion, by Hörmann and
//! Derflinger, "Rejection-inversion to generate variates from monotone discrete distributions",
//! 1996. [`Shuffle`] says which key has a rank.

use crate::random::Random;

/// Draws ranks.
pub struct Zipf {
    ranks: f64,
    theta: f64,
    /// The values of the integral between which a number is drawn.
    first: f64,
    last: f64,
    /// A rank that is nearer to the number drawn than this is never rejected.
    sure: f64,
}

impl Zipf {
    /// Of this many ranks. 0 makes all of them equally likely.
    pub fn new(ranks: u32, theta: f64) -> Zipf {
        let mut zipf = Zipf { ranks: f64::from(ranks), theta, first: 0.0, last: 0.0, sure: 0.0 };
        zipf.first = zipf.integral(1.5) - 1.0;
        zipf.last = zipf.integral(zipf.ranks + 0.5);
        zipf.sure = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.density(2.0));
        zipf
    }

    /// The next rank.
    pub fn draw(&self, random: &mut Random) -> u32 {
        loop {
            let at = self.last + random.unit() * (self.first - self.last);
            let drawn = self.inverse(at);
            let rank = (drawn + 0.5).floor().clamp(1.0, self.ranks);
            if rank - drawn <= self.sure || at >= self.integral(rank + 0.5) - self.density(rank) {
                return rank as u32 - 1;
            }
        }
    }

    /// How often the first ranks come, so many of them, in proportion to how often others do. Takes
    /// as long as adding that many numbers up.
    pub fn weight(&self, ranks: u32) -> f64 {
        (1..=ranks).map(|rank| self.density(f64::from(rank))).sum()
    }

    /// The density at a rank that is counted from 1.
    fn density(&self, x: f64) -> f64 {
        (-self.theta * x.ln()).exp()
    }

    /// The integral of the density from 1.
    fn integral(&self, x: f64) -> f64 {
        let log = x.ln();
        let y = (1.0 - self.theta) * log;
        // (e^y - 1) / y, which is 1 at 0.
        log * if y.abs() > 1e-8 { y.exp_m1() / y } else { 1.0 + y / 2.0 }
    }

    /// Where the integral has this value.
    fn inverse(&self, integral: f64) -> f64 {
        let y = ((1.0 - self.theta) * integral).max(-1.0);
        // ln(1 + y) / y, which is 1 at 0.
        (integral * if y.abs() > 1e-8 { y.ln_1p() / y } else { 1.0 - y / 2.0 }).exp()
    }
}

/// An order of the numbers below a limit, in which neighbours lie anywhere; another for each seed.
pub struct Shuffle {
    count: u32,
    /// As many bits as the numbers have, set.
    mask: u32,
    shift: u32,
    seed: u32,
}

/// Factors of the rounds; odd, so that a product modulo a power of two can be undone.
const FACTORS: [u32; 3] = [0x9E37_79B1, 0x85EB_CA77, 0xC2B2_AE3D];

impl Shuffle {
    /// Of the numbers below `count`, which is at least 2.
    pub fn new(count: u32, seed: u32) -> Shuffle {
        let bits = u32::BITS - (count - 1).leading_zeros();
        let mask = u32::MAX >> (u32::BITS - bits);
        Shuffle { count, mask, shift: bits.div_ceil(2), seed: seed.wrapping_mul(0x27D4_EB2F) }
    }

    /// The number at a place.
    pub fn at(&self, place: u32) -> u32 {
        let mut number = place;
        loop {
            for factor in FACTORS {
                number = number.wrapping_add(self.seed).wrapping_mul(factor) & self.mask;
                number ^= number >> self.shift;
            }
            // The rounds permute all numbers of so many bits, so following the cycle until a number
            // is below the limit permutes those below it.
            if number < self.count {
                return number;
            }
        }
    }
}

#[cfg(test)]
mod tests;

//! Unsigned integers of 256 bits, as far as exact products and quotients of 38-digit decimals need
//! them.

use std::cmp::Ordering;

/// `hi * 2^128 + lo`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct U256 {
    pub(super) hi: u128,
    pub(super) lo: u128,
}

const LOW: u128 = u64::MAX as u128;

impl Ord for U256 {
    fn cmp(&self, other: &U256) -> Ordering {
        (self.hi, self.lo).cmp(&(other.hi, other.lo))
    }
}

impl PartialOrd for U256 {
    fn partial_cmp(&self, other: &U256) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl U256 {
    /// The whole product.
    pub(super) fn product(a: u128, b: u128) -> U256 {
        let (a1, a0) = (a >> 64, a & LOW);
        let (b1, b0) = (b >> 64, b & LOW);
        let low = a0 * b0;
        let (middle, carry) = (a1 * b0).overflowing_add(a0 * b1);
        let (lo, carry_lo) = low.overflowing_add(middle << 64);
        let hi = a1 * b1 + (middle >> 64) + (u128::from(carry) << 64) + u128::from(carry_lo);
        U256 { hi, lo }
    }

    /// The sum; the operands must be far below 2^256.
    pub(super) fn plus(self, other: u128) -> U256 {
        let (lo, carry) = self.lo.overflowing_add(other);
        U256 { hi: self.hi + u128::from(carry), lo }
    }

    /// The value shifted right by less than 256 bits.
    pub(super) fn shifted_right(self, bits: u32) -> U256 {
        match bits {
            0 => self,
            1..128 => U256 { hi: self.hi >> bits, lo: self.lo >> bits | self.hi << (128 - bits) },
            _ => U256 { hi: 0, lo: self.hi >> (bits - 128) },
        }
    }

    /// The value if it fits into 128 bits.
    pub(super) fn narrow(self) -> Option<u128> {
        (self.hi == 0).then_some(self.lo)
    }

    /// Quotient and remainder. The divisor must not be zero.
    pub(super) fn div_rem(self, divisor: u128) -> (U256, u128) {
        if self.hi == 0 {
            return (U256 { hi: 0, lo: self.lo / divisor }, self.lo % divisor);
        }
        if divisor <= LOW {
            return self.div_rem_short(divisor);
        }
        let hi = self.hi / divisor;
        let (lo, rest) = divide_wide(self.hi % divisor, self.lo, divisor);
        (U256 { hi, lo }, rest)
    }

    /// Division by at most 64 bits, limb by limb.
    fn div_rem_short(self, divisor: u128) -> (U256, u128) {
        let mut rest = 0;
        let mut limb = |limb: u128| {
            let part = rest << 64 | limb;
            rest = part % divisor;
            part / divisor
        };
        let hi = limb(self.hi >> 64) << 64 | limb(self.hi & LOW);
        let lo = limb(self.lo >> 64) << 64 | limb(self.lo & LOW);
        (U256 { hi, lo }, rest)
    }
}

/// `(hi, lo) / divisor` where `hi < divisor` and the divisor has more than 64 bits: Knuth's
/// algorithm D with two limbs.
fn divide_wide(hi: u128, lo: u128, divisor: u128) -> (u128, u128) {
    debug_assert!(hi < divisor);
    let shift = divisor.leading_zeros();
    let divisor = divisor << shift;
    let (d1, d0) = (divisor >> 64, divisor & LOW);
    let hi = if shift == 0 { hi } else { hi << shift | lo >> (128 - shift) };
    let lo = lo << shift;
    let digit = |rest: u128, next: u128| {
        // One limb of the quotient of (rest, next) by the divisor, and the new rest.
        let mut q = rest / d1;
        let mut r = rest % d1;
        while q > LOW || q * d0 > (r << 64 | next) {
            q -= 1;
            r += d1;
            if r > LOW {
                break;
            }
        }
        let rest = (rest << 64 | next).wrapping_sub(q.wrapping_mul(divisor));
        (q, rest)
    };
    let (q1, rest) = digit(hi, lo >> 64);
    let (q0, rest) = digit(rest, lo & LOW);
    (q1 << 64 | q0, rest >> shift)
}

#[cfg(test)]
mod tests;

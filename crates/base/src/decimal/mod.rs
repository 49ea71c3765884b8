//! Exact decimals of up to 38 digits.
//!
//! A value is an `i128` in units of 10^-scale; its scale is that of its type and travels beside
//! it. Results are exact before they are brought to the result's scale: addition, subtraction and
//! multiplication round half away from zero there, division truncates, as SQL Server does.

mod text;
mod wide;

use std::cmp::Ordering;

pub use text::{Digits, ParseError, format, parse};
use wide::U256;

use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::types::SqlType;

/// The largest decimal: 38 nines.
pub const MAX: i128 = pow10(38) - 1;

/// 10 to the power of `exponent`, at most 38.
pub const fn pow10(exponent: u32) -> i128 {
    10i128.pow(exponent)
}

/// The powers of ten that fit.
static POWERS: [i128; 39] = {
    let mut powers = [1; 39];
    let mut i = 1;
    while i < 39 {
        powers[i] = powers[i - 1] * 10;
        i += 1;
    }
    powers
};

#[inline]
fn power(exponent: u8) -> i128 {
    POWERS[usize::from(exponent)]
}

/// What becomes of digits that a smaller scale has no room for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// Half away from zero.
    Round,
    /// Towards zero.
    Truncate,
}

/// Whether a value has at most `precision` digits.
#[inline]
pub fn fits(value: i128, precision: u8) -> bool {
    value.unsigned_abs() < power(precision).unsigned_abs()
}

/// Error 8115 for an expression whose value does not fit.
#[cold]
pub fn overflow() -> SqlError {
    SqlError::new(&message::OVERFLOW_CONVERTING, &[&"expression", &"numeric"])
}

/// The value at another scale; `None` beyond 38 digits.
#[inline]
pub fn rescale(value: i128, from: u8, to: u8, rounding: Rounding) -> Option<i128> {
    if to >= from {
        if to == from {
            return Some(value);
        }
        return value.checked_mul(power(to - from)).filter(|v| fits(*v, 38));
    }
    Some(divide_by_power(value, from - to, rounding))
}

fn divide_by_power(value: i128, exponent: u8, rounding: Rounding) -> i128 {
    let divisor = power(exponent);
    let quotient = value / divisor;
    if rounding == Rounding::Round {
        let rest = (value % divisor).unsigned_abs();
        if rest >= (divisor / 2).unsigned_abs() {
            return quotient + value.signum();
        }
    }
    quotient
}

/// The value as of type `to`: rounded to its scale; `None` if it has too many digits for it.
#[inline]
pub fn convert(value: i128, from_scale: u8, to: &SqlType) -> Option<i128> {
    rescale(value, from_scale, to.scale, Rounding::Round).filter(|v| fits(*v, to.precision))
}

fn checked(value: Option<i128>, result: &SqlType) -> SqlResult<i128> {
    value.filter(|v| fits(*v, result.precision)).ok_or_else(overflow)
}

/// `a + b` of scales `sa` and `sb`, as of type `result`. Error 8115.
pub fn add(a: i128, sa: u8, b: i128, sb: u8, result: &SqlType) -> SqlResult<i128> {
    if sa == sb && sa == result.scale {
        // Two values of 38 digits can leave an i128.
        return checked(a.checked_add(b), result);
    }
    checked(sum(a, sa, b, sb, result.scale), result)
}

/// `a - b`. Error 8115.
pub fn subtract(a: i128, sa: u8, b: i128, sb: u8, result: &SqlType) -> SqlResult<i128> {
    add(a, sa, -b, sb, result)
}

fn sum(a: i128, sa: u8, b: i128, sb: u8, scale: u8) -> Option<i128> {
    let common = sa.max(sb);
    let (x, y) = (raise(a, common - sa), raise(b, common - sb));
    // Beyond an i128 the sum is taken of magnitudes with 256 bits.
    if let (Some(x), Some(y)) = (x, y) {
        if let Some(sum) = x.checked_add(y) {
            return lower(magnitude(sum), common, scale, sum < 0);
        }
    }
    let x = U256::product(a.unsigned_abs(), power(common - sa).unsigned_abs());
    let y = U256::product(b.unsigned_abs(), power(common - sb).unsigned_abs());
    let (negative, value) = match ((a < 0) == (b < 0), x.cmp(&y)) {
        (true, _) => {
            let (lo, carry) = x.lo.overflowing_add(y.lo);
            (a < 0, U256 { hi: x.hi + y.hi + u128::from(carry), lo })
        }
        (false, Ordering::Less) => (b < 0, difference(y, x)),
        (false, _) => (a < 0, difference(x, y)),
    };
    lower(value, common, scale, negative)
}

fn difference(large: U256, small: U256) -> U256 {
    let (lo, borrow) = large.lo.overflowing_sub(small.lo);
    U256 { hi: large.hi - small.hi - u128::from(borrow), lo }
}

fn raise(value: i128, exponent: u8) -> Option<i128> {
    value.checked_mul(power(exponent))
}

fn magnitude(value: i128) -> U256 {
    U256 { hi: 0, lo: value.unsigned_abs() }
}

/// A magnitude at scale `from` rounded to scale `to`, with its sign; `None` beyond 38 digits.
fn lower(value: U256, from: u8, to: u8, negative: bool) -> Option<i128> {
    let mut value = value;
    let mut drop = from.saturating_sub(to);
    while drop > 38 {
        value = value.div_rem(power(38).unsigned_abs()).0;
        drop -= 38;
    }
    if drop > 0 {
        let divisor = power(drop).unsigned_abs();
        let (quotient, rest) = value.div_rem(divisor);
        value = if rest >= divisor / 2 { quotient.plus(1) } else { quotient };
    }
    let mut value = i128::try_from(value.narrow()?).ok()?;
    if to > from {
        value = value.checked_mul(power(to - from))?;
    }
    fits(value, 38).then_some(if negative { -value } else { value })
}

/// `a * b`. Error 8115.
pub fn multiply(a: i128, sa: u8, b: i128, sb: u8, result: &SqlType) -> SqlResult<i128> {
    let scale = sa + sb;
    if scale == result.scale {
        return checked(a.checked_mul(b), result);
    }
    let product = U256::product(a.unsigned_abs(), b.unsigned_abs());
    checked(lower(product, scale, result.scale, (a < 0) != (b < 0)), result)
}

/// `a / b`, truncated at the result's scale. Errors 8134 and 8115.
pub fn divide(a: i128, sa: u8, b: i128, sb: u8, result: &SqlType) -> SqlResult<i128> {
    if b == 0 {
        return Err(SqlError::new(&message::DIVIDE_BY_ZERO, &[]));
    }
    let negative = (a < 0) != (b < 0);
    let (a, b) = (a.unsigned_abs(), b.unsigned_abs());
    // quotient = a * 10^raise / b at the result's scale
    let raise = i32::from(result.scale) - i32::from(sa) + i32::from(sb);
    let quotient = if raise >= 0 {
        long_division(a, b, raise as u32)
    } else {
        let divisor = U256::product(b, power(raise.unsigned_abs().min(38) as u8).unsigned_abs());
        Some(divisor.narrow().map_or(0, |d| a / d))
    };
    let quotient = quotient.and_then(|q| i128::try_from(q).ok());
    checked(quotient.map(|q| if negative { -q } else { q }), result)
}

/// Whether `a * b` has digits after the result's scale, which [`multiply`] rounds away.
pub fn product_is_rounded(a: i128, sa: u8, b: i128, sb: u8, result: &SqlType) -> bool {
    let mut value = U256::product(a.unsigned_abs(), b.unsigned_abs());
    let mut drop = (sa + sb).saturating_sub(result.scale);
    while drop > 0 {
        let step = drop.min(38);
        let (quotient, rest) = value.div_rem(power(step).unsigned_abs());
        if rest != 0 {
            return true;
        }
        (value, drop) = (quotient, drop - step);
    }
    false
}

/// Whether `a / b`, which is `quotient` at the result's scale, has digits after it.
pub fn quotient_is_rounded(
    a: i128,
    sa: u8,
    b: i128,
    sb: u8,
    quotient: i128,
    result: &SqlType,
) -> bool {
    let (a, b) = (a.unsigned_abs(), b.unsigned_abs());
    let back = U256::product(quotient.unsigned_abs(), b);
    let raise = i32::from(result.scale) - i32::from(sa) + i32::from(sb);
    let power_of = |digits: i32| power(digits.clamp(0, 38) as u8).unsigned_abs();
    match raise {
        ..0 => back
            .narrow()
            .is_none_or(|back| U256::product(back, power_of(-raise)) != U256 { hi: 0, lo: a }),
        0..=38 => back != U256::product(a, power_of(raise)),
        _ => {
            let (back, rest) = back.div_rem(power_of(raise - 38));
            rest != 0 || back != U256::product(a, power_of(38))
        }
    }
}

/// `a * 10^raise / b`, truncated, a few digits at a time; `None` beyond 128 bits.
fn long_division(a: u128, b: u128, raise: u32) -> Option<u128> {
    let mut quotient = a / b;
    let mut rest = a % b;
    let mut left = raise;
    while left > 0 {
        let digits = left.min(38);
        let factor = power(digits as u8).unsigned_abs();
        let (part, remainder) = U256::product(rest, factor).div_rem(b);
        quotient = quotient.checked_mul(factor)?.checked_add(part.narrow()?)?;
        rest = remainder;
        left -= digits;
    }
    Some(quotient)
}

/// `a % b`, with the sign of `a`. Errors 8134 and 8115.
pub fn remainder(a: i128, sa: u8, b: i128, sb: u8, result: &SqlType) -> SqlResult<i128> {
    if b == 0 {
        return Err(SqlError::new(&message::DIVIDE_BY_ZERO, &[]));
    }
    let common = sa.max(sb);
    let rest = match (raise(a, common - sa), raise(b, common - sb)) {
        (Some(x), Some(y)) => x % y,
        // a * 10^k mod b, step by step, or a itself if b is beyond it.
        (None, _) => {
            let factor = power(common - sa).unsigned_abs();
            let (_, rest) = U256::product(a.unsigned_abs(), factor).div_rem(b.unsigned_abs());
            let rest = i128::try_from(rest).map_err(|_| overflow())?;
            if a < 0 { -rest } else { rest }
        }
        (Some(x), None) => x,
    };
    checked(lower(magnitude(rest), common, result.scale, rest < 0), result)
}

/// Compares exactly, whatever the scales.
#[inline]
pub fn compare(a: i128, sa: u8, b: i128, sb: u8) -> Ordering {
    if sa == sb {
        return a.cmp(&b);
    }
    let common = sa.max(sb);
    match (raise(a, common - sa), raise(b, common - sb)) {
        (Some(x), Some(y)) => x.cmp(&y),
        (None, _) => a.cmp(&0),
        (_, None) => 0.cmp(&b),
    }
}

/// The integer part.
pub fn truncate_to_int(value: i128, scale: u8) -> i128 {
    value / power(scale)
}

/// The closest float.
pub fn to_f64(value: i128, scale: u8) -> f64 {
    // Both are exact in a float, so one division rounds correctly.
    if value.unsigned_abs() < 1 << 53 && scale <= 22 {
        return value as f64 / POWERS[usize::from(scale)] as f64;
    }
    let digits = format(value, scale);
    digits.as_str().parse().unwrap_or(f64::NAN)
}

/// The decimal closest to a float at this scale, half away from zero; `None` if it is not finite or
/// has more than 38 digits. Exact: no digit of the float's value is lost before rounding.
pub fn from_f64(value: f64, scale: u8) -> Option<i128> {
    if !value.is_finite() {
        return None;
    }
    let bits = value.to_bits();
    let exponent = (bits >> 52 & 0x7FF) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let mantissa = u128::from(if exponent == 0 { fraction } else { fraction | 1 << 52 });
    let exponent = exponent.max(1) - 1075;
    let negative = value < 0.0;
    let scaled = U256::product(mantissa, power(scale).unsigned_abs());
    let magnitude = if exponent >= 0 {
        let value = scaled.narrow()?;
        if value.leading_zeros() <= exponent.unsigned_abs() && value != 0 {
            return None;
        }
        value << exponent.min(127)
    } else {
        let shift = exponent.unsigned_abs();
        if shift > 255 {
            0
        } else {
            let half = scaled.shifted_right(shift - 1);
            half.plus(1).shifted_right(1).narrow()?
        }
    };
    let value = i128::try_from(magnitude).ok().filter(|v| fits(*v, 38))?;
    Some(if negative { -value } else { value })
}

/// `ROUND(value, digits [, 1])`: rounded (or truncated) to `digits` after the point, or before it
/// if negative; the scale stays. Error 8115 if the result has more digits than `ty`.
pub fn round(value: i128, digits: i32, rounding: Rounding, ty: &SqlType) -> SqlResult<i128> {
    let drop = i32::from(ty.scale).saturating_sub(digits);
    let rounded = match drop {
        i32::MIN..=0 => value,
        1..=38 => divide_by_power(value, drop as u8, rounding)
            .checked_mul(power(drop as u8))
            .ok_or_else(overflow)?,
        _ => 0,
    };
    checked(Some(rounded), ty)
}

/// The largest integer not above the value, at scale 0.
pub fn floor(value: i128, scale: u8) -> i128 {
    value.div_euclid(power(scale))
}

/// The smallest integer not below the value, at scale 0.
pub fn ceiling(value: i128, scale: u8) -> i128 {
    -floor(-value, scale)
}

/// `POWER(value, exponent)`, through floats, as of type `ty`. Error 8115.
pub fn power_of(value: i128, scale: u8, exponent: f64, ty: &SqlType) -> SqlResult<i128> {
    checked(from_f64(to_f64(value, scale).powf(exponent), ty.scale), ty)
}

#[cfg(test)]
mod tests;

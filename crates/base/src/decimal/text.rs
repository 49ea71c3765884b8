//! Decimals as text.

use super::{POWERS, fits};

/// Digits of a decimal on the stack.
#[derive(Clone, Copy)]
pub struct Digits {
    /// Filled from the end.
    bytes: [u8; 48],
    start: usize,
}

impl Digits {
    /// The text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[self.start..]).expect("digits are ASCII")
    }

    fn push_front(&mut self, byte: u8) {
        self.start -= 1;
        self.bytes[self.start] = byte;
    }
}

/// The value with exactly `scale` digits after the point: `-0.50`, `12`.
pub fn format(value: i128, scale: u8) -> Digits {
    let mut out = Digits { bytes: [0; 48], start: 48 };
    let mut rest = value.unsigned_abs();
    let mut written = 0;
    loop {
        // 64-bit divisions are several times cheaper than 128-bit ones.
        let mut small = (rest % 10_000_000_000_000_000) as u64;
        rest /= 10_000_000_000_000_000;
        for _ in 0..16 {
            if rest == 0 && small == 0 && written > u32::from(scale) {
                break;
            }
            if written == u32::from(scale) && scale > 0 {
                out.push_front(b'.');
            }
            out.push_front(b'0' + (small % 10) as u8);
            small /= 10;
            written += 1;
        }
        if rest == 0 && written > u32::from(scale) {
            break;
        }
    }
    if value < 0 {
        out.push_front(b'-');
    }
    out
}

/// Why a text is not a decimal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParseError {
    /// It is not a number: error 8114.
    Syntax,
    /// It has too many digits: error 8115.
    Overflow,
}

/// The decimal of `scale` that a text says: blanks, a sign, digits with at most one point, blanks.
/// Further digits round half away from zero; the result has at most `precision` digits.
pub fn parse(text: &[u8], precision: u8, scale: u8) -> Result<i128, ParseError> {
    let text = text.trim_ascii();
    let (negative, digits) = match text.split_first() {
        Some((b'-', rest)) => (true, rest.trim_ascii_start()),
        Some((b'+', rest)) => (false, rest.trim_ascii_start()),
        _ => (false, text),
    };
    let mut value: i128 = 0;
    let (mut seen, mut point) = (false, false);
    let mut fraction = 0u8;
    let mut round_up = false;
    let mut overflow = false;
    for &byte in digits {
        match byte {
            b'0'..=b'9' => {
                seen = true;
                let digit = byte - b'0';
                if point && fraction >= scale {
                    // Only the first digit without room decides.
                    round_up |= fraction == scale && digit >= 5;
                    fraction = fraction.saturating_add(1).max(scale + 1);
                    continue;
                }
                match value.checked_mul(10).and_then(|v| v.checked_add(i128::from(digit))) {
                    Some(v) => value = v,
                    None => overflow = true,
                }
                if point {
                    fraction += 1;
                }
            }
            b'.' if !point => point = true,
            _ => return Err(ParseError::Syntax),
        }
    }
    if !seen {
        return Err(ParseError::Syntax);
    }
    if overflow {
        return Err(ParseError::Overflow);
    }
    let missing = scale.saturating_sub(fraction);
    value = value.checked_mul(POWERS[usize::from(missing)]).ok_or(ParseError::Overflow)?;
    if round_up {
        value += 1;
    }
    if !fits(value, precision) {
        return Err(ParseError::Overflow);
    }
    Ok(if negative { -value } else { value })
}

//! How SQL Server writes and reads numbers.

use std::fmt::Write;

use super::StackText;
use crate::decimal;

/// Why a text is not an integer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IntegerError {
    /// It is not a number.
    Syntax,
    /// It is beyond 64 bits.
    Overflow,
}

/// An integer: blanks, a sign, digits, blanks. Nothing at all, or a sign alone, is 0.
pub fn parse_integer(text: &[u8]) -> Result<i64, IntegerError> {
    let text = trim_blanks(text);
    let (negative, digits) = match text.split_first() {
        Some((b'-', rest)) => (true, trim_blanks(rest)),
        Some((b'+', rest)) => (false, trim_blanks(rest)),
        _ => (false, text),
    };
    let mut value: i64 = 0;
    let mut overflow = false;
    for &byte in digits {
        if !byte.is_ascii_digit() {
            return Err(IntegerError::Syntax);
        }
        // Counted downwards: the negative side reaches one further.
        let next = value.checked_mul(10).and_then(|v| v.checked_sub(i64::from(byte - b'0')));
        match next {
            Some(next) => value = next,
            None => overflow = true,
        }
    }
    match (overflow, negative) {
        (true, _) => Err(IntegerError::Overflow),
        (false, true) => Ok(value),
        (false, false) => value.checked_neg().ok_or(IntegerError::Overflow),
    }
}

/// Text without blanks at its ends; tabs and line ends count as text.
pub fn trim_blanks(mut text: &[u8]) -> &[u8] {
    while let [b' ', rest @ ..] = text {
        text = rest;
    }
    while let [rest @ .., b' '] = text {
        text = rest;
    }
    text
}

/// A float: blanks, a sign, digits with a point, an exponent after `e` or `d`, blanks. Nothing at
/// all is 0; `None` for anything else. Infinite beyond the range.
pub fn parse_float(text: &[u8]) -> Option<f64> {
    let text = trim_blanks(text);
    if text.is_empty() {
        return Some(0.0);
    }
    let mut plain = StackText::<400>::new();
    let mut digits = false;
    let mut exponent = false;
    for (i, &byte) in text.iter().enumerate() {
        let fine = match byte {
            b'0'..=b'9' => {
                digits = true;
                true
            }
            b'+' | b'-' => i == 0 || matches!(text[i - 1], b'e' | b'E' | b'd' | b'D'),
            b'.' => !exponent,
            b'e' | b'E' | b'd' | b'D' if digits && !exponent => {
                exponent = true;
                plain.push(b'e');
                continue;
            }
            _ => false,
        };
        if !fine || !plain.push(byte) {
            return None;
        }
    }
    if !digits {
        return None;
    }
    plain.as_str().parse().ok()
}

/// The currency signs that money may be written with.
const CURRENCIES: &[char] =
    &['$', '¢', '£', '¤', '¥', '₡', '₢', '₣', '₤', '₦', '₧', '₨', '₩', '₪', '₫', '€', '₱'];

/// Why a text is not money.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoneyError {
    /// It is not an amount.
    Syntax,
    /// It is too large.
    Overflow,
}

/// An amount in ten-thousandths: a sign and a currency sign in either order, digits with commas
/// between and one point. Nothing at all is 0.
pub fn parse_money(text: &str) -> Result<i64, MoneyError> {
    let mut digits = StackText::<64>::new();
    let mut currency = false;
    let mut sign = false;
    let mut started = false;
    for c in text.trim_matches(' ').chars() {
        match c {
            '+' | '-' if !sign && !started => {
                sign = true;
                if c == '-' {
                    digits.push(b'-');
                }
            }
            ' ' if !started => {}
            ',' if started => {}
            '0'..='9' | '.' => {
                started = true;
                if !digits.push(c as u8) {
                    return Err(MoneyError::Overflow);
                }
            }
            _ if CURRENCIES.contains(&c) && !currency && !started => currency = true,
            _ => return Err(MoneyError::Syntax),
        }
    }
    let text = digits.as_bytes();
    // A point or a currency sign alone is nothing, which is an amount.
    if !text.iter().any(u8::is_ascii_digit) {
        let points = text.iter().filter(|&&b| b == b'.').count();
        return if points <= 1 { Ok(0) } else { Err(MoneyError::Syntax) };
    }
    let value = decimal::parse(text, 38, 4).map_err(|e| match e {
        decimal::ParseError::Syntax => MoneyError::Syntax,
        decimal::ParseError::Overflow => MoneyError::Overflow,
    })?;
    i64::try_from(value).map_err(|_| MoneyError::Overflow)
}

/// `ISNUMERIC`: whether a text converts to a float, a decimal, an integer or money; a sign, a point
/// or a currency sign alone does.
pub fn is_numeric(text: &str) -> bool {
    let trimmed = text.trim_matches(' ');
    !trimmed.is_empty()
        && (parse_money(trimmed).is_ok()
            || parse_float(trimmed.as_bytes()).is_some_and(f64::is_finite)
            || trimmed.chars().all(|c| c == ','))
}

/// Money in style 0 (two digits after the point), 1 (with commas) or 2 (four digits).
pub fn format_money(ten_thousandths: i64, style: i32) -> StackText<40> {
    let mut out = StackText::new();
    let magnitude = ten_thousandths.unsigned_abs();
    let four = style == 2 || style == 126;
    let units = if four { magnitude } else { (magnitude + 50) / 100 };
    let (divisor, width) = if four { (10_000, 4) } else { (100, 2) };
    if ten_thousandths < 0 && units > 0 {
        out.push(b'-');
    }
    let mut whole = StackText::<24>::new();
    write!(whole, "{}", units / divisor).expect("20 digits fit");
    let whole = whole.as_bytes();
    for (i, &digit) in whole.iter().enumerate() {
        if style == 1 && i > 0 && (whole.len() - i) % 3 == 0 {
            out.push(b',');
        }
        out.push(digit);
    }
    out.push(b'.');
    out.push_padded((units % divisor) as u32, width);
    out
}

/// A float in style 0 (at most six digits, exponent where needed), 1 (eight digits and exponent),
/// 2 (sixteen) or 3 (seventeen). Exponents have three digits: `1e+006`.
pub fn format_float(value: f64, style: i32) -> StackText<40> {
    let mut out = StackText::new();
    if value == 0.0 && style == 0 {
        out.push(b'0');
        return out;
    }
    let digits = match style {
        1 => 8,
        2 => 16,
        3 => 17,
        _ => 6,
    };
    let mut scientific = StackText::<40>::new();
    if write!(scientific, "{:.*e}", digits - 1, value).is_err() || !value.is_finite() {
        return out;
    }
    let text = scientific.as_str();
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if style == 0 && (-4..digits as i32).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent) as usize;
        let mut fixed = StackText::<40>::new();
        write!(fixed, "{value:.decimals$}").expect("six digits and four zeros fit");
        out.push_str(without_trailing_zeros(fixed.as_str()));
        return out;
    }
    out.push_str(if style == 0 { without_trailing_zeros(mantissa) } else { mantissa });
    out.push_str(if exponent < 0 { "e-" } else { "e+" });
    out.push_padded(exponent.unsigned_abs(), 3);
    out
}

fn without_trailing_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// `STR(value, length, decimals)`: right-aligned in `length` characters, asterisks if it does not
/// fit. `None`, which is NULL, for a negative length or count of decimals or a length above 8,000.
pub fn str_function(value: f64, length: i64, decimals: i64) -> Option<String> {
    let length = usize::try_from(length).ok().filter(|&l| l <= 8000)?;
    let mut decimals = usize::try_from(decimals).ok()?.min(16);
    let whole = format!("{}", value.abs().trunc()).len() + usize::from(value < 0.0);
    // Decimals give way when there is no room for them.
    if whole + 1 + decimals > length {
        decimals = length.saturating_sub(whole + 1);
    }
    let rounded = round_float(value, decimals as i32, decimal::Rounding::Round);
    let mut text = format!("{rounded:.decimals$}");
    // Floats have about seventeen digits; what follows them is zero.
    let mut significant = 0;
    let mut started = false;
    text = text
        .chars()
        .map(|c| {
            started |= c.is_ascii_digit() && c != '0';
            significant += usize::from(started && c.is_ascii_digit());
            if c.is_ascii_digit() && significant > 17 { '0' } else { c }
        })
        .collect();
    if text.len() > length {
        return Some("*".repeat(length));
    }
    Some(format!("{text:>length$}"))
}

/// `ROUND` on a float: half away from zero (or truncated) at `digits` after the point, or before it
/// if negative.
pub fn round_float(value: f64, digits: i32, rounding: decimal::Rounding) -> f64 {
    let apply = |x: f64| match rounding {
        decimal::Rounding::Round => x.round(),
        decimal::Rounding::Truncate => x.trunc(),
    };
    if !(-308..=308).contains(&digits) {
        return if digits > 0 { value } else { 0.0 };
    }
    let factor = 10f64.powi(digits.abs());
    let rounded = if digits >= 0 {
        let scaled = value * factor;
        // Beyond 2^53 there is no fraction to round.
        if !scaled.is_finite() || scaled.abs() >= 9_007_199_254_740_992.0 {
            return value;
        }
        apply(scaled) / factor
    } else {
        apply(value / factor) * factor
    };
    if rounded.is_finite() { rounded } else { value }
}

/// `ROUND` on an integer, in 128 bits: the result may be beyond its type.
pub fn round_integer(value: i64, digits: i32, rounding: decimal::Rounding) -> i128 {
    if digits >= 0 {
        return i128::from(value);
    }
    if digits < -19 {
        return 0;
    }
    let unit = decimal::pow10(digits.unsigned_abs());
    let value = i128::from(value);
    let half = if rounding == decimal::Rounding::Round { unit / 2 * value.signum() } else { 0 };
    (value + half) / unit * unit
}

#[cfg(test)]
mod tests;

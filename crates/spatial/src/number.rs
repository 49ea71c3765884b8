//! Numbers as .NET's round-trip format writes them, which is how SQL Server prints coordinates.

use std::fmt;

/// A number as SQL Server prints it: 15 digits if they say it exactly, 17 otherwise; an exponent
/// from 1e15 on and below 1e-4.
pub(crate) struct Number(pub f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.0;
        if value == 0.0 || !value.is_finite() {
            return f.write_str(if value == 0.0 { "0" } else { "NaN" });
        }
        let mut text = format!("{:.14e}", value.abs());
        if text.parse() != Ok(value.abs()) {
            text = format!("{:.16e}", value.abs());
        }
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        let digits = digits.trim_end_matches('0');
        if value < 0.0 {
            f.write_str("-")?;
        }
        if !(-4..15).contains(&exponent) {
            f.write_str(&digits[..1])?;
            if digits.len() > 1 {
                write!(f, ".{}", &digits[1..])?;
            }
            let sign = if exponent < 0 { '-' } else { '+' };
            return write!(f, "E{sign}{:02}", exponent.abs());
        }
        if exponent < 0 {
            let zeros = exponent.unsigned_abs() as usize - 1;
            return write!(f, "0.{:0<zeros$}{digits}", "");
        }
        let whole = exponent as usize + 1;
        match digits.len() > whole {
            true => write!(f, "{}.{}", &digits[..whole], &digits[whole..]),
            false => write!(f, "{digits:0<whole$}"),
        }
    }
}

//! The format language of RAISERROR and FORMATMESSAGE: `%[flags][width][.precision][size]type`.

use std::fmt::Write;

use crate::error::{SqlError, SqlResult};
use crate::message;

/// A substitution parameter. Other types are error 2748, which the caller raises.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PrintfArgument<'a> {
    /// NULL, which prints as `(null)`.
    Null,
    /// tinyint, smallint, int; bit is refused by SQL Server.
    Int(i32),
    /// bigint, for `%I64d`.
    BigInt(i64),
    /// A string.
    Text(&'a str),
}

/// One parsed specification.
#[derive(Default)]
struct Specification {
    left: bool,
    plus: bool,
    zero: bool,
    alternate: bool,
    blank: bool,
    width: usize,
    precision: Option<usize>,
    wide: bool,
}

/// Longest width or precision that is honoured.
const WIDTH_MAX: usize = 8000;

/// The text that `format` makes of `arguments`. Missing arguments print as `(null)`. Errors: 2786
/// if an argument is not of the type its specification asks for, 2787 for a specification that does
/// not exist.
pub fn printf(format: &str, arguments: &[PrintfArgument]) -> SqlResult<String> {
    let mut out = String::with_capacity(format.len() + 16);
    let mut arguments = Arguments { all: arguments, next: 0 };
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let specification = &rest[at..];
        let length = one(specification, &mut arguments, &mut out)?;
        rest = &specification[length..];
    }
    out.push_str(rest);
    Ok(out)
}

/// As [`printf`], in the words of a translation of `format`: there `%2!` stands for what the second
/// specification of `format` prints. A translation may also have specifications of its own.
pub fn printf_translated(
    format: &str,
    translation: &str,
    arguments: &[PrintfArgument],
) -> SqlResult<String> {
    let mut printed = Vec::new();
    let mut of_format = Arguments { all: arguments, next: 0 };
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        let specification = &rest[at..];
        let mut text = String::new();
        let length = one(specification, &mut of_format, &mut text)?;
        if !specification[..length].ends_with('%') {
            printed.push(text);
        }
        rest = &specification[length..];
    }
    let mut out = String::with_capacity(translation.len() + 16);
    let mut own = Arguments { all: arguments, next: 0 };
    let mut rest = translation;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let specification = &rest[at..];
        let (place, end) = number(specification.as_bytes(), 1);
        let length = match specification.as_bytes().get(end) {
            Some(b'!') if end > 1 => {
                let text = place.checked_sub(1).and_then(|place| printed.get(place));
                out.push_str(text.map_or("(null)", String::as_str));
                end + 1
            }
            _ => one(specification, &mut own, &mut out)?,
        };
        rest = &specification[length..];
    }
    out.push_str(rest);
    Ok(out)
}

struct Arguments<'a> {
    all: &'a [PrintfArgument<'a>],
    next: usize,
}

impl<'a> Arguments<'a> {
    fn take(&mut self) -> PrintfArgument<'a> {
        let argument = self.all.get(self.next).copied().unwrap_or(PrintfArgument::Null);
        self.next += 1;
        argument
    }

    /// The error for the argument taken last.
    fn mismatch(&self) -> SqlError {
        SqlError::new(&message::RAISERROR_PARAMETER_MISMATCH, &[&self.next])
    }

    /// A width or precision written as `*`.
    fn star(&mut self) -> SqlResult<i32> {
        match self.take() {
            PrintfArgument::Int(n) => Ok(n),
            _ => Err(self.mismatch()),
        }
    }
}

/// Prints the specification at the start of `text` and says how long it is.
fn one(text: &str, arguments: &mut Arguments, out: &mut String) -> SqlResult<usize> {
    let bytes = text.as_bytes();
    let mut spec = Specification::default();
    let mut i = 1;
    while let Some(flag) = bytes.get(i) {
        match flag {
            b'-' => spec.left = true,
            b'+' => spec.plus = true,
            b'0' => spec.zero = true,
            b'#' => spec.alternate = true,
            b' ' => spec.blank = true,
            _ => break,
        }
        i += 1;
    }
    if bytes.get(i) == Some(&b'*') {
        let width = arguments.star()?;
        spec.left |= width < 0;
        spec.width = width.unsigned_abs() as usize;
        i += 1;
    } else {
        (spec.width, i) = number(bytes, i);
    }
    if bytes.get(i) == Some(&b'.') {
        i += 1;
        if bytes.get(i) == Some(&b'*') {
            spec.precision = usize::try_from(arguments.star()?).ok();
            i += 1;
        } else {
            let (precision, next) = number(bytes, i);
            spec.precision = Some(precision);
            i = next;
        }
    }
    spec.width = spec.width.min(WIDTH_MAX);
    spec.precision = spec.precision.map(|p| p.min(WIDTH_MAX));
    if text[i..].starts_with("I64") {
        spec.wide = true;
        i += 3;
    } else if matches!(bytes.get(i), Some(b'h' | b'l')) {
        i += 1;
    }
    match bytes.get(i) {
        Some(b'%') => out.push('%'),
        Some(b'd' | b'i') => print_number(&spec, arguments, out, b'd')?,
        Some(&kind @ (b'u' | b'o' | b'x' | b'X')) => print_number(&spec, arguments, out, kind)?,
        Some(b's' | b'S') => print_text(&spec, arguments, out)?,
        _ => {
            let end = text[i..].chars().next().map_or(i, |c| i + c.len_utf8());
            return Err(SqlError::new(&message::RAISERROR_FORMAT_INVALID, &[&&text[..end]]));
        }
    }
    Ok(i + 1)
}

fn number(bytes: &[u8], mut at: usize) -> (usize, usize) {
    let mut n = 0usize;
    while let Some(digit) = bytes.get(at).filter(|b| b.is_ascii_digit()) {
        n = n.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
        at += 1;
    }
    (n, at)
}

fn print_text(spec: &Specification, arguments: &mut Arguments, out: &mut String) -> SqlResult<()> {
    let text = match arguments.take() {
        PrintfArgument::Text(text) => text,
        PrintfArgument::Null => "(null)",
        _ => return Err(arguments.mismatch()),
    };
    let count = text.chars().count();
    let shown = spec.precision.map_or(count, |p| p.min(count));
    let padding = spec.width.saturating_sub(shown);
    let pad = |out: &mut String| out.extend(std::iter::repeat_n(' ', padding));
    if !spec.left {
        pad(out);
    }
    out.extend(text.chars().take(shown));
    if spec.left {
        pad(out);
    }
    Ok(())
}

fn print_number(
    spec: &Specification,
    arguments: &mut Arguments,
    out: &mut String,
    kind: u8,
) -> SqlResult<()> {
    let value = match arguments.take() {
        PrintfArgument::Int(n) => i64::from(n),
        PrintfArgument::BigInt(n) if spec.wide => n,
        PrintfArgument::Null => {
            out.push_str("(null)");
            return Ok(());
        }
        _ => return Err(arguments.mismatch()),
    };
    let unsigned = if spec.wide { value as u64 } else { u64::from(value as i32 as u32) };
    let mut digits = String::new();
    let mut sign = "";
    let written = match kind {
        b'd' => {
            sign = match value {
                i64::MIN..0 => "-",
                _ if spec.plus => "+",
                _ if spec.blank => " ",
                _ => "",
            };
            write!(digits, "{}", value.unsigned_abs())
        }
        b'u' => write!(digits, "{unsigned}"),
        b'o' => write!(digits, "{unsigned:o}"),
        b'x' => write!(digits, "{unsigned:x}"),
        _ => write!(digits, "{unsigned:X}"),
    };
    written.expect("a String takes everything");
    if spec.alternate && unsigned != 0 {
        sign = match kind {
            b'o' => "0",
            b'x' => "0x",
            b'X' => "0X",
            _ => sign,
        };
    }
    let zeros = match spec.precision {
        Some(precision) => precision.saturating_sub(digits.len()),
        None if spec.zero && !spec.left => spec.width.saturating_sub(digits.len() + sign.len()),
        None => 0,
    };
    let padding = spec.width.saturating_sub(sign.len() + zeros + digits.len());
    if !spec.left {
        out.extend(std::iter::repeat_n(' ', padding));
    }
    out.push_str(sign);
    out.extend(std::iter::repeat_n('0', zeros));
    out.push_str(&digits);
    if spec.left {
        out.extend(std::iter::repeat_n(' ', padding));
    }
    Ok(())
}

#[cfg(test)]
mod tests;

//! Atomic values: casts, comparison, arithmetic, and how they are written.
//!
//! What goes wrong with values while a query runs is no error: the result is the empty sequence,
//! here `None`.

use std::borrow::Cow;
use std::cmp::Ordering;

use base::decimal::{self, Rounding};
use base::types::SqlType;

use crate::expr::Operator;
use crate::types::{AtomicType, Class};

/// Digits of exact numbers behind the point.
pub(crate) const SCALE: u8 = 10;
/// One.
pub(crate) const UNIT: i128 = 10_000_000_000;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Atomic<'r> {
    /// Text of this type.
    Text(AtomicType, Cow<'r, str>),
    Boolean(bool),
    /// An integer or decimal in units of 10⁻¹⁰.
    Exact(AtomicType, i128),
    Double(f64),
    Float(f32),
    /// A date, time or both: a place on the line of time, in units of 100 ns, and its text.
    Temporal(AtomicType, i128, Cow<'r, str>),
    /// URI and local name.
    QName(Cow<'r, str>, Cow<'r, str>),
}

impl<'r> Atomic<'r> {
    pub(crate) fn ty(&self) -> AtomicType {
        match self {
            Atomic::Text(ty, _) | Atomic::Exact(ty, _) | Atomic::Temporal(ty, ..) => *ty,
            Atomic::Boolean(_) => AtomicType::Boolean,
            Atomic::Double(_) => AtomicType::Double,
            Atomic::Float(_) => AtomicType::Float,
            Atomic::QName(..) => AtomicType::QName,
        }
    }

    pub(crate) fn integer(value: usize) -> Atomic<'r> {
        Atomic::Exact(AtomicType::Integer, value as i128 * UNIT)
    }

    pub(crate) fn string(text: impl Into<Cow<'r, str>>) -> Atomic<'r> {
        Atomic::Text(AtomicType::String, text.into())
    }

    /// What the value takes beside itself.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Atomic::Text(_, Cow::Owned(text)) | Atomic::Temporal(_, _, Cow::Owned(text)) => {
                text.len()
            }
            _ => 0,
        }
    }

    /// The value as text.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        match self {
            Atomic::Text(_, text) | Atomic::Temporal(_, _, text) => Cow::Borrowed(text),
            Atomic::Boolean(value) => Cow::Borrowed(if *value { "true" } else { "false" }),
            Atomic::Exact(_, value) => Cow::Owned(exact_text(*value)),
            Atomic::Double(value) => Cow::Owned(double_text(*value, 15)),
            Atomic::Float(value) => Cow::Owned(double_text(f64::from(*value), 7)),
            Atomic::QName(_, local) => Cow::Borrowed(local),
        }
    }

    /// As [`Atomic::text`], without copying text.
    pub(crate) fn into_text(self) -> Cow<'r, str> {
        match self {
            Atomic::Text(_, text) | Atomic::Temporal(_, _, text) => text,
            other => Cow::Owned(other.text().into_owned()),
        }
    }

    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Atomic::Double(value) => Some(*value),
            Atomic::Float(value) => Some(f64::from(*value)),
            Atomic::Exact(_, value) => Some(decimal::to_f64(*value, SCALE)),
            Atomic::Text(AtomicType::Untyped, text) => parse_double(text),
            _ => None,
        }
    }

    /// The value as of another type.
    pub(crate) fn cast(self, to: AtomicType) -> Option<Atomic<'r>> {
        use AtomicType as T;
        if self.ty() == to {
            return Some(self);
        }
        match (to, self) {
            (T::Untyped | T::String | T::AnyUri, value) => {
                Some(Atomic::Text(to, value.into_text()))
            }
            (T::NormalizedString | T::Token, value) => {
                let text = value.into_text();
                Some(Atomic::Text(to, Cow::Owned(spaced(&text, to == T::Token))))
            }
            (_, Atomic::Text(_, text)) => parse(text, to),
            (T::Boolean, value) => Some(Atomic::Boolean(match value {
                Atomic::Exact(_, value) => value != 0,
                Atomic::Double(value) => value != 0.0,
                Atomic::Float(value) => value != 0.0,
                _ => return None,
            })),
            (T::Double, Atomic::Boolean(value)) => Some(Atomic::Double(f64::from(u8::from(value)))),
            (T::Double, value) => value.number().map(Atomic::Double),
            (T::Float, Atomic::Boolean(value)) => Some(Atomic::Float(f32::from(u8::from(value)))),
            (T::Float, value) => value.number().and_then(float),
            (T::Date, Atomic::Temporal(T::DateTime, _, text)) => {
                let (date, rest) = text.split_once('T')?;
                let zone = rest.find(['Z', '+', '-']).map_or("", |at| &rest[at..]);
                temporal(&format!("{date}{zone}"), T::Date)
            }
            (T::Time, Atomic::Temporal(T::DateTime, _, text)) => {
                temporal(text.split_once('T')?.1, T::Time)
            }
            (T::DateTime, Atomic::Temporal(T::Date, _, text)) => {
                let at = text.char_indices().skip(10).find(|(_, c)| "Z+-".contains(*c));
                let at = at.map_or(text.len(), |(at, _)| at);
                temporal(&format!("{}T00:00:00{}", &text[..at], &text[at..]), T::DateTime)
            }
            (ty, value) if ty == T::Decimal || ty.is_integer() => {
                let value = match value {
                    Atomic::Exact(_, value) => value,
                    Atomic::Boolean(value) => i128::from(value) * UNIT,
                    value => decimal::from_f64(value.number()?, SCALE)?,
                };
                exact(value, ty)
            }
            _ => None,
        }
    }

    /// The order of two values that are compared as this class; `None` if one does not belong to
    /// it.
    pub(crate) fn compare(&self, other: &Atomic<'_>, class: Class) -> Option<Ordering> {
        match class {
            Class::Number => match (self, other) {
                (Atomic::Exact(_, a), Atomic::Exact(_, b)) => Some(a.cmp(b)),
                _ => self.number()?.partial_cmp(&other.number()?),
            },
            Class::Boolean => Some(self.boolean()?.cmp(&other.boolean()?)),
            Class::Untyped | Class::Text => {
                Some(self.text().as_bytes().cmp(other.text().as_bytes()))
            }
            Class::Any => {
                let (a, b) = (self.ty().class(), other.ty().class());
                match (a, b) {
                    (a, Class::Untyped) => self.compare(other, a),
                    (Class::Untyped, b) => self.compare(other, b),
                    (a, b) if a == b => self.compare(other, a),
                    _ => None,
                }
            }
            Class::Other(AtomicType::QName) => match (self, other) {
                (Atomic::QName(..), Atomic::QName(..)) => {
                    Some(if self == other { Ordering::Equal } else { Ordering::Less })
                }
                _ => None,
            },
            Class::Other(ty) => match (self.clone().cast(ty)?, other.clone().cast(ty)?) {
                (Atomic::Temporal(_, a, _), Atomic::Temporal(_, b, _)) => Some(a.cmp(&b)),
                (a, b) => Some(a.text().as_bytes().cmp(b.text().as_bytes())),
            },
        }
    }

    fn boolean(&self) -> Option<bool> {
        match self {
            Atomic::Boolean(value) => Some(*value),
            Atomic::Text(_, text) => parse_boolean(text),
            _ => None,
        }
    }
}

fn spaced(text: &str, is_collapsed: bool) -> String {
    if is_collapsed {
        return text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    }
    text.chars().map(|c| if matches!(c, '\t' | '\n' | '\r') { ' ' } else { c }).collect()
}

fn parse_boolean(text: &str) -> Option<bool> {
    match text.trim_ascii() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// The number that text says as `xs:double`; infinite ones as well, but not NaN.
pub(crate) fn parse_double(text: &str) -> Option<f64> {
    let text = text.trim_ascii();
    match text {
        "INF" => return Some(f64::INFINITY),
        "-INF" => return Some(f64::NEG_INFINITY),
        _ => {}
    }
    let is_digit = |c: u8| c.is_ascii_digit() || matches!(c, b'+' | b'-' | b'.' | b'e' | b'E');
    if !text.bytes().all(is_digit) {
        return None;
    }
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

fn float<'r>(value: f64) -> Option<Atomic<'r>> {
    let narrow = value as f32;
    (narrow.is_finite() || value.is_infinite()).then_some(Atomic::Float(narrow))
}

/// An exact number as of a decimal or integer type, cut and in its range.
fn exact<'r>(value: i128, ty: AtomicType) -> Option<Atomic<'r>> {
    let Some((low, high)) = ty.range() else {
        return Some(Atomic::Exact(ty, value));
    };
    let whole = value / UNIT;
    (whole >= low && whole <= high).then_some(Atomic::Exact(ty, whole * UNIT))
}

fn parse(text: Cow<'_, str>, to: AtomicType) -> Option<Atomic<'_>> {
    use AtomicType as T;
    match to {
        T::Boolean => parse_boolean(&text).map(Atomic::Boolean),
        T::Double => parse_double(&text).map(Atomic::Double),
        T::Float => parse_double(&text).and_then(float),
        T::DateTime | T::Date | T::Time => temporal(&text, to),
        T::HexBinary => {
            let text = text.trim_ascii();
            let is_hex = text.len() % 2 == 0 && text.bytes().all(|c| c.is_ascii_hexdigit());
            is_hex.then(|| Atomic::Text(to, Cow::Owned(text.to_ascii_uppercase())))
        }
        T::Base64Binary => {
            let text: String = text.split_ascii_whitespace().collect();
            let body = text.trim_end_matches('=');
            let is_one = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'+' | b'/');
            let is_base64 =
                text.len() % 4 == 0 && text.len() - body.len() <= 2 && body.bytes().all(is_one);
            is_base64.then_some(Atomic::Text(to, Cow::Owned(text)))
        }
        _ if to == T::Decimal || to.is_integer() => {
            let text = text.trim_ascii();
            let is_spaced = text.contains(|c: char| c.is_ascii_whitespace());
            if is_spaced || (to.is_integer() && text.contains('.')) {
                return None;
            }
            exact(decimal::parse(text.as_bytes(), 38, SCALE).ok()?, to)
        }
        _ => None,
    }
}

/// A whole number of exactly so many digits at the beginning, and what follows it.
fn digits(text: &str, count: usize) -> Option<(i128, &str)> {
    let (head, rest) = text.split_at_checked(count)?;
    let is_number = head.bytes().all(|c| c.is_ascii_digit());
    is_number.then(|| head.parse().ok()).flatten().map(|value| (value, rest))
}

fn date(text: &str) -> Option<(i128, &str)> {
    let (year, rest) = digits(text, 4)?;
    let (month, rest) = digits(rest.strip_prefix('-')?, 2)?;
    let (day, rest) = digits(rest.strip_prefix('-')?, 2)?;
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i128::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if year == 0 || day < 1 || day > length {
        return None;
    }
    // Years begin in March, so that the leap day is the last of one.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    Some((365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day, rest))
}

fn temporal<'r>(text: &str, ty: AtomicType) -> Option<Atomic<'r>> {
    const SECOND: i128 = 10_000_000;
    let text = text.trim_ascii();
    let mut rest = text;
    let mut ticks = 0;
    let mut written = String::new();
    if ty != AtomicType::Time {
        let (days, left) = date(rest)?;
        ticks = days * 86_400 * SECOND;
        written.push_str(&rest[..rest.len() - left.len()]);
        rest = left;
    }
    if ty == AtomicType::DateTime {
        rest = rest.strip_prefix('T')?;
        written.push('T');
    }
    if ty != AtomicType::Date {
        let (hour, left) = digits(rest, 2)?;
        let (minute, left) = digits(left.strip_prefix(':')?, 2)?;
        let (second, left) = digits(left.strip_prefix(':')?, 2)?;
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        ticks += (3600 * hour + 60 * minute + second) * SECOND;
        written.push_str(&rest[..8]);
        rest = left;
        if let Some(fraction) = rest.strip_prefix('.') {
            let end = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
            let (kept, _) = digits(&format!("{:0<7}", &fraction[..end.min(7)]), 7)
                .map(|(value, _)| (value, ()))
                .filter(|_| end > 0)?;
            ticks += kept;
            let shown = fraction[..end.min(7)].trim_end_matches('0');
            if !shown.is_empty() {
                written.push('.');
                written.push_str(shown);
            }
            rest = &fraction[end..];
        }
    }
    match rest.as_bytes() {
        [] => {}
        b"Z" => written.push('Z'),
        [sign @ (b'+' | b'-'), ..] => {
            let (hours, left) = digits(&rest[1..], 2)?;
            let (minutes, left) = digits(left.strip_prefix(':')?, 2)?;
            if !left.is_empty() || hours > 14 || minutes > 59 {
                return None;
            }
            let offset = (3600 * hours + 60 * minutes) * SECOND;
            ticks += if *sign == b'+' { -offset } else { offset };
            written.push_str(if offset == 0 { "Z" } else { rest });
        }
        _ => return None,
    }
    Some(Atomic::Temporal(ty, ticks, Cow::Owned(written)))
}

/// A number in units of 10⁻¹⁰ without needless digits.
pub(crate) fn exact_text(value: i128) -> String {
    let (whole, rest) = (value.unsigned_abs() / UNIT as u128, value.unsigned_abs() % UNIT as u128);
    let sign = if value < 0 { "-" } else { "" };
    if rest == 0 {
        return format!("{sign}{whole}");
    }
    let fraction = format!("{rest:010}");
    format!("{sign}{whole}.{}", fraction.trim_end_matches('0'))
}

/// A number of so many digits: plainly from 10⁻⁶ to 10⁶, else with an exponent.
pub(crate) fn double_text(value: f64, precision: usize) -> String {
    if value == 0.0 {
        return if value.is_sign_negative() { "-0.0E0" } else { "0.0E0" }.into();
    }
    if !value.is_finite() {
        return if value.is_nan() {
            "NaN"
        } else if value > 0.0 {
            "INF"
        } else {
            "-INF"
        }
        .into();
    }
    let written = format!("{value:.*e}", precision - 1);
    let (mantissa, exponent) = written.split_once('e').unwrap_or((&written, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let mantissa = match mantissa.contains('.') {
        true => mantissa.trim_end_matches('0').trim_end_matches('.'),
        false => mantissa,
    };
    if !(-6..6).contains(&exponent) {
        let point = if mantissa.contains('.') { "" } else { ".0" };
        return format!("{mantissa}{point}E{exponent}");
    }
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    if exponent < 0 {
        let zeros = "0".repeat((-exponent - 1) as usize);
        return format!("{sign}0.{zeros}{digits}");
    }
    let whole = exponent as usize + 1;
    match digits.len() > whole {
        true => format!("{sign}{}.{}", &digits[..whole], &digits[whole..]),
        false => format!("{sign}{digits:0<whole$}"),
    }
}

/// `left operator right` as of this type.
pub(crate) fn calculate<'r>(
    operator: Operator,
    ty: AtomicType,
    left: &Atomic<'_>,
    right: &Atomic<'_>,
) -> Option<Atomic<'r>> {
    if let (Atomic::Exact(_, a), Atomic::Exact(_, b)) = (left, right) {
        let (a, b) = (*a, *b);
        let narrow = SqlType::decimal(38, 6);
        let wide = |value| decimal::rescale(value, 6, SCALE, Rounding::Truncate);
        let value = match operator {
            Operator::Add => a.checked_add(b)?,
            Operator::Subtract => a.checked_sub(b)?,
            Operator::Multiply => wide(decimal::multiply(a, SCALE, b, SCALE, &narrow).ok()?)?,
            Operator::Divide if b == 0 => return None,
            Operator::Divide => wide(decimal::divide(a, SCALE, b, SCALE, &narrow).ok()?)?,
            Operator::Modulo => a.checked_rem(b)?,
        };
        return decimal::fits(value, 38).then_some(Atomic::Exact(ty, value));
    }
    let (a, b) = (left.number()?, right.number()?);
    let value = match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::Divide => a / b,
        Operator::Modulo => a % b,
    };
    if !value.is_finite() {
        return None;
    }
    if ty == AtomicType::Float { float(value) } else { Some(Atomic::Double(value)) }
}

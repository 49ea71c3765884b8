//! Atomic values: casts, comparison, arithmetic, and how they are written.
//!
//! What goes wrong with values while a query runs is no error: the result is the empty sequence,
//! here `None`.

use std::borrow::Cow;
use std::cmp::Ordering;

use base::decimal::{self, Rounding};
use base::types::SqlType;
use base::xml::canonical::{self, MomentKind};
use base::xml::schema::Lexical;

pub(crate) use base::xml::canonical::{SCALE, UNIT, double_text, exact_text, parse_double};

use crate::expr::Operator;
use crate::types::{AtomicType, Class};

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
            (to, value) if to.class() == Class::Text => {
                let text = value.into_text();
                let text = spaced(&text, to != T::NormalizedString);
                lexical(to).fits(&text).then_some(Atomic::Text(to, Cow::Owned(text)))
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

/// What the text of a type of strings looks like.
fn lexical(ty: AtomicType) -> Lexical {
    use AtomicType as T;
    match ty {
        T::Language => Lexical::Language,
        T::NameToken => Lexical::NameToken,
        T::Name => Lexical::Name,
        T::NoColonName | T::Id | T::IdReference | T::Entity => Lexical::NoColonName,
        _ => Lexical::Any,
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
        T::YearMonth | T::Year | T::MonthDay | T::Day | T::Month => temporal(&text, to),
        T::Duration => {
            let duration = canonical::duration(&text)?;
            Some(Atomic::Text(to, Cow::Owned(duration.text)))
        }
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

fn temporal<'r>(text: &str, ty: AtomicType) -> Option<Atomic<'r>> {
    let kind = match ty {
        AtomicType::DateTime => MomentKind::DateTime,
        AtomicType::Date => MomentKind::Date,
        AtomicType::YearMonth => MomentKind::YearMonth,
        AtomicType::Year => MomentKind::Year,
        AtomicType::MonthDay => MomentKind::MonthDay,
        AtomicType::Day => MomentKind::Day,
        AtomicType::Month => MomentKind::Month,
        _ => MomentKind::Time,
    };
    let moment = canonical::moment(text, kind)?;
    Some(Atomic::Temporal(ty, moment.ticks, Cow::Owned(moment.text)))
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

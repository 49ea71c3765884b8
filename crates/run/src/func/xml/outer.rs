//! Values of the statement around a query, as the query takes them.

use std::str;

use base::collation::codepage::chars_to_string;
use base::collation::codepage::unicode_to_string;
use base::convert::{ConvertOptions, convert};
use base::xml::{Document, parse_value};
use base::{Collation, SqlResult, SqlType, TypeKind, ValueRef};
use base64::Engine as _;
use ir::function::facts::FnContext;
use xquery::Value;

use crate::func::values::bytes;

/// The style of CONVERT that writes `yyyy-mm-dd hh:mi:ss.fff`.
const ODBC: i32 = 121;

/// An outer value and what it borrows from.
pub(super) enum Held<'a> {
    Plain(Value<'a>),
    Text(String),
    Temporal(String),
    Xml(Box<Document>),
}

impl Held<'_> {
    pub fn value(&self) -> Value<'_> {
        match self {
            Held::Plain(value) => *value,
            Held::Text(text) => Value::Text(text),
            Held::Temporal(text) => Value::Temporal(text),
            Held::Xml(document) => Value::Xml(document),
        }
    }
}

/// A value as a query takes it.
pub(super) fn held<'a>(
    ctx: &FnContext<'a>,
    value: ValueRef<'a>,
    ty: &SqlType,
) -> SqlResult<Held<'a>> {
    if value.is_null() {
        return Ok(Held::Plain(Value::Null));
    }
    Ok(match value {
        ValueRef::Int(value) if ty.kind == TypeKind::Bit => Held::Plain(Value::Boolean(value != 0)),
        ValueRef::Int(value) => Held::Plain(Value::Integer(value)),
        ValueRef::Money(value) => Held::Plain(Value::Decimal(i128::from(value), MONEY_SCALE)),
        ValueRef::Decimal(value) => Held::Plain(Value::Decimal(value, ty.scale)),
        ValueRef::Float(value) if ty.kind == TypeKind::Real => {
            Held::Plain(Value::Float(value as f32))
        }
        ValueRef::Float(value) => Held::Plain(Value::Double(value)),
        ValueRef::Chars(text) if ty.kind == TypeKind::Xml => {
            Held::Xml(Box::new(parse_value(text, ctx.arena.account(), ctx)?))
        }
        ValueRef::Chars(text) | ValueRef::Unicode(text) => {
            ctx.arena.admit(2 * text.len())?;
            Held::Text(match value {
                ValueRef::Unicode(_) => unicode_to_string(text),
                _ => chars_to_string(ty.collation, text),
            })
        }
        ValueRef::Bytes(value) => {
            ctx.arena.admit(2 * value.len())?;
            Held::Text(base64::prelude::BASE64_STANDARD.encode(value))
        }
        value => {
            let text = printed(ctx, value, ty)?;
            match ty.kind.is_temporal() {
                true => Held::Temporal(moment(&text)),
                false => Held::Text(text),
            }
        }
    })
}

/// Digits behind the point of money.
const MONEY_SCALE: u8 = 4;

fn printed(ctx: &FnContext<'_>, value: ValueRef<'_>, ty: &SqlType) -> SqlResult<String> {
    const LONGEST: u16 = 64;
    let style = ty.kind.is_temporal().then_some(ODBC);
    let options = ConvertOptions { style, ..ConvertOptions::default() };
    let to = SqlType::varchar(LONGEST, Collation::DEFAULT);
    let text = bytes(convert(value, ty, &to, &options, ctx.arena)?);
    Ok(str::from_utf8(text).unwrap_or_default().to_owned())
}

/// A date or time as XML Schema writes it: with `T` between them, and nothing before the offset.
fn moment(text: &str) -> String {
    let mut parts = text.split(' ');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.starts_with(['+', '-']) {
            true => out.push_str(if part == "+00:00" { "Z" } else { part }),
            false => {
                out.push('T');
                out.push_str(part);
            }
        }
    }
    out
}

//! Conversion of values from one type to another: `CAST`, `CONVERT`, assignment.
//!
//! One file per kind of target. Values of fixed size never touch the heap; strings are built in the
//! arena, and returned as they are when nothing about them changes.
//!
//! What a failed conversion says depends on the pair of types; each file has its own messages.

mod binary;
mod clr;
mod hierarchy;
mod json;
mod number;
mod strings;
mod temporal;
mod variants;
mod xml;

pub use binary::format_guid;
pub use clr::SpatialForms;
pub use strings::length;
pub use xml::xml_text;

use crate::arena::Arena;
use crate::collation::codepage::unicode_to_string;
use crate::datetime::DateSettings;
use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::pace::{Pace, Unpaced};
use crate::types::conversion::check_explicit;
use crate::types::{Collation, Repr, SqlType, TypeKind};
use crate::value::ValueRef;
use crate::xml::schema::Collections;

/// What to do with a string or binary that is longer than its target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlong<'a> {
    /// Cut it: `CAST`, `CONVERT`, variables and parameters.
    #[default]
    Cut,
    /// Error 8152, unless only blanks would be lost.
    Refuse,
    /// Error 2628 with the names of table and column, unless only blanks would be lost.
    RefuseFor {
        /// `database.schema.table`
        table: &'a str,
        /// The column's name.
        column: &'a str,
    },
}

/// Everything beside the two types that a conversion depends on.
#[derive(Clone, Copy)]
pub struct ConvertOptions<'a> {
    /// The third argument of `CONVERT`.
    pub style: Option<i32>,
    /// Strings that do not fit.
    pub overlong: Overlong<'a>,
    /// How the session reads and writes dates.
    pub dates: DateSettings,
    /// What a conversion of a long value asks whether it may go on.
    pub pace: &'a dyn Pace,
    /// Where schema collections are found. Without it nothing becomes an `xml` with a collection.
    pub collections: Option<&'a dyn Collections>,
    /// What reads and writes geometry and geography. Without it nothing becomes such a value, and
    /// none becomes a string.
    pub spatial: Option<&'a dyn SpatialForms>,
}

impl Default for ConvertOptions<'_> {
    fn default() -> Self {
        let (overlong, dates) = (Overlong::default(), DateSettings::default());
        ConvertOptions {
            style: None,
            overlong,
            dates,
            pace: &Unpaced,
            collections: None,
            spatial: None,
        }
    }
}

/// The value as of type `to`.
///
/// `value` must be of type `from`. A `sql_variant` results as its encoding, see [`crate::variant`].
/// Pairs that SQL Server does not convert at all are error 529; whether a pair converts without a
/// `CAST` is for the binder to check, see [`crate::types::conversion`].
#[inline]
pub fn convert<'a>(
    value: ValueRef<'a>,
    from: &SqlType,
    to: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    match value {
        ValueRef::Null => Ok(ValueRef::Null),
        // The commonest conversions of all.
        ValueRef::Int(v) if to.kind.is_integer() => number::int_to_int(v, to.kind),
        ValueRef::Decimal(_) if from == to => Ok(value),
        _ => convert_other(value, from, to, options, arena),
    }
}

fn convert_other<'a>(
    value: ValueRef<'a>,
    from: &SqlType,
    to: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    if from.kind.is_clr() || to.kind.is_clr() {
        return clr::convert_clr(value, from, to, options, arena);
    }
    if from.kind == TypeKind::Json || to.kind == TypeKind::Json {
        return json::convert_json(value, from, to, options, arena);
    }
    if from.kind == TypeKind::Xml || to.kind == TypeKind::Xml {
        return xml::convert_xml(value, from, to, options, arena);
    }
    if from.kind == TypeKind::SqlVariant && to.kind != TypeKind::SqlVariant {
        return variants::unwrap(value, to, options, arena);
    }
    match to.kind.repr() {
        Repr::Int => number::to_int(value, from, to),
        Repr::Money => number::to_money(value, from, to),
        Repr::Decimal => number::to_decimal(value, from, to),
        Repr::Float => number::to_float(value, from, to),
        Repr::Chars | Repr::Unicode => strings::to_text(value, from, to, options, arena),
        Repr::Bytes => binary::to_binary(value, from, to, options, arena),
        Repr::Guid => binary::to_guid(value, from, to),
        Repr::Variant => variants::wrap(value, from, arena),
        _ => temporal::to_temporal(value, from, to, options),
    }
}

/// `TRY_CAST`, `TRY_CONVERT`: NULL where [`convert`] fails on the value; pairs of types that do not
/// convert at all stay error 529.
pub fn try_convert<'a>(
    value: ValueRef<'a>,
    from: &SqlType,
    to: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    check_explicit(from.kind, to.kind)?;
    match convert(value, from, to, options, arena) {
        Err(error) if !is_absorbed(&error, to) => Err(error),
        Err(_) => {
            options.pace.pace()?;
            Ok(ValueRef::Null)
        }
        converted => converted,
    }
}

/// Whether `TRY_CAST` makes NULL of an error: one that does not come from the value stays, and so
/// does a limit of the type json.
fn is_absorbed(error: &SqlError, to: &SqlType) -> bool {
    match to.kind {
        TypeKind::Json => error.number() == message::JSON_TEXT_INVALID.number,
        // What a schema says about a value is never NULL.
        TypeKind::Xml if (6900..7000).contains(&error.number()) => false,
        _ => error.number() != message::OUT_OF_MEMORY.number,
    }
}

/// A value as messages and simple clients show it: as `CAST` writes it, binaries in hexadecimal,
/// NULL as `<NULL>`. Error 2627 lists keys in this form.
pub fn display(value: ValueRef<'_>, ty: &SqlType) -> String {
    if value.is_null() {
        return "<NULL>".into();
    }
    let arena = Arena::new();
    let style = matches!(ty.kind.repr(), Repr::Bytes).then_some(1);
    let options = ConvertOptions { style, ..ConvertOptions::default() };
    let text = SqlType::nvarchar_max(Collation::DEFAULT);
    // rowversion does not become nvarchar, but its bytes do; of CLR types clients show the bytes.
    let from = match ty.kind {
        TypeKind::RowVersion => SqlType::binary(8),
        kind if kind.is_clr() => SqlType::varbinary(ty.length),
        _ => *ty,
    };
    match convert(value, &from, &text, &options, &arena) {
        Ok(ValueRef::Unicode(bytes)) => unicode_to_string(bytes),
        _ => match value {
            ValueRef::Chars(_) | ValueRef::Unicode(_) => strings::quoted(value, ty).into_owned(),
            other => format!("{other:?}"),
        },
    }
}

/// Error 529: the explicit conversion is not allowed.
#[cold]
fn not_allowed(from: &SqlType, to: &SqlType) -> SqlError {
    SqlError::new(&message::EXPLICIT_CONVERSION_NOT_ALLOWED, &[&from.kind, &to.kind])
}

/// Error 9809: the style is not supported for the type.
#[cold]
fn style_not_supported(style: i32, from: TypeKind, to: TypeKind) -> SqlError {
    SqlError::new(&message::STYLE_NOT_SUPPORTED, &[&style, &from, &to])
}

/// Error 8114: a value cannot be converted.
#[cold]
fn cannot_convert(from: TypeKind, to: TypeKind) -> SqlError {
    SqlError::new(&message::CONVERTING_TYPES, &[&said(from), &said(to)])
}

/// Error 8115 naming both types.
#[cold]
fn overflow_converting(from: TypeKind, to: TypeKind, state: u8) -> SqlError {
    SqlError::new(&message::OVERFLOW_CONVERTING, &[&said(from), &said(to)]).with_state(state)
}

/// Error 8115 about an expression.
#[cold]
fn expression_overflow(to: TypeKind) -> SqlError {
    SqlError::new(&message::OVERFLOW_CONVERTING, &[&"expression", &said(to)])
}

/// The name that these messages have for a type: decimals are `numeric`.
fn said(kind: TypeKind) -> &'static str {
    match kind {
        TypeKind::Decimal => "numeric",
        other => other.name(),
    }
}

#[cfg(test)]
mod tests;

//! Taking arguments out of values, and making results.

use base::collation::codepage::{
    chars_to_string, string_to_chars, string_to_unicode, unicode_to_string,
};
use base::variant::encode_variant;
use base::{Arena, Collation, SqlError, SqlType, TypeKind, ValueRef, message};
use ir::function::facts::FnContext;

/// The integer that an argument of an integer type is (F1).
pub(super) fn int(value: ValueRef<'_>) -> i64 {
    match value {
        ValueRef::Int(v) => v,
        other => unreachable!("{other:?} is not of the integer type that was asked for"),
    }
}

/// An integer that may be NULL.
pub(super) fn optional_int(value: ValueRef<'_>) -> Option<i64> {
    (!value.is_null()).then(|| int(value))
}

/// The float that an argument of type `float` is (F1).
pub(super) fn float(value: ValueRef<'_>) -> f64 {
    match value {
        ValueRef::Float(v) => v,
        other => unreachable!("{other:?} is not of the type float that was asked for"),
    }
}

/// The bytes of a string or binary (F1).
pub(super) fn bytes(value: ValueRef<'_>) -> &[u8] {
    match value {
        ValueRef::Chars(b) | ValueRef::Unicode(b) | ValueRef::Bytes(b) => b,
        other => unreachable!("{other:?} is neither string nor binary"),
    }
}

/// The bytes of a string or binary; none of NULL.
pub(super) fn bytes_or_none(value: ValueRef<'_>) -> &[u8] {
    if value.is_null() { &[] } else { bytes(value) }
}

/// Other bytes in the form of `value`.
pub(super) fn in_form_of<'a>(value: ValueRef<'_>, bytes: &'a [u8]) -> ValueRef<'a> {
    match value {
        ValueRef::Chars(_) => ValueRef::Chars(bytes),
        ValueRef::Unicode(_) => ValueRef::Unicode(bytes),
        _ => ValueRef::Bytes(bytes),
    }
}

/// A string as Rust has it.
pub(super) fn text(value: ValueRef<'_>, collation: Collation) -> String {
    match value {
        ValueRef::Chars(b) => chars_to_string(collation, b),
        ValueRef::Unicode(b) => unicode_to_string(b),
        other => unreachable!("{other:?} is not a string"),
    }
}

/// A string that may be NULL.
pub(super) fn optional_text(value: ValueRef<'_>, ty: &SqlType) -> Option<String> {
    (!value.is_null()).then(|| text(value, ty.collation))
}

/// A text as a value of a string type; cut if it is longer than the type.
pub(super) fn string<'a>(arena: &'a Arena, text: &str, ty: &SqlType) -> ValueRef<'a> {
    let mut out = arena.buffer();
    if ty.kind.is_unicode() {
        string_to_unicode(text, &mut out);
        let bytes = out.finish();
        return ValueRef::Unicode(&bytes[..bytes.len().min(ty.byte_limit() & !1)]);
    }
    string_to_chars(ty.collation, text, &mut out);
    let bytes = out.finish();
    ValueRef::Chars(&bytes[..bytes.len().min(ty.byte_limit())])
}

/// A text or NULL.
pub(super) fn optional_string<'a>(
    arena: &'a Arena,
    text: Option<&str>,
    ty: &SqlType,
) -> ValueRef<'a> {
    text.map_or(ValueRef::Null, |text| string(arena, text, ty))
}

/// An integer or NULL.
pub(super) fn optional(value: Option<impl Into<i64>>) -> ValueRef<'static> {
    value.map_or(ValueRef::Null, |v| ValueRef::Int(v.into()))
}

/// A flag as 0 or 1.
pub(super) fn flag(value: bool) -> ValueRef<'static> {
    ValueRef::Int(i64::from(value))
}

/// A value inside a `sql_variant`; NULL stays NULL.
pub(super) fn variant<'a>(arena: &'a Arena, ty: &SqlType, value: ValueRef<'_>) -> ValueRef<'a> {
    if value.is_null() {
        return ValueRef::Null;
    }
    let mut out = arena.buffer();
    encode_variant(ty, value, &mut out);
    ValueRef::Bytes(out.finish())
}

/// An `int` inside a `sql_variant`.
pub(super) fn variant_int<'a>(ctx: &FnContext<'a>, value: impl Into<i64>) -> ValueRef<'a> {
    variant(ctx.arena, &SqlType::int(), ValueRef::Int(value.into()))
}

/// A text inside a `sql_variant`, as `nvarchar(128)`.
pub(super) fn variant_text<'a>(
    ctx: &FnContext<'a>,
    text: &str,
    collation: Collation,
) -> ValueRef<'a> {
    let ty = SqlType::nvarchar(128, collation);
    let value = string(ctx.arena, text, &ty);
    variant(ctx.arena, &ty, value)
}

/// Error 8115 about an expression of this type.
#[cold]
pub(super) fn overflow(kind: TypeKind) -> SqlError {
    let name = if kind == TypeKind::Decimal { "numeric" } else { kind.name() };
    SqlError::new(&message::OVERFLOW_CONVERTING, &[&"expression", &name])
}

//! Into and out of `sql_variant`.

use super::{ConvertOptions, convert, not_allowed};
use crate::arena::Arena;
use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::types::conversion::check_explicit;
use crate::types::{SqlType, TypeKind};
use crate::value::ValueRef;
use crate::variant::{content, encode_variant};

/// The encoding of a value.
pub(super) fn wrap<'a>(
    value: ValueRef<'a>,
    from: &SqlType,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    match value {
        ValueRef::Bytes(_) if from.kind == TypeKind::SqlVariant => Ok(value),
        ValueRef::Variant(variant) => wrap(variant.value.as_ref(), &variant.ty, arena),
        _ if from.kind == TypeKind::RowVersion || from.kind.is_legacy_lob() => {
            Err(not_allowed(from, &SqlType::sql_variant()))
        }
        _ if from.is_max() => {
            Err(SqlError::new(&message::OPERAND_TYPE_CLASH, &[from, &TypeKind::SqlVariant]))
        }
        _ => {
            let mut encoded = arena.buffer();
            encode_variant(from, value, &mut encoded);
            Ok(ValueRef::Bytes(encoded.finish()))
        }
    }
}

/// What is inside, as of type `to`.
pub(super) fn unwrap<'a>(
    value: ValueRef<'a>,
    to: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    check_explicit(TypeKind::SqlVariant, to.kind)?;
    match content(value) {
        Some((ty, inner)) => convert(inner, &ty, to, options, arena),
        None => Err(SqlError::new(&message::CONVERTING_TYPES, &[&TypeKind::SqlVariant, &to.kind])),
    }
}

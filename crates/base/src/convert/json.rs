//! Into json from strings, and back.

use super::{ConvertOptions, not_allowed, strings};
use crate::arena::Arena;
use crate::error::{SqlError, SqlResult};
use crate::json::canonical;
use crate::message;
use crate::types::conversion::{Convertibility, convertibility};
use crate::types::{SqlType, TypeKind};
use crate::value::ValueRef;

/// Converts to json, or from it. Errors 529, 13639 and those of [`canonical::write`].
pub(super) fn convert_json<'a>(
    value: ValueRef<'a>,
    from: &SqlType,
    to: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    if from.kind == to.kind {
        return Ok(value);
    }
    if convertibility(from.kind, to.kind) == Convertibility::Never {
        return Err(not_allowed(from, to));
    }
    match to.kind {
        TypeKind::Json => to_json(value, from, options, arena),
        _ => to_string(value, from, to, options, arena),
    }
}

fn to_json<'a>(
    value: ValueRef<'a>,
    from: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    let utf8 = SqlType::varchar_max(SqlType::json().collation);
    let text = strings::to_text(value, from, &utf8, options, arena)?;
    let ValueRef::Chars(text) = text else { unreachable!("{text:?} is not a varchar") };
    arena.admit(text.len())?;
    let mut out = arena.buffer_of(text.len());
    canonical::write(text, options.pace, &mut out)?;
    Ok(ValueRef::Chars(out.finish()))
}

/// A document is never cut.
fn to_string<'a>(
    value: ValueRef<'a>,
    from: &SqlType,
    to: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    let unbounded = match to.kind.is_unicode() {
        true => SqlType::nvarchar_max(to.collation),
        false => SqlType::varchar_max(to.collation),
    };
    let text = strings::to_text(value, from, &unbounded, options, arena)?;
    if text.byte_len() > to.byte_limit() {
        return Err(SqlError::new(&message::JSON_TO_TEXT_SPACE, &[]));
    }
    strings::to_text(text, &unbounded, to, options, arena)
}

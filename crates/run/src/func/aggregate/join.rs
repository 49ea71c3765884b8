//! STRING_AGG.

use base::{Arena, SqlError, SqlResult, SqlType, ValueRef, message};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::signature::{Call, as_unicode};
use ir::function::state::{AggregateState, More};

use super::refuse;
use crate::func::values::bytes;

pub(super) fn types_of_join(call: &Call<'_>) -> SqlResult<Inferred> {
    let arg = &call.args[0];
    if arg.bare_null || arg.ty.kind.is_legacy_lob() {
        return Err(refuse(call));
    }
    // What is not a string becomes Unicode.
    let value = match arg.ty.kind.is_character() {
        true => call.text(0)?,
        false => as_unicode(&call.text(0)?),
    };
    let separator = call.text(1)?;
    let separator = match value.kind.is_unicode() {
        true => as_unicode(&separator),
        false => SqlType::varchar(separator.length.min(8000), call.collation),
    };
    Ok(call.types(call.largest(&value), &[value, separator]))
}

/// Appends a value, after a separator unless it is the first. Error 9829 beyond 8,000 bytes unless
/// the result is a `(max)` string.
pub(super) fn add(
    state: &mut AggregateState,
    args: &[ValueRef<'_>],
    types: &CallTypes,
) -> SqlResult<()> {
    if args[0].is_null() {
        return Ok(());
    }
    let first = state.count == 0;
    let out = state.bytes();
    if !first && !args[1].is_null() {
        out.extend_from_slice(bytes(args[1]));
    }
    out.extend_from_slice(bytes(args[0]));
    if out.len() > types.result.byte_limit() {
        return Err(SqlError::new(&message::STRING_AGG_TOO_LONG, &[]));
    }
    state.count += 1;
    Ok(())
}

pub(super) fn finish<'a>(
    state: &AggregateState,
    types: &CallTypes,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    let More::Bytes(bytes) = &state.more else { return Ok(ValueRef::Null) };
    let bytes = arena.alloc_bytes(bytes);
    let wide = types.result.kind.is_unicode();
    Ok(if wide { ValueRef::Unicode(bytes) } else { ValueRef::Chars(bytes) })
}

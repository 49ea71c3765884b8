//! ISJSON, JSON_VALUE, JSON_QUERY, JSON_PATH_EXISTS.

use std::ops::Range;

use base::json::seek::{Found, Value, seek};
use base::json::{Event, Fault, Path, Reader, Scalar, Text};
use base::{SqlError, SqlResult, SqlType, TypeKind, ValueRef, message};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::facts::FnContext;
use ir::function::signature::Call;

use super::document::{document, is_long, path, type_of_document, type_of_path};
use crate::func::values::{bytes_or_none, flag};

/// Characters that JSON_VALUE returns at most, and of a document that is not a `(max)` one
/// JSON_QUERY looks at.
const UNITS_MAX: usize = 4000;

/// Bytes of an escape that stands for one UTF-16 unit.
const ESCAPE: usize = 6;

/// The state of what is wrong with a text.
const STATE: u8 = 1;

/// The states of a path that leads nowhere: in a string, and in a document of type json.
const NOWHERE: u8 = 1;
pub(super) const NOWHERE_IN_JSON: u8 = 5;

pub(super) fn types_of_isjson(call: &Call<'_>) -> SqlResult<Inferred> {
    let mut types = vec![type_of_document(call, 0)?];
    if call.args.len() == 2 {
        types.push(SqlType::varchar(8, call.collation));
    }
    Ok(call.types(SqlType::int(), &types))
}

/// Whether a string is JSON text, or of the kind that the second argument names. Error 13606.
pub(super) fn isjson<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    if args[0].is_null() {
        return Ok(ValueRef::Null);
    }
    let text = document(ctx, args[0], &types.args[0])?;
    let kind = args.get(1).map(|kind| bytes_or_none(*kind));
    let mut reader = match kind {
        None => Reader::new(&text, ctx),
        Some(_) => Reader::of_value(&text, ctx),
    };
    let whole = reader.read().and_then(|first| reader.finish().map(|()| first));
    let first = match whole {
        Ok(first) => first,
        Err(Fault::Unexpected(_)) => return Ok(flag(false)),
        Err(fault) => return Err(fault.error(&text, STATE)),
    };
    Ok(flag(match kind {
        None | Some(b"VALUE") => true,
        Some(b"OBJECT") => first == Event::Object,
        Some(b"ARRAY") => first == Event::Array,
        Some(_) => matches!(first, Event::Scalar(Scalar::String | Scalar::Number, _)),
    }))
}

pub(super) fn types_of_json_value(call: &Call<'_>) -> SqlResult<Inferred> {
    let types = [type_of_document(call, 0)?, type_of_path(call, 1)?];
    Ok(call.types(SqlType::nvarchar(UNITS_MAX as u16, call.collation), &types))
}

/// The scalar to which a path leads, as text; NULL if there is none. In strict mode errors 13608,
/// 13623, 13625.
pub(super) fn json_value<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let Some(ScalarFound { text, kind, range, is_strict }) = scalar(ctx, args, types)? else {
        return Ok(ValueRef::Null);
    };
    match kind {
        Scalar::Null => Ok(ValueRef::Null),
        Scalar::String => {
            let inner = range.start + 1..range.end - 1;
            short_string(ctx, &text, inner, is_long(&types.args[0]), is_strict)
        }
        Scalar::Number | Scalar::True | Scalar::False => part(ctx, &text, &range),
    }
}

/// A scalar to which a path leads.
pub(super) struct ScalarFound<'a> {
    pub text: Text<'a>,
    pub kind: Scalar,
    pub range: Range<usize>,
    /// The path is a strict one.
    pub is_strict: bool,
}

/// The scalar in the document of the first argument to which the path of the second one leads.
/// `None` if there is none; in strict mode errors 13608, 13623.
pub(super) fn scalar<'a>(
    ctx: &FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<Option<ScalarFound<'a>>> {
    let path = path("JSON_VALUE", 1, args[1])?;
    if args[0].is_null() {
        return Ok(None);
    }
    let is_strict = path.is_strict;
    let text = document(ctx, args[0], &types.args[0])?;
    let mut reader = Reader::new(&text, ctx);
    match seek(&mut reader, &text, &path).map_err(|fault| fault.error(&text, STATE))? {
        Found::Value(Value { first: Event::Scalar(kind, range), .. }) => {
            Ok(Some(ScalarFound { text, kind, range, is_strict }))
        }
        Found::Value(_) if is_strict => Err(SqlError::new(&message::JSON_SCALAR_NOT_FOUND, &[])),
        Found::Value(_) => Ok(None),
        Found::Nothing(_) => not_found(&path, nowhere(&types.args[0])).map(|_| None),
    }
}

/// A string of at most as many characters as JSON_VALUE returns. A longer one in a `(max)` document
/// is NULL, or error 13625 in strict mode; in another document it is cut.
fn short_string<'a>(
    ctx: &FnContext<'a>,
    text: &Text<'_>,
    inner: Range<usize>,
    is_long: bool,
    is_strict: bool,
) -> SqlResult<ValueRef<'a>> {
    // No more than this can be written in as many characters; what is cut is behind them.
    let most = (UNITS_MAX + 1) * ESCAPE;
    let looked_at = inner.start..inner.end.min(inner.start + most);
    let mut out = ctx.room(2 * looked_at.len())?;
    text.write_string(&looked_at, ctx, &mut out)?;
    let value = out.finish();
    match value.len() > 2 * UNITS_MAX {
        false => Ok(ValueRef::Unicode(value)),
        true if !is_long => Ok(ValueRef::Unicode(&value[..2 * UNITS_MAX])),
        true if is_strict => Err(SqlError::new(&message::JSON_STRING_TRUNCATED, &[])),
        true => Ok(ValueRef::Null),
    }
}

/// A part of a text as it is written.
pub(super) fn part<'a>(
    ctx: &FnContext<'a>,
    text: &Text<'_>,
    range: &Range<usize>,
) -> SqlResult<ValueRef<'a>> {
    let mut out = ctx.room(2 * range.len())?;
    text.write_part(range, ctx, &mut out)?;
    Ok(ValueRef::Unicode(out.finish()))
}

/// The state of a path that leads nowhere in a document of this type.
fn nowhere(document: &SqlType) -> u8 {
    if document.kind == TypeKind::Json { NOWHERE_IN_JSON } else { NOWHERE }
}

/// NULL for a path that leads nowhere, or error 13608 in strict mode.
pub(super) fn not_found<'a>(path: &Path<'_>, state: u8) -> SqlResult<ValueRef<'a>> {
    match path.is_strict {
        false => Ok(ValueRef::Null),
        true => Err(SqlError::new(&message::JSON_PROPERTY_NOT_FOUND, &[]).with_state(state)),
    }
}

pub(super) fn types_of_json_query(call: &Call<'_>) -> SqlResult<Inferred> {
    let document = type_of_document(call, 0)?;
    let ty = match document.is_max() {
        _ if document.kind == TypeKind::Json => document,
        true => SqlType::nvarchar_max(call.collation),
        false => SqlType::nvarchar(UNITS_MAX as u16, call.collation),
    };
    let mut types = vec![document];
    if call.args.len() == 2 {
        types.push(type_of_path(call, 1)?);
    }
    Ok(call.types(ty, &types))
}

/// The object or array to which a path leads, as it is written; NULL if there is none. What is in a
/// document of type json is one itself. In strict mode errors 13608, 13624.
pub(super) fn json_query<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let path = match args.get(1) {
        Some(value) => path("JSON_QUERY", 1, *value)?,
        None => Path::ROOT,
    };
    if args[0].is_null() {
        return Ok(ValueRef::Null);
    }
    let is_long = is_long(&types.args[0]);
    let mut text = document(ctx, args[0], &types.args[0])?;
    if !is_long {
        text = text.first(UNITS_MAX);
    }
    let mut reader = Reader::new(&text, ctx);
    let found = seek(&mut reader, &text, &path).and_then(|found| match found {
        Found::Value(value) => Ok(Some(match value.first {
            Event::Scalar(kind, _) => Err(kind),
            first => Ok(value.start..reader.pass(&first)?),
        })),
        Found::Nothing(_) => Ok(None),
    });
    match found {
        Ok(Some(Ok(range))) if types.result.kind == TypeKind::Json => {
            Ok(ValueRef::Chars(text.part(&range)))
        }
        Ok(Some(Ok(range))) => part(ctx, &text, &range),
        Ok(Some(Err(kind))) if path.is_strict && kind != Scalar::Null => {
            let state = if is_long { 1 } else { 2 };
            Err(SqlError::new(&message::JSON_CONTAINER_NOT_FOUND, &[]).with_state(state))
        }
        Ok(Some(Err(_))) => Ok(ValueRef::Null),
        Ok(None) => not_found(&path, nowhere(&types.args[0])),
        Err(fault) => Err(fault.error(&text, STATE)),
    }
}

pub(super) fn types_of_path_exists(call: &Call<'_>) -> SqlResult<Inferred> {
    let types = [type_of_document(call, 0)?, type_of_path(call, 1)?];
    Ok(call.types(SqlType::int(), &types))
}

/// Whether a path leads anywhere, in a text that is JSON from beginning to end. Error 13606.
pub(super) fn json_path_exists<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let path = path("JSON_PATH_EXISTS", 1, args[1])?;
    if args[0].is_null() {
        return Ok(ValueRef::Null);
    }
    let text = document(ctx, args[0], &types.args[0])?;
    let mut reader = Reader::new(&text, ctx);
    let found = seek(&mut reader, &text, &path).and_then(|found| {
        reader.finish()?;
        Ok(matches!(found, Found::Value(_)))
    });
    match found {
        Ok(found) => Ok(flag(found)),
        Err(Fault::Unexpected(_)) => Ok(flag(false)),
        Err(fault) => Err(fault.error(&text, STATE)),
    }
}

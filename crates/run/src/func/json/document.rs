//! Arguments as JSON text and as paths.

use base::collation::codepage::{CodePage, code_page, pieces, to_unicode, units};
use base::json::text::{utf8_len_max, write_utf8};
use base::json::{Path, Text};
use base::{Pace, SqlError, SqlResult, SqlType, TypeKind, ValueRef, message};
use ir::function::facts::{COPIED, FnContext};
use ir::function::signature::{Call, as_unicode};

use crate::func::values::bytes;

/// The string that an argument with JSON text becomes, unless it is a document of type json. Error
/// 8116 for anything else, and for text and ntext.
pub(super) fn type_of_document(call: &Call<'_>, at: usize) -> SqlResult<SqlType> {
    match call.kind(at) {
        TypeKind::Json => Ok(SqlType::json()),
        _ => call.string(at),
    }
}

/// The Unicode string that a path becomes. Error 8116, about NULL with a state of its own.
pub(super) fn type_of_path(call: &Call<'_>, at: usize) -> SqlResult<SqlType> {
    let arg = &call.args[at];
    if arg.bare_null && arg.constant.is_some() {
        return Err(match call.name {
            "JSON_VALUE" | "JSON_MODIFY" => call.refuse(at),
            name => path_is_null(name, at),
        });
    }
    Ok(as_unicode(&call.string(at)?))
}

/// Error 8116 about a path that is NULL.
#[cold]
pub(super) fn path_is_null(function: &str, at: usize) -> SqlError {
    SqlError::new(&message::ARGUMENT_TYPE_INVALID, &[&"NULL", &(at + 1), &function]).with_state(8)
}

/// A string, or a value of type json, as JSON text. A Unicode string is written anew, in UTF-8,
/// and so is one of which characters may have two bytes.
pub(super) fn document<'a>(
    ctx: &FnContext<'a>,
    value: ValueRef<'a>,
    ty: &SqlType,
) -> SqlResult<Text<'a>> {
    if ty.kind == TypeKind::Json {
        return Ok(Text::of_utf8(bytes(value)));
    }
    match value {
        ValueRef::Unicode(text) => Ok(Text::of_utf8(utf8(ctx, text)?)),
        // A character of two bytes may have one that means something in JSON.
        _ if matches!(code_page(ty.collation), CodePage::Double(_)) => {
            let mut wide = ctx.room(2 * bytes(value).len())?;
            for piece in pieces(ty.collation, value) {
                ctx.pace()?;
                to_unicode(ty.collation, piece, &mut wide);
            }
            Ok(Text::of_utf8(utf8(ctx, wide.finish())?))
        }
        _ => Ok(Text::of_chars(ty.collation, bytes(value))),
    }
}

/// UTF-16LE as UTF-8.
pub(super) fn utf8<'a>(ctx: &FnContext<'a>, text: &[u8]) -> SqlResult<&'a [u8]> {
    let mut len = 0;
    for piece in text.chunks(COPIED) {
        len += utf8_len_max(piece);
        if text.len() > COPIED {
            ctx.pace()?;
        }
    }
    let mut out = ctx.room(len)?;
    let mut rest = text;
    while !rest.is_empty() {
        let mut len = rest.len().min(COPIED);
        // No piece ends within a pair.
        if units(&rest[len - 2..len]).any(|unit| (0xD800..0xDC00).contains(&unit)) {
            len = rest.len().min(len + 2);
        }
        let (piece, others) = rest.split_at(len);
        write_utf8(piece, &mut out);
        rest = others;
        if !rest.is_empty() {
            ctx.pace()?;
        }
    }
    Ok(out.finish())
}

/// A path. Errors 8116 for NULL, 13606, 13607.
pub(super) fn path<'a>(function: &str, at: usize, value: ValueRef<'a>) -> SqlResult<Path<'a>> {
    match value.is_null() {
        true => Err(path_is_null(function, at)),
        false => Path::parse(bytes(value), function == "JSON_MODIFY"),
    }
}

/// Whether a document is json or a `(max)` string, of which functions say more and cut less.
pub(super) fn is_long(ty: &SqlType) -> bool {
    debug_assert!(matches!(ty.kind, TypeKind::VarChar | TypeKind::NVarChar | TypeKind::Json));
    ty.is_max()
}

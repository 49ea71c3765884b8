//! Pieces of one string, and how long it is.

use base::collation::codepage::{CodePage, code_page};
use base::collation::search::{byte_offset, char_count};
use base::pace::{STRIDE, Stride};
use base::types::Repr;
use base::{Pace, SqlError, SqlResult, SqlType, TypeKind, ValueRef, convert, message, variant};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::facts::FnContext;
use ir::function::signature::{BYTES_MAX, Call, unify_text};

use super::characters;
use super::set::CharacterSet;
use crate::func::values::{bytes, in_form_of, int};

/// `int`, or `bigint` for what may be longer.
fn count_of(ty: &SqlType) -> SqlType {
    let large = ty.length == SqlType::MAX && !ty.kind.is_legacy_lob();
    if large { SqlType::bigint() } else { SqlType::int() }
}

pub(super) fn types_of_len(call: &Call<'_>) -> SqlResult<Inferred> {
    let text = call.text(0)?;
    Ok(call.types(count_of(&text), &[text]))
}

pub(super) fn len<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    convert::length(args[0], &types.args[0], ctx).map(ValueRef::Int)
}

pub(super) fn types_of_datalength(call: &Call<'_>) -> SqlResult<Inferred> {
    let ty = call.args[0].ty;
    Ok(call.types(count_of(&ty), &[ty]))
}

pub(super) fn datalength<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(ValueRef::Int(size_in_bytes(args[0], &types.args[0])))
}

/// The bytes that a value takes in SQL Server's own format.
fn size_in_bytes(value: ValueRef<'_>, ty: &SqlType) -> i64 {
    match (value, ty.kind.repr()) {
        (_, Repr::Variant) => match variant::content(value) {
            Some((ty, content)) => size_in_bytes(content, &ty),
            None => 0,
        },
        (ValueRef::Chars(b) | ValueRef::Unicode(b) | ValueRef::Bytes(b), _) => b.len() as i64,
        // A sign and as many words of 32 bits as the digits need.
        (ValueRef::Decimal(v), _) => {
            let bits = i64::from(128 - v.unsigned_abs().leading_zeros());
            1 + 4 * ((bits + 31) / 32).max(1)
        }
        _ => i64::from(ty.length),
    }
}

/// The type of a piece of at most this many characters of a string (or bytes of a binary) of type
/// `whole`.
fn piece_of(call: &Call<'_>, whole: &SqlType, characters: Option<i64>) -> SqlType {
    let Some(characters) = characters.filter(|_| !whole.is_max()) else { return *whole };
    let flags = call.collation.info().flags;
    let width = match whole.kind.repr() {
        Repr::Bytes => 1,
        Repr::Unicode if flags.supplementary() => 4,
        Repr::Unicode => 2,
        _ if flags.is_utf8() => 4,
        _ => match code_page(call.collation) {
            CodePage::Double(_) => 2,
            _ => 1,
        },
    };
    let least = if whole.kind.is_unicode() { 2 } else { 1 };
    let most = i64::from(whole.length).max(least);
    SqlType { length: characters.saturating_mul(width).clamp(least, most) as u16, ..*whole }
}

pub(super) fn types_of_end(call: &Call<'_>) -> SqlResult<Inferred> {
    let text = call.text(0)?;
    let count = call.number(1, count_of(&text))?;
    Ok(call.types(piece_of(call, &text, call.constant_int(1)), &[text, count]))
}

pub(super) fn left<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let count = int(args[1]);
    if count < 0 {
        return Err(SqlError::new(&message::INVALID_LENGTH_PARAMETER, &[]));
    }
    let end = byte_offset(types.args[0].collation, args[0], count, ctx)?;
    Ok(in_form_of(args[0], &bytes(args[0])[..end]))
}

pub(super) fn right<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let count = int(args[1]);
    if count < 0 {
        return Err(SqlError::new(&message::INVALID_LENGTH_FOR_FUNCTION, &[&"RIGHT"]));
    }
    let collation = types.args[0].collation;
    let length = char_count(collation, args[0], ctx)?;
    let start = byte_offset(collation, args[0], length.saturating_sub(count), ctx)?;
    Ok(in_form_of(args[0], &bytes(args[0])[start..]))
}

pub(super) fn types_of_substring(call: &Call<'_>) -> SqlResult<Inferred> {
    let source = &call.args[0];
    let whole = match source.ty.kind {
        _ if source.bare_null => return Err(call.refuse(0)),
        TypeKind::Text => SqlType::varchar_max(call.collation),
        TypeKind::NText => SqlType::nvarchar_max(call.collation),
        TypeKind::Image => SqlType::varbinary_max(),
        TypeKind::Binary | TypeKind::VarBinary | TypeKind::RowVersion => {
            SqlType { kind: TypeKind::VarBinary, ..source.ty }
        }
        kind if kind.is_character() => call.text(0)?,
        _ => return Err(call.refuse(0)),
    };
    let (start, length) = (call.bigint(1)?, call.bigint(2)?);
    let mut piece = piece_of(call, &whole, call.constant_int(2));
    if source.ty.kind.is_legacy_lob() {
        piece.length = BYTES_MAX;
    }
    Ok(call.types(piece, &[whole, start, length]))
}

pub(super) fn substring<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let (start, length) = (int(args[1]), int(args[2]));
    if length < 0 {
        return Err(SqlError::new(&message::INVALID_LENGTH_PARAMETER, &[]));
    }
    // What lies before the first character counts, but there is nothing to take.
    let end = start.saturating_add(length);
    let whole = bytes(args[0]);
    let offset = |position: i64| match args[0] {
        ValueRef::Bytes(b) => Ok(usize::try_from(position - 1).map_or(0, |p| p.min(b.len()))),
        text => byte_offset(types.args[0].collation, text, position - 1, ctx),
    };
    let (from, to) = (offset(start.max(1))?, offset(end.max(1))?);
    let piece = &whole[from..to.max(from)];
    Ok(in_form_of(args[0], &piece[..piece.len().min(types.result.byte_limit())]))
}

pub(super) fn types_of_trim(call: &Call<'_>) -> SqlResult<Inferred> {
    let mut types = vec![call.text(0)?];
    if call.args.len() == 2 {
        let set = call.string(1)?;
        if set.is_max() {
            return Err(call.refuse(1));
        }
        types.push(set);
        unify_text(&mut types);
    }
    Ok(call.types(types[0], &types))
}

/// What is left between the blanks, or between the characters of the second argument.
fn trimmed(
    ctx: &FnContext<'_>,
    args: &[ValueRef<'_>],
    types: &CallTypes,
) -> SqlResult<(usize, usize)> {
    let whole = bytes(args[0]);
    let Some(&set) = args.get(1) else {
        let blank: &[u8] = if types.args[0].kind.is_unicode() { &[b' ', 0] } else { b" " };
        let mut pieces = whole.chunks_exact(blank.len());
        let start = pieces.position(|c| c != blank).unwrap_or(whole.len() / blank.len());
        let mut pieces = whole[start * blank.len()..].chunks_exact(blank.len());
        let length = pieces.rposition(|c| c != blank).map_or(0, |last| last + 1);
        return Ok((start * blank.len(), (start + length) * blank.len()));
    };
    let collation = types.args[0].collation;
    let mut set = CharacterSet::new(set, collation, ctx)?;
    let mut stride = Stride::new(ctx);
    let (mut at, mut start, mut end) = (0, None, 0);
    for character in characters(args[0], collation) {
        stride.step(1)?;
        let next = at + bytes(character).len();
        if !set.contains(character, &mut stride)? {
            start.get_or_insert(at);
            end = next;
        }
        at = next;
    }
    let start = start.unwrap_or(whole.len());
    Ok((start, end.max(start)))
}

pub(super) fn ltrim<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(in_form_of(args[0], &bytes(args[0])[trimmed(ctx, args, types)?.0..]))
}

pub(super) fn rtrim<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let (start, end) = trimmed(ctx, args, types)?;
    let end = if start == end { 0 } else { end };
    Ok(in_form_of(args[0], &bytes(args[0])[..end]))
}

pub(super) fn trim<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let (start, end) = trimmed(ctx, args, types)?;
    Ok(in_form_of(args[0], &bytes(args[0])[start..end]))
}

pub(super) fn types_of_trim_zeros(call: &Call<'_>) -> SqlResult<Inferred> {
    let own = call.args[0].ty;
    match own.kind.is_binary() {
        true => Ok(call.types(own, &[own])),
        false => Err(call.refuse(0)),
    }
}

/// Without the zeros at the end.
pub(super) fn trim_zeros<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let whole = bytes(args[0]);
    let end = whole.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    Ok(in_form_of(args[0], &whole[..end]))
}

/// A string of the argument's own width.
pub(super) fn types_of_same_width(call: &Call<'_>) -> SqlResult<Inferred> {
    let text = call.text(0)?;
    Ok(call.types(text, &[text]))
}

pub(super) fn reverse<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let whole = bytes(args[0]);
    let mut out = ctx.room(whole.len())?;
    // The room is filled from the end, once it is there.
    for piece in whole.chunks(STRIDE) {
        ctx.pace()?;
        out.extend(piece);
    }
    let reversed = out.finish_mut();
    let mut stride = Stride::new(ctx);
    let mut end = whole.len();
    for character in characters(args[0], types.args[0].collation) {
        stride.step(1)?;
        let start = end - bytes(character).len();
        reversed[start..end].copy_from_slice(bytes(character));
        end = start;
    }
    Ok(in_form_of(args[0], reversed))
}

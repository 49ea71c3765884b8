//! Making strings out of parts and codes, and codes out of strings.

use base::collation::case::{Case, change_case};
use base::collation::codepage::{CodePage, code_page, pieces, units};
use base::pace::STRIDE;
use base::{Pace, SqlResult, SqlType, ValueRef};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::facts::FnContext;
use ir::function::signature::{BYTES_MAX, Call, unify_text};

use crate::func::values::{bytes, in_form_of, int};

pub(super) fn upper<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    in_case(Case::Upper, ctx, args[0], types)
}

pub(super) fn lower<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    in_case(Case::Lower, ctx, args[0], types)
}

fn in_case<'a>(
    case: Case,
    ctx: &FnContext<'a>,
    value: ValueRef<'a>,
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let whole = bytes(value);
    let mut out = ctx.room(whole.len())?;
    let collation = types.args[0].collation;
    for piece in pieces(collation, value) {
        ctx.pace()?;
        change_case(case, collation, in_form_of(value, piece), &mut out);
    }
    Ok(in_form_of(value, out.finish()))
}

/// The arguments as strings of one family, and how long they are together.
fn parts(call: &Call<'_>) -> SqlResult<(Vec<SqlType>, SqlType)> {
    let mut types: Vec<SqlType> =
        (0..call.args.len()).map(|at| call.text(at)).collect::<SqlResult<_>>()?;
    unify_text(&mut types);
    let together: u32 = types.iter().map(|t| u32::from(t.length)).sum();
    let result = match types.iter().find(|t| t.is_max()) {
        Some(max) => *max,
        None => call.varying(&types[0], together.min(u32::from(BYTES_MAX)) as u16),
    };
    Ok((types, result))
}

pub(super) fn types_of_concat(call: &Call<'_>) -> SqlResult<Inferred> {
    let (types, result) = parts(call)?;
    Ok(call.types(result, &types).not_null())
}

pub(super) fn concat<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    joined(ctx, &[], args, types)
}

pub(super) fn types_of_concat_ws(call: &Call<'_>) -> SqlResult<Inferred> {
    let (types, mut result) = parts(call)?;
    if !result.is_max() {
        let separators = u32::from(types[0].length) * (types.len() as u32 - 2);
        let values: u32 = types[1..].iter().map(|t| u32::from(t.length)).sum();
        let together = (separators + values).min(u32::from(BYTES_MAX)) as u16;
        result = call.varying(&types[0], together);
    }
    Ok(call.types(result, &types).not_null())
}

pub(super) fn concat_ws<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let separator = if args[0].is_null() { &[] } else { bytes(args[0]) };
    joined(ctx, separator, &args[1..], types)
}

/// All that are not NULL, one after the other.
fn joined<'a>(
    ctx: &FnContext<'a>,
    separator: &[u8],
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let values = || args.iter().filter(|v| !v.is_null()).map(|v| bytes(*v));
    let count = values().count();
    let separators = separator.len() * count.saturating_sub(1);
    let mut all = ctx.room(values().map(<[u8]>::len).sum::<usize>() + separators)?;
    for (nth, value) in values().enumerate() {
        ctx.append(&mut all, if nth > 0 { separator } else { &[] })?;
        ctx.append(&mut all, value)?;
    }
    let all = all.finish();
    let all = &all[..all.len().min(types.result.byte_limit())];
    let is_unicode = types.result.kind.is_unicode();
    Ok(if is_unicode { ValueRef::Unicode(all) } else { ValueRef::Chars(all) })
}

pub(super) fn types_of_replicate(call: &Call<'_>) -> SqlResult<Inferred> {
    let text = call.text(0)?;
    let count = call.bigint(1)?;
    let result = match call.constant_int(1) {
        Some(n) if !text.is_max() => {
            let bytes = i64::from(text.length).saturating_mul(n.max(0));
            call.varying(&text, bytes.clamp(1, i64::from(BYTES_MAX)) as u16)
        }
        _ => call.largest(&text),
    };
    Ok(call.types(result, &[text, count]))
}

pub(super) fn replicate<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let (piece, count) = (bytes(args[0]), int(args[1]));
    let Ok(count) = usize::try_from(count) else { return Ok(ValueRef::Null) };
    let length = piece.len().saturating_mul(count).min(types.result.byte_limit());
    let mut out = ctx.room(length)?;
    // Short pieces are copied by the dozen.
    let many = (STRIDE / piece.len().max(1)).max(1).min(count);
    let block = if many > 1 { &piece.repeat(many)[..] } else { piece };
    while out.len() < length {
        let left = length - out.len();
        ctx.append(&mut out, &block[..block.len().min(left)])?;
        ctx.pace()?;
    }
    Ok(in_form_of(args[0], out.finish()))
}

pub(super) fn types_of_space(call: &Call<'_>) -> SqlResult<Inferred> {
    let count = call.int(0)?;
    let most = i64::from(BYTES_MAX);
    let length = call.constant_int(0).map_or(most, |n| n.clamp(1, most)) as u16;
    Ok(call.types(SqlType::varchar(length, call.collation), &[count]))
}

pub(super) fn space<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let Ok(count) = usize::try_from(int(args[0])) else { return Ok(ValueRef::Null) };
    let blanks = ctx.arena.alloc_zeroed(count.min(usize::from(BYTES_MAX)));
    blanks.fill(b' ');
    Ok(ValueRef::Chars(blanks))
}

pub(super) fn types_of_char(call: &Call<'_>) -> SqlResult<Inferred> {
    Ok(call.types(SqlType::char(1, call.collation), &[call.int(0)?]))
}

pub(super) fn char<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let most = if types.result.collation.is_utf8() { 127 } else { 255 };
    Ok(match u8::try_from(int(args[0])) {
        Ok(code) if code <= most => ValueRef::Chars(ctx.arena.alloc_bytes(&[code])),
        _ => ValueRef::Null,
    })
}

/// Whether a collation knows characters beyond the first 65,536.
fn supplementary(ty: &SqlType) -> bool {
    ty.collation.info().flags.supplementary()
}

pub(super) fn types_of_nchar(call: &Call<'_>) -> SqlResult<Inferred> {
    let result = match call.collation.info().flags.supplementary() {
        true => SqlType::nvarchar(2, call.collation),
        false => SqlType::nchar(1, call.collation),
    };
    Ok(call.types(result, &[call.int(0)?]))
}

pub(super) fn nchar<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let code = int(args[0]);
    if let Ok(unit) = u16::try_from(code) {
        return Ok(ValueRef::Unicode(ctx.arena.alloc_bytes(&unit.to_le_bytes())));
    }
    let beyond = u32::try_from(code).ok().and_then(char::from_u32);
    Ok(match beyond.filter(|_| supplementary(&types.result)) {
        Some(c) => {
            let mut pair = [0; 2];
            let [high, low] = c.encode_utf16(&mut pair) else { return Ok(ValueRef::Null) };
            let ([a, b], [c, d]) = (high.to_le_bytes(), low.to_le_bytes());
            ValueRef::Unicode(ctx.arena.alloc_bytes(&[a, b, c, d]))
        }
        None => ValueRef::Null,
    })
}

pub(super) fn types_of_ascii(call: &Call<'_>) -> SqlResult<Inferred> {
    let text = call.text(0)?;
    // Unicode goes through the code page.
    let narrow = match text.kind.is_unicode() {
        true if text.is_max() => SqlType::varchar_max(call.collation),
        true => SqlType::varchar(text.length / 2, call.collation),
        false => text,
    };
    Ok(call.types(SqlType::int(), &[narrow]))
}

pub(super) fn ascii<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(bytes(args[0]).first().map_or(ValueRef::Null, |&code| ValueRef::Int(i64::from(code))))
}

pub(super) fn types_of_unicode(call: &Call<'_>) -> SqlResult<Inferred> {
    Ok(call.types(SqlType::int(), &[call.text(0)?]))
}

pub(super) fn unicode<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let ty = &types.args[0];
    let code = match args[0] {
        ValueRef::Unicode(wide) if supplementary(ty) => {
            let first = char::decode_utf16(units(wide)).next();
            first.map(|c| c.map_or_else(|e| u32::from(e.unpaired_surrogate()), u32::from))
        }
        ValueRef::Unicode(wide) => units(wide).next().map(u32::from),
        other => match code_page(ty.collation) {
            CodePage::Single(page) => {
                bytes(other).first().map(|&b| u32::from(page.decode[usize::from(b)]))
            }
            CodePage::Double(page) => page.first(bytes(other)).map(|(unit, _)| u32::from(unit)),
            CodePage::Utf8 => String::from_utf8_lossy(bytes(other)).chars().next().map(u32::from),
        },
    };
    Ok(code.map_or(ValueRef::Null, |code| ValueRef::Int(i64::from(code))))
}

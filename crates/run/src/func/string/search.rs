//! Finding and replacing.

use base::collation::LikePattern;
use base::collation::like::PATTERN_BYTES_MAX;
use base::collation::search::{Finder, byte_offset, char_count, char_index};
use base::pace::Stride;
use base::{SqlError, SqlResult, SqlType, TypeKind, ValueRef, message};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::facts::FnContext;
use ir::function::signature::{Call, as_unicode, unify_text};

use super::characters;
use super::set::CharacterSet;
use crate::func::values::{bytes, in_form_of, int};

/// Positions in what may be longer than 8,000 bytes are `bigint`.
fn position_in(ty: &SqlType) -> SqlType {
    if ty.is_max() { SqlType::bigint() } else { SqlType::int() }
}

pub(super) fn types_of_charindex(call: &Call<'_>) -> SqlResult<Inferred> {
    let mut types = vec![call.text(0)?, call.text(1)?];
    unify_text(&mut types);
    let result = position_in(&types[1]);
    if call.args.len() == 3 {
        types.push(call.bigint(2)?);
    }
    Ok(call.types(result, &types))
}

pub(super) fn charindex<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let start = args.get(2).map_or(1, |&v| int(v).max(1));
    refuse_long(args[0])?;
    char_index(types.args[0].collation, args[0], args[1], start, ctx).map(ValueRef::Int)
}

/// Error 8152 for a pattern of more than 8,000 bytes.
fn refuse_long(pattern: ValueRef<'_>) -> SqlResult<()> {
    match bytes(pattern).len() > PATTERN_BYTES_MAX {
        true => Err(SqlError::new(&message::TRUNCATED, &[])),
        false => Ok(()),
    }
}

pub(super) fn types_of_patindex(call: &Call<'_>) -> SqlResult<Inferred> {
    let subject = &call.args[1];
    let mut types = match subject.ty.kind {
        TypeKind::Text => vec![call.string(0)?, SqlType::varchar_max(call.collation)],
        TypeKind::NText => vec![call.string(0)?, SqlType::nvarchar_max(call.collation)],
        _ => vec![call.string(0)?, call.string(1)?],
    };
    unify_text(&mut types);
    Ok(call.types(position_in(&types[1]), &types))
}

pub(super) fn patindex<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let pattern = LikePattern::new(types.args[0].collation, args[0], None)?;
    pattern.position(args[1], ctx).map(ValueRef::Int)
}

pub(super) fn types_of_replace(call: &Call<'_>) -> SqlResult<Inferred> {
    let mut types = vec![call.text(0)?, call.text(1)?, call.text(2)?];
    unify_text(&mut types);
    let widest = types.iter().find(|t| t.is_max()).unwrap_or(&types[0]);
    Ok(call.types(call.largest(widest), &types))
}

pub(super) fn replace<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let collation = types.args[0].collation;
    let source = bytes(args[0]);
    refuse_long(args[1])?;
    let mut finder = Finder::new(collation, args[1]);
    let Some(mut found) = finder.find(args[0], 0, ctx)? else { return Ok(args[0]) };
    let limit = types.result.byte_limit();
    let mut out = ctx.arena.buffer();
    let mut kept = 0;
    while out.len() <= limit {
        ctx.append(&mut out, &source[kept..found.start])?;
        ctx.append(&mut out, bytes(args[2]))?;
        // What a collation ignores can be found without moving on.
        kept = found.end.max(found.start + 1);
        match finder.find(args[0], kept, ctx)? {
            Some(next) => found = next,
            None => break,
        }
    }
    ctx.append(&mut out, &source[kept.min(source.len())..])?;
    let result = out.finish();
    Ok(in_form_of(args[0], &result[..result.len().min(limit)]))
}

pub(super) fn types_of_translate(call: &Call<'_>) -> SqlResult<Inferred> {
    let mut types = vec![call.text(0)?, call.string(1)?, call.string(2)?];
    unify_text(&mut types);
    Ok(call.types(types[0], &types))
}

pub(super) fn translate<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let collation = types.args[0].collation;
    let mut from = CharacterSet::new(args[1], collation, ctx)?;
    let mut to = Vec::new();
    let mut stride = Stride::new(ctx);
    for character in characters(args[2], collation) {
        stride.step(1)?;
        if to.len() == from.len() {
            return Err(SqlError::new(&message::TRANSLATE_LENGTHS_DIFFER, &[]));
        }
        to.push(character);
    }
    if from.len() != to.len() {
        return Err(SqlError::new(&message::TRANSLATE_LENGTHS_DIFFER, &[]));
    }
    let mut out = ctx.room(bytes(args[0]).len())?;
    for character in characters(args[0], collation) {
        stride.step(1)?;
        let at = from.position(character, &mut stride)?;
        out.try_extend(bytes(at.map_or(character, |at| to[at])))?;
    }
    Ok(in_form_of(args[0], out.finish()))
}

pub(super) fn types_of_stuff(call: &Call<'_>) -> SqlResult<Inferred> {
    let both_binary =
        call.kind(0).is_binary() && (call.kind(3).is_binary() || call.args[3].bare_null);
    let (source, inserted) = if both_binary {
        let binary = |ty: SqlType| SqlType { kind: TypeKind::VarBinary, ..ty };
        let empty = SqlType::varbinary(1);
        let inserted = if call.args[3].bare_null { empty } else { binary(call.args[3].ty) };
        (binary(call.args[0].ty), inserted)
    } else {
        let mut types = [call.text(0)?, call.text(3)?];
        if types[1].kind.is_unicode() {
            types[0] = as_unicode(&types[0]);
        }
        unify_text(&mut types);
        (types[0], types[1])
    };
    let result = if source.is_max() || inserted.is_max() {
        SqlType { length: SqlType::MAX, ..source }
    } else {
        SqlType { length: (source.length + inserted.length).min(8000), ..source }
    };
    Ok(call.types(result, &[source, call.bigint(1)?, call.bigint(2)?, inserted]))
}

pub(super) fn stuff<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    if args[..3].iter().any(ValueRef::is_null) {
        return Ok(ValueRef::Null);
    }
    let (start, length) = (int(args[1]), int(args[2]));
    let source = bytes(args[0]);
    let collation = types.args[0].collation;
    let count = match args[0] {
        ValueRef::Bytes(b) => b.len() as i64,
        text => char_count(collation, text, ctx)?,
    };
    if start < 1 || start > count || length < 0 {
        return Ok(ValueRef::Null);
    }
    let offset = |index: i64| match args[0] {
        ValueRef::Bytes(b) => Ok((index as usize).min(b.len())),
        text => byte_offset(collation, text, index, ctx),
    };
    // NULL inserts nothing.
    let inserted = if args[3].is_null() { &[] } else { bytes(args[3]) };
    let (before, behind) =
        (offset(start - 1)?, offset((start - 1).saturating_add(length).min(count))?);
    let mut out = ctx.room(before + inserted.len() + (source.len() - behind))?;
    for piece in [&source[..before], inserted, &source[behind..]] {
        ctx.append(&mut out, piece)?;
    }
    let result = out.finish();
    Ok(in_form_of(args[0], &result[..result.len().min(types.result.byte_limit())]))
}

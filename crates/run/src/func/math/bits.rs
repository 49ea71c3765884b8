//! Functions of bits: integers and binaries. Bit 0 is the lowest one; of a binary, that of the last
//! byte.

use base::{SqlError, SqlResult, SqlType, TypeKind, ValueRef, message};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::facts::FnContext;
use ir::function::signature::Call;

use crate::func::values::int;

/// What has bits: an integer or a binary. Error 8116 for others.
fn bits(call: &Call<'_>) -> SqlResult<SqlType> {
    let arg = &call.args[0];
    match arg.ty.kind {
        _ if arg.bare_null => Err(call.refuse(0)),
        kind if kind.is_integer() => Ok(arg.ty),
        TypeKind::Binary | TypeKind::VarBinary if !arg.ty.is_max() => Ok(arg.ty),
        _ => Err(call.refuse(0)),
    }
}

pub(super) fn types_of_shift(call: &Call<'_>) -> SqlResult<Inferred> {
    let ty = bits(call)?;
    Ok(call.types(ty, &[ty, call.bigint(1)?]))
}

pub(super) fn left_shift<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(shifted(ctx, args[0], int(args[1]), types.result.kind))
}

pub(super) fn right_shift<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(shifted(ctx, args[0], int(args[1]).saturating_neg(), types.result.kind))
}

/// How many bits an integer type has.
fn width(kind: TypeKind) -> u32 {
    match kind {
        TypeKind::Bit => 1,
        TypeKind::TinyInt => 8,
        TypeKind::SmallInt => 16,
        TypeKind::Int => 32,
        _ => 64,
    }
}

/// The bits of an integer, and nothing above them.
fn pattern(value: i64, kind: TypeKind) -> u64 {
    value as u64 & (u64::MAX >> (64 - width(kind)))
}

/// The integer that has these bits.
fn from_pattern(pattern: u64, kind: TypeKind) -> i64 {
    match kind {
        TypeKind::Bit => i64::from(pattern != 0),
        TypeKind::TinyInt => i64::from(pattern as u8),
        TypeKind::SmallInt => i64::from(pattern as i16),
        TypeKind::Int => i64::from(pattern as i32),
        _ => pattern as i64,
    }
}

/// Shifted to the left by this many bits, to the right if it is negative; zeros move in.
fn shifted<'a>(ctx: &FnContext<'a>, value: ValueRef<'a>, by: i64, kind: TypeKind) -> ValueRef<'a> {
    match value {
        ValueRef::Bytes(bytes) => ValueRef::Bytes(shifted_bytes(ctx, bytes, by)),
        other => {
            let bits = pattern(int(other), kind);
            let distance = u32::try_from(by.unsigned_abs()).unwrap_or(u32::MAX);
            let moved = match by >= 0 {
                true => bits.checked_shl(distance),
                false => bits.checked_shr(distance),
            };
            let moved = moved.unwrap_or(0) & (u64::MAX >> (64 - width(kind)));
            ValueRef::Int(from_pattern(moved, kind))
        }
    }
}

fn shifted_bytes<'a>(ctx: &FnContext<'a>, bytes: &[u8], by: i64) -> &'a [u8] {
    let out = ctx.arena.alloc_zeroed(bytes.len());
    let bit = |at: i64| {
        let from_end = usize::try_from(at / 8).ok().filter(|_| at >= 0)?;
        let byte = bytes.len().checked_sub(1 + from_end)?;
        Some(bytes[byte] >> (at % 8) & 1)
    };
    for at in 0..8 * bytes.len() as i64 {
        let moved = bit(at.saturating_sub(by)).unwrap_or(0);
        let byte = bytes.len() - 1 - (at / 8) as usize;
        out[byte] |= moved << (at % 8);
    }
    out
}

pub(super) fn types_of_bit_count(call: &Call<'_>) -> SqlResult<Inferred> {
    Ok(call.types(SqlType::bigint(), &[bits(call)?]))
}

pub(super) fn bit_count<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let count: u32 = match args[0] {
        ValueRef::Bytes(bytes) => bytes.iter().map(|b| b.count_ones()).sum(),
        other => pattern(int(other), types.args[0].kind).count_ones(),
    };
    Ok(ValueRef::Int(i64::from(count)))
}

pub(super) fn types_of_get_bit(call: &Call<'_>) -> SqlResult<Inferred> {
    Ok(call.types(SqlType::bit(), &[bits(call)?, call.bigint(1)?]))
}

pub(super) fn get_bit<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let at = offset(args, types, "get_bit")?;
    Ok(ValueRef::Int(match args[0] {
        ValueRef::Bytes(bytes) => {
            let byte = bytes[bytes.len() - 1 - (at / 8) as usize];
            i64::from(byte >> (at % 8) & 1)
        }
        other => (pattern(int(other), types.args[0].kind) >> at & 1) as i64,
    }))
}

/// The number of a bit that there is; error 9830 for others.
fn offset(args: &[ValueRef<'_>], types: &CallTypes, function: &str) -> SqlResult<u32> {
    let end = match args[0] {
        ValueRef::Bytes(bytes) => 8 * bytes.len() as u32,
        _ => width(types.args[0].kind),
    };
    let asked = int(args[1]);
    u32::try_from(asked)
        .ok()
        .filter(|at| *at < end)
        .ok_or_else(|| SqlError::new(&message::ARGUMENT_VALUE_INVALID, &[&asked, &2, &function]))
}

pub(super) fn types_of_set_bit(call: &Call<'_>) -> SqlResult<Inferred> {
    let ty = bits(call)?;
    let mut types = vec![ty, call.bigint(1)?];
    if call.args.len() == 3 {
        types.push(call.number(2, SqlType::bigint())?);
    }
    Ok(call.types(ty, &types))
}

pub(super) fn set_bit<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let at = offset(args, types, "set_bit")?;
    let bit = match args.get(2).map_or(1, |v| int(*v)) {
        bit @ (0 | 1) => bit == 1,
        other => {
            return Err(SqlError::new(&message::ARGUMENT_VALUE_INVALID, &[&other, &3, &"set_bit"]));
        }
    };
    Ok(match args[0] {
        ValueRef::Bytes(bytes) => {
            let out = ctx.arena.alloc_zeroed(bytes.len());
            out.copy_from_slice(bytes);
            let byte = &mut out[bytes.len() - 1 - (at / 8) as usize];
            *byte = *byte & !(1 << (at % 8)) | u8::from(bit) << (at % 8);
            ValueRef::Bytes(out)
        }
        other => {
            let kind = types.args[0].kind;
            let bits = pattern(int(other), kind) & !(1 << at) | u64::from(bit) << at;
            ValueRef::Int(from_pattern(bits, kind))
        }
    })
}

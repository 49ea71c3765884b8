//! Text pointers, and parts of the values that they point to.

use base::{Pace, SqlError, SqlResult, SqlType, TypeKind, ValueRef, message};
use ir::function::descriptor::{CallTypes, Inferred, ScalarFunction};
use ir::function::facts::FnContext;
use ir::function::signature::Call;
use ir::function::text::{POINTER, POINTER_BYTES, READ, SPLICE, shown};
use sha2::{Digest, Sha256};

use super::values::{bytes, int};

pub(super) static FUNCTIONS: &[ScalarFunction] = &[
    ScalarFunction::strict(POINTER, (4, 35), types_of_pointer, pointer).own_nulls(),
    ScalarFunction::strict(READ, (4, 4), types_of_read, read).own_nulls(),
    ScalarFunction::strict(SPLICE, (4, 4), types_of_splice, splice).own_nulls(),
];

/// The value that is pointed to, after table and column; then what names the row.
const VALUE: usize = 2;

fn types_of_pointer(call: &Call<'_>) -> SqlResult<Inferred> {
    let mut types = vec![call.int(0)?, call.int(1)?];
    types.extend(call.args[VALUE..].iter().map(|arg| arg.ty));
    Ok(call.types(SqlType::varbinary(POINTER_BYTES as u16), &types))
}

fn pointer<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    if args[..=VALUE].iter().any(ValueRef::is_null) {
        return Ok(ValueRef::Null);
    }
    let mut digest = Sha256::new();
    for value in &args[VALUE + 1..] {
        // Each value after its kind and length, so that no two keys have the same bytes.
        let mut add = |kind: u8, bytes: &[u8]| {
            digest.update([kind]);
            digest.update((bytes.len() as u64).to_le_bytes());
            digest.update(bytes);
        };
        match value {
            ValueRef::Chars(own) | ValueRef::Unicode(own) | ValueRef::Bytes(own) => add(1, own),
            ValueRef::Int(number) => add(2, &number.to_le_bytes()),
            ValueRef::Guid(own) => add(3, own),
            other => add(4, format!("{other:?}").as_bytes()),
        }
        ctx.pace()?;
    }
    let mut made = [0; POINTER_BYTES];
    made[..4].copy_from_slice(&(int(args[0]) as i32).to_be_bytes());
    made[4..6].copy_from_slice(&(int(args[1]) as u16).to_be_bytes());
    made[6..].copy_from_slice(&digest.finalize()[..POINTER_BYTES - 6]);
    Ok(ValueRef::Bytes(ctx.copy(&made)?))
}

/// The bytes of a unit in which offsets and lengths count: characters of `ntext`, or bytes.
fn unit(ty: &SqlType) -> usize {
    if ty.kind.is_unicode() { 2 } else { 1 }
}

/// A value of these bytes, in the form of its type.
fn in_form<'a>(ty: &SqlType, bytes: &'a [u8]) -> ValueRef<'a> {
    match () {
        () if ty.kind.is_unicode() => ValueRef::Unicode(bytes),
        () if ty.kind.is_chars() => ValueRef::Chars(bytes),
        () => ValueRef::Bytes(bytes),
    }
}

/// The type of the value that a part is of.
fn whole(call: &Call<'_>) -> SqlResult<SqlType> {
    let ty = call.args[0].ty;
    match ty.kind {
        TypeKind::Text | TypeKind::NText | TypeKind::Image => Ok(ty),
        _ => Err(ir::internal("a part is of a value that pointers point to")),
    }
}

fn types_of_read(call: &Call<'_>) -> SqlResult<Inferred> {
    let whole = whole(call)?;
    let pointer = SqlType::varbinary(POINTER_BYTES as u16);
    Ok(call.types(whole, &[whole, pointer, call.int(2)?, call.int(3)?]))
}

/// Errors 7116, 7123, 7124, 7133.
fn read<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    if args[1].is_null() {
        return Err(SqlError::new(&message::TEXT_POINTER_NULL, &[&"READ TEXT"]));
    }
    if args[0].is_null() {
        let pointer = shown(bytes(args[1]));
        return Err(SqlError::new(&message::TEXT_POINTER_INVALID, &[&pointer]));
    }
    let (ty, whole) = (&types.args[0], bytes(args[0]));
    let unit = unit(ty);
    let length = (whole.len() / unit) as i64;
    let number = |at: usize| if args[at].is_null() { 0 } else { int(args[at]) };
    let (offset, size) = (number(2), number(3));
    if offset < 0 {
        let error = SqlError::new(&message::TEXT_OFFSET_INVALID, &[&offset]);
        return Err(error.with_state(3));
    }
    let end = if size <= 0 { length.max(offset) } else { offset.saturating_add(size) };
    if offset > length || end > length {
        return Err(SqlError::new(&message::TEXT_READ_TOO_LONG, &[&length]));
    }
    Ok(in_form(ty, &whole[offset as usize * unit..end as usize * unit]))
}

fn types_of_splice(call: &Call<'_>) -> SqlResult<Inferred> {
    let whole = whole(call)?;
    Ok(call.types(whole, &[whole, call.int(1)?, call.int(2)?, whole]))
}

/// Errors 7116, 7135.
fn splice<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    if args[0].is_null() {
        return Ok(ValueRef::Null);
    }
    let (ty, whole) = (&types.args[0], bytes(args[0]));
    let unit = unit(ty);
    let length = (whole.len() / unit) as i64;
    let given = |at: usize| Some(args[at]).filter(|v| !v.is_null()).map(int).filter(|n| *n >= 0);
    let offset = given(1).unwrap_or(length);
    if offset > length {
        return Err(SqlError::new(&message::TEXT_OFFSET_INVALID, &[&offset]));
    }
    let deleted = given(2).unwrap_or(length - offset);
    if deleted > length - offset {
        return Err(SqlError::new(&message::TEXT_DELETION_TOO_LONG, &[&deleted]));
    }
    let data = if args[3].is_null() { &[][..] } else { bytes(args[3]) };
    let (before, after) = (offset as usize * unit, (offset + deleted) as usize * unit);
    let mut out = ctx.room(whole.len() - (after - before) + data.len())?;
    base::account::check_length(whole.len() - (after - before) + data.len())?;
    for part in [&whole[..before], data, &whole[after..]] {
        ctx.append(&mut out, part)?;
    }
    Ok(in_form(ty, out.finish()))
}
